/* Files that are removed when the test ends. */
#ifndef SUPPORT_TEMP_FILE_H
#define SUPPORT_TEMP_FILE_H
#include <support/support.h>

static char *support_files[8];

static inline void support_remove_files(void) {
  for (int i = 0; i < 8 && support_files[i]; i++) unlink(support_files[i]);
}
static inline void add_temp_file(const char *name) {
  int i = 0;
  while (i < 8 && support_files[i]) i++;
  if (i == 8) FAIL_EXIT1("too many files");
  if (i == 0) atexit(support_remove_files);
  support_files[i] = xstrdup(name);
}
static inline int create_temp_file(const char *base, char **name) {
  char text[100];
  snprintf(text, sizeof text, "%sXXXXXX", base);
  int file = mkstemp(text);
  if (file < 0) FAIL_EXIT1("mkstemp: %s", strerror(errno));
  add_temp_file(text);
  if (name) *name = xstrdup(text);
  return file;
}

#endif
