/* Threads of ISO C, which are those of POSIX. sdk/install puts this into libflyball.a. */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <threads.h>

/* What a function returns here for what it returns there. */
static int result(int error) {
  switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ENOMEM: case EAGAIN: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    default: return thrd_error;
  }
}

int thrd_create(thrd_t *thread, thrd_start_t start, void *argument) {
  /* It returns an int in the register where a pointer would be. */
  union {
    thrd_start_t is;
    void *(*as)(void *);
  } routine = { start };
  return result(pthread_create(thread, 0, routine.as, argument));
}

int thrd_join(thrd_t thread, int *value) {
  void *returned;
  int error = pthread_join(thread, &returned);
  if (!error && value) *value = (int) (intptr_t) returned;
  return result(error);
}

int thrd_sleep(const struct timespec *duration, struct timespec *remaining) {
  return clock_nanosleep(CLOCK_MONOTONIC, 0, duration, remaining) ? -2 : 0;
}

thrd_t thrd_current(void) { return pthread_self(); }
int thrd_detach(thrd_t thread) { return result(pthread_detach(thread)); }
int thrd_equal(thrd_t one, thrd_t other) { return pthread_equal(one, other); }
void thrd_exit(int value) { pthread_exit((void *) (intptr_t) value); }
void thrd_yield(void) { sched_yield(); }

int mtx_init(mtx_t *mutex, int type) {
  int is = type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, is);
  return result(pthread_mutex_init(mutex, &attributes));
}

void mtx_destroy(mtx_t *mutex) { pthread_mutex_destroy(mutex); }
int mtx_lock(mtx_t *mutex) { return result(pthread_mutex_lock(mutex)); }
int mtx_trylock(mtx_t *mutex) { return result(pthread_mutex_trylock(mutex)); }
int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until) {
  return result(pthread_mutex_timedlock(mutex, until));
}
int mtx_unlock(mtx_t *mutex) { return result(pthread_mutex_unlock(mutex)); }

int cnd_init(cnd_t *condition) { return result(pthread_cond_init(condition, 0)); }
void cnd_destroy(cnd_t *condition) { pthread_cond_destroy(condition); }
int cnd_wait(cnd_t *condition, mtx_t *mutex) { return result(pthread_cond_wait(condition, mutex)); }
int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex,
                  const struct timespec *restrict until) {
  return result(pthread_cond_timedwait(condition, mutex, until));
}
int cnd_signal(cnd_t *condition) { return result(pthread_cond_signal(condition)); }
int cnd_broadcast(cnd_t *condition) { return result(pthread_cond_broadcast(condition)); }

int tss_create(tss_t *key, tss_dtor_t destructor) {
  return result(pthread_key_create(key, destructor));
}
void tss_delete(tss_t key) { pthread_key_delete(key); }
void *tss_get(tss_t key) { return pthread_getspecific(key); }
int tss_set(tss_t key, void *value) { return result(pthread_setspecific(key, value)); }

void call_once(once_flag *flag, void (*routine)(void)) { pthread_once(flag, routine); }
