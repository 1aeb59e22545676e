/* The SUSAN operators on a grey picture: smoothing that keeps edges, edges, and corners. A pixel's
   "univalue segment" is the part of a disc around it that is as bright as the pixel; it is most of
   the disc in a plane, half at an edge, and less at a corner. After S. M. Smith and J. M. Brady,
   "SUSAN: a new approach to low level image processing", 1997.
   susan smooth|edges|corners INPUT.pgm OUTPUT.pgm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { radius = 3, disc = 37, threshold = 20, full = 100 };

/* Half of the width of the disc in each of its seven rows. */
static const int half[2 * radius + 1] = { 1, 2, 3, 3, 3, 2, 1 };

static int width, height;
static unsigned char *picture, *result;
static int similar[511];

/* How alike two brightnesses are: `full` if equal, about a third at the threshold. */
static int alike(int one, int other) { return similar[one - other + 255]; }

static int at(int x, int y) { return picture[y * width + x]; }

static void prepare(void) {
  for (int difference = -255; difference <= 255; difference++) {
    double part = (double) difference / threshold;
    similar[difference + 255] = (int) (full * exp(-pow(part, 6)) + 0.5);
  }
}

/* Adds up the segment of a pixel, and its moments if they are wanted. */
static int segment(int x, int y, int *moment_x, int *moment_y) {
  int sum = 0, sum_x = 0, sum_y = 0, centre = at(x, y);
  for (int dy = -radius; dy <= radius; dy++)
    for (int dx = -half[dy + radius]; dx <= half[dy + radius]; dx++) {
      int weight = alike(at(x + dx, y + dy), centre);
      sum += weight;
      sum_x += weight * dx;
      sum_y += weight * dy;
    }
  if (moment_x) *moment_x = sum_x, *moment_y = sum_y;
  return sum;
}

static int by_brightness(const void *left, const void *right) {
  return *(const unsigned char *) left - *(const unsigned char *) right;
}

/* The median of the eight neighbours, for pixels that are unlike everything around. */
static int median(int x, int y) {
  unsigned char around[8];
  int count = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx || dy) around[count++] = (unsigned char) at(x + dx, y + dy);
  qsort(around, 8, 1, by_brightness);
  return (around[3] + around[4]) / 2;
}

/* The mean of the disc without its centre, weighted by nearness and by likeness. */
static void smooth(void) {
  int near[2 * radius + 1][2 * radius + 1];
  for (int dy = -radius; dy <= radius; dy++)
    for (int dx = -radius; dx <= radius; dx++)
      near[dy + radius][dx + radius] = (int) (100 * exp(-(dx * dx + dy * dy) / 16.0) + 0.5);
  memcpy(result, picture, (size_t) width * (size_t) height);
  for (int y = radius; y < height - radius; y++)
    for (int x = radius; x < width - radius; x++) {
      int total = 0, weights = 0;
      for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -half[dy + radius]; dx <= half[dy + radius]; dx++) {
          if (!dx && !dy) continue;
          int weight = near[dy + radius][dx + radius] * alike(at(x + dx, y + dy), at(x, y));
          weights += weight;
          total += weight * at(x + dx, y + dy);
        }
      result[y * width + x] = (unsigned char) (weights < 10000 ? median(x, y) : total / weights);
    }
}

/* The response of each pixel: how much its segment lacks of `limit`. */
static void responses(int *response, int limit) {
  for (int y = radius; y < height - radius; y++)
    for (int x = radius; x < width - radius; x++) {
      int size = segment(x, y, NULL, NULL);
      response[y * width + x] = size < limit ? limit - size : 0;
    }
}

/* An edge is thinned to the pixels with the strongest response across it. The line from a pixel to
   its segment's centre of gravity goes across the edge. */
static void edges(int *response) {
  responses(response, disc * full * 3 / 4);
  for (int y = radius + 1; y < height - radius - 1; y++)
    for (int x = radius + 1; x < width - radius - 1; x++) {
      int *here = response + y * width + x, along_x, along_y;
      if (!*here) continue;
      segment(x, y, &along_x, &along_y);
      int step_x = 2 * abs(along_x) > abs(along_y) ? (along_x > 0) - (along_x < 0) : 0;
      int step_y = 2 * abs(along_y) > abs(along_x) ? (along_y > 0) - (along_y < 0) : 0;
      int step = step_y * width + step_x;
      if (step && *here >= here[step] && *here > here[-step]) result[y * width + x] = 255;
    }
}

/* A corner's segment is less than half of the disc, with its centre of gravity well outside of the
   pixel; the pixel has the strongest response of its neighbourhood. */
static void corners(int *response) {
  int found = 0;
  responses(response, disc * full / 2);
  for (int y = 2 * radius; y < height - 2 * radius; y++)
    for (int x = 2 * radius; x < width - 2 * radius; x++) {
      int here = response[y * width + x], moment_x, moment_y, strongest = here > 0;
      for (int dy = -radius; dy <= radius && strongest; dy++)
        for (int dx = -radius; dx <= radius && strongest; dx++) {
          int other = response[(y + dy) * width + x + dx];
          strongest = dy < 0 || (dy == 0 && dx < 0) ? here > other : here >= other;
        }
      if (!strongest) continue;
      int size = segment(x, y, &moment_x, &moment_y);
      if (abs(moment_x) < size / 2 && abs(moment_y) < size / 2) continue;
      found++;
      for (int d = -1; d <= 1; d++)
        result[(y + d) * width + x] = result[y * width + x + d] = 255;
    }
  printf("%d corners\n", found);
}

static int load(const char *name) {
  int brightest;
  FILE *in = fopen(name, "rb");
  if (!in) return perror(name), 1;
  if (fscanf(in, "P5 %d %d %d", &width, &height, &brightest) != 3 || brightest != 255 ||
      width < 16 || height < 16 || width > 4096 || height > 4096 || fgetc(in) == EOF)
    return fprintf(stderr, "%s is not a picture for this program\n", name), 1;
  size_t pixels = (size_t) width * (size_t) height;
  picture = malloc(pixels);
  result = calloc(pixels, 1);
  if (!picture || !result) return fprintf(stderr, "no memory\n"), 1;
  if (fread(picture, 1, pixels, in) != pixels) return fprintf(stderr, "%s is too short\n", name), 1;
  return fclose(in);
}

int main(int count, char **argument) {
  if (count != 4) return fprintf(stderr, "susan smooth|edges|corners INPUT OUTPUT\n"), 2;
  if (load(argument[2])) return 1;
  prepare();
  int *response = calloc((size_t) width * (size_t) height, sizeof *response);
  if (!response) return fprintf(stderr, "no memory\n"), 1;
  if (*argument[1] == 's') smooth();
  else (*argument[1] == 'e' ? edges : corners)(response);

  FILE *out = fopen(argument[3], "wb");
  if (!out) return perror(argument[3]), 1;
  fprintf(out, "P5\n%d %d\n255\n", width, height);
  fwrite(result, 1, (size_t) width * (size_t) height, out);
  free(response), free(picture), free(result);
  return fclose(out) ? perror(argument[3]), 1 : 0;
}
