/* A handler of SIGABRT runs even if the signal is blocked, and then the program ends; it may leave by longjmp, too. Ends with 134. Says "^thread 0 .*: abort, called from 0x[0-9a-f]*". */
#include "check.h"
#include <setjmp.h>
#include <signal.h>

static jmp_buf out;
static volatile int handled;

static void leave(int number) {
  CHECK(number == SIGABRT);
  handled++;
  longjmp(out, 1);
}

static void stay(int number) {
  CHECK(number == SIGABRT);
  handled++;
}

int main(void) {
  sigset_t set;
  CHECK(signal(SIGABRT, leave) != SIG_ERR);
  if (!setjmp(out)) abort();
  CHECK(handled == 1);
  CHECK(sigemptyset(&set) == 0 && sigaddset(&set, SIGABRT) == 0);
  CHECK(pthread_sigmask(SIG_BLOCK, &set, 0) == 0);
  CHECK(signal(SIGABRT, stay) != SIG_ERR);
  puts("to the end");
  fflush(stdout);
  abort();
}
