/* Files. */
#ifndef SUPPORT_XUNISTD_H
#define SUPPORT_XUNISTD_H
#include <fcntl.h>
#include <support/check.h>

static inline int support_done(const char *function, int result) {
  if (result < 0) FAIL_EXIT1("%s: %s", function, strerror(errno));
  return result;
}
#define xopen(path, flags, mode) support_done("open", open(path, flags, mode))
#define xclose(file) ((void) support_done("close", close(file)))
#define xftruncate(file, size) ((void) support_done("ftruncate", ftruncate(file, size)))
#define xunlink(path) ((void) support_done("unlink", unlink(path)))

static inline void xwrite(int file, const void *data, size_t size) {
  for (const char *next = data; size > 0;) {
    int some = support_done("write", write(file, next, size));
    next += some;
    size -= some;
  }
}

static inline long xsysconf(int name) {
  errno = 0;
  long value = sysconf(name);
  if (value < 0 && errno != 0) FAIL_EXIT1("sysconf: %s", strerror(errno));
  return value;
}

#endif
