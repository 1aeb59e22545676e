/* policies: fp-rr rr */
/* Timers and waits for CPU time: of a thread, of another one, and of the program. */
#include "check.h"
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>

/* Milliseconds: what a timer may be late. CPU time is rounded up to one, and looked at no more often; the others are what
   the emulated board needs for that. With several CPUs one that computes goes on for some milliseconds before another
   one gets its turn. */
static int late = 6;

static volatile int expired, stop, runs;
static timer_t timer; /* of which the signal is */
static volatile long long shown;
static clockid_t watched;
static sem_t semaphore;

static void tell(int number) {
  (void) number;
  if (!expired) shown = shows(watched);
  expired += 1 + (timer ? timer_getoverrun(timer) : 0);
}

static void in_thread(union sigval value) {
  CHECK(value.sival_int == 5);
  shown = shows(watched);
  CHECK(sem_post(&semaphore) == 0);
}

static struct timespec of(int milliseconds) {
  return (struct timespec) { milliseconds / 1000, milliseconds % 1000 * 1000000L };
}

static struct itimerspec every(int first, int then) {
  return (struct itimerspec) { of(then), of(first) };
}

/* Milliseconds that are left. */
static int left(timer_t timer) {
  struct itimerspec time;
  CHECK(timer_gettime(timer, &time) == 0);
  return time.it_value.tv_sec * 1000 + (time.it_value.tv_nsec + 999999) / 1000000;
}

/* Sleeps for so long even if signals come. */
static void sleep_for(int milliseconds) {
  struct timespec until = later(CLOCK_MONOTONIC, milliseconds);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0) == EINTR) continue;
}

static void *compute(void *unused) {
  (void) unused;
  runs = 1;
  while (!stop) {}
  return 0;
}

static void make_timer(clockid_t clock) {
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
  CHECK(timer_create(clock, &event, &timer) == 0);
  expired = 0;
  watched = clock;
}

/* A thread that computes until stop; all threads of this program are equals. */
static pthread_t begin(clockid_t *clock) {
  pthread_t thread;
  stop = runs = 0;
  CHECK(pthread_create(&thread, 0, compute, 0) == 0);
  CHECK(pthread_getcpuclockid(thread, clock) == 0);
  while (!runs) sleep_for(1);
  return thread;
}

static void end(pthread_t thread) {
  stop = 1;
  join(thread);
}

static void clocks(void) {
  clockid_t clock, own;
  struct timespec time;
  CHECK(pthread_getcpuclockid(pthread_self(), &own) == 0 && clock_getcpuclockid(0, &clock) == 0);
  clockid_t all[] = { CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, clock, own };
  for (int i = 0; i < 4; i++) {
    CHECK(clock_getres(all[i], &time) == 0 && time.tv_sec == 0 && time.tv_nsec == 1000000);
    CHECK(clock_settime(all[i], &time) == -1 && errno == EPERM);
    time.tv_nsec = 1000000000;
    CHECK(clock_settime(all[i], &time) == -1 && errno == EINVAL);
  }
}

/* The timer of this thread's clock. */
static void of_this(void) {
  struct itimerspec time = every(20, 0), before;
  long long begin, wall;
  make_timer(CLOCK_THREAD_CPUTIME_ID);
  begin = shows(CLOCK_THREAD_CPUTIME_ID);
  CHECK(left(timer) == 0 && timer_settime(timer, 0, &time, 0) == 0);
  /* A thread that sleeps does not use it up. */
  sleep_for(100);
  CHECK(expired == 0 && left(timer) > 10 && left(timer) <= 21);
  wall = shows(CLOCK_MONOTONIC);
  while (!expired) CHECK(shows(CLOCK_MONOTONIC) < wall + 100);
  CHECK(shown >= begin + 20 && shown <= begin + 20 + late);
  CHECK(left(timer) == 0);
  /* Again and again; each is one, or counted. */
  time = every(10, 10);
  expired = 0;
  begin = shows(CLOCK_THREAD_CPUTIME_ID);
  CHECK(timer_settime(timer, 0, &time, &before) == 0 && before.it_value.tv_nsec == 0);
  while (shows(CLOCK_THREAD_CPUTIME_ID) < begin + 100 + late) {}
  CHECK(expired >= 10 && expired <= 10 + late / 10 + 1);
  sleep_for(50);
  CHECK(expired <= 10 + late / 10 + 1);
  /* Half a millisecond is one. */
  time = every(50, 0), time.it_interval.tv_nsec = 500000;
  CHECK(timer_settime(timer, 0, &time, 0) == 0 && timer_settime(timer, 0, &time, &before) == 0);
  CHECK(before.it_interval.tv_nsec == 1000000 && before.it_value.tv_nsec > 40000000);
  /* At what it shows; and what it has shown already. */
  time = every(0, 0);
  expired = 0;
  time.it_value = later(CLOCK_THREAD_CPUTIME_ID, 10);
  begin = shows(CLOCK_THREAD_CPUTIME_ID);
  CHECK(timer_settime(timer, TIMER_ABSTIME, &time, 0) == 0);
  while (!expired) {}
  CHECK(shown >= begin + 10 && shown <= begin + 11 + late);
  time = every(1, 0);
  expired = 0;
  CHECK(timer_settime(timer, TIMER_ABSTIME, &time, 0) == 0);
  sleep_for(5);
  CHECK(expired == 1 && timer_delete(timer) == 0);
}

/* That of a thread which computes. */
static void of_another(void) {
  struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = in_thread,
                            .sigev_value.sival_int = 5 };
  struct itimerspec time = every(30, 0);
  pthread_t thread = begin(&watched);
  timer_t other;
  long long before = shows(watched);
  CHECK(sem_init(&semaphore, 0, 0) == 0 && timer_create(watched, &event, &other) == 0);
  CHECK(timer_settime(other, 0, &time, 0) == 0);
  CHECK(sem_wait(&semaphore) == 0);
  CHECK(shown >= before + 30 && shown <= before + 31 + 2 * late);
  /* One that is set when the thread ends does not expire; and it cannot be set after that. */
  make_timer(watched);
  time = every(1000, 1);
  CHECK(timer_settime(timer, 0, &time, 0) == 0 && left(timer) > 900);
  end(thread);
  sleep_for(20);
  CHECK(left(timer) == 0 && expired == 0);
  CHECK(timer_settime(other, 0, &time, 0) == -1 && errno == EINVAL);
  CHECK(timer_settime(timer, 0, &time, 0) == -1 && errno == EINVAL);
  CHECK(timer_delete(other) == 0 && timer_delete(timer) == 0);
  CHECK(timer_create(watched, &event, &timer) == -1 && errno == EINVAL);
}

/* That of the program: two threads use it up, on several CPUs at the same time. */
static void of_all(int cpus) {
  struct itimerspec time = every(100, 0);
  clockid_t clock;
  pthread_t threads[2];
  long long wall, before, after;
  make_timer(CLOCK_PROCESS_CPUTIME_ID);
  CHECK(timer_settime(timer, 0, &time, 0) == 0);
  sleep_for(200);
  CHECK(expired == 0 && left(timer) > 50);
  threads[0] = begin(&clock), threads[1] = begin(&clock);
  wall = shows(CLOCK_MONOTONIC);
  before = shows(CLOCK_PROCESS_CPUTIME_ID);
  CHECK(timer_settime(timer, 0, &time, 0) == 0);
  after = shows(CLOCK_PROCESS_CPUTIME_ID);
  while (!expired) sleep_for(1);
  CHECK(shown >= before + 100 && shown <= after + 101 + cpus * late);
  CHECK((shows(CLOCK_MONOTONIC) - wall + 2) * cpus >= 100);
  end(threads[0]), end(threads[1]);
  CHECK(timer_delete(timer) == 0);
  timer = 0;
}

static void *wait_for(void *clock) {
  struct timespec time = of(100000);
  clock_nanosleep(*(clockid_t *) clock, 0, &time, 0);
  return 0;
}

static void *hit(void *thread) {
  sleep_for(20);
  CHECK(pthread_kill(*(pthread_t *) thread, SIGRTMIN) == 0);
  return 0;
}

static void *stop_soon(void *unused) {
  sleep_for(20);
  stop = 1;
  return unused;
}

static void sleeps(void) {
  struct timespec time = of(30), rest = of(0);
  clockid_t clock, own;
  pthread_t thread, other, self = pthread_self();
  long long before;
  CHECK(pthread_getcpuclockid(self, &own) == 0);
  CHECK(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &time, 0) == EINVAL);
  CHECK(clock_nanosleep(own, 0, &time, 0) == EINVAL);
  thread = begin(&clock);
  clockid_t all[] = { CLOCK_PROCESS_CPUTIME_ID, clock };
  for (int i = 0; i < 2; i++) {
    before = shows(all[i]);
    time = of(30);
    CHECK(clock_nanosleep(all[i], 0, &time, 0) == 0);
    CHECK(shows(all[i]) >= before + 30 && shows(all[i]) <= before + 31 + 2 * late);
    before = shows(all[i]);
    time = later(all[i], 30);
    CHECK(clock_nanosleep(all[i], TIMER_ABSTIME, &time, 0) == 0);
    CHECK(shows(all[i]) >= before + 30 && shows(all[i]) <= before + 31 + 2 * late);
    CHECK(clock_nanosleep(all[i], TIMER_ABSTIME, &time, 0) == 0);
    time.tv_nsec = -1;
    CHECK(clock_nanosleep(all[i], TIMER_ABSTIME, &time, 0) == EINVAL);
  }
  /* A handler ends it. */
  time = of(500), expired = 0, watched = CLOCK_MONOTONIC;
  CHECK(pthread_create(&other, 0, hit, &self) == 0);
  CHECK(clock_nanosleep(clock, 0, &time, &rest) == EINTR && expired == 1);
  CHECK(rest.tv_sec == 0 && rest.tv_nsec > 400000000 && rest.tv_nsec < 501000000);
  join(other);
  /* It can be cancelled. */
  CHECK(pthread_create(&other, 0, wait_for, &clock) == 0);
  sleep_for(5);
  CHECK(pthread_cancel(other) == 0 && join(other) == PTHREAD_CANCELED);
  /* The thread ends, of which it is the clock. */
  CHECK(pthread_create(&other, 0, stop_soon, 0) == 0);
  time = of(50000);
  CHECK(clock_nanosleep(clock, 0, &time, 0) == EINVAL);
  join(other), join(thread);
  CHECK(clock_nanosleep(clock, 0, &time, 0) == EINVAL);
}

int main(void) {
  struct sigaction action = { .sa_handler = tell };
  int cpus = sysconf(_SC_NPROCESSORS_ONLN);
  CHECK(sigaction(SIGRTMIN, &action, 0) == 0);
  if (cpus > 1) late = 25;
  clocks();
  of_this();
  of_another();
  of_all(cpus);
  sleeps();
  return 0;
}
