/* What glibc's tests ask for of their own library of helpers, written anew: the names are glibc's, nothing else.
   A test is one file, so everything is in headers. */
#ifndef SUPPORT_CHECK_H
#define SUPPORT_CHECK_H
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_UNSUPPORTED 77

static int support_failures;

static inline void support_record_failure(void) { __atomic_fetch_add(&support_failures, 1, __ATOMIC_RELAXED); }

__attribute__((format(printf, 3, 4))) static inline int support_fail(const char *file, int line, const char *format, ...) {
  va_list arguments;
  support_record_failure();
  printf("%s:%d: ", file, line);
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
  return 1;
}

#define FAIL(...) support_fail(__FILE__, __LINE__, __VA_ARGS__)
#define FAIL_RET(...) return FAIL(__VA_ARGS__)
#define FAIL_EXIT(status, ...) (FAIL(__VA_ARGS__), exit(status))
#define FAIL_EXIT1(...) FAIL_EXIT(1, __VA_ARGS__)
#define FAIL_UNSUPPORTED(...) FAIL_EXIT(EXIT_UNSUPPORTED, __VA_ARGS__)
#define TEST_VERIFY(what) ((what) ? (void) 0 : (void) FAIL("not %s", #what))
#define TEST_VERIFY_EXIT(what) ((what) ? (void) 0 : FAIL_EXIT1("not %s", #what))
/* Numbers of different signs differ, whatever their types. */
#define TEST_COMPARE(left, right)                                                          \
  ({                                                                                       \
    __typeof__(+(left)) left_ = (left);                                                    \
    __typeof__(+(right)) right_ = (right);                                                 \
    if ((left_ > 0) != (right_ > 0) || (long long) left_ != (long long) right_)            \
      FAIL("%s is %lld, %s is %lld", #left, (long long) left_, #right, (long long) right_); \
  })
#define TEST_COMPARE_STRING(left, right) \
  (strcmp(left, right) == 0 ? (void) 0 : (void) FAIL("%s is %s, %s is %s", #left, left, #right, right))

#endif
