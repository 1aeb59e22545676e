/* What C11 has in <time.h> and newlib 3.3 has not. <time.h> includes this file at its end. */
#ifndef _SYS_FLYBALL_TIME_H
#define _SYS_FLYBALL_TIME_H

#if __ISO_C_VISIBLE >= 2011
#define TIME_UTC 1

#ifdef __cplusplus
extern "C" {
#endif

int timespec_get(struct timespec *__time, int __base);

#ifdef __cplusplus
}
#endif
#endif

#endif
