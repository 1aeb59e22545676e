/* CMSIS-RTOS 2: mutexes, semaphores, pools, queues, timers. */
#ifdef __arm__
#include <string.h>

#include "cmsis.h"

static osMutexId_t mutex;
static osStatus_t status;

static void use_mutex(void *letter) {
  CHECK(osMutexRelease(mutex) == osErrorResource);
  status = osMutexAcquire(mutex, osWaitForever);
  if (status) return;
  note(*(char *) letter);
  CHECK(osMutexRelease(mutex) == osOK);
}

static void try_mutex(void *unused) {
  (void) unused;
  status = osMutexAcquire(mutex, 0);
  if (!status) osMutexRelease(mutex);
}

static void time_mutex(void *unused) {
  (void) unused;
  status = osMutexAcquire(mutex, 5);
}

static void keep_mutex(void *unused) {
  (void) unused;
  CHECK(osMutexAcquire(mutex, 0) == osOK);
}

/* Runs a thread to its end; what it was told of the mutex. */
static osStatus_t told(osThreadFunc_t function) {
  osThreadId_t thread = begin(function, "x", osPriorityHigh);
  finish(thread);
  return status;
}

static void mutexes(void) {
  static osMutexAttr_t attributes = { .name = "mutex", .attr_bits = osMutexPrioInherit };
  osThreadId_t one, two, me = osThreadGetId();
  mutex = osMutexNew(&attributes);
  CHECK(osMutexGetName(mutex) == attributes.name && !osMutexGetOwner(mutex));
  CHECK(osMutexAcquire(mutex, osWaitForever) == osOK && osMutexGetOwner(mutex) == me);
  CHECK(osMutexAcquire(mutex, 0) == osErrorResource && osMutexAcquire(mutex, 5) == osErrorResource);
  CHECK(told(try_mutex) == osErrorResource && told(time_mutex) == osErrorTimeout);
  /* The most urgent of those that wait is next. */
  one = begin(use_mutex, "1", osPriorityAboveNormal);
  two = begin(use_mutex, "2", osPriorityHigh);
  CHECK(osThreadGetState(one) == osThreadBlocked && osThreadGetPriority(me) == osPriorityHigh);
  CHECK(osMutexRelease(mutex) == osOK && osThreadGetPriority(me) == osPriorityNormal);
  ORDER("21");
  CHECK(osMutexRelease(mutex) == osErrorResource);
  finish(one), finish(two);
  /* A thread that is terminated while it waits does not get it for good. */
  CHECK(osMutexAcquire(mutex, 10) == osOK);
  one = begin(use_mutex, "1", osPriorityHigh);
  CHECK(osThreadTerminate(one) == osOK && osMutexRelease(mutex) == osOK);
  finish(one);
  CHECK(told(try_mutex) == osOK && osMutexDelete(mutex) == osOK && osMutexDelete(mutex) == osErrorParameter);
  ORDER("");
  /* Deleted by its owner, which has locked it twice, while threads wait. */
  attributes.attr_bits = osMutexRecursive;
  mutex = osMutexNew(&attributes);
  CHECK(osMutexAcquire(mutex, 0) == osOK && osMutexAcquire(mutex, 5) == osOK && osMutexRelease(mutex) == osOK);
  CHECK(osMutexGetOwner(mutex) == me && osMutexAcquire(mutex, 0) == osOK);
  one = begin(use_mutex, "1", osPriorityHigh);
  two = begin(use_mutex, "2", osPriorityRealtime);
  CHECK(osMutexDelete(mutex) == osOK && status == osErrorResource);
  finish(one), finish(two);
  ORDER("");
  /* Deleted by another thread than its owner. */
  mutex = osMutexNew(0);
  CHECK(told(keep_mutex) == osErrorResource);
  CHECK(osMutexGetOwner(mutex) == 0 && osMutexAcquire(mutex, 3) == osErrorTimeout);
  CHECK(osMutexDelete(mutex) == osOK);
  /* Its owner has ended, and it is robust. */
  attributes.attr_bits = osMutexRobust;
  mutex = osMutexNew(&attributes);
  told(keep_mutex);
  CHECK(osMutexAcquire(mutex, 5) == osOK && osMutexGetOwner(mutex) == me && osMutexRelease(mutex) == osOK);
  CHECK(told(try_mutex) == osOK && osMutexDelete(mutex) == osOK);
  CHECK(osMutexAcquire(0, 0) == osErrorParameter && osMutexRelease(0) == osErrorParameter);
  CHECK(!osMutexGetOwner(0) && !osMutexGetName(0) && osMutexDelete(0) == osErrorParameter);
}

static osSemaphoreId_t semaphore;

static void acquire(void *letter) {
  osStatus_t result = osSemaphoreAcquire(semaphore, 200);
  if (result == osOK) note(*(char *) letter);
  if (result == osErrorResource) note('d');
  if (result == osErrorTimeout) note('t');
}

static void semaphores(void) {
  static const osSemaphoreAttr_t attributes = { .name = "semaphore" };
  osThreadId_t threads[4];
  CHECK(!osSemaphoreNew(0, 0, 0) && !osSemaphoreNew(2, 3, 0));
  semaphore = osSemaphoreNew(2, 1, &attributes);
  CHECK(osSemaphoreGetName(semaphore) == attributes.name && osSemaphoreGetCount(semaphore) == 1);
  CHECK(osSemaphoreRelease(semaphore) == osOK && osSemaphoreRelease(semaphore) == osErrorResource);
  CHECK(osSemaphoreAcquire(semaphore, 0) == osOK && osSemaphoreAcquire(semaphore, osWaitForever) == osOK);
  CHECK(osSemaphoreAcquire(semaphore, 0) == osErrorResource && osSemaphoreAcquire(semaphore, 2) == osErrorTimeout);
  threads[0] = begin(acquire, "0", osPriorityAboveNormal);
  threads[1] = begin(acquire, "1", osPriorityHigh);
  threads[2] = begin(acquire, "2", osPriorityHigh);
  threads[3] = begin(acquire, "3", osPriorityRealtime);
  CHECK(osThreadTerminate(threads[3]) == osOK);
  for (int i = 0; i < 2; i++) CHECK(osSemaphoreRelease(semaphore) == osOK);
  ORDER("12");
  /* The priority while it waits decides. */
  for (int i = 1; i < 4; i++) finish(threads[i]);
  threads[1] = begin(acquire, "1", osPriorityHigh);
  CHECK(osThreadSetPriority(threads[0], osPriorityRealtime) == osOK);
  CHECK(osSemaphoreRelease(semaphore) == osOK);
  ORDER("0");
  osDelay(200);
  ORDER("t");
  finish(threads[0]), finish(threads[1]);
  threads[0] = begin(acquire, "0", osPriorityHigh);
  CHECK(osSemaphoreGetCount(semaphore) == 0 && osSemaphoreDelete(semaphore) == osOK);
  ORDER("d");
  finish(threads[0]);
  CHECK(osSemaphoreDelete(0) == osErrorParameter && osSemaphoreAcquire(0, 0) == osErrorParameter);
  CHECK(osSemaphoreRelease(0) == osErrorParameter && !osSemaphoreGetCount(0) && !osSemaphoreGetName(0));
}

static osMemoryPoolId_t pool;
static void *block;

static void allocate(void *unused) {
  (void) unused;
  block = osMemoryPoolAlloc(pool, 20);
  note(block ? 'b' : 'n');
}

static void pools(void) {
  static uint32_t memory[6];
  osMemoryPoolAttr_t attributes = { .name = "pool", .mp_mem = memory, .mp_size = sizeof memory };
  osThreadId_t thread;
  char *one, *two;
  CHECK(!osMemoryPoolNew(0, 1, 0) && !osMemoryPoolNew(1, 0, 0) && !osMemoryPoolNew(1u << 31, 4, 0));
  CHECK(!osMemoryPoolNew(3, 9, &attributes));
  pool = osMemoryPoolNew(2, 10, &attributes);
  CHECK(osMemoryPoolGetName(pool) == attributes.name && osMemoryPoolGetCapacity(pool) == 2);
  CHECK(osMemoryPoolGetBlockSize(pool) == 12);
  one = osMemoryPoolAlloc(pool, 0);
  two = osMemoryPoolAlloc(pool, 10);
  CHECK(one == (char *) memory && two == one + 12 && osMemoryPoolGetCount(pool) == 2 && !osMemoryPoolGetSpace(pool));
  CHECK(!osMemoryPoolAlloc(pool, 0) && !osMemoryPoolAlloc(pool, 3));
  thread = begin(allocate, 0, osPriorityHigh);
  CHECK(osMemoryPoolFree(pool, two) == osOK && block == two);
  ORDER("b");
  finish(thread);
  CHECK(osMemoryPoolFree(pool, one + 4) == osErrorParameter && osMemoryPoolFree(pool, one + 24) == osErrorParameter);
  CHECK(osMemoryPoolFree(pool, one) == osOK && osMemoryPoolGetCount(pool) == 1 && osMemoryPoolGetSpace(pool) == 1);
  CHECK(osMemoryPoolFree(pool, two) == osOK && osMemoryPoolFree(pool, two) == osErrorResource);
  CHECK(osMemoryPoolDelete(pool) == osOK && osMemoryPoolDelete(pool) == osErrorParameter);
  pool = osMemoryPoolNew(1, 1, 0);
  CHECK(osMemoryPoolAlloc(pool, 0));
  thread = begin(allocate, 0, osPriorityHigh);
  CHECK(osMemoryPoolDelete(pool) == osOK && !block);
  ORDER("n");
  finish(thread);
  CHECK(!osMemoryPoolAlloc(0, 0) && osMemoryPoolFree(0, memory) == osErrorParameter && !osMemoryPoolGetName(0));
  CHECK(!osMemoryPoolGetCapacity(0) && !osMemoryPoolGetBlockSize(0) && !osMemoryPoolGetCount(0) && !osMemoryPoolGetSpace(0));
}

static osMessageQueueId_t queue;

static void put(void *letter) {
  static const uint8_t priority[128] = { ['h'] = 9 };
  char text[3] = { *(char *) letter, 0, 0 };
  status = osMessageQueuePut(queue, text, priority[(int) text[0]], osWaitForever);
}

static void get(void *wanted) {
  char text[3] = "";
  uint8_t priority = 0;
  status = osMessageQueueGet(queue, text, &priority, osWaitForever);
  if (status) return;
  note(text[0]);
  CHECK(text[0] == *(char *) wanted && priority == 4);
}

static void queues(void) {
  static const osMessageQueueAttr_t attributes = { .name = "queue" };
  osThreadId_t one, two;
  char text[3];
  uint8_t priority;
  CHECK(!osMessageQueueNew(0, 1, 0) && !osMessageQueueNew(1, 0, 0) && !osMessageQueueNew(1u << 31, 4, 0));
  queue = osMessageQueueNew(3, 3, &attributes);
  CHECK(osMessageQueueGetName(queue) == attributes.name && osMessageQueueGetCapacity(queue) == 3);
  CHECK(osMessageQueueGetMsgSize(queue) == 3);
  CHECK(osMessageQueueGet(queue, text, 0, 0) == osErrorResource && osMessageQueueGet(queue, text, 0, 3) == osErrorTimeout);
  CHECK(osMessageQueuePut(queue, "a", 1, 0) == osOK && osMessageQueuePut(queue, "b", 2, 0) == osOK);
  CHECK(osMessageQueuePut(queue, "c", 1, 0) == osOK && osMessageQueuePut(queue, "d", 1, 0) == osErrorResource);
  CHECK(osMessageQueuePut(queue, "d", 1, 2) == osErrorTimeout);
  CHECK(osMessageQueueGetCount(queue) == 3 && osMessageQueueGetSpace(queue) == 0);
  /* Those that wait send by their own priority; the messages are in the order of theirs. */
  one = begin(put, "l", osPriorityAboveNormal);
  two = begin(put, "h", osPriorityHigh);
  for (const char *wanted = "bhacl"; *wanted; wanted++) {
    CHECK(osMessageQueueGet(queue, text, &priority, 5) == osOK && text[0] == *wanted);
    CHECK(priority == (*wanted == 'b' ? 2 : *wanted == 'h' ? 9 : *wanted == 'l' ? 0 : 1));
  }
  finish(one), finish(two);
  one = begin(get, "x", osPriorityHigh);
  CHECK(osMessageQueuePut(queue, "x", 4, 0) == osOK && osMessageQueueGetCount(queue) == 0);
  ORDER("x");
  finish(one);
  for (int i = 0; i < 3; i++) CHECK(osMessageQueuePut(queue, "y", 0, 0) == osOK);
  one = begin(put, "h", osPriorityHigh);
  CHECK(osMessageQueueReset(queue) == osOK && osMessageQueueGetCount(queue) == 1 && status == osOK);
  finish(one);
  CHECK(osMessageQueueGet(queue, text, 0, 0) == osOK && text[0] == 'h');
  one = begin(get, "x", osPriorityHigh);
  CHECK(osMessageQueueDelete(queue) == osOK && status == osErrorResource);
  finish(one);
  CHECK(osMessageQueuePut(0, text, 0, 0) == osErrorParameter && osMessageQueueGet(0, text, 0, 0) == osErrorParameter);
  queue = osMessageQueueNew(1, 1, 0);
  CHECK(osMessageQueuePut(queue, 0, 0, 0) == osErrorParameter && osMessageQueueGet(queue, 0, 0, 0) == osErrorParameter);
  CHECK(osMessageQueuePut(queue, "a", 0, 0) == osOK);
  one = begin(put, "h", osPriorityHigh);
  CHECK(osMessageQueueDelete(queue) == osOK && status == osErrorResource);
  finish(one);
  CHECK(!osMessageQueueGetCapacity(0) && !osMessageQueueGetMsgSize(0) && !osMessageQueueGetCount(0));
  CHECK(!osMessageQueueGetSpace(0) && osMessageQueueReset(0) == osErrorParameter && osMessageQueueDelete(0) == osErrorParameter);
}

static int calls;
static osTimerId_t timer;

static void expire(void *letter) {
  calls++;
  note(*(char *) letter);
  CHECK(!strcmp(osThreadGetName(osThreadGetId()), "osTimer"));
  if (calls == 4) CHECK(osTimerStop(timer) == osOK);
}

static void timers(void) {
  static const osTimerAttr_t attributes = { .name = "timer" };
  osTimerId_t once = osTimerNew(expire, osTimerOnce, "o", &attributes);
  CHECK(osTimerGetName(once) == attributes.name && !osTimerIsRunning(once) && osTimerStop(once) == osErrorResource);
  CHECK(osThreadGetCount() == 2);
  CHECK(osTimerStart(once, 20) == osOK && osTimerIsRunning(once));
  CHECK(osTimerStart(once, 80) == osOK);
  osDelay(60);
  ORDER("");
  osDelay(40);
  ORDER("o");
  CHECK(!osTimerIsRunning(once));
  CHECK(osTimerStart(once, 10) == osOK && osTimerStop(once) == osOK);
  timer = osTimerNew(expire, osTimerPeriodic, "p", 0);
  CHECK(osTimerStart(timer, 80) == osOK && osTimerStart(once, 120) == osOK);
  osDelay(300);
  ORDER("pop");
  CHECK(!osTimerIsRunning(timer) && osTimerStart(timer, 10) == osOK && osTimerDelete(timer) == osOK);
  CHECK(osTimerDelete(timer) == osErrorParameter && osTimerStart(once, 5) == osOK && osTimerDelete(once) == osOK);
  osDelay(20);
  ORDER("");
  CHECK(!osTimerNew(0, osTimerOnce, 0, 0) && !osTimerNew(expire, (osTimerType_t) 2, 0, 0));
  once = osTimerNew(expire, osTimerOnce, 0, 0);
  CHECK(osTimerStart(once, 0) == osErrorParameter && osTimerStart(0, 1) == osErrorParameter);
  CHECK(osTimerStop(0) == osErrorParameter && !osTimerIsRunning(0) && !osTimerGetName(0));
  CHECK(osTimerDelete(0) == osErrorParameter && osTimerDelete(once) == osOK);
}

static void test(void *unused) {
  (void) unused;
  mutexes();
  semaphores();
  pools();
  queues();
  timers();
}

int main(void) {
  CHECK(osKernelInitialize() == osOK && osThreadNew(test, 0, 0));
  osKernelStart();
  return 1;
}
#else
int main(void) { return 0; }
#endif
