/* A block that is freed twice ends the program, and the thread is named. Ends with 134. Says "^thread [0-9]* (gardener).* at .*: the heap is corrupt, address 0x[0-9a-f]*, called from 0x[0-9a-f]*$". */
#include "check.h"

static void *frees(void *unused) {
  char *volatile block = malloc(20), *volatile next = malloc(20);
  (void) unused;
  CHECK(pthread_setname_np(pthread_self(), "gardener") == 0);
  free(block);
  free(block);
  return next;
}

int main(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, 0, frees, 0) == 0 && pthread_join(thread, 0) == 0);
  return 1;
}
