/* The heap refuses what is too much, is free for other threads afterwards, and gets all back that a thread had. */
#include "check.h"
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>

static void *allocates(void *unused) {
  char *volatile block = malloc(100);
  (void) unused;
  CHECK(block);
  free(block);
  return 0;
}

/* Another thread can have the heap. */
static void look(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, 0, allocates, 0) == 0 && pthread_join(thread, 0) == 0);
}

/* For that newlib keeps powers of five. */
static void *converts(void *unused) {
  char text[64];
  volatile double number = strtod("1.2345678901234567890123e50", 0);
  CHECK(number > 1e50 && sprintf(text, "%.17g", 1e-50) > 0);
  return unused;
}

/* Threads that have ended leave nothing behind. */
static void look_for_leaks(void) {
  size_t used = 0;
  for (int i = 0; i < 60; i++) {
    pthread_t thread;
    CHECK(pthread_create(&thread, 0, converts, 0) == 0 && pthread_join(thread, 0) == 0);
    if (i == 20) used = mallinfo().uordblks;
  }
  CHECK(mallinfo().uordblks == used);
}

int main(void) {
  static const size_t sizes[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 100, SIZE_MAX / 2, SIZE_MAX / 2 + 1 };
  char *block = malloc(1 << 20);
  CHECK(block);
  memset(block, 0xff, 1 << 20);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    volatile size_t size = sizes[i];
    void *to;
    errno = 0;
    CHECK(!malloc(size) && errno == ENOMEM);
    look();
    errno = 0;
    CHECK(!realloc(block, size) && errno == ENOMEM);
    look();
    errno = 0;
    CHECK(!calloc(size, 1) && errno == ENOMEM);
    look();
    CHECK(posix_memalign(&to, 64, size) == ENOMEM);
    look();
    CHECK(!memalign(4096, size));
    look();
    CHECK(!reallocarray(block, size, 4));
    look();
  }
  /* Products that are small only if one does not look. */
  for (size_t factor = 2; factor; factor *= 2) {
    volatile size_t many = SIZE_MAX / factor + 1;
    CHECK(!calloc(many, factor) && !calloc(factor, many));
    look();
  }
  CHECK(block[0] == (char) 0xff && block[(1 << 20) - 1] == (char) 0xff);
  free(block);
  /* What was in use is zero again. */
  block = calloc(4, 1 << 18);
  CHECK(block);
  for (int i = 0; i < 1 << 20; i++) CHECK(!block[i]);
  free(block);
  free(0);
  CHECK((block = calloc(0, 8)) || !errno);
  free(block);
  look();
  look_for_leaks();
  return 0;
}
