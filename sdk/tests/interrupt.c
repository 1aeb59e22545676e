/* What handlers of interrupts may call, and what they are refused. */
#include <errno.h>
#include <flyball.h>
#include <semaphore.h>
#include <signal.h>
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t posted, free_one;
static pthread_t main_thread;
static __thread int variable = 7;
static volatile int handled;

static void *run(void *argument) { return argument; }

/* As soon as something is wrong `wrong` says where: a handler cannot print. */
static volatile int wrong;
#define EXPECT(what)                            \
  do {                                          \
    if (!(what) && !wrong) wrong = __LINE__;    \
  } while (0)

static void handler(void) {
  pthread_t thread;
  struct timespec now;

  EXPECT(errno == 0);
  EXPECT(pthread_self() != main_thread && variable == 7);
  EXPECT(pthread_mutex_lock(&mutex) == EPERM);
  EXPECT(pthread_mutex_unlock(&mutex) == EPERM);
  EXPECT(pthread_mutex_lock(&recursive) == EPERM);
  EXPECT(pthread_cond_wait(&condition, &mutex) == EPERM);
  EXPECT(sem_wait(&free_one) == -1 && errno == EPERM);
  EXPECT(pthread_create(&thread, 0, run, 0) == EPERM);
  EXPECT(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
  EXPECT(pthread_cond_signal(&condition) == 0);
  EXPECT(sem_post(&posted) == 0);
  errno = 0;
  variable = 7;
  handled++;
}

/* Interrupts while `mutex` is in this state. */
static void interrupt(void) {
  int before = handled;
  errno = EDOM;
  variable = 8;
  flyball_set_timer(FLYBALL_US(100));
  while (handled == before) continue;
  CHECK(wrong == 0 || (printf("line %d\n", wrong), 0));
  CHECK(errno == EDOM && variable == 8);
  CHECK(sem_wait(&posted) == 0);
}

int main(void) {
  pthread_mutexattr_t attributes;
  main_thread = pthread_self();
  CHECK(pthread_mutexattr_init(&attributes) == 0);
  CHECK(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
  CHECK(pthread_mutex_init(&recursive, &attributes) == 0);
  CHECK(sem_init(&posted, 0, 0) == 0 && sem_init(&free_one, 0, 1) == 0);
  CHECK(flyball_interrupt(9999, handler) == ESRCH);
  CHECK(flyball_interrupt(flyball_timer_line(), handler) == 0);

  interrupt();
  /* Free mutexes have stayed free, and those of this thread its own. */
  CHECK(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_lock(&recursive) == 0);
  interrupt();
  CHECK(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&mutex) == 0);
  int count;
  CHECK(sem_getvalue(&free_one, &count) == 0 && count == 1);
}
