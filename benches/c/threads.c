/* A program with two threads: how large it is. */
#include <pthread.h>

static void *run(void *argument) { return argument; }

int main(void) {
  pthread_t thread;
  return pthread_create(&thread, 0, run, 0) || pthread_join(thread, 0);
}
