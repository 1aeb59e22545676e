/* The name of the system. */
#ifndef _SYS_UTSNAME_H
#define _SYS_UTSNAME_H

#include <sys/cdefs.h>

struct utsname {
  char sysname[16];
  char nodename[16];
  char release[16];
  char version[16];
  char machine[16];
};

#ifdef __cplusplus
extern "C" {
#endif

int uname(struct utsname *__name);

#ifdef __cplusplus
}
#endif

#endif
