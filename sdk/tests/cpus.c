/* Several CPUs, also in real time: threads run at the same time, and what they share stays whole. */
#include "check.h"
#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>

enum { THREADS = 8, ROUNDS = 400 };
static pthread_spinlock_t spin;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_key_t key;
static sem_t semaphore;
static long spun, written, locked;
static atomic_int met, destroyed, passed;
static _Thread_local long own;

/* Waits until as many threads run as there are CPUs. */
static void *meet(void *cpus) {
  met++;
  while (met < (long) cpus) {}
  return 0;
}

static void *work(void *number) {
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < ROUNDS; i++) {
    CHECK(pthread_spin_lock(&spin) == 0);
    spun++;
    CHECK(pthread_spin_unlock(&spin) == 0);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    locked++;
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    if (i % 4 == 0) {
      CHECK(pthread_rwlock_wrlock(&rwlock) == 0);
      written++;
    } else {
      CHECK(pthread_rwlock_rdlock(&rwlock) == 0);
    }
    CHECK(pthread_rwlock_unlock(&rwlock) == 0);
    own += (long) number;
    CHECK(own == (i + 1) * (long) number);
    if (i % 2) CHECK(sem_post(&semaphore) == 0);
    else while (sem_wait(&semaphore)) {}
    if (i % 16 == 0) pthread_barrier_wait(&barrier);
  }
  return 0;
}

static void destroy(void *value) { destroyed += (int) (long) value; }

static void give_back(void *unused) {
  (void) unused;
  CHECK(pthread_mutex_unlock(&mutex) == 0);
}

static void *wait_long(void *unused) {
  (void) unused;
  CHECK(pthread_setspecific(key, (void *) 1) == 0);
  CHECK(pthread_mutex_lock(&mutex) == 0);
  passed++;
  pthread_cleanup_push(give_back, 0);
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(1);
  return 0;
}

static void *end(void *unused) {
  CHECK(pthread_setspecific(key, (void *) 1) == 0);
  return unused;
}

/* Makes threads and waits for them, or does not. */
static void *make_others(void *unused) {
  pthread_t thread;
  for (int i = 0; i < 60; i++) {
    int error;
    while ((error = pthread_create(&thread, 0, end, 0)) == EAGAIN) pause_for(1);
    CHECK(error == 0);
    CHECK((i % 3 ? pthread_join(thread, 0) : pthread_detach(thread)) == 0);
  }
  return unused;
}

int main(int count, char **arguments) {
  long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  pthread_t threads[THREADS];
  CHECK(count == 2 && cpus == atoi(arguments[1]));
  for (long i = 0; i < cpus; i++) CHECK(pthread_create(&threads[i], 0, meet, (void *) cpus) == 0);
  for (long i = 0; i < cpus; i++) join(threads[i]);

  CHECK(pthread_spin_init(&spin, 0) == 0 && sem_init(&semaphore, 0, THREADS) == 0);
  CHECK(pthread_barrier_init(&barrier, 0, THREADS) == 0);
  for (long i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], 0, work, (void *) i) == 0);
  for (int i = 0; i < THREADS; i++) join(threads[i]);
  CHECK(spun == THREADS * ROUNDS && locked == spun && written == spun / 4);
  int value;
  CHECK(sem_getvalue(&semaphore, &value) == 0 && value == THREADS);
  CHECK(pthread_barrier_destroy(&barrier) == 0);

  CHECK(pthread_key_create(&key, destroy) == 0);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], 0, make_others, 0) == 0);
  for (int i = 0; i < THREADS; i++) join(threads[i]);
  while (destroyed < THREADS * 60) pause_for(1);

  destroyed = 0;
  for (int round = 0; round < 20; round++) {
    passed = 0;
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], 0, wait_long, 0) == 0);
    while (passed < THREADS / 2) sched_yield();
    for (int i = 0; i < THREADS; i++) CHECK(pthread_cancel(threads[i]) == 0);
    for (int i = 0; i < THREADS; i++) CHECK(join(threads[i]) == PTHREAD_CANCELED);
    CHECK(destroyed == (round + 1) * THREADS);
  }
  return 0;
}
