/* A stream belongs to a thread from flockfile on; posix_memalign; an unknown clock; a semaphore that is there is a point of cancellation. */
#include "check.h"

#include <errno.h>
#include <semaphore.h>
#include <stdint.h>

static void *try_stream(void *wanted) {
  int result = ftrylockfile(stdout);
  CHECK((result == 0) == (wanted != 0));
  if (result == 0) funlockfile(stdout);
  return 0;
}

static sem_t semaphore;

static void *wait_by_clock(void *unused) {
  struct timespec until = later(CLOCK_REALTIME, 1000);
  CHECK(pthread_cancel(pthread_self()) == 0);
  sem_timedwait(&semaphore, &until);
  return unused;
}

int main(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  void *memory = 0;
  pthread_t thread;
  struct timespec now = later(CLOCK_MONOTONIC, 0);

  flockfile(stdout);
  flockfile(stdout);
  funlockfile(stdout);
  CHECK(pthread_create(&thread, 0, try_stream, 0) == 0);
  join(thread);
  funlockfile(stdout);
  CHECK(pthread_create(&thread, 0, try_stream, &mutex) == 0);
  join(thread);

  CHECK(posix_memalign(&memory, 256, 100) == 0 && (uintptr_t) memory % 256 == 0);
  free(memory);
  CHECK(posix_memalign(&memory, 24, 100) == EINVAL);
  CHECK(posix_memalign(&memory, 64, (size_t) 1 << 30) == ENOMEM);

  /* Nothing is in the way, but these wait by no such clock. */
  CHECK(sem_init(&semaphore, 0, 1) == 0);
  CHECK(pthread_mutex_clocklock(&mutex, CLOCK_THREAD_CPUTIME_ID, &now) == EINVAL);
  CHECK(pthread_rwlock_clockrdlock(&lock, CLOCK_THREAD_CPUTIME_ID, &now) == EINVAL);
  CHECK(pthread_rwlock_clockwrlock(&lock, CLOCK_THREAD_CPUTIME_ID, &now) == EINVAL);
  CHECK(sem_clockwait(&semaphore, CLOCK_THREAD_CPUTIME_ID, &now) == -1 && errno == EINVAL);

  CHECK(pthread_create(&thread, 0, wait_by_clock, 0) == 0);
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK(sem_trywait(&semaphore) == 0);
  return 0;
}
