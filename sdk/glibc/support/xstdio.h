/* Streams. */
#ifndef SUPPORT_XSTDIO_H
#define SUPPORT_XSTDIO_H
#include <support/support.h>

#define xfopen(path, mode) ((FILE *) support_got(fopen(path, mode)))
#define xfclose(stream) (fclose(stream) == 0 ? (void) 0 : FAIL_EXIT1("fclose"))

#endif
