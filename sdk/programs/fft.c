/* The fast Fourier transform of a sum of waves, or the inverse one of its result, in floating
   point. fft WAVES LENGTH OUTPUT; fft -i WAVES LENGTH OUTPUT */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Swaps each element with the one whose index has the bits in the opposite order. */
static void reorder(double *re, double *im, unsigned length) {
  for (unsigned i = 1, j = 0; i < length; i++) {
    unsigned bit = length >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    double swap = re[i];
    re[i] = re[j], re[j] = swap;
    swap = im[i];
    im[i] = im[j], im[j] = swap;
  }
}

/* Transforms in place. `sign` is -1, or 1 for the inverse transform, which divides by the length.
 */
static void transform(double *re, double *im, unsigned length, int sign) {
  reorder(re, im, length);
  for (unsigned half = 1; half < length; half *= 2)
    for (unsigned k = 0; k < half; k++) {
      double c = cos(pi * k / half), s = sign * sin(pi * k / half);
      for (unsigned i = k; i < length; i += 2 * half) {
        unsigned j = i + half;
        double x = c * re[j] - s * im[j], y = c * im[j] + s * re[j];
        re[j] = re[i] - x, im[j] = im[i] - y;
        re[i] += x, im[i] += y;
      }
    }
  for (unsigned i = 0; i < length && sign > 0; i++) re[i] /= length, im[i] /= length;
}

static double rounded(double value) {
  double whole = floor(value * 1000 + 0.5);
  return whole == 0 ? 0 : whole / 1000;
}

static unsigned random_below(unsigned limit) {
  static uint32_t state = 1;
  state = state * 1664525 + 1013904223;
  return (unsigned) ((state >> 16) % limit);
}

int main(int count, char **argument) {
  int inverse = count == 5 && !strcmp(argument[1], "-i");
  if (count != 4 + inverse) return fprintf(stderr, "fft [-i] WAVES LENGTH OUTPUT\n"), 2;
  argument += inverse;
  int waves = atoi(argument[1]);
  unsigned length = (unsigned) atoi(argument[2]);
  if (length < 2 || length & (length - 1))
    return fprintf(stderr, "the length is no power of 2\n"), 2;
  double *re = calloc(length, sizeof *re), *im = calloc(length, sizeof *im);
  if (!re || !im) return fprintf(stderr, "no memory\n"), 1;
  FILE *out = fopen(argument[3], "w");
  if (!out) return perror(argument[3]), 1;

  for (int wave = 0; wave < waves; wave++) {
    double height = random_below(1000), turns = random_below(length / 4) + 0.5;
    for (unsigned i = 0; i < length; i++) re[i] += height * cos(2 * pi * turns * i / length);
  }
  transform(re, im, length, -1);
  if (inverse) transform(re, im, length, 1);
  for (unsigned i = 0; i < length; i++) fprintf(out, "%.3f %.3f\n", rounded(re[i]), rounded(im[i]));
  free(re), free(im);
  return fclose(out) ? perror(argument[3]), 1 : 0;
}
