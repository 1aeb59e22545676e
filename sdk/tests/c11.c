/* Threads of ISO C. */
#include "check.h"
#include <threads.h>

static mtx_t mutex;
static cnd_t condition;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t key;
static int count, once;
static thread_local int mine;

static void first(void) { once++; }

static int run(void *number) {
  call_once(&flag, first);
  mine = *(int *) number;
  CHECK(tss_set(key, number) == thrd_success);
  CHECK(mtx_lock(&mutex) == thrd_success);
  CHECK(mtx_lock(&mutex) == thrd_success);
  count++;
  CHECK(cnd_signal(&condition) == thrd_success);
  CHECK(mtx_unlock(&mutex) == thrd_success);
  CHECK(mtx_unlock(&mutex) == thrd_success);
  thrd_yield();
  CHECK(tss_get(key) == number && mine == *(int *) number);
  if (mine == 2) thrd_exit(-2);
  return -mine;
}

int main(void) {
  thrd_t threads[3];
  int numbers[3] = { 0, 1, 2 }, result;
  struct timespec until = { 0, 2000000 };
  CHECK(mtx_init(&mutex, mtx_recursive | mtx_timed) == thrd_success);
  CHECK(cnd_init(&condition) == thrd_success);
  CHECK(tss_create(&key, 0) == thrd_success);
  for (int i = 0; i < 3; i++) CHECK(thrd_create(&threads[i], run, &numbers[i]) == thrd_success);
  CHECK(mtx_lock(&mutex) == thrd_success);
  while (count < 3) CHECK(cnd_wait(&condition, &mutex) == thrd_success);
  CHECK(timespec_get(&until, TIME_UTC) == TIME_UTC);
  CHECK(cnd_timedwait(&condition, &mutex, &until) == thrd_timedout);
  for (int i = 0; i < 3; i++)
    CHECK(thrd_join(threads[i], &result) == thrd_success && result == -i);
  CHECK(once == 1 && mine == 0 && !thrd_equal(threads[0], thrd_current()));
  return 0;
}
