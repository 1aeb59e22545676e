/* What tests of CMSIS-RTOS 2 share. */
#include "check.h"
#include <cmsis_os2.h>

/* A thread of that priority, which can be joined. */
static inline osThreadId_t begin(osThreadFunc_t function, void *argument, osPriority_t priority) {
  osThreadAttr_t attributes = { .name = "test", .attr_bits = osThreadJoinable, .priority = priority };
  osThreadId_t thread = osThreadNew(function, argument, &attributes);
  CHECK(thread);
  return thread;
}

static inline void finish(osThreadId_t thread) { CHECK(osThreadJoin(thread) == osOK); }

/* Threads write letters here as they run. */
static char order[64];
static int ran;

static inline void note(char letter) {
  order[ran++] = letter;
  order[ran] = 0;
}

#define ORDER(letters)                                \
  do {                                                \
    if (strcmp(order, letters)) printf("%s\n", order); \
    CHECK(!strcmp(order, letters));                   \
    ran = 0;                                          \
    order[0] = 0;                                     \
  } while (0)
