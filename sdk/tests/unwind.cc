// Threads that end in the middle of what they do: destructors and cleanup handlers run. The handlers of a
// function come after its destructors.
#include "check.h"
#include <semaphore.h>
#include <unistd.h>
#include <string>

namespace {
std::string log;
sem_t semaphore;

struct Mark {
  char letter;
  explicit Mark(char letter) : letter(letter) {}
  ~Mark() { log += letter; }
};

void clean(void *letter) { log += *(char *) letter; }

[[gnu::noinline]] void inner(bool waits) {
  Mark mark('a');
  char letter = 'b';
  pthread_cleanup_push(clean, &letter);
  if (waits)
    sem_wait(&semaphore);
  else
    pthread_exit(&log);
  pthread_cleanup_pop(0);
}

void *outer(void *waits) {
  Mark mark('c');
  try {
    Mark mark('d');
    inner(waits != nullptr);
  } catch (...) {
    log += 'e';
    throw;
  }
  log += 'x';
  return nullptr;
}

void *prints(void *) {
  Mark mark('g');
  pthread_cancel(pthread_self());
  // Through functions of the C library, which is where it writes.
  printf("%s\n", "that is not to be the end of it");
  fflush(stdout);
  log += 'x';
  return nullptr;
}

int fails(const void *, const void *) {
  Mark mark('h');
  throw mark.letter;
}

void *asleep(void *) {
  Mark mark('f');
  sleep(100);
  return nullptr;
}
}

int main() {
  pthread_t thread;
  CHECK(sem_init(&semaphore, 0, 0) == 0);
  CHECK(pthread_create(&thread, 0, outer, 0) == 0);
  CHECK(join(thread) == &log && log == "abdec");
  log = "";
  CHECK(pthread_create(&thread, 0, outer, &log) == 0);
  pause_for(5);
  CHECK(pthread_cancel(thread) == 0);
  CHECK(join(thread) == PTHREAD_CANCELED && log == "abdec");
  log = "";
  CHECK(pthread_create(&thread, 0, asleep, 0) == 0);
  pause_for(5);
  CHECK(pthread_cancel(thread) == 0);
  CHECK(join(thread) == PTHREAD_CANCELED && log == "f");
  log = "";
  CHECK(pthread_create(&thread, 0, prints, 0) == 0);
  CHECK(join(thread) == PTHREAD_CANCELED && log == "g");
  log = "";
  int numbers[] = { 3, 1, 2 };
  try {
    qsort(numbers, 3, sizeof *numbers, fails);
  } catch (char letter) {
    log += letter;
  }
  CHECK(log == "hh");
}
