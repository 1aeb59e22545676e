/* What the files here know of signals. Functions of Rust are in crates/capi/src/signal.rs. */
#ifndef FLYBALL_SIGNALS_H
#define FLYBALL_SIGNALS_H

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

/* A set has bit N for the signal N. */
typedef uint64_t set_t;

/* What is kept of a thread's signals: Signals in Rust. `due` and `deferring` are words that other threads
   change. All else is changed with the threads locked. */
struct signals {
  unsigned due; /* what the thread has to do as soon as it can */
  unsigned deferring; /* in how many sections it is that run no handler */
  unsigned handled; /* how many handlers it has called */
  unsigned state;
  set_t blocked, pending, waited;
};

/* In due: a signal is pending that the thread does not block, or waits for. */
#define DUE_SIGNAL 2

#define BIT(number) ((set_t) 1 << (number))

/* No thread can block or handle them. */
#define FIXED (BIT(SIGKILL) | BIT(SIGSTOP))

/* By default nothing happens: at SIGURG, SIGCHLD, SIGWINCH; and at those that stop and continue a program, as
   there is no shell that would do the other. */
#define IGNORED                                                                      \
  (BIT(SIGURG) | BIT(SIGCHLD) | BIT(SIGWINCH) | BIT(SIGSTOP) | BIT(SIGTSTP) | BIT(SIGCONT) | \
   BIT(SIGTTIN) | BIT(SIGTTOU))

/* A signal that is pending, with a value. */
struct queued {
  struct queued *next;
  struct signals *target; /* null: for the process */
  siginfo_t info;
  void (*taken)(struct queued *); /* with the threads locked: it is in the queue no more */
};

/* Of Rust. */
struct signals *__flyball_signals(void);
struct signals *__flyball_signals_of(pthread_t thread);
int __flyball_each_thread(int (*call)(struct signals *, void *), void *argument);
void __flyball_lock_threads(void);
void __flyball_unlock_threads(void);
int __flyball_resume(void);
void __flyball_tell(struct signals *signals, int is_due);
int __flyball_pause(clockid_t clock, const struct timespec *until);
int __flyball_is_cancelled(void);
int __flyball_make_service(void (*routine)(void));
int __flyball_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);
/* Nanoseconds since the start; when a clock shows a time, or how soon (`is_span`), or if it counts CPU time, what it
   shows then; and how much is left of that, and when it can have been used at the earliest. They return 0 or EINVAL. */
uint64_t __flyball_now(void);
int __flyball_left(clockid_t clock, uint64_t at, int64_t *left, uint64_t *earliest);
int __flyball_until(clockid_t clock, const struct timespec *time, int is_span, uint64_t *instant);

/* Of flyball.c. */
int __flyball_handle(void);
void __flyball_leave_signals(void);

/* Of signals.c. */
int __flyball_deliver(void);
void __flyball_leave(void);
int __flyball_kill(int number);
int __flyball_take(struct signals *me, set_t set, siginfo_t *info);
void __flyball_update(struct signals *me);
void __flyball_tell_others(void);
set_t __flyball_pending(const struct signals *me);
int __flyball_queue(int number, int code, union sigval value);
void __flyball_send(struct queued *queued);
void __flyball_unqueue(struct queued *queued);

/* Of notify.c: how a timer or a queue tells that something has happened. */
struct notice {
  struct sigevent event;
  pthread_attr_t attributes; /* of SIGEV_THREAD */
};
int __flyball_notice(struct notice *notice, const struct sigevent *event);
int __flyball_begin_thread(const struct notice *notice);

static inline set_t set_of(const sigset_t *set) {
  return set->__word[0] | (set_t) set->__word[1] << 32;
}

static inline sigset_t words_of(set_t set) {
  return (sigset_t) { { (uint32_t) set, (uint32_t) (set >> 32) } };
}

static inline int is_signal(int number) { return number > 0 && number < NSIG; }

/* Locks the threads, and all that is kept of signals and timers. */
static inline void lock_threads(void) { __flyball_lock_threads(); }

/* Runs the handlers that have been deferred meanwhile. */
static inline void unlock_threads(void) {
  __flyball_unlock_threads();
  __flyball_resume();
}

/* Ends a section that runs no handler, without running those that have been deferred. */
static inline void end_section(struct signals *me) {
  __atomic_store_n(&me->deferring, me->deferring - 1, __ATOMIC_RELAXED);
}

#endif
