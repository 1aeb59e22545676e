/* What of the kernel's part is easier in C than in Rust: it knows newlib's structures, and an exception
   may pass it. sdk/install puts it into libflyball.a. */
#include <pthread.h>
#include <reent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#ifdef __arm__
_Static_assert(sizeof(struct _reent) == 752, "REENT of flyball-capi is another size");
#endif

void *__dso_handle;

void _init(void);
void _fini(void);
void __libc_init_array(void);
void __libc_fini_array(void);
void _reclaim_reent(struct _reent *reent);
int main(int count, char **arguments, char **environment);
extern char **environ;

/* newlib calls them before and after all others. */
void _init(void) {}
void _fini(void) {}

void __flyball_reent_init(struct _reent *reent);
void __flyball_reent_free(struct _reent *reent);
void __flyball_main(void);
int __flyball_command_line(char *text, size_t size);
void __flyball_unwind(void *result, void *place) __attribute__((__noreturn__));
void __flyball_clean_up(uintptr_t end);
void __flyball_exit(void *result) __attribute__((__noreturn__));
int __flyball_rename(const char *from, const char *to);
int __flyball_once_begin(pthread_once_t *once);
void __flyball_once_end(pthread_once_t *once, int done);

void __flyball_reent_init(struct _reent *reent) { _REENT_INIT_PTR(reent); }

/* The standard streams are not the thread's. */
void __flyball_reent_free(struct _reent *reent) {
  reent->__sdidinit = 0;
  reent->__cleanup = 0;
  _reclaim_reent(reent);
}

/* newlib's own one makes a second name of the file, and removes the first. */
int _rename_r(struct _reent *reent, const char *from, const char *to) {
  (void) reent;
  return __flyball_rename(from, to);
}

/* The arguments are what stands between spaces. */
static int split(char *text, char **arguments, int most) {
  int count = 0;
  for (char *word = strtok_r(text, " ", &text); word && count < most;
       word = strtok_r(0, " ", &text))
    arguments[count++] = word;
  arguments[count] = 0;
  return count;
}

void __flyball_main(void) {
  static char text[512], *arguments[33];
  int count = 0;
  if (__flyball_command_line(text, sizeof text)) count = split(text, arguments, 32);
  atexit(__libc_fini_array);
  __libc_init_array();
  exit(main(count, arguments, environ));
}

/* A thread ends in the middle of what it does. The unwinder calls this for every function that is left,
   from the innermost on. */
static _Unwind_Reason_Code leave(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                 struct _Unwind_Exception *exception,
                                 struct _Unwind_Context *context, void *result) {
  (void) version, (void) class, (void) exception;
  if (actions & _UA_END_OF_STACK) __flyball_exit(result);
  __flyball_clean_up(_Unwind_GetCFA(context));
  return _URC_NO_REASON;
}

/* `place` is not on the stack, as functions that clean up write there. */
void __flyball_unwind(void *result, void *place) {
  struct _Unwind_Exception *exception = place;
  _Static_assert(sizeof *exception <= 128, "Control has no room for it");
  memset(exception, 0, sizeof *exception);
  _Unwind_ForcedUnwind(exception, leave, result);
  /* There is no way through functions that have no tables, as those of C have none. */
  __flyball_exit(result);
}

struct guard {
  pthread_once_t *once;
  int done;
};

static void end(struct guard *guard) { __flyball_once_end(guard->once, guard->done); }

int pthread_once(pthread_once_t *once, void (*routine)(void)) {
  if (__atomic_load_n(&once->__word[0], __ATOMIC_ACQUIRE) != 2 && __flyball_once_begin(once)) {
    /* Also if an exception leaves the routine. */
    struct guard guard __attribute__((__cleanup__(end))) = { once, 0 };
    routine();
    guard.done = 1;
  }
  return 0;
}
