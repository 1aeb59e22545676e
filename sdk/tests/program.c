/* What a C program sees of the library. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <limits.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(pthread_t) == 4 && (pthread_t) -1 > 0, "pthread_t");
_Static_assert(sizeof(pthread_mutex_t) == 12 && _Alignof(pthread_mutex_t) == 4, "mutex");
_Static_assert(sizeof(pthread_cond_t) == 8, "condition variable");
_Static_assert(sizeof(sem_t) == 8, "semaphore");
_Static_assert(sizeof(pthread_rwlock_t) == 24, "read-write lock");
_Static_assert(sizeof(pthread_barrier_t) == 24, "barrier");
_Static_assert(sizeof(pthread_once_t) == 8, "once");
_Static_assert(sizeof(pthread_spinlock_t) == 4, "spin lock");
_Static_assert(sizeof(pthread_key_t) == 4, "key");
_Static_assert(sizeof(pthread_mutexattr_t) == 4 && sizeof(pthread_condattr_t) == 4 &&
                 sizeof(pthread_rwlockattr_t) == 4 && sizeof(pthread_barrierattr_t) == 4,
               "attributes");
_Static_assert(sizeof(sigset_t) == 8 && SIGRTMAX - SIGRTMIN + 1 == RTSIG_MAX, "signals");
_Static_assert(sizeof(time_t) == 8 && sizeof(struct timespec) == 16, "time");

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread int mine = 41;
static _Atomic unsigned char small[4] = { 1, 2, 3, 255 };
static sigjmp_buf back;

static void *body(void *argument) {
  pthread_cleanup_push(free, malloc(4));
  pthread_mutex_lock(&mutex);
  ++*(int *) argument;
  pthread_mutex_unlock(&mutex);
  pthread_cleanup_pop(1);
  return argument;
}

int main(void) {
  pthread_t thread;
  int count = 0;
  char text[100];
  struct timespec now;
  sigset_t set;
  if (pthread_create(&thread, NULL, body, &count) || pthread_join(thread, NULL)) return 1;
  clock_gettime(CLOCK_MONOTONIC, &now);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (sigsetjmp(back, 1) == 0) siglongjmp(back, 1);
  mine++;
  /* One byte of a word, and no other. */
  if (atomic_fetch_add(&small[3], 2) != 255 || atomic_exchange(&small[1], 9) != 2) return 2;
  if (small[0] != 1 || small[1] != 9 || small[2] != 3 || small[3] != 1) return 3;
  snprintf(text, sizeof text, "%zu %d %s %lld %.3f %jd %d", sizeof mutex, count, "x", 1LL << 40,
           0.5, (intmax_t) 7, mine);
  puts(text);
  return strcmp(text, "12 1 x 1099511627776 0.500 7 42") != 0;
}
