/* CMSIS-RTOS 2: the kernel, threads, flags. */
#ifdef __arm__
#include <string.h>

#include "cmsis.h"

static void letter(void *argument) { note(*(char *) argument); }

static void clocks(void) {
  uint32_t count = osKernelGetTickCount(), timer = osKernelGetSysTimerCount();
  CHECK(osKernelGetTickFreq() == 1000);
  CHECK(osDelay(10) == osOK);
  count = osKernelGetTickCount() - count;
  CHECK(count == 10);
  /* The first tick may be short. */
  timer = osKernelGetSysTimerCount() - timer;
  CHECK(timer > osKernelGetSysTimerFreq() / 1000 * 9 && timer < osKernelGetSysTimerFreq() / 80);
  count = osKernelGetTickCount();
  for (int i = 1; i <= 3; i++) {
    CHECK(osDelayUntil(count + 5 * i) == osOK);
    CHECK(osKernelGetTickCount() == count + 5 * i);
  }
  CHECK(osDelay(0) == osErrorParameter);
  CHECK(osDelayUntil(osKernelGetTickCount()) == osErrorParameter);
  CHECK(osDelayUntil(count) == osErrorParameter);
}

static void priorities(void) {
  osThreadId_t low, high, me = osThreadGetId();
  CHECK(osThreadGetPriority(me) == osPriorityNormal);
  low = begin(letter, "l", osPriorityLow7);
  high = begin(letter, "h", osPriorityNormal3);
  ORDER("h");
  finish(high);
  CHECK(osThreadSetPriority(low, osPriorityRealtime) == osOK);
  ORDER("l");
  CHECK(osThreadSetPriority(low, osPriorityNormal) == osErrorResource);
  finish(low);
  /* They share a level: 1 and 2, 3 and 4, 5 and 6. Of two of one level the new one may run at once, as the slice of the
     other may end just then. */
  for (int i = 0; i < 8; i++) {
    int is_equal = i == 1 || i == 3 || i == 5, has_waited = 0;
    CHECK(osThreadSetPriority(me, (osPriority_t) (osPriorityHigh + i)) == osOK);
    CHECK(osThreadGetPriority(me) == (osPriority_t) (osPriorityHigh + i));
    for (int times = 0; times < 5; times++) {
      high = begin(letter, "h", (osPriority_t) (osPriorityHigh + i + 1));
      has_waited |= !ran;
      finish(high);
      ORDER("h");
    }
    CHECK(has_waited == is_equal);
  }
  CHECK(osThreadSetPriority(me, osPriorityNormal) == osOK);
  CHECK(osThreadSetPriority(me, osPriorityNone) == osErrorParameter);
  CHECK(osThreadSetPriority(me, (osPriority_t) 57) == osErrorParameter);
  CHECK(osThreadSetPriority(0, osPriorityNormal) == osErrorParameter);
  CHECK(osThreadGetPriority(0) == osPriorityError);
  /* Of equals one may let another run. */
  low = begin(letter, "e", osPriorityNormal);
  CHECK(osThreadYield() == osOK);
  ORDER("e");
  finish(low);
}

static void lock(void) {
  osThreadId_t high, me = osThreadGetId();
  CHECK(osKernelGetState() == osKernelRunning);
  CHECK(osKernelUnlock() == 0);
  CHECK(osKernelLock() == 0 && osKernelGetState() == osKernelLocked);
  high = begin(letter, "h", osPriorityRealtime7);
  CHECK(osKernelLock() == 1 && ran == 0);
  CHECK(osThreadSetPriority(me, osPriorityLow) == osOK && ran == 0);
  CHECK(osThreadSetPriority(me, osPriorityNormal) == osOK && ran == 0);
  CHECK(osDelay(1) == osError && osThreadJoin(high) == osErrorResource);
  CHECK(osThreadFlagsWait(1, osFlagsWaitAny, 5) == osFlagsErrorTimeout && ran == 0);
  CHECK(osKernelRestoreLock(1) == 1 && ran == 0);
  CHECK(osKernelUnlock() == 1 && osKernelGetState() == osKernelRunning);
  ORDER("h");
  finish(high);
  CHECK(osKernelRestoreLock(1) == 1 && osKernelRestoreLock(0) == 0 && osKernelRestoreLock(2) == osError);
  CHECK(osKernelGetState() == osKernelRunning);
}

static void sleep_long(void *argument) {
  if (argument) osDelay(osWaitForever);
  osDelay(5);
}

static void exits(void *unused) {
  (void) unused;
  note('x');
  osThreadExit();
}

static void wait_flags(void *flags) {
  osThreadFlagsWait(*(uint32_t *) flags, osFlagsWaitAll, osWaitForever);
  note('f');
}

/* Runs until it is terminated, and never waits. */
static void spins(void *unused) {
  osSemaphoreId_t semaphore = osSemaphoreNew(1, 1, 0);
  (void) unused;
  for (;;) {
    CHECK(osSemaphoreAcquire(semaphore, 1) == osOK);
    CHECK(osSemaphoreRelease(semaphore) == osOK);
  }
}

static void joins(void *other) { osThreadJoin(other); }

static void states(void) {
  osThreadAttr_t attributes = { .name = "a long name of a thread", .stack_size = 1000, .priority = osPriorityHigh };
  osThreadId_t thread, other, all[8], me = osThreadGetId();
  CHECK(osThreadGetState(me) == osThreadRunning && osThreadGetState(0) == osThreadError);
  CHECK(osThreadGetCount() == 1 && osThreadEnumerate(all, 8) == 1 && all[0] == me);
  CHECK(osThreadEnumerate(0, 8) == 0);
  /* Detached: it is gone at its end. */
  thread = osThreadNew(sleep_long, 0, &attributes);
  CHECK(osThreadGetName(thread) == attributes.name && osThreadGetStackSize(thread) >= 1000);
  CHECK(osThreadGetState(thread) == osThreadBlocked);
  CHECK(osThreadJoin(thread) == osErrorResource && osThreadDetach(thread) == osErrorResource);
  CHECK(osThreadGetCount() == 2 && osThreadEnumerate(all, 1) == 1 && osThreadEnumerate(all, 8) == 2 && all[1] == thread);
  osDelay(10);
  CHECK(osThreadGetState(thread) == osThreadError && osThreadGetCount() == 1 && !osThreadGetName(thread));
  CHECK(osThreadTerminate(thread) == osErrorParameter);
  CHECK(osThreadJoin(thread) == osErrorParameter && osThreadDetach(thread) == osErrorParameter);
  /* To be joined: it is there until then. */
  thread = begin(exits, 0, osPriorityLow);
  CHECK(osThreadGetState(thread) == osThreadReady && osThreadGetStackSize(thread) >= 1000);
  osDelay(10);
  ORDER("x");
  CHECK(osThreadGetState(thread) == osThreadTerminated && osThreadGetCount() == 1);
  CHECK(osThreadTerminate(thread) == osErrorResource);
  CHECK(osThreadFlagsSet(thread, 1) == osFlagsErrorResource);
  finish(thread);
  CHECK(osThreadGetState(thread) == osThreadError && osThreadJoin(me) == osErrorResource);
  /* Detached later, before its end and after it. */
  thread = begin(sleep_long, 0, osPriorityHigh);
  CHECK(osThreadDetach(thread) == osOK && osThreadDetach(thread) == osErrorResource);
  osDelay(10);
  CHECK(osThreadGetState(thread) == osThreadError);
  thread = begin(letter, "l", osPriorityHigh);
  CHECK(osThreadDetach(thread) == osOK && osThreadGetState(thread) == osThreadError);
  ORDER("l");
  /* Terminated, while it waits: as soon as it runs. */
  thread = begin(sleep_long, "", osPriorityHigh);
  other = begin(joins, thread, osPriorityHigh);
  CHECK(osThreadGetState(other) == osThreadBlocked && osThreadJoin(thread) == osErrorResource);
  CHECK(osThreadTerminate(other) == osOK && osThreadGetState(other) == osThreadTerminated);
  finish(other);
  CHECK(osThreadTerminate(thread) == osOK && osThreadGetState(thread) == osThreadTerminated);
  finish(thread);
  /* While it runs: at its next call that could wait. */
  thread = begin(spins, 0, osPriorityLow);
  osDelay(20);
  CHECK(osThreadGetState(thread) == osThreadReady && osThreadTerminate(thread) == osOK);
  CHECK(osThreadGetState(thread) == osThreadTerminated && osThreadGetCount() == 1);
  finish(thread);
  /* Before it has run. */
  thread = begin(letter, "l", osPriorityLow);
  CHECK(osThreadTerminate(thread) == osOK && osThreadGetState(thread) == osThreadTerminated);
  CHECK(osThreadTerminate(thread) == osErrorResource && osThreadDetach(thread) == osOK);
  CHECK(osThreadGetState(thread) == osThreadError);
  /* While it waits, and is less urgent. */
  thread = begin(sleep_long, "", osPriorityLow);
  osDelay(10);
  CHECK(osThreadGetState(thread) == osThreadBlocked && osThreadTerminate(thread) == osOK);
  CHECK(osThreadDetach(thread) == osOK && osThreadGetState(thread) == osThreadError);
  ORDER("");
  CHECK(!osThreadNew(0, 0, 0));
  attributes.priority = (osPriority_t) 57;
  CHECK(!osThreadNew(letter, "l", &attributes));
  attributes = (osThreadAttr_t) { .stack_size = 100000000 };
  CHECK(!osThreadNew(letter, "l", &attributes));
  CHECK(osThreadGetCount() == 1);
}

static void thread_flags(void) {
  uint32_t wanted = 0x30;
  uint32_t count;
  osThreadId_t thread, me = osThreadGetId();
  CHECK(osThreadFlagsGet() == 0 && osThreadFlagsSet(me, 5) == 5 && osThreadFlagsGet() == 5);
  CHECK(osThreadFlagsClear(4) == 5 && osThreadFlagsGet() == 1);
  CHECK(osThreadFlagsWait(3, osFlagsWaitAll, 0) == osFlagsErrorResource);
  count = osKernelGetTickCount();
  CHECK(osThreadFlagsWait(3, osFlagsWaitAll, 7) == osFlagsErrorTimeout);
  count = osKernelGetTickCount() - count;
  CHECK(count >= 7 && count <= 9);
  CHECK(osThreadFlagsWait(3, osFlagsWaitAny | osFlagsNoClear, 7) == 1 && osThreadFlagsGet() == 1);
  CHECK(osThreadFlagsWait(3, osFlagsWaitAny, 0) == 1 && osThreadFlagsGet() == 0);
  thread = begin(wait_flags, &wanted, osPriorityHigh);
  CHECK(osThreadGetState(thread) == osThreadBlocked);
  CHECK(osThreadFlagsSet(thread, 0x11) == 0x11);
  ORDER("");
  CHECK(osThreadFlagsSet(thread, 0x20) == 1);
  ORDER("f");
  finish(thread);
  CHECK(osThreadFlagsSet(me, osFlagsError) == osFlagsErrorParameter && osThreadFlagsSet(0, 1) == osFlagsErrorParameter);
  CHECK(osThreadFlagsClear(osFlagsError) == osFlagsErrorParameter);
  CHECK(osThreadFlagsWait(osFlagsError, 0, 0) == osFlagsErrorParameter);
}

static osEventFlagsId_t events;

static void wait_events(void *argument) {
  int keeps = *(char *) argument == 'k';
  uint32_t flags = osEventFlagsWait(events, keeps ? 2 : 3, keeps ? osFlagsNoClear : osFlagsWaitAll, 200);
  if (flags == 3) note(*(char *) argument);
  if (flags == osFlagsErrorResource) note('d');
  if (flags == osFlagsErrorTimeout) note('t');
}

static void event_flags(void) {
  static const osEventFlagsAttr_t attributes = { .name = "events" };
  osThreadId_t threads[4];
  events = osEventFlagsNew(&attributes);
  CHECK(osEventFlagsGetName(events) == attributes.name && !osEventFlagsGetName(0));
  CHECK(osEventFlagsSet(events, 6) == 6 && osEventFlagsGet(events) == 6 && osEventFlagsClear(events, 4) == 6);
  CHECK(osEventFlagsWait(events, 1, osFlagsWaitAny, 0) == osFlagsErrorResource);
  CHECK(osEventFlagsWait(events, 1, osFlagsWaitAny, 3) == osFlagsErrorTimeout);
  CHECK(osEventFlagsWait(events, 3, osFlagsWaitAny, 3) == 2 && osEventFlagsGet(events) == 0);
  /* The first and the last wait without clearing; of those that clear the most urgent gets the flags. */
  threads[0] = begin(wait_events, "k", osPriorityHigh);
  threads[1] = begin(wait_events, "a", osPriorityHigh1);
  threads[2] = begin(wait_events, "b", osPriorityHigh3);
  threads[3] = begin(wait_events, "k", osPriorityRealtime);
  CHECK(osKernelLock() == 0);
  CHECK(osEventFlagsSet(events, 1) == 1);
  CHECK(osEventFlagsSet(events, 2) == 0);
  CHECK(osKernelUnlock() == 1);
  ORDER("kb");
  CHECK(osEventFlagsSet(events, 3) == 0);
  ORDER("a");
  osDelay(200);
  ORDER("t");
  for (int i = 0; i < 4; i++) finish(threads[i]);
  threads[0] = begin(wait_events, "a", osPriorityHigh);
  threads[1] = begin(wait_events, "b", osPriorityHigh);
  CHECK(osThreadTerminate(threads[0]) == osOK);
  CHECK(osEventFlagsDelete(events) == osOK);
  ORDER("d");
  for (int i = 0; i < 2; i++) finish(threads[i]);
  CHECK(osEventFlagsSet(0, 1) == osFlagsErrorParameter && osEventFlagsClear(0, 1) == osFlagsErrorParameter);
  CHECK(osEventFlagsWait(0, 1, 0, 0) == osFlagsErrorParameter && osEventFlagsGet(0) == 0);
  CHECK(osEventFlagsDelete(0) == osErrorParameter);
}

static void test(void *unused) {
  (void) unused;
  note('t');
  CHECK(osKernelInitialize() == osError && osKernelStart() == osError);
  /* The thread of main is about to end. */
  osDelay(10);
  ORDER("mt");
  clocks();
  priorities();
  lock();
  states();
  thread_flags();
  event_flags();
}

int main(void) {
  osVersion_t version;
  char id[20], few[4];
  CHECK(osKernelGetState() == osKernelInactive);
  CHECK(osKernelStart() == osError && osKernelLock() == osError && osKernelUnlock() == osError);
  CHECK(osKernelRestoreLock(0) == osError);
  CHECK(osKernelGetInfo(&version, id, sizeof id) == osOK && version.api == 20010003 && version.kernel >= 10000);
  CHECK(!strncmp(id, "Flyball ", 8) && strlen(id) > 8);
  CHECK(osKernelGetInfo(0, few, sizeof few) == osOK && !strcmp(few, "Fly"));
  CHECK(osKernelInitialize() == osOK && osKernelGetState() == osKernelReady);
  CHECK(osKernelInitialize() == osOK);
  CHECK(osThreadNew(test, 0, 0));
  note('m');
  osKernelStart();
  return 1;
}
#else
int main(void) { return 0; }
#endif
