/* CMSIS-RTOS 2: what is kept of threads. sdk/install puts this into libflyball.a. */
#include <reent.h>
#include <stdlib.h>

#include "os.h"

osKernelState_t __flyball_os_state;
struct thread *__flyball_os_threads;

/* What is kept of the calling thread; null: nothing yet. */
_Thread_local struct thread *__flyball_os_me;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int has_key;

static void make_key(void) { has_key = !pthread_key_create(&key, __flyball_os_ended); }

/* Interrupts are masked. Returns null if there is no such thread. */
struct thread *__flyball_os_find(const void *id) {
  struct thread *thread = __flyball_os_threads;
  while (thread && thread != id) thread = thread->next;
  return thread;
}

/* The newest is the last one. */
void __flyball_os_add(struct thread *thread) {
  uint32_t before = mask();
  struct thread **link = &__flyball_os_threads;
  while (*link) link = &(*link)->next;
  *link = thread;
  unmask(before);
}

/* Interrupts are masked. */
void __flyball_os_remove(struct thread *thread) {
  struct thread **link = &__flyball_os_threads;
  while (*link != thread) link = &(*link)->next;
  *link = thread->next;
}

/* A thread ends: the calling one. */
void __flyball_os_ended(void *argument) {
  struct thread *thread = argument;
  uint32_t before = mask();
  int is_gone;
  __flyball_os_me = 0;
  thread->has_ended = 1;
  if (thread->is_urgent && __flyball_os_state == osKernelLocked) __flyball_os_state = osKernelRunning;
  is_gone = !thread->is_joinable && !thread->is_starting;
  if (is_gone) __flyball_os_remove(thread);
  unmask(before);
  if (is_gone) free(thread);
}

/* The calling thread is one that osThreadNew has not made. */
static struct thread *adopt(void) {
  struct thread *me;
  struct sched_param parameters;
  int policy;
  pthread_once(&once, make_key);
  me = has_key ? calloc(1, sizeof *me) : 0;
  if (!me) return 0;
  if (pthread_setspecific(key, me)) {
    free(me);
    return 0;
  }
  me->thread = pthread_self();
  me->reent = _impure_ptr;
  pthread_getschedparam(me->thread, &policy, &parameters);
  me->priority = __flyball_os_priority(parameters.sched_priority);
  __flyball_os_me = me;
  __flyball_os_add(me);
  return me;
}

/* The calling thread, or the one that has been interrupted; null if there was no memory, or if nothing is kept of
   the latter. */
struct thread *__flyball_os_self(void) {
  if (is_interrupt()) {
    uint32_t before = mask();
    const void *reent = __flyball_interrupted_reent();
    struct thread *thread = __flyball_os_threads;
    /* One that has ended may have had the same memory. */
    while (thread && (thread->has_ended || thread->reent != reent)) thread = thread->next;
    unmask(before);
    return thread;
  }
  return __flyball_os_me ? __flyball_os_me : adopt();
}

/* The same for a call that may wait: the calling thread ends if it has been terminated. */
struct thread *__flyball_os_self_or_end(void) {
  pthread_testcancel();
  return __flyball_os_self();
}
