/* CMSIS-RTOS 2: how threads wait. sdk/install puts this into libflyball.a. */
#include <errno.h>
#include <flyball.h>
#include <time.h>

#include "os.h"

#define SECOND 1000000000u

/* The cleanup handler of a wait is told of it. */
struct wait {
  struct waiters *waiters;
  struct waiter *waiter;
};

struct timespec __flyball_os_time(uint64_t nanoseconds) {
  return (struct timespec) { nanoseconds / SECOND, nanoseconds % SECOND };
}

/* When so many ticks have begun: that of now began before. */
uint64_t __flyball_os_until(uint32_t ticks) {
  return ticks == osWaitForever ? UINT64_MAX : (flyball_now() / TICK + ticks) * TICK;
}

/* Takes a waiter that has not been served out of its list. Interrupts are masked. */
static void take_out(struct waiters *waiters, struct waiter *waiter) {
  struct waiter **link;
  if (!waiters) return;
  link = &waiters->first;
  while (*link != waiter) link = &(*link)->next;
  *link = waiter->next;
}

/* The wait is over, or the thread that waits is cancelled. What it has been handed is lost then. */
static void leave(void *argument) {
  struct wait *wait = argument;
  uint32_t before = mask();
  struct thread *thread = wait->waiter->thread;
  if (!wait->waiter->is_served) take_out(wait->waiters, wait->waiter);
  if (thread) thread->is_blocked = 0;
  unmask(before);
}

/* Waits until the waiter is served, or that instant; UINT64_MAX: for ever. Interrupts are masked, and are not any
   more when it returns. Returns the waiter's status, or osErrorTimeout. */
osStatus_t __flyball_os_wait_until(struct waiters *waiters, struct waiter *waiter, uint64_t until, uint32_t before) {
  struct wait wait = { waiters, waiter };
  struct timespec time = __flyball_os_time(until);
  int error;
  if (__flyball_os_state == osKernelLocked) {
    unmask(before);
    return osErrorTimeout;
  }
  waiter->next = 0;
  waiter->thread = __flyball_os_me;
  waiter->is_served = 0;
  sem_init(&waiter->wake, 0, 0);
  if (waiters) {
    struct waiter **link = &waiters->first;
    while (*link) link = &(*link)->next;
    *link = waiter;
  }
  if (waiter->thread) waiter->thread->is_blocked = 1;
  unmask(before);
  pthread_cleanup_push(leave, &wait);
  do
    error = until == UINT64_MAX ? sem_wait(&waiter->wake) : sem_clockwait(&waiter->wake, CLOCK_MONOTONIC, &time);
  while (error && errno == EINTR);
  pthread_cleanup_pop(1);
  return waiter->is_served ? waiter->status : osErrorTimeout;
}

/* The same for so many ticks. 0: osErrorResource at once. */
osStatus_t __flyball_os_wait(struct waiters *waiters, struct waiter *waiter, uint32_t ticks, uint32_t before) {
  if (!ticks) {
    unmask(before);
    return osErrorResource;
  }
  return __flyball_os_wait_until(waiters, waiter, __flyball_os_until(ticks), before);
}

/* The thread's wait ends with that status. Interrupts are masked, so it does not run before the caller is done. */
void __flyball_os_serve(struct waiters *waiters, struct waiter *waiter, osStatus_t status) {
  take_out(waiters, waiter);
  waiter->status = status;
  waiter->is_served = 1;
  if (waiter->thread) waiter->thread->is_blocked = 0;
  sem_post(&waiter->wake);
}

static int priority_of(const struct waiter *waiter) {
  return waiter->thread ? waiter->thread->priority : osPriorityNone;
}

/* The waiter of the highest priority, and of equals the one that has waited longest; null: there is none. Priorities
   may change while threads wait, so the list is not in their order. Interrupts are masked. */
struct waiter *__flyball_os_first(const struct waiters *waiters) {
  struct waiter *first = waiters->first;
  for (struct waiter *at = first; at; at = at->next)
    if (priority_of(at) > priority_of(first)) first = at;
  return first;
}

/* Interrupts are masked. */
static void refuse(struct waiters *waiters) {
  while (waiters->first) __flyball_os_serve(waiters, waiters->first, osErrorResource);
}

/* From now on that is no object, and no thread waits for it any more: the caller frees it if this returns osOK. */
osStatus_t __flyball_os_delete(void *id, uint32_t kind) {
  struct object *object = id;
  osStatus_t status = osErrorParameter;
  uint32_t before;
  if (is_interrupt()) return osErrorISR;
  before = mask();
  if (is_object(object, kind)) {
    object->kind = 0;
    refuse(&object->waiters);
    refuse(&object->senders);
    status = osOK;
  }
  unmask(before);
  return status;
}
