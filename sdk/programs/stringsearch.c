/* Finds words in a text, whether capital or small, with Horspool's simplification of the algorithm
   of Boyer and Moore. stringsearch WORDS TEXT OUTPUT */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { longest = 64 };

static size_t skip[256];

static int lower(char c) { return tolower((unsigned char) c); }

/* A letter's skip is its distance from the end of the word. */
static void prepare(const char *word, size_t length) {
  for (int letter = 0; letter < 256; letter++) skip[letter] = length;
  for (size_t i = 0; i + 1 < length; i++) {
    skip[lower(word[i])] = length - 1 - i;
    skip[toupper((unsigned char) word[i])] = length - 1 - i;
  }
}

/* Returns where the word of `prepare` is at or after `from`, or the size of the text. */
static size_t find(const char *text, size_t size, size_t from, const char *word, size_t length) {
  for (size_t at = from; at + length <= size; at += skip[(unsigned char) text[at + length - 1]]) {
    size_t i = length;
    while (i && lower(text[at + i - 1]) == lower(word[i - 1])) i--;
    if (!i) return at;
  }
  return size;
}

/* Reads a whole file, and returns NULL if that fails. */
static char *load(const char *name, size_t *size) {
  FILE *in = fopen(name, "rb");
  if (!in || fseek(in, 0, SEEK_END)) return perror(name), NULL;
  long end = ftell(in);
  if (end < 0) return perror(name), NULL;
  rewind(in);
  *size = (size_t) end;
  char *text = malloc(*size + 1);
  if (!text || fread(text, 1, *size, in) != *size) return fprintf(stderr, "cannot read\n"), NULL;
  fclose(in);
  return text;
}

int main(int count, char **argument) {
  if (count != 4) return fprintf(stderr, "stringsearch WORDS TEXT OUTPUT\n"), 2;
  size_t size;
  char *text = load(argument[2], &size), word[longest];
  if (!text) return 1;
  FILE *words = fopen(argument[1], "r");
  if (!words) return perror(argument[1]), 1;
  FILE *out = fopen(argument[3], "w");
  if (!out) return perror(argument[3]), 1;
  while (fgets(word, sizeof word, words)) {
    size_t length = strcspn(word, "\n"), found = 0, first = size;
    if (!length) continue;
    word[length] = 0;
    prepare(word, length);
    for (size_t at = 0; (at = find(text, size, at, word, length)) < size; at++) {
      if (!found++) first = at;
    }
    if (found)
      fprintf(out, "%s: %lu, first at %lu\n", word, (unsigned long) found, (unsigned long) first);
    else fprintf(out, "%s: none\n", word);
  }
  free(text);
  fclose(words);
  return fclose(out) ? perror(argument[3]), 1 : 0;
}
