/* policies: fp-rr rr edf ipi */
/* Threads with periods and deadlines, and what each policy takes. */
#include "check.h"
#include <errno.h>
#include <flyball.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>

FLYBALL_THREADS(8);

static sem_t done;

/* Its name, without what says that it is for all CPUs. */
static const char *policy(void) {
  const char *name = flyball_policy();
  return strncmp(name, "g-", 2) ? name : name + 2;
}

static void compute(uint64_t length) {
  uint64_t now, start;
  flyball_cpu_time(pthread_self(), &start);
  do {
    /* What the kernel takes counts for no thread on RISC-V, so it is asked now and then. */
    for (volatile int i = 0; i < (sizeof(long) == 8 ? 1000 : 0);) i++;
    flyball_cpu_time(pthread_self(), &now);
  } while (now - start < length);
}

struct job {
  uint64_t length;
  int times;
};

static void *work(void *argument) {
  const struct job *job = argument;
  for (int i = 0; i < job->times; i++) {
    compute(job->length);
    flyball_wait_next();
  }
  sem_post(&done);
  return 0;
}

static pthread_t periodic(struct job *job, uint64_t period, uint64_t start) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  CHECK(flyball_attr_setperiod(&attributes, 0) == EINVAL);
  CHECK(!flyball_attr_setperiod(&attributes, period));
  CHECK(!flyball_attr_setexecutiontime(&attributes, job->length));
  CHECK(!flyball_attr_setstart(&attributes, start));
  CHECK(!pthread_create(&thread, &attributes, work, job));
  return thread;
}

/* A needs 29 of 50 ms, B 29 of 80 ms: more than fixed priorities hold, and less than the CPU. */
static void deadlines(void) {
  static struct job a = { FLYBALL_MS(29), 16 }, b = { FLYBALL_MS(29), 10 };
  uint64_t start = flyball_now() + FLYBALL_MS(20), misses = flyball_misses();
  pthread_t one = periodic(&a, FLYBALL_MS(50), start), other = periodic(&b, FLYBALL_MS(80), start);
  while (sem_wait(&done)) {}
  while (sem_wait(&done)) {}
  pthread_join(one, 0), pthread_join(other, 0);
  misses = flyball_misses() - misses;
  if (!strcmp(policy(), "edf")) CHECK(!misses);
  if (sysconf(_SC_NPROCESSORS_ONLN) > 1) CHECK(!misses);
  else if (!strcmp(policy(), "rr") || !strcmp(policy(), "dm")) CHECK(misses);
}

static void *nothing(void *argument) { return argument; }

static int created_with(pthread_attr_t *attributes) {
  pthread_t thread;
  int error = pthread_create(&thread, attributes, nothing, 0);
  if (!error) pthread_join(thread, 0);
  return error;
}

static void terms(void) {
  int has_shares = !strcmp(policy(), "ipi"), has_priorities = !strcmp(policy(), "fp-rr");
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK(created_with(&attributes) == 0);
  CHECK(flyball_attr_setshare(&attributes, 0) == EINVAL);
  CHECK(flyball_attr_setshare(&attributes, 1000001) == EINVAL);
  CHECK(!flyball_attr_setshare(&attributes, 200000));
  CHECK(created_with(&attributes) == (has_shares ? 0 : ENOTSUP));
  CHECK(flyball_adjust(pthread_self(), &attributes) == (has_shares ? 0 : ENOTSUP));
  pthread_attr_init(&attributes);
  CHECK(!flyball_attr_setimportance(&attributes, 7));
  CHECK(created_with(&attributes) == (has_shares ? 0 : ENOTSUP));

  struct sched_param parameters = { .sched_priority = 3 };
  pthread_mutexattr_t protocol;
  pthread_mutexattr_init(&protocol);
  CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) ==
        (has_priorities ? 0 : ENOTSUP));
  CHECK(sched_get_priority_max(SCHED_RR) == (has_priorities ? 32 : -1));
  CHECK(pthread_mutexattr_setprotocol(&protocol, PTHREAD_PRIO_PROTECT) ==
        (has_priorities || !strcmp(policy(), "edf") ? 0 : ENOTSUP));
  parameters.sched_priority = 0;
  CHECK(!pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameters));
}

static int jobs;

static void *handle(void *argument) {
  for (;;) {
    jobs++;
    if (jobs == 3) break;
    flyball_wait_next();
  }
  return argument;
}

static pthread_t sporadic;

static void interrupt(void) { flyball_release(sporadic); }

static void events(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK(!flyball_attr_setsporadic(&attributes, FLYBALL_MS(2)));
  CHECK(!pthread_create(&sporadic, &attributes, handle, 0));
  CHECK(!flyball_interrupt(flyball_timer_line(), interrupt));
  CHECK(flyball_interrupt(9999, interrupt) == ESRCH);
  for (int i = 0; i < 3; i++) {
    flyball_set_timer(FLYBALL_MS(1));
    flyball_sleep_until(flyball_now() + FLYBALL_MS(5));
    CHECK(jobs == i + 1);
  }
  pthread_join(sporadic, 0);
  CHECK(flyball_release(sporadic) == ESRCH);
  CHECK(flyball_release(pthread_self()) == EINVAL);
}

/* As many as there is room for, besides main. */
static void *sleeper(void *argument) {
  struct timespec time = { 1, 0 };
  nanosleep(&time, 0);
  return argument;
}

static void limit(void) {
  pthread_t thread[8];
  for (int i = 0; i < 7; i++) CHECK(!pthread_create(&thread[i], 0, sleeper, 0));
  CHECK(pthread_create(&thread[7], 0, sleeper, 0) == EAGAIN);
  for (int i = 0; i < 7; i++) CHECK(!pthread_join(thread[i], 0));
}

int main(void) {
  sem_init(&done, 0, 0);
  terms();
  events();
  limit();
  deadlines();
  return 0;
}
