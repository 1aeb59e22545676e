/* CMSIS-RTOS 2: what interrupts may do, and what they may not. */
#ifdef __arm__
#include <flyball.h>
#include <string.h>

#include "cmsis.h"

static osThreadId_t waiter, interrupted;
static osEventFlagsId_t events;
static osSemaphoreId_t semaphore;
static osMemoryPoolId_t pool;
static osMessageQueueId_t queue;
static osMutexId_t mutex;
static osTimerId_t timer;
static volatile int count, wrong;
static void (*volatile action)(void);

/* In an interrupt nothing is printed. */
#define EXPECT(what) \
  do {               \
    if (!(what) && !wrong) wrong = __LINE__; \
  } while (0)

static void nothing(void *unused) { (void) unused; }

static void handler(void) {
  action();
  count++;
}

static void allowed(void) {
  osVersion_t version;
  uint32_t message = 7, tick = flyball_now() / 1000000;
  void *block;
  EXPECT(osThreadGetId() == interrupted);
  EXPECT(osKernelGetState() == osKernelRunning && osKernelGetInfo(&version, 0, 0) == osOK);
  /* A tick may begin between two looks. */
  EXPECT(osKernelGetTickCount() - tick <= 1 && osKernelGetTickFreq() == 1000);
  EXPECT(osKernelGetSysTimerCount() > 0 && osKernelGetSysTimerFreq() > 0);
  EXPECT(osEventFlagsSet(events, 3) == 3 && osEventFlagsClear(events, 1) == 3 && osEventFlagsGet(events) == 2);
  EXPECT(osEventFlagsWait(events, 2, 0, 0) == 2 && osEventFlagsWait(events, 2, 0, 0) == osFlagsErrorResource);
  EXPECT(osEventFlagsWait(events, 2, 0, 1) == osFlagsErrorParameter);
  EXPECT(osSemaphoreGetCount(semaphore) == 0 && osSemaphoreRelease(semaphore) == osOK);
  EXPECT(osSemaphoreAcquire(semaphore, 1) == osErrorParameter && osSemaphoreAcquire(semaphore, 0) == osOK);
  EXPECT(osSemaphoreAcquire(semaphore, 0) == osErrorResource);
  EXPECT((block = osMemoryPoolAlloc(pool, 0)) && !osMemoryPoolAlloc(pool, 0) && !osMemoryPoolAlloc(pool, 1));
  EXPECT(osMemoryPoolGetCapacity(pool) == 1 && osMemoryPoolGetBlockSize(pool) == 8);
  EXPECT(osMemoryPoolGetCount(pool) == 1 && osMemoryPoolGetSpace(pool) == 0 && osMemoryPoolFree(pool, block) == osOK);
  EXPECT(osMessageQueuePut(queue, &message, 0, 1) == osErrorParameter && osMessageQueuePut(queue, &message, 0, 0) == osOK);
  EXPECT(osMessageQueuePut(queue, &message, 0, 0) == osErrorResource && osMessageQueueGetCount(queue) == 1);
  EXPECT(osMessageQueueGet(queue, &message, 0, 1) == osErrorParameter && osMessageQueueGet(queue, &message, 0, 0) == osOK);
  EXPECT(osMessageQueueGetCapacity(queue) == 1 && osMessageQueueGetMsgSize(queue) == 4 && osMessageQueueGetSpace(queue) == 1);
}

static void forbidden_of_threads(void) {
  osThreadId_t all[2];
  EXPECT(osKernelInitialize() == osErrorISR && osKernelStart() == osErrorISR);
  EXPECT(osKernelLock() == osErrorISR && osKernelUnlock() == osErrorISR && osKernelRestoreLock(0) == osErrorISR);
  EXPECT(osDelay(1) == osErrorISR && osDelayUntil(osKernelGetTickCount() + 1) == osErrorISR);
  EXPECT(!osThreadNew(nothing, 0, 0) && !osThreadGetName(waiter) && osThreadGetState(waiter) == osThreadError);
  EXPECT(!osThreadGetStackSize(waiter) && osThreadGetPriority(waiter) == osPriorityError);
  EXPECT(osThreadSetPriority(waiter, osPriorityLow) == osErrorISR && osThreadYield() == osErrorISR);
  EXPECT(osThreadDetach(waiter) == osErrorISR && osThreadJoin(waiter) == osErrorISR);
  EXPECT(osThreadTerminate(waiter) == osErrorISR && !osThreadGetCount() && !osThreadEnumerate(all, 2));
  EXPECT(osThreadFlagsClear(1) == osFlagsErrorISR && !osThreadFlagsGet() && osThreadFlagsWait(1, 0, 0) == osFlagsErrorISR);
}

static void forbidden(void) {
  forbidden_of_threads();
  EXPECT(!osEventFlagsNew(0) && !osEventFlagsGetName(events) && osEventFlagsDelete(events) == osErrorISR);
  EXPECT(!osMutexNew(0) && !osMutexGetName(mutex) && osMutexAcquire(mutex, 0) == osErrorISR);
  EXPECT(osMutexRelease(mutex) == osErrorISR && !osMutexGetOwner(mutex) && osMutexDelete(mutex) == osErrorISR);
  EXPECT(!osSemaphoreNew(1, 1, 0) && !osSemaphoreGetName(semaphore) && osSemaphoreDelete(semaphore) == osErrorISR);
  EXPECT(!osMemoryPoolNew(1, 1, 0) && !osMemoryPoolGetName(pool) && osMemoryPoolDelete(pool) == osErrorISR);
  EXPECT(!osMessageQueueNew(1, 1, 0) && !osMessageQueueGetName(queue) && osMessageQueueDelete(queue) == osErrorISR);
  EXPECT(osMessageQueueReset(queue) == osErrorISR);
  EXPECT(!osTimerNew(nothing, osTimerOnce, 0, 0) && !osTimerGetName(timer) && !osTimerIsRunning(timer));
  EXPECT(osTimerStart(timer, 1) == osErrorISR && osTimerStop(timer) == osErrorISR && osTimerDelete(timer) == osErrorISR);
}

/* Interrupts once. */
static void interrupt(void (*by)(void)) {
  int before = count;
  action = by;
  flyball_pend(flyball_timer_line());
  CHECK(count == before + 1 && !wrong);
}

static void wake_by_flags(void) { EXPECT(osThreadFlagsSet(waiter, 1) == 0); }
static void wake_by_event(void) { EXPECT(osEventFlagsSet(events, 1) == 0); }
static void wake_by_semaphore(void) { EXPECT(osSemaphoreRelease(semaphore) == osOK); }
static void wake_by_message(void) {
  uint32_t message = count;
  EXPECT(osMessageQueuePut(queue, &message, 0, 0) == osOK);
}
static void make_room(void) {
  uint32_t message;
  EXPECT(osMessageQueueGet(queue, &message, 0, 0) == osOK && message == 1);
}
static void *block;
static void wake_by_block(void) { EXPECT(osMemoryPoolFree(pool, block) == osOK); }

static void wait_for_interrupts(void *unused) {
  uint32_t message = 2;
  (void) unused;
  CHECK(osThreadFlagsWait(1, 0, osWaitForever) == 1);
  note('f');
  CHECK(osEventFlagsWait(events, 1, 0, 10000) == 1);
  note('e');
  CHECK(osSemaphoreAcquire(semaphore, osWaitForever) == osOK);
  note('s');
  CHECK(osMessageQueueGet(queue, &message, 0, osWaitForever) == osOK && message + 1 == (uint32_t) count);
  note('m');
  message = 1;
  CHECK(osMessageQueuePut(queue, &message, 0, 0) == osOK && osMessageQueuePut(queue, &message, 0, osWaitForever) == osOK);
  note('p');
  CHECK(osMemoryPoolAlloc(pool, osWaitForever) == block);
  note('b');
}

static void flood(void) {
  osSemaphoreRelease(semaphore);
  if (count < 2000) flyball_set_timer(FLYBALL_US(300 + count * 37 % 400));
}

/* With other threads at work on the same semaphore, interrupts come at any moment. */
static void count_tokens(void *tokens) {
  while (osSemaphoreAcquire(semaphore, 100) == osOK) ++*(int *) tokens;
}

static void wait_for_flag(void *unused) {
  (void) unused;
  CHECK(osThreadFlagsWait(1, 0, osWaitForever) == 1);
  note('w');
}

/* A thread that has masked interrupts may do what interrupts may. Others run when it allows them again. */
static void masked(void) {
  osThreadId_t thread = begin(wait_for_flag, 0, osPriorityHigh);
  __asm__ volatile("cpsid i" : : : "memory");
  action = allowed;
  handler();
  forbidden();
  EXPECT(osThreadFlagsSet(thread, 1) == 0 && ran == 0);
  __asm__ volatile("cpsie i\n\tisb" : : : "memory");
  CHECK(!wrong);
  ORDER("w");
  finish(thread);
}

static void test(void *unused) {
  int first = 0, second = 0;
  osThreadId_t threads[2];
  (void) unused;
  events = osEventFlagsNew(0), semaphore = osSemaphoreNew(3000, 0, 0), pool = osMemoryPoolNew(1, 8, 0);
  queue = osMessageQueueNew(1, 4, 0), mutex = osMutexNew(0), timer = osTimerNew(nothing, osTimerOnce, 0, 0);
  CHECK(flyball_interrupt(flyball_timer_line(), handler) == 0);
  interrupted = osThreadGetId();
  waiter = begin(wait_for_interrupts, 0, osPriorityRealtime);
  interrupt(forbidden);
  interrupt(allowed);
  masked();
  CHECK((block = osMemoryPoolAlloc(pool, 0)));
  interrupt(wake_by_flags);
  interrupt(wake_by_event);
  interrupt(wake_by_semaphore);
  interrupt(wake_by_message);
  ORDER("fesm");
  interrupt(make_room);
  ORDER("p");
  interrupt(wake_by_block);
  ORDER("b");
  finish(waiter);
  threads[0] = begin(count_tokens, &first, osPriorityLow);
  threads[1] = begin(count_tokens, &second, osPriorityHigh);
  action = flood;
  count = 0;
  flyball_set_timer(FLYBALL_MS(1));
  for (int i = 0; i < 2; i++) finish(threads[i]);
  CHECK(first + second == count && count == 2001 && osSemaphoreGetCount(semaphore) == 0);
}

int main(void) {
  CHECK(osKernelInitialize() == osOK && osThreadNew(test, 0, 0));
  osKernelStart();
  return 1;
}
#else
int main(void) { return 0; }
#endif
