/* Runs six of the programs in threads of one program: one of each category, as in Table 4.2 of the
   thesis on Miosix. They are compiled as they are; `build` gives each `main` the name of its
   program, calls `program_exit` for `exit`, and hides all other names.
   together alone|simultaneously TIMES */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int basicmath_main(int count, char **argument);
int cjpeg_main(int count, char **argument);
int djpeg_main(int count, char **argument);
int stringsearch_main(int count, char **argument);
int dijkstra_main(int count, char **argument);
int nettle_hash_main(int count, char **argument);
int toast_main(int count, char **argument);
void program_exit(int status) __attribute__((__noreturn__));

enum { stack_size = 65536, most_arguments = 8 };

struct step {
  int (*main)(int count, char **argument);
  const char *line;
};

static struct job {
  const char *name;
  struct step step[2];
  pthread_t thread;
  int status;
  double started, ended;
} jobs[] = {
  { .name = "basicmath", .step = { { basicmath_main, "basicmath basicmath.txt" } } },
  { .name = "jpeg",
    .step = { { cjpeg_main, "cjpeg -revert -quality 80 -outfile picture.jpg picture.ppm" },
              { djpeg_main, "djpeg -ppm -outfile decoded.ppm picture.jpg" } } },
  { .name = "stringsearch",
    .step = { { stringsearch_main, "stringsearch find.txt text.txt found.txt" } } },
  { .name = "dijkstra", .step = { { dijkstra_main, "dijkstra network.txt paths.txt" } } },
  { .name = "sha", .step = { { nettle_hash_main, "nettle-hash -a sha1 text.txt picture.ppm" } } },
  { .name = "gsm",
    .step = { { toast_main, "toast -p -l sound.raw" },
              { toast_main, "toast -d -p -f -l sound.raw.gsm" } } },
};

enum { count_of_jobs = sizeof jobs / sizeof *jobs };

static _Thread_local jmp_buf *end;

void program_exit(int status) { longjmp(*end, status + 1); }

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double) time.tv_sec + (double) time.tv_nsec / 1e9;
}

/* Runs a program, until it returns or exits. */
static int until_exit(const struct step *step, int count, char **argument) {
  jmp_buf here;
  end = &here;
  int status = setjmp(here);
  return status ? status - 1 : step->main(count, argument);
}

static int perform(const struct step *step) {
  char line[128], *argument[most_arguments + 1], *rest = NULL;
  int count = 0;
  strcpy(line, step->line);
  for (char *word = strtok_r(line, " ", &rest); word && count < most_arguments;
       word = strtok_r(NULL, " ", &rest))
    argument[count++] = word;
  argument[count] = NULL;
  return until_exit(step, count, argument);
}

static void *run(void *argument) {
  struct job *job = argument;
  job->started = now();
  for (int i = 0; i < 2 && job->step[i].main && !job->status; i++) {
    /* Only toast calls the library's getopt, which begins anew if this variable is 0. */
    if (job->step[i].main == toast_main) optind = 0;
    job->status = perform(&job->step[i]);
  }
  job->ended = now();
  return NULL;
}

int main(int count, char **argument) {
  int failed = 0;
  if (count != 3) return fprintf(stderr, "together alone|simultaneously TIMES\n"), 2;
  double start = now();
  if (*argument[1] == 'a') {
    for (int i = 0; i < count_of_jobs; i++) run(&jobs[i]);
  } else {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_size);
    for (int i = 0; i < count_of_jobs; i++)
      if (pthread_create(&jobs[i].thread, &attributes, run, &jobs[i]))
        return fprintf(stderr, "no thread\n"), 1;
    for (int i = 0; i < count_of_jobs; i++) pthread_join(jobs[i].thread, NULL);
  }
  double total = now() - start;
  FILE *times = fopen(argument[2], "w");
  if (!times) return perror(argument[2]), 1;
  for (int i = 0; i < count_of_jobs; i++) {
    printf("%s: %d\n", jobs[i].name, jobs[i].status);
    fprintf(times, "%-12s %8.3f s\n", jobs[i].name, jobs[i].ended - jobs[i].started);
    failed |= jobs[i].status;
  }
  fprintf(times, "%-12s %8.3f s\n", "together", total);
  return fclose(times) ? 1 : failed != 0;
}
