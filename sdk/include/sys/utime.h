/* Dates of files. */
#ifndef _SYS_UTIME_H
#define _SYS_UTIME_H

#include <sys/cdefs.h>
#include <sys/types.h>

struct utimbuf {
  time_t actime;
  time_t modtime;
};

#ifdef __cplusplus
extern "C" {
#endif

int utime(const char *__name, const struct utimbuf *__times);

#ifdef __cplusplus
}
#endif

#endif
