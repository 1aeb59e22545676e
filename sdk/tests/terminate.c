/* A signal that no thread handles ends the program, as soon as a thread does not block it. Ends with 143. */
#include "check.h"
#include <errno.h>
#include <signal.h>
#include <unistd.h>

static volatile int handled;

static void count(int number) {
  (void) number;
  handled++;
}

static void *waits(void *unused) {
  sigset_t set;
  sigemptyset(&set), sigaddset(&set, SIGTERM);
  (void) unused;
  CHECK(pthread_sigmask(SIG_UNBLOCK, &set, 0) == 0);
  pause_for(1000);
  CHECK(!"reached");
  return 0;
}

int main(void) {
  struct sigaction action = { .sa_handler = count, .sa_flags = SA_RESETHAND };
  pthread_t thread;
  sigset_t set;
  int got;
  sigemptyset(&set), sigaddset(&set, SIGTERM);
  CHECK(raise(SIGCHLD) == 0 && raise(SIGSTOP) == 0);
  CHECK(sigaction(SIGTERM, &action, 0) == 0 && raise(SIGTERM) == 0 && handled == 1);
  CHECK(pthread_sigmask(SIG_BLOCK, &set, 0) == 0);
  CHECK(kill(getpid(), SIGTERM) == 0 && raise(SIGTERM) == 0);
  CHECK(sigwait(&set, &got) == 0 && got == SIGTERM && sigwait(&set, &got) == 0);
  CHECK(pthread_create(&thread, 0, waits, 0) == 0);
  pause_for(5);
  CHECK(handled == 1 && kill(getpid(), SIGTERM) == 0);
  pause_for(50);
  return 1;
}
