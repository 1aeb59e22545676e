/* A control loop with deadlines, under EDF.

   What the threads need stands in the image: `flyball analyse control.elf` says whether all deadlines are met.

   Each 10 ms a controller reads the temperature of a furnace and sets its power; it has to be done within 4 ms.
   Each 100 ms another thread prints the temperature. The policy needs no priorities: it compares deadlines. */
#include <flyball.h>
#include <stdio.h>

FLYBALL_THREAD(control, .period = FLYBALL_MS(10), .deadline = FLYBALL_MS(4), .execution_time = FLYBALL_MS(2));
FLYBALL_THREAD(show, .period = FLYBALL_MS(100), .deadline = FLYBALL_MS(90), .execution_time = FLYBALL_MS(12),
               .phase = FLYBALL_MS(5));

static pthread_mutex_t lock; /* with priority inheritance */
static int temperature = 20000, power; /* in thousandths */

static void *run_control(void *argument) {
  int sum = 0;
  for (int step = 0; step < 100; step++) {
    pthread_mutex_lock(&lock);
    int error = 80000 - temperature;
    sum += error / 100;
    power = error * 2 + sum * 10;
    if (power < 0) power = 0;
    if (power > 100000) power = 100000;
    /* What the furnace does meanwhile. */
    temperature += power / 20 - (temperature - 20000) / 20;
    pthread_mutex_unlock(&lock);
    flyball_wait_next();
  }
  return argument;
}

static void *run_show(void *argument) {
  for (int time = 0; time < 10; time++) {
    pthread_mutex_lock(&lock);
    int now = temperature;
    pthread_mutex_unlock(&lock);
    printf("%4d ms: %d.%d degrees\n", time * 100, now / 1000, now % 1000 / 100);
    flyball_wait_next();
  }
  return argument;
}

int main(void) {
  pthread_mutexattr_t inherit;
  pthread_mutexattr_init(&inherit);
  pthread_mutexattr_setprotocol(&inherit, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&lock, &inherit);

  pthread_t controller, display;
  if (flyball_create(&controller, &control, run_control, 0) || flyball_create(&display, &show, run_show, 0)) return 1;
  pthread_join(controller, 0);
  pthread_join(display, 0);
  printf("late jobs: %d\n", (int) flyball_misses());
}
