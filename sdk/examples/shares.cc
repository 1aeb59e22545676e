// Parts of the CPU, under I+PI.
//
// Three threads would each take the whole CPU. The policy, a controller with feedback, gives each the part that it
// has been promised.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <flyball.h>
#include <thread>

using namespace std::chrono_literals;

static volatile bool stop;

static void compute() {
  while (!stop) {}
}

int main() {
  const double parts[] = { 0.45, 0.27, 0.18 };
  flyball::thread threads[] = {
    { flyball::attributes().share(parts[0]), compute },
    { flyball::attributes().share(parts[1]), compute },
    { flyball::attributes().share(parts[2]), compute },
  };
  std::this_thread::sleep_for(1s);
  std::uint64_t before[3], after[3];
  for (int i = 0; i < 3; i++) flyball_cpu_time(threads[i].native_handle(), &before[i]);
  std::this_thread::sleep_for(4s);
  for (int i = 0; i < 3; i++) flyball_cpu_time(threads[i].native_handle(), &after[i]);
  stop = true;
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += after[i] - before[i];
  for (int i = 0; i < 3; i++)
    std::printf("of the CPU that they had thread %d got %.0f %%\n", i + 1, 100 * (after[i] - before[i]) / sum);
}
