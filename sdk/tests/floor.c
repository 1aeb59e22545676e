/* policies: edf fp-rr rr */
/* Mutexes with deadline floors, which are ceilings under earliest deadlines. */
#include "check.h"
#include <errno.h>
#include <flyball.h>
#include <string.h>

static pthread_mutex_t a, b;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static volatile int order, ran[2];

static pthread_t job(int deadline, void *(*body)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  CHECK(!flyball_attr_setperiod(&attributes, FLYBALL_S(1000)));
  CHECK(!flyball_attr_setdeadline(&attributes, deadline ? FLYBALL_MS(deadline) : 1));
  CHECK(!pthread_create(&thread, &attributes, body, argument));
  return thread;
}

static void *note(void *place) {
  *(volatile int *) place = ++order;
  return 0;
}

/* A thread of this deadline. It runs at once if it is more urgent than the calling one. */
static pthread_t probe(int deadline, int which) {
  order = ran[which] = 0;
  return job(deadline, note, (void *) &ran[which]);
}

/* All threads share one CPU from now on, as in check.h: these are due before all others. */
static void share_one_cpu(void) {
#ifdef __riscv
  for (long left = sysconf(_SC_NPROCESSORS_ONLN); left > 1; left--) job(0, do_nothing, 0);
  pause_for(1);
#endif
}

static void init(pthread_mutex_t *mutex, int floor) {
  pthread_mutexattr_t attributes;
  uint64_t said;
  CHECK(!pthread_mutexattr_init(&attributes));
  CHECK(!pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT));
  CHECK(!flyball_mutexattr_getdeadline(&attributes, &said) && said == 1);
  if (floor) CHECK(!flyball_mutexattr_setdeadline(&attributes, FLYBALL_MS(floor)));
  CHECK(!flyball_mutexattr_getdeadline(&attributes, &said) && said == (floor ? FLYBALL_MS(floor) : 1));
  CHECK(!pthread_mutex_init(mutex, &attributes));
}

static void until(uint64_t time) {
  while (flyball_now() < time) {}
}

/* A floor counts from when the mutex is locked. The thread itself is due in 5 s. */
static void *owner(void *argument) {
  pthread_t one, other;
  uint64_t start = flyball_now();
  CHECK(!pthread_mutex_lock(&a));
  one = probe(1000, 0);
  CHECK(!ran[0]);
  other = probe(100, 1);
  CHECK(ran[1]);
  join(other);
  until(start + FLYBALL_MS(150));
  other = probe(100, 1);
  CHECK(!ran[0] && !ran[1]);
  CHECK(!pthread_mutex_unlock(&a));
  CHECK(ran[1] == 1 && ran[0] == 2);
  join(one), join(other);
  /* Without a mutex it is not more urgent than its deadline says. */
  one = probe(1000, 0);
  CHECK(ran[0]);
  join(one);
  return argument;
}

/* Of two floors the earlier deadline counts, and when that mutex is given back the other one. */
static void *nested(void *argument) {
  pthread_t thread;
  uint64_t start = flyball_now();
  CHECK(!pthread_mutex_lock(&a));
  until(start + FLYBALL_MS(150));
  CHECK(!pthread_mutex_lock(&b)); /* due at 250 */
  thread = probe(80, 0);          /* at 230 or so */
  CHECK(!ran[0]);
  CHECK(!pthread_mutex_unlock(&a));
  CHECK(ran[0]);
  join(thread);
  CHECK(!pthread_mutex_unlock(&b));
  /* The other way round nothing changes when the inner one is given back. */
  start = flyball_now();
  CHECK(!pthread_mutex_lock(&a));
  CHECK(!pthread_mutex_lock(&b)); /* due at 100 */
  CHECK(!pthread_mutex_unlock(&b));
  thread = probe(150, 0);
  CHECK(ran[0]);
  join(thread);
  thread = probe(300, 0);
  CHECK(!ran[0]);
  CHECK(!pthread_mutex_unlock(&a));
  CHECK(ran[0]);
  join(thread);
  return argument;
}

/* While it waits for a condition a thread has no floor, and has it anew afterwards. */
static void *waiting(void *argument) {
  struct timespec time = later(CLOCK_REALTIME, 20);
  pthread_t thread;
  CHECK(!pthread_mutex_lock(&a));
  thread = probe(1000, 0);
  CHECK(!ran[0]);
  CHECK(pthread_cond_timedwait(&condition, &a, &time) == ETIMEDOUT);
  CHECK(ran[0]);
  join(thread);
  thread = probe(1000, 0);
  CHECK(!ran[0]);
  CHECK(!pthread_mutex_unlock(&a));
  CHECK(ran[0]);
  join(thread);
  return argument;
}

/* A deadline that is shorter than the floor. */
static void *too_urgent(void *argument) {
  pthread_attr_t attributes;
  CHECK(pthread_mutex_lock(&a) == EINVAL);
  CHECK(pthread_mutex_trylock(&a) == EINVAL);
  CHECK(!pthread_mutex_lock(&b) && !pthread_mutex_unlock(&b));
  pthread_attr_init(&attributes);
  CHECK(!flyball_attr_setdeadline(&attributes, FLYBALL_MS(200)));
  CHECK(!flyball_adjust(pthread_self(), &attributes));
  CHECK(!pthread_mutex_lock(&a) && !pthread_mutex_unlock(&a));
  return argument;
}

/* With the least floor no thread preempts. */
static void *alone(void *argument) {
  pthread_mutex_t least;
  pthread_t thread;
  init(&least, 0);
  CHECK(!pthread_mutex_lock(&least));
  thread = probe(1, 0);
  CHECK(!ran[0]);
  CHECK(!pthread_mutex_unlock(&least));
  CHECK(ran[0]);
  join(thread);
  CHECK(!pthread_mutex_destroy(&least));
  return argument;
}

/* How many there can be. */
static void limits(void) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t many[17];
  int ceiling;
  pthread_mutexattr_init(&attributes);
  CHECK(flyball_mutexattr_setdeadline(&attributes, 0) == EINVAL);
  CHECK(pthread_mutexattr_setprioceiling(&attributes, 3) == ENOTSUP);
  CHECK(pthread_mutexattr_getprioceiling(&attributes, &ceiling) == ENOTSUP);
  CHECK(pthread_mutex_getprioceiling(&a, &ceiling) == ENOTSUP);
  CHECK(pthread_mutex_setprioceiling(&a, 3, &ceiling) == ENOTSUP);
  /* The mutexes above have 5 of 31. */
  for (int i = 0; i < 26; i++) CHECK(!flyball_mutexattr_setdeadline(&attributes, FLYBALL_S(10) + i));
  CHECK(flyball_mutexattr_setdeadline(&attributes, FLYBALL_S(20)) == EAGAIN);
  for (int i = 0; i < 17; i++) init(&many[i], i % 2 ? 100 : 200);
  for (int i = 0; i < 16; i++) CHECK(!pthread_mutex_lock(&many[i]));
  CHECK(pthread_mutex_lock(&many[16]) == EAGAIN);
  CHECK(!pthread_mutex_unlock(&many[0]));
  CHECK(!pthread_mutex_lock(&many[16]));
  for (int i = 1; i < 17; i++) CHECK(!pthread_mutex_unlock(&many[i]));
  CHECK(pthread_mutex_unlock(&many[1]) == EPERM);
}

/* Mutexes at random, in no order, against a list of what the thread has; jobs of other threads tell how urgent it is. */
#define MUTEXES 6
#define JOBS 4
#define MARGIN FLYBALL_MS(10) /* as long as a call takes, and a job */

static const int floors[MUTEXES] = { 200, 100, 250, 120, 200, 400 }, deadlines[JOBS] = { 90, 140, 220, 380 };

static struct {
  pthread_t thread;
  uint64_t due;
  volatile int done;
  int released;
} jobs[JOBS];

static struct {
  int floor;
  uint64_t due;
} held[MUTEXES];

static int count;

static void *count_jobs(void *argument) {
  int which = (int) (intptr_t) argument;
  while (++jobs[which].done < 1000000) flyball_wait_next();
  return 0;
}

static void forget(int floor) {
  int at = count - 1;
  while (held[at].floor != floor) at--;
  for (count--; at < count; at++) held[at] = held[at + 1];
}

/* When the thread is due with what it has. */
static uint64_t due(void) {
  uint64_t least = UINT64_MAX - MARGIN;
  for (int i = 0; i < count; i++)
    if (held[i].due < least) least = held[i].due;
  return least;
}

static int ran_now, waited;

/* A job that waited waits as long as it is due later. */
static void compare(void) {
  for (int i = 0; i < JOBS; i++) {
    if (!jobs[i].due) continue;
    if (jobs[i].done == jobs[i].released) {
      CHECK(jobs[i].due <= due() + MARGIN);
      jobs[i].due = 0;
      ran_now++;
    } else {
      CHECK(jobs[i].due + MARGIN >= due());
      waited++;
    }
  }
}

static void *at_random(void *argument) {
  pthread_mutex_t mutex[MUTEXES];
  int has[MUTEXES] = { 0 };
  unsigned seed = 1;
  for (int i = 0; i < MUTEXES; i++) init(&mutex[i], floors[i]);
  for (int step = 0; step < 600; step++) {
    int which = rand_r(&seed) % MUTEXES, job = rand_r(&seed) % JOBS;
    if (has[which]) {
      CHECK(!pthread_mutex_unlock(&mutex[which]));
      forget(floors[which]);
    } else {
      CHECK(!pthread_mutex_lock(&mutex[which]));
      held[count].floor = floors[which];
      held[count++].due = flyball_now() + FLYBALL_MS(floors[which]);
    }
    has[which] ^= 1;
    compare();
    if (jobs[job].done == jobs[job].released) {
      jobs[job].due = flyball_now() + FLYBALL_MS(deadlines[job]);
      jobs[job].released++;
      CHECK(!flyball_release(jobs[job].thread));
      compare();
    }
    until(flyball_now() + FLYBALL_MS(1) * (rand_r(&seed) % 40));
  }
  for (int i = 0; i < MUTEXES; i++)
    if (has[i]) CHECK(!pthread_mutex_unlock(&mutex[i]));
  CHECK(ran_now > 100 && waited > 100);
  return argument;
}

static void model(void) {
  for (int i = 0; i < JOBS; i++) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    CHECK(!flyball_attr_setsporadic(&attributes, 1));
    CHECK(!flyball_attr_setdeadline(&attributes, FLYBALL_MS(deadlines[i])));
    CHECK(!pthread_create(&jobs[i].thread, &attributes, count_jobs, (void *) (intptr_t) i));
  }
  join(job(1000000, at_random, 0));
}

int main(void) {
  pthread_mutexattr_t attributes;
  uint64_t floor;
  if (!strstr(flyball_policy(), "edf")) {
    CHECK(!pthread_mutexattr_init(&attributes));
    CHECK(flyball_mutexattr_setdeadline(&attributes, FLYBALL_MS(1)) == ENOTSUP);
    CHECK(flyball_mutexattr_getdeadline(&attributes, &floor) == ENOTSUP);
    return 0;
  }
  share_one_cpu();
  init(&a, 200);
  init(&b, 100);
  join(job(5000, owner, 0));
  join(job(5000, nested, 0));
  join(job(5000, waiting, 0));
  join(job(100, too_urgent, 0));
  join(job(5000, alone, 0));
  model();
  limits();
  return 0;
}
