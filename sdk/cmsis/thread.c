/* CMSIS-RTOS 2: threads. sdk/install puts this into libflyball.a. */
#include <limits.h>
#include <reent.h>
#include <stdlib.h>
#include <string.h>

#include "os.h"

/* The bytes of a name that debuggers show, with a zero at the end. */
#define LABEL 16

/* Over how many threads that wait for each other osThreadGetPriority looks. */
#define CHAIN 8

static void *run(void *argument) {
  struct thread *me = argument;
  char label[LABEL] = "";
  __flyball_os_me = me;
  me->thread = pthread_self();
  me->reent = _impure_ptr;
  me->has_begun = 1;
  pthread_cleanup_push(__flyball_os_ended, me);
  if (me->name) strncpy(label, me->name, LABEL - 1);
  pthread_setname_np(me->thread, label);
  pthread_testcancel();
  me->function(me->argument);
  pthread_cleanup_pop(1);
  return 0;
}

/* How a thread is created. Returns 0 or an error. */
static int prepare(pthread_attr_t *attributes, const struct thread *thread, uint32_t stack) {
  struct sched_param parameters = { .sched_priority = 0 };
  int policy = SCHED_OTHER, error = 0;
  pthread_attr_init(attributes);
  pthread_attr_setinheritsched(attributes, PTHREAD_EXPLICIT_SCHED);
  if (__flyball_os_has_priorities()) {
    policy = SCHED_RR;
    parameters.sched_priority = __flyball_os_level(thread->priority);
  }
  error |= pthread_attr_setschedpolicy(attributes, policy);
  error |= pthread_attr_setschedparam(attributes, &parameters);
  if (!thread->is_joinable) error |= pthread_attr_setdetachstate(attributes, PTHREAD_CREATE_DETACHED);
  /* The thread has all of what it asks for: calls need some besides. */
  if (stack) error |= pthread_attr_setstacksize(attributes, stack + PTHREAD_STACK_MIN);
  return error;
}

static int is_priority(osPriority_t priority) { return priority >= osPriorityIdle && priority <= osPriorityISR; }

/* Creates it. It may run, and end, before this returns. Returns 0 or an error. */
static int create(struct thread *thread, uint32_t stack) {
  pthread_attr_t attributes;
  pthread_t name;
  uint32_t before;
  int is_gone, error = prepare(&attributes, thread, stack);
  if (error) return error;
  __flyball_os_add(thread);
  error = pthread_create(&name, &attributes, run, thread);
  before = mask();
  thread->thread = name;
  thread->is_starting = 0;
  is_gone = !error && thread->has_ended && !thread->is_joinable;
  if (error || is_gone) __flyball_os_remove(thread);
  unmask(before);
  if (is_gone) free(thread);
  return error;
}

osThreadId_t osThreadNew(osThreadFunc_t func, void *argument, const osThreadAttr_t *attr) {
  static const osThreadAttr_t usual;
  struct thread *thread;
  osPriority_t priority;
  if (!attr) attr = &usual;
  priority = attr->priority == osPriorityNone ? osPriorityNormal : attr->priority;
  if (is_interrupt() || !func || !is_priority(priority) || attr->stack_size > INT32_MAX) return 0;
  thread = calloc(1, sizeof *thread);
  if (!thread) return 0;
  thread->name = attr->name;
  thread->function = func;
  thread->argument = argument;
  thread->priority = priority;
  thread->is_joinable = attr->attr_bits & osThreadJoinable;
  thread->is_starting = 1;
  if (create(thread, attr->stack_size)) {
    free(thread);
    return 0;
  }
  return thread;
}

const char *osThreadGetName(osThreadId_t thread_id) {
  const char *name = 0;
  if (!is_interrupt()) {
    uint32_t before = mask();
    struct thread *thread = __flyball_os_find(thread_id);
    if (thread) name = thread->name;
    unmask(before);
  }
  return name;
}

osThreadId_t osThreadGetId(void) { return __flyball_os_self(); }

osThreadState_t osThreadGetState(osThreadId_t thread_id) {
  osThreadState_t state = osThreadReady;
  struct thread *thread;
  uint32_t before;
  if (is_interrupt()) return osThreadError;
  before = mask();
  thread = __flyball_os_find(thread_id);
  if (!thread)
    state = osThreadError;
  else if (is_over(thread))
    state = osThreadTerminated;
  else if (thread->is_blocked)
    state = osThreadBlocked;
  else if (thread == __flyball_os_me)
    state = osThreadRunning;
  unmask(before);
  return state;
}

uint32_t osThreadGetStackSize(osThreadId_t thread_id) {
  pthread_attr_t attributes;
  pthread_t name = 0;
  size_t size;
  if (!is_interrupt()) {
    uint32_t before = mask();
    struct thread *thread = __flyball_os_find(thread_id);
    if (thread) name = thread->thread;
    unmask(before);
  }
  if (!name || pthread_getattr_np(name, &attributes) || pthread_attr_getstacksize(&attributes, &size)) return 0;
  return size;
}

osStatus_t osThreadSetPriority(osThreadId_t thread_id, osPriority_t priority) {
  struct thread *thread, copy = { .has_ended = 1 };
  uint32_t before;
  if (is_interrupt()) return osErrorISR;
  if (!is_priority(priority)) return osErrorParameter;
  if (!__flyball_os_has_priorities()) return osError;
  before = mask();
  thread = __flyball_os_find(thread_id);
  if (thread && !is_over(thread)) {
    thread->priority = priority;
    copy = *thread;
  }
  unmask(before);
  if (!thread) return osErrorParameter;
  if (copy.has_ended) return osErrorResource;
  return copy.is_urgent ? osOK : __flyball_os_schedule(&copy);
}

/* The priority of a thread with what it inherits from those that wait for its mutexes, over so many of these. */
static osPriority_t with_inheritance(const struct thread *thread, int most) {
  osPriority_t priority = thread->priority;
  for (struct thread *at = __flyball_os_threads; at && most; at = at->next) {
    if (at->waits_for && *at->waits_for == thread) {
      osPriority_t inherited = with_inheritance(at, most - 1);
      if (inherited > priority) priority = inherited;
    }
  }
  return priority;
}

osPriority_t osThreadGetPriority(osThreadId_t thread_id) {
  osPriority_t priority = osPriorityError;
  if (!is_interrupt()) {
    uint32_t before = mask();
    struct thread *thread = __flyball_os_find(thread_id);
    if (thread && !is_over(thread)) priority = with_inheritance(thread, CHAIN);
    unmask(before);
  }
  return priority;
}

osStatus_t osThreadYield(void) {
  if (is_interrupt()) return osErrorISR;
  pthread_testcancel();
  sched_yield();
  return osOK;
}

/* Only the caller may join that thread from now on. Returns osOK with its name, or an error. */
static osStatus_t claim(osThreadId_t thread_id, pthread_t *name, int detaches) {
  osStatus_t status = osOK;
  struct thread *thread, *gone = 0;
  uint32_t before;
  if (is_interrupt()) return osErrorISR;
  before = mask();
  thread = __flyball_os_find(thread_id);
  if (!thread) {
    status = osErrorParameter;
  } else if (!thread->is_joinable || thread->is_joined || (!detaches && thread == __flyball_os_me)) {
    status = osErrorResource;
  } else {
    *name = thread->thread;
    thread->is_joined = 1;
    if (detaches) {
      thread->is_joinable = 0;
      if (thread->has_ended) __flyball_os_remove(gone = thread);
    }
  }
  unmask(before);
  free(gone);
  return status;
}

osStatus_t osThreadDetach(osThreadId_t thread_id) {
  pthread_t name;
  osStatus_t status = claim(thread_id, &name, 1);
  if (!status) pthread_detach(name);
  return status;
}

/* The thread that joins does not wait any more. */
static void give_up(void *thread) {
  ((struct thread *) thread)->is_joined = 0;
  if (__flyball_os_me) __flyball_os_me->is_blocked = 0;
}

osStatus_t osThreadJoin(osThreadId_t thread_id) {
  struct thread *thread = thread_id, *me = __flyball_os_self();
  pthread_t name;
  uint32_t before;
  osStatus_t status;
  int error;
  if (__flyball_os_state == osKernelLocked) return osErrorResource;
  status = claim(thread_id, &name, 0);
  if (status) return status;
  if (me) me->is_blocked = 1;
  pthread_cleanup_push(give_up, thread);
  error = pthread_join(name, 0);
  pthread_cleanup_pop(error);
  if (me) me->is_blocked = 0;
  if (error) return osErrorResource;
  before = mask();
  __flyball_os_remove(thread);
  unmask(before);
  free(thread);
  pthread_testcancel();
  return osOK;
}

void osThreadExit(void) { pthread_exit(0); }

osStatus_t osThreadTerminate(osThreadId_t thread_id) {
  struct thread *thread, copy = { .has_ended = 1 };
  uint32_t before;
  if (is_interrupt()) return osErrorISR;
  before = mask();
  thread = __flyball_os_find(thread_id);
  if (thread && !is_over(thread)) {
    copy = *thread;
    thread->is_terminated = 1;
  }
  unmask(before);
  if (!thread) return osErrorParameter;
  if (copy.has_ended) return osErrorResource;
  if (thread == __flyball_os_me) pthread_exit(0);
  pthread_cancel(copy.thread);
  if (!copy.has_begun || (copy.is_blocked && !copy.waits_for)) {
    /* It is about to end, and is to do so before this returns. */
    copy.is_urgent = 1;
    __flyball_os_schedule(&copy);
  }
  return osOK;
}

/* Copies identifiers of threads that have not ended; returns how many. */
static uint32_t list(osThreadId_t *to, uint32_t room) {
  uint32_t count = 0, before = mask();
  for (struct thread *thread = __flyball_os_threads; thread && count < room; thread = thread->next) {
    if (is_over(thread) || !thread->thread) continue;
    if (to) to[count] = thread;
    count++;
  }
  unmask(before);
  return count;
}

uint32_t osThreadGetCount(void) { return is_interrupt() ? 0 : list(0, UINT32_MAX); }

uint32_t osThreadEnumerate(osThreadId_t *thread_array, uint32_t array_items) {
  return is_interrupt() || !thread_array ? 0 : list(thread_array, array_items);
}
