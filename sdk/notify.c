/* Threads that begin because a timer has expired, or a message has come. sdk/install puts this into libflyball.a. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "signals.h"

/* Checks and keeps what a program wants to be told. Returns 0 or EINVAL. A thread is scheduled as the calling
   one, unless its attributes say otherwise. */
int __flyball_notice(struct notice *notice, const struct sigevent *event) {
  struct sched_param parameters;
  int policy;
  notice->event = *event;
  switch (event->sigev_notify) {
    case SIGEV_NONE: return 0;
    case SIGEV_SIGNAL: return is_signal(event->sigev_signo) ? 0 : EINVAL;
    case SIGEV_THREAD: break;
    default: return EINVAL;
  }
  if (!event->sigev_notify_function) return EINVAL;
  if (event->sigev_notify_attributes) {
    notice->attributes = *event->sigev_notify_attributes;
  } else {
    pthread_getschedparam(pthread_self(), &policy, &parameters);
    pthread_attr_init(&notice->attributes);
    pthread_attr_setinheritsched(&notice->attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&notice->attributes, policy);
    pthread_attr_setschedparam(&notice->attributes, &parameters);
  }
  return pthread_attr_setdetachstate(&notice->attributes, PTHREAD_CREATE_DETACHED);
}

/* What the new thread calls, and with which value. */
struct call {
  void (*function)(union sigval);
  union sigval value;
};

static void *run(void *argument) {
  struct call call = *(struct call *) argument;
  free(argument);
  call.function(call.value);
  return 0;
}

/* Begins the thread. Returns 0, or what pthread_create returns. */
int __flyball_begin_thread(const struct notice *notice) {
  struct call *call = malloc(sizeof *call);
  pthread_t thread;
  int error;
  if (!call) return EAGAIN;
  *call = (struct call) { notice->event.sigev_notify_function, notice->event.sigev_value };
  error = pthread_create(&thread, &notice->attributes, run, call);
  if (error) free(call);
  return error;
}
