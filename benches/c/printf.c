/* A program that writes a floating-point number: how large it is. */
#include <stdio.h>

int main(int count, char **arguments) {
  (void)arguments;
  return printf("%f\n", count / 3.0) < 0;
}
