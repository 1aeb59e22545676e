/* Signals at any moment, to threads that use the kernel, files, the heap and each other. */
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, checking;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t posted, timed;
static volatile int stop;
static volatile unsigned handled, rounds[6];
static unsigned sum, turns;

/* All of this may be done in a handler. */
static void disturb(int number) {
  struct timespec now;
  sigset_t set;
  int error = 77;
  __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
  CHECK(sem_post(&posted) == 0 && clock_gettime(CLOCK_REALTIME, &now) == 0);
  CHECK(pthread_sigmask(SIG_BLOCK, 0, &set) == 0 && sigismember(&set, number) == 1);
  CHECK(pthread_kill(pthread_self(), 0) == 0 && write(99, "", 1) == -1);
  errno = error;
}

static void *locks(void *unused) {
  (void) unused;
  while (!stop) {
    CHECK(pthread_mutex_lock(&mutex) == 0);
    sum += 1;
    CHECK(pthread_cond_signal(&condition) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_lock(&checking) == 0 && pthread_mutex_lock(&checking) == EDEADLK);
    CHECK(pthread_mutex_unlock(&checking) == 0 && pthread_mutex_unlock(&checking) == EPERM);
    rounds[0]++;
  }
  return 0;
}

static void *waits(void *unused) {
  (void) unused;
  while (!stop) {
    struct timespec until = later(CLOCK_REALTIME, 3);
    int result;
    CHECK(pthread_mutex_lock(&mutex) == 0);
    result = pthread_cond_timedwait(&condition, &mutex, &until);
    CHECK(result == 0 || result == ETIMEDOUT);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    rounds[1]++;
  }
  return 0;
}

/* Nothing posts it, so each wait takes as long as it is to. */
static void *times_out(void *unused) {
  (void) unused;
  while (!stop) {
    struct timespec until = later(CLOCK_REALTIME, 2);
    int result;
    do
      result = sem_timedwait(&timed, &until);
    while (result && errno == EINTR);
    CHECK(result == -1 && errno == ETIMEDOUT);
    rounds[2]++;
  }
  return 0;
}

static void *writes(void *unused) {
  int file = open("storm.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
  (void) unused;
  CHECK(file >= 0);
  while (!stop) {
    char text[32], again[32] = "";
    int size = sprintf(text, "%u rounds", rounds[3]);
    char *block = malloc(size + 1);
    CHECK(block && lseek(file, 0, SEEK_SET) == 0);
    memcpy(block, text, size + 1);
    CHECK(write(file, block, size) == size && lseek(file, 0, SEEK_SET) == 0);
    CHECK(read(file, again, size) == size && strcmp(again, block) == 0);
    free(block);
    rounds[3]++;
  }
  CHECK(close(file) == 0);
  return 0;
}

static void *ends(void *argument) {
  CHECK(pthread_rwlock_rdlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
  return argument;
}

static void *creates(void *unused) {
  (void) unused;
  while (!stop) {
    pthread_t thread;
    CHECK(pthread_create(&thread, 0, ends, &posted) == 0);
    CHECK(pthread_rwlock_wrlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
    CHECK(join(thread) == &posted);
    rounds[4]++;
  }
  return 0;
}

static void *meets(void *unused) {
  (void) unused;
  while (!stop) {
    int result = pthread_barrier_wait(&barrier);
    CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    CHECK(pthread_rwlock_wrlock(&lock) == 0);
    turns++;
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    rounds[5]++;
  }
  return 0;
}

int main(void) {
  void *(*const all[])(void *) = { locks, waits, times_out, writes, creates, meets, meets };
  enum { COUNT = sizeof all / sizeof *all, SIGNALS = 1500 };
  struct sigaction action = { .sa_handler = disturb };
  pthread_mutexattr_t attributes;
  pthread_t threads[COUNT];
  unsigned seed = 1, sent = 0, got = 0;
  CHECK(pthread_mutexattr_init(&attributes) == 0);
  CHECK(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK) == 0);
  CHECK(pthread_mutex_init(&checking, &attributes) == 0);
  CHECK(pthread_barrier_init(&barrier, 0, 2) == 0);
  CHECK(sem_init(&posted, 0, 0) == 0 && sem_init(&timed, 0, 0) == 0);
  CHECK(sigaction(SIGUSR1, &action, 0) == 0);
  action.sa_flags = SA_RESTART;
  CHECK(sigaction(SIGUSR2, &action, 0) == 0);
  CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &(struct sched_param) { 9 }) == 0);
  for (int i = 0; i < COUNT; i++) threads[i] = make(SCHED_RR, 3, all[i], 0);
  while (sent < SIGNALS) {
    struct timespec time = { 0, 5000000 + (seed >> 8) % 30000000 };
    CHECK(nanosleep(&time, 0) == 0);
    seed = seed * 1664525 + 1013904223;
    sent++;
    CHECK(pthread_kill(threads[(seed >> 16) % COUNT], seed >> 30 ? SIGUSR1 : SIGUSR2) == 0);
  }
  pause_for(200);
  stop = 1;
  /* Of the two that meet one may have seen the end, and the other waits for ever. */
  for (int i = 0; i < COUNT - 2; i++) CHECK(join(threads[i]) == 0);
  while (sem_trywait(&posted) == 0) got++;
  printf("%u sent, %u handled, %u posts; %u %u %u %u %u %u rounds\n", sent, handled, got, rounds[0], rounds[1],
         rounds[2], rounds[3], rounds[4], rounds[5]);
  CHECK(got == handled && handled > SIGNALS / 2 && handled <= SIGNALS);
  CHECK(sum == rounds[0]);
  for (int i = 0; i < 6; i++) CHECK(rounds[i] > 20);
  return 0;
}
