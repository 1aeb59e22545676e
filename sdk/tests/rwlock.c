/* Read-write locks, barriers, spin locks. */
#include "check.h"
#include <errno.h>

enum { THREADS = 6, ROUNDS = 20 };
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static int readers, writers, most, counter, serial;

static void *read_and_write(void *number) {
  for (int i = 0; i < ROUNDS; i++) {
    if ((i + (long) number) % 4 == 0) {
      CHECK(pthread_rwlock_wrlock(&lock) == 0);
      CHECK(readers == 0 && writers++ == 0);
      pause_for(1);
      CHECK(--writers == 0 && readers == 0);
    } else {
      CHECK(pthread_rwlock_rdlock(&lock) == 0);
      CHECK(writers == 0);
      if (__atomic_add_fetch(&readers, 1, __ATOMIC_RELAXED) > most) most = readers;
      pause_for(1);
      __atomic_sub_fetch(&readers, 1, __ATOMIC_RELAXED);
    }
    CHECK(pthread_rwlock_unlock(&lock) == 0);
  }
  return 0;
}

static void *meet(void *unused) {
  (void) unused;
  for (int i = 1; i <= ROUNDS; i++) {
    CHECK(pthread_spin_lock(&spin) == 0);
    counter++;
    CHECK(pthread_spin_unlock(&spin) == 0);
    int result = pthread_barrier_wait(&barrier);
    CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    if (result) serial++;
    CHECK(counter == i * THREADS);
    pthread_barrier_wait(&barrier);
  }
  return 0;
}

static void *try(void *unused) {
  struct timespec until = later(CLOCK_REALTIME, 10);
  (void) unused;
  CHECK(pthread_rwlock_tryrdlock(&lock) == EBUSY);
  CHECK(pthread_rwlock_trywrlock(&lock) == EBUSY);
  CHECK(pthread_rwlock_timedrdlock(&lock, &until) == ETIMEDOUT);
  until = later(CLOCK_MONOTONIC, 10);
  CHECK(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
  CHECK(pthread_rwlock_unlock(&lock) == EPERM);
  CHECK(pthread_spin_trylock(&spin) == EBUSY);
  CHECK(pthread_spin_unlock(&spin) == EPERM);
  return 0;
}

static void *writes(void *lock) {
  CHECK(pthread_rwlock_wrlock(lock) == 0 && pthread_rwlock_unlock(lock) == 0);
  return 0;
}

static void *tries_to_read(void *lock) {
  int result = pthread_rwlock_tryrdlock(lock);
  if (result == 0) CHECK(pthread_rwlock_unlock(lock) == 0);
  return (void *) (long) result;
}

/* While a thread reads and another one waits to write, one of SCHED_OTHER can read, and one of SCHED_FIFO not. */
static void beside_a_writer(void) {
  static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_t writer, reader;
  CHECK(pthread_rwlock_rdlock(&lock) == 0);
  CHECK(pthread_create(&writer, 0, writes, &lock) == 0);
  pause_for(5);
  CHECK(pthread_create(&reader, 0, tries_to_read, &lock) == 0 && join(reader) == 0);
  CHECK(join(make(SCHED_FIFO, 3, tries_to_read, &lock)) == (void *) EBUSY);
  CHECK(pthread_rwlock_unlock(&lock) == 0 && join(writer) == 0);
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], 0, read_and_write, (void *) i) == 0);
  for (int i = 0; i < THREADS; i++) join(threads[i]);
  CHECK(most > 1);

  CHECK(pthread_rwlock_rdlock(&lock) == 0);
  CHECK(pthread_rwlock_tryrdlock(&lock) == 0);
  CHECK(pthread_rwlock_trywrlock(&lock) == EBUSY);
  CHECK(pthread_rwlock_destroy(&lock) == EBUSY);
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  CHECK(pthread_rwlock_unlock(&lock) == EPERM);

  CHECK(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
  CHECK(pthread_spin_lock(&spin) == 0);
  CHECK(pthread_spin_lock(&spin) == EDEADLK);
  CHECK(pthread_rwlock_wrlock(&lock) == 0);
  CHECK(pthread_rwlock_wrlock(&lock) == EDEADLK);
  CHECK(pthread_create(&threads[0], 0, try, 0) == 0);
  join(threads[0]);
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  CHECK(pthread_rwlock_destroy(&lock) == 0);
  CHECK(pthread_spin_unlock(&spin) == 0);

  CHECK(pthread_barrier_init(&barrier, 0, 0) == EINVAL);
  CHECK(pthread_barrier_init(&barrier, 0, THREADS) == 0);
  for (int i = 0; i < THREADS; i++) threads[i] = make(SCHED_RR, 1 + i, meet, 0);
  for (int i = 0; i < THREADS; i++) join(threads[i]);
  CHECK(serial == ROUNDS);
  CHECK(pthread_barrier_destroy(&barrier) == 0);
  CHECK(pthread_spin_destroy(&spin) == 0);
  beside_a_writer();
  return 0;
}
