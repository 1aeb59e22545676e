// Threads, futures and exceptions of C++.
//
// Four tasks work for main; one fails, and its exception arrives where the result is asked for. A worker is asked
// to stop. Each thread has a variable of its own, which is destroyed at its end.
#include <atomic>
#include <chrono>
#include <future>
#include <iostream>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static std::atomic<int> ended;

struct Ends {
  ~Ends() { ended++; }
  bool used = false;
};
static thread_local Ends ends;

static int square(int number) {
  ends.used = true;
  std::this_thread::sleep_for(1ms * number);
  if (number == 3) throw std::domain_error("there is no square of 3 today");
  return number * number;
}

int main() {
  std::vector<std::future<int>> results;
  for (int number = 1; number <= 4; number++)
    results.push_back(std::async(std::launch::async, square, number));
  for (auto &result : results) {
    try {
      int squared = result.get();
      std::cout << "result: " << squared << '\n';
    } catch (const std::exception &error) {
      std::cout << "exception: " << error.what() << '\n';
    }
  }
  results.clear();
  std::cout << "threads that have ended: " << ended << '\n';

  int rounds = 0;
  {
    std::jthread worker([&](std::stop_token stop) {
      while (!stop.stop_requested()) rounds++, std::this_thread::sleep_for(1ms);
    });
    std::this_thread::sleep_for(20ms);
  } // Here it is asked to stop, and joined.
  std::cout << (rounds > 5 ? "the worker has worked and stopped\n" : "the worker has hardly worked\n");
}
