/* 255 threads, ten thousand mutexes, and twenty thousand threads one after another: nothing is
   lost of the heap. */
#include "check.h"
#include <errno.h>
#include <flyball.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>

enum { threads = 255, mutexes = 10000, times = 20000 };

FLYBALL_THREADS(threads + 1);

static pthread_mutex_t *mutex;
static int value[mutexes];
static pthread_barrier_t all;

static void *walk(void *argument) {
  unsigned at = (unsigned) (size_t) argument;
  pthread_barrier_wait(&all);
  for (int i = 0; i < 100; i++) {
    at = (at * 1103515245 + 12345) % mutexes;
    CHECK(!pthread_mutex_lock(&mutex[at]));
    int before = value[at];
    if (i % 10 == 0) sched_yield();
    value[at] = before + 1;
    CHECK(!pthread_mutex_unlock(&mutex[at]));
  }
  return 0;
}

static void *nothing(void *argument) { return argument; }

int main(void) {
  static pthread_t thread[threads];
  pthread_attr_t attributes;
  int sum = 0;
  pthread_attr_init(&attributes);
  CHECK(!pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN));
  CHECK(!pthread_barrier_init(&all, 0, threads + 1));
  mutex = calloc(mutexes, sizeof *mutex);
  CHECK(mutex);
  for (size_t i = 0; i < threads; i++)
    CHECK(!pthread_create(&thread[i], &attributes, walk, (void *) (i * 7919)));
  pthread_t more;
  CHECK(pthread_create(&more, &attributes, walk, 0) == EAGAIN);
  pthread_barrier_wait(&all);
  for (int i = 0; i < threads; i++) CHECK(!pthread_join(thread[i], 0));
  for (int i = 0; i < mutexes; i++) {
    sum += value[i];
    CHECK(!pthread_mutex_destroy(&mutex[i]));
  }
  CHECK(sum == threads * 100);
  free(mutex);

  size_t used = mallinfo().uordblks, heap = mallinfo().arena;
  for (int i = 0; i < times; i++) {
    void *result;
    CHECK(!pthread_create(&thread[0], &attributes, nothing, &sum));
    CHECK(!pthread_join(thread[0], &result) && result == &sum);
  }
  CHECK(mallinfo().uordblks == used && mallinfo().arena == heap);
  return 0;
}
