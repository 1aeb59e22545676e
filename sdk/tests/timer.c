/* policies: fp-rr rr edf ipi */
/* Timers, by signals and by threads; alarm. */
#include "check.h"
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile int expired, code, value;
static sem_t semaphore;

static void tell(int number, siginfo_t *info, void *unused) {
  (void) unused;
  CHECK(info->si_signo == number);
  expired++;
  code = info->si_code;
  value = info->si_value.sival_int;
}

static void in_thread(union sigval value) {
  CHECK(value.sival_int == 77);
  CHECK(sem_post(&semaphore) == 0);
}

static struct itimerspec every(int first, int then) {
  return (struct itimerspec) { { then / 1000, then % 1000 * 1000000L },
                               { first / 1000, first % 1000 * 1000000L } };
}

/* Sleeps for so long even if signals come. */
static void sleep_for(int milliseconds) {
  struct timespec until = later(CLOCK_MONOTONIC, milliseconds);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0) == EINTR) continue;
}

static void by_signal(clockid_t clock) {
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 2,
                            .sigev_value.sival_int = 42 };
  struct itimerspec time = every(50, 25), now;
  sigset_t set;
  timer_t timer;
  expired = 0;
  CHECK(timer_create(clock, &event, &timer) == 0);
  CHECK(timer_gettime(timer, &now) == 0 && now.it_value.tv_sec == 0 && now.it_value.tv_nsec == 0);
  CHECK(timer_settime(timer, 0, &time, &now) == 0 && now.it_value.tv_nsec == 0);
  sleep_for(40);
  CHECK(expired == 0);
  CHECK(timer_gettime(timer, &now) == 0);
  CHECK(now.it_value.tv_nsec > 0 && now.it_value.tv_nsec <= 10000000);
  CHECK(now.it_interval.tv_nsec == 25000000);
  sleep_for(70);
  CHECK(expired == 3 && code == SI_TIMER && value == 42 && timer_getoverrun(timer) == 0);
  /* It expires while its signal is blocked: one signal, and the others are counted. */
  sigemptyset(&set), sigaddset(&set, SIGRTMIN + 2);
  CHECK(pthread_sigmask(SIG_BLOCK, &set, 0) == 0);
  sleep_for(100);
  CHECK(expired == 3 && pthread_sigmask(SIG_UNBLOCK, &set, 0) == 0);
  CHECK(expired == 4 && timer_getoverrun(timer) == 3);
  time = every(0, 0);
  CHECK(timer_settime(timer, 0, &time, &now) == 0 && now.it_interval.tv_nsec == 25000000);
  sleep_for(100);
  CHECK(expired == 4);
  /* At an instant, once; and at one that has passed. */
  time = every(0, 0);
  time.it_value = later(clock, 50);
  CHECK(timer_settime(timer, TIMER_ABSTIME, &time, 0) == 0);
  sleep_for(40);
  CHECK(expired == 4);
  sleep_for(100);
  CHECK(expired == 5);
  time.it_value = later(clock, -3);
  if (time.it_value.tv_nsec < 0) time.it_value.tv_nsec += 1000000000, time.it_value.tv_sec--;
  CHECK(timer_settime(timer, TIMER_ABSTIME, &time, 0) == 0);
  sleep_for(5);
  CHECK(expired == 6);
  time.it_value.tv_nsec = 1000000000;
  CHECK(timer_settime(timer, 0, &time, 0) == -1 && errno == EINVAL);
  /* Deleted while its signal is pending. */
  CHECK(pthread_sigmask(SIG_BLOCK, &set, 0) == 0);
  time = every(5, 0);
  CHECK(timer_settime(timer, 0, &time, 0) == 0);
  sleep_for(15);
  CHECK(sigpending(&set) == 0 && sigismember(&set, SIGRTMIN + 2) == 1);
  CHECK(timer_delete(timer) == 0);
  CHECK(sigpending(&set) == 0 && sigismember(&set, SIGRTMIN + 2) == 0);
  sigemptyset(&set), sigaddset(&set, SIGRTMIN + 2);
  CHECK(pthread_sigmask(SIG_UNBLOCK, &set, 0) == 0 && expired == 6);
  CHECK(timer_delete(timer) == -1 && errno == EINVAL);
  CHECK(timer_gettime(timer, &now) == -1 && errno == EINVAL);
}

static void by_thread(void) {
  struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = in_thread,
                            .sigev_value.sival_int = 77 };
  struct itimerspec time = every(10, 20);
  timer_t timer;
  CHECK(sem_init(&semaphore, 0, 0) == 0);
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  CHECK(timer_settime(timer, 0, &time, 0) == 0);
  for (int i = 0; i < 40; i++) CHECK(sem_wait(&semaphore) == 0);
  CHECK(timer_delete(timer) == 0);
  event.sigev_notify = 9;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == -1 && errno == EINVAL);
  event.sigev_notify = SIGEV_NONE;
  CHECK(timer_create(77, &event, &timer) == -1 && errno == EINVAL);
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  time = every(5, 0);
  CHECK(timer_settime(timer, 0, &time, 0) == 0);
  sleep_for(9);
  CHECK(timer_gettime(timer, &time) == 0 && time.it_value.tv_nsec == 0 && timer_delete(timer) == 0);
}

/* Many, of which each expires at its own time. */
static void many(void) {
  timer_t timers[50];
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 2 };
  expired = 0;
  for (int i = 0; i < 50; i++) {
    struct itimerspec time = every(100 + 10 * (49 * i % 50), 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timers[i]) == 0);
    CHECK(timer_settime(timers[i], 0, &time, 0) == 0);
  }
  sleep_for(700);
  CHECK(expired == 50);
  for (int i = 0; i < 50; i++) CHECK(timer_delete(timers[i]) == 0);
}

/* Also if the thread computes until then, and has no deadline that a policy could know. */
static void while_computing(clockid_t clock) {
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 2 };
  struct itimerspec time = every(10, 0);
  long long begun = shows(CLOCK_MONOTONIC);
  timer_t timer;
  expired = 0;
  CHECK(timer_create(clock, &event, &timer) == 0);
  CHECK(timer_settime(timer, 0, &time, 0) == 0);
  while (!expired) CHECK(shows(CLOCK_MONOTONIC) - begun < 500);
  CHECK(timer_delete(timer) == 0);
}

int main(void) {
  struct sigaction action = { .sa_sigaction = tell, .sa_flags = SA_SIGINFO };
  long long before;
  CHECK(sigaction(SIGRTMIN + 2, &action, 0) == 0 && sigaction(SIGALRM, &action, 0) == 0);
  by_signal(CLOCK_MONOTONIC);
  by_signal(CLOCK_REALTIME);
  by_thread();
  many();
  while_computing(CLOCK_MONOTONIC);
  while_computing(CLOCK_THREAD_CPUTIME_ID);
  expired = 0;
  CHECK(alarm(0) == 0 && alarm(5) == 0);
  before = shows(CLOCK_MONOTONIC);
  CHECK(alarm(1) == 5);
  CHECK(pause() == -1 && errno == EINTR && expired == 1);
  CHECK(shows(CLOCK_MONOTONIC) - before >= 1000 && shows(CLOCK_MONOTONIC) - before < 1050);
  /* sleep ends early. */
  CHECK(alarm(1) == 0 && sleep(3) == 2 && expired == 2);
  CHECK(alarm(2) == 0 && alarm(0) == 2);
  sleep_for(2100);
  CHECK(expired == 2);
  return 0;
}
