/* CMSIS-RTOS 2: memory in blocks of one size. sdk/install puts this into libflyball.a. */
#include <stdlib.h>

#include "os.h"

struct pool {
  struct object object;
  uint32_t count; /* of blocks */
  uint32_t size; /* of one, a multiple of a word */
  uint32_t used;
  void *unused; /* the first of a list: each begins with the address of the next */
  char *memory;
  void *allocated; /* the same if it is on the heap; else null */
};

/* All its blocks are free. */
static void fill(struct pool *pool) {
  for (uint32_t i = pool->count; i-- > 0;) {
    void **block = (void **) (pool->memory + i * pool->size);
    *block = pool->unused;
    pool->unused = block;
  }
}

osMemoryPoolId_t osMemoryPoolNew(uint32_t block_count, uint32_t block_size, const osMemoryPoolAttr_t *attr) {
  struct pool *pool;
  uint32_t size = (block_size + 3) & ~3u, total;
  void *memory = attr ? attr->mp_mem : 0;
  if (is_interrupt() || !block_count || !block_size || size < block_size) return 0;
  if (__builtin_mul_overflow(block_count, size, &total)) return 0;
  if (memory && ((uintptr_t) memory % 4 || attr->mp_size < total)) return 0;
  pool = calloc(1, sizeof *pool);
  if (!pool) return 0;
  if (!memory) memory = pool->allocated = malloc(total);
  if (!memory) {
    free(pool);
    return 0;
  }
  pool->object = object_of(KIND_POOL, attr ? attr->name : 0);
  pool->count = block_count;
  pool->size = size;
  pool->memory = memory;
  fill(pool);
  return pool;
}

const char *osMemoryPoolGetName(osMemoryPoolId_t mp_id) { return name_of(mp_id, KIND_POOL); }

void *osMemoryPoolAlloc(osMemoryPoolId_t mp_id, uint32_t timeout) {
  struct pool *pool = mp_id;
  struct waiter waiter;
  uint32_t before;
  void **block;
  if (timeout) {
    if (is_interrupt()) return 0;
    __flyball_os_self_or_end();
  }
  before = mask();
  if (!is_object(pool, KIND_POOL)) {
    unmask(before);
    return 0;
  }
  block = pool->unused;
  if (!block) return __flyball_os_wait(&pool->object.waiters, &waiter, timeout, before) ? 0 : waiter.memory;
  pool->unused = *block;
  pool->used++;
  unmask(before);
  return block;
}

/* Whether that is the address of one of its blocks. */
static int is_block(const struct pool *pool, const void *block) {
  uint32_t offset = (uintptr_t) block - (uintptr_t) pool->memory;
  return offset < pool->count * pool->size && offset % pool->size == 0;
}

osStatus_t osMemoryPoolFree(osMemoryPoolId_t mp_id, void *block) {
  struct pool *pool = mp_id;
  osStatus_t status = osOK;
  uint32_t before = mask();
  struct waiter *waiter;
  if (!is_object(pool, KIND_POOL) || !is_block(pool, block)) {
    status = osErrorParameter;
  } else if (!pool->used) {
    status = osErrorResource;
  } else if ((waiter = __flyball_os_first(&pool->object.waiters))) {
    waiter->memory = block;
    __flyball_os_serve(&pool->object.waiters, waiter, osOK);
  } else {
    *(void **) block = pool->unused;
    pool->unused = block;
    pool->used--;
  }
  unmask(before);
  return status;
}

uint32_t osMemoryPoolGetCapacity(osMemoryPoolId_t mp_id) {
  struct pool *pool = mp_id;
  return is_object(pool, KIND_POOL) ? pool->count : 0;
}

uint32_t osMemoryPoolGetBlockSize(osMemoryPoolId_t mp_id) {
  struct pool *pool = mp_id;
  return is_object(pool, KIND_POOL) ? pool->size : 0;
}

uint32_t osMemoryPoolGetCount(osMemoryPoolId_t mp_id) {
  struct pool *pool = mp_id;
  return is_object(pool, KIND_POOL) ? pool->used : 0;
}

uint32_t osMemoryPoolGetSpace(osMemoryPoolId_t mp_id) {
  struct pool *pool = mp_id;
  return is_object(pool, KIND_POOL) ? pool->count - pool->used : 0;
}

osStatus_t osMemoryPoolDelete(osMemoryPoolId_t mp_id) {
  struct pool *pool = mp_id;
  osStatus_t status = __flyball_os_delete(pool, KIND_POOL);
  if (status) return status;
  free(pool->allocated);
  free(pool);
  return osOK;
}
