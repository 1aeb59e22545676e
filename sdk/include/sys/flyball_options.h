/* What this system has of POSIX. <sys/features.h> includes this file, so every header and the
   libraries themselves see the same answers. It defines macros only. */
#ifndef _SYS_FLYBALL_OPTIONS_H
#define _SYS_FLYBALL_OPTIONS_H

#define _POSIX_VERSION 200809L

#define _POSIX_THREADS 200809L
#define _POSIX_THREAD_SAFE_FUNCTIONS 200809L
#define _POSIX_THREAD_ATTR_STACKADDR 200809L
#define _POSIX_THREAD_ATTR_STACKSIZE 200809L
#define _POSIX_THREAD_PRIORITY_SCHEDULING 200809L
#define _POSIX_THREAD_PRIO_INHERIT 200809L
#define _POSIX_THREAD_PRIO_PROTECT 200809L
#define _POSIX_THREAD_ROBUST_PRIO_INHERIT 200809L
#define _POSIX_THREAD_ROBUST_PRIO_PROTECT 200809L
#define _POSIX_THREAD_CPUTIME 200809L
/* There is one process, so shared and private are the same. */
#define _POSIX_THREAD_PROCESS_SHARED 200809L

#define _POSIX_BARRIERS 200809L
#define _POSIX_READER_WRITER_LOCKS 200809L
#define _POSIX_SEMAPHORES 200809L
#define _POSIX_SPIN_LOCKS 200809L
#define _POSIX_TIMEOUTS 200809L
#define _POSIX_MESSAGE_PASSING 200809L
#define _POSIX_REALTIME_SIGNALS 200809L

/* What is written is the host's at once. */
#define _POSIX_FSYNC 200809L

#define _POSIX_PRIORITY_SCHEDULING 200809L
#define _POSIX_TIMERS 200809L
#define _POSIX_MONOTONIC_CLOCK 200809L
#define _POSIX_CLOCK_SELECTION 200809L
#define _POSIX_CPUTIME 200809L

/* The types of mutexes; newlib's name for them. */
#define _UNIX98_THREAD_MUTEX_ATTRIBUTES 1

/* On several CPUs `_impure_ptr` cannot be one variable: newlib calls __getreent() instead. */
#if defined(__riscv) && !defined(__DYNAMIC_REENT__)
#define __DYNAMIC_REENT__ 1
#endif

#endif
