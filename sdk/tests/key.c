/* policies: fp-rr rr edf ipi */
/* Data of each thread: keys, variables, errno; and what is done once. */
#include "check.h"
#include <errno.h>
#include <limits.h>
#include <stdint.h>

static pthread_key_t key, again;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int destroyed, rounds, done;
static __thread int variable = 7;
static __thread struct { char one; _Alignas(16) char other[20]; } aligned;

static void destroy(void *value) { destroyed += (int) (long) value; }

/* Sets itself anew, as long as it is called. */
static void destroy_again(void *value) {
  rounds++;
  CHECK(pthread_setspecific(again, value) == 0);
}

static void routine(void) {
  pause_for(5);
  done++;
}

static void *run(void *number) {
  CHECK(pthread_once(&once, routine) == 0);
  CHECK(done == 1);
  CHECK(pthread_getspecific(key) == 0);
  CHECK(pthread_setspecific(key, number) == 0);
  CHECK(variable == 7 && aligned.other[19] == 0);
  CHECK((uintptr_t) aligned.other % 16 == 0);
  variable += (int) (long) number;
  aligned.other[19] = (char) (long) number;
  errno = (int) (long) number;
  pause_for(5);
  CHECK(errno == (int) (long) number && variable == 7 + errno && aligned.other[19] == errno);
  CHECK(pthread_getspecific(key) == number);
  return 0;
}

static void *set_again(void *unused) {
  (void) unused;
  CHECK(pthread_setspecific(again, &rounds) == 0);
  return 0;
}

int main(void) {
  pthread_t threads[5];
  pthread_key_t many[PTHREAD_KEYS_MAX];
  int count = 0;
  CHECK(pthread_key_create(&key, destroy) == 0);
  CHECK(pthread_key_create(&again, destroy_again) == 0);
  for (long i = 0; i < 5; i++) CHECK(pthread_create(&threads[i], 0, run, (void *) (i + 1)) == 0);
  for (int i = 0; i < 5; i++) join(threads[i]);
  CHECK(destroyed == 15 && done == 1 && variable == 7);
  CHECK(pthread_create(&threads[0], 0, set_again, 0) == 0);
  join(threads[0]);
  CHECK(rounds == PTHREAD_DESTRUCTOR_ITERATIONS);

  while (pthread_key_create(&many[count], 0) == 0) count++;
  CHECK(count > 100);
  CHECK(pthread_setspecific(many[0], &count) == 0);
  CHECK(pthread_key_delete(many[0]) == 0);
  CHECK(pthread_setspecific(many[0], &count) == EINVAL);
  /* A new key has no values, whatever its number. */
  CHECK(pthread_key_create(&many[0], 0) == 0);
  CHECK(pthread_getspecific(many[0]) == 0);
  CHECK(pthread_key_delete(1000) == EINVAL);
  return 0;
}
