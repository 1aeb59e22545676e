/* Threads of ISO C (C11). Their objects are those of POSIX threads. */
#ifndef _THREADS_H
#define _THREADS_H

#include <sys/cdefs.h>
#include <pthread.h>
#include <time.h>

#ifndef __cplusplus
#define thread_local _Thread_local
#endif

#define ONCE_FLAG_INIT PTHREAD_ONCE_INIT
#define TSS_DTOR_ITERATIONS 4

typedef pthread_t thrd_t;
typedef pthread_mutex_t mtx_t;
typedef pthread_cond_t cnd_t;
typedef pthread_key_t tss_t;
typedef pthread_once_t once_flag;
typedef int (*thrd_start_t)(void *);
typedef void (*tss_dtor_t)(void *);

enum { mtx_plain = 0, mtx_recursive = 1, mtx_timed = 2 };

enum { thrd_success = 0, thrd_busy = 1, thrd_error = 2, thrd_nomem = 3, thrd_timedout = 4 };

#ifdef __cplusplus
extern "C" {
#endif

int thrd_create(thrd_t *__thread_id, thrd_start_t __start, void *__argument);
thrd_t thrd_current(void);
int thrd_detach(thrd_t __thread_id);
int thrd_equal(thrd_t __one, thrd_t __other);
void thrd_exit(int __result) __attribute__((__noreturn__));
int thrd_join(thrd_t __thread_id, int *__result);
int thrd_sleep(const struct timespec *__duration, struct timespec *__remaining);
void thrd_yield(void);

int mtx_init(mtx_t *__mutex, int __type);
void mtx_destroy(mtx_t *__mutex);
int mtx_lock(mtx_t *__mutex);
int mtx_trylock(mtx_t *__mutex);
int mtx_timedlock(mtx_t *__restrict __mutex, const struct timespec *__restrict __until);
int mtx_unlock(mtx_t *__mutex);

int cnd_init(cnd_t *__condition);
void cnd_destroy(cnd_t *__condition);
int cnd_wait(cnd_t *__condition, mtx_t *__mutex);
int cnd_timedwait(cnd_t *__restrict __condition, mtx_t *__restrict __mutex,
                  const struct timespec *__restrict __until);
int cnd_signal(cnd_t *__condition);
int cnd_broadcast(cnd_t *__condition);

int tss_create(tss_t *__key, tss_dtor_t __destructor);
void tss_delete(tss_t __key);
void *tss_get(tss_t __key);
int tss_set(tss_t __key, void *__value);

void call_once(once_flag *__flag, void (*__routine)(void));

#ifdef __cplusplus
}
#endif

#endif
