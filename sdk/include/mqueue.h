/* Message queues (IEEE 1003.1-2008). */
#ifndef _MQUEUE_H
#define _MQUEUE_H

#include <sys/cdefs.h>
#include <sys/types.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>

typedef int mqd_t;

struct mq_attr {
  long mq_flags; /* O_NONBLOCK or 0 */
  long mq_maxmsg; /* messages that the queue has room for */
  long mq_msgsize; /* bytes of the longest message */
  long mq_curmsgs; /* messages in the queue */
};

#ifdef __cplusplus
extern "C" {
#endif

mqd_t mq_open(const char *__name, int __flags, ...);
int mq_close(mqd_t __queue);
int mq_unlink(const char *__name);
int mq_send(mqd_t __queue, const char *__message, size_t __size, unsigned __priority);
int mq_timedsend(mqd_t __queue, const char *__message, size_t __size, unsigned __priority,
                 const struct timespec *__until);
ssize_t mq_receive(mqd_t __queue, char *__message, size_t __size, unsigned *__priority);
ssize_t mq_timedreceive(mqd_t __queue, char *__restrict __message, size_t __size,
                        unsigned *__restrict __priority, const struct timespec *__restrict __until);
int mq_getattr(mqd_t __queue, struct mq_attr *__attributes);
int mq_setattr(mqd_t __queue, const struct mq_attr *__restrict __attributes,
               struct mq_attr *__restrict __old);
int mq_notify(mqd_t __queue, const struct sigevent *__event);

#ifdef __cplusplus
}
#endif

#endif
