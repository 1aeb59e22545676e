/* What nettle's `configure` would write, for any machine with GCC. */
#define HAVE_ALLOCA 1
#define HAVE_ALLOCA_H 1
#define HAVE_BUILTIN_BSWAP64 1
#define HAVE_GCC_ATTRIBUTE 1
#define HAVE_INTTYPES_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRERROR 1
#define HAVE_STRING_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define PACKAGE_STRING "nettle"
#define PACKAGE_BUGREPORT "none"
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define STDC_HEADERS 1
#define WITH_HOGWEED 1
#define HAVE_NATIVE_64_BIT (__SIZEOF_LONG__ >= 8)
#define STRERROR strerror
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define WORDS_BIGENDIAN 1
#endif

#define NORETURN __attribute__((__noreturn__))
#define PRINTF_STYLE(format, first) __attribute__((__format__(__printf__, format, first)))
#define UNUSED __attribute__((__unused__))
