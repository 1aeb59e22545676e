/* The older form of `main`: the macro is a call. */
#include <fcntl.h>
#include <signal.h>
#include <support/support.h>
#include <support/temp_file.h>
#include <support/xthread.h>
#include <sys/stat.h>
#include <time.h>

#define write_message(text) ((void) write(1, text, strlen(text)))

#ifdef TEST_FUNCTION
static int support_test(int argc, char **argv) {
  (void) argc, (void) argv;
  return TEST_FUNCTION;
}
#undef TEST_FUNCTION
#define TEST_FUNCTION_ARGV support_test
#endif
#include <support/test-driver.c>
