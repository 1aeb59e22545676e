/* Many threads of several priorities and one mutex; and an urgent thread that waits for a mutex of one
   which is not. */
#include "check.h"

enum { THREADS = 12, ROUNDS = 300 };
static pthread_mutex_t mutex;
static long shared, inside;
static volatile int spinning = 1, order, has_mutex;

static void *count(void *own) {
  for (int i = 0; i < ROUNDS; i++) {
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(inside++ == 0);
    shared++;
    if (i % 50 == 0) sched_yield();
    CHECK(--inside == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    ++*(long *) own;
    if (i % 16 == 0) pause_for(1);
  }
  return 0;
}

static void *low(void *unused) {
  (void) unused;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  has_mutex = 1;
  long long end = shows(CLOCK_MONOTONIC) + 60;
  while (shows(CLOCK_MONOTONIC) < end) {}
  has_mutex = 0;
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return 0;
}

static void *middle(void *unused) {
  (void) unused;
  while (spinning) {}
  return (void *) (long) ++order;
}

static void *high(void *unused) {
  (void) unused;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  spinning = 0;
  return (void *) (long) ++order;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_mutexattr_t attributes;
  long own[THREADS] = { 0 };
  CHECK(pthread_mutexattr_init(&attributes) == 0);
  CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
  CHECK(pthread_mutex_init(&mutex, &attributes) == 0);
  for (int i = 0; i < THREADS; i++)
    threads[i] = make(i % 2 ? SCHED_RR : SCHED_FIFO, 1 + i / 3, count, &own[i]);
  for (int i = 0; i < THREADS; i++) {
    join(threads[i]);
    CHECK(own[i] == ROUNDS);
  }
  CHECK(shared == THREADS * ROUNDS);

  use_one_cpu();
  /* Without priority inheritance the middle thread would keep the others from running for ever. */
  struct sched_param parameters = { .sched_priority = 20 };
  CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0);
  threads[0] = make(SCHED_FIFO, 2, low, 0);
  CHECK(!has_mutex);
  pause_for(5);
  CHECK(has_mutex);
  threads[1] = make(SCHED_FIFO, 10, high, 0);
  threads[2] = make(SCHED_FIFO, 5, middle, 0);
  pause_for(10);
  CHECK(has_mutex && spinning && order == 0);
  CHECK((long) join(threads[1]) == 1);
  CHECK((long) join(threads[2]) == 2);
  join(threads[0]);
  return 0;
}
