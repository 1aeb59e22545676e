/* A program that writes behind a block ends when it frees the next one. Ends with 134. Says "^thread 0 .*the heap is corrupt, address 0x[0-9a-f]*, called from 0x[0-9a-f]*$". */
#include "check.h"

int main(void) {
  volatile char *volatile block = malloc(20);
  void *volatile next = malloc(20);
  for (int i = 0; i < 28; i++) block[i] = (char) 0xff;
  free(next);
  return 1;
}
