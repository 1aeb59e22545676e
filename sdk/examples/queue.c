/* A producer and a consumer, with a message queue of POSIX.

   The queue has room for two messages, so the producer waits for the consumer. Urgent messages overtake the others. */
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "/readings";

static void send(mqd_t queue, const char *text, unsigned priority) {
  if (mq_send(queue, text, strlen(text) + 1, priority)) perror("mq_send"), exit(1);
}

static void *produce(void *argument) {
  mqd_t queue = mq_open(name, O_WRONLY);
  for (int i = 1; i <= 5; i++) {
    char text[32];
    snprintf(text, sizeof text, "reading %d", i);
    send(queue, text, 0);
  }
  send(queue, "end", 0);
  mq_close(queue);
  return argument;
}

int main(void) {
  struct mq_attr attributes = { .mq_maxmsg = 2, .mq_msgsize = 32 };
  mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
  if (queue == (mqd_t) -1) return perror("mq_open"), 1;

  char text[32];
  unsigned priority;
  send(queue, "not urgent", 0);
  send(queue, "urgent", 1);
  for (int i = 0; i < 2; i++) {
    mq_receive(queue, text, sizeof text, &priority);
    printf("%s (priority %u)\n", text, priority);
  }

  pthread_t producer;
  if (pthread_create(&producer, 0, produce, 0)) return 1;
  while (mq_receive(queue, text, sizeof text, 0) >= 0 && strcmp(text, "end")) puts(text);
  pthread_join(producer, 0);
  mq_close(queue);
  mq_unlink(name);
}
