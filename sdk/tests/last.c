/* main ends as a thread; the program ends with the last one, with 0, and writes what is left. */
#include "check.h"

static void *last(void *unused) {
  (void) unused;
  pause_for(20);
  fputs("the last one", stdout);
  return 0;
}

int main(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, 0, last, 0) == 0);
  pthread_exit((void *) 5);
}
