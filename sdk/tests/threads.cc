// policies: fp-rr fp-rr-small rr edf ipi
// Threads of C++, and what they share.
#include "check.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <queue>
#include <semaphore>
#include <shared_mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {
std::atomic<int> destroyed;
std::atomic<long long> wide;

struct Local {
  std::string text = "new";
  ~Local() { destroyed++; }
};
thread_local Local local;
alignas(64) thread_local char aligned[100];

struct Global {
  std::string text = "constructed";
} global;

std::once_flag flag;
int once;

void queue() {
  std::mutex mutex;
  std::condition_variable condition;
  std::queue<std::string> queue;
  std::thread consumer([&] {
    for (int i = 0; i < 50; i++) {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return !queue.empty(); });
      CHECK(queue.front() == std::to_string(i));
      queue.pop();
    }
  });
  for (int i = 0; i < 50; i++) {
    std::lock_guard lock(mutex);
    queue.push(std::to_string(i));
    condition.notify_one();
  }
  consumer.join();
  std::unique_lock lock(mutex);
  auto start = std::chrono::steady_clock::now();
  CHECK(condition.wait_for(lock, 20ms) == std::cv_status::timeout);
  CHECK(!condition.wait_until(lock, std::chrono::system_clock::now() + 20ms, [] { return false; }));
  CHECK(std::chrono::steady_clock::now() - start >= 40ms);
}
}

int main(int count, char **arguments) {
  CHECK(global.text == "constructed");
  CHECK(count == 2 && std::to_string(std::thread::hardware_concurrency()) == arguments[1]);
  std::vector<std::thread> threads;
  auto shared = std::make_shared<std::string>("shared");
  std::weak_ptr<std::string> weak = shared;
  for (int i = 0; i < 6; i++)
    threads.emplace_back([i, shared] {
      CHECK(local.text == "new" && aligned[99] == 0 && (std::uintptr_t) aligned % 64 == 0);
      local.text = std::to_string(i);
      aligned[99] = (char) i;
      for (int k = 0; k < 200; k++) {
        auto copy = shared;
        wide += 1LL << 33;
      }
      std::call_once(flag, [] { once++; });
      std::this_thread::sleep_for(5ms);
      CHECK(local.text == std::to_string(i) && aligned[99] == i);
    });
  for (auto &thread : threads) thread.join();
  CHECK(destroyed == 6 && once == 1 && wide == 1200LL << 33);
  CHECK(shared.use_count() == 1 && weak.lock());

  queue();

  auto sum = std::async(std::launch::async, [] { return 20 + 22; });
  auto failure = std::async(std::launch::async, []() -> int { throw std::range_error("far"); });
  CHECK(sum.get() == 42);
  try {
    failure.get();
    CHECK(false);
  } catch (const std::range_error &error) {
    CHECK(error.what() == std::string("far"));
  }
  std::promise<std::string> promise;
  std::thread(
    [](std::promise<std::string> promise) { promise.set_value_at_thread_exit("kept"); }, std::move(promise))
    .detach();

  std::timed_mutex timed;
  timed.lock();
  std::thread([&] { CHECK(!timed.try_lock_for(10ms)); }).join();
  std::shared_timed_mutex read_write;
  read_write.lock_shared();
  std::thread([&] {
    CHECK(read_write.try_lock_shared());
    read_write.unlock_shared();
    CHECK(!read_write.try_lock_for(10ms));
  }).join();
  std::counting_semaphore<8> semaphore(0);
  std::jthread releases([&](std::stop_token stop) {
    while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
    semaphore.release();
  });
  CHECK(!semaphore.try_acquire_for(10ms));
  releases.request_stop();
  semaphore.acquire();

  std::ostringstream text;
  text << 1.5 << ' ' << std::hex << 255 << ' ' << std::this_thread::get_id();
  CHECK(text.str().rfind("1.5 ff ", 0) == 0);
  std::cout << "all is well" << std::endl;
}
