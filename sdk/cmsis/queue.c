/* CMSIS-RTOS 2: queues of messages. sdk/install puts this into libflyball.a. */
#include <stdlib.h>
#include <string.h>

#include "os.h"

struct message {
  struct message *next;
  uint8_t priority;
  uint8_t text[];
};

struct queue {
  struct object object;
  uint32_t capacity, size, count;
  struct message *messages; /* the most urgent one first, and of those the oldest */
  struct message *unused;
};

osMessageQueueId_t osMessageQueueNew(uint32_t msg_count, uint32_t msg_size, const osMessageQueueAttr_t *attr) {
  /* A message is aligned to words. */
  uint32_t each = (sizeof(struct message) + msg_size + 3) & ~3u, total;
  struct queue *queue;
  if (is_interrupt() || !msg_count || !msg_size || each < msg_size) return 0;
  if (__builtin_mul_overflow(msg_count, each, &total) || total > INT32_MAX) return 0;
  queue = calloc(1, sizeof *queue + total);
  if (!queue) return 0;
  queue->object = object_of(KIND_QUEUE, attr ? attr->name : 0);
  queue->capacity = msg_count;
  queue->size = msg_size;
  for (uint32_t i = 0; i < msg_count; i++) {
    struct message *message = (struct message *) ((char *) (queue + 1) + i * each);
    message->next = queue->unused;
    queue->unused = message;
  }
  return queue;
}

const char *osMessageQueueGetName(osMessageQueueId_t mq_id) { return name_of(mq_id, KIND_QUEUE); }

/* Puts a message into the queue, which has room. */
static void insert(struct queue *queue, const void *text, uint8_t priority) {
  struct message *message = queue->unused, **link = &queue->messages;
  queue->unused = message->next;
  message->priority = priority;
  memcpy(message->text, text, queue->size);
  while (*link && (*link)->priority >= priority) link = &(*link)->next;
  message->next = *link;
  *link = message;
  queue->count++;
}

/* Takes the first message out of the queue, which has one. */
static struct message *take(struct queue *queue) {
  struct message *message = queue->messages;
  queue->messages = message->next;
  message->next = queue->unused;
  queue->unused = message;
  queue->count--;
  return message;
}

/* Threads that wait to send a message do so as far as there is room. */
static void admit(struct queue *queue) {
  struct waiter *sender;
  while (queue->unused && (sender = __flyball_os_first(&queue->object.senders))) {
    insert(queue, sender->memory, sender->priority);
    __flyball_os_serve(&queue->object.senders, sender, osOK);
  }
}

/* Begins a call that may wait. Returns osOK with interrupts masked, or an error without. */
static osStatus_t begin(const struct queue *queue, const void *message, uint32_t timeout, uint32_t *before) {
  if (!message || (timeout && is_interrupt())) return osErrorParameter;
  if (timeout) __flyball_os_self_or_end();
  *before = mask();
  if (is_object(queue, KIND_QUEUE)) return osOK;
  unmask(*before);
  return osErrorParameter;
}

osStatus_t osMessageQueuePut(osMessageQueueId_t mq_id, const void *msg_ptr, uint8_t msg_prio, uint32_t timeout) {
  struct queue *queue = mq_id;
  struct waiter mine = { .memory = (void *) msg_ptr, .priority = msg_prio }, *receiver;
  uint32_t before;
  osStatus_t status = begin(queue, msg_ptr, timeout, &before);
  if (status) return status;
  if ((receiver = __flyball_os_first(&queue->object.waiters))) {
    /* So there is no message. */
    memcpy(receiver->memory, msg_ptr, queue->size);
    receiver->priority = msg_prio;
    __flyball_os_serve(&queue->object.waiters, receiver, osOK);
  } else if (queue->unused) {
    insert(queue, msg_ptr, msg_prio);
  } else {
    return __flyball_os_wait(&queue->object.senders, &mine, timeout, before);
  }
  unmask(before);
  return osOK;
}

osStatus_t osMessageQueueGet(osMessageQueueId_t mq_id, void *msg_ptr, uint8_t *msg_prio, uint32_t timeout) {
  struct queue *queue = mq_id;
  struct waiter mine = { .memory = msg_ptr };
  uint32_t before;
  osStatus_t status = begin(queue, msg_ptr, timeout, &before);
  if (status) return status;
  if (queue->messages) {
    struct message *message = take(queue);
    memcpy(msg_ptr, message->text, queue->size);
    mine.priority = message->priority;
    admit(queue);
    unmask(before);
  } else {
    status = __flyball_os_wait(&queue->object.waiters, &mine, timeout, before);
  }
  if (!status && msg_prio) *msg_prio = mine.priority;
  return status;
}

uint32_t osMessageQueueGetCapacity(osMessageQueueId_t mq_id) {
  struct queue *queue = mq_id;
  return is_object(queue, KIND_QUEUE) ? queue->capacity : 0;
}

uint32_t osMessageQueueGetMsgSize(osMessageQueueId_t mq_id) {
  struct queue *queue = mq_id;
  return is_object(queue, KIND_QUEUE) ? queue->size : 0;
}

uint32_t osMessageQueueGetCount(osMessageQueueId_t mq_id) {
  struct queue *queue = mq_id;
  return is_object(queue, KIND_QUEUE) ? queue->count : 0;
}

uint32_t osMessageQueueGetSpace(osMessageQueueId_t mq_id) {
  struct queue *queue = mq_id;
  return is_object(queue, KIND_QUEUE) ? queue->capacity - queue->count : 0;
}

osStatus_t osMessageQueueReset(osMessageQueueId_t mq_id) {
  struct queue *queue = mq_id;
  uint32_t before;
  int is_one;
  if (is_interrupt()) return osErrorISR;
  before = mask();
  is_one = is_object(queue, KIND_QUEUE);
  if (is_one) {
    while (queue->messages) take(queue);
    admit(queue);
  }
  unmask(before);
  return is_one ? osOK : osErrorParameter;
}

osStatus_t osMessageQueueDelete(osMessageQueueId_t mq_id) {
  osStatus_t status = __flyball_os_delete(mq_id, KIND_QUEUE);
  if (!status) free(mq_id);
  return status;
}
