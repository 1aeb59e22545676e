/* Small calculations that processors seldom have instructions for: the roots of cubic polynomials,
   integer square roots, and angles. basicmath OUTPUT */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

/* Four decimals, so that the last bit of a library's result does not matter, and no "-0.0000". */
static double rounded(double value) {
  double whole = floor(value * 1e4 + 0.5);
  return whole == 0 ? 0 : whole / 1e4;
}

/* Finds the real roots of a x^3 + b x^2 + c x + d, and returns how many: 1 or 3. The substitution
   x = t - b / 3a leaves t^3 - 3 q t + 2 r. Its roots are cosines if r^2 < q^3 (Viete), else
   Cardano's. */
static int cubic(double a, double b, double c, double d, double root[3]) {
  double shift = b / a / 3;
  double q = shift * shift - c / a / 3;
  double r = shift * shift * shift - shift * c / a / 2 + d / a / 2;
  double discriminant = r * r - q * q * q;
  if (discriminant < 0) {
    double angle = acos(r / sqrt(q * q * q));
    for (int i = 0; i < 3; i++)
      root[i] = -2 * sqrt(q) * cos((angle + 2 * pi * i) / 3) - shift;
    return 3;
  }
  double t = cbrt(fabs(r) + sqrt(discriminant));
  if (t != 0) t += q / t;
  root[0] = (r < 0 ? t : -t) - shift;
  return 1;
}

/* Returns the largest number whose square is at most `value`, one bit after the other. */
static uint32_t square_root(uint32_t value) {
  uint32_t root = 0;
  for (uint32_t bit = 1U << 30; bit; bit >>= 2) {
    uint32_t trial = root + bit;
    root >>= 1;
    if (value >= trial) {
      value -= trial;
      root += bit;
    }
  }
  return root;
}

static void print_cubic(FILE *out, double a, double b, double c, double d) {
  double root[3];
  int roots = cubic(a, b, c, d, root);
  fprintf(out, "%g x^3 %+g x^2 %+g x %+g:", a, b, c, d);
  for (int i = 0; i < roots; i++) fprintf(out, " %.4f", rounded(root[i]));
  fputc('\n', out);
}

int main(int count, char **argument) {
  if (count != 2) return fprintf(stderr, "basicmath OUTPUT\n"), 2;
  FILE *out = fopen(argument[1], "w");
  if (!out) return perror(argument[1]), 1;

  for (int a = 1; a <= 4; a++)
    for (int b = -12; b <= 12; b += 3)
      for (int c = -14; c <= 14; c += 4)
        for (int d = -9; d <= 9; d += 6) print_cubic(out, a, b / 2.0, c, d / 4.0);

  uint64_t sum = 0;
  for (uint32_t value = 0; value < 100000; value++) sum += square_root(value * 40503U);
  fprintf(out, "the roots of 100000 integers add up to %llu\n", (unsigned long long) sum);
  for (uint32_t value = 1; value < 2000000000; value = value * 3 + 1)
    fprintf(out, "the root of %lu is %lu\n", (unsigned long) value,
            (unsigned long) square_root(value));

  for (int degrees = 0; degrees <= 360; degrees += 5)
    fprintf(out, "%3d degrees are %.4f radians, with a sine of %.4f\n", degrees,
            rounded(degrees * pi / 180), rounded(sin(degrees * pi / 180)));
  for (int step = 0; step <= 120; step++) {
    double radians = step * pi / 60;
    fprintf(out, "%.4f radians are %.4f degrees\n", rounded(radians), rounded(radians * 180 / pi));
  }
  return fclose(out) ? perror(argument[1]), 1 : 0;
}
