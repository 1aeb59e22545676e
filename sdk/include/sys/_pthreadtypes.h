/* The types of POSIX threads.

   They are made of words of 32 bits on every machine. An object of zeros is valid: a mutex that is
   free, a condition variable without a waiter, attributes with their defaults. So every static
   initialiser is zero, and initialised objects take no room in an image. */
#ifndef _SYS__PTHREADTYPES_H_
#define _SYS__PTHREADTYPES_H_

#include <sys/_types.h>
#include <sys/sched.h>

/* A thread's name; 0 is no thread. */
typedef __uint32_t pthread_t;

typedef unsigned int pthread_key_t;

typedef struct {
  __uint32_t __word[3];
} pthread_mutex_t;

typedef struct {
  __uint32_t __word[2];
} pthread_cond_t;

typedef struct {
  __uint32_t __word[6];
} pthread_rwlock_t;

typedef struct {
  __uint32_t __word[6];
} pthread_barrier_t;

typedef struct {
  __uint32_t __word[2];
} pthread_once_t;

typedef struct {
  __uint32_t __word[1];
} pthread_spinlock_t;

/* Bits 0-1 type, 2-3 protocol, 4 robustness, 5 process-shared, 8-31 priority ceiling. */
typedef struct {
  __uint32_t __word[1];
} pthread_mutexattr_t;

/* Bits 0-30 clock, 0 for CLOCK_REALTIME, 31 process-shared. */
typedef struct {
  __uint32_t __word[1];
} pthread_condattr_t;

/* Bit 0 process-shared. */
typedef struct {
  __uint32_t __word[1];
} pthread_rwlockattr_t;

/* Bit 0 process-shared. */
typedef struct {
  __uint32_t __word[1];
} pthread_barrierattr_t;

typedef struct {
  void *__stack_address; /* the lowest one; null: the system finds a stack */
  __SIZE_TYPE__ __stack_size; /* 0: the system's default */
  __SIZE_TYPE__ __guard_size;
  int __detach_state;
  int __inherit;
  int __scope;
  int __policy;
  struct sched_param __parameters;
  /* <flyball.h>. Times are in nanoseconds; 0: none. */
  __uint64_t __period;
  __uint64_t __deadline;
  __uint64_t __execution_time;
  __uint64_t __start;
  __uint32_t __share; /* in millionths of a CPU; 0: none is said */
  __uint16_t __importance; /* 0: none is said */
  __uint8_t __sporadic;
  __uint8_t __late;
} pthread_attr_t;

#endif
