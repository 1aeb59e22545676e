/* Clocks, sleep, CPU time, policies and priorities. */
#include "check.h"
#include <errno.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int turns[3];

static void *compute(void *unused) {
  (void) unused;
  while (shows(CLOCK_THREAD_CPUTIME_ID) < 30) {}
  return 0;
}

static void *spin(void *number) {
  long long end = shows(CLOCK_MONOTONIC) + 30;
  while (shows(CLOCK_MONOTONIC) < end) turns[(long) number]++;
  return 0;
}

int main(void) {
  struct timespec time, until;
  struct timeval day;
  struct sched_param parameters;
  pthread_t threads[3];
  int policy;

  CHECK(clock_getres(CLOCK_MONOTONIC, &time) == 0 && time.tv_sec == 0 && time.tv_nsec < 1000000);
  CHECK(clock_gettime(77, &time) == -1 && errno == EINVAL);
  /* Later than this program was written. */
  CHECK(shows(CLOCK_REALTIME) > 1700000000LL * 1000);
  CHECK(gettimeofday(&day, 0) == 0 && day.tv_sec > 1700000000);
  long long start = shows(CLOCK_MONOTONIC);
  CHECK(usleep(20000) == 0);
  until = later(CLOCK_MONOTONIC, 20);
  CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0) == 0);
  CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0) == 0);
  long long end = shows(CLOCK_MONOTONIC);
  CHECK(end >= start + 40 && end < start + 60);
  time.tv_nsec = 1000000000;
  CHECK(nanosleep(&time, 0) == -1 && errno == EINVAL);
  CHECK(shows(CLOCK_THREAD_CPUTIME_ID) < 30);
  CHECK(shows(CLOCK_PROCESS_CPUTIME_ID) < 40);
  time.tv_sec = 1000, time.tv_nsec = 0;
  CHECK(clock_settime(CLOCK_MONOTONIC, &time) == -1 && errno == EINVAL);
  CHECK(clock_settime(CLOCK_REALTIME, &time) == 0);
  CHECK(shows(CLOCK_REALTIME) >= 1000000 && shows(CLOCK_REALTIME) < 1001000);
  until = later(CLOCK_REALTIME, 20);
  start = shows(CLOCK_MONOTONIC);
  CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, 0) == 0);
  end = shows(CLOCK_MONOTONIC);
  CHECK(end >= start + 20 && end < start + 30);
  CHECK(pthread_create(&threads[0], 0, compute, 0) == 0);
  join(threads[0]);
  CHECK(shows(CLOCK_MONOTONIC) >= end + 30);

  CHECK(sched_get_priority_max(SCHED_FIFO) - sched_get_priority_min(SCHED_FIFO) >= 31);
  CHECK(sched_get_priority_max(9) == -1 && errno == EINVAL);
  CHECK(sched_rr_get_interval(0, &time) == 0 && time.tv_sec == 0 && time.tv_nsec > 0);
  CHECK(pthread_getschedparam(pthread_self(), &policy, &parameters) == 0);
  CHECK(policy == SCHED_OTHER && parameters.sched_priority == 0);
  parameters.sched_priority = 33;
  CHECK(pthread_setschedparam(pthread_self(), SCHED_RR, &parameters) == EINVAL);
  /* POSIX has no policy of this number, and one of that. */
  CHECK(pthread_setschedparam(pthread_self(), 9, &parameters) == EINVAL);
  CHECK(pthread_setschedparam(pthread_self(), 4, &parameters) == ENOTSUP);
  parameters.sched_priority = 32;
  CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0);
  CHECK(pthread_getschedparam(pthread_self(), &policy, &parameters) == 0);
  CHECK(policy == SCHED_FIFO && parameters.sched_priority == 32);

  use_one_cpu();
  /* Equals take turns, but no thread of SCHED_FIFO lets another one run. */
  threads[0] = make(SCHED_RR, 4, spin, (void *) 0);
  threads[1] = make(SCHED_RR, 4, spin, (void *) 1);
  pause_for(15);
  CHECK(turns[0] > 10 && turns[1] > 10);
  join(threads[0]), join(threads[1]);
  turns[0] = turns[1] = 0;
  threads[0] = make(SCHED_FIFO, 4, spin, (void *) 0);
  threads[1] = make(SCHED_FIFO, 4, spin, (void *) 1);
  threads[2] = make(SCHED_FIFO, 5, spin, (void *) 2);
  pause_for(15);
  CHECK(turns[2] > 10 && turns[0] == 0 && turns[1] == 0);
  CHECK(pthread_setschedprio(threads[1], 6) == 0);
  pause_for(5);
  CHECK(turns[1] > 10 && turns[0] == 0);
  for (int i = 0; i < 3; i++) join(threads[i]);
  return 0;
}
