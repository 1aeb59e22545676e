/* Cancellation: of threads that wait, that run, and that do not want it; at any time; cleanup handlers. Also traced. */
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static pthread_t target;
static int cleaned;

static void clean(void *number) { cleaned = cleaned * 10 + (int) (long) number; }
static void unlock(void *locked) { CHECK(pthread_mutex_unlock(locked) == 0); }

static void *on_condition(void *unused) {
  (void) unused;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  pthread_cleanup_push(unlock, &mutex);
  for (;;) CHECK(pthread_cond_wait(&condition, &mutex) == 0);
  pthread_cleanup_pop(1);
  return 0;
}

static void *on_semaphore(void *unused) {
  (void) unused;
  pthread_cleanup_push(clean, (void *) 1);
  pthread_cleanup_push(clean, (void *) 2);
  pthread_cleanup_push(clean, (void *) 3);
  pthread_cleanup_pop(0);
  sem_wait(&semaphore);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return 0;
}

static void *asleep(void *unused) {
  (void) unused;
  sleep(1000);
  return 0;
}

static void *joining(void *unused) {
  (void) unused;
  pthread_join(target, 0);
  return 0;
}

static void *running(void *unused) {
  (void) unused;
  while (cleaned >= 0) pthread_testcancel();
  return 0;
}

static void *unwilling(void *unused) {
  int old;
  (void) unused;
  CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
  CHECK(old == PTHREAD_CANCEL_ENABLE);
  pause_for(20);
  pthread_testcancel();
  cleaned = 9;
  CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0);
  CHECK(old == PTHREAD_CANCEL_DISABLE);
  pthread_testcancel();
  cleaned = 10;
  return 0;
}

static volatile unsigned rounds;

static void *anywhere(void *unused) {
  int old;
  (void) unused;
  pthread_cleanup_push(clean, (void *) 7);
  CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0);
  CHECK(old == PTHREAD_CANCEL_DEFERRED);
  for (;; rounds++) continue;
  pthread_cleanup_pop(0);
  return 0;
}

/* One that waits for a mutex can be cancelled only if it can be anywhere. */
static void *locking(void *unused) {
  (void) unused;
  CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0) == 0);
  pthread_mutex_lock(&mutex);
  return 0;
}

static void *at_once(void *unused) {
  int old;
  (void) unused;
  CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0) == 0);
  CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0);
  pause_for(20);
  cleaned = 3;
  CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0);
  cleaned = 4;
  return 0;
}

static void *in_files(void *unused) {
  char text[4];
  (void) unused;
  int file = open("cancel.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(file >= 0 && write(file, "abcd", 4) == 4);
  while (cleaned >= 0) CHECK(lseek(file, 0, SEEK_SET) == 0 && read(file, text, 4) == 4);
  return 0;
}

static void cancel(void *(*what)(void *)) {
  pthread_t thread;
  CHECK(pthread_create(&thread, 0, what, 0) == 0);
  pause_for(5);
  CHECK(pthread_cancel(thread) == 0);
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK(pthread_cancel(thread) == ESRCH);
}

int main(void) {
  CHECK(sem_init(&semaphore, 0, 0) == 0);
  cancel(on_condition);
  CHECK(pthread_mutex_trylock(&mutex) == 0);
  cancel(on_semaphore);
  CHECK(cleaned == 21);
  cancel(asleep);
  cancel(running);
  cancel(unwilling);
  CHECK(cleaned == 9);
  cancel(in_files);
  cleaned = 0;
  CHECK(pthread_setschedparam(pthread_self(), SCHED_RR, &(struct sched_param) { 2 }) == 0);
  cancel(anywhere);
  CHECK(cleaned == 7 && rounds > 0);
  cancel(locking);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  cancel(at_once);
  CHECK(cleaned == 3 && pthread_setcanceltype(2, 0) == EINVAL);
  /* A thread whose joining is given up can be joined. */
  CHECK(pthread_create(&target, 0, asleep, 0) == 0);
  cancel(joining);
  CHECK(pthread_cancel(target) == 0);
  CHECK(join(target) == PTHREAD_CANCELED);
  /* Before it waits. */
  for (int i = 0; i < 20; i++) {
    CHECK(pthread_create(&target, 0, on_semaphore, 0) == 0);
    CHECK(pthread_cancel(target) == 0);
    CHECK(join(target) == PTHREAD_CANCELED);
  }
  return 0;
}
