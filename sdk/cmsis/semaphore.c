/* CMSIS-RTOS 2: semaphores. sdk/install puts this into libflyball.a. */
#include <stdlib.h>

#include "os.h"

struct semaphore {
  struct object object;
  uint32_t count, most;
};

osSemaphoreId_t osSemaphoreNew(uint32_t max_count, uint32_t initial_count, const osSemaphoreAttr_t *attr) {
  struct semaphore *semaphore;
  if (is_interrupt() || !max_count || initial_count > max_count) return 0;
  semaphore = calloc(1, sizeof *semaphore);
  if (!semaphore) return 0;
  semaphore->object = object_of(KIND_SEMAPHORE, attr ? attr->name : 0);
  semaphore->count = initial_count;
  semaphore->most = max_count;
  return semaphore;
}

const char *osSemaphoreGetName(osSemaphoreId_t semaphore_id) { return name_of(semaphore_id, KIND_SEMAPHORE); }

osStatus_t osSemaphoreAcquire(osSemaphoreId_t semaphore_id, uint32_t timeout) {
  struct semaphore *semaphore = semaphore_id;
  struct waiter waiter;
  uint32_t before;
  if (timeout) {
    if (is_interrupt()) return osErrorParameter;
    __flyball_os_self_or_end();
  }
  before = mask();
  if (!is_object(semaphore, KIND_SEMAPHORE)) {
    unmask(before);
    return osErrorParameter;
  }
  if (!semaphore->count) return __flyball_os_wait(&semaphore->object.waiters, &waiter, timeout, before);
  semaphore->count--;
  unmask(before);
  return osOK;
}

osStatus_t osSemaphoreRelease(osSemaphoreId_t semaphore_id) {
  struct semaphore *semaphore = semaphore_id;
  osStatus_t status = osOK;
  uint32_t before = mask();
  struct waiter *waiter;
  if (!is_object(semaphore, KIND_SEMAPHORE))
    status = osErrorParameter;
  else if ((waiter = __flyball_os_first(&semaphore->object.waiters)))
    __flyball_os_serve(&semaphore->object.waiters, waiter, osOK);
  else if (semaphore->count == semaphore->most)
    status = osErrorResource;
  else
    semaphore->count++;
  unmask(before);
  return status;
}

uint32_t osSemaphoreGetCount(osSemaphoreId_t semaphore_id) {
  struct semaphore *semaphore = semaphore_id;
  uint32_t before = mask(), count = is_object(semaphore, KIND_SEMAPHORE) ? semaphore->count : 0;
  unmask(before);
  return count;
}

osStatus_t osSemaphoreDelete(osSemaphoreId_t semaphore_id) {
  osStatus_t status = __flyball_os_delete(semaphore_id, KIND_SEMAPHORE);
  if (!status) free(semaphore_id);
  return status;
}
