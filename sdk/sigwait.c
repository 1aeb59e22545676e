/* Signals that threads block, and wait for. sdk/install puts this into libflyball.a. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "signals.h"

/* The calling thread blocks these from now on. With the threads locked. */
static void block(struct signals *me, set_t set) {
  set_t before = me->blocked;
  me->blocked = set & ~FIXED;
  __flyball_update(me);
  /* It may have been told of some that it blocks now. */
  if (me->blocked & ~before) __flyball_tell_others();
}

int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  struct signals *me = __flyball_signals();
  set_t before, given = set ? set_of(set) : 0;
  if (set && how != SIG_SETMASK && how != SIG_BLOCK && how != SIG_UNBLOCK) return EINVAL;
  lock_threads();
  before = me->blocked;
  if (set)
    block(me, how == SIG_BLOCK ? before | given : how == SIG_UNBLOCK ? before & ~given : given);
  unlock_threads();
  if (old) *old = words_of(before);
  return 0;
}

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  int error = pthread_sigmask(how, set, old);
  return error ? (errno = error, -1) : 0;
}

int sigpending(sigset_t *set) {
  struct signals *me = __flyball_signals();
  lock_threads();
  *set = words_of(__flyball_pending(me) & me->blocked);
  unlock_threads();
  return 0;
}

int sigsuspend(const sigset_t *set) {
  struct signals *me = __flyball_signals();
  unsigned handled;
  set_t before;
  int cancelled = 0;
  lock_threads();
  before = me->blocked;
  handled = me->handled;
  block(me, set_of(set));
  __flyball_unlock_threads();
  for (;;) {
    __flyball_pause(CLOCK_MONOTONIC, 0);
    cancelled = __flyball_is_cancelled();
    __flyball_resume();
    if (cancelled || me->handled != handled) break;
    __atomic_store_n(&me->deferring, 1, __ATOMIC_RELAXED);
    if (me->handled != handled) {
      __flyball_resume();
      break;
    }
  }
  lock_threads();
  block(me, before);
  unlock_threads();
  if (cancelled) pthread_testcancel();
  errno = EINTR;
  return -1;
}

int pause(void) {
  struct signals *me = __flyball_signals();
  sigset_t same = words_of(me->blocked);
  return sigsuspend(&same);
}

/* Waits for one of `set` until `until` of CLOCK_MONOTONIC at the latest; null: for ever. Returns its number, or what
   is wrong as a negative number. */
static int wait_for(set_t set, siginfo_t *info, const struct timespec *until) {
  struct signals *me = __flyball_signals();
  int number, error = -1;
  pthread_testcancel();
  lock_threads();
  while (!(number = __flyball_take(me, set, info)) && error) {
    me->waited = set;
    __flyball_update(me);
    __flyball_unlock_threads();
    error = __flyball_pause(CLOCK_MONOTONIC, until);
    lock_threads();
    end_section(me);
    me->waited = 0;
    __flyball_update(me);
    if (__flyball_is_cancelled()) {
      unlock_threads();
      pthread_testcancel();
      return -EINTR;
    }
    if (!(__flyball_pending(me) & set) && __flyball_pending(me) & ~me->blocked) {
      /* A handler interrupts it. */
      unlock_threads();
      return -EINTR;
    }
  }
  __flyball_update(me);
  unlock_threads();
  return number ? number : -EAGAIN;
}

int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                 const struct timespec *restrict timeout) {
  struct timespec until;
  siginfo_t unused;
  int number;
  if (timeout) {
    if (timeout->tv_nsec < 0 || timeout->tv_nsec >= 1000000000) return errno = EINVAL, -1;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += timeout->tv_nsec;
    until.tv_sec += timeout->tv_sec + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
  }
  number = wait_for(set_of(set), info ? info : &unused, timeout ? &until : 0);
  return number < 0 ? (errno = -number, -1) : number;
}

int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info) {
  return sigtimedwait(set, info, 0);
}

int sigwait(const sigset_t *restrict set, int *restrict number) {
  siginfo_t info;
  int result;
  do
    result = wait_for(set_of(set), &info, 0);
  while (result == -EINTR);
  if (result < 0) return -result;
  *number = result;
  return 0;
}
