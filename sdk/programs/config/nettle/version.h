/* What nettle's `configure` would write: its own small arithmetic of large numbers, no libgmp. */
#ifndef NETTLE_VERSION_H_INCLUDED
#define NETTLE_VERSION_H_INCLUDED
#define NETTLE_VERSION_MAJOR 3
#define NETTLE_VERSION_MINOR 8
#define NETTLE_USE_MINI_GMP 1
#define GMP_NUMB_BITS (__SIZEOF_LONG__ * 8)
int nettle_version_major(void);
int nettle_version_minor(void);
#endif
