/* What of the kernel's part is easier in C than in Rust: it knows newlib's structures, and an exception
   may pass it. sdk/install puts it into libflyball.a. */
#include <errno.h>
#include <pthread.h>
#include <reent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "signals.h"

#ifdef _REENT_SMALL
#define REENT 96
#else
#define REENT (sizeof(long) == 4 ? 344 : 536)
#endif
_Static_assert(sizeof(struct _reent) == REENT, "REENT of flyball-capi is another size");

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
void __flyball_ending(void);
void __cxa_pure_virtual(void);
void __cxa_deleted_virtual(void);
void __flyball_abort(const uintptr_t *places, size_t count) __attribute__((__noreturn__));
int __flyball_rename(const char *from, const char *to);
int __flyball_once_begin(pthread_once_t *once);
void __flyball_once_end(pthread_once_t *once, int done);

/* All of it is zero. */
void __flyball_reent_init(struct _reent *reent) { _REENT_INIT_PTR_ZEROED(reent); }

/* The standard streams are not the thread's. */
void __flyball_reent_free(struct _reent *reent) {
  struct _Bigint *power = 0, *next;
#ifdef _REENT_SMALL
  if (reent->_mp)
#endif
    power = _REENT_MP_P5S(reent), _REENT_MP_P5S(reent) = 0;
  /* Of conversions of numbers newlib forgets these. */
  for (; power; power = next) next = power->_next, free(power);
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

#ifdef __riscv
extern const char __eh_frame_start[];
void __register_frame_info(const void *begin, void *object);
const void *_Unwind_Find_FDE(void *place, void *bases);

/* Tells the unwinder where its tables are. It sorts them when it looks into them first, and has no lock for that:
   so it looks before there is a second thread. */
static void prepare_unwinder(void) {
  static void *object[8];
  void *bases[3];
  __register_frame_info(__eh_frame_start, object);
  _Unwind_Find_FDE((char *) __flyball_main + 1, bases);
}
#else
static void prepare_unwinder(void) {}
#endif

void __flyball_main(void) {
  static char text[512], *arguments[33];
  int count = 0;
  prepare_unwinder();
  if (__flyball_command_line(text, sizeof text)) count = split(text, arguments, 32);
  /* The last one that is called. */
  atexit(__flyball_ending);
  atexit(__libc_fini_array);
  __libc_init_array();
  exit(main(count, arguments, environ));
}

#define MOST_CALLERS 16

/* Return addresses, from the innermost on. */
struct callers {
  uintptr_t places[MOST_CALLERS];
  size_t count, left_out;
};

static _Unwind_Reason_Code add_caller(struct _Unwind_Context *context, void *to) {
  struct callers *callers = to;
  uintptr_t place = _Unwind_GetIP(context);
  if (callers->left_out) {
    callers->left_out--;
  } else if (place) {
    callers->places[callers->count++] = place;
  }
  return callers->count == MOST_CALLERS ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* A program without handlers is linked without them. */
#pragma weak sigaction
#pragma weak pthread_sigmask

void __flyball_aborted(void) __attribute__((__noreturn__));
void abort(void) __attribute__((__alias__("__flyball_aborted")));

/* By another name, since what GCC knows as `abort` has no tables for the unwinder. */
void __flyball_aborted(void) {
  static int again;
  struct sigaction action;
  sigset_t set;
  /* The unwinder begins with this function, and goes on to the caller if that has tables. */
  struct callers callers = { .count = 1, .left_out = 2 };
  callers.places[0] = (uintptr_t) __builtin_return_address(0);
  /* A handler may leave by longjmp. */
  if (sigaction && !sigaction(SIGABRT, 0, &action) && action.sa_handler != SIG_DFL &&
      action.sa_handler != SIG_IGN) {
    sigemptyset(&set);
    sigaddset(&set, SIGABRT);
    pthread_sigmask(SIG_UNBLOCK, &set, 0);
    raise(SIGABRT);
  }
  if (!__atomic_fetch_add(&again, 1, __ATOMIC_RELAXED)) _Unwind_Backtrace(add_caller, &callers);
  __flyball_abort(callers.places, callers.count);
}

/* GCC refers to them in a way that does not link them: what is in no archive is called. That of libstdc++ says the same. */
__attribute__((__weak__, __noreturn__)) void __cxa_pure_virtual(void) {
  static const char text[] = "pure virtual method called\n";
  write(2, text, sizeof text - 1);
  abort();
}

__attribute__((__weak__, __noreturn__)) void __cxa_deleted_virtual(void) {
  static const char text[] = "deleted virtual method called\n";
  write(2, text, sizeof text - 1);
  abort();
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

/* `place` is where the stack begins: functions that clean up write to the stack below of what is unwound. */
void __flyball_unwind(void *result, void *place) {
  struct _Unwind_Exception *exception = place;
  _Static_assert(sizeof *exception <= (sizeof(long) == 4 ? 88 : 32), "UNWINDING of flyball-capi is too small");
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

/* A program without signals is linked without signals.c: then these are not there. */
#pragma weak __flyball_deliver
#pragma weak __flyball_leave
#pragma weak __flyball_kill
#pragma weak pthread_kill

int __flyball_handle(void) { return __flyball_deliver ? __flyball_deliver() : 0; }

void __flyball_leave_signals(void) {
  if (__flyball_leave) __flyball_leave();
}

/* A signal without a handler ends the program, as a shell tells it: with its number and 128. */
int _kill(int process, int number) {
  if (process < -1 || process > 1) return errno = ESRCH, -1;
  if (number < 0 || number >= NSIG) return errno = EINVAL, -1;
  if (__flyball_kill) return __flyball_kill(number);
  if (number && !(IGNORED & BIT(number))) _exit(128 + number);
  return 0;
}

/* newlib's own one is for the whole process. */
int raise(int number) {
  int error;
  if (!pthread_kill) return _kill(1, number);
  error = pthread_kill(pthread_self(), number);
  return error ? (errno = error, -1) : 0;
}

/* There are no other processes. */
FILE *popen(const char *command, const char *mode) {
  (void) command, (void) mode;
  errno = ENOSYS;
  return 0;
}

int pclose(FILE *stream) {
  (void) stream;
  errno = ECHILD;
  return -1;
}

/* A file of the host has one name. */
int _link(const char *file, const char *name);
int _link(const char *file, const char *name) {
  (void) file, (void) name;
  errno = ENOSYS;
  return -1;
}
