/* What POSIX has in <setjmp.h>, and newlib for other systems only: jumps that restore the set of
   blocked signals. <setjmp.h> includes this file. */
#ifndef _SYS_FLYBALL_SETJMP_H
#define _SYS_FLYBALL_SETJMP_H

#include <sys/features.h>

#if __POSIX_VISIBLE
#include <sys/cdefs.h>
#include <sys/_sigset.h>

typedef struct {
  jmp_buf __registers;
  __sigset_t __mask;
  int __saved;
} sigjmp_buf[1];

#ifdef __cplusplus
extern "C" {
#endif

int pthread_sigmask(int, const __sigset_t *__restrict, __sigset_t *__restrict);

#ifdef __cplusplus
}
#endif

/* 0 is SIG_SETMASK. */
#define sigsetjmp(__env, __save)                                                     \
  ((__env)->__saved = (__save),                                                      \
   (void) ((__env)->__saved && pthread_sigmask(0, 0, &(__env)->__mask)),             \
   setjmp((__env)->__registers))
#define siglongjmp(__env, __value)                                                   \
  ((void) ((__env)->__saved && pthread_sigmask(0, &(__env)->__mask, 0)),             \
   longjmp((__env)->__registers, (__value)))
#endif

#endif
