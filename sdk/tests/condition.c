/* policies: fp-rr rr edf ipi */
/* Condition variables: signals, broadcasts, time-outs by two clocks, errors. */
#include "check.h"
#include <errno.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER, monotonic;
static int tokens, waiting;

static void *take(void *unused) {
  (void) unused;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  waiting++;
  while (tokens == 0) CHECK(pthread_cond_wait(&condition, &mutex) == 0);
  tokens--;
  waiting--;
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return 0;
}

static int remaining(void) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  int result = waiting;
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return result;
}

int main(void) {
  pthread_t threads[6];
  pthread_condattr_t attributes;
  pthread_mutexattr_t checks;
  pthread_mutex_t checking;
  struct timespec until, wrong = { 0, -1 };
  clockid_t clock;

  for (int i = 0; i < 6; i++) CHECK(pthread_create(&threads[i], 0, take, 0) == 0);
  pause_for(10);
  CHECK(remaining() == 6);
  CHECK(pthread_cond_destroy(&condition) == EBUSY);
  CHECK(pthread_mutex_lock(&mutex) == 0);
  tokens = 1;
  CHECK(pthread_cond_signal(&condition) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  pause_for(10);
  CHECK(remaining() == 5);
  CHECK(pthread_mutex_lock(&mutex) == 0);
  tokens = 5;
  CHECK(pthread_cond_broadcast(&condition) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  for (int i = 0; i < 6; i++) join(threads[i]);
  CHECK(tokens == 0 && waiting == 0);

  CHECK(pthread_condattr_init(&attributes) == 0);
  CHECK(pthread_condattr_getclock(&attributes, &clock) == 0 && clock == CLOCK_REALTIME);
  CHECK(pthread_condattr_setclock(&attributes, CLOCK_PROCESS_CPUTIME_ID) == EINVAL);
  CHECK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
  CHECK(pthread_condattr_getclock(&attributes, &clock) == 0 && clock == CLOCK_MONOTONIC);
  CHECK(pthread_cond_init(&monotonic, &attributes) == 0);

  CHECK(pthread_mutex_lock(&mutex) == 0);
  long long start = shows(CLOCK_MONOTONIC);
  until = later(CLOCK_REALTIME, 30);
  CHECK(pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT);
  CHECK(shows(CLOCK_MONOTONIC) >= start + 30);
  CHECK(pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT);
  until = later(CLOCK_MONOTONIC, 30);
  CHECK(pthread_cond_timedwait(&monotonic, &mutex, &until) == ETIMEDOUT);
  CHECK(shows(CLOCK_MONOTONIC) >= start + 60);
  until = later(CLOCK_MONOTONIC, 10);
  CHECK(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
  CHECK(pthread_cond_timedwait(&condition, &mutex, &wrong) == EINVAL);
  CHECK(shows(CLOCK_MONOTONIC) < start + 1000);
  CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
  CHECK(pthread_mutex_unlock(&mutex) == 0);

  /* A thread that waits owns the mutex. */
  CHECK(pthread_mutexattr_init(&checks) == 0);
  CHECK(pthread_mutexattr_settype(&checks, PTHREAD_MUTEX_ERRORCHECK) == 0);
  CHECK(pthread_mutex_init(&checking, &checks) == 0);
  CHECK(pthread_cond_wait(&condition, &checking) == EPERM);
  CHECK(pthread_cond_destroy(&condition) == 0);
  CHECK(pthread_cond_destroy(&monotonic) == 0);
  return 0;
}
