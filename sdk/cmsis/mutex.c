/* CMSIS-RTOS 2: mutexes. They are those of POSIX, with priority inheritance. sdk/install puts this into
   libflyball.a. */
#include <errno.h>
#include <stdlib.h>

#include "os.h"

/* A mutex that has been deleted while a thread owned it, or waited. */
#define KIND_GONE 0x474f4e45u

struct mutex {
  struct object object;
  pthread_mutex_t mutex;
  /* These are changed with interrupts masked. */
  struct thread *owner; /* null: none */
  uint32_t depth; /* how often it has locked it */
  uint32_t users; /* calls that are in progress */
};

/* The mutex of POSIX. Returns 0 or an error. */
static int prepare(pthread_mutex_t *mutex, uint32_t bits) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, bits & osMutexRecursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  pthread_mutexattr_setrobust(&attributes, bits & osMutexRobust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED);
  return pthread_mutex_init(mutex, &attributes);
}

osMutexId_t osMutexNew(const osMutexAttr_t *attr) {
  struct mutex *mutex = is_interrupt() ? 0 : calloc(1, sizeof *mutex);
  if (!mutex) return 0;
  mutex->object = object_of(KIND_MUTEX, attr ? attr->name : 0);
  if (prepare(&mutex->mutex, attr ? attr->attr_bits : 0)) {
    free(mutex);
    return 0;
  }
  return mutex;
}

const char *osMutexGetName(osMutexId_t mutex_id) { return name_of(mutex_id, KIND_MUTEX); }

/* A call is done. The last one frees a mutex that has been deleted. */
static void leave(struct mutex *mutex) {
  uint32_t before = mask();
  int is_free = !--mutex->users && mutex->object.kind == KIND_GONE && !mutex->owner;
  if (is_free) mutex->object.kind = 0;
  unmask(before);
  if (!is_free) return;
  pthread_mutex_destroy(&mutex->mutex);
  free(mutex);
}

/* The thread has been terminated while it waited. */
static void abandon(void *argument) {
  struct mutex *mutex = argument;
  pthread_mutex_unlock(&mutex->mutex);
  leave(mutex);
}

/* Waits for it. Returns 0 or an error of POSIX. */
static int lock(struct mutex *mutex, struct thread *me, uint32_t ticks) {
  int error = pthread_mutex_trylock(&mutex->mutex);
  if (error == EBUSY && ticks) {
    struct timespec until;
    if (__flyball_os_state == osKernelLocked) return ETIMEDOUT;
    if (ticks != osWaitForever) until = __flyball_os_time(__flyball_os_until(ticks));
    /* A thread that would wait for itself is told so. */
    if (mutex->owner == me) return EDEADLK;
    me->waits_for = &mutex->owner;
    me->is_blocked = 1;
    error = ticks == osWaitForever ? pthread_mutex_lock(&mutex->mutex)
                                   : pthread_mutex_clocklock(&mutex->mutex, CLOCK_MONOTONIC, &until);
    me->is_blocked = 0;
    me->waits_for = 0;
  }
  if (error == EOWNERDEAD) {
    pthread_mutex_consistent(&mutex->mutex);
    mutex->depth = 0;
    error = 0;
  }
  return error;
}

/* The calling thread has locked it. Returns osErrorResource if it has been deleted meanwhile. */
static osStatus_t locked(struct mutex *mutex, struct thread *me) {
  uint32_t before = mask();
  int is_gone = mutex->object.kind == KIND_GONE;
  if (!is_gone) {
    mutex->owner = me;
    mutex->depth++;
  }
  unmask(before);
  if (is_gone) pthread_mutex_unlock(&mutex->mutex);
  return is_gone ? osErrorResource : osOK;
}

osStatus_t osMutexAcquire(osMutexId_t mutex_id, uint32_t timeout) {
  struct mutex *mutex = mutex_id;
  struct thread *me;
  osStatus_t status;
  uint32_t before;
  int is_one;
  if (is_interrupt()) return osErrorISR;
  me = __flyball_os_self_or_end();
  if (!me) return osError;
  before = mask();
  is_one = is_object(mutex, KIND_MUTEX);
  if (is_one) mutex->users++;
  unmask(before);
  if (!is_one) return osErrorParameter;
  switch (lock(mutex, me, timeout)) {
    case 0:
      pthread_cleanup_push(abandon, mutex);
      pthread_testcancel();
      pthread_cleanup_pop(0);
      status = locked(mutex, me);
      break;
    case ETIMEDOUT: status = osErrorTimeout; break;
    default: status = osErrorResource;
  }
  leave(mutex);
  return status;
}

osStatus_t osMutexRelease(osMutexId_t mutex_id) {
  struct mutex *mutex = mutex_id;
  osStatus_t status = osOK;
  uint32_t before;
  if (is_interrupt()) return osErrorISR;
  before = mask();
  /* The owner gives also one back that has been deleted. */
  if (is_object(mutex, KIND_GONE) && mutex->owner == __flyball_os_me) status = osErrorParameter;
  else if (!is_object(mutex, KIND_MUTEX)) mutex = 0, status = osErrorParameter;
  else if (!mutex->owner || mutex->owner != __flyball_os_me) mutex = 0, status = osErrorResource;
  if (mutex) {
    mutex->users++;
    if (!--mutex->depth) mutex->owner = 0;
  }
  unmask(before);
  if (mutex) {
    pthread_mutex_unlock(&mutex->mutex);
    leave(mutex);
  }
  return status;
}

osThreadId_t osMutexGetOwner(osMutexId_t mutex_id) {
  struct mutex *mutex = mutex_id;
  struct thread *owner = 0;
  if (!is_interrupt()) {
    uint32_t before = mask();
    /* It may have ended. */
    if (is_object(mutex, KIND_MUTEX)) owner = __flyball_os_find(mutex->owner);
    if (owner && owner->has_ended) owner = 0;
    unmask(before);
  }
  return owner;
}

osStatus_t osMutexDelete(osMutexId_t mutex_id) {
  struct mutex *mutex = mutex_id;
  uint32_t before, depth = 0;
  int is_one;
  if (is_interrupt()) return osErrorISR;
  before = mask();
  is_one = is_object(mutex, KIND_MUTEX);
  if (is_one) {
    mutex->object.kind = KIND_GONE;
    mutex->users++;
    if (mutex->owner && mutex->owner == __flyball_os_me) {
      depth = mutex->depth;
      mutex->owner = 0;
    }
  }
  unmask(before);
  if (!is_one) return osErrorParameter;
  while (depth--) pthread_mutex_unlock(&mutex->mutex);
  leave(mutex);
  return osOK;
}
