/* Lines of several threads do not mix; files of the host. */
#include "check.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 5, LINES = 40 };
static FILE *file;

static void *print(void *number) {
  for (int i = 0; i < LINES; i++) {
    CHECK(fprintf(file, "thread %d line %d %s %.2f\n", (int) (long) number, i, "and more", i / 4.0) > 0);
    if (i % 8 == 0) pause_for(1);
  }
  return 0;
}

int main(int count, char **arguments) {
  pthread_t threads[THREADS];
  struct stat status;
  char line[80], wanted[80];
  int next[THREADS] = { 0 };
  CHECK(count == 2 && strlen(arguments[0]) > 0 && !arguments[2]);
  CHECK(!fopen("missing.txt", "r") && errno == ENOENT);
  CHECK((file = fopen("lines.txt", "w")));
  for (long i = 0; i < THREADS; i++) threads[i] = make(SCHED_RR, 3, print, (void *) i);
  for (int i = 0; i < THREADS; i++) join(threads[i]);
  CHECK(fclose(file) == 0);
  CHECK((file = fopen("lines.txt", "r")));
  for (int i = 0; i < THREADS * LINES; i++) {
    CHECK(fgets(line, sizeof line, file));
    int thread = line[7] - '0';
    CHECK(thread >= 0 && thread < THREADS);
    sprintf(wanted, "thread %d line %d and more %.2f\n", thread, next[thread], next[thread] / 4.0);
    next[thread]++;
    CHECK(strcmp(line, wanted) == 0);
  }
  CHECK(!fgets(line, sizeof line, file));
  CHECK(fseek(file, 7, SEEK_SET) == 0 && ftell(file) == 7);
  CHECK(fgetc(file) >= '0');
  CHECK(fclose(file) == 0);
  CHECK(stat("lines.txt", &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 1000);
  CHECK((file = fopen("lines.txt", "a")));
  CHECK(fputs("end", file) >= 0 && fclose(file) == 0);
  off_t size = status.st_size;
  CHECK(stat("lines.txt", &status) == 0 && status.st_size == size + 3);
  CHECK(rename("lines.txt", "other.txt") == 0);
  CHECK(rename("lines.txt", "other.txt") == -1 && errno == ENOENT);
  CHECK(remove("other.txt") == 0);
  CHECK(stat("lines.txt", &status) == -1 && errno == ENOENT);
  CHECK(isatty(1) == 1 && isatty(17) == 0 && errno == EBADF);
  return 0;
}
