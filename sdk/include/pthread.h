/* POSIX threads (IEEE 1003.1-2008), with what 1003.1-2024 adds, and names of threads. */
#ifndef _PTHREAD_H
#define _PTHREAD_H

#include <sys/cdefs.h>
#include <sys/types.h>
#include <sched.h>
#include <time.h>

/* Of threads. Defaults are zero. */
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_INHERIT_SCHED 0
#define PTHREAD_EXPLICIT_SCHED 1
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1

/* Of mutexes. */
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_DEFAULT PTHREAD_MUTEX_NORMAL
#define PTHREAD_PRIO_NONE 0
#define PTHREAD_PRIO_INHERIT 1
#define PTHREAD_PRIO_PROTECT 2
#define PTHREAD_MUTEX_STALLED 0
#define PTHREAD_MUTEX_ROBUST 1

/* Of everything that threads share. */
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1

/* No thread. */
#define PTHREAD_NULL ((pthread_t) 0)

#define PTHREAD_BARRIER_SERIAL_THREAD (-1)

#define PTHREAD_CANCEL_ENABLE 0
#define PTHREAD_CANCEL_DISABLE 1
#define PTHREAD_CANCEL_DEFERRED 0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1
#define PTHREAD_CANCELED ((void *) -1)

#define PTHREAD_MUTEX_INITIALIZER { { 0, 0, 0 } }
#define PTHREAD_COND_INITIALIZER { { 0, 0 } }
#define PTHREAD_RWLOCK_INITIALIZER { { 0, 0, 0, 0, 0, 0 } }
#define PTHREAD_ONCE_INIT { { 0, 0 } }

#ifdef __cplusplus
extern "C" {
#endif

/* Threads. */
int pthread_create(pthread_t *__restrict __thread_id, const pthread_attr_t *__restrict __attributes,
                   void *(*__start)(void *), void *__restrict __argument);
int pthread_join(pthread_t __thread_id, void **__result);
int pthread_detach(pthread_t __thread_id);
void pthread_exit(void *__result) __attribute__((__noreturn__));
pthread_t pthread_self(void);
int pthread_equal(pthread_t __one, pthread_t __other);
int pthread_once(pthread_once_t *__once, void (*__routine)(void));
int pthread_atfork(void (*__prepare)(void), void (*__parent)(void), void (*__child)(void));

/* How a thread is created. */
int pthread_attr_init(pthread_attr_t *__attributes);
int pthread_attr_destroy(pthread_attr_t *__attributes);
int pthread_attr_getdetachstate(const pthread_attr_t *__attributes, int *__state);
int pthread_attr_setdetachstate(pthread_attr_t *__attributes, int __state);
int pthread_attr_getguardsize(const pthread_attr_t *__restrict __attributes,
                              size_t *__restrict __size);
int pthread_attr_setguardsize(pthread_attr_t *__attributes, size_t __size);
int pthread_attr_getinheritsched(const pthread_attr_t *__restrict __attributes,
                                 int *__restrict __inherit);
int pthread_attr_setinheritsched(pthread_attr_t *__attributes, int __inherit);
int pthread_attr_getschedparam(const pthread_attr_t *__restrict __attributes,
                               struct sched_param *__restrict __parameters);
int pthread_attr_setschedparam(pthread_attr_t *__restrict __attributes,
                               const struct sched_param *__restrict __parameters);
int pthread_attr_getschedpolicy(const pthread_attr_t *__restrict __attributes,
                                int *__restrict __policy);
int pthread_attr_setschedpolicy(pthread_attr_t *__attributes, int __policy);
int pthread_attr_getscope(const pthread_attr_t *__restrict __attributes, int *__restrict __scope);
int pthread_attr_setscope(pthread_attr_t *__attributes, int __scope);
int pthread_attr_getstack(const pthread_attr_t *__restrict __attributes,
                          void **__restrict __address, size_t *__restrict __size);
int pthread_attr_setstack(pthread_attr_t *__attributes, void *__address, size_t __size);
int pthread_attr_getstackaddr(const pthread_attr_t *__restrict __attributes,
                              void **__restrict __address);
int pthread_attr_setstackaddr(pthread_attr_t *__attributes, void *__address);
int pthread_attr_getstacksize(const pthread_attr_t *__restrict __attributes,
                              size_t *__restrict __size);
int pthread_attr_setstacksize(pthread_attr_t *__attributes, size_t __size);

/* How threads are scheduled. */
int pthread_getschedparam(pthread_t __thread_id, int *__restrict __policy,
                          struct sched_param *__restrict __parameters);
int pthread_setschedparam(pthread_t __thread_id, int __policy,
                          const struct sched_param *__parameters);
int pthread_setschedprio(pthread_t __thread_id, int __priority);
int pthread_getconcurrency(void);
int pthread_setconcurrency(int __level);
int pthread_getcpuclockid(pthread_t __thread_id, clockid_t *__clock);

/* Mutexes. */
int pthread_mutex_init(pthread_mutex_t *__restrict __mutex,
                       const pthread_mutexattr_t *__restrict __attributes);
int pthread_mutex_destroy(pthread_mutex_t *__mutex);
int pthread_mutex_lock(pthread_mutex_t *__mutex);
int pthread_mutex_trylock(pthread_mutex_t *__mutex);
int pthread_mutex_timedlock(pthread_mutex_t *__restrict __mutex,
                            const struct timespec *__restrict __until);
int pthread_mutex_clocklock(pthread_mutex_t *__restrict __mutex, clockid_t __clock,
                            const struct timespec *__restrict __until);
int pthread_mutex_unlock(pthread_mutex_t *__mutex);
int pthread_mutex_consistent(pthread_mutex_t *__mutex);
int pthread_mutex_getprioceiling(const pthread_mutex_t *__restrict __mutex,
                                 int *__restrict __ceiling);
int pthread_mutex_setprioceiling(pthread_mutex_t *__restrict __mutex, int __ceiling,
                                 int *__restrict __old);
int pthread_mutexattr_init(pthread_mutexattr_t *__attributes);
int pthread_mutexattr_destroy(pthread_mutexattr_t *__attributes);
int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *__restrict __attributes,
                                     int *__restrict __ceiling);
int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *__attributes, int __ceiling);
int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *__restrict __attributes,
                                  int *__restrict __protocol);
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *__attributes, int __protocol);
int pthread_mutexattr_getpshared(const pthread_mutexattr_t *__restrict __attributes,
                                 int *__restrict __shared);
int pthread_mutexattr_setpshared(pthread_mutexattr_t *__attributes, int __shared);
int pthread_mutexattr_getrobust(const pthread_mutexattr_t *__restrict __attributes,
                                int *__restrict __robust);
int pthread_mutexattr_setrobust(pthread_mutexattr_t *__attributes, int __robust);
int pthread_mutexattr_gettype(const pthread_mutexattr_t *__restrict __attributes,
                              int *__restrict __type);
int pthread_mutexattr_settype(pthread_mutexattr_t *__attributes, int __type);

/* Condition variables. */
int pthread_cond_init(pthread_cond_t *__restrict __condition,
                      const pthread_condattr_t *__restrict __attributes);
int pthread_cond_destroy(pthread_cond_t *__condition);
int pthread_cond_wait(pthread_cond_t *__restrict __condition, pthread_mutex_t *__restrict __mutex);
int pthread_cond_timedwait(pthread_cond_t *__restrict __condition,
                           pthread_mutex_t *__restrict __mutex,
                           const struct timespec *__restrict __until);
int pthread_cond_clockwait(pthread_cond_t *__restrict __condition,
                           pthread_mutex_t *__restrict __mutex, clockid_t __clock,
                           const struct timespec *__restrict __until);
int pthread_cond_signal(pthread_cond_t *__condition);
int pthread_cond_broadcast(pthread_cond_t *__condition);
int pthread_condattr_init(pthread_condattr_t *__attributes);
int pthread_condattr_destroy(pthread_condattr_t *__attributes);
int pthread_condattr_getclock(const pthread_condattr_t *__restrict __attributes,
                              clockid_t *__restrict __clock);
int pthread_condattr_setclock(pthread_condattr_t *__attributes, clockid_t __clock);
int pthread_condattr_getpshared(const pthread_condattr_t *__restrict __attributes,
                                int *__restrict __shared);
int pthread_condattr_setpshared(pthread_condattr_t *__attributes, int __shared);

/* Read-write locks. */
int pthread_rwlock_init(pthread_rwlock_t *__restrict __lock,
                        const pthread_rwlockattr_t *__restrict __attributes);
int pthread_rwlock_destroy(pthread_rwlock_t *__lock);
int pthread_rwlock_rdlock(pthread_rwlock_t *__lock);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *__lock);
int pthread_rwlock_timedrdlock(pthread_rwlock_t *__restrict __lock,
                               const struct timespec *__restrict __until);
int pthread_rwlock_clockrdlock(pthread_rwlock_t *__restrict __lock, clockid_t __clock,
                               const struct timespec *__restrict __until);
int pthread_rwlock_wrlock(pthread_rwlock_t *__lock);
int pthread_rwlock_trywrlock(pthread_rwlock_t *__lock);
int pthread_rwlock_timedwrlock(pthread_rwlock_t *__restrict __lock,
                               const struct timespec *__restrict __until);
int pthread_rwlock_clockwrlock(pthread_rwlock_t *__restrict __lock, clockid_t __clock,
                               const struct timespec *__restrict __until);
int pthread_rwlock_unlock(pthread_rwlock_t *__lock);
int pthread_rwlockattr_init(pthread_rwlockattr_t *__attributes);
int pthread_rwlockattr_destroy(pthread_rwlockattr_t *__attributes);
int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *__restrict __attributes,
                                  int *__restrict __shared);
int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *__attributes, int __shared);

/* Barriers. */
int pthread_barrier_init(pthread_barrier_t *__restrict __barrier,
                         const pthread_barrierattr_t *__restrict __attributes, unsigned __count);
int pthread_barrier_destroy(pthread_barrier_t *__barrier);
int pthread_barrier_wait(pthread_barrier_t *__barrier);
int pthread_barrierattr_init(pthread_barrierattr_t *__attributes);
int pthread_barrierattr_destroy(pthread_barrierattr_t *__attributes);
int pthread_barrierattr_getpshared(const pthread_barrierattr_t *__restrict __attributes,
                                   int *__restrict __shared);
int pthread_barrierattr_setpshared(pthread_barrierattr_t *__attributes, int __shared);

/* Spin locks. */
int pthread_spin_init(pthread_spinlock_t *__lock, int __shared);
int pthread_spin_destroy(pthread_spinlock_t *__lock);
int pthread_spin_lock(pthread_spinlock_t *__lock);
int pthread_spin_trylock(pthread_spinlock_t *__lock);
int pthread_spin_unlock(pthread_spinlock_t *__lock);

/* Data of each thread. */
int pthread_key_create(pthread_key_t *__key, void (*__destructor)(void *));
int pthread_key_delete(pthread_key_t __key);
void *pthread_getspecific(pthread_key_t __key);
int pthread_setspecific(pthread_key_t __key, const void *__value);

/* Cancellation. */
int pthread_cancel(pthread_t __thread_id);
int pthread_setcancelstate(int __state, int *__old);
int pthread_setcanceltype(int __type, int *__old);
void pthread_testcancel(void);

/* A cleanup handler. It is on the stack, between the two macros that open and close a block; each
   thread has a list of its handlers. */
struct __flyball_cleanup {
  void (*routine)(void *);
  void *argument;
  struct __flyball_cleanup *next;
};
void __flyball_cleanup_push(struct __flyball_cleanup *__cleanup);
void __flyball_cleanup_pop(struct __flyball_cleanup *__cleanup, int __execute);
#define pthread_cleanup_push(__routine, __argument)                               \
  do {                                                                            \
    struct __flyball_cleanup __flyball_cleanup_here = { (__routine), (__argument), 0 }; \
    __flyball_cleanup_push(&__flyball_cleanup_here);
#define pthread_cleanup_pop(__execute)                                            \
    __flyball_cleanup_pop(&__flyball_cleanup_here, (__execute));                  \
  } while (0)

/* Not of the standard, but common: a thread's name, for people. */
int pthread_getattr_np(pthread_t __thread_id, pthread_attr_t *__attributes);
int pthread_getname_np(pthread_t __thread_id, char *__name, size_t __size);
int pthread_setname_np(pthread_t __thread_id, const char *__name);

#ifdef __cplusplus
}
#endif

#endif
