/* Runs a program on the kernel as a shell would: arguments at its end redirect, <FILE, >FILE and 2>FILE. To the
   file of 3>FILE three numbers are written: nanoseconds, bytes of the heap, bytes of the stack. Under EDF
   threads get deadlines, which the programs say nothing of. It is linked with --wrap=main and
   --wrap=pthread_create, so the program is as it was. */
#include <flyball.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A call of a memory card takes half a millisecond, and a byte half a microsecond. */
FLYBALL_STORAGE(FLYBALL_US(500), 500);

int __real_main(int count, char **arguments, char **environment);
int __wrap_main(int count, char **arguments, char **environment);

static const char *used;
static uint64_t started;
static uint32_t *low;

enum { paint = 0x5afeda7a };

/* The stack of main, down from where it is now. */
static void paint_stack(void) {
  pthread_attr_t attributes;
  void *address;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes)) return;
  pthread_attr_getstack(&attributes, &address, &size);
  /* The lowest words are for the guard. */
  low = (uint32_t *) address + 64;
  for (uint32_t *word = low; word < (uint32_t *) __builtin_frame_address(0) - 16; word++) *word = paint;
}

static void tell(void) {
  uint64_t time = flyball_now() - started;
  uint32_t *word = low, *end = (uint32_t *) __builtin_frame_address(0);
  while (word < end && *word == paint) word++;
  FILE *file = fopen(used, "w");
  if (!file) return;
  fprintf(file, "%" PRIu64 " %d %d\n", time, (int) mallinfo().arena, (int) ((char *) end - (char *) word));
  fclose(file);
}

static void open_as(FILE *stream, const char *name, const char *mode) {
  if (freopen(name, mode, stream)) return;
  perror(name);
  exit(126);
}

int __wrap_main(int count, char **arguments, char **environment) {
  for (; count > 1; arguments[--count] = NULL) {
    const char *word = arguments[count - 1];
    if (*word == '<') open_as(stdin, word + 1, "r");
    else if (*word == '>') open_as(stdout, word + 1, "w");
    else if (*word == '2' && word[1] == '>') open_as(stderr, word + 2, "w");
    else if (*word == '3' && word[1] == '>') used = word + 2;
    else break;
  }
  /* Programs that look at the date, as Lua does for its hashes, do the same each time. */
  clock_settime(CLOCK_REALTIME, &(struct timespec){ .tv_sec = 1000000000 });
  if (used) atexit(tell);
  paint_stack();
  started = flyball_now();
  return __real_main(count, arguments, environment);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *argument);

/* Fictitious deadlines, a second apart. */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *argument) {
  static int count;
  pthread_attr_t with;
  if (strcmp(flyball_policy(), "edf")) return __real_pthread_create(thread, attributes, start, argument);
  if (attributes) with = *attributes;
  else pthread_attr_init(&with);
  flyball_attr_setdeadline(&with, FLYBALL_S(++count));
  return __real_pthread_create(thread, &with, start, argument);
}
