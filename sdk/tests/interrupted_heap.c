/* Ends with 134. A handler of an interrupt that needs the heap ends the program. */
#include <flyball.h>
#include "check.h"

static void *volatile block;

static void handler(void) { block = malloc(8); }

int main(void) {
  CHECK(flyball_interrupt(flyball_timer_line(), handler) == 0);
  flyball_set_timer(FLYBALL_US(100));
  pause_for(10);
  return 1;
}
