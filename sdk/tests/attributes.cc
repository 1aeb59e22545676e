// policies: fp-rr rr edf ipi
// Threads with periods in C++: flyball.h's own classes.
#include "check.h"
#include <atomic>
#include <chrono>
#include <flyball.h>
#include <mutex>
#include <string>
#include <system_error>

using namespace std::chrono_literals;

int main() {
  int jobs = 0;
  std::string kept = "a string that is longer than its object has room for";
  {
    flyball::thread periodic(flyball::attributes().period(10ms).execution_time(1ms).stack_size(8192), [&, kept] {
      for (jobs = 1; jobs < 5; jobs++) CHECK(flyball::wait_next());
      CHECK(kept.size() > 50);
    });
  }
  CHECK(jobs == 5);

  std::atomic<int> events{0};
  flyball::thread sporadic(flyball::attributes().sporadic(1ms).deadline(500us), [&] {
    while (++events < 2) flyball::wait_next();
  });
  flyball_sleep_until(flyball_now() + FLYBALL_MS(5));
  CHECK(events == 0);
  sporadic.release();
  flyball_sleep_until(flyball_now() + FLYBALL_MS(5));
  CHECK(events == 1);
  sporadic.release();
  sporadic.join();
  CHECK(events == 2);

  // A late job cancels its thread: objects on its stack are destroyed.
  struct guard {
    int &times;
    ~guard() { times++; }
  };
  int destroyed = 0;
  {
    flyball::thread late(flyball::attributes().period(20ms).deadline(5ms).late(FLYBALL_CANCEL), [&] {
      guard own{destroyed};
      for (;;) flyball_sleep_until(UINT64_MAX);
    });
  }
  CHECK(destroyed == 1);

  const bool has_shares = std::string(flyball_policy()) == "ipi";
  try {
    flyball::thread thread(flyball::attributes().share(0.25), [] {});
    CHECK(has_shares);
  } catch (const std::system_error &error) {
    CHECK(!has_shares && error.code().value() == ENOTSUP);
  }
  const bool has_floors = std::string(flyball_policy()).ends_with("edf");
  try {
    flyball::floor_mutex mutex(10ms);
    CHECK(has_floors);
    std::unique_lock own(mutex);
    flyball::thread other(flyball::attributes().period(50ms), [&] { CHECK(!mutex.try_lock()); });
    flyball::thread urgent(flyball::attributes().period(50ms).deadline(5ms), [&] {
      try {
        mutex.lock();
        CHECK(false);
      } catch (const std::system_error &error) {
        CHECK(error.code() == std::errc::invalid_argument);
      }
    });
    other.join();
    own.unlock();
  } catch (const std::system_error &error) {
    CHECK(!has_floors && error.code().value() == ENOTSUP);
  }
  try {
    flyball::attributes().period(0ms);
    CHECK(false);
  } catch (const std::system_error &error) {
    CHECK(error.code() == std::errc::invalid_argument);
  }
}
