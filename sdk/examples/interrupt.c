/* An interrupt releases the jobs of a sporadic thread.

   The handler does no more than that. Two interrupts within 5 ms are two jobs, but the second waits until 5 ms after the first
   one's release, so they take no more of the CPU than was planned. The program's timer is the device. */
#include <flyball.h>
#include <stdio.h>

static pthread_t server;
static uint64_t interrupted[4], began[4];
static volatile int interrupts;

static void handler(void) {
  interrupted[interrupts++] = flyball_now();
  flyball_release(server);
}

static void *serve(void *argument) {
  for (int job = 0; job < 4; job++) {
    if (job) flyball_wait_next();
    began[job] = flyball_now();
  }
  return argument;
}

static void interrupt_after(uint64_t time) {
  int before = interrupts;
  flyball_set_timer(time);
  while (interrupts == before) flyball_sleep_until(flyball_now() + FLYBALL_US(200));
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  flyball_attr_setsporadic(&attributes, FLYBALL_MS(5));
  flyball_attr_setdeadline(&attributes, FLYBALL_MS(4));
  if (pthread_create(&server, &attributes, serve, 0)) return 1;
  if (flyball_interrupt(flyball_timer_line(), handler)) return 1;

  interrupt_after(FLYBALL_MS(20));
  interrupt_after(FLYBALL_MS(1)); /* too early: it waits */
  interrupt_after(FLYBALL_MS(20));
  interrupt_after(FLYBALL_MS(20));
  pthread_join(server, 0);
  for (int job = 0; job < 4; job++) {
    int64_t waited = began[job] - interrupted[job];
    printf("job %d: %s\n", job + 1, waited < (int64_t) FLYBALL_MS(1) ? "at once" : "after its separation");
  }
  printf("late jobs: %d\n", (int) flyball_misses());
}
