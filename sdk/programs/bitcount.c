/* Counts the ones of many words in seven ways, which have to agree. bitcount COUNT OUTPUT */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned char ones[256];

static int by_shifts(uint32_t word) {
  int count = 0;
  for (; word; word >>= 1) count += word & 1;
  return count;
}

/* word & (word - 1) is the word without its lowest one. */
static int by_lowest(uint32_t word) {
  int count = 0;
  for (; word; word &= word - 1) count++;
  return count;
}

/* Adds neighbours: bits, pairs, nibbles, bytes, halves. */
static int by_neighbours(uint32_t word) {
  word = (word & 0x55555555) + (word >> 1 & 0x55555555);
  word = (word & 0x33333333) + (word >> 2 & 0x33333333);
  word = (word & 0x0f0f0f0f) + (word >> 4 & 0x0f0f0f0f);
  word = (word & 0x00ff00ff) + (word >> 8 & 0x00ff00ff);
  return (int) ((word & 0xffff) + (word >> 16));
}

/* As before, but a multiplication adds the bytes. */
static int by_product(uint32_t word) {
  word -= word >> 1 & 0x55555555;
  word = (word & 0x33333333) + (word >> 2 & 0x33333333);
  word = (word + (word >> 4)) & 0x0f0f0f0f;
  return (int) (word * 0x01010101 >> 24);
}

static int by_nibbles(uint32_t word) {
  return word ? ones[word & 15] + by_nibbles(word >> 4) : 0;
}

static int by_bytes(uint32_t word) {
  return ones[word & 255] + ones[word >> 8 & 255] + ones[word >> 16 & 255] + ones[word >> 24];
}

static int by_memory(uint32_t word) {
  const unsigned char *byte = (const unsigned char *) &word;
  int count = 0;
  for (size_t i = 0; i < sizeof word; i++) count += ones[byte[i]];
  return count;
}

static const struct {
  const char *name;
  int (*count)(uint32_t);
} ways[] = {
  { "shifts", by_shifts },   { "lowest ones", by_lowest }, { "neighbours", by_neighbours },
  { "product", by_product }, { "nibbles", by_nibbles },    { "bytes", by_bytes },
  { "memory", by_memory },
};

int main(int count, char **argument) {
  if (count != 3) return fprintf(stderr, "bitcount COUNT OUTPUT\n"), 2;
  FILE *out = fopen(argument[2], "w");
  if (!out) return perror(argument[2]), 1;
  long words = atol(argument[1]);
  for (int byte = 1; byte < 256; byte++)
    ones[byte] = (unsigned char) (ones[byte / 2] + byte % 2);
  for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
    uint32_t word = 1;
    unsigned long sum = 0;
    for (long i = 0; i < words; i++) {
      sum += (unsigned long) ways[way].count(word);
      word = word * 1664525 + 1013904223;
    }
    fprintf(out, "%-12s %lu\n", ways[way].name, sum);
  }
  return fclose(out) ? perror(argument[2]), 1 : 0;
}
