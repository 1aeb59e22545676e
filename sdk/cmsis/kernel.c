/* CMSIS-RTOS 2: the kernel, its clock, and sleep. sdk/install puts this into libflyball.a. */
#include <flyball.h>
#include <string.h>

#include "os.h"

#define API 20010003

/* What the clock of the board shows: nanoseconds, in steps of 40. */
#define STEP 40u

osStatus_t osKernelInitialize(void) {
  struct thread *me;
  if (is_interrupt()) return osErrorISR;
  if (__flyball_os_state == osKernelReady) return osOK;
  if (__flyball_os_state != osKernelInactive) return osError;
  me = __flyball_os_self();
  if (!me) return osErrorNoMemory;
  if (__flyball_os_has_priorities()) {
    /* So the threads that it makes do not run yet. */
    me->is_urgent = 1;
    if (__flyball_os_schedule(me)) {
      me->is_urgent = 0;
      return osError;
    }
  }
  __flyball_os_state = osKernelReady;
  return osOK;
}

/* Ends the thread of main. The program ends when the last thread has ended. */
osStatus_t osKernelStart(void) {
  if (is_interrupt()) return osErrorISR;
  if (__flyball_os_state != osKernelReady) return osError;
  __flyball_os_state = osKernelRunning;
  pthread_exit(0);
}

osStatus_t osKernelGetInfo(osVersion_t *version, char *id_buf, uint32_t id_size) {
  static const char id[] = "Flyball " RELEASE;
  if (version) *version = (osVersion_t) { API, VERSION };
  if (id_buf && id_size) {
    uint32_t length = id_size < sizeof id ? id_size - 1 : sizeof id - 1;
    memcpy(id_buf, id, length);
    id_buf[length] = 0;
  }
  return osOK;
}

osKernelState_t osKernelGetState(void) { return __flyball_os_state; }

/* Makes the calling thread the most urgent one, or not. */
static int32_t set_lock(int is_locked) {
  struct thread *me = __flyball_os_self();
  /* Another thread has locked it, and waits nevertheless. */
  if (!me || (!is_locked && !me->is_urgent)) return osError;
  me->is_urgent = is_locked;
  if (!is_locked) __flyball_os_state = osKernelRunning;
  if (__flyball_os_schedule(me)) {
    me->is_urgent = 0;
    return osError;
  }
  if (is_locked) __flyball_os_state = osKernelLocked;
  return is_locked;
}

/* Changes the lock; returns what it was, or an error. */
static int32_t change(int is_locked) {
  int32_t was = __flyball_os_state == osKernelLocked, result;
  if (is_interrupt()) return osErrorISR;
  if (!was && __flyball_os_state != osKernelRunning) return osError;
  if (was == is_locked) return was;
  result = set_lock(is_locked);
  return result < 0 ? result : was;
}

int32_t osKernelLock(void) { return change(1); }
int32_t osKernelUnlock(void) { return change(0); }

int32_t osKernelRestoreLock(int32_t lock) {
  int32_t result;
  if (is_interrupt()) return osErrorISR;
  if (lock != 0 && lock != 1) return osError;
  result = change(lock);
  return result < 0 ? result : lock;
}

uint32_t osKernelGetTickCount(void) { return (uint32_t) (flyball_now() / TICK); }
uint32_t osKernelGetTickFreq(void) { return 1000000000u / TICK; }
uint32_t osKernelGetSysTimerCount(void) { return (uint32_t) (flyball_now() / STEP); }
uint32_t osKernelGetSysTimerFreq(void) { return 1000000000u / STEP; }

/* Waits for nothing, until that instant. */
static osStatus_t sleep_until(uint64_t until) {
  struct waiter waiter;
  __flyball_os_self();
  if (__flyball_os_state == osKernelLocked) return osError;
  __flyball_os_wait_until(0, &waiter, until, mask());
  return osOK;
}

osStatus_t osDelay(uint32_t ticks) {
  if (is_interrupt()) return osErrorISR;
  return ticks ? sleep_until(__flyball_os_until(ticks)) : osErrorParameter;
}

osStatus_t osDelayUntil(uint32_t ticks) {
  uint64_t now = flyball_now() / TICK;
  /* The count begins anew after 2^32 ticks. */
  uint32_t left = ticks - (uint32_t) now;
  if (is_interrupt()) return osErrorISR;
  if (!left || left > INT32_MAX) return osErrorParameter;
  return sleep_until((now + left) * TICK);
}
