/* A set of the signals 1 to 63: signal N is bit N % 32 of word N / 32. */
#ifndef _SYS__SIGSET_H_
#define _SYS__SIGSET_H_

typedef struct {
  __UINT32_TYPE__ __word[2];
} __sigset_t;

#endif
