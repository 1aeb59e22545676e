/* Robust mutexes: a thread ends that has locked one. */
#include "check.h"
#include <errno.h>

static pthread_mutex_t mutex;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void init(int type, int protocol) {
  pthread_mutexattr_t attributes;
  int is = -1;
  CHECK(pthread_mutexattr_init(&attributes) == 0);
  CHECK(pthread_mutexattr_getrobust(&attributes, &is) == 0 && is == PTHREAD_MUTEX_STALLED);
  CHECK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
  CHECK(pthread_mutexattr_getrobust(&attributes, &is) == 0 && is == PTHREAD_MUTEX_ROBUST);
  CHECK(pthread_mutexattr_setrobust(&attributes, 2) == EINVAL);
  CHECK(pthread_mutexattr_settype(&attributes, type) == 0);
  CHECK(pthread_mutexattr_setprotocol(&attributes, protocol) == 0);
  CHECK(pthread_mutex_init(&mutex, &attributes) == 0);
}

static void *locks(void *times) {
  for (long i = (long) times; i > 0; i--) CHECK(pthread_mutex_lock(&mutex) == 0);
  pause_for(5);
  return 0;
}

static void *waits(void *unused) {
  (void) unused;
  return (void *) (long) pthread_mutex_lock(&mutex);
}

static void *for_condition(void *unused) {
  int result;
  (void) unused;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  result = pthread_cond_wait(&condition, &mutex);
  CHECK(result == EOWNERDEAD && pthread_mutex_consistent(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return 0;
}

static pthread_t begin(void *(*what)(void *), long argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, 0, what, (void *) argument) == 0);
  return thread;
}

static void try(int type, int protocol) {
  long times = type == PTHREAD_MUTEX_RECURSIVE ? 3 : 1;
  pthread_t thread;
  init(type, protocol);
  CHECK(pthread_mutex_consistent(&mutex) == EINVAL);
  CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == EPERM);
  /* It ends before another one locks; it ends while another one waits. */
  thread = begin(locks, times);
  join(thread);
  CHECK(pthread_mutex_trylock(&mutex) == EOWNERDEAD);
  CHECK(pthread_mutex_consistent(&mutex) == 0 && pthread_mutex_consistent(&mutex) == EINVAL);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  thread = begin(locks, times);
  pause_for(1);
  CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
  CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD);
  join(thread);
  CHECK(pthread_mutex_consistent(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
  /* While it waits for a condition. */
  pthread_t other = begin(for_condition, 0);
  pause_for(1);
  thread = begin(locks, times);
  pause_for(1);
  CHECK(pthread_cond_signal(&condition) == 0);
  join(thread);
  join(other);
  /* The next owner dies, too; then it is not made consistent, and is lost, for others that wait as well. */
  join(begin(locks, times));
  CHECK(join(begin(waits, 0)) == (void *) EOWNERDEAD);
  CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD);
  thread = begin(waits, 0);
  pause_for(1);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  CHECK(join(thread) == (void *) ENOTRECOVERABLE);
  CHECK(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
  CHECK(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
  CHECK(pthread_mutex_consistent(&mutex) == EINVAL);
  CHECK(pthread_mutex_destroy(&mutex) == 0);
}

int main(void) {
  CHECK(pthread_setschedparam(pthread_self(), SCHED_RR, &(struct sched_param) { 4 }) == 0);
  for (int type = PTHREAD_MUTEX_NORMAL; type <= PTHREAD_MUTEX_ERRORCHECK; type++)
    for (int protocol = PTHREAD_PRIO_NONE; protocol <= PTHREAD_PRIO_PROTECT; protocol++)
      try(type, protocol);
  /* One that is not robust stays locked. */
  CHECK(pthread_mutex_init(&mutex, 0) == 0);
  join(begin(locks, 1));
  CHECK(pthread_mutex_trylock(&mutex) == EBUSY && pthread_mutex_destroy(&mutex) == EBUSY);
  return 0;
}
