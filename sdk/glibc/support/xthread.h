/* Functions of threads that end the test if they fail. */
#ifndef SUPPORT_XTHREAD_H
#define SUPPORT_XTHREAD_H
#include <pthread.h>
#include <support/check.h>

static inline void xpthread_check_return(const char *function, int error) {
  if (error != 0) FAIL_EXIT1("%s: %s", function, strerror(error));
}

#define XPTHREAD(name, parameters, arguments) \
  static inline void x##name parameters { xpthread_check_return(#name, name arguments); }
XPTHREAD(pthread_attr_init, (pthread_attr_t * a), (a))
XPTHREAD(pthread_attr_destroy, (pthread_attr_t * a), (a))
XPTHREAD(pthread_attr_setdetachstate, (pthread_attr_t * a, int state), (a, state))
XPTHREAD(pthread_attr_setstack, (pthread_attr_t * a, void *stack, size_t size), (a, stack, size))
XPTHREAD(pthread_attr_setstacksize, (pthread_attr_t * a, size_t size), (a, size))
XPTHREAD(pthread_attr_setguardsize, (pthread_attr_t * a, size_t size), (a, size))
XPTHREAD(pthread_barrier_init, (pthread_barrier_t * b, pthread_barrierattr_t *a, unsigned count), (b, a, count))
XPTHREAD(pthread_barrier_destroy, (pthread_barrier_t * b), (b))
XPTHREAD(pthread_barrierattr_init, (pthread_barrierattr_t * a), (a))
XPTHREAD(pthread_barrierattr_destroy, (pthread_barrierattr_t * a), (a))
XPTHREAD(pthread_barrierattr_setpshared, (pthread_barrierattr_t * a, int shared), (a, shared))
XPTHREAD(pthread_cancel, (pthread_t thread), (thread))
XPTHREAD(pthread_cond_signal, (pthread_cond_t * c), (c))
XPTHREAD(pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m))
XPTHREAD(pthread_detach, (pthread_t thread), (thread))
XPTHREAD(pthread_key_delete, (pthread_key_t key), (key))
XPTHREAD(pthread_kill, (pthread_t thread, int number), (thread, number))
XPTHREAD(pthread_mutex_init, (pthread_mutex_t * m, const pthread_mutexattr_t *a), (m, a))
XPTHREAD(pthread_mutex_destroy, (pthread_mutex_t * m), (m))
XPTHREAD(pthread_mutex_lock, (pthread_mutex_t * m), (m))
XPTHREAD(pthread_mutex_unlock, (pthread_mutex_t * m), (m))
XPTHREAD(pthread_mutex_consistent, (pthread_mutex_t * m), (m))
XPTHREAD(pthread_mutexattr_init, (pthread_mutexattr_t * a), (a))
XPTHREAD(pthread_mutexattr_destroy, (pthread_mutexattr_t * a), (a))
XPTHREAD(pthread_mutexattr_setprotocol, (pthread_mutexattr_t * a, int protocol), (a, protocol))
XPTHREAD(pthread_mutexattr_setpshared, (pthread_mutexattr_t * a, int shared), (a, shared))
XPTHREAD(pthread_mutexattr_setrobust, (pthread_mutexattr_t * a, int robust), (a, robust))
XPTHREAD(pthread_mutexattr_settype, (pthread_mutexattr_t * a, int type), (a, type))
XPTHREAD(pthread_once, (pthread_once_t * once, void (*function)(void)), (once, function))
XPTHREAD(pthread_rwlock_init, (pthread_rwlock_t * l, const pthread_rwlockattr_t *a), (l, a))
XPTHREAD(pthread_rwlock_destroy, (pthread_rwlock_t * l), (l))
XPTHREAD(pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l))
XPTHREAD(pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l))
XPTHREAD(pthread_rwlock_unlock, (pthread_rwlock_t * l), (l))
XPTHREAD(pthread_rwlockattr_init, (pthread_rwlockattr_t * a), (a))
XPTHREAD(pthread_spin_lock, (pthread_spinlock_t * l), (l))
XPTHREAD(pthread_spin_unlock, (pthread_spinlock_t * l), (l))

static inline pthread_t xpthread_create(pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  pthread_t thread;
  xpthread_check_return("pthread_create", pthread_create(&thread, attributes, start, argument));
  return thread;
}

static inline void *xpthread_join(pthread_t thread) {
  void *result;
  xpthread_check_return("pthread_join", pthread_join(thread, &result));
  return result;
}

static inline pthread_key_t xpthread_key_create(void (*destructor)(void *)) {
  pthread_key_t key;
  xpthread_check_return("pthread_key_create", pthread_key_create(&key, destructor));
  return key;
}

static inline int xpthread_barrier_wait(pthread_barrier_t *barrier) {
  int result = pthread_barrier_wait(barrier);
  if (result != PTHREAD_BARRIER_SERIAL_THREAD) xpthread_check_return("pthread_barrier_wait", result);
  return result == PTHREAD_BARRIER_SERIAL_THREAD;
}

/* For a test whose threads wait for ever: it has passed when these seconds are over. */
static inline void *support_exit_later(void *seconds) {
  sleep((unsigned) (size_t) seconds);
  exit(0);
}
static inline void delayed_exit(int seconds) {
  xpthread_detach(xpthread_create(0, support_exit_later, (void *) (size_t) seconds));
}

/* No thread but the calling one has anything else to do in the tests that call this. */
static inline void support_wait_for_thread_exit(void) { usleep(100000); }

/* Mutexes with inheritance wait for any clock. */
static inline bool support_mutex_pi_monotonic(void) { return true; }

#endif
