/* What a test knows of `main`. */
#ifndef SUPPORT_TEST_DRIVER_H
#define SUPPORT_TEST_DRIVER_H
#include <support/check.h>

static const int test_verbose = 1;
static const char *const test_dir = ".";
#define verbose_printf(...) printf(__VA_ARGS__)

#endif
