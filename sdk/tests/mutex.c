/* Mutexes: types, errors, time-outs, deadlocks. Also traced. */
#include "check.h"
#include <errno.h>

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER, other, third;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static pthread_mutex_t of(int type) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t mutex;
  int is;
  CHECK(pthread_mutexattr_init(&attributes) == 0);
  CHECK(pthread_mutexattr_settype(&attributes, 7) == EINVAL);
  CHECK(pthread_mutexattr_settype(&attributes, type) == 0);
  CHECK(pthread_mutexattr_gettype(&attributes, &is) == 0 && is == type);
  CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
  CHECK(pthread_mutexattr_getprotocol(&attributes, &is) == 0 && is == PTHREAD_PRIO_INHERIT);
  CHECK(pthread_mutex_init(&mutex, &attributes) == 0);
  return mutex;
}

static void *try(void *mutex) { return (void *) (long) pthread_mutex_trylock(mutex); }
static void *unlock(void *mutex) { return (void *) (long) pthread_mutex_unlock(mutex); }

static long elsewhere(void *(*what)(void *), pthread_mutex_t *mutex) {
  pthread_t thread;
  CHECK(pthread_create(&thread, 0, what, mutex) == 0);
  return (long) join(thread);
}

static void *wait_long(void *mutex) {
  CHECK(pthread_mutex_lock(mutex) == 0);
  CHECK(pthread_mutex_unlock(mutex) == 0);
  return 0;
}

static void *wait_short(void *unused) {
  struct timespec until = later(CLOCK_REALTIME, 20);
  (void) unused;
  CHECK(pthread_mutex_lock(&other) == 0);
  CHECK(pthread_mutex_timedlock(&normal, &until) == ETIMEDOUT);
  CHECK(pthread_mutex_unlock(&other) == 0);
  return 0;
}

static void *signal_twice(void *mutex) {
  CHECK(pthread_mutex_lock(mutex) == 0);
  CHECK(pthread_cond_signal(&condition) == 0);
  CHECK(pthread_mutex_unlock(mutex) == 0);
  return 0;
}

int main(void) {
  struct timespec until, wrong = { 1, 1000000000 };
  pthread_t thread;
  long long start;

  /* The first thing that the threads do with a mutex. */
  CHECK(elsewhere(unlock, &normal) == EPERM);
  CHECK(pthread_mutex_unlock(&normal) == EPERM);
  CHECK(pthread_mutex_lock(&normal) == 0);
  CHECK(pthread_mutex_trylock(&normal) == EBUSY);
  CHECK(elsewhere(try, &normal) == EBUSY);
  CHECK(pthread_mutex_destroy(&normal) == EBUSY);
  start = shows(CLOCK_MONOTONIC);
  until = later(CLOCK_MONOTONIC, 20);
  CHECK(pthread_mutex_clocklock(&normal, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
  CHECK(shows(CLOCK_MONOTONIC) >= start + 20);
  CHECK(pthread_mutex_timedlock(&normal, &wrong) == EINVAL);
  CHECK(pthread_mutex_clocklock(&normal, CLOCK_THREAD_CPUTIME_ID, &until) == EINVAL);
  CHECK(pthread_mutex_unlock(&normal) == 0);
  /* A free one needs no valid time. */
  CHECK(pthread_mutex_timedlock(&normal, &wrong) == 0);
  CHECK(pthread_mutex_unlock(&normal) == 0);

  other = of(PTHREAD_MUTEX_RECURSIVE);
  for (int i = 0; i < 3; i++) CHECK(pthread_mutex_lock(&other) == 0);
  CHECK(pthread_mutex_trylock(&other) == 0);
  CHECK(elsewhere(try, &other) == EBUSY);
  CHECK(elsewhere(unlock, &other) == EPERM);
  /* Waiting for a condition gives it back altogether. */
  CHECK(pthread_create(&thread, 0, signal_twice, &other) == 0);
  CHECK(pthread_cond_wait(&condition, &other) == 0);
  join(thread);
  CHECK(pthread_create(&thread, 0, wait_long, &other) == 0);
  pause_for(2);
  for (int i = 0; i < 3; i++) CHECK(pthread_mutex_unlock(&other) == 0);
  CHECK(elsewhere(try, &other) == EBUSY);
  CHECK(pthread_mutex_unlock(&other) == 0);
  join(thread);
  CHECK(pthread_mutex_unlock(&other) == EPERM);
  CHECK(pthread_mutex_destroy(&other) == 0);

  third = of(PTHREAD_MUTEX_ERRORCHECK);
  CHECK(pthread_mutex_unlock(&third) == EPERM);
  CHECK(pthread_mutex_lock(&third) == 0);
  CHECK(pthread_mutex_lock(&third) == EDEADLK);
  CHECK(pthread_mutex_trylock(&third) == EBUSY);
  CHECK(elsewhere(unlock, &third) == EPERM);
  CHECK(pthread_create(&thread, 0, wait_long, &third) == 0);
  pause_for(2);
  /* Also while another thread waits. */
  CHECK(pthread_mutex_lock(&third) == EDEADLK);
  CHECK(elsewhere(unlock, &third) == EPERM);
  CHECK(pthread_mutex_unlock(&third) == 0);
  join(thread);

  /* Two threads wait for each other until one gives up. */
  other = of(PTHREAD_MUTEX_NORMAL);
  CHECK(pthread_mutex_lock(&normal) == 0);
  CHECK(pthread_create(&thread, 0, wait_short, 0) == 0);
  pause_for(5);
  CHECK(pthread_mutex_lock(&other) == 0);
  CHECK(pthread_mutex_unlock(&other) == 0);
  join(thread);
  return 0;
}
