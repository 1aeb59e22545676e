/* What a program can ask about the system; descriptors and dates of files. */
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <utime.h>

/* newlib does not declare it for this system. */
int lstat(const char *name, struct stat *about);

static volatile unsigned rounds;
static volatile int stop;

static void *computes(void *unused) {
  (void) unused;
  while (!stop) rounds++;
  return 0;
}

static void options(void) {
  struct utsname name;
  CHECK(sysconf(_SC_VERSION) == _POSIX_VERSION && sysconf(_SC_THREADS) == _POSIX_THREADS);
  CHECK(sysconf(_SC_TIMERS) == _POSIX_TIMERS && sysconf(_SC_BARRIERS) == _POSIX_BARRIERS);
  CHECK(sysconf(_SC_REALTIME_SIGNALS) == _POSIX_REALTIME_SIGNALS);
  CHECK(sysconf(_SC_MESSAGE_PASSING) == _POSIX_MESSAGE_PASSING);
  CHECK(sysconf(_SC_FSYNC) == _POSIX_FSYNC && sysconf(_SC_CPUTIME) == _POSIX_CPUTIME);
  CHECK(sysconf(_SC_THREAD_THREADS_MAX) == 32 && sysconf(_SC_THREAD_STACK_MIN) == PTHREAD_STACK_MIN);
  CHECK(sysconf(_SC_MQ_OPEN_MAX) == MQ_OPEN_MAX && sysconf(_SC_RTSIG_MAX) == RTSIG_MAX);
  CHECK(sysconf(_SC_CLK_TCK) == 1000 && sysconf(_SC_NPROCESSORS_ONLN) >= 1);
  errno = 0;
  /* No limit, and no such option: neither is an error. */
  CHECK(sysconf(_SC_TIMER_MAX) == -1 && sysconf(_SC_SEM_NSEMS_MAX) == -1 && errno == 0);
  CHECK(sysconf(_SC_SHARED_MEMORY_OBJECTS) == -1 && sysconf(_SC_ASYNCHRONOUS_IO) == -1 && errno == 0);
  CHECK(sysconf(9999) == -1 && errno == EINVAL);
  CHECK(uname(&name) == 0 && strcmp(name.sysname, "Flyball") == 0);
}

static void scheduling(void) {
  struct sched_param parameters = { 3 };
  CHECK(sched_getscheduler(0) == SCHED_OTHER && sched_getscheduler(9) == -1 && errno == ESRCH);
  CHECK(sched_setscheduler(0, SCHED_FIFO, &parameters) == SCHED_OTHER);
  parameters.sched_priority = 6;
  CHECK(sched_setparam(0, &parameters) == 0 && sched_getscheduler(getpid()) == SCHED_FIFO);
  parameters.sched_priority = 0;
  CHECK(sched_getparam(0, &parameters) == 0 && parameters.sched_priority == 6);
  parameters.sched_priority = 99;
  CHECK(sched_setparam(0, &parameters) == -1 && errno == EINVAL);
  CHECK(pthread_getconcurrency() == 0 && pthread_setconcurrency(-1) == EINVAL);
  CHECK(pthread_setconcurrency(4) == 0 && pthread_getconcurrency() == 4);
  CHECK(pthread_atfork(0, 0, 0) == 0);
}

static void clocks(void) {
  pthread_t thread = make(SCHED_FIFO, 2, computes, 0);
  struct timespec time;
  clockid_t clock, mine;
  long long used;
  pause_for(10);
  CHECK(pthread_getcpuclockid(thread, &clock) == 0 && pthread_getcpuclockid(pthread_self(), &mine) == 0);
  used = shows(clock);
  CHECK(used >= 9 && used <= 11 && clock_getres(clock, &time) == 0);
  CHECK(shows(CLOCK_THREAD_CPUTIME_ID) - shows(mine) <= 1);
  pause_for(10);
  CHECK(shows(clock) >= used + 9);
  stop = 1;
  join(thread);
  CHECK(pthread_getcpuclockid(thread, &mine) == ESRCH);
  CHECK(clock_gettime(clock, &time) == -1 && errno == EINVAL);
  CHECK(clock_getcpuclockid(0, &clock) == 0 && clock == CLOCK_PROCESS_CPUTIME_ID);
}

static void files(void) {
  struct stat about;
  char text[8] = "";
  int file = creat("system.txt", 0600), other, third;
  CHECK(file >= 3 && write(file, "one", 3) == 3);
  other = dup(file);
  CHECK(other > file && close(file) == 0 && write(other, "two", 3) == 3 && fsync(other) == 0);
  CHECK(fdatasync(file) == -1 && errno == EBADF);
  CHECK(fchmod(other, 0600) == 0 && fchown(other, 1, 1) == 0 && fchmod(file, 0600) == -1);
  CHECK(close(other) == 0 && close(other) == -1 && errno == EBADF);
  CHECK(chmod("system.txt", 0600) == 0 && chown("system.txt", 1, 1) == 0 && utime("system.txt", 0) == 0);
  CHECK(chmod("none", 0600) == -1 && errno == ENOENT);
  CHECK(lstat("system.txt", &about) == 0 && about.st_size == 6 && S_ISREG(about.st_mode));
  file = open("system.txt", O_RDONLY);
  other = fcntl(file, F_DUPFD, 10);
  CHECK(other == 10 && dup2(file, 12) == 12 && dup2(file, file) == file);
  CHECK(read(file, text, 2) == 2 && read(other, text + 2, 2) == 2 && read(12, text + 4, 2) == 2);
  CHECK(strcmp(text, "onetwo") == 0);
  third = open("other.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(third >= 0 && dup2(third, 12) == 12 && read(12, text, 1) == 0);
  CHECK(dup2(99, 5) == -1 && errno == EBADF && dup2(file, 99) == -1 && errno == EBADF && dup(77) == -1);
  CHECK(close(file) == 0 && close(other) == 0 && close(12) == 0 && close(third) == 0);
  CHECK(dup2(1, 2) == 2 && write(2, "", 0) == 0);
}

int main(void) {
  options();
  scheduling();
  clocks();
  files();
  return 0;
}
