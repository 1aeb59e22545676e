/* Functions of POSIX that no other test calls. */
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

static void attributes(void) {
  pthread_barrierattr_t barrier;
  pthread_attr_t thread;
  struct sched_param parameters = { .sched_priority = 7 }, found;
  int shared;
  CHECK(pthread_barrierattr_init(&barrier) == 0);
  CHECK(pthread_barrierattr_getpshared(&barrier, &shared) == 0 && shared == PTHREAD_PROCESS_PRIVATE);
  CHECK(pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED) == 0);
  CHECK(pthread_barrierattr_getpshared(&barrier, &shared) == 0 && shared == PTHREAD_PROCESS_SHARED);
  CHECK(pthread_barrierattr_setpshared(&barrier, 5) == EINVAL);
  CHECK(pthread_barrierattr_destroy(&barrier) == 0);
  CHECK(pthread_attr_init(&thread) == 0);
  CHECK(pthread_attr_setschedparam(&thread, &parameters) == 0);
  CHECK(pthread_attr_getschedparam(&thread, &found) == 0 && found.sched_priority == 7);
  parameters.sched_priority = 100;
  CHECK(pthread_attr_setschedparam(&thread, &parameters) == EINVAL);
  CHECK(pthread_attr_destroy(&thread) == 0);
}

static void streams(void) {
  char text[] = "one two", *rest, *word;
  FILE *memory = fmemopen(text, sizeof text - 1, "r");
  CHECK(memory && getc_unlocked(memory) == 'o' && getc_unlocked(memory) == 'n');
  CHECK(fclose(memory) == 0);
  CHECK(putc_unlocked('o', stdout) == 'o' && putchar_unlocked('\n') == '\n');
  /* The host's standard input is empty. */
  CHECK(getchar_unlocked() == EOF);
  word = strtok_r(text, " ", &rest);
  CHECK(word && strcmp(word, "one") == 0);
  word = strtok_r(0, " ", &rest);
  CHECK(word && strcmp(word, "two") == 0 && !strtok_r(0, " ", &rest));
}

static void dates(void) {
  time_t day = 86400;
  struct tm date, local;
  char text[26], other[26];
  CHECK(gmtime_r(&day, &date) == &date && date.tm_mday == 2 && date.tm_year == 70);
  CHECK(localtime_r(&day, &local) == &local && local.tm_mday == 2);
  CHECK(asctime_r(&date, text) == text && strcmp(text, "Fri Jan  2 00:00:00 1970\n") == 0);
  CHECK(ctime_r(&day, other) == other && strcmp(text, other) == 0);
}

static void files(void) {
  char text[1];
  int file = open("posix.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  CHECK(file >= 0 && read(file, text, 1) == -1 && errno == EBADF && write(file, "x", 1) == 1);
  CHECK(close(file) == 0);
  file = open("posix.txt", O_RDONLY);
  CHECK(write(file, "y", 1) == -1 && errno == EBADF && read(file, text, 1) == 1 && text[0] == 'x');
  CHECK(close(file) == 0);
  CHECK(link("posix.txt", "other.txt") == -1 && errno == ENOSYS);
  CHECK(unlink("posix.txt") == 0);
  CHECK(open("posix.txt", O_RDONLY) == -1 && errno == ENOENT);
  CHECK(unlink("posix.txt") == -1);
}

static void process(void) {
  CHECK(setenv("NAME", "value", 1) == 0 && strcmp(getenv("NAME"), "value") == 0);
  CHECK(setenv("NAME", "another", 0) == 0 && strcmp(getenv("NAME"), "value") == 0);
  CHECK(unsetenv("NAME") == 0 && !getenv("NAME"));
  /* There is neither a shell nor another process. */
  CHECK(system(0) == 0);
  CHECK(!popen("ls", "r") && errno == ENOSYS);
  CHECK(killpg(0, 0) == 0);
}

int main(void) {
  attributes();
  streams();
  dates();
  files();
  process();
  return 0;
}
