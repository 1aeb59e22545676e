/* CMSIS-RTOS 2: timers. One thread calls their functions; it is made with the first timer. sdk/install puts this into
   libflyball.a. */
#include <flyball.h>
#include <stdlib.h>

#include "os.h"

/* Of Rust: the program does not wait for the end of one thread. */
void __flyball_add_service(void);

struct timer {
  struct object object;
  struct timer *next;
  osTimerFunc_t function;
  void *argument;
  int is_periodic;
  uint64_t at; /* 0: it does not run */
  uint64_t every;
};

/* Protects everything here. The second word: with priority inheritance. */
static pthread_mutex_t mutex = { { 0, 1, 0 } };
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct timer *all;
static osThreadId_t service;

/* The timer that expires next; null: none runs. */
static struct timer *next(void) {
  struct timer *first = 0;
  for (struct timer *at = all; at; at = at->next)
    if (at->at && (!first || at->at < first->at)) first = at;
  return first;
}

__attribute__((__noreturn__)) static void serve(void *unused) {
  (void) unused;
  pthread_mutex_lock(&mutex);
  for (;;) {
    struct timer *timer = next();
    if (!timer) {
      pthread_cond_wait(&changed, &mutex);
    } else if (timer->at > flyball_now()) {
      struct timespec until = __flyball_os_time(timer->at);
      pthread_cond_clockwait(&changed, &mutex, CLOCK_MONOTONIC, &until);
    } else {
      osTimerFunc_t function = timer->function;
      void *argument = timer->argument;
      timer->at = timer->is_periodic ? timer->at + timer->every : 0;
      pthread_mutex_unlock(&mutex);
      function(argument);
      pthread_mutex_lock(&mutex);
    }
  }
}

/* Makes the thread if there is none yet. Returns whether there is one. */
static int start(void) {
  static const osThreadAttr_t attributes = { .name = "osTimer", .priority = osPriorityHigh };
  if (service) return 1;
  service = osThreadNew(serve, 0, &attributes);
  if (!service) return 0;
  __flyball_add_service();
  return 1;
}

osTimerId_t osTimerNew(osTimerFunc_t func, osTimerType_t type, void *argument, const osTimerAttr_t *attr) {
  struct timer *timer;
  if (is_interrupt() || !func || (type != osTimerOnce && type != osTimerPeriodic)) return 0;
  timer = calloc(1, sizeof *timer);
  if (!timer) return 0;
  timer->object = object_of(KIND_TIMER, attr ? attr->name : 0);
  timer->function = func;
  timer->argument = argument;
  timer->is_periodic = type == osTimerPeriodic;
  pthread_mutex_lock(&mutex);
  if (start()) {
    timer->next = all;
    all = timer;
  } else {
    free(timer);
    timer = 0;
  }
  pthread_mutex_unlock(&mutex);
  return timer;
}

const char *osTimerGetName(osTimerId_t timer_id) { return name_of(timer_id, KIND_TIMER); }

osStatus_t osTimerStart(osTimerId_t timer_id, uint32_t ticks) {
  struct timer *timer = timer_id;
  int is_one;
  if (is_interrupt()) return osErrorISR;
  if (!ticks) return osErrorParameter;
  pthread_mutex_lock(&mutex);
  is_one = is_object(timer, KIND_TIMER);
  if (is_one) {
    timer->every = (uint64_t) ticks * TICK;
    timer->at = __flyball_os_until(ticks);
    pthread_cond_signal(&changed);
  }
  pthread_mutex_unlock(&mutex);
  return is_one ? osOK : osErrorParameter;
}

osStatus_t osTimerStop(osTimerId_t timer_id) {
  struct timer *timer = timer_id;
  osStatus_t status = osOK;
  if (is_interrupt()) return osErrorISR;
  pthread_mutex_lock(&mutex);
  if (!is_object(timer, KIND_TIMER))
    status = osErrorParameter;
  else if (!timer->at)
    status = osErrorResource;
  else
    timer->at = 0;
  pthread_mutex_unlock(&mutex);
  return status;
}

uint32_t osTimerIsRunning(osTimerId_t timer_id) {
  struct timer *timer = timer_id;
  int runs;
  if (is_interrupt()) return 0;
  pthread_mutex_lock(&mutex);
  runs = is_object(timer, KIND_TIMER) && timer->at;
  pthread_mutex_unlock(&mutex);
  return runs;
}

osStatus_t osTimerDelete(osTimerId_t timer_id) {
  struct timer *timer = timer_id, **link = &all;
  int is_one;
  if (is_interrupt()) return osErrorISR;
  pthread_mutex_lock(&mutex);
  is_one = is_object(timer, KIND_TIMER);
  if (is_one) {
    while (*link != timer) link = &(*link)->next;
    *link = timer->next;
    timer->object.kind = 0;
  }
  pthread_mutex_unlock(&mutex);
  if (!is_one) return osErrorParameter;
  free(timer);
  return osOK;
}
