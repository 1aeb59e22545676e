/* For sdk/package: three threads, which GDB looks at in `stop_here`. */
#include "check.h"
#include <semaphore.h>

static sem_t never;
static pthread_mutex_t locked = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline, noclone)) void deep(int level) {
  if (level) deep(level - 1);
  else sem_wait(&never);
  __asm__ volatile("");
}

static void *waiter(void *argument) {
  deep(3);
  return argument;
}

static void *locker(void *argument) {
  pthread_mutex_lock(&locked);
  return argument;
}

__attribute__((noinline)) void stop_here(void) { __asm__ volatile(""); }

int main(void) {
  pthread_t one, other;
  CHECK(!sem_init(&never, 0, 0) && !pthread_mutex_lock(&locked));
  CHECK(!pthread_create(&one, 0, waiter, 0) && !pthread_setname_np(one, "waiter"));
  pause_for(10);
  CHECK(!pthread_create(&other, 0, locker, 0));
  pause_for(50);
  stop_here();
  return 0;
}
