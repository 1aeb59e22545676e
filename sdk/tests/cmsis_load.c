/* CMSIS-RTOS 2: threads of different priorities pass many messages, blocks and tokens; others are terminated while
   they wait. Shaken, too (sdk/shake). */
#ifdef __arm__
#include <string.h>

#include "cmsis.h"

#ifndef ROUNDS
#define ROUNDS 10000
#endif
#define PRODUCERS 3
#define EACH (ROUNDS / PRODUCERS)

struct message {
  unsigned producer, number;
  unsigned *block;
};

static osMessageQueueId_t queue;
static osMemoryPoolId_t pool;
static osSemaphoreId_t tokens;
static osMutexId_t mutex;
static osEventFlagsId_t done;
static unsigned sum, received, expected[2][PRODUCERS], inside;

static void produce(void *argument) {
  struct message message = { .producer = (uintptr_t) argument };
  for (message.number = 0; message.number < EACH; message.number++) {
    CHECK(osSemaphoreAcquire(tokens, osWaitForever) == osOK);
    CHECK((message.block = osMemoryPoolAlloc(pool, osWaitForever)));
    *message.block = message.number * 3 + message.producer;
    CHECK(osMessageQueuePut(queue, &message, 0, message.number % 2 ? osWaitForever : 60000) == osOK);
    if (message.number % 16 == message.producer) osDelay(1);
  }
}

static void consume(void *argument) {
  unsigned *at_least = expected[(uintptr_t) argument];
  struct message message;
  while (osMessageQueueGet(queue, &message, 0, osWaitForever) == osOK) {
    CHECK(*message.block == message.number * 3 + message.producer);
    *message.block = ~0u;
    /* What one consumer gets of a producer is in its order. */
    CHECK(message.number >= at_least[message.producer]);
    at_least[message.producer] = message.number + 1;
    CHECK(osMemoryPoolFree(pool, message.block) == osOK && osSemaphoreRelease(tokens) == osOK);
    CHECK(osMutexAcquire(mutex, osWaitForever) == osOK && !inside++);
    sum += message.number;
    if (++received == EACH * PRODUCERS) CHECK(!(osEventFlagsSet(done, 1) & osFlagsError));
    inside--;
    CHECK(osMutexRelease(mutex) == osOK);
  }
}

/* Threads that wait for what there never is, and are terminated or time out. */
static void bystand(void *argument) {
  switch ((uintptr_t) argument % 3) {
    case 0: osEventFlagsWait(done, 2, osFlagsWaitAny, osWaitForever); break;
    case 1: osThreadFlagsWait(1, osFlagsWaitAny, 3); break;
    case 2: osEventFlagsWait(done, 4, osFlagsWaitAny, 3); break;
  }
}

static void test(void *unused) {
  static const osPriority_t priorities[PRODUCERS] = { osPriorityLow, osPriorityNormal, osPriorityHigh };
  osThreadId_t producers[PRODUCERS], consumers[2], other;
  unsigned number = 0;
  uint32_t flags;
  (void) unused;
  consumers[0] = begin(consume, (void *) 0, osPriorityBelowNormal);
  consumers[1] = begin(consume, (void *) 1, osPriorityAboveNormal);
  for (uintptr_t i = 0; i < PRODUCERS; i++) producers[i] = begin(produce, (void *) i, priorities[i]);
  do {
    other = begin(bystand, (void *) (uintptr_t) number++, osPriorityRealtime);
    flags = osEventFlagsWait(done, 1, osFlagsWaitAny, 2);
    osThreadTerminate(other);
    finish(other);
  } while (flags == osFlagsErrorTimeout);
  CHECK(flags == 1);
  for (int i = 0; i < PRODUCERS; i++) finish(producers[i]);
  CHECK(sum == PRODUCERS * (EACH * (EACH - 1) / 2) && osMemoryPoolGetCount(pool) == 0);
  CHECK(osSemaphoreGetCount(tokens) == 6 && osMessageQueueGetCount(queue) == 0);
  CHECK(osMessageQueueDelete(queue) == osOK);
  for (int i = 0; i < 2; i++) finish(consumers[i]);
  CHECK(osThreadGetCount() == 1);
}

int main(void) {
  static const osMutexAttr_t inherits = { .attr_bits = osMutexPrioInherit };
  CHECK((queue = osMessageQueueNew(3, sizeof(struct message), 0)));
  CHECK((pool = osMemoryPoolNew(5, sizeof(unsigned), 0)));
  CHECK((tokens = osSemaphoreNew(6, 6, 0)) && (mutex = osMutexNew(&inherits)) && (done = osEventFlagsNew(0)));
  CHECK(osKernelInitialize() == osOK && osThreadNew(test, 0, 0));
  osKernelStart();
  return 1;
}
#else
int main(void) { return 0; }
#endif
