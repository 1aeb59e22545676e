/* Floating point: registers and the rounding mode are a thread's own, also when interrupts compute, and a new thread
   begins with the mode of its creator. */
#include "check.h"
#include <fenv.h>
#include <flyball.h>
#include <math.h>

#ifdef FE_UPWARD
enum { has_modes = 1 };
#else
/* The processor rounds in one way only. */
enum { has_modes = 0, FE_UPWARD = 0, FE_DOWNWARD = 0, FE_TONEAREST = 0, FE_TOWARDZERO = 0 };
#endif

/* A third, as it is rounded now. */
static double third(void) {
  volatile double one = 1, three = 3, result = one / three;
  return result;
}

/* Sums up in a way that rounds, while other threads do the same. */
static void *sum(void *number) {
  long which = (long) number;
  double total = 0, expected = 0;
  if (which >= 0) fesetround(which % 2 ? FE_UPWARD : FE_DOWNWARD);
  const double rounded = third();
  for (int i = 0; i < 1000; i++) {
    CHECK(third() == rounded);
    total += (double) which / 4;
    expected = (double) which / 4 * (i + 1);
    CHECK(total == expected && fabs(total) < 1e6);
    if (i % 100 == 0) pause_for(1);
  }
  return (void *) (long) fegetround();
}

static volatile double handled;
static volatile int handler_ends;

/* Without a unit for it one such computation takes long. */
#ifdef __riscv
static const uint64_t between = FLYBALL_US(300);
#else
static const uint64_t between = FLYBALL_MS(5);
#endif

/* It changes many registers. */
static void handle(void) {
  double a = handled, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5;
  handled = (a * b + c * d) / (e * f + 1) + a / (b + c / (d + e / f));
  if (!handler_ends) flyball_set_timer(between);
}

/* A computation that is interrupted again and again, and calls no function. */
static void interrupted(void) {
  CHECK(flyball_interrupt(flyball_timer_line(), handle) == 0);
  flyball_set_timer(between);
  double a = 1, b = 2, c = 3, d = 4;
  for (int i = 0; i < 20000; i++) {
    const double next = a + b - c + 1;
    a = b, b = c, c = d, d = next + d - (next - 1);
    __asm__ volatile("" : : : "memory");
  }
  handler_ends = 1;
  pause_for(1);
  CHECK(handled != 0 && d == 20004 && c == 20003 && b == 20002 && a == 20001);
}

int main(void) {
  pthread_t threads[8], plain;
  if (has_modes) {
    CHECK(fesetround(FE_UPWARD) == 0);
    const double up = third();
    CHECK(fesetround(FE_TONEAREST) == 0);
    CHECK(up != third());
  }
  CHECK(pthread_create(&plain, 0, sum, (void *) -1L) == 0);
  for (long i = 0; i < 8; i++) CHECK(pthread_create(&threads[i], 0, sum, (void *) i) == 0);
  int mode = fegetround();
  CHECK((long) join(plain) == mode);
  for (long i = 0; i < 8; i++) {
    long result = (long) join(threads[i]);
    if (has_modes) CHECK(result == (i % 2 ? FE_UPWARD : FE_DOWNWARD));
  }
  CHECK(fegetround() == mode);
  if (has_modes) {
    CHECK(fesetround(FE_TOWARDZERO) == 0);
    CHECK(pthread_create(&plain, 0, sum, (void *) -1L) == 0);
    fesetround(FE_TONEAREST);
    CHECK((long) join(plain) == FE_TOWARDZERO);
  }
  interrupted();
  return 0;
}
