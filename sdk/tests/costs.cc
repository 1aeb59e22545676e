// What calls cost on the emulated Cortex-M3, in instructions; Arm only. The bounds are what they cost when they were last looked at, and must not be
// exceeded. `./x bench kernel` prints the lines that this prints.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <pthread.h>
#include <semaphore.h>
#include "check.h"

#if !defined __arm__
int main() {}
#else

namespace {

// Three instructions; the third reads a counter of 25 MHz. With instructions of 1,024 ns one takes 25.6 ticks.
#define MARK(ticks) "movw " ticks ", #0x8018\n movt " ticks ", #0x4002\n ldr " ticks ", [" ticks "]\n"

inline std::uint32_t now() {
  std::uint32_t ticks;
  asm volatile(MARK("%0") : "=r"(ticks) : : "memory");
  return ticks;
}

std::uint32_t between(std::uint32_t begin, std::uint32_t end) {
  return (static_cast<std::uint64_t>(end - begin) * 10 + 128) / 256 - 3;
}

enum Call {
  LOCK, UNLOCK, LOCK_INHERITING, UNLOCK_INHERITING, LOCK_CEILING, UNLOCK_CEILING, LOCK_RECURSIVE, LOCK_AGAIN, UNLOCK_AGAIN, UNLOCK_RECURSIVE,
  SEM_WAIT, SEM_POST, COND_SIGNAL, COND_BROADCAST, CALLS
};

// Instructions of a call with this argument, the call itself included.
template <typename T>
std::uint32_t call(int (*function)(T *), T *object) {
  register T *first asm("r0") = object;
  std::uint32_t begin, end;
  asm volatile(MARK("%[begin]") "blx %[function]\n" MARK("%[end]")
               : "+r"(first), [begin] "=&r"(begin), [end] "=&r"(end)
               : [function] "r"(function)
               : "r1", "r2", "r3", "r12", "lr", "cc", "memory");
  CHECK(first == 0);
  return between(begin, end);
}

// Interrupts come in between now and then.
std::uint32_t least[CALLS];

template <typename T>
void measure(Call which, int (*function)(T *), T *object) {
  least[which] = std::min(least[which], call(function, object));
}

void row(const char *name, std::uint32_t measured, std::uint32_t bound) {
  std::printf("%s %u\n", name, static_cast<unsigned>(measured));
  CHECK(measured <= bound);
}

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, inheriting, ceiling, recursive;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
sem_t semaphore;

void make() {
  pthread_mutexattr_t attributes;
  CHECK(pthread_mutexattr_init(&attributes) == 0);
  CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
  CHECK(pthread_mutex_init(&inheriting, &attributes) == 0);
  CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT) == 0);
  CHECK(pthread_mutexattr_setprioceiling(&attributes, sched_get_priority_max(SCHED_FIFO)) == 0);
  CHECK(pthread_mutex_init(&ceiling, &attributes) == 0);
  CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
  CHECK(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
  CHECK(pthread_mutex_init(&recursive, &attributes) == 0);
  CHECK(sem_init(&semaphore, 0, 1) == 0);
}

void *nothing(void *argument) { return argument; }

void threads() {
  std::uint32_t create = ~0u, all = ~0u;
  for (int i = 0; i < 5; i++) {
    pthread_t thread;
    auto begin = now();
    CHECK(pthread_create(&thread, nullptr, nothing, nullptr) == 0);
    create = std::min(create, between(begin, now()));
    CHECK(pthread_join(thread, nullptr) == 0);
    all = std::min(all, between(begin, now()));
  }
  row("create", create, 2900);
  row("create_join", all, 5200);
}

__attribute__((noinline)) void fail(int value) { throw value; }

void exceptions() {
  std::uint32_t measured = ~0u;
  for (int i = 0; i < 5; i++) {
    auto begin = now();
    try {
      fail(i);
    } catch (int value) {
      measured = std::min(measured, between(begin, now()));
      CHECK(value == i);
    }
  }
  row("throw_catch", measured, 6200);
}

}  // namespace

int main() {
  make();
  // The first time a thread gets its name.
  for (auto each : {&mutex, &inheriting, &ceiling, &recursive}) CHECK(!pthread_mutex_lock(each) && !pthread_mutex_unlock(each));
  for (auto &each : least) each = ~0u;
  for (int round = 0; round < 5; round++) {
    measure(LOCK, pthread_mutex_lock, &mutex);
    measure(UNLOCK, pthread_mutex_unlock, &mutex);
    measure(LOCK_INHERITING, pthread_mutex_lock, &inheriting);
    measure(UNLOCK_INHERITING, pthread_mutex_unlock, &inheriting);
    measure(LOCK_CEILING, pthread_mutex_lock, &ceiling);
    measure(UNLOCK_CEILING, pthread_mutex_unlock, &ceiling);
    measure(LOCK_RECURSIVE, pthread_mutex_lock, &recursive);
    measure(LOCK_AGAIN, pthread_mutex_lock, &recursive);
    measure(UNLOCK_AGAIN, pthread_mutex_unlock, &recursive);
    measure(UNLOCK_RECURSIVE, pthread_mutex_unlock, &recursive);
    measure(SEM_WAIT, sem_wait, &semaphore);
    measure(SEM_POST, sem_post, &semaphore);
    measure(COND_SIGNAL, pthread_cond_signal, &condition);
    measure(COND_BROADCAST, pthread_cond_broadcast, &condition);
  }
  row("lock", least[LOCK], 14);
  row("unlock", least[UNLOCK], 15);
  row("lock_inheriting", least[LOCK_INHERITING], 14);
  row("unlock_inheriting", least[UNLOCK_INHERITING], 15);
  row("lock_ceiling", least[LOCK_CEILING], 52);
  row("unlock_ceiling", least[UNLOCK_CEILING], 58);
  row("lock_recursive", least[LOCK_RECURSIVE], 14);
  row("lock_again", least[LOCK_AGAIN], 19);
  row("unlock_again", least[UNLOCK_AGAIN], 15);
  row("unlock_recursive", least[UNLOCK_RECURSIVE], 15);
  row("sem_wait", least[SEM_WAIT], 15);
  row("sem_post", least[SEM_POST], 11);
  row("cond_signal", least[COND_SIGNAL], 5);
  row("cond_broadcast", least[COND_BROADCAST], 5);
  threads();
  exceptions();
}

#endif
