/* Compresses a file to the format of gzip, or the other way round, with zlib.
   deflate LEVEL INPUT OUTPUT; deflate -d INPUT OUTPUT */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static char data[8192];

static int compress_file(const char *level, FILE *in, const char *name) {
  char mode[4] = { 'w', 'b', *level, 0 };
  gzFile out = gzopen(name, mode);
  if (!out) return perror(name), 1;
  for (size_t size; (size = fread(data, 1, sizeof data, in)) > 0;)
    if (gzwrite(out, data, (unsigned) size) != (int) size)
      return fprintf(stderr, "cannot write\n"), 1;
  return gzclose(out) != Z_OK;
}

static int expand_file(const char *name, FILE *out) {
  gzFile in = gzopen(name, "rb");
  if (!in) return perror(name), 1;
  int size;
  while ((size = gzread(in, data, sizeof data)) > 0) fwrite(data, 1, (size_t) size, out);
  if (size < 0) fprintf(stderr, "%s is damaged\n", name);
  return gzclose(in) != Z_OK || size < 0;
}

int main(int count, char **argument) {
  if (count != 4) return fprintf(stderr, "deflate LEVEL|-d INPUT OUTPUT\n"), 2;
  int expand = !strcmp(argument[1], "-d"), status;
  FILE *file = fopen(argument[expand ? 3 : 2], expand ? "wb" : "rb");
  if (!file) return perror(argument[expand ? 3 : 2]), 1;
  if (expand) status = expand_file(argument[2], file);
  else status = compress_file(argument[1], file, argument[3]);
  return fclose(file) ? 1 : status;
}
