/* policies: edf rr ipi */
/* CMSIS-RTOS 2 where the kernel's threads have no priorities. */
#ifdef __arm__
#include <string.h>

#include "cmsis.h"

static osMessageQueueId_t queue;
static osMutexId_t mutex;
static unsigned sum;

static void produce(void *unused) {
  (void) unused;
  for (unsigned i = 1; i <= 100; i++) CHECK(osMessageQueuePut(queue, &i, 0, osWaitForever) == osOK);
}

static void consume(void *unused) {
  (void) unused;
  for (unsigned i = 1, message; i <= 100; i++) {
    CHECK(osMessageQueueGet(queue, &message, 0, osWaitForever) == osOK);
    CHECK(osMutexAcquire(mutex, osWaitForever) == osOK);
    sum += message;
    CHECK(osMutexRelease(mutex) == osOK);
  }
}

static void wait_flags(void *letter) {
  CHECK(osThreadFlagsWait(1, osFlagsWaitAny, osWaitForever) == 1);
  note(*(char *) letter);
}

static void expire(void *unused) {
  (void) unused;
  note('t');
}

static void test(void *unused) {
  osThreadId_t threads[4], me = osThreadGetId();
  osTimerId_t timer = osTimerNew(expire, osTimerOnce, 0, 0);
  (void) unused;
  CHECK(osKernelGetState() == osKernelRunning);
  /* They are kept, and mean nothing to the kernel. */
  CHECK(osThreadGetPriority(me) == osPriorityNormal && osThreadSetPriority(me, osPriorityHigh) == osError);
  CHECK(osKernelLock() == osError && osKernelUnlock() == 0);
  for (int i = 0; i < 2; i++) {
    threads[i] = begin(produce, 0, osPriorityLow);
    threads[2 + i] = begin(consume, 0, osPriorityHigh);
  }
  for (int i = 0; i < 4; i++) finish(threads[i]);
  CHECK(sum == 2 * 5050);
  threads[0] = begin(wait_flags, "a", osPriorityHigh);
  CHECK(osDelay(20) == osOK && osThreadGetState(threads[0]) == osThreadBlocked);
  CHECK(osThreadFlagsSet(threads[0], 1) == 0);
  finish(threads[0]);
  ORDER("a");
  threads[0] = begin(wait_flags, "a", osPriorityHigh);
  CHECK(osDelay(20) == osOK && osThreadTerminate(threads[0]) == osOK);
  finish(threads[0]);
  CHECK(osTimerStart(timer, 10) == osOK && osDelay(40) == osOK);
  ORDER("t");
  CHECK(osTimerDelete(timer) == osOK);
}

int main(void) {
  CHECK((queue = osMessageQueueNew(2, sizeof(unsigned), 0)) && (mutex = osMutexNew(0)));
  CHECK(osKernelInitialize() == osOK && osThreadNew(test, 0, 0));
  osKernelStart();
  return 1;
}
#else
int main(void) { return 0; }
#endif
