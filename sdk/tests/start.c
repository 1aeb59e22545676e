/* Starts a program on an emulated board, without a kernel, and writes through the debugger
   (semihosting). A thread runs where it is created, to its end. */
#include <pthread.h>
#include <reent.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern char _end[], heap_end[], stack_end[], tls_start[];
int main(void);
void __libc_init_array(void);
void start(void);

static long semihosting(long operation, const void *argument) {
#ifdef __arm__
  register long r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
#else
  register long r0 __asm__("a0") = operation;
  register const void *r1 __asm__("a1") = argument;
  __asm__ volatile(".option push; .option norvc; .balign 16; slli x0, x0, 0x1f; ebreak;"
                   "srai x0, x0, 7; .option pop" : "+r"(r0) : "r"(r1) : "memory");
#endif
  return r0;
}

#ifdef __arm__
__attribute__((__section__(".vectors"), __used__))
static const void *const vectors[] = { stack_end, (void *) start, (void *) _Exit, (void *) _Exit };

/* The thread pointer: eight bytes, rounded up, before the thread's variables. */
__attribute__((__naked__)) void *__aeabi_read_tp(void) {
  __asm__("ldr r0, =tls_start - 8\n bx lr");
}
#else
__asm__(".section .vectors, \"ax\"\n li t0, 0x6000\n csrs mstatus, t0\n la sp, stack_end\n"
        ".option push\n.option norelax\n la gp, __global_pointer$\n.option pop\n"
        " la tp, tls_start\n j start\n.text");

struct _reent *__getreent(void) { return _impure_ptr; }

extern char __eh_frame_start[];
__attribute__((__weak__)) void __register_frame_info(const void *begin, void *object);
#endif

/* The state of the C library is not its own one, as in a thread. */
void start(void) {
  static struct _reent state;
  _REENT_INIT_PTR(&state);
  _impure_ptr = &state;
#ifdef __riscv
  static void *object[6];
  if (__register_frame_info) __register_frame_info(__eh_frame_start, object);
#endif
  __libc_init_array();
  exit(main());
}

void _exit(int code) {
  const uintptr_t argument[] = { 0x20026, (uintptr_t) code };
  for (;;) semihosting(0x20, argument);
}

int _write(int file, const char *text, int size) {
  (void) file;
  for (int i = 0; i < size; i++) semihosting(3, text + i);
  return size;
}

void *_sbrk(ptrdiff_t size) {
  static char *end = _end;
  char *old = end;
  if (size > heap_end - end) return (void *) -1;
  end += size;
  return old;
}

int _fstat(int file, void *status) {
  (void) file, (void) status;
  return -1;
}

int pthread_once(pthread_once_t *once, void (*routine)(void)) {
  if (!once->__word[0]++) routine();
  return 0;
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*start)(void *), void *restrict argument) {
  (void) attributes;
  *thread = 2;
  start(argument);
  return 0;
}

pthread_t pthread_self(void) { return 1; }

static void *values[8];

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  static unsigned keys;
  (void) destructor;
  *key = keys++;
  return 0;
}

void *pthread_getspecific(pthread_key_t key) { return values[key]; }

int pthread_setspecific(pthread_key_t key, const void *value) {
  values[key] = (void *) value;
  return 0;
}

void __flyball_cleanup_push(struct __flyball_cleanup *cleanup) { (void) cleanup; }

void __flyball_cleanup_pop(struct __flyball_cleanup *cleanup, int execute) {
  if (execute) cleanup->routine(cleanup->argument);
}

int sigemptyset(sigset_t *set) {
  set->__word[0] = set->__word[1] = 0;
  return 0;
}

int sigaddset(sigset_t *set, int signal) {
  set->__word[signal / 32] |= 1U << signal % 32;
  return 0;
}

void _init(void) {}

void _fini(void) {}

#ifdef __arm__
typedef unsigned long long wide;

/* The Cortex-M3 has no atomic access to eight bytes; the compiler calls these instead. */
wide __atomic_load_8(const volatile void *value, int order) {
  (void) order;
  return *(const volatile wide *) value;
}

wide __atomic_fetch_add_8(volatile void *value, wide more, int order) {
  wide old = *(volatile wide *) value;
  (void) order;
  *(volatile wide *) value = old + more;
  return old;
}

_Bool __atomic_compare_exchange_8(volatile void *value, void *expected, wide new, _Bool weak,
                                  int success, int failure) {
  wide old = *(volatile wide *) value;
  (void) weak, (void) success, (void) failure;
  if (old == *(wide *) expected) {
    *(volatile wide *) value = new;
    return 1;
  }
  *(wide *) expected = old;
  return 0;
}
#endif

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int seconds;
  (void) clock;
  time->tv_sec = ++seconds;
  time->tv_nsec = 0;
  return 0;
}
