/* Makes the input files of the programs, always the same ones, without floating point.
   inputs FOLDER, on the host. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t state;

static unsigned below(unsigned limit) {
  state = state * 1664525 + 1013904223;
  return (unsigned) (((uint64_t) (state >> 8) * limit) >> 24);
}

/* Opens a file, and begins the same random numbers again. */
static FILE *file(const char *folder, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "wb");
  if (!out) {
    perror(path);
    exit(1);
  }
  state = 2463534242U;
  return out;
}

/* About 32767 sin(2 pi turn / 65536), from two parabolas. */
static int sine(unsigned turn) {
  int half = (int) (turn & 0x7fff), value = (int) ((int64_t) half * (0x8000 - half) * 4 >> 15);
  value = value > 32767 ? 32767 : value;
  return turn & 0x8000 ? -value : value;
}

/* A picture with planes, corners, curves, a gradient and noise. */
static void pixel(int x, int y, int width, int height, unsigned char rgb[3]) {
  int red = 40 + 160 * x / width, green = 60 + 120 * y / height, blue = 90;
  int dx = x - width * 2 / 3, dy = y - height / 2;
  if (dx * dx + dy * dy < height * height / 10) red = 220, green = 200, blue = 40;
  if (x > width / 8 && x < width * 3 / 8 && y > height / 6 && y < height * 2 / 3)
    red = 30, green = 60, blue = 190;
  if (x > width / 5 && y > height / 4 && x + y < height * 3 / 4 + width / 10)
    red = green = blue = 235;
  if ((x / 8 + y / 8) % 2 && y > height * 5 / 6) red = green = blue = 20;
  int noise = (int) below(13) - 6;
  int all[3] = { red + noise, green + noise, blue + noise };
  for (int i = 0; i < 3; i++)
    rgb[i] = (unsigned char) (all[i] < 0 ? 0 : all[i] > 255 ? 255 : all[i]);
}

static void pictures(const char *folder, int width, int height) {
  unsigned char rgb[3];
  FILE *grey = file(folder, "picture.pgm"), *colour = file(folder, "picture.ppm");
  fprintf(grey, "P5\n%d %d\n255\n", width, height);
  fprintf(colour, "P6\n%d %d\n255\n", width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      pixel(x, y, width, height, rgb);
      fwrite(rgb, 1, 3, colour);
      fputc((rgb[0] * 3 + rgb[1] * 6 + rgb[2]) / 10, grey);
    }
  fclose(grey);
  fclose(colour);
}

/* Five seconds of a melody at 8000 samples a second: three harmonics that fade, and noise. */
static void sound(const char *folder) {
  static const unsigned note[] = { 262, 330, 392, 523, 440, 349, 294, 392, 330, 262 };
  FILE *out = file(folder, "sound.raw");
  unsigned turn = 0;
  for (unsigned i = 0; i < 40000; i++) {
    unsigned in_note = i % 4000;
    turn += note[i / 4000] * 65536 / 8000;
    int value = sine(turn) / 2 + sine(2 * turn) / 5 + sine(3 * turn) / 9;
    value = (int) ((int64_t) value * (4000 - in_note) / 4400) + (int) below(200) - 100;
    fputc(value & 255, out);
    fputc(value >> 8 & 255, out);
  }
  fclose(out);
}

static const char *const syllables[] = { "ba",  "ke",  "li",  "mon", "ta",  "ser", "vo", "nu",
                                         "dri", "pal", "qui", "ro",  "fen", "gor", "hu", "xil" };

static void word(FILE *out, unsigned number) {
  for (int i = 0; i < 2 || number; i++, number /= 16) fputs(syllables[number % 16], out);
}

/* A text in which rare words are rare; words to find in it; and words to sort. */
static void texts(const char *folder) {
  FILE *out = file(folder, "text.txt");
  for (int i = 1; i <= 24000; i++) {
    unsigned number = below(1 + below(1 + below(4000)));
    word(out, number);
    fputs(i % 12 == 0 ? ".\n" : below(9) == 0 ? ", " : " ", out);
  }
  fclose(out);
  out = file(folder, "find.txt");
  for (int i = 0; i < 100; i++) word(out, below(1 + below(6000))), fputc('\n', out);
  fclose(out);
  out = file(folder, "words.txt");
  for (int i = 0; i < 10000; i++) word(out, below(1000000)), fputc('\n', out);
  fclose(out);
}

static void numbers(const char *folder) {
  FILE *out = file(folder, "points.txt");
  for (int i = 0; i < 20000; i++)
    fprintf(out, "%d %d %d\n", (int) below(20001) - 10000, (int) below(20001) - 10000,
            (int) below(20001) - 10000);
  fclose(out);
  out = file(folder, "network.txt");
  fprintf(out, "100\n");
  for (int from = 0; from < 100; from++)
    for (int to = 0; to < 100; to++)
      fprintf(out, "%u%c", from == to || below(4) ? 0 : 1 + below(99), to < 99 ? ' ' : '\n');
  fclose(out);
  out = file(folder, "routes.txt");
  for (int i = 0; i < 12000; i++) {
    unsigned a = 10 + below(12), b = below(24), c = below(256), d = below(256);
    if (i % 3 == 0) fprintf(out, "route %u.%u.%u.%u %u\n", a, b, c, d, 12 + below(17));
    else fprintf(out, "find %u.%u.%u.%u\n", a, b, c, d);
  }
  fclose(out);
}

int main(int count, char **argument) {
  if (count != 2) return fprintf(stderr, "inputs FOLDER\n"), 2;
  pictures(argument[1], 320, 240);
  sound(argument[1]);
  texts(argument[1]);
  numbers(argument[1]);
  FILE *out = file(argument[1], "random.bin");
  for (int i = 0; i < 65536; i++) fputc((int) below(256), out);
  fclose(out);
  return 0;
}
