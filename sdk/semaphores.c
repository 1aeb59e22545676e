/* Semaphores with names. sdk/install puts this into libflyball.a. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* One that is open, or that can be opened. */
struct named {
  sem_t semaphore;
  struct named *next;
  unsigned open;
  int unlinked;
  char name[];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct named *all;

static struct named *find(const char *name) {
  for (struct named *at = all; at; at = at->next)
    if (!at->unlinked && strcmp(at->name, name) == 0) return at;
  return 0;
}

/* Frees it when no thread can use it any more. */
static void let_go(struct named *named) {
  struct named **link = &all;
  if (named->open || !named->unlinked) return;
  while (*link != named) link = &(*link)->next;
  *link = named->next;
  free(named);
}

static struct named *create(const char *name, unsigned value) {
  size_t size = strlen(name) + 1;
  struct named *named = malloc(sizeof *named + size);
  if (!named) return 0;
  memset(named, 0, sizeof *named);
  memcpy(named->name, name, size);
  if (sem_init(&named->semaphore, 0, value)) {
    free(named);
    return 0;
  }
  named->next = all;
  all = named;
  return named;
}

sem_t *sem_open(const char *name, int flags, ...) {
  struct named *named;
  unsigned value = 0;
  if (flags & O_CREAT) {
    va_list arguments;
    va_start(arguments, flags);
    va_arg(arguments, int);
    value = va_arg(arguments, unsigned);
    va_end(arguments);
  }
  if (!*name) return errno = EINVAL, SEM_FAILED;
  pthread_mutex_lock(&mutex);
  named = find(name);
  if (named && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
    named = 0, errno = EEXIST;
  else if (!named && flags & O_CREAT)
    named = create(name, value);
  else if (!named)
    errno = ENOENT;
  if (named) named->open++;
  pthread_mutex_unlock(&mutex);
  return named ? &named->semaphore : SEM_FAILED;
}

int sem_close(sem_t *semaphore) {
  struct named *named = (struct named *) semaphore;
  pthread_mutex_lock(&mutex);
  named->open--;
  let_go(named);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int sem_unlink(const char *name) {
  pthread_mutex_lock(&mutex);
  struct named *named = find(name);
  if (named) {
    named->unlinked = 1;
    let_go(named);
  }
  pthread_mutex_unlock(&mutex);
  return named ? 0 : (errno = ENOENT, -1);
}
