/* What the files here share. Interrupts may use most objects, so these are changed with interrupts masked, and not
   under a mutex. */
#ifndef FLYBALL_OS_H
#define FLYBALL_OS_H

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>

#include "cmsis_os2.h"

/* Nanoseconds of a tick. */
#define TICK 1000000u

/* A thread that waits for an object. It is on the stack of that thread. */
struct waiter {
  struct waiter *next;
  struct thread *thread; /* null: there was no memory to keep anything of it */
  sem_t wake;
  osStatus_t status; /* if it is served */
  int is_served; /* it is in no list any more */
  uint32_t wanted, options; /* flags */
  uint32_t result; /* flags */
  void *memory; /* the message, or the block that it is given */
  uint8_t priority; /* of the message */
};

/* Threads that wait for an object, in the order in which they came. */
struct waiters {
  struct waiter *first;
};

/* What is kept of a thread. All are in a list. */
struct thread {
  struct thread *next;
  const char *name;
  osThreadFunc_t function;
  void *argument;
  pthread_t thread;
  const void *reent; /* newlib's state of the thread, by which interrupts know it */
  osPriority_t priority;
  uint32_t flags;
  struct waiters waiters; /* for its flags: itself */
  struct thread **waits_for; /* the owner of the mutex for which it waits; null: none */
  uint8_t is_joinable;
  uint8_t is_joined; /* a thread waits for its end, or has it detached */
  uint8_t is_starting; /* the thread that makes it is not done with it */
  uint8_t has_begun;
  uint8_t has_ended;
  uint8_t is_terminated; /* it ends as soon as it can */
  uint8_t is_blocked;
  uint8_t is_urgent; /* it is above all others for now, whatever its priority is */
};

/* Whether there is nothing more to be done with it. */
static inline int is_over(const struct thread *thread) { return thread->has_ended || thread->is_terminated; }

/* What an object begins with: its kind, by which a wrong identifier is noticed, its name, and threads that wait for
   what it has, or for room. */
struct object {
  uint32_t kind;
  const char *name;
  struct waiters waiters, senders;
};

#define KIND_FLAGS 0x464c4147u
#define KIND_MUTEX 0x4d555458u
#define KIND_SEMAPHORE 0x53454d41u
#define KIND_POOL 0x504f4f4cu
#define KIND_QUEUE 0x51554555u
#define KIND_TIMER 0x54494d45u

/* Masks interrupts; returns what `unmask` is to be passed. */
static inline uint32_t mask(void) {
  uint32_t before;
  __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before) : : "memory");
  return before;
}

static inline void unmask(uint32_t before) { __asm__ volatile("msr primask, %0" : : "r"(before) : "memory"); }

/* Whether this is the handler of an interrupt, or a thread that has masked interrupts: it cannot wait. */
static inline int is_interrupt(void) {
  uint32_t number, masked;
  __asm__ volatile("mrs %0, ipsr" : "=r"(number) : : "memory");
  __asm__ volatile("mrs %0, primask" : "=r"(masked) : : "memory");
  return number || masked & 1;
}

static inline struct object object_of(uint32_t kind, const char *name) {
  return (struct object) { .kind = kind, .name = name };
}

/* With interrupts masked, if another thread may delete it. */
static inline int is_object(const void *id, uint32_t kind) { return id && ((const struct object *) id)->kind == kind; }

/* The name of an object; null: there is no such object, or this is an interrupt. */
static inline const char *name_of(const void *id, uint32_t kind) {
  return !is_interrupt() && is_object(id, kind) ? ((const struct object *) id)->name : 0;
}

/* Of the kernel: newlib's state of the calling thread, or of the one that has been interrupted. */
const void *__flyball_interrupted_reent(void);

/* Of self.c. */
extern osKernelState_t __flyball_os_state;
extern struct thread *__flyball_os_threads;
extern _Thread_local struct thread *__flyball_os_me;
struct thread *__flyball_os_self(void);
struct thread *__flyball_os_self_or_end(void);
struct thread *__flyball_os_find(const void *id);
void __flyball_os_add(struct thread *thread);
void __flyball_os_remove(struct thread *thread);
void __flyball_os_ended(void *thread);

/* Of wait.c. */
osStatus_t __flyball_os_wait(struct waiters *waiters, struct waiter *waiter, uint32_t ticks, uint32_t before);
osStatus_t __flyball_os_wait_until(struct waiters *waiters, struct waiter *waiter, uint64_t until, uint32_t before);
void __flyball_os_serve(struct waiters *waiters, struct waiter *waiter, osStatus_t status);
struct waiter *__flyball_os_first(const struct waiters *waiters);
osStatus_t __flyball_os_delete(void *id, uint32_t kind);
struct timespec __flyball_os_time(uint64_t nanoseconds);
uint64_t __flyball_os_until(uint32_t ticks);

/* Of priority.c. */
int __flyball_os_level(osPriority_t priority);
osPriority_t __flyball_os_priority(int level);
int __flyball_os_has_priorities(void);
osStatus_t __flyball_os_schedule(const struct thread *thread);

#endif
