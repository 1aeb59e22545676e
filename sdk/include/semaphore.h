/* Semaphores (IEEE 1003.1-2008, and sem_clockwait of 1003.1-2024). */
#ifndef _SEMAPHORE_H
#define _SEMAPHORE_H

#include <sys/cdefs.h>
#include <sys/types.h>
#include <fcntl.h>
#include <time.h>

typedef struct {
  __uint32_t __word[2];
} sem_t;

#define SEM_FAILED ((sem_t *) 0)

#ifdef __cplusplus
extern "C" {
#endif

int sem_init(sem_t *__semaphore, int __shared, unsigned __value);
int sem_destroy(sem_t *__semaphore);
int sem_wait(sem_t *__semaphore);
int sem_trywait(sem_t *__semaphore);
int sem_timedwait(sem_t *__restrict __semaphore, const struct timespec *__restrict __until);
int sem_clockwait(sem_t *__restrict __semaphore, clockid_t __clock,
                  const struct timespec *__restrict __until);
int sem_post(sem_t *__semaphore);
int sem_getvalue(sem_t *__restrict __semaphore, int *__restrict __value);

/* Semaphores with names. */
sem_t *sem_open(const char *__name, int __flags, ...);
int sem_close(sem_t *__semaphore);
int sem_unlink(const char *__name);

#ifdef __cplusplus
}
#endif

#endif
