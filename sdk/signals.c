/* Signals: which are pending, for which thread, and what they do. A thread that has one to handle is told so
   (crates/capi/src/signal.rs), and calls __flyball_deliver. sdk/install puts this into libflyball.a. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "signals.h"

/* In `state`: the thread has ended. */
#define GONE 1

/* All of these are changed with the threads locked. */
static struct sigaction actions[NSIG];
static set_t pending; /* for the process */
static struct queued *first, **end = &first; /* in the order in which they were sent */
static struct queued places[SIGQUEUE_MAX];
static struct queued *unused;
static unsigned used; /* of `places`, the others have not been used yet */

static int is_ignored(int number) {
  void (*handler)(int) = actions[number].sa_handler;
  return handler == SIG_IGN ||
         (handler == SIG_DFL && IGNORED & BIT(number));
}

/* The place of a queued signal, which is free again. */
static void put_back(struct queued *place) {
  place->next = unused;
  unused = place;
}

static struct queued *find_place(void) {
  struct queued *place = unused;
  if (place)
    unused = place->next;
  else if (used < SIGQUEUE_MAX)
    place = &places[used++];
  else
    return 0;
  place->taken = put_back;
  return place;
}

/* Takes the queued signal out that `link` points to. */
static void take_out(struct queued **link) {
  struct queued *queued = *link;
  *link = queued->next;
  if (end == &queued->next) end = link;
  queued->taken(queued);
}

/* The link to the first one that is queued of this number for this target. */
static struct queued **find(int number, struct signals *target) {
  struct queued **link = &first;
  while (*link && ((*link)->info.si_signo != number || (*link)->target != target))
    link = &(*link)->next;
  return link;
}

static void discard(int number, struct signals *target) {
  set_t *set = target ? &target->pending : &pending;
  for (struct queued **link; *(link = find(number, target));) take_out(link);
  *set &= ~BIT(number);
}

static int discard_of(struct signals *thread, void *number) {
  discard(*(int *) number, thread);
  return 0;
}

/* Takes one of the signals in `set` that is pending for a thread or for the process, the one with the lowest
   number first. Returns 0 if there is none. */
int __flyball_take(struct signals *me, set_t set, siginfo_t *info) {
  struct signals *target;
  struct queued **link;
  set_t *from;
  int number;
  set &= me->pending | pending;
  if (!set) return 0;
  number = __builtin_ctzll(set);
  target = me->pending & BIT(number) ? me : 0;
  from = target ? &me->pending : &pending;
  link = find(number, target);
  if (*link) {
    *info = (*link)->info;
    take_out(link);
    link = find(number, target);
  } else {
    memset(info, 0, sizeof *info);
    info->si_signo = number;
    info->si_code = SI_USER;
    info->si_pid = 1;
  }
  if (!*link) *from &= ~BIT(number);
  return number;
}

set_t __flyball_pending(const struct signals *me) { return me->pending | pending; }

/* Which signals a thread does something about. */
static set_t takes(const struct signals *thread) { return ~thread->blocked | thread->waited; }

/* The calling thread has something to handle, or has not, now that what it blocks or waits for has changed. */
void __flyball_update(struct signals *me) {
  if (takes(me) & (me->pending | pending))
    __atomic_fetch_or(&me->due, DUE_SIGNAL, __ATOMIC_RELAXED);
  else
    __atomic_fetch_and(&me->due, ~DUE_SIGNAL, __ATOMIC_RELAXED);
}

static int tell_waiting(struct signals *thread, void *number) {
  if (!(thread->waited & BIT(*(int *) number))) return 0;
  __flyball_tell(thread, 1);
  return 1;
}

static int tell_willing(struct signals *thread, void *number) {
  if (thread->blocked & BIT(*(int *) number)) return 0;
  __flyball_tell(thread, 1);
  return 1;
}

/* Tells a thread of a signal that is pending for the process: one that waits for it, the calling one, or any. */
static void tell_any(int number) {
  struct signals *me = __flyball_signals();
  if (__flyball_each_thread(tell_waiting, &number)) return;
  if (me->state != GONE && tell_willing(me, &number)) return;
  __flyball_each_thread(tell_willing, &number);
}

/* Those that are pending for the process are for others than before. */
void __flyball_tell_others(void) {
  for (set_t left = pending; left; left &= left - 1) tell_any(__builtin_ctzll(left));
}

static int is_waiting(struct signals *thread, void *number) {
  return (thread->waited >> *(int *) number) & 1;
}

static int is_willing(struct signals *thread, void *number) {
  return !(thread->blocked & BIT(*(int *) number));
}

/* Whether a signal does nothing, and is not kept either. Ends the program if that is what it does. */
static int has_no_effect(int number, struct signals *target) {
  int waits, ends;
  if (target && target->state == GONE) return 1;
  waits = target ? is_waiting(target, &number) : __flyball_each_thread(is_waiting, &number);
  if (waits) return 0;
  if (is_ignored(number)) return 1;
  ends = target ? is_willing(target, &number) : __flyball_each_thread(is_willing, &number);
  if (ends && actions[number].sa_handler == SIG_DFL) _exit(128 + number);
  return 0;
}

/* A signal is pending. With the threads locked. */
static void raise_for(int number, struct signals *target) {
  *(target ? &target->pending : &pending) |= BIT(number);
  if (!target)
    tell_any(number);
  else if (takes(target) & BIT(number))
    __flyball_tell(target, 1);
}

void __flyball_send(struct queued *queued) {
  int number = queued->info.si_signo;
  set_t set = queued->target ? queued->target->pending : pending;
  if (has_no_effect(number, queued->target) || (number < SIGRTMIN && set & BIT(number))) {
    queued->taken(queued);
    return;
  }
  queued->next = 0;
  *end = queued;
  end = &queued->next;
  raise_for(number, queued->target);
}

void __flyball_unqueue(struct queued *queued) {
  int number = queued->info.si_signo;
  for (struct queued **link = &first; *link; link = &(*link)->next)
    if (*link == queued) {
      take_out(link);
      if (!*find(number, queued->target)) discard(number, queued->target);
      return;
    }
}

/* Sends a signal without a value. One of real time is queued, if there is room. */
static void send_plain(int number, struct signals *target) {
  struct queued *queued = number >= SIGRTMIN ? find_place() : 0;
  if (queued) {
    memset(&queued->info, 0, sizeof queued->info);
    queued->info.si_signo = number;
    queued->info.si_code = SI_USER;
    queued->info.si_pid = 1;
    queued->target = target;
    __flyball_send(queued);
  } else if (!has_no_effect(number, target)) {
    raise_for(number, target);
  }
}

/* Of the signals of a process, with a value. Returns 0 or EAGAIN. */
int __flyball_queue(int number, int code, union sigval value) {
  struct queued *queued;
  lock_threads();
  queued = find_place();
  if (queued) {
    memset(&queued->info, 0, sizeof queued->info);
    queued->info.si_signo = number;
    queued->info.si_code = code;
    queued->info.si_pid = 1;
    queued->info.si_value = value;
    queued->target = 0;
    __flyball_send(queued);
  }
  unlock_threads();
  return queued ? 0 : EAGAIN;
}

int sigqueue(pid_t process, int number, union sigval value) {
  int error = 0;
  if (process != 1)
    error = ESRCH;
  else if (number && !is_signal(number))
    error = EINVAL;
  else if (number)
    error = __flyball_queue(number, SI_QUEUE, value);
  return error ? (errno = error, -1) : 0;
}

/* `number` is a signal, or 0. */
int __flyball_kill(int number) {
  if (!number) return 0;
  lock_threads();
  send_plain(number, 0);
  unlock_threads();
  return 0;
}

int killpg(pid_t group, int number) { return kill(group, number); }

int pthread_kill(pthread_t thread, int number) {
  struct signals *target;
  if (number && !is_signal(number)) return EINVAL;
  lock_threads();
  target = __flyball_signals_of(thread);
  if (target && number) send_plain(number, target);
  unlock_threads();
  return target ? 0 : ESRCH;
}

/* Calls the handler of a signal, whose action was `action`. */
static void handle(struct signals *me, siginfo_t *info, const struct sigaction *action) {
  int error = errno;
  me->handled++;
  if (action->sa_flags & SA_SIGINFO)
    action->sa_sigaction(info->si_signo, info, 0);
  else
    action->sa_handler(info->si_signo);
  errno = error;
}

int __flyball_deliver(void) {
  struct signals *me = __flyball_signals();
  int result = 0;
  for (;;) {
    struct sigaction action;
    siginfo_t info;
    set_t before;
    int number;
    lock_threads();
    before = me->blocked;
    number = __flyball_take(me, ~before, &info);
    if (!number) {
      __flyball_update(me);
      __flyball_unlock_threads();
      end_section(me);
      /* One that has come just now has found this thread in a section. */
      if (!(__atomic_load_n(&me->due, __ATOMIC_RELAXED) & DUE_SIGNAL)) return result;
      continue;
    }
    action = actions[number];
    if (action.sa_handler == SIG_DFL && !is_ignored(number)) _exit(128 + number);
    if (!is_ignored(number)) {
      if (action.sa_flags & SA_RESETHAND) actions[number].sa_handler = SIG_DFL;
      me->blocked |= set_of(&action.sa_mask) & ~FIXED;
      if (!(action.sa_flags & (SA_NODEFER | SA_RESETHAND))) me->blocked |= BIT(number);
      __flyball_update(me);
      __flyball_unlock_threads();
      end_section(me);
      handle(me, &info, &action);
      if (result < 2) result = action.sa_flags & SA_RESTART ? 1 : 2;
      lock_threads();
      me->blocked = before;
    }
    __flyball_unlock_threads();
    end_section(me);
  }
}

/* The calling thread ends. */
void __flyball_leave(void) {
  struct signals *me = __flyball_signals();
  lock_threads();
  for (int number = 1; number < NSIG; number++)
    if (me->pending & BIT(number)) discard(number, me);
  me->state = GONE;
  me->blocked = ~(set_t) 0;
  __flyball_tell_others();
  unlock_threads();
}

int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict old) {
  if (!is_signal(number) || (action && FIXED & BIT(number))) return errno = EINVAL, -1;
  lock_threads();
  if (old) *old = actions[number];
  if (action) {
    actions[number] = *action;
    if (is_ignored(number)) {
      discard(number, 0);
      __flyball_each_thread(discard_of, &number);
    }
  }
  unlock_threads();
  return 0;
}

_sig_func_ptr signal(int number, _sig_func_ptr handler) {
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;
  return sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}
