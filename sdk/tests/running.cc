// Threads that compute handle signals at once, and are cancelled at once; also in real time.
#include <atomic>
#include <memory>
#include <signal.h>
#include "check.h"

namespace {

std::atomic<int> handled{0};
std::atomic<bool> stop{false};

void count(int) {
  handled++;
  std::make_unique<double>(handled);
}

// Registers and the heap are as they were after a handler, which uses both.
void *computes(void *) {
  double x = 1;
  for (long round = 0; !stop; round++) {
    x = x * 0.5 + 0.5;
    auto copy = std::make_unique<long>(round);
    CHECK(x == 1 && *copy == round);
  }
  return nullptr;
}

void *spins(void *) {
  int old;
  CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0);
  for (;;) asm volatile("");
}

}  // namespace

int main() {
  struct sigaction action {};
  action.sa_handler = count;
  CHECK(sigaction(SIGUSR1, &action, nullptr) == 0);
  pthread_t threads[3];
  for (auto &thread : threads) CHECK(pthread_create(&thread, nullptr, computes, nullptr) == 0);
  for (int i = 0; i < 60; i++) {
    int wanted = handled + 1;
    CHECK(pthread_kill(threads[i % 3], SIGUSR1) == 0);
    while (handled < wanted) sched_yield();
  }
  stop = true;
  for (auto thread : threads) CHECK(join(thread) == nullptr);
  for (int i = 0; i < 20; i++) {
    pthread_t thread;
    CHECK(pthread_create(&thread, nullptr, spins, nullptr) == 0);
    if (i % 2) pause_for(1);
    CHECK(pthread_cancel(thread) == 0 && join(thread) == PTHREAD_CANCELED);
  }
}
