/* Mutexes with priority ceilings. */
#include "check.h"
#include <errno.h>

static pthread_mutex_t mutex, other;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static volatile int order, ran;

static void *middle(void *unused) {
  (void) unused;
  ran = ++order;
  return 0;
}

static void *too_urgent(void *unused) {
  (void) unused;
  CHECK(pthread_mutex_lock(&mutex) == EINVAL);
  CHECK(pthread_mutex_trylock(&mutex) == EINVAL);
  return 0;
}

static void *low(void *unused) {
  (void) unused;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  pthread_t thread = make(SCHED_FIFO, 10, middle, 0);
  CHECK(ran == 0);
  CHECK(pthread_mutex_lock(&other) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  /* The other one's ceiling is below the thread's priority. */
  CHECK(ran == 1);
  join(thread);
  ran = order = 0;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&other) == 0);
  thread = make(SCHED_FIFO, 10, middle, 0);
  CHECK(ran == 0);
  /* While it waits the thread is not raised, and afterwards it is. */
  struct timespec until = later(CLOCK_REALTIME, 5);
  CHECK(pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT);
  CHECK(ran == 1);
  join(thread);
  ran = 0;
  thread = make(SCHED_FIFO, 10, middle, 0);
  CHECK(ran == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  CHECK(ran == 2);
  join(thread);
  return 0;
}

/* So many of one ceiling, and no more; they are given back in the order in which they were locked. */
static void *many(void *attributes) {
  static pthread_mutex_t mutexes[256];
  for (int i = 0; i < 256; i++) CHECK(pthread_mutex_init(&mutexes[i], attributes) == 0);
  for (int i = 0; i < 255; i++) CHECK(pthread_mutex_lock(&mutexes[i]) == 0);
  CHECK(pthread_mutex_lock(&mutexes[255]) == EAGAIN && pthread_mutex_trylock(&mutexes[255]) == EAGAIN);
  for (int i = 0; i < 255; i++) {
    CHECK(i < 254 || pthread_mutex_lock(&mutexes[255]) == 0);
    CHECK(pthread_mutex_unlock(&mutexes[i]) == 0);
  }
  ran = order = 0;
  pthread_t thread = make(SCHED_FIFO, 10, middle, 0);
  CHECK(ran == 0);
  CHECK(pthread_mutex_unlock(&mutexes[255]) == 0);
  CHECK(ran == 1);
  join(thread);
  for (int i = 0; i < 256; i++) CHECK(pthread_mutex_destroy(&mutexes[i]) == 0);
  return 0;
}

static pthread_mutex_t deep;
static pthread_t waiter;

/* A thread whose priority has become too high meanwhile is not the owner when it comes back. */
static void *comes_back(void *unused) {
  (void) unused;
  CHECK(pthread_mutex_lock(&deep) == 0 && pthread_mutex_lock(&deep) == 0);
  CHECK(pthread_cond_wait(&condition, &deep) == EINVAL);
  CHECK(pthread_mutex_unlock(&deep) == EPERM);
  return 0;
}

/* The owner of a recursive mutex changes its ceiling, and goes on under the new one. */
static void *changes(void *unused) {
  int ceiling;
  (void) unused;
  waiter = make(SCHED_FIFO, 5, comes_back, 0);
  CHECK(pthread_setschedprio(waiter, 15) == 0);
  CHECK(pthread_cond_signal(&condition) == 0);
  join(waiter);
  CHECK(pthread_mutex_lock(&deep) == 0);
  CHECK(pthread_mutex_setprioceiling(&deep, 2, &ceiling) == EINVAL);
  CHECK(pthread_mutex_setprioceiling(&deep, 12, &ceiling) == 0 && ceiling == 10);
  ran = order = 0;
  pthread_t thread = make(SCHED_FIFO, 11, middle, 0);
  CHECK(ran == 0);
  CHECK(pthread_mutex_unlock(&deep) == 0);
  CHECK(ran == 1);
  CHECK(pthread_mutex_unlock(&deep) == EPERM);
  join(thread);
  return 0;
}

int main(void) {
  pthread_mutexattr_t attributes;
  int ceiling;
  struct sched_param parameters = { .sched_priority = 32 };
  use_one_cpu();
  CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0);
  CHECK(pthread_mutexattr_init(&attributes) == 0);
  CHECK(pthread_mutex_init(&mutex, &attributes) == 0);
  CHECK(pthread_mutex_getprioceiling(&mutex, &ceiling) == EINVAL);
  CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT) == 0);
  CHECK(pthread_mutexattr_setprioceiling(&attributes, 33) == EINVAL);
  CHECK(pthread_mutexattr_setprioceiling(&attributes, 5) == 0);
  CHECK(pthread_mutexattr_getprioceiling(&attributes, &ceiling) == 0 && ceiling == 5);
  CHECK(pthread_mutex_init(&other, &attributes) == 0);
  CHECK(pthread_mutexattr_setprioceiling(&attributes, 32) == 0);
  CHECK(pthread_mutex_init(&mutex, &attributes) == 0);
  CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_mutex_lock(&other) == EINVAL);
  CHECK(pthread_mutex_destroy(&other) == 0);
  CHECK(pthread_mutex_setprioceiling(&mutex, 20, &ceiling) == 0 && ceiling == 32);
  CHECK(pthread_mutex_getprioceiling(&mutex, &ceiling) == 0 && ceiling == 20);
  join(make(SCHED_FIFO, 21, too_urgent, 0));
  join(make(SCHED_FIFO, 3, low, 0));
  CHECK(pthread_mutex_unlock(&mutex) == EPERM);
  join(make(SCHED_FIFO, 3, many, &attributes));
  CHECK(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
  CHECK(pthread_mutexattr_setprioceiling(&attributes, 10) == 0);
  CHECK(pthread_mutex_init(&deep, &attributes) == 0);
  join(make(SCHED_FIFO, 3, changes, 0));
  return 0;
}
