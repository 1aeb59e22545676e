/* What of the kernel's part is easier in C than in Rust: it knows newlib's structures, and an exception
   may pass it. sdk/install puts it into libflyball.a. */
#include <pthread.h>
#include <reent.h>
#include <stdlib.h>
#include <string.h>

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
int __flyball_once_begin(pthread_once_t *once);
void __flyball_once_end(pthread_once_t *once, int done);

void __flyball_reent_init(struct _reent *reent) { _REENT_INIT_PTR(reent); }

/* The standard streams are not the thread's. */
void __flyball_reent_free(struct _reent *reent) {
  reent->__sdidinit = 0;
  reent->__cleanup = 0;
  _reclaim_reent(reent);
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
