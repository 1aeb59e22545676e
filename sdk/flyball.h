/* What the kernel has beyond POSIX: threads with periods and deadlines, what a policy can be told,
   interrupts, and how much CPU time and stack threads take.

   Lengths of time and instants are nanoseconds; instants are those of CLOCK_MONOTONIC. Functions return 0,
   or the number of an error. */
#ifndef _FLYBALL_H
#define _FLYBALL_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define FLYBALL_US(n) ((uint64_t) ((n) * 1000ull))
#define FLYBALL_MS(n) ((uint64_t) ((n) * 1000000ull))
#define FLYBALL_S(n) ((uint64_t) ((n) * 1000000000ull))

#ifdef __cplusplus
extern "C" {
#endif

/* How many threads there can be at the same time, with the one of main: once in a program that needs more
   than 32, or less. It is rounded up to a power of two, and at most 32768. */
#define FLYBALL_THREADS(n) \
  extern const unsigned __flyball_threads; \
  const unsigned __flyball_threads = (n)

/* How long files take, which are the host's: so much for each call that reads or writes, and for each byte, in
   nanoseconds. The thread that calls waits, others run. Once in a program; otherwise they take no time. */
#define FLYBALL_STORAGE(call, byte) \
  extern const uint64_t __flyball_storage[2]; \
  const uint64_t __flyball_storage[2] = { call, byte }

/* The policy, by its name: fp-rr, edf, … */
const char *flyball_policy(void);

/* A thread that is created with these attributes does a job each period, and says by
   flyball_wait_next that it has done it. The deadline of a job is the end of its period, unless
   another one is said. EINVAL: a period of zero. With a period that is about as short as the kernel needs to release a job
   there is no time left for any other thread. */
int flyball_attr_setperiod(pthread_attr_t *__attributes, uint64_t __period);

/* A thread does a job for each flyball_release, and no two within `separation`. */
int flyball_attr_setsporadic(pthread_attr_t *__attributes, uint64_t __separation);

/* Each job has to be done within `deadline` of its release. UINT64_MAX: that is not watched. EINVAL: zero. */
int flyball_attr_setdeadline(pthread_attr_t *__attributes, uint64_t __deadline);

/* How long a job computes at most: for policies that decide by it. */
int flyball_attr_setexecutiontime(pthread_attr_t *__attributes, uint64_t __time);

/* The first job is released at that instant, and not before. Otherwise that is when the thread is created. */
int flyball_attr_setstart(pthread_attr_t *__attributes, uint64_t __start);

/* The part of a CPU that the thread needs, in millionths: 1 to 1000000. EINVAL: another one. pthread_create
   returns ENOTSUP under a policy that has no shares. */
int flyball_attr_setshare(pthread_attr_t *__attributes, uint32_t __share);

/* The relative importance in overload, from 1. EINVAL: 0. ENOTSUP as above. */
int flyball_attr_setimportance(pthread_attr_t *__attributes, uint16_t __importance);

/* What happens when a job is late. EINVAL: none of these. */
#define FLYBALL_CONTINUE 0 /* it goes on, and later jobs wait for it */
#define FLYBALL_SKIP 1     /* it goes on, and releases are left out until the thread has caught up */
#define FLYBALL_LATEST 2   /* it goes on, and of the jobs that are late meanwhile only the newest is done */
#define FLYBALL_CANCEL 3   /* its thread is cancelled */

/* FLYBALL_CANCEL: at the deadline of a job that is late its thread is cancelled as by pthread_cancel. It ends at its
   next point of cancellation, or anywhere with PTHREAD_CANCEL_ASYNCHRONOUS; it does not as long as it has disabled
   that. Its cleanup handlers run, and pthread_join gets PTHREAD_CANCELED. A thread that does this is made with the first
   such thread; it counts among the FLYBALL_THREADS, so pthread_create returns EAGAIN if there is room for one only.
   It is more urgent than all others, but under policies without urgency (rr, ipi) it waits for its turn. */
int flyball_attr_setlate(pthread_attr_t *__attributes, int __what);

/* What a program says of a thread with jobs, in its image, where tools read it without running it: `flyball
   analyse program.elf`. Lengths are nanoseconds; what is left out is not said.

     FLYBALL_THREAD(control, .period = FLYBALL_MS(10), .deadline = FLYBALL_MS(4), .execution_time = FLYBALL_US(300));
     …
     flyball_create(&thread, &control, body, argument);

   The name has 15 characters at most. In C++ the parts are said in this order. */
#ifdef __cplusplus
#define _FLYBALL_NOT_SAID = 0
#define _FLYBALL_ASSERT static_assert
#else
#define _FLYBALL_NOT_SAID
#define _FLYBALL_ASSERT _Static_assert
#endif

struct flyball_thread {
  uint32_t __version, __size;
  char __name[16];
  uint64_t period _FLYBALL_NOT_SAID;         /* the time between releases, or */
  uint64_t separation _FLYBALL_NOT_SAID;     /* the least time between releases that flyball_release makes */
  uint64_t deadline _FLYBALL_NOT_SAID;       /* of each job, after its release; otherwise the period or the separation */
  uint64_t execution_time _FLYBALL_NOT_SAID; /* how long a job computes at most; otherwise that is not known */
  uint64_t phase _FLYBALL_NOT_SAID;          /* the first release of a periodic thread, after it is created */
  uint32_t share _FLYBALL_NOT_SAID;          /* of a CPU, in millionths */
  uint16_t importance _FLYBALL_NOT_SAID;
  uint8_t late _FLYBALL_NOT_SAID;            /* FLYBALL_CONTINUE, FLYBALL_SKIP, FLYBALL_LATEST or FLYBALL_CANCEL */
  uint8_t priority _FLYBALL_NOT_SAID;        /* of SCHED_FIFO, from 1 to 32 */
  uint32_t stack_size _FLYBALL_NOT_SAID;     /* in bytes */
  uint32_t __reserved _FLYBALL_NOT_SAID;
};

_FLYBALL_ASSERT(sizeof(struct flyball_thread) == 80, "tools read 80 bytes");

/* Defines the constant `name`, a struct flyball_thread. */
#define FLYBALL_THREAD(name, ...) \
  _FLYBALL_ASSERT(sizeof #name <= 16, "the name of a thread has 15 characters at most"); \
  static const struct flyball_thread name __attribute__((__used__, __aligned__(8), __section__(".flyball.threads"))) = { \
    .__version = 1, .__size = sizeof(struct flyball_thread), .__name = #name, __VA_ARGS__ }

/* Creates a thread with just what is said of it, and with its name. As pthread_create; EINVAL: that makes no
   sense, as there is neither a period nor a separation, or both. */
int flyball_create(pthread_t *__thread_id, const struct flyball_thread *__said, void *(*__body)(void *),
                   void *__argument);

/* Makes attributes of what is said of a thread; with a phase the first release counts from now. EINVAL as above. */
int flyball_attr_init_from(pthread_attr_t *__attributes, const struct flyball_thread *__said);

/* The job is done; waits for the release of the next one. Returns whether the thread has kept up: 0 if that
   job had been released already. A thread that is cancelled ends at its next release; one that has no jobs waits until
   then. */
int flyball_wait_next(void);

/* Releases a job of a sporadic thread, as soon as its separation allows; an interrupt may do so. EINVAL: it
   is not sporadic. ESRCH. EAGAIN: too many jobs wait; this one is lost. */
int flyball_release(pthread_t __thread_id);

/* How many jobs of all threads have been late. */
uint64_t flyball_misses(void);

/* Schedules a thread from now on by what these attributes tell the policy; its releases stay as they are.
   ESRCH, ENOTSUP, EINVAL. */
int flyball_adjust(pthread_t __thread_id, const pthread_attr_t *__attributes);

/* Deadline floors, which are what priority ceilings are under policies with priorities: for mutexes of
   PTHREAD_PRIO_PROTECT under edf and g-edf. While a thread has the mutex it is as urgent as a job that was released when it
   locked the mutex and has the floor as its deadline, unless its own deadline is nearer. The floor is the shortest deadline
   of the threads that lock the mutex: a thread with a shorter one gets EINVAL when it locks it. A thread can have 16 of
   these mutexes at a time (EAGAIN, also if there is no memory). Of attributes that say no floor it is a nanosecond, so no other thread preempts.
   EINVAL: zero. EAGAIN: the program has said 31 other floors already. ENOTSUP: under other policies. */
int flyball_mutexattr_setdeadline(pthread_mutexattr_t *__attributes, uint64_t __floor);
int flyball_mutexattr_getdeadline(const pthread_mutexattr_t *__attributes, uint64_t *__floor);

/* The time, since the kernel started. */
uint64_t flyball_now(void);

/* Sleeps until that instant. */
void flyball_sleep_until(uint64_t __time);

/* The CPU time that a thread has used. ESRCH. */
int flyball_cpu_time(pthread_t __thread_id, uint64_t *__time);

/* How long CPUs have run no thread, all together. */
uint64_t flyball_idle_time(void);

/* Calls `handler` at each interrupt of a line. It may post semaphores, signal condition variables, release
   jobs, and look at the clock. Handlers of a line have an errno, and variables of threads, of their own. What only
   threads may call is refused with EPERM, and the line is named on the standard error; a handler that needs the heap or
   a stream ends the program with 134. ESRCH: there is no such line, or the kernel has it. ENOMEM.
   On RISC-V a line interrupts the CPU that calls. */
int flyball_interrupt(unsigned __line, void (*__handler)(void));

/* A line interrupts as if its device had done it. */
void flyball_pend(unsigned __line);

/* The line of the program's timer, and when it interrupts: once, in `after` at the earliest. */
unsigned flyball_timer_line(void);
void flyball_set_timer(uint64_t __after);

#ifdef __cplusplus
}

#include <cerrno>
#include <chrono>
#include <functional>
#include <memory>
#include <system_error>

namespace flyball {

using duration = std::chrono::nanoseconds;

/* The attributes of a thread that is to be created. */
class attributes {
 public:
  attributes() { pthread_attr_init(&attributes_); }

  /* What FLYBALL_THREAD says. */
  explicit attributes(const flyball_thread &said) { done(flyball_attr_init_from(&attributes_, &said)); }

  attributes &period(duration length) { return done(flyball_attr_setperiod(&attributes_, of(length))); }
  attributes &sporadic(duration separation) {
    return done(flyball_attr_setsporadic(&attributes_, of(separation)));
  }
  attributes &deadline(duration length) {
    return done(flyball_attr_setdeadline(&attributes_, of(length)));
  }
  attributes &execution_time(duration length) {
    return done(flyball_attr_setexecutiontime(&attributes_, of(length)));
  }
  attributes &start(duration instant) { return done(flyball_attr_setstart(&attributes_, of(instant))); }
  attributes &share(double part) {
    return done(flyball_attr_setshare(&attributes_, static_cast<std::uint32_t>(part * 1e6 + 0.5)));
  }
  attributes &importance(std::uint16_t relative) {
    return done(flyball_attr_setimportance(&attributes_, relative));
  }
  attributes &late(int what) { return done(flyball_attr_setlate(&attributes_, what)); }
  attributes &stack_size(std::size_t bytes) {
    return done(pthread_attr_setstacksize(&attributes_, bytes));
  }
  attributes &priority(int policy, int level) {
    sched_param parameters{};
    parameters.sched_priority = level;
    done(pthread_attr_setinheritsched(&attributes_, PTHREAD_EXPLICIT_SCHED));
    done(pthread_attr_setschedpolicy(&attributes_, policy));
    return done(pthread_attr_setschedparam(&attributes_, &parameters));
  }

  const pthread_attr_t *get() const { return &attributes_; }

 private:
  static std::uint64_t of(duration length) { return static_cast<std::uint64_t>(length.count()); }

  attributes &done(int error) {
    if (error) throw std::system_error(error, std::generic_category());
    return *this;
  }

  pthread_attr_t attributes_;
};

/* A thread with attributes. It is joined when this goes out of scope. */
class thread {
 public:
  template <typename Body>
  thread(const attributes &with, Body &&body) {
    auto run = std::make_unique<std::function<void()>>(std::forward<Body>(body));
    auto begin = [](void *argument) -> void * {
      std::unique_ptr<std::function<void()>> own(static_cast<std::function<void()> *>(argument));
      (*own)();
      return nullptr;
    };
    if (int error = pthread_create(&name_, with.get(), begin, run.get()))
      throw std::system_error(error, std::generic_category());
    run.release();
  }
  /* A thread of FLYBALL_THREAD, with its name. */
  template <typename Body>
  thread(const flyball_thread &said, Body &&body) : thread(attributes(said), std::forward<Body>(body)) {
    pthread_setname_np(name_, said.__name);
  }
  thread(const thread &) = delete;
  thread &operator=(const thread &) = delete;
  ~thread() { join(); }

  void join() {
    if (name_) pthread_join(name_, nullptr);
    name_ = 0;
  }
  pthread_t native_handle() const { return name_; }

  /* Releases a job of a sporadic thread. */
  void release() const {
    if (int error = flyball_release(name_)) throw std::system_error(error, std::generic_category());
  }

 private:
  pthread_t name_ = 0;
};

/* A mutex with a deadline floor. std::system_error: the policy has none, or the thread's own deadline is shorter. */
class floor_mutex {
 public:
  explicit floor_mutex(duration floor) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    check(flyball_mutexattr_setdeadline(&attributes, static_cast<std::uint64_t>(floor.count())));
    check(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT));
    check(pthread_mutex_init(&mutex_, &attributes));
  }
  floor_mutex(const floor_mutex &) = delete;
  floor_mutex &operator=(const floor_mutex &) = delete;
  ~floor_mutex() { pthread_mutex_destroy(&mutex_); }

  void lock() { check(pthread_mutex_lock(&mutex_)); }
  bool try_lock() {
    int error = pthread_mutex_trylock(&mutex_);
    if (error != EBUSY) check(error);
    return !error;
  }
  void unlock() { pthread_mutex_unlock(&mutex_); }
  pthread_mutex_t *native_handle() { return &mutex_; }

 private:
  static void check(int error) {
    if (error) throw std::system_error(error, std::generic_category());
  }

  pthread_mutex_t mutex_;
};

/* The job is done; waits for the next one. Returns whether the thread has kept up. */
inline bool wait_next() { return flyball_wait_next(); }

} // namespace flyball
#endif
#endif
