/* Tests check themselves, and end with 0 if all is well. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CHECK(what)                                                    \
  do {                                                                 \
    if (!(what)) {                                                     \
      printf("%s:%d: not %s\n", __FILE__, __LINE__, #what);            \
      fflush(stdout);                                                  \
      _Exit(1);                                                        \
    }                                                                  \
  } while (0)

/* Milliseconds of a clock. */
static inline long long shows(clockid_t clock) {
  struct timespec time;
  CHECK(clock_gettime(clock, &time) == 0);
  return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

/* When a clock shows so many milliseconds more. */
static inline struct timespec later(clockid_t clock, int milliseconds) {
  struct timespec time;
  CHECK(clock_gettime(clock, &time) == 0);
  time.tv_nsec += milliseconds % 1000 * 1000000L;
  time.tv_sec += milliseconds / 1000 + time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

static inline void pause_for(int milliseconds) {
  struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000L };
  CHECK(nanosleep(&time, 0) == 0);
}

/* A thread of this policy and priority. */
static inline pthread_t make(int policy, int priority, void *(*start)(void *), void *argument) {
  pthread_attr_t attributes;
  struct sched_param parameters = { .sched_priority = priority };
  pthread_t thread;
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED) == 0);
  CHECK(pthread_attr_setschedpolicy(&attributes, policy) == 0);
  CHECK(pthread_attr_setschedparam(&attributes, &parameters) == 0);
  CHECK(pthread_create(&thread, &attributes, start, argument) == 0);
  CHECK(pthread_attr_destroy(&attributes) == 0);
  return thread;
}

#ifdef __riscv
static inline void *do_nothing(void *unused) {
  for (;;) __asm__ volatile("wfi");
  return unused;
}
#endif

/* All threads share one CPU from now on: the others have threads that do nothing and are as urgent as can be. For
   tests of which of several threads runs. */
static inline void use_one_cpu(void) {
#ifdef __riscv
  for (long left = sysconf(_SC_NPROCESSORS_ONLN); left > 1; left--) make(SCHED_FIFO, 32, do_nothing, 0);
  pause_for(1);
#endif
}

static inline void *join(pthread_t thread) {
  void *result;
  CHECK(pthread_join(thread, &result) == 0);
  return result;
}
