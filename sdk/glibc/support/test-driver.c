/* `main`. The test is `do_test`, or says in macros what it is. sdk/conformance looks at EXPECTED_SIGNAL and
   EXPECTED_STATUS, and at the time. */
#include <support/test-driver.h>

/* What a test says of failures counts, even if it ends otherwise. */
static void support_end(void) {
  if (support_failures == 0) return;
  fflush(stdout);
  _exit(1);
}

/* Some say that it has parameters, and look at none. */
#define support_do_test() ((int (*)(int, char **)) do_test)(argc, argv)

int main(int argc, char **argv) {
  int status;
  /* What is written before a test is cancelled or waits for ever is seen, and to write is a point of cancellation. */
  setvbuf(stdout, 0, _IOLBF, 0);
  atexit(support_end);
  (void) argc, (void) argv;
#ifdef PREPARE
  PREPARE(argc, argv);
#endif
#ifdef OPT_ITERATIONS
  /* An option of the test, which is for processors that are faster than a board. */
  optarg = "100000";
  CMDLINE_PROCESS(OPT_ITERATIONS);
#endif
#if defined TEST_FUNCTION_ARGV
  status = TEST_FUNCTION_ARGV(argc, argv);
#elif defined TEST_FUNCTION
  status = TEST_FUNCTION();
#else
  status = support_do_test();
#endif
#ifdef CLEANUP_HANDLER
  CLEANUP_HANDLER();
#endif
  return status;
}
