/* What a program can ask about the system, and what concerns the only process that there is. sdk/install puts this into libflyball.a. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Numbers that are elsewhere as well. */
enum {
  open_max = 20, /* FILES of files.rs */
  page = 4096
};

extern const unsigned __flyball_threads;
int __flyball_cpus(void);

/* The limits of threads, and of what they share. */
static long limit(int name) {
  switch (name) {
    case _SC_CLK_TCK: return 1000;
    case _SC_OPEN_MAX: case _SC_STREAM_MAX: return open_max;
    case _SC_PAGESIZE: return page;
    case _SC_NPROCESSORS_CONF: case _SC_NPROCESSORS_ONLN: return __flyball_cpus();
    case _SC_ARG_MAX: return _POSIX_ARG_MAX;
    case _SC_DELAYTIMER_MAX: return DELAYTIMER_MAX;
    case _SC_HOST_NAME_MAX: return _POSIX_HOST_NAME_MAX;
    case _SC_MQ_OPEN_MAX: return MQ_OPEN_MAX;
    case _SC_MQ_PRIO_MAX: return MQ_PRIO_MAX;
    case _SC_RTSIG_MAX: return RTSIG_MAX;
    case _SC_SEM_VALUE_MAX: return SEM_VALUE_MAX;
    case _SC_SIGQUEUE_MAX: return SIGQUEUE_MAX;
    case _SC_THREAD_DESTRUCTOR_ITERATIONS: return PTHREAD_DESTRUCTOR_ITERATIONS;
    case _SC_THREAD_KEYS_MAX: return PTHREAD_KEYS_MAX;
    case _SC_THREAD_STACK_MIN: return PTHREAD_STACK_MIN;
    case _SC_THREAD_THREADS_MAX: return __flyball_threads;
    case _SC_TZNAME_MAX: return _POSIX_TZNAME_MAX;
    default: return 0;
  }
}

/* Whether there is an option, or no limit to something but memory: -1 either way. */
static long option(int name) {
  switch (name) {
    case _SC_VERSION: return _POSIX_VERSION;
    case _SC_BARRIERS: return _POSIX_BARRIERS;
    case _SC_CLOCK_SELECTION: return _POSIX_CLOCK_SELECTION;
    case _SC_CPUTIME: return _POSIX_CPUTIME;
    case _SC_FSYNC: return _POSIX_FSYNC;
    case _SC_MESSAGE_PASSING: return _POSIX_MESSAGE_PASSING;
    case _SC_MONOTONIC_CLOCK: return _POSIX_MONOTONIC_CLOCK;
    case _SC_PRIORITY_SCHEDULING: return _POSIX_PRIORITY_SCHEDULING;
    case _SC_READER_WRITER_LOCKS: return _POSIX_READER_WRITER_LOCKS;
    case _SC_REALTIME_SIGNALS: return _POSIX_REALTIME_SIGNALS;
    case _SC_SEMAPHORES: return _POSIX_SEMAPHORES;
    case _SC_SPIN_LOCKS: return _POSIX_SPIN_LOCKS;
    case _SC_THREADS: return _POSIX_THREADS;
    case _SC_THREAD_ATTR_STACKADDR: return _POSIX_THREAD_ATTR_STACKADDR;
    case _SC_THREAD_ATTR_STACKSIZE: return _POSIX_THREAD_ATTR_STACKSIZE;
    case _SC_THREAD_CPUTIME: return _POSIX_THREAD_CPUTIME;
    case _SC_THREAD_PRIORITY_SCHEDULING: return _POSIX_THREAD_PRIORITY_SCHEDULING;
    case _SC_THREAD_PRIO_INHERIT: return _POSIX_THREAD_PRIO_INHERIT;
    case _SC_THREAD_PRIO_PROTECT: return _POSIX_THREAD_PRIO_PROTECT;
    case _SC_THREAD_PROCESS_SHARED: return _POSIX_THREAD_PROCESS_SHARED;
    case _SC_THREAD_ROBUST_PRIO_INHERIT: return _POSIX_THREAD_ROBUST_PRIO_INHERIT;
    case _SC_THREAD_ROBUST_PRIO_PROTECT: return _POSIX_THREAD_ROBUST_PRIO_PROTECT;
    case _SC_THREAD_SAFE_FUNCTIONS: return _POSIX_THREAD_SAFE_FUNCTIONS;
    case _SC_TIMEOUTS: return _POSIX_TIMEOUTS;
    case _SC_TIMERS: return _POSIX_TIMERS;
    default: return -1;
  }
}

long sysconf(int name) {
  long found = limit(name);
  if (name < 0 || name > _SC_POSIX_26_VERSION) return errno = EINVAL, -1;
  return found ? found : option(name);
}

int getpagesize(void) { return page; }

#ifdef __riscv
#define MACHINE "RV64GC"
#else
#define MACHINE "Cortex-M3"
#endif

int uname(struct utsname *name) {
  static const struct utsname here = { "Flyball", "board", "0.1", "1", MACHINE };
  *name = here;
  return 0;
}

/* The process has one thread that calls these, like any other. */
static int is_here(pid_t process) {
  if (process == 0 || process == 1) return 1;
  errno = ESRCH;
  return 0;
}

int sched_getscheduler(pid_t process) {
  struct sched_param parameters;
  int policy;
  if (!is_here(process)) return -1;
  pthread_getschedparam(pthread_self(), &policy, &parameters);
  return policy;
}

int sched_getparam(pid_t process, struct sched_param *parameters) {
  int policy;
  if (!is_here(process)) return -1;
  pthread_getschedparam(pthread_self(), &policy, parameters);
  return 0;
}

int sched_setparam(pid_t process, const struct sched_param *parameters) {
  int error;
  if (!is_here(process)) return -1;
  error = pthread_setschedprio(pthread_self(), parameters->sched_priority);
  return error ? (errno = error, -1) : 0;
}

/* Without fork() they are not called. */
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
  (void) prepare, (void) parent, (void) child;
  return 0;
}

/* Each thread is one of the kernel's, so the level changes nothing. */
static int concurrency;

int pthread_getconcurrency(void) { return concurrency; }

int pthread_setconcurrency(int level) {
  if (level < 0) return EINVAL;
  concurrency = level;
  return 0;
}
