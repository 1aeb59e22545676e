/* Functions of signals that end the test if they fail. */
#ifndef SUPPORT_XSIGNAL_H
#define SUPPORT_XSIGNAL_H
#include <signal.h>
#include <support/xthread.h>

XPTHREAD(pthread_sigmask, (int how, const sigset_t *set, sigset_t *old), (how, set, old))

static inline void xraise(int number) {
  if (raise(number) != 0) FAIL_EXIT1("raise: %s", strerror(errno));
}
static inline void xsigaction(int number, const struct sigaction *action, struct sigaction *old) {
  if (sigaction(number, action, old) != 0) FAIL_EXIT1("sigaction: %s", strerror(errno));
}
static inline void (*xsignal(int number, void (*handler)(int)))(int) {
  void (*old)(int) = signal(number, handler);
  if (old == SIG_ERR) FAIL_EXIT1("signal: %s", strerror(errno));
  return old;
}

#endif
