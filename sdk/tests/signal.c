/* Signals: handlers in threads that wait, run, and are preempted; what is blocked, queued, and waited for. */
#include "check.h"
#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile int handled, last, value;
static volatile pthread_t by;
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static volatile double noise = 1;

static void count(int number) {
  noise = noise * 1.5 + number;
  handled++;
  last = number;
  by = pthread_self();
  errno = EDOM;
}

static void tell(int number, siginfo_t *info, void *unused) {
  (void) unused;
  CHECK(info->si_signo == number);
  handled++;
  value = value * 10 + info->si_value.sival_int;
}

static void act(int number, void (*handler)(int), int flags) {
  struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
  CHECK(sigaction(number, &action, 0) == 0);
}

static sigset_t only(int number) {
  sigset_t set;
  CHECK(sigemptyset(&set) == 0 && sigaddset(&set, number) == 0);
  CHECK(sigismember(&set, number) == 1 && sigismember(&set, number ^ 1) == 0);
  return set;
}

static void basics(void) {
  struct sigaction old;
  sigset_t set = only(SIGUSR1), now;
  act(SIGUSR1, count, 0);
  CHECK(sigaction(SIGUSR1, 0, &old) == 0 && old.sa_handler == count);
  errno = 0;
  CHECK(raise(SIGUSR1) == 0 && handled == 1 && last == SIGUSR1 && errno == 0);
  CHECK(kill(getpid(), SIGUSR1) == 0 && handled == 2);
  CHECK(kill(getpid(), 0) == 0 && handled == 2);
  CHECK(pthread_kill(pthread_self(), SIGUSR1) == 0 && handled == 3);
  CHECK(kill(7, SIGUSR1) == -1 && errno == ESRCH);
  CHECK(kill(getpid(), 64) == -1 && errno == EINVAL);
  CHECK(pthread_kill(pthread_self(), 99) == EINVAL);
  CHECK(pthread_kill(0, SIGUSR1) == ESRCH);
  CHECK(sigaction(SIGKILL, &old, 0) == -1 && errno == EINVAL);
  CHECK(sigaction(SIGSTOP, &old, 0) == -1 && errno == EINVAL);
  /* Blocked: it is pending, once. */
  CHECK(pthread_sigmask(SIG_BLOCK, &set, 0) == 0);
  raise(SIGUSR1), raise(SIGUSR1), kill(getpid(), SIGUSR1);
  CHECK(handled == 3);
  CHECK(sigpending(&now) == 0 && sigismember(&now, SIGUSR1) && !sigismember(&now, SIGUSR2));
  CHECK(pthread_sigmask(SIG_UNBLOCK, &set, &now) == 0 && sigismember(&now, SIGUSR1));
  CHECK(handled == 5);
  CHECK(sigpending(&now) == 0 && !sigismember(&now, SIGUSR1));
  CHECK(pthread_sigmask(77, &set, 0) == EINVAL);
  /* Ignored, also while it is pending. */
  CHECK(pthread_sigmask(SIG_BLOCK, &set, 0) == 0);
  raise(SIGUSR1);
  CHECK(signal(SIGUSR1, SIG_IGN) == count);
  CHECK(sigpending(&now) == 0 && !sigismember(&now, SIGUSR1));
  CHECK(pthread_sigmask(SIG_UNBLOCK, &set, 0) == 0);
  CHECK(raise(SIGUSR1) == 0 && raise(SIGCHLD) == 0 && handled == 5);
  act(SIGUSR1, count, SA_RESETHAND);
  raise(SIGUSR1);
  CHECK(handled == 6 && sigaction(SIGUSR1, 0, &old) == 0 && old.sa_handler == SIG_DFL);
}

static volatile int depth, most;

static void again(int number) {
  if (++depth > most) most = depth;
  if (handled++ < 3) raise(number);
  depth--;
}

static void nesting(void) {
  handled = most = 0;
  act(SIGUSR2, again, 0);
  raise(SIGUSR2);
  CHECK(handled == 4 && most == 1);
  handled = most = 0;
  act(SIGUSR2, again, SA_NODEFER);
  raise(SIGUSR2);
  CHECK(handled == 4 && most == 4);
}

static void queues(void) {
  struct sigaction action = { .sa_sigaction = tell, .sa_flags = SA_SIGINFO };
  sigset_t set = only(SIGRTMIN + 1), all;
  siginfo_t info;
  int sent = 0;
  handled = value = 0;
  CHECK(sigaddset(&set, SIGRTMIN) == 0);
  /* Otherwise the handler of the lower number could be interrupted by the other one as soon as it begins. */
  action.sa_mask = set;
  CHECK(sigaction(SIGRTMIN, &action, 0) == 0 && sigaction(SIGRTMIN + 1, &action, 0) == 0);
  CHECK(sigprocmask(SIG_BLOCK, &set, 0) == 0);
  CHECK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval) { .sival_int = 4 }) == 0);
  for (int i = 1; i <= 3; i++)
    CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval) { .sival_int = i }) == 0);
  CHECK(handled == 0);
  CHECK(sigprocmask(SIG_UNBLOCK, &set, 0) == 0);
  CHECK(handled == 4 && value == 1234);
  /* Bounded. */
  CHECK(sigprocmask(SIG_BLOCK, &set, 0) == 0);
  while (sigqueue(getpid(), SIGRTMIN, (union sigval) { .sival_int = sent }) == 0) sent++;
  CHECK(errno == EAGAIN && sent == SIGQUEUE_MAX && sysconf(_SC_SIGQUEUE_MAX) == sent);
  for (int i = 0; i < sent; i++) {
    CHECK(sigwaitinfo(&set, &info) == SIGRTMIN);
    CHECK(info.si_signo == SIGRTMIN && info.si_code == SI_QUEUE && info.si_value.sival_int == i);
  }
  struct timespec moment = { 0, 5000000 }, wrong = { 0, 1000000000 };
  long long before = shows(CLOCK_MONOTONIC);
  CHECK(sigtimedwait(&set, &info, &moment) == -1 && errno == EAGAIN);
  CHECK(shows(CLOCK_MONOTONIC) - before >= 4);
  CHECK(sigtimedwait(&set, &info, &wrong) == -1 && errno == EINVAL);
  CHECK(sigqueue(getpid(), 0, (union sigval) { .sival_int = 0 }) == 0);
  CHECK(sigqueue(getpid(), 64, (union sigval) { .sival_int = 0 }) == -1 && errno == EINVAL);
  CHECK(sigfillset(&all) == 0 && sigismember(&all, 63) == 1 && sigdelset(&all, 63) == 0);
  CHECK(sigismember(&all, 63) == 0 && sigismember(&all, 0) == -1);
  CHECK(sigprocmask(SIG_UNBLOCK, &set, 0) == 0 && handled == 4);
}

static void *on_semaphore(void *unused) {
  (void) unused;
  int result = sem_wait(&semaphore);
  return (void *) (long) (result ? errno : 0);
}

static void *asleep(void *left) {
  struct timespec time = { 1, 0 };
  CHECK(nanosleep(&time, left) == -1);
  return (void *) (long) errno;
}

static void *locks(void *unused) {
  (void) unused;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return 0;
}

/* It waits for itself, for ever. */
static void *locks_twice(void *unused) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  (void) unused;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  pthread_mutex_lock(&mutex);
  CHECK(!"reached");
  return 0;
}

static int ready;

static void *on_condition(void *unused) {
  (void) unused;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  while (!ready) CHECK(pthread_cond_wait(&condition, &mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return 0;
}

static pthread_t begin(void *(*what)(void *), void *argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, 0, what, argument) == 0);
  pause_for(3);
  return thread;
}

/* Ends a wait, or does not. */
static void waits(void) {
  struct timespec left = { 0, 0 };
  pthread_t thread;
  CHECK(sem_init(&semaphore, 0, 0) == 0);
  handled = 0;
  act(SIGUSR1, count, 0);
  thread = begin(on_semaphore, 0);
  CHECK(pthread_kill(thread, SIGUSR1) == 0);
  CHECK(join(thread) == (void *) EINTR && handled == 1 && by == thread);
  act(SIGUSR1, count, SA_RESTART);
  thread = begin(on_semaphore, 0);
  CHECK(pthread_kill(thread, SIGUSR1) == 0);
  pause_for(3);
  CHECK(handled == 2 && sem_post(&semaphore) == 0 && join(thread) == 0);
  thread = begin(asleep, &left);
  CHECK(pthread_kill(thread, SIGUSR1) == 0);
  CHECK(join(thread) == (void *) EINTR && handled == 3);
  CHECK(left.tv_sec == 0 && left.tv_nsec > 900000000 && left.tv_nsec < 999000000);
  act(SIGUSR1, count, 0);
  CHECK(pthread_mutex_lock(&mutex) == 0);
  thread = begin(locks, 0);
  CHECK(pthread_kill(thread, SIGUSR1) == 0);
  pause_for(3);
  CHECK(handled == 4 && by == thread);
  CHECK(pthread_kill(thread, SIGUSR1) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  CHECK(join(thread) == 0 && handled == 5);
  thread = begin(locks_twice, 0);
  CHECK(pthread_kill(thread, SIGUSR1) == 0);
  pause_for(3);
  CHECK(handled == 6 && by == thread);
  thread = begin(on_condition, 0);
  CHECK(pthread_kill(thread, SIGUSR1) == 0);
  pause_for(3);
  CHECK(handled == 7 && by == thread);
  CHECK(pthread_mutex_lock(&mutex) == 0);
  ready = 1;
  CHECK(pthread_cond_signal(&condition) == 0 && pthread_mutex_unlock(&mutex) == 0);
  CHECK(join(thread) == 0);
}

static volatile int stop;
static volatile unsigned rounds, bad;

/* Whatever is in registers has to be there after a handler. */
static void *computes(void *unused) {
  unsigned a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7;
  double x = 1, y = 2, z = 4;
  (void) unused;
  while (!stop) {
    x = x * 0.5 + y * 0.25, y = y * 0.5 + z * 0.25, z = z * 0.5 + x * 2;
    if (x != 1 || y != 2 || z != 4) bad++;
    a = a * 5 + b, b = b * 3 + c, c += d ^ a, d += e, e = e * 7 + f, f += g, g += a > b ? 1 : 2;
    rounds++;
    if (rounds % 64 == 0) {
      unsigned x = a % 1000, sum = 0;
      for (unsigned i = 0; i < 64; i++) sum += i % 2 ? x + i : x - i;
      if (sum != 64 * x + 32) bad++;
    }
  }
  return (void *) (long) (a + b + c + d + e + f + g);
}

/* A thread that runs, and is preempted. */
static void running(void) {
  pthread_t thread;
  CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &(struct sched_param) { 5 }) == 0);
  handled = 0;
  thread = make(SCHED_FIFO, 2, computes, 0);
  for (int i = 1; i <= 300; i++) {
    struct timespec time = { 0, 2000000 + i * 1370 };
    CHECK(nanosleep(&time, 0) == 0);
    CHECK(pthread_kill(thread, SIGUSR1) == 0);
    if (i % 3 == 0) CHECK(pthread_kill(thread, SIGUSR2) == 0);
  }
  pause_for(1);
  stop = 1;
  join(thread);
  CHECK(bad == 0 && rounds > 1000);
  CHECK(handled >= 395 && handled <= 400);
  CHECK(pthread_kill(thread, 0) == ESRCH);
}

static sigjmp_buf back;

static void jump(int number) { siglongjmp(back, number); }

static void *jumps(void *unused) {
  sigset_t set;
  (void) unused;
  if (!sigsetjmp(back, 1))
    for (;; rounds++) continue;
  CHECK(pthread_sigmask(SIG_BLOCK, 0, &set) == 0 && !sigismember(&set, SIGUSR1));
  return 0;
}

static void *for_signal(void *number) {
  sigset_t set = only((int) (long) number);
  int got = 0;
  CHECK(sigwait(&set, &got) == 0);
  return (void *) (long) got;
}

static void *suspends(void *unused) {
  sigset_t none, set = only(SIGUSR1), now;
  (void) unused;
  CHECK(pthread_sigmask(SIG_BLOCK, &set, 0) == 0);
  sigemptyset(&none);
  pause_for(30);
  CHECK(sigsuspend(&none) == -1 && errno == EINTR);
  CHECK(pthread_sigmask(SIG_BLOCK, 0, &now) == 0 && sigismember(&now, SIGUSR1));
  CHECK(pthread_sigmask(SIG_UNBLOCK, &set, 0) == 0);
  CHECK(pause() == -1 && errno == EINTR);
  return 0;
}

static void others(void) {
  sigset_t set = only(SIGUSR2);
  pthread_t thread, other;
  act(SIGUSR1, jump, 0);
  thread = make(SCHED_FIFO, 2, jumps, 0);
  pause_for(2);
  CHECK(pthread_kill(thread, SIGUSR1) == 0);
  CHECK(join(thread) == 0);
  /* A thread that waits for it gets a signal of the process. */
  CHECK(pthread_sigmask(SIG_BLOCK, &set, 0) == 0);
  handled = 0;
  thread = begin(for_signal, (void *) SIGUSR2);
  CHECK(kill(getpid(), SIGUSR2) == 0);
  CHECK(join(thread) == (void *) SIGUSR2 && handled == 0);
  /* One that comes before it is waited for. */
  CHECK(kill(getpid(), SIGUSR2) == 0);
  CHECK(for_signal((void *) SIGUSR2) == (void *) SIGUSR2);
  thread = begin(for_signal, (void *) SIGUSR2);
  CHECK(pthread_cancel(thread) == 0 && join(thread) == PTHREAD_CANCELED);
  CHECK(kill(getpid(), SIGUSR2) == 0);
  CHECK(sigpending(&set) == 0 && sigismember(&set, SIGUSR2));
  set = only(SIGUSR2);
  CHECK(for_signal((void *) SIGUSR2) == (void *) SIGUSR2);
  act(SIGUSR1, count, 0);
  thread = begin(suspends, 0);
  CHECK(pthread_kill(thread, SIGUSR1) == 0);
  pause_for(3);
  CHECK(handled == 0);
  pause_for(40);
  CHECK(handled == 1);
  CHECK(pthread_kill(thread, SIGUSR1) == 0);
  CHECK(join(thread) == 0 && handled == 2);
  /* One that the calling thread blocks and another does not. */
  set = only(SIGUSR1);
  other = begin(asleep, 0);
  CHECK(pthread_sigmask(SIG_BLOCK, &set, 0) == 0);
  CHECK(kill(getpid(), SIGUSR1) == 0);
  CHECK(join(other) == (void *) EINTR && handled == 3 && by == other);
}

int main(void) {
  basics();
  nesting();
  queues();
  waits();
  act(SIGUSR2, count, 0);
  running();
  others();
  /* 0 if it is the default action. */
  CHECK(signal(SIGTERM, SIG_DFL) == SIG_DFL && signal(64, SIG_IGN) == SIG_ERR);
  return 0;
}
