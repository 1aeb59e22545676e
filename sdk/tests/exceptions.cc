// policies: fp-rr fp-rr-small rr edf ipi
// Eight threads throw and catch for twenty seconds, while the CPU goes from one to the next every millisecond.
#include "check.h"
#include <atomic>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {
std::atomic<long> caught, thrown;
const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);

struct Mark {
  int &count;
  explicit Mark(int &count) : count(count) { count++; }
  ~Mark() { count--; }
};

[[gnu::noinline]] void deep(int depth, int number, int &alive) {
  Mark mark(alive);
  if (depth == 0) throw std::runtime_error("thread " + std::to_string(number));
  deep(depth - 1, number, alive);
}

void rounds(int number) {
  int i = 0;
  do {
    i++;
    thrown++;
    int alive = 0;
    try {
      try {
        deep(3 + i % 5, number, alive);
      } catch (const std::exception &error) {
        CHECK(alive == 0 && error.what() == "thread " + std::to_string(number));
        try {
          throw i;
        } catch (int inner) {
          CHECK(inner == i);
        }
        std::throw_with_nested(std::logic_error(std::to_string(i)));
      }
    } catch (const std::logic_error &error) {
      CHECK(error.what() == std::to_string(i));
      try {
        std::rethrow_if_nested(error);
        CHECK(false);
      } catch (const std::runtime_error &inner) {
        CHECK(inner.what() == "thread " + std::to_string(number));
      }
      caught++;
    }
    CHECK(std::uncaught_exceptions() == 0);
  } while (std::chrono::steady_clock::now() < end);
}
}

int main() {
  std::vector<std::thread> threads;
  std::exception_ptr kept;
  for (int i = 0; i < 8; i++) threads.emplace_back(rounds, i);
  std::thread([&] {
    try {
      throw std::string("kept");
    } catch (...) {
      kept = std::current_exception();
    }
  }).join();
  for (auto &thread : threads) thread.join();
  CHECK(caught == thrown && caught >= 8);
  try {
    std::rethrow_exception(kept);
  } catch (const std::string &text) {
    CHECK(text == "kept");
    return 0;
  }
  return 1;
}
