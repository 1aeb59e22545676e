/* Threads: their results, errors of wrong use, memory that is given back, stacks, names. Also traced. */
#include "check.h"
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *give_back(void *argument) { return argument; }

static void *exit_deep(void *argument) {
  pthread_exit(argument);
  return 0;
}

static void *wait(void *unused) {
  (void) unused;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return 0;
}

static void *self(void *unused) {
  (void) unused;
  return (void *) (long) pthread_self();
}

static void *where(void *unused) {
  volatile uintptr_t here;
  (void) unused;
  here = (uintptr_t) &here;
  return (void *) here;
}

static void clean(void *place) { *(int *) place = 1; }

static _Thread_local char own[120];

static void *sleep_long(void *cleaned) {
  own[0] = own[119] = 1;
  pthread_cleanup_push(clean, cleaned);
  pause_for(100000);
  pthread_cleanup_pop(0);
  return 0;
}

/* A stack of the least size is enough, wherever it begins: also for a thread that is cancelled, and has a variable of its
   own. Nothing of it is left. */
static void least(void) {
  static char memory[PTHREAD_STACK_MIN + 16];
  pthread_attr_t attributes, told;
  pthread_t thread;
  size_t size, before = 0;
  void *low;
  CHECK(pthread_attr_init(&attributes) == 0);
  for (int i = 0; i < 20; i++) {
    int cleaned = 0;
    if (i == 4) before = mallinfo().uordblks;
    CHECK(pthread_attr_setstack(&attributes, memory + i % 16, PTHREAD_STACK_MIN) == 0);
    CHECK(pthread_create(&thread, &attributes, sleep_long, &cleaned) == 0);
    pause_for(2);
    CHECK(pthread_getattr_np(thread, &told) == 0 && pthread_attr_getstack(&told, &low, &size) == 0);
    CHECK((char *) low >= memory + i % 16 && (char *) low < memory + i % 16 + 8);
    CHECK((char *) low + size <= memory + i % 16 + PTHREAD_STACK_MIN && size >= 2048);
    CHECK(pthread_cancel(thread) == 0 && join(thread) == PTHREAD_CANCELED && cleaned);
  }
  CHECK(mallinfo().uordblks == before && own[0] == 0);
  CHECK(pthread_attr_setstack(&attributes, memory, PTHREAD_STACK_MIN - 1) == EINVAL);
}

int main(void) {
  static char stack[8192] __attribute__((__aligned__(8)));
  pthread_t thread, threads[40];
  pthread_attr_t attributes;
  char name[16];
  size_t size;
  int made = 0;
  char *inside;

  CHECK(pthread_create(&thread, 0, give_back, &made) == 0);
  CHECK(join(thread) == &made);
  CHECK(pthread_join(thread, 0) == ESRCH);
  CHECK(pthread_detach(thread) == ESRCH);
  CHECK(pthread_setschedprio(thread, 3) == ESRCH);
  CHECK(pthread_create(&thread, 0, exit_deep, &made) == 0);
  CHECK(join(thread) == &made);
  CHECK(pthread_create(&thread, 0, self, 0) == 0);
  CHECK(pthread_equal((pthread_t) (long) join(thread), thread));
  CHECK(!pthread_equal(thread, pthread_self()));
  CHECK(pthread_join(pthread_self(), 0) == EDEADLK);

  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(pthread_create(&thread, 0, wait, 0) == 0);
  CHECK(pthread_setname_np(thread, "a name") == 0);
  CHECK(pthread_setname_np(thread, "sixteen letters.") == ERANGE);
  CHECK(pthread_getname_np(thread, name, sizeof name) == 0 && strcmp(name, "a name") == 0);
  CHECK(pthread_detach(thread) == 0);
  CHECK(pthread_detach(thread) == EINVAL);
  CHECK(pthread_join(thread, 0) == EINVAL);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  pause_for(5);
  CHECK(pthread_join(thread, 0) == ESRCH);

  /* As many as there is room for, and again. */
  for (int round = 0; round < 3; round++) {
    int error = 0;
    CHECK(pthread_mutex_lock(&mutex) == 0);
    for (made = 0; made < 40 && error == 0; made++)
      error = pthread_create(&threads[made], 0, wait, 0);
    CHECK(error == EAGAIN && made == 32);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    for (int i = 0; i < made - 1; i++) join(threads[i]);
  }

  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
  size_t before = 0;
  for (int i = 0; i < 50; i++) {
    if (i == 10) before = mallinfo().uordblks;
    CHECK(pthread_create(&thread, &attributes, give_back, 0) == 0);
    pause_for(2);
    CHECK(pthread_create(&thread, 0, give_back, 0) == 0);
    join(thread);
  }
  CHECK(mallinfo().uordblks == before);

  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstacksize(&attributes, 8) == EINVAL);
  CHECK(pthread_attr_getstacksize(&attributes, &size) == 0 && size >= 8192);
  CHECK(pthread_attr_setstack(&attributes, stack, sizeof stack) == 0);
  CHECK(pthread_create(&thread, &attributes, where, 0) == 0);
  inside = join(thread);
  CHECK(inside > stack && inside < stack + sizeof stack);
  least();
  return 0;
}
