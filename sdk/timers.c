/* Timers, and alarm(). One thread, of the highest priority, waits for all of them; it is made when a program uses the
   first. sdk/install puts this into libflyball.a. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "signals.h"

#define SECOND 1000000000u

/* Instants and spans are nanoseconds; where the clock counts CPU time, instants are what it shows. All of this is
   changed with the threads locked. */
struct timer {
  struct queued queued; /* its signal; first, as `taken` gets it */
  struct timer *next;
  clockid_t clock;
  int is_cpu; /* the clock counts CPU time */
  struct notice notice;
  uint64_t at; /* 0: it is not set */
  uint64_t every; /* 0: once */
  unsigned missed; /* expirations since its signal has been queued */
  unsigned overrun; /* the same of the signal that was taken last */
  int is_queued;
  int begins; /* its thread is to begin */
};

static struct timer *all;
static struct signals *service; /* of the thread that waits */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

static struct timespec time_of(uint64_t nanoseconds) {
  return (struct timespec) { nanoseconds / SECOND, nanoseconds % SECOND };
}

/* The signal of a timer is not in the queue any more. */
static void taken(struct queued *queued) {
  struct timer *timer = (struct timer *) queued;
  timer->is_queued = 0;
  timer->overrun = timer->missed;
  timer->missed = 0;
}

static unsigned add(unsigned one, uint64_t other) {
  return other > DELAYTIMER_MAX - one ? DELAYTIMER_MAX : one + (unsigned) other;
}

/* A timer has expired, `more` times besides. */
static void expire(struct timer *timer, uint64_t more) {
  switch (timer->notice.event.sigev_notify) {
    case SIGEV_SIGNAL:
      if (timer->is_queued) {
        timer->missed = add(timer->missed, more + 1);
        break;
      }
      timer->is_queued = 1;
      timer->missed = add(0, more);
      __flyball_send(&timer->queued);
      break;
    case SIGEV_THREAD:
      timer->overrun = add(timer->begins ? timer->overrun + 1 : 0, more);
      timer->begins = 1;
      break;
  }
}

/* How long it takes, on its clock, until a timer expires that is set, and which instant that is at the earliest. The
   timer of a thread that has ended never does, and is not set any more: then this returns 0. */
static int look(struct timer *timer, uint64_t now, int64_t *left, uint64_t *earliest) {
  *left = (int64_t) (timer->at - now);
  *earliest = timer->at;
  if (timer->at && timer->is_cpu && __flyball_left(timer->clock, timer->at, left, earliest)) timer->at = 0;
  return timer->at != 0;
}

/* Serves all that have expired, and returns when the next one can; 0: none. */
static uint64_t serve(void) {
  uint64_t next = 0, now = __flyball_now(), earliest;
  int64_t left;
  for (struct timer *timer = all; timer; timer = timer->next) {
    if (!look(timer, now, &left, &earliest)) continue;
    if (left <= 0) {
      uint64_t more = timer->every ? (uint64_t) -left / timer->every : 0;
      timer->at = timer->every ? timer->at + (more + 1) * timer->every : 0;
      expire(timer, more);
      if (!look(timer, now, &left, &earliest)) continue;
    }
    if (!next || earliest < next) next = earliest;
  }
  return next;
}

/* Begins a thread of a timer that has expired. Returns whether there was one. */
static int begin_one(void) {
  struct notice notice;
  struct timer *timer = all;
  while (timer && !timer->begins) timer = timer->next;
  if (!timer) return 0;
  notice = timer->notice;
  timer->begins = 0;
  unlock_threads();
  /* If there is no room for it, that expiration is lost. */
  __flyball_begin_thread(&notice);
  lock_threads();
  return 1;
}

__attribute__((__noreturn__)) static void wait_for_all(void) {
  struct signals *me = __flyball_signals();
  lock_threads();
  me->blocked = ~(set_t) 0;
  service = me;
  for (;;) {
    struct timespec until;
    uint64_t next;
    do
      next = serve();
    while (begin_one());
    until = time_of(next);
    __flyball_tell(me, 0);
    __flyball_unlock_threads();
    end_section(me);
    __flyball_pause(CLOCK_MONOTONIC, next ? &until : 0);
    lock_threads();
  }
}

/* Returns 0 or EAGAIN. */
static int start(void) {
  static int is_there;
  int error = 0;
  pthread_mutex_lock(&starting);
  if (!is_there) error = __flyball_make_service(wait_for_all);
  is_there = !error;
  pthread_mutex_unlock(&starting);
  return error;
}

static void prepare(struct timer *timer, clockid_t clock) {
  timer->clock = clock;
  timer->is_cpu = clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC;
  timer->queued.taken = taken;
  timer->queued.info = (siginfo_t) {
    .si_signo = timer->notice.event.sigev_signo,
    .si_code = SI_TIMER,
    .si_pid = 1,
    .si_value = timer->notice.event.sigev_value,
  };
}

/* With the threads locked. */
static void add_timer(struct timer *timer) {
  timer->next = all;
  all = timer;
}

int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict name) {
  struct timer *timer;
  struct sigevent usual = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
  struct timespec time;
  int error = 0;
  /* A thread looks at it that is not the calling one. */
  if (clock == CLOCK_THREAD_CPUTIME_ID) pthread_getcpuclockid(pthread_self(), &clock);
  if (clock_gettime(clock, &time)) return -1;
  timer = calloc(1, sizeof *timer);
  if (!timer) return errno = EAGAIN, -1;
  usual.sigev_value.sival_ptr = timer;
  error = __flyball_notice(&timer->notice, event ? event : &usual);
  if (!error) error = start();
  if (error) {
    free(timer);
    return errno = error, -1;
  }
  prepare(timer, clock);
  lock_threads();
  add_timer(timer);
  unlock_threads();
  *name = (timer_t) timer;
  return 0;
}

/* Locks the threads, and returns the link to a timer; null, and nothing is locked: there is none. */
static struct timer **lock(timer_t name) {
  struct timer **link = &all;
  lock_threads();
  while (*link && *link != (struct timer *) name) link = &(*link)->next;
  if (*link) return link;
  unlock_threads();
  errno = EINVAL;
  return 0;
}

int timer_delete(timer_t name) {
  struct timer **link = lock(name), *timer;
  if (!link) return -1;
  timer = *link;
  *link = timer->next;
  if (timer->is_queued) __flyball_unqueue(&timer->queued);
  unlock_threads();
  free(timer);
  return 0;
}

/* What is left of a timer. */
static struct itimerspec rest(struct timer *timer) {
  int64_t left;
  uint64_t earliest;
  if (!look(timer, __flyball_now(), &left, &earliest)) left = 0;
  else if (left <= 0) left = 1;
  return (struct itimerspec) { time_of(timer->every), time_of(left) };
}

/* With the threads locked. */
static void set(struct timer *timer, uint64_t at, uint64_t every) {
  timer->at = at;
  timer->every = every;
  timer->begins = 0;
  /* A service that has just been made looks by itself. */
  if (at && service) __flyball_tell(service, 1);
}

int timer_settime(timer_t name, int flags, const struct itimerspec *restrict value,
                  struct itimerspec *restrict old) {
  struct timer **link;
  uint64_t at = 0, every = 0;
  int is_set = value->it_value.tv_sec || value->it_value.tv_nsec, error;
  clockid_t clock;
  link = lock(name);
  if (!link) return -1;
  clock = (*link)->clock;
  /* A span that begins at zero. */
  error = __flyball_until((*link)->is_cpu ? clock : CLOCK_MONOTONIC, &value->it_interval, 0, &every);
  if (!error) error = __flyball_until(clock, &value->it_value, !(flags & TIMER_ABSTIME), &at);
  if (!error) {
    if (old) *old = rest(*link);
    /* An instant that has passed is due at once. */
    set(*link, is_set ? at ? at : 1 : 0, every);
  }
  unlock_threads();
  return error ? (errno = error, -1) : 0;
}

int timer_gettime(timer_t name, struct itimerspec *value) {
  struct timer **link = lock(name);
  if (!link) return -1;
  *value = rest(*link);
  unlock_threads();
  return 0;
}

int timer_getoverrun(timer_t name) {
  struct timer **link = lock(name);
  int overrun;
  if (!link) return -1;
  overrun = (int) (*link)->overrun;
  unlock_threads();
  return overrun;
}

/* Seconds that are left of the alarm before. */
unsigned alarm(unsigned seconds) {
  static struct timer timer;
  struct itimerspec left;
  if (!timer.clock && seconds) {
    if (start()) return 0;
    timer.notice.event.sigev_notify = SIGEV_SIGNAL;
    timer.notice.event.sigev_signo = SIGALRM;
  }
  lock_threads();
  left = rest(&timer);
  if (!timer.clock && seconds) {
    prepare(&timer, CLOCK_MONOTONIC);
    add_timer(&timer);
  }
  if (timer.clock) set(&timer, seconds ? __flyball_now() + (uint64_t) seconds * SECOND : 0, 0);
  unlock_threads();
  return left.it_value.tv_sec + (left.it_value.tv_nsec > 0);
}
