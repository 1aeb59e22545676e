// What the C and C++ libraries protect from other threads: the heap, errno, streams, exceptions, static variables,
// reference counts, variables of threads. With an argument it runs for so many seconds of the board's clock, and
// without one for a moment, to be shaken.
//
// CONTROL takes one protection away, to see that the program notices. 0: none.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <stdexcept>
#include <stdio_ext.h>
#include <string>
#include <thread>
#include <vector>

#ifndef CONTROL
#define CONTROL 0
#endif

#if CONTROL == 1 // the heap's lock
extern "C" void __malloc_lock(struct _reent *) {}
extern "C" void __malloc_unlock(struct _reent *) {}
#elif CONTROL == 2 // a number of the last error for each thread
extern "C" int *__errno() {
  static int number;
  return &number;
}
#elif CONTROL == 3 // exceptions that are under way in each thread
extern "C" void *__cxa_get_globals() {
  static void *globals[4];
  return globals;
}
extern "C" void *__cxa_get_globals_fast() { return __cxa_get_globals(); }
#elif CONTROL == 4 // static variables are made once
extern "C" int __cxa_guard_acquire(int *guard) { return !(*guard & 1); }
extern "C" void __cxa_guard_release(int *guard) { *guard = 1; }
extern "C" void __cxa_guard_abort(int *) {}
#endif

#if CONTROL == 5 // references are counted by atomic operations
template <typename T> using shared = std::__shared_ptr<T, __gnu_cxx::_S_single>;
#else
template <typename T> using shared = std::__shared_ptr<T, __gnu_cxx::_S_atomic>;
#endif

#if CONTROL == 6 // each thread has its own variables
#define OF_THREAD static
#else
#define OF_THREAD static thread_local
#endif

namespace {

[[noreturn]] void wrong(const char *what) {
  printf("%s\n", what);
  fflush(stdout);
  _Exit(1);
}

void expect(bool holds, const char *what) {
  if (!holds) wrong(what);
}

void heap(unsigned seed) {
  std::vector<std::string> texts;
  for (unsigned i = 0; i < 6; i++) texts.emplace_back(20 + (seed + i * 7) % 90, char('a' + i));
  for (unsigned i = 0; i < 6; i++)
    for (char letter : texts[i]) expect(letter == char('a' + i), "the heap is damaged");
}

void numbers(unsigned seed) {
  for (int i = 0; i < 4; i++) {
    errno = int(seed) + i;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    heap(seed);
    expect(errno == int(seed) + i, "errno is another thread's");
  }
}

void exceptions(unsigned seed) {
  try {
    try {
      throw std::runtime_error(std::to_string(seed));
    } catch (const std::runtime_error &error) {
      expect(error.what() == std::to_string(seed), "the exception is another one");
      heap(seed);
      expect(std::uncaught_exceptions() == 0, "exceptions are under way that are not");
      throw;
    }
  } catch (const std::exception &error) {
    expect(error.what() == std::to_string(seed), "the exception is another one now");
  }
}

struct Once {
  static std::atomic<int> made;
  int value;
  Once() {
    heap(3);
    value = ++made;
  }
};
std::atomic<int> Once::made{0};

const Once &once() {
  static const Once once;
  return once;
}

std::atomic<int> objects{0};
struct Counted {
  Counted() { ++objects; }
  ~Counted() { --objects; }
};

void references(const shared<Counted> &all) {
  for (int i = 0; i < 100; i++) {
    shared<Counted> mine = all, copy = mine;
    mine.reset();
    expect(copy && objects == 1, "the object is gone, or there are two");
  }
}

unsigned variable(unsigned seed) {
  OF_THREAD unsigned own;
  own = seed;
  heap(seed);
  return own;
}

void work(unsigned seed, const shared<Counted> &all) {
  numbers(seed);
  exceptions(seed);
  expect(once().value == 1, "the static variable was made twice");
  references(all);
  expect(variable(seed) == seed, "the variable is another thread's");
}

void round_of(unsigned seed) {
  shared<Counted> all(new Counted);
  {
    std::jthread one(work, seed, std::cref(all)), other(work, seed + 100, std::cref(all));
    auto third = std::async(std::launch::async, [&] {
      work(seed + 200, all);
      return seed;
    });
    expect(third.get() == seed, "the result is another one");
  }
  expect(all.use_count() == 1, "references are lost, or were counted twice");
  all.reset();
  expect(objects == 0, "an object is left");
}

} // namespace

int main(int count, char **arguments) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::seconds(count > 1 ? atoi(arguments[1]) : 0);
  unsigned seed = 1;
  do round_of(seed++);
  while (clock::now() < end);
  puts("ok");
}
