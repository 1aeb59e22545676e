/* policies: fp-rr fp-rr-small rr edf ipi */
/* Semaphores: counts, time-outs, errors, a ring of a producer and a consumer. */
#include "check.h"
#include <errno.h>
#include <limits.h>
#include <semaphore.h>

enum { ROOM = 4, ITEMS = 200 };
static sem_t free_places, items;
static int ring[ROOM];

static void *produce(void *unused) {
  (void) unused;
  for (int i = 0; i < ITEMS; i++) {
    CHECK(sem_wait(&free_places) == 0);
    ring[i % ROOM] = i;
    CHECK(sem_post(&items) == 0);
  }
  return 0;
}

int main(void) {
  sem_t semaphore;
  pthread_t thread;
  struct timespec until;
  int value;
  CHECK(sem_init(&semaphore, 0, SEM_VALUE_MAX + 1U) == -1 && errno == EINVAL);
  CHECK(sem_init(&semaphore, 0, SEM_VALUE_MAX) == 0);
  CHECK(sem_post(&semaphore) == -1 && errno == EOVERFLOW);
  CHECK(sem_init(&semaphore, 0, 2) == 0);
  CHECK(sem_wait(&semaphore) == 0);
  CHECK(sem_trywait(&semaphore) == 0);
  CHECK(sem_getvalue(&semaphore, &value) == 0 && value == 0);
  CHECK(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
  long long start = shows(CLOCK_MONOTONIC);
  until = later(CLOCK_REALTIME, 20);
  CHECK(sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);
  until = later(CLOCK_MONOTONIC, 20);
  CHECK(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until) == -1 && errno == ETIMEDOUT);
  CHECK(shows(CLOCK_MONOTONIC) >= start + 40);
  until.tv_nsec = -1;
  CHECK(sem_timedwait(&semaphore, &until) == -1 && errno == EINVAL);
  CHECK(sem_destroy(&semaphore) == 0);

  CHECK(sem_open("/none", 0) == SEM_FAILED && errno == ENOENT);
  sem_t *named = sem_open("/one", O_CREAT | O_EXCL, 0600, 1);
  CHECK(named != SEM_FAILED);
  CHECK(sem_open("/one", O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
  CHECK(sem_open("/one", 0) == named && sem_open("/one", O_CREAT, 0600, 7) == named);
  CHECK(sem_wait(named) == 0 && sem_trywait(named) == -1 && errno == EAGAIN);
  CHECK(sem_close(named) == 0 && sem_close(named) == 0);
  CHECK(sem_unlink("/one") == 0);
  CHECK(sem_unlink("/one") == -1 && errno == ENOENT);
  CHECK(sem_post(named) == 0 && sem_wait(named) == 0);
  sem_t *again = sem_open("/one", O_CREAT, 0600, 3);
  CHECK(again != named && sem_getvalue(again, &value) == 0 && value == 3);
  CHECK(sem_close(named) == 0 && sem_close(again) == 0 && sem_unlink("/one") == 0);

  CHECK(sem_init(&free_places, 0, ROOM) == 0);
  CHECK(sem_init(&items, 0, 0) == 0);
  CHECK(pthread_create(&thread, 0, produce, 0) == 0);
  for (int i = 0; i < ITEMS; i++) {
    CHECK(sem_wait(&items) == 0);
    CHECK(ring[i % ROOM] == i);
    CHECK(sem_post(&free_places) == 0);
  }
  join(thread);
  return 0;
}
