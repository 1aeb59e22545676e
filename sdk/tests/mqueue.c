/* policies: fp-rr rr edf ipi */
/* Message queues: order, limits, waits, and what tells that a message has come. */
#include "check.h"
#include <errno.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>

static char text[64];
static sem_t semaphore;
static volatile int told;

static mqd_t make_queue(const char *name, int flags, long messages, long size) {
  struct mq_attr attributes = { .mq_maxmsg = messages, .mq_msgsize = size };
  return mq_open(name, O_CREAT | flags, 0600, &attributes);
}

static int fails(int result, int error) { return result == -1 && errno == error; }

static void order(void) {
  struct timespec soon;
  struct mq_attr attributes, before;
  unsigned priority;
  mqd_t queue = make_queue("/order", O_RDWR | O_NONBLOCK, 4, 16), other;
  CHECK(queue >= 0);
  CHECK(mq_send(queue, "low", 4, 1) == 0 && mq_send(queue, "high", 5, 31) == 0);
  CHECK(mq_send(queue, "next", 5, 1) == 0 && mq_send(queue, "", 0, 7) == 0);
  CHECK(fails(mq_send(queue, "full", 5, 1), EAGAIN));
  CHECK(mq_getattr(queue, &attributes) == 0 && attributes.mq_curmsgs == 4);
  CHECK(attributes.mq_maxmsg == 4 && attributes.mq_msgsize == 16 && attributes.mq_flags == O_NONBLOCK);
  CHECK(fails(mq_send(queue, text, 17, 1), EMSGSIZE) && fails(mq_send(queue, "x", 1, 32), EINVAL));
  CHECK(fails(mq_receive(queue, text, 15, 0), EMSGSIZE));
  CHECK(mq_receive(queue, text, 16, &priority) == 5 && priority == 31 && !strcmp(text, "high"));
  CHECK(mq_receive(queue, text, 16, &priority) == 0 && priority == 7);
  CHECK(mq_receive(queue, text, 16, 0) == 4 && !strcmp(text, "low"));
  CHECK(mq_receive(queue, text, 16, 0) == 5 && !strcmp(text, "next"));
  CHECK(fails(mq_receive(queue, text, 16, 0), EAGAIN));
  /* Waits until an instant. */
  attributes.mq_flags = 0;
  CHECK(mq_setattr(queue, &attributes, &before) == 0 && before.mq_flags == O_NONBLOCK);
  soon = later(CLOCK_REALTIME, 5);
  CHECK(fails(mq_timedreceive(queue, text, 16, 0, &soon), ETIMEDOUT));
  CHECK(shows(CLOCK_REALTIME) >= soon.tv_sec * 1000LL + soon.tv_nsec / 1000000);
  for (int i = 0; i < 4; i++) CHECK(mq_timedsend(queue, "x", 1, 0, &soon) == 0);
  CHECK(fails(mq_timedsend(queue, "x", 1, 0, &soon), ETIMEDOUT));
  soon.tv_nsec = -1;
  CHECK(fails(mq_timedsend(queue, "x", 1, 0, &soon), EINVAL));
  /* Names and modes. */
  CHECK(fails(make_queue("/order", O_RDWR | O_EXCL, 4, 16), EEXIST));
  CHECK(fails(mq_open("/none", O_RDWR), ENOENT) && fails(mq_unlink("/none"), ENOENT));
  CHECK(fails(make_queue("/bad", O_RDWR, 0, 16), EINVAL) && fails(mq_open("", O_RDWR), EINVAL));
  other = mq_open("/order", O_RDONLY);
  CHECK(other >= 0 && other != queue && fails(mq_send(other, "x", 1, 0), EBADF));
  CHECK(mq_receive(other, text, 16, 0) == 1 && mq_close(other) == 0);
  other = mq_open("/order", O_WRONLY);
  CHECK(fails(mq_receive(other, text, 16, 0), EBADF) && mq_send(other, "x", 1, 0) == 0);
  CHECK(mq_unlink("/order") == 0 && fails(mq_open("/order", O_RDWR), ENOENT));
  CHECK(mq_close(queue) == 0 && mq_getattr(other, &attributes) == 0 && attributes.mq_curmsgs == 4);
  CHECK(mq_close(other) == 0 && fails(mq_close(other), EBADF));
  CHECK(fails(mq_send(other, "x", 1, 0), EBADF) && fails(mq_getattr(99, &attributes), EBADF));
}

static void *echo(void *unused) {
  mqd_t in = mq_open("/in", O_RDONLY), out = mq_open("/out", O_WRONLY);
  int number;
  (void) unused;
  do {
    CHECK(mq_receive(in, (char *) &number, sizeof number, 0) == sizeof number);
    number *= 2;
    CHECK(mq_send(out, (char *) &number, sizeof number, 0) == 0);
  } while (number);
  CHECK(mq_close(in) == 0 && mq_close(out) == 0);
  return 0;
}

/* Two threads, by queues for two messages. */
static void between_threads(void) {
  mqd_t in = make_queue("/in", O_WRONLY, 2, sizeof(int)), out = make_queue("/out", O_RDONLY, 2, sizeof(int));
  pthread_t thread;
  int number, got;
  CHECK(pthread_create(&thread, 0, echo, 0) == 0);
  for (number = 1; number <= 500; number++) {
    CHECK(mq_send(in, (char *) &number, sizeof number, 0) == 0);
    if (number % 3 == 0) continue;
    CHECK(mq_receive(out, (char *) &got, sizeof got, 0) == sizeof got);
    if (number % 3 == 1 && number > 3) {
      CHECK(got == 2 * (number - 1));
      CHECK(mq_receive(out, (char *) &got, sizeof got, 0) == sizeof got);
    }
    CHECK(got == 2 * number);
  }
  number = 0;
  CHECK(mq_send(in, (char *) &number, sizeof number, 0) == 0);
  CHECK(mq_receive(out, (char *) &got, sizeof got, 0) == sizeof got && got == 0);
  join(thread);
  CHECK(mq_close(in) == 0 && mq_close(out) == 0);
}

static void tell(int number, siginfo_t *info, void *unused) {
  (void) number, (void) unused;
  CHECK(info->si_code == SI_MESGQ && info->si_value.sival_int == 5);
  told++;
}

static void in_thread(union sigval value) {
  CHECK(value.sival_int == 6);
  CHECK(sem_post(&semaphore) == 0);
}

static void *receives(void *queue) {
  ssize_t got = mq_receive(*(mqd_t *) queue, text, sizeof text, 0);
  return (void *) (long) (got < 0 ? errno : 0);
}

static void notices(void) {
  struct sigaction action = { .sa_sigaction = tell, .sa_flags = SA_SIGINFO };
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1,
                            .sigev_value.sival_int = 5 };
  mqd_t queue = make_queue("/told", O_RDWR, 3, 8);
  pthread_t thread;
  CHECK(sigaction(SIGUSR1, &action, 0) == 0);
  CHECK(mq_notify(queue, &event) == 0 && fails(mq_notify(queue, &event), EBUSY));
  CHECK(mq_send(queue, "a", 1, 0) == 0 && told == 1);
  CHECK(mq_receive(queue, text, 8, 0) == 1 && mq_send(queue, "a", 1, 0) == 0 && told == 1);
  /* Not if the queue was not empty, or a thread waits. */
  CHECK(mq_notify(queue, &event) == 0 && mq_send(queue, "a", 1, 0) == 0 && told == 1);
  CHECK(mq_receive(queue, text, 8, 0) == 1 && mq_receive(queue, text, 8, 0) == 1);
  CHECK(pthread_create(&thread, 0, receives, &queue) == 0);
  pause_for(2);
  CHECK(mq_send(queue, "a", 1, 0) == 0);
  CHECK(join(thread) == 0 && told == 1);
  CHECK(mq_send(queue, "a", 1, 0) == 0 && told == 2);
  CHECK(mq_receive(queue, text, 8, 0) == 1);
  CHECK(mq_notify(queue, &event) == 0 && mq_notify(queue, 0) == 0);
  CHECK(sem_init(&semaphore, 0, 0) == 0);
  event = (struct sigevent) { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = in_thread,
                              .sigev_value.sival_int = 6 };
  CHECK(mq_notify(queue, &event) == 0 && mq_send(queue, "a", 1, 0) == 0);
  CHECK(sem_wait(&semaphore) == 0 && told == 2 && mq_receive(queue, text, 8, 0) == 1);
  event.sigev_notify = 8;
  CHECK(fails(mq_notify(queue, &event), EINVAL));
  /* A signal that is ignored does not end the wait, and cancellation leaves the queue as it was. */
  CHECK(pthread_create(&thread, 0, receives, &queue) == 0);
  pause_for(2);
  CHECK(signal(SIGUSR1, SIG_IGN) != SIG_ERR);
  CHECK(pthread_kill(thread, SIGUSR1) == 0);
  pause_for(2);
  CHECK(pthread_cancel(thread) == 0 && join(thread) == PTHREAD_CANCELED);
  CHECK(mq_send(queue, "a", 1, 0) == 0 && mq_receive(queue, text, 8, 0) == 1);
  CHECK(mq_unlink("/told") == 0 && mq_close(queue) == 0);
}

static mqd_t read_by;

static void reads(int number) {
  (void) number;
  CHECK(mq_receive(read_by, text, sizeof text, 0) == 4);
  told++;
}

/* A handler of the thread that sends reads the message. */
static void read_in_handler(void) {
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
  read_by = make_queue("/handler", O_RDWR | O_NONBLOCK, 1, 8);
  told = 0;
  CHECK(signal(SIGUSR2, reads) != SIG_ERR && mq_notify(read_by, &event) == 0);
  CHECK(mq_send(read_by, "text", 4, 0) == 0 && told == 1);
  CHECK(fails(mq_receive(read_by, text, sizeof text, 0), EAGAIN));
  CHECK(mq_close(read_by) == 0 && mq_unlink("/handler") == 0);
}

static void nothing(int number) { (void) number; }

static void interrupted(void) {
  struct sigaction action = { .sa_handler = nothing };
  mqd_t queue = make_queue("/wait", O_RDWR, 1, 8);
  pthread_t thread;
  CHECK(sigaction(SIGUSR1, &action, 0) == 0);
  CHECK(pthread_create(&thread, 0, receives, &queue) == 0);
  pause_for(2);
  CHECK(pthread_kill(thread, SIGUSR1) == 0 && join(thread) == (void *) EINTR);
  CHECK(mq_close(queue) == 0 && mq_unlink("/wait") == 0);
}

int main(void) {
  order();
  between_threads();
  notices();
  interrupted();
  read_in_handler();
  return 0;
}
