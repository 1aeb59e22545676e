/* Codes sound as the Interactive Multimedia Association has specified (IMA ADPCM): 4 bits for a
   sample of 16. Each is the difference from a prediction, in steps whose size follows the sound.
   adpcm code|decode INPUT OUTPUT */
#include <stdint.h>
#include <stdio.h>

static const int steps[89] = {
  7,     8,     9,     10,    11,    12,    13,    14,    16,    17,    19,    21,    23,
  25,    28,    31,    34,    37,    41,    45,    50,    55,    60,    66,    73,    80,
  88,    97,    107,   118,   130,   143,   157,   173,   190,   209,   230,   253,   279,
  307,   337,   371,   408,   449,   494,   544,   598,   658,   724,   796,   876,   963,
  1060,  1166,  1282,  1411,  1552,  1707,  1878,  2066,  2272,  2499,  2749,  3024,  3327,
  3660,  4026,  4428,  4871,  5358,  5894,  6484,  7132,  7845,  8630,  9493,  10442, 11487,
  12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
};

/* How the index of the step changes after each size of a difference. */
static const int changes[8] = { -1, -1, -1, -1, 2, 4, 6, 8 };

struct state {
  int sample, index;
};

static int limited(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}

/* Follows a code: bit 3 is the sign, the others are the step, its half, and its quarter. */
static int decoded(struct state *state, int code) {
  int step = steps[state->index], difference = step >> 3;
  if (code & 4) difference += step;
  if (code & 2) difference += step >> 1;
  if (code & 1) difference += step >> 2;
  state->sample = limited(state->sample + (code & 8 ? -difference : difference), -32768, 32767);
  state->index = limited(state->index + changes[code & 7], 0, 88);
  return state->sample;
}

static int coded(struct state *state, int sample) {
  int step = steps[state->index], difference = sample - state->sample, code = 0;
  if (difference < 0) code = 8, difference = -difference;
  for (int bit = 4; bit; bit >>= 1, step >>= 1)
    if (difference >= step) {
      code |= bit;
      difference -= step;
    }
  decoded(state, code);
  return code;
}

/* Samples are 16 bits, the lower ones first. Of two codes the first has the lower bits of a byte.
 */
static void code(FILE *in, FILE *out) {
  struct state state = { 0, 0 };
  unsigned char sample[4];
  while (fread(sample, 4, 1, in) == 1) {
    int low = coded(&state, (int16_t) (sample[0] | sample[1] << 8));
    int high = coded(&state, (int16_t) (sample[2] | sample[3] << 8));
    putc(low | high << 4, out);
  }
}

static void decode(FILE *in, FILE *out) {
  struct state state = { 0, 0 };
  for (int byte; (byte = getc(in)) != EOF;)
    for (int shift = 0; shift < 8; shift += 4) {
      int sample = decoded(&state, byte >> shift & 15);
      putc(sample & 255, out);
      putc(sample >> 8 & 255, out);
    }
}

int main(int count, char **argument) {
  if (count != 4) return fprintf(stderr, "adpcm code|decode INPUT OUTPUT\n"), 2;
  FILE *in = fopen(argument[2], "rb");
  if (!in) return perror(argument[2]), 1;
  FILE *out = fopen(argument[3], "wb");
  if (!out) return perror(argument[3]), 1;
  (*argument[1] == 'c' ? code : decode)(in, out);
  fclose(in);
  return fclose(out) ? perror(argument[3]), 1 : 0;
}
