/* Signals and timers.

   A timer sends a signal of real time each 20 ms, with a value; a thread waits for it. Meanwhile SIGUSR1 interrupts
   the sleep of main, whose handler counts. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static volatile sig_atomic_t handled;

static void count(int number) {
  (void) number;
  handled++;
}

static void *ticks(void *argument) {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGRTMIN);
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 7 };
  struct itimerspec each = { .it_value.tv_nsec = 20000000, .it_interval.tv_nsec = 20000000 };
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer)) perror("timer_create");
  timer_settime(timer, 0, &each, 0);
  for (int i = 1; i <= 3; i++) {
    siginfo_t what;
    if (sigwaitinfo(&only, &what) == SIGRTMIN) printf("tick %d, value %d\n", i, what.si_value.sival_int);
  }
  timer_delete(timer);
  return argument;
}

int main(void) {
  /* Threads inherit the mask, so that the signal waits for the thread that asks for it. */
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &blocked, 0);

  pthread_t thread;
  if (pthread_create(&thread, 0, ticks, 0)) return 1;
  pthread_join(thread, 0);

  struct sigaction action = { .sa_handler = count };
  sigaction(SIGUSR1, &action, 0);
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
  struct itimerspec once = { .it_value.tv_nsec = 50000000 };
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer)) perror("timer_create");
  timer_settime(timer, 0, &once, 0);
  struct timespec second = { 1, 0 }, left;
  if (nanosleep(&second, &left) && errno == EINTR) printf("interrupted, %d handled\n", (int) handled);
}
