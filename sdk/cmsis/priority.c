/* CMSIS-RTOS 2: priorities. sdk/install puts this into libflyball.a. */
#include "os.h"

/* The highest level of the kernel is for threads that are urgent for now; the lowest is osPriorityIdle. Of the levels
   between each of the six groups from osPriorityLow on has five, for eight priorities. */
#define LOWEST 1
#define HIGHEST 32
#define LEVELS 5

int __flyball_os_level(osPriority_t priority) {
  int group = priority / 8, within = priority % 8;
  if (priority < osPriorityLow) return LOWEST;
  if (priority >= osPriorityISR) return HIGHEST - 1;
  return LOWEST + 1 + (group - 1) * LEVELS + (within + 1) / 2;
}

/* The lowest priority with that level. */
osPriority_t __flyball_os_priority(int level) {
  if (level <= LOWEST) return osPriorityIdle;
  if (level >= HIGHEST) return osPriorityRealtime7;
  level -= LOWEST + 1;
  return (osPriority_t) ((1 + level / LEVELS) * 8 + (level % LEVELS ? level % LEVELS * 2 - 1 : 0));
}

/* Whether the policy of the kernel has any. */
int __flyball_os_has_priorities(void) { return sched_get_priority_max(SCHED_RR) == HIGHEST; }

/* Schedules a thread as is kept of it. */
osStatus_t __flyball_os_schedule(const struct thread *thread) {
  int level = thread->is_urgent ? HIGHEST : __flyball_os_level(thread->priority);
  struct sched_param parameters = { .sched_priority = level };
  int policy = thread->is_urgent ? SCHED_FIFO : SCHED_RR;
  return pthread_setschedparam(thread->thread, policy, &parameters) ? osError : osOK;
}
