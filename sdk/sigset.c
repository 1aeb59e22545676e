/* Sets of signals. sdk/install puts this into libflyball.a. */
#include <errno.h>

#include "signals.h"

int sigemptyset(sigset_t *set) { return *set = words_of(0), 0; }

/* Bit 0 is no signal. */
int sigfillset(sigset_t *set) { return *set = words_of(~BIT(0)), 0; }

static int change(sigset_t *set, int number, int is_in) {
  if (!is_signal(number)) return errno = EINVAL, -1;
  *set = words_of(is_in ? set_of(set) | BIT(number) : set_of(set) & ~BIT(number));
  return 0;
}

int sigaddset(sigset_t *set, int number) { return change(set, number, 1); }
int sigdelset(sigset_t *set, int number) { return change(set, number, 0); }

int sigismember(const sigset_t *set, int number) {
  if (!is_signal(number)) return errno = EINVAL, -1;
  return (set_of(set) & BIT(number)) != 0;
}
