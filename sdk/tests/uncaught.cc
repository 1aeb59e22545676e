// An exception that no function catches ends the program, and says in which thread, and which functions it went through. Ends with 134. Says "^thread [0-9]* (worker).* at .*: abort\(, called from 0x[0-9a-f]*\)\{6,\}$".
#include "check.h"
#include <stdexcept>
#include <thread>

static volatile int depth = 2;

[[gnu::noinline]] static void deep(int left) {
  if (!left) throw std::runtime_error("lost");
  deep(left - 1);
  depth = left;
}

int main() {
  std::thread thread([] {
    CHECK(pthread_setname_np(pthread_self(), "worker") == 0);
    deep(depth);
  });
  thread.join();
  return 1;
}
