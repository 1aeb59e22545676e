/* Message queues. sdk/install puts this into libflyball.a. */
#include <errno.h>
#include <limits.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "signals.h"

/* One in a queue, or one that is free. */
struct message {
  struct message *next;
  size_t size;
  unsigned priority;
  char text[];
};

/* A queue that is open, or that can be opened. */
struct queue {
  struct queue *next;
  struct mq_attr attributes;
  struct message *messages; /* the most urgent one first, and of those the oldest */
  struct message *unused;
  pthread_cond_t has_message, has_room;
  unsigned receivers; /* threads that wait for a message */
  unsigned users; /* descriptors, and calls that wait */
  int unlinked;
  int notifies; /* a program wants to be told of the next message */
  mqd_t notifier; /* by this descriptor */
  struct notice notice;
  char name[];
};

/* What a descriptor stands for. */
static struct {
  struct queue *queue; /* null: it is not open */
  int flags;
} open_queues[MQ_OPEN_MAX];

static struct queue *all;
/* Protects everything here. The second word: with priority inheritance. */
static pthread_mutex_t mutex = { { 0, 1, 0 } };

static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }

/* Gives the lock back, and returns what a function returns that has failed. */
static int fail(int error) {
  unlock();
  errno = error;
  return -1;
}

static struct queue *find(const char *name) {
  struct queue *queue = all;
  while (queue && (queue->unlinked || strcmp(queue->name, name))) queue = queue->next;
  return queue;
}

static void free_messages(struct message *message) {
  while (message) {
    struct message *next = message->next;
    free(message);
    message = next;
  }
}

/* Frees it when no thread can use it any more. */
static void let_go(struct queue *queue) {
  struct queue **link = &all;
  if (queue->users || !queue->unlinked) return;
  while (*link != queue) link = &(*link)->next;
  *link = queue->next;
  free_messages(queue->messages);
  free_messages(queue->unused);
  free(queue);
}

/* Makes a queue with all the memory that it will need. Returns 0 or an error. */
static int create(const char *name, const struct mq_attr *attributes, struct queue **made) {
  static const struct mq_attr usual = { .mq_maxmsg = 10, .mq_msgsize = 1024 };
  size_t length = strlen(name) + 1;
  struct queue *queue;
  if (!attributes) attributes = &usual;
  if (attributes->mq_maxmsg <= 0 || attributes->mq_msgsize <= 0) return EINVAL;
  queue = calloc(1, sizeof *queue + length);
  if (!queue) return ENOSPC;
  memcpy(queue->name, name, length);
  queue->attributes.mq_maxmsg = attributes->mq_maxmsg;
  queue->attributes.mq_msgsize = attributes->mq_msgsize;
  for (long i = 0; i < attributes->mq_maxmsg; i++) {
    struct message *message = 0;
    if ((size_t) attributes->mq_msgsize < PTRDIFF_MAX - sizeof *message)
      message = malloc(sizeof *message + attributes->mq_msgsize);
    if (!message) {
      free_messages(queue->unused);
      free(queue);
      return ENOSPC;
    }
    message->next = queue->unused;
    queue->unused = message;
  }
  queue->next = all;
  all = queue;
  *made = queue;
  return 0;
}

mqd_t mq_open(const char *name, int flags, ...) {
  struct mq_attr *attributes = 0;
  struct queue *queue;
  mqd_t number = 0;
  if (flags & O_CREAT) {
    va_list arguments;
    va_start(arguments, flags);
    va_arg(arguments, int);
    attributes = va_arg(arguments, struct mq_attr *);
    va_end(arguments);
  }
  lock();
  if (!*name || (flags & O_ACCMODE) == O_ACCMODE) return fail(EINVAL);
  if (strlen(name) > _POSIX_PATH_MAX) return fail(ENAMETOOLONG);
  while (number < MQ_OPEN_MAX && open_queues[number].queue) number++;
  if (number == MQ_OPEN_MAX) return fail(EMFILE);
  queue = find(name);
  if (queue && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) return fail(EEXIST);
  if (!queue) {
    int error = flags & O_CREAT ? create(name, attributes, &queue) : ENOENT;
    if (error) return fail(error);
  }
  queue->users++;
  open_queues[number].queue = queue;
  open_queues[number].flags = flags & (O_ACCMODE | O_NONBLOCK);
  unlock();
  return number;
}

/* What is open under a descriptor; null: nothing. */
static struct queue *queue_of(mqd_t number) {
  return number >= 0 && number < MQ_OPEN_MAX ? open_queues[number].queue : 0;
}

int mq_close(mqd_t number) {
  struct queue *queue;
  lock();
  queue = queue_of(number);
  if (!queue) return fail(EBADF);
  if (queue->notifies && queue->notifier == number) queue->notifies = 0;
  open_queues[number].queue = 0;
  queue->users--;
  let_go(queue);
  unlock();
  return 0;
}

int mq_unlink(const char *name) {
  struct queue *queue;
  lock();
  queue = find(name);
  if (!queue) return fail(ENOENT);
  queue->unlinked = 1;
  let_go(queue);
  unlock();
  return 0;
}

/* Gives up a wait: the thread has been cancelled, or it has ended otherwise. */
struct wait {
  struct queue *queue;
  unsigned *waiting; /* the threads that wait for the same; null: they are not counted */
};

static void end_wait(struct wait *wait) {
  wait->queue->users--;
  if (wait->waiting) --*wait->waiting;
}

static void abandon(void *argument) {
  struct wait *wait = argument;
  end_wait(wait);
  let_go(wait->queue);
  unlock();
}

/* Waits as long as `*is` is null. Returns 0 or an error. */
static int wait_for(struct queue *queue, struct message *const *is, pthread_cond_t *condition,
                    unsigned *waiting, int flags, const struct timespec *until) {
  struct wait wait = { queue, waiting };
  int error = 0;
  if (!*is && flags & O_NONBLOCK) return EAGAIN;
  if (!*is && until && (until->tv_nsec < 0 || until->tv_nsec >= 1000000000)) return EINVAL;
  queue->users++;
  if (waiting) ++*waiting;
  pthread_cleanup_push(abandon, &wait);
  while (!*is && !error) error = __flyball_wait(condition, &mutex, until);
  pthread_cleanup_pop(0);
  end_wait(&wait);
  return *is ? 0 : error;
}

/* A message has come to an empty queue for which no thread waits. Without the lock: a handler may read it. */
static void notify(const struct notice *notice) {
  if (notice->event.sigev_notify == SIGEV_SIGNAL)
    __flyball_queue(notice->event.sigev_signo, SI_MESGQ, notice->event.sigev_value);
  else if (notice->event.sigev_notify == SIGEV_THREAD)
    __flyball_begin_thread(notice);
}

int mq_timedsend(mqd_t number, const char *text, size_t size, unsigned priority,
                 const struct timespec *until) {
  struct message *message, **link;
  struct queue *queue;
  struct notice notice;
  int error, notifies;
  pthread_testcancel();
  lock();
  queue = queue_of(number);
  if (!queue || (open_queues[number].flags & O_ACCMODE) == O_RDONLY) return fail(EBADF);
  if (priority >= MQ_PRIO_MAX) return fail(EINVAL);
  if (size > (size_t) queue->attributes.mq_msgsize) return fail(EMSGSIZE);
  error = wait_for(queue, &queue->unused, &queue->has_room, 0, open_queues[number].flags, until);
  if (error) {
    let_go(queue);
    return fail(error);
  }
  message = queue->unused;
  queue->unused = message->next;
  message->size = size;
  message->priority = priority;
  memcpy(message->text, text, size);
  link = &queue->messages;
  while (*link && (*link)->priority >= priority) link = &(*link)->next;
  message->next = *link;
  *link = message;
  notifies = queue->attributes.mq_curmsgs++ == 0 && queue->notifies && !queue->receivers;
  if (notifies) {
    notice = queue->notice;
    queue->notifies = 0;
  }
  pthread_cond_signal(&queue->has_message);
  let_go(queue);
  unlock();
  if (notifies) notify(&notice);
  return 0;
}

int mq_send(mqd_t number, const char *text, size_t size, unsigned priority) {
  return mq_timedsend(number, text, size, priority, 0);
}

ssize_t mq_timedreceive(mqd_t number, char *restrict text, size_t size, unsigned *restrict priority,
                        const struct timespec *restrict until) {
  struct message *message;
  struct queue *queue;
  ssize_t received;
  int error;
  pthread_testcancel();
  lock();
  queue = queue_of(number);
  if (!queue || (open_queues[number].flags & O_ACCMODE) == O_WRONLY) return fail(EBADF);
  if (size < (size_t) queue->attributes.mq_msgsize) return fail(EMSGSIZE);
  error = wait_for(queue, &queue->messages, &queue->has_message, &queue->receivers,
                   open_queues[number].flags, until);
  if (error) {
    let_go(queue);
    return fail(error);
  }
  message = queue->messages;
  queue->messages = message->next;
  queue->attributes.mq_curmsgs--;
  memcpy(text, message->text, message->size);
  if (priority) *priority = message->priority;
  received = message->size;
  message->next = queue->unused;
  queue->unused = message;
  pthread_cond_signal(&queue->has_room);
  let_go(queue);
  unlock();
  return received;
}

ssize_t mq_receive(mqd_t number, char *text, size_t size, unsigned *priority) {
  return mq_timedreceive(number, text, size, priority, 0);
}

static void describe(mqd_t number, struct mq_attr *attributes) {
  *attributes = open_queues[number].queue->attributes;
  attributes->mq_flags = open_queues[number].flags & O_NONBLOCK;
}

int mq_getattr(mqd_t number, struct mq_attr *attributes) {
  lock();
  if (!queue_of(number)) return fail(EBADF);
  describe(number, attributes);
  unlock();
  return 0;
}

/* O_NONBLOCK alone can be changed. */
int mq_setattr(mqd_t number, const struct mq_attr *restrict attributes,
               struct mq_attr *restrict old) {
  int *flags;
  lock();
  if (!queue_of(number)) return fail(EBADF);
  if (old) describe(number, old);
  flags = &open_queues[number].flags;
  *flags = (*flags & ~O_NONBLOCK) | (attributes->mq_flags & O_NONBLOCK);
  unlock();
  return 0;
}

int mq_notify(mqd_t number, const struct sigevent *event) {
  struct queue *queue;
  struct notice notice;
  int error = event ? __flyball_notice(&notice, event) : 0;
  lock();
  queue = queue_of(number);
  if (!queue) return fail(EBADF);
  if (error) return fail(error);
  if (!event) {
    if (queue->notifier == number) queue->notifies = 0;
  } else if (queue->notifies) {
    return fail(EBUSY);
  } else {
    queue->notifies = 1;
    queue->notifier = number;
    queue->notice = notice;
  }
  unlock();
  return 0;
}
