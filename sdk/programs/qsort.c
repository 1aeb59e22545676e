/* Sorts the lines of a file, or points of space by their distance from the origin, with the C
   library's qsort. qsort words|points INPUT OUTPUT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { longest = 64 };

struct point {
  int x, y, z;
};

static int by_text(const void *left, const void *right) {
  return strcmp(*(char *const *) left, *(char *const *) right);
}

static long long square(const struct point *point) {
  return (long long) point->x * point->x + (long long) point->y * point->y +
         (long long) point->z * point->z;
}

/* No two different points are equal, as qsort does not keep the order of equal elements. */
static int by_distance(const void *left, const void *right) {
  const struct point *a = left, *b = right;
  if (square(a) != square(b)) return square(a) < square(b) ? -1 : 1;
  if (a->x != b->x) return a->x < b->x ? -1 : 1;
  if (a->y != b->y) return a->y < b->y ? -1 : 1;
  return (a->z > b->z) - (a->z < b->z);
}

/* Returns room for one element more in the array, or ends the program. */
static void *grown(void *array, size_t count, size_t size) {
  if (count & (count - 1)) return array;
  array = realloc(array, (count ? 2 * count : 1) * size);
  if (!array) {
    fprintf(stderr, "no memory\n");
    exit(1);
  }
  return array;
}

static void words(FILE *in, FILE *out) {
  char **word = NULL, line[longest];
  size_t count = 0;
  for (; fgets(line, sizeof line, in); count++) {
    size_t length = strcspn(line, "\n");
    word = grown(word, count, sizeof *word);
    word[count] = grown(NULL, 0, length + 1);
    memcpy(word[count], line, length);
    word[count][length] = 0;
  }
  qsort(word, count, sizeof *word, by_text);
  for (size_t i = 0; i < count; i++) {
    fprintf(out, "%s\n", word[i]);
    free(word[i]);
  }
  free(word);
}

static void points(FILE *in, FILE *out) {
  struct point *point = NULL, one;
  size_t count = 0;
  for (; fscanf(in, "%d%d%d", &one.x, &one.y, &one.z) == 3; count++) {
    point = grown(point, count, sizeof *point);
    point[count] = one;
  }
  qsort(point, count, sizeof *point, by_distance);
  for (size_t i = 0; i < count; i++)
    fprintf(out, "%d %d %d: %lld\n", point[i].x, point[i].y, point[i].z, square(&point[i]));
  free(point);
}

int main(int count, char **argument) {
  if (count != 4) return fprintf(stderr, "qsort words|points INPUT OUTPUT\n"), 2;
  FILE *in = fopen(argument[2], "r");
  if (!in) return perror(argument[2]), 1;
  FILE *out = fopen(argument[3], "w");
  if (!out) return perror(argument[3]), 1;
  (*argument[1] == 'w' ? words : points)(in, out);
  fclose(in);
  return fclose(out) ? perror(argument[3]), 1 : 0;
}
