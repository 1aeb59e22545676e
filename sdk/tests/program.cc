// What a C++ program sees of the library. Where threads run one after the other, this ends, too.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static_assert(sizeof(std::mutex) == 12);
static_assert(std::is_same_v<std::thread::native_handle_type, pthread_t>);

namespace {
std::mutex mutex;
std::recursive_mutex recursive;
std::timed_mutex timed;
std::shared_timed_mutex shared;
std::counting_semaphore<4> semaphore(0);
std::condition_variable condition;
std::once_flag flag;
std::atomic<long long> wide{1};
thread_local int mine = 41;
thread_local std::string name = "none";

int fail(int number) {
  if (number < 3) throw std::runtime_error("number " + std::to_string(number));
  return number;
}
}

int main() {
  using namespace std::chrono_literals;
  std::ostringstream out;
  try {
    fail(2);
  } catch (const std::exception &error) {
    out << error.what();
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++)
    threads.emplace_back([] {
      std::lock_guard one(mutex);
      std::lock_guard two(recursive);
      wide += 2;
      semaphore.release();
      condition.notify_all();
    });
  for (auto &thread : threads) thread.join();
  std::jthread([&](std::stop_token) { std::call_once(flag, [&] { out << " once"; }); }).join();
  auto answer = std::async(std::launch::async, [] { return fail(1); });
  try {
    answer.get();
  } catch (const std::runtime_error &error) {
    out << ' ' << error.what();
  }
  semaphore.acquire();
  std::unique_lock held(mutex);
  condition.wait_for(held, 1s, [] { return wide == 7; });
  if (timed.try_lock_for(1ms)) timed.unlock();
  if (shared.try_lock_shared_until(std::chrono::steady_clock::now() + 1ms)) shared.unlock_shared();
  if (std::chrono::system_clock::now().time_since_epoch() < 0s) return 2;
  std::this_thread::yield();
  std::this_thread::sleep_for(1us);
  ++mine;
  out << ' ' << mine << ' ' << name << ' ' << wide << ' ' << 1.5;
  std::cout << out.str() << std::endl;
  return out.str() != "number 2 once number 1 42 none 7 1.5";
}
