/* Limits of threads and of what they share. <limits.h> includes this file, so it defines macros
   only. Limits that POSIX lets a system leave open are not here: sysconf() answers. */
#ifndef _SYS_FLYBALL_LIMITS_H
#define _SYS_FLYBALL_LIMITS_H

/* What every POSIX system allows at least. */
#define _POSIX_AIO_LISTIO_MAX 2
#define _POSIX_AIO_MAX 1
#define _POSIX_ARG_MAX 4096
#define _POSIX_CHILD_MAX 25
#define _POSIX_CLOCKRES_MIN 20000000
#define _POSIX_DELAYTIMER_MAX 32
#define _POSIX_HOST_NAME_MAX 255
#define _POSIX_LINK_MAX 8
#define _POSIX_LOGIN_NAME_MAX 9
#define _POSIX_MAX_CANON 255
#define _POSIX_MAX_INPUT 255
#define _POSIX_MQ_OPEN_MAX 8
#define _POSIX_MQ_PRIO_MAX 32
#define _POSIX_NAME_MAX 14
#define _POSIX_NGROUPS_MAX 8
#define _POSIX_OPEN_MAX 20
#define _POSIX_PATH_MAX 256
#define _POSIX_PIPE_BUF 512
#define _POSIX_RE_DUP_MAX 255
#define _POSIX_RTSIG_MAX 8
#define _POSIX_SEM_NSEMS_MAX 256
#define _POSIX_SEM_VALUE_MAX 32767
#define _POSIX_SIGQUEUE_MAX 32
#define _POSIX_SSIZE_MAX 32767
#define _POSIX_STREAM_MAX 8
#define _POSIX_SYMLINK_MAX 255
#define _POSIX_SYMLOOP_MAX 8
#define _POSIX_THREAD_DESTRUCTOR_ITERATIONS 4
#define _POSIX_THREAD_KEYS_MAX 128
#define _POSIX_THREAD_THREADS_MAX 64
#define _POSIX_TIMER_MAX 32
#define _POSIX_TTY_NAME_MAX 9
#define _POSIX_TZNAME_MAX 6

/* What this system allows. */
#define DELAYTIMER_MAX 2147483647
#define MQ_OPEN_MAX 32
#define MQ_PRIO_MAX 32
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#define PTHREAD_KEYS_MAX 128
#define RTSIG_MAX 32
#define SEM_VALUE_MAX 2147483647
#define SIGQUEUE_MAX 32

/* In bytes: enough for a thread that waits, and is cancelled, with a cleanup handler. The unwinder takes most of it. Of a
   stack that the program gives, what is kept of the thread and its thread_local variables take a part: 128 bytes of
   these fit into this. */
#ifdef __riscv
#define PTHREAD_STACK_MIN 7168
#else
#define PTHREAD_STACK_MIN 3072
#endif

#endif
