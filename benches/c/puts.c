/* A program that writes a line: how large it is. */
#include <stdio.h>

int main(void) { return puts("hello") < 0; }
