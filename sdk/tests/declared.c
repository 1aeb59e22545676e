/* What a program says of its threads in its image, and threads that are just that. Also traced; policies: fp-rr edf */
#include "check.h"

#include <errno.h>
#include <flyball.h>
#include <pthread.h>
#include <string.h>

FLYBALL_THREAD(ticker, .period = FLYBALL_MS(10), .deadline = FLYBALL_MS(8), .execution_time = FLYBALL_MS(1),
               .phase = FLYBALL_MS(30), .stack_size = 8192);
FLYBALL_THREAD(on_demand, .separation = FLYBALL_MS(2));
FLYBALL_THREAD(urgent, .period = FLYBALL_MS(5), .priority = 9);
FLYBALL_THREAD(fifteen_letters, .period = 1);
FLYBALL_THREAD(without_jobs, .execution_time = 1);
FLYBALL_THREAD(both, .period = 1, .separation = 1);
FLYBALL_THREAD(too_much, .period = 1, .share = 1000001);

static uint64_t first;
static int jobs;
static char name[16];

static void *tick(void *argument) {
  first = flyball_now();
  for (int count = 0; count < 3; count++) flyball_wait_next();
  pthread_getname_np(pthread_self(), name, sizeof name);
  return argument;
}

static void *count(void *argument) {
  for (;;) {
    jobs++;
    flyball_wait_next();
  }
  return argument;
}

static void *nothing(void *argument) { return argument; }

int main(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  size_t size;
  void *result;

  /* The first release is the phase after the thread's creation. */
  uint64_t begin = flyball_now();
  CHECK(flyball_create(&thread, &ticker, tick, &jobs) == 0);
  CHECK(pthread_join(thread, &result) == 0 && result == &jobs);
  CHECK(first >= begin + FLYBALL_MS(30) && first < begin + FLYBALL_MS(40));
  CHECK(flyball_now() >= begin + FLYBALL_MS(60));
  CHECK(strcmp(name, "ticker") == 0);

  /* Sporadic: a job for each release. */
  CHECK(flyball_create(&thread, &on_demand, count, 0) == 0);
  flyball_sleep_until(flyball_now() + FLYBALL_MS(10));
  CHECK(jobs == 0);
  CHECK(flyball_release(thread) == 0);
  flyball_sleep_until(flyball_now() + FLYBALL_MS(10));
  CHECK(jobs == 1);

  CHECK(flyball_attr_init_from(&attributes, &ticker) == 0);
  CHECK(pthread_attr_getstacksize(&attributes, &size) == 0 && size == 8192);

  /* The priority is that of SCHED_FIFO, where there is one. */
  int is_fixed = strcmp(flyball_policy(), "edf") != 0 && strcmp(flyball_policy(), "g-edf") != 0;
  CHECK(flyball_create(&thread, &urgent, nothing, 0) == (is_fixed ? 0 : ENOTSUP));
  if (is_fixed) CHECK(pthread_join(thread, 0) == 0);

  CHECK(flyball_create(&thread, &without_jobs, nothing, 0) == EINVAL);
  CHECK(flyball_create(&thread, &both, nothing, 0) == EINVAL);
  CHECK(flyball_attr_init_from(&attributes, &too_much) == EINVAL);
  CHECK(flyball_attr_init_from(&attributes, &fifteen_letters) == 0);
  return 0;
}
