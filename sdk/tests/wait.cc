/* Waiting for atomic objects, also in real time, some of which share a condition variable in the C++ library. */
#include "check.h"
#include <atomic>
#include <chrono>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {
constexpr int pairs = 4, rounds = 300;

struct alignas(64) Ball {
  std::atomic<int> turn{0};
};
Ball balls[pairs];

/* Plays until all rounds are over: the ball is on this side when its number is even, or odd. */
void play(int number, int side) {
  auto &turn = balls[number].turn;
  for (int round = side; round < rounds; round += 2) {
    for (int now; (now = turn.load()) != round;) turn.wait(now);
    turn.store(round + 1);
    turn.notify_one();
  }
}

std::counting_semaphore<> one(0), other(0);
}

int main() {
  std::vector<std::thread> threads;
  for (int number = 0; number < pairs; number++)
    for (int side = 0; side < 2; side++) threads.emplace_back(play, number, side);
  for (auto &thread : threads) thread.join();
  for (auto &ball : balls) CHECK(ball.turn == rounds);

  std::latch done(2);
  std::thread second([&] {
    for (int i = 0; i < rounds; i++) one.acquire(), other.release();
    done.count_down();
  });
  for (int i = 0; i < rounds; i++) {
    one.release();
    while (!other.try_acquire_for(100s)) {}
  }
  done.arrive_and_wait();
  second.join();
  CHECK(!one.try_acquire_for(5ms) && !other.try_acquire());
  return 0;
}
