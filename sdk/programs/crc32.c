/* The cyclic redundancy check of files, as of Ethernet and ZIP (polynomial 0x04c11db7, reflected).
   crc32 OUTPUT FILE... */
#include <stdint.h>
#include <stdio.h>

static uint32_t table[256];

static void prepare(void) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; bit++) value = value & 1 ? value >> 1 ^ 0xedb88320 : value >> 1;
    table[byte] = value;
  }
}

int main(int count, char **argument) {
  if (count < 3) return fprintf(stderr, "crc32 OUTPUT FILE...\n"), 2;
  FILE *out = fopen(argument[1], "w");
  if (!out) return perror(argument[1]), 1;
  prepare();
  for (int i = 2; i < count; i++) {
    FILE *in = fopen(argument[i], "rb");
    if (!in) return perror(argument[i]), 1;
    uint32_t crc = 0xffffffff;
    unsigned long size = 0;
    /* A call of the library for each byte: that is most of the work. */
    for (int byte; (byte = getc(in)) != EOF; size++)
      crc = crc >> 8 ^ table[(crc ^ (uint32_t) byte) & 255];
    fprintf(out, "%08lx %8lu %s\n", (unsigned long) (crc ^ 0xffffffff), size, argument[i]);
    fclose(in);
  }
  return fclose(out) ? perror(argument[1]), 1 : 0;
}
