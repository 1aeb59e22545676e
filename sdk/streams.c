/* What newlib lacks of streams and of memory. A stream has a recursive lock, which newlib's functions take, too. */
#include <errno.h>
#include <malloc.h>
#include <reent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/lock.h>

void __sinit(struct _reent *reent);

/* The lock of a stream. The standard ones have none before they are used. */
static _LOCK_RECURSIVE_T lock_of(FILE *stream) {
  if (!_REENT->__sdidinit) __sinit(_REENT);
  return stream->_lock;
}

/* crates/capi/src/newlib.rs. A thread that is cancelled keeps what it has locked by these functions, as it may have a
   cleanup handler that gives it back. */
void __flyball_lock_stream(_LOCK_RECURSIVE_T lock);
void __flyball_unlock_stream(_LOCK_RECURSIVE_T lock);

void flockfile(FILE *stream) { __flyball_lock_stream(lock_of(stream)); }

int ftrylockfile(FILE *stream) { return __lock_try_acquire(lock_of(stream)) ? 0 : -1; }

void funlockfile(FILE *stream) { __flyball_unlock_stream(lock_of(stream)); }

int posix_memalign(void **to, size_t alignment, size_t size) {
  void *memory;
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  memory = memalign(alignment, size);
  if (memory == 0) return ENOMEM;
  *to = memory;
  return 0;
}
