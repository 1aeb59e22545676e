/* CMSIS-RTOS 2: flags of threads and of events. sdk/install puts this into libflyball.a. */
#include <stdlib.h>

#include "os.h"

struct events {
  struct object object;
  uint32_t flags;
};

/* Whether a wait for these flags is over. */
static int has(uint32_t flags, uint32_t wanted, uint32_t options) {
  return options & osFlagsWaitAll ? (flags & wanted) == wanted : (flags & wanted) != 0;
}

/* Flags without those that a wait clears. */
static uint32_t without(uint32_t flags, uint32_t wanted, uint32_t options) {
  return options & osFlagsNoClear ? flags : flags & ~wanted;
}

/* The most urgent thread whose wait is over; null: none. */
static struct waiter *next(const struct waiters *waiters, uint32_t flags) {
  struct waiter *first = 0;
  for (struct waiter *at = waiters->first; at; at = at->next) {
    if (!has(flags, at->wanted, at->options)) continue;
    if (!first || at->thread->priority > first->thread->priority) first = at;
  }
  return first;
}

/* Sets flags, and serves the threads for which they suffice. Interrupts are masked. Returns the flags then. */
static uint32_t set(uint32_t *flags, struct waiters *waiters, uint32_t more) {
  struct waiter *waiter;
  *flags |= more;
  while ((waiter = next(waiters, *flags))) {
    waiter->result = *flags;
    *flags = without(*flags, waiter->wanted, waiter->options);
    __flyball_os_serve(waiters, waiter, osOK);
  }
  return *flags;
}

/* Waits for flags. Interrupts are masked, and are not any more when it returns. Returns the flags before they are
   cleared, or an error: the number of the status. */
static uint32_t wait(uint32_t *flags, struct waiters *waiters, uint32_t wanted, uint32_t options, uint32_t ticks,
                     uint32_t before) {
  struct waiter waiter = { .wanted = wanted, .options = options };
  osStatus_t status;
  if (has(*flags, wanted, options)) {
    uint32_t result = *flags;
    *flags = without(result, wanted, options);
    unmask(before);
    return result;
  }
  status = __flyball_os_wait(waiters, &waiter, ticks, before);
  return status ? (uint32_t) status : waiter.result;
}

uint32_t osThreadFlagsSet(osThreadId_t thread_id, uint32_t flags) {
  struct thread *thread;
  uint32_t before, result = osFlagsErrorParameter;
  if (flags & osFlagsError) return result;
  before = mask();
  thread = __flyball_os_find(thread_id);
  if (thread) result = is_over(thread) ? osFlagsErrorResource : set(&thread->flags, &thread->waiters, flags);
  unmask(before);
  return result;
}

uint32_t osThreadFlagsClear(uint32_t flags) {
  struct thread *me;
  uint32_t before, result;
  if (is_interrupt()) return osFlagsErrorISR;
  if (flags & osFlagsError) return osFlagsErrorParameter;
  me = __flyball_os_self();
  if (!me) return osFlagsErrorUnknown;
  before = mask();
  result = me->flags;
  me->flags &= ~flags;
  unmask(before);
  return result;
}

uint32_t osThreadFlagsGet(void) {
  struct thread *me = is_interrupt() ? 0 : __flyball_os_self();
  return me ? me->flags : 0;
}

uint32_t osThreadFlagsWait(uint32_t flags, uint32_t options, uint32_t timeout) {
  struct thread *me;
  if (is_interrupt()) return osFlagsErrorISR;
  if (flags & osFlagsError) return osFlagsErrorParameter;
  me = __flyball_os_self_or_end();
  if (!me) return osFlagsErrorUnknown;
  return wait(&me->flags, &me->waiters, flags, options, timeout, mask());
}

osEventFlagsId_t osEventFlagsNew(const osEventFlagsAttr_t *attr) {
  struct events *events = is_interrupt() ? 0 : calloc(1, sizeof *events);
  if (!events) return 0;
  events->object = object_of(KIND_FLAGS, attr ? attr->name : 0);
  return events;
}

const char *osEventFlagsGetName(osEventFlagsId_t ef_id) { return name_of(ef_id, KIND_FLAGS); }

uint32_t osEventFlagsSet(osEventFlagsId_t ef_id, uint32_t flags) {
  struct events *events = ef_id;
  uint32_t before, result = osFlagsErrorParameter;
  if (flags & osFlagsError) return result;
  before = mask();
  if (is_object(events, KIND_FLAGS)) result = set(&events->flags, &events->object.waiters, flags);
  unmask(before);
  return result;
}

uint32_t osEventFlagsClear(osEventFlagsId_t ef_id, uint32_t flags) {
  struct events *events = ef_id;
  uint32_t before, result = osFlagsErrorParameter;
  if (flags & osFlagsError) return result;
  before = mask();
  if (is_object(events, KIND_FLAGS)) {
    result = events->flags;
    events->flags &= ~flags;
  }
  unmask(before);
  return result;
}

uint32_t osEventFlagsGet(osEventFlagsId_t ef_id) {
  struct events *events = ef_id;
  uint32_t before = mask(), flags = is_object(events, KIND_FLAGS) ? events->flags : 0;
  unmask(before);
  return flags;
}

uint32_t osEventFlagsWait(osEventFlagsId_t ef_id, uint32_t flags, uint32_t options, uint32_t timeout) {
  struct events *events = ef_id;
  uint32_t before;
  if (flags & osFlagsError || (timeout && is_interrupt())) return osFlagsErrorParameter;
  if (timeout && !__flyball_os_self_or_end()) return osFlagsErrorUnknown;
  before = mask();
  if (!is_object(events, KIND_FLAGS)) {
    unmask(before);
    return osFlagsErrorParameter;
  }
  return wait(&events->flags, &events->object.waiters, flags, options, timeout, before);
}

osStatus_t osEventFlagsDelete(osEventFlagsId_t ef_id) {
  osStatus_t status = __flyball_os_delete(ef_id, KIND_FLAGS);
  if (!status) free(ef_id);
  return status;
}
