/* Instants and lengths of time. */
#ifndef SUPPORT_TIMESPEC_H
#define SUPPORT_TIMESPEC_H
#include <support/xtime.h>

enum { TIMESPEC_HZ = 1000000000 };

static inline struct timespec make_timespec(time_t seconds, long nanoseconds) {
  return (struct timespec) { .tv_sec = seconds, .tv_nsec = nanoseconds };
}
static inline struct timespec timespec_add(struct timespec a, struct timespec b) {
  long nanoseconds = a.tv_nsec + b.tv_nsec;
  return make_timespec(a.tv_sec + b.tv_sec + nanoseconds / TIMESPEC_HZ, nanoseconds % TIMESPEC_HZ);
}
static inline struct timespec timespec_sub(struct timespec a, struct timespec b) {
  bool borrow = a.tv_nsec < b.tv_nsec;
  return make_timespec(a.tv_sec - b.tv_sec - borrow, a.tv_nsec - b.tv_nsec + (borrow ? TIMESPEC_HZ : 0));
}
static inline bool support_is_before(struct timespec a, struct timespec b) {
  return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

#define TEST_TIMESPEC_BEFORE(left, right) TEST_VERIFY(support_is_before(left, right))
#define TEST_TIMESPEC_EQUAL_OR_AFTER(left, right) TEST_VERIFY(!support_is_before(left, right))
#define TEST_TIMESPEC_BEFORE_NOW(left, clock) TEST_TIMESPEC_BEFORE(left, xclock_now(clock))
#define TEST_TIMESPEC_NOW_OR_AFTER(clock, right) TEST_TIMESPEC_EQUAL_OR_AFTER(xclock_now(clock), right)

#endif
