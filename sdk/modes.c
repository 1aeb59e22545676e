/* fcntl; and modes, owners and dates of files, which semihosting does not know: these calls look whether the file is there, and change
   nothing. sdk/install puts this into libflyball.a. */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

static int is_there(const char *name) {
  struct stat about;
  return stat(name, &about);
}

static int is_open(int file) {
  struct stat about;
  return fstat(file, &about);
}

int chmod(const char *name, mode_t mode) { return (void) mode, is_there(name); }
int fchmod(int file, mode_t mode) { return (void) mode, is_open(file); }

int chown(const char *name, uid_t owner, gid_t group) {
  return (void) owner, (void) group, is_there(name);
}

int fchown(int file, uid_t owner, gid_t group) {
  return (void) owner, (void) group, is_open(file);
}

int utime(const char *name, const struct utimbuf *times) { return (void) times, is_there(name); }

/* A link is what it leads to. */
int lstat(const char *restrict name, struct stat *restrict about) { return stat(name, about); }

int creat(const char *name, mode_t mode) { return open(name, O_WRONLY | O_CREAT | O_TRUNC, mode); }

int _fcntl(int file, int operation, int argument);

/* newlib's own one refuses everything. */
int fcntl(int file, int operation, ...) {
  va_list arguments;
  int argument;
  va_start(arguments, operation);
  argument = va_arg(arguments, int);
  va_end(arguments);
  return _fcntl(file, operation, argument);
}
