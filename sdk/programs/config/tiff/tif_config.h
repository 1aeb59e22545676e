/* What libtiff's `configure` would write, without libraries for more codings. */
#include "tiffconf.h"
#define CHUNKY_STRIP_READ_SUPPORT 1
#define HAVE_ASSERT_H 1
#define HAVE_DECL_OPTARG 1
#define HAVE_FCNTL_H 1
#define HAVE_FSEEKO 1
#define HAVE_GETOPT 1
#define HAVE_SNPRINTF 1
#define TIFF_SIZE_FORMAT "zu"
#define TIFF_SSIZE_FORMAT "td"
#define HAVE_STRINGS_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define STRIP_SIZE_DEFAULT 8192
#define TIFF_MAX_DIR_COUNT 1048576
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define WORDS_BIGENDIAN 1
#endif
