/* A thread that is cancelled while it writes to a stream gives that back; what it has locked itself it keeps for its cleanup
   handlers. The program ends although a stream is locked for ever. */
#include "check.h"
#include <stdio.h>
#include <unistd.h>

static FILE *stream;
static int cleaned;

static void count(void *unused) {
  (void) unused;
  cleaned++;
}

/* The lock is this thread's, so no other one has it. */
static void *try(void *unused) {
  (void) unused;
  return (void *) (long) ftrylockfile(stream);
}

static void give_back(void *locked) {
  pthread_t other;
  CHECK(pthread_create(&other, 0, try, 0) == 0 && join(other) == (void *) -1);
  funlockfile(locked);
  cleaned++;
}

static void *writing(void *unused) {
  (void) unused;
  pthread_cleanup_push(count, 0);
  /* The buffer is full now and then. */
  for (;;) fprintf(stream, "some text %d\n", cleaned);
  pthread_cleanup_pop(0);
  return 0;
}

/* Without its stream it does not go on. */
static void *writing_alone(void *unused) {
  (void) unused;
  flockfile(stream);
  pthread_cleanup_push(give_back, stream);
  for (;;) fprintf(stream, "some text %d\n", cleaned);
  pthread_cleanup_pop(0);
  return 0;
}

/* Written in a buffer: no point of cancellation. */
static void *unwritten(void *unused) {
  char text[16];
  (void) unused;
  CHECK(pthread_cancel(pthread_self()) == 0);
  CHECK(snprintf(text, sizeof text, "%d", 12) == 2 && text[1] == '2');
  free(malloc(100));
  cleaned = 100;
  pthread_testcancel();
  cleaned = 0;
  return 0;
}

/* What is turned off meanwhile is no point either, afterwards. */
static void *unwilling(void *unused) {
  (void) unused;
  CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0) == 0);
  CHECK(pthread_cancel(pthread_self()) == 0);
  CHECK(fputs("text", stream) >= 0 && fflush(stream) == 0);
  CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0) == 0);
  cleaned = 200;
  fputs("text", stream), fflush(stream);
  cleaned = 0;
  return 0;
}

static void cancel(void *(*what)(void *)) {
  pthread_t thread;
  CHECK(pthread_create(&thread, 0, what, 0) == 0);
  pause_for(20);
  CHECK(pthread_cancel(thread) == 0);
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK(ftrylockfile(stream) == 0);
  funlockfile(stream);
  CHECK(fputs("more\n", stream) >= 0 && fflush(stream) == 0);
}

static void *holding(void *unused) {
  (void) unused;
  flockfile(stdout);
  flockfile(stream);
  for (;;) pause();
  return 0;
}

int main(void) {
  pthread_t thread;
  stream = fopen("locked.txt", "w");
  CHECK(stream);
  for (int i = 1; i <= 5; i++) {
    cancel(writing);
    CHECK(cleaned == 2 * i - 1);
    cancel(writing_alone);
    CHECK(cleaned == 2 * i);
  }
  cancel(unwritten);
  CHECK(cleaned == 100);
  cancel(unwilling);
  CHECK(cleaned == 200);
  setvbuf(stdout, 0, _IOFBF, 1024);
  puts("the end");
  CHECK(pthread_create(&thread, 0, holding, 0) == 0);
  pause_for(20);
  return 0;
}
