/* What the build script of mozjpeg-sys would write. */
#define BUILD "0"
#define PACKAGE_NAME "mozjpeg"
#define VERSION "mozjpeg"
#define INLINE inline __attribute__((__always_inline__))
#define HIDDEN __attribute__((__visibility__("hidden")))
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define HAVE_BUILTIN_CTZL 1
#define FALLTHROUGH __attribute__((__fallthrough__));
