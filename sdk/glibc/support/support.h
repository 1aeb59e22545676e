/* Functions that end the test if they fail. */
#ifndef SUPPORT_SUPPORT_H
#define SUPPORT_SUPPORT_H
#include <support/check.h>

static inline void *support_got(void *memory) {
  if (memory == 0) FAIL_EXIT1("no memory");
  return memory;
}
#define xmalloc(size) support_got(malloc(size))
#define xcalloc(count, size) support_got(calloc(count, size))
#define xrealloc(memory, size) support_got(realloc(memory, size))
#define xstrdup(text) ((char *) support_got(strdup(text)))

static inline void *xposix_memalign(size_t alignment, size_t size) {
  void *memory = 0;
  if (posix_memalign(&memory, alignment, size) != 0) memory = 0;
  return support_got(memory);
}

#endif
