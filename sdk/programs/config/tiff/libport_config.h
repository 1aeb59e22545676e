/* What libtiff's `configure` would write. */
#define HAVE_GETOPT 1
#define HAVE_UNISTD_H 1
