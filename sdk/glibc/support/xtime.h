/* Clocks. */
#ifndef SUPPORT_XTIME_H
#define SUPPORT_XTIME_H
#include <support/check.h>
#include <time.h>

static inline void xclock_gettime(clockid_t clock, struct timespec *time) {
  if (clock_gettime(clock, time) != 0) FAIL_EXIT1("clock_gettime: %s", strerror(errno));
}
static inline struct timespec xclock_now(clockid_t clock) {
  struct timespec time;
  xclock_gettime(clock, &time);
  return time;
}

#endif
