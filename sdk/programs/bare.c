/* Starts a program on the emulated board mps2-an385 WITHOUT A KERNEL, to check the programs of this
   folder by themselves. Files are those of the host, through the debugger (semihosting). There is
   one thread, and no interrupt. The kernel's library takes the place of this file.

   The command line may redirect: <FILE, >FILE, 2>FILE; and 3>FILE is given what the run has used:
   instructions, bytes of the heap, bytes of the stack. Instructions need `-icount shift=0`. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <reent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

enum {
  sys_open = 1,
  sys_close,
  sys_writec,
  sys_write = 5,
  sys_read,
  sys_istty = 9,
  sys_seek,
  sys_flen = 12,
  sys_remove = 14,
  sys_get_cmdline = 21,
  sys_exit_extended = 32,
};

enum { most_files = 24, most_arguments = 64, paint = 0x5ac35ac3 };

extern char _end[], stack_end[], tls_start[];
int main(int count, char **argument);
void __libc_init_array(void);
void start(void);

static long semihosting(long operation, const void *argument) {
  register long r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

static long call(long operation, uintptr_t a, uintptr_t b, uintptr_t c) {
  const uintptr_t argument[] = { a, b, c };
  return semihosting(operation, argument);
}

static void fault(void) {
  static const char text[] = "fault\n";
  for (const char *c = text; *c; c++) semihosting(sys_writec, c);
  call(sys_exit_extended, 0x20023, 139, 0);
  for (;;) {}
}

__attribute__((__section__(".vectors"), __used__))
static const void *const vectors[] = { stack_end, (void *) start, (void *) fault, (void *) fault,
                                       (void *) fault, (void *) fault, (void *) fault };

/* The thread pointer: eight bytes, rounded up, before the thread's variables. */
__attribute__((__naked__)) void *__aeabi_read_tp(void) {
  __asm__("ldr r0, =tls_start - 8\n bx lr");
}

/* Time: a timer of the board counts down at 25 MHz. With `-icount shift=0` an instruction takes a
   nanosecond, so a tick is 40 instructions. */
static volatile uint32_t *const timer = (volatile uint32_t *) 0x40000000;

static void start_timer(void) {
  timer[1] = timer[2] = 0xffffffff;
  timer[0] = 1;
}

static uint64_t nanoseconds(void) { return (uint64_t) (0xffffffff - timer[1]) * 40; }

/* Memory: 16 MiB of the board are the heap. */
static char *const heap = (char *) 0x21000000, *const heap_end = (char *) 0x22000000;
static char *heap_top = (char *) 0x21000000, *heap_most = (char *) 0x21000000;

void *_sbrk(ptrdiff_t size) {
  char *old = heap_top;
  if (size > heap_end - heap_top || size < heap - heap_top) return errno = ENOMEM, (void *) -1;
  heap_top += size;
  if (heap_top > heap_most) heap_most = heap_top;
  return old;
}

/* Files. A debugger's file has no position that one can ask for, so it is kept here. */
static struct {
  int open, append, terminal;
  long handle, position;
} file[most_files];

static int open_as(int number, const char *path, int flags) {
  int mode;
  switch (flags & O_ACCMODE) {
    case O_RDONLY: mode = 1; break;
    case O_WRONLY: mode = flags & O_TRUNC ? 5 : flags & O_APPEND ? 9 : 3; break;
    default: mode = flags & O_TRUNC ? 7 : flags & O_APPEND ? 11 : 3;
  }
  long handle = call(sys_open, (uintptr_t) path, (uintptr_t) mode, strlen(path));
  if (handle >= 0 && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) && mode < 5) {
    call(sys_close, (uintptr_t) handle, 0, 0);
    return errno = EEXIST, -1;
  }
  /* A file that is not there yet is made. "r+" does not do that. */
  if (handle < 0 && mode == 3 && flags & O_CREAT)
    handle = call(sys_open, (uintptr_t) path, 7, strlen(path));
  if (handle < 0) return errno = ENOENT, -1;
  file[number].open = 1;
  file[number].append = (flags & O_APPEND) != 0;
  file[number].terminal = !strcmp(path, ":tt");
  file[number].handle = handle;
  file[number].position = 0;
  return number;
}

static int bad(int number) {
  if (number >= 0 && number < most_files && file[number].open) return 0;
  errno = EBADF;
  return 1;
}

int _open(const char *path, int flags, ...) {
  for (int number = 0; number < most_files; number++)
    if (!file[number].open) return open_as(number, path, flags);
  return errno = EMFILE, -1;
}

int _close(int number) {
  if (bad(number)) return -1;
  file[number].open = 0;
  return (int) call(sys_close, (uintptr_t) file[number].handle, 0, 0);
}

static int transfer(int operation, int number, const void *memory, size_t size) {
  long rest = call(operation, (uintptr_t) file[number].handle, (uintptr_t) memory, size);
  if (rest < 0 || (size_t) rest > size || (operation == sys_write && size && (size_t) rest == size))
    return errno = EIO, -1;
  file[number].position += (long) size - rest;
  return (int) size - (int) rest;
}

int _read(int number, void *memory, size_t size) {
  return bad(number) ? -1 : transfer(sys_read, number, memory, size);
}

static long length(int number) { return call(sys_flen, (uintptr_t) file[number].handle, 0, 0); }

int _write(int number, const void *memory, size_t size) {
  if (bad(number)) return -1;
  if (file[number].append) file[number].position = length(number);
  return transfer(sys_write, number, memory, size);
}

off_t _lseek(int number, off_t offset, int whence) {
  if (bad(number)) return -1;
  if (file[number].terminal) return errno = ESPIPE, -1;
  if (whence == SEEK_CUR) offset += file[number].position;
  if (whence == SEEK_END) offset += length(number);
  if (offset < 0) return errno = EINVAL, -1;
  if (call(sys_seek, (uintptr_t) file[number].handle, (uintptr_t) offset, 0) < 0)
    return errno = EIO, -1;
  return file[number].position = offset;
}

int _fstat(int number, struct stat *status) {
  if (bad(number)) return -1;
  memset(status, 0, sizeof *status);
  status->st_mode = (file[number].terminal ? S_IFCHR : S_IFREG) | 0644;
  status->st_nlink = 1;
  status->st_blksize = 4096;
  if (!file[number].terminal) status->st_size = length(number);
  return 0;
}

int _stat(const char *path, struct stat *status) {
  int number = _open(path, O_RDONLY);
  if (number < 0) return -1;
  int result = _fstat(number, status);
  _close(number);
  return result;
}

int _isatty(int number) { return !bad(number) && file[number].terminal; }

int _unlink(const char *path) {
  return call(sys_remove, (uintptr_t) path, strlen(path), 0) ? errno = ENOENT, -1 : 0;
}

int _link(const char *from, const char *to) {
  (void) from, (void) to;
  return errno = ENOSYS, -1;
}

int _gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void) zone;
  time->tv_sec = (time_t) (1000000000 + nanoseconds() / 1000000000);
  time->tv_usec = (suseconds_t) (nanoseconds() / 1000 % 1000000);
  return 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  time->tv_sec = (time_t) (nanoseconds() / 1000000000 + (clock == CLOCK_REALTIME ? 1000000000 : 0));
  time->tv_nsec = (long) (nanoseconds() % 1000000000);
  return 0;
}

clock_t _times(struct tms *times) {
  memset(times, 0, sizeof *times);
  return times->tms_utime = (clock_t) (nanoseconds() / (1000000000 / CLOCKS_PER_SEC));
}

/* Splits the command line at blanks, and opens the standard files. */
static int arguments(char *line, char **argument) {
  static const char *name[4] = { ":tt", ":tt", ":tt", NULL };
  int count = 0;
  for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
    if (*word == '<') name[0] = word + 1;
    else if (*word == '>') name[1] = word + 1;
    else if ((*word == '2' || *word == '3') && word[1] == '>') name[*word - '0'] = word + 2;
    else if (count < most_arguments - 1) argument[count++] = word;
  }
  for (int number = 0; number < 4; number++)
    if (name[number])
      open_as(number, name[number], number ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY);
  return count;
}

static uint32_t *stack_bottom;

void start(void) {
  static char line[2048], *argument[most_arguments];
  uintptr_t block[] = { (uintptr_t) line, sizeof line };
  stack_bottom = (uint32_t *) _end;
  for (uint32_t *word = stack_bottom; word < (uint32_t *) __builtin_frame_address(0) - 16; word++)
    *word = paint;
  semihosting(sys_get_cmdline, block);
  int count = arguments(line, argument);
  start_timer();
  __libc_init_array();
  exit(main(count, argument));
}

static char *number(char *end, uint64_t value) {
  do *--end = (char) ('0' + value % 10);
  while (value /= 10);
  return end;
}

void _exit(int code) {
  char text[80], *end = text + sizeof text, *at = end;
  uint64_t time = nanoseconds();
  uint32_t *word = stack_bottom;
  while (word < (uint32_t *) stack_end && *word == paint) word++;
  *--at = '\n';
  at = number(at, (uintptr_t) stack_end - (uintptr_t) word);
  *--at = ' ';
  at = number(at, (uintptr_t) (heap_most - heap));
  *--at = ' ';
  at = number(at, time);
  if (file[3].open) _write(3, at, (size_t) (end - at));
  call(sys_exit_extended, 0x20026, (uintptr_t) code, 0);
  for (;;) {}
}

void abort(void) {
  static const char text[] = "abort\n";
  _write(2, text, sizeof text - 1);
  _exit(134);
}

/* A thread runs where it is created, to its end. */
int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*start)(void *), void *restrict argument) {
  (void) attributes;
  *thread = 2;
  start(argument);
  return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size) {
  return (void) attributes, (void) size, 0;
}

/* Owners, modes, dates and signals of files and programs: there are none, and it is no error. */
int chmod(const char *path, mode_t mode) { return (void) path, (void) mode, 0; }

int fchmod(int number, mode_t mode) { return (void) number, (void) mode, 0; }

int fchown(int number, uid_t owner, gid_t group) {
  return (void) number, (void) owner, (void) group, 0;
}

int utime(const char *path, const struct utimbuf *times) { return (void) path, (void) times, 0; }

int lstat(const char *path, struct stat *status) { return _stat(path, status); }

int creat(const char *path, mode_t mode) {
  return (void) mode, _open(path, O_WRONLY | O_CREAT | O_TRUNC);
}

unsigned sleep(unsigned seconds) { return (void) seconds, 0; }

/* Ispell has calls of these for what it does with options that are not used. */
int dup(int number) { return (void) number, errno = ENOSYS, -1; }

int dup2(int from, int to) { return (void) from, (void) to, errno = ENOSYS, -1; }

FILE *popen(const char *command, const char *mode) {
  return (void) command, (void) mode, errno = ENOSYS, NULL;
}

void (*signal(int number, void (*handler)(int)))(int) {
  return (void) number, (void) handler, SIG_DFL;
}

void _init(void) {}

void _fini(void) {}
