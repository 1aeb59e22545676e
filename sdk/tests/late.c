/* policies: fp-rr edf rr ipi */
/* A late job cancels its thread. */
#include "check.h"
#include <errno.h>
#include <flyball.h>
#include <semaphore.h>
#include <string.h>

FLYBALL_THREADS(8);

#define DEADLINE 10 /* in milliseconds, of every job here */

static volatile int cleaned, stop;
static volatile uint64_t ended;
static sem_t never;

static void clean_up(void *argument) {
  cleaned++;
  ended = flyball_now();
  CHECK(argument == &cleaned);
}

/* Whether the policy lets the thread that cancels run at once, and the emulator does: it runs CPUs in turn, for long. */
static int has_urgency(void) {
  int has = strstr(flyball_policy(), "fp-rr") || strstr(flyball_policy(), "edf");
  return has && sysconf(_SC_NPROCESSORS_ONLN) == 1;
}

static pthread_t late(int what, int policy, void *(*body)(void *), void *argument) {
  pthread_attr_t attributes;
  struct sched_param parameters = { .sched_priority = sched_get_priority_max(policy) };
  pthread_t thread;
  pthread_attr_init(&attributes);
  if (parameters.sched_priority > 0) {
    CHECK(!pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED));
    CHECK(!pthread_attr_setschedpolicy(&attributes, policy));
    CHECK(!pthread_attr_setschedparam(&attributes, &parameters));
  }
  CHECK(!flyball_attr_setperiod(&attributes, FLYBALL_MS(50)));
  CHECK(!flyball_attr_setdeadline(&attributes, FLYBALL_MS(DEADLINE)));
  CHECK(!flyball_attr_setexecutiontime(&attributes, FLYBALL_MS(5)));
  CHECK(!flyball_attr_setlate(&attributes, what));
  CHECK(!pthread_create(&thread, &attributes, body, argument));
  return thread;
}

static void *result(pthread_t thread) {
  void *result;
  CHECK(!pthread_join(thread, &result));
  return result;
}

/* Waits too long: that ends at the deadline. */
static void *waits(void *argument) {
  pthread_cleanup_push(clean_up, (void *) &cleaned);
  while (sem_wait(&never)) {}
  pthread_cleanup_pop(0);
  return argument;
}

static void waiting(void) {
  uint64_t start = flyball_now(), misses = flyball_misses();
  cleaned = 0;
  CHECK(result(late(FLYBALL_CANCEL, SCHED_FIFO, waits, 0)) == PTHREAD_CANCELED);
  CHECK(cleaned == 1 && flyball_misses() == misses + 1);
  CHECK(ended - start >= FLYBALL_MS(DEADLINE) && ended - start < FLYBALL_MS(DEADLINE + 30));
}

static void spin(int milliseconds) {
  uint64_t end = flyball_now() + FLYBALL_MS(milliseconds);
  while (flyball_now() < end) {}
}

/* Computes too long, and ends when its job does: there is the next point of cancellation. */
static void *computes(void *argument) {
  pthread_cleanup_push(clean_up, (void *) &cleaned);
  for (;;) {
    spin(15);
    ended = flyball_now();
    flyball_wait_next();
  }
  pthread_cleanup_pop(0);
  return argument;
}

/* The same, and may be cancelled anywhere. */
static void *anywhere(void *argument) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
  pthread_cleanup_push(clean_up, (void *) &cleaned);
  while (!stop) {}
  pthread_cleanup_pop(0);
  return argument;
}

static void computing(void) {
  uint64_t start = flyball_now();
  cleaned = 0;
  CHECK(result(late(FLYBALL_CANCEL, SCHED_FIFO, computes, 0)) == PTHREAD_CANCELED);
  CHECK(cleaned == 1 && ended - start >= FLYBALL_MS(15));
  start = flyball_now();
  CHECK(result(late(FLYBALL_CANCEL, SCHED_FIFO, anywhere, 0)) == PTHREAD_CANCELED);
  CHECK(cleaned == 2 && ended - start >= FLYBALL_MS(DEADLINE));
  CHECK(!has_urgency() || ended - start < FLYBALL_MS(DEADLINE + 30));
}

/* Lets itself be cancelled only later. */
static void *disabled(void *argument) {
  CHECK(!pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0));
  pause_for(20);
  pthread_testcancel();
  *(int *) argument = 1;
  CHECK(!pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0));
  *(int *) argument = 2;
  pthread_testcancel();
  *(int *) argument = 3;
  return 0;
}

/* Is on time, although it waits: ten jobs. */
static void *punctual(void *argument) {
  for (int i = 0; i < 10; i++) {
    pause_for(2);
    ++*(int *) argument;
    CHECK(flyball_wait_next());
  }
  return argument;
}

/* Is late, which matters to nothing. */
static void *patient(void *argument) {
  pause_for(20);
  *(int *) argument = 1;
  return argument;
}

static void states(void) {
  int reached = 0, jobs = 0, done = 0;
  CHECK(result(late(FLYBALL_CANCEL, SCHED_FIFO, disabled, &reached)) == PTHREAD_CANCELED);
  CHECK(reached == 2);
  CHECK(result(late(FLYBALL_CANCEL, SCHED_FIFO, punctual, &jobs)) == &jobs && jobs == 10);
  CHECK(result(late(FLYBALL_CONTINUE, SCHED_FIFO, patient, &done)) == &done && done == 1);
}

/* One ends when it is late, and there is another one in its row before the first is joined, or cancelled. */
static void *ends_late(void *argument) {
  CHECK(!pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0));
  spin(DEADLINE + 2);
  return argument;
}

static void rows(void) {
  int reached = 0;
  for (int i = 0; i < 20; i++) {
    pthread_t one = late(FLYBALL_CANCEL, SCHED_FIFO, ends_late, &reached), other;
    pause_for(DEADLINE + 1 + i % 3);
    other = late(FLYBALL_CANCEL, SCHED_FIFO, punctual, &reached);
    CHECK(result(one) == &reached);
    CHECK(result(other) == &reached);
  }
  CHECK(reached == 200);
}

static void *body(void *argument) { return waits(argument); }

FLYBALL_THREAD(declared, .period = FLYBALL_MS(50), .deadline = FLYBALL_MS(DEADLINE),
               .execution_time = FLYBALL_MS(1), .late = FLYBALL_CANCEL);

static void said(void) {
  pthread_t thread;
  cleaned = 0;
  CHECK(!flyball_create(&thread, &declared, body, 0));
  CHECK(result(thread) == PTHREAD_CANCELED && cleaned == 1);
}

/* The thread that cancels is one of 8, main another one. */
static void *sleeper(void *argument) {
  pause_for(100);
  return argument;
}

static void limit(void) {
  pthread_t thread[7];
  for (int i = 0; i < 6; i++) CHECK(!pthread_create(&thread[i], 0, sleeper, 0));
  CHECK(pthread_create(&thread[6], 0, sleeper, 0) == EAGAIN);
  for (int i = 0; i < 6; i++) CHECK(!pthread_join(thread[i], 0));
}

/* There is no room for the thread that cancels. */
static void full(void) {
  pthread_attr_t attributes;
  pthread_t thread[7];
  pthread_attr_init(&attributes);
  CHECK(flyball_attr_setlate(&attributes, FLYBALL_CANCEL + 1) == EINVAL);
  CHECK(flyball_attr_setlate(&attributes, -1) == EINVAL);
  CHECK(!flyball_attr_setlate(&attributes, FLYBALL_CANCEL));
  CHECK(!flyball_attr_setperiod(&attributes, FLYBALL_MS(50)));
  for (int i = 0; i < 7; i++) CHECK(!pthread_create(&thread[i], 0, sleeper, 0));
  CHECK(pthread_create(&thread[0], &attributes, sleeper, 0) == EAGAIN);
  for (int i = 0; i < 7; i++) CHECK(!pthread_join(thread[i], 0));
}

int main(void) {
  sem_init(&never, 0, 0);
  full();
  waiting();
  computing();
  states();
  rows();
  said();
  limit();
  return 0;
}
