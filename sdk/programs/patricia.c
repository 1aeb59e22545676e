/* Keeps routes (addresses with the length of a prefix) in a Patricia trie, and finds the longest
   prefix of each address. Nodes have the bit at which two branches part; an upward link ends a
   search. After D. R. Morrison, 1968. patricia INPUT OUTPUT
   Lines of the input: "route A.B.C.D LENGTH" and "find A.B.C.D". */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { lengths = 33 };

struct node {
  uint32_t key;
  int bit; /* 0 is the most significant one; -1 in the root */
  uint64_t prefixes; /* bit n: there is a route of this key with a prefix of n bits */
  struct node *child[2];
};

static int bit_of(uint32_t key, int bit) { return bit < 0 ? 0 : (int) (key >> (31 - bit) & 1); }

static uint32_t mask(int length) { return length ? 0xffffffffU << (32 - length) : 0; }

static int nodes;

static struct node *new_node(uint32_t key, int bit) {
  struct node *node = calloc(1, sizeof *node);
  if (!node) {
    fprintf(stderr, "no memory\n");
    exit(1);
  }
  node->key = key;
  node->bit = bit;
  node->child[0] = node->child[1] = node;
  nodes++;
  return node;
}

/* Returns the only node that can have this key. */
static struct node *nearest(struct node *root, uint32_t key) {
  struct node *before = root, *node = root->child[0];
  while (node->bit > before->bit) {
    before = node;
    node = node->child[bit_of(key, node->bit)];
  }
  return node;
}

/* Adds a key unless it is there, and returns its node. */
static struct node *insert(struct node *root, uint32_t key) {
  struct node *node = nearest(root, key);
  if (node->key == key) return node;
  int bit = 0;
  while (bit_of(key, bit) == bit_of(node->key, bit)) bit++;
  struct node *before = root, *after = root->child[0];
  while (after->bit > before->bit && after->bit < bit) {
    before = after;
    after = after->child[bit_of(key, after->bit)];
  }
  struct node *added = new_node(key, bit);
  added->child[bit_of(key, bit)] = added;
  added->child[!bit_of(key, bit)] = after;
  before->child[before == root ? 0 : bit_of(key, before->bit)] = added;
  return added;
}

/* Returns the length of the longest prefix of an address that is a route, or -1. */
static int longest(struct node *root, uint32_t address) {
  for (int length = lengths - 1; length >= 0; length--) {
    uint32_t key = address & mask(length);
    struct node *node = nearest(root, key);
    if (node->key == key && node->prefixes >> length & 1) return length;
  }
  return -1;
}

int main(int count, char **argument) {
  if (count != 3) return fprintf(stderr, "patricia INPUT OUTPUT\n"), 2;
  FILE *in = fopen(argument[1], "r");
  if (!in) return perror(argument[1]), 1;
  FILE *out = fopen(argument[2], "w");
  if (!out) return perror(argument[2]), 1;
  struct node *root = new_node(0, -1);
  char line[64];
  unsigned byte[4];
  int length, routes = 0, again = 0, found[lengths + 1] = { 0 };
  while (fgets(line, sizeof line, in)) {
    int fields = sscanf(line, "%*s %u.%u.%u.%u %d", byte, byte + 1, byte + 2, byte + 3, &length);
    if (fields < 4) return fprintf(stderr, "%s: %s", argument[1], line), 1;
    uint32_t address = (uint32_t) byte[0] << 24 | byte[1] << 16 | byte[2] << 8 | byte[3];
    if (*line == 'r') {
      struct node *node = insert(root, address & mask(length));
      again += (int) (node->prefixes >> length & 1);
      node->prefixes |= (uint64_t) 1 << length;
      routes++;
      continue;
    }
    length = longest(root, address);
    found[length < 0 ? lengths : length]++;
    fprintf(out, "%u.%u.%u.%u: ", byte[0], byte[1], byte[2], byte[3]);
    if (length < 0) fprintf(out, "no route\n");
    else fprintf(out, "%08lx/%d\n", (unsigned long) (address & mask(length)), length);
  }
  fprintf(out, "%d routes, %d of them twice, in %d nodes\n", routes, again, nodes);
  for (length = 0; length < lengths; length++)
    if (found[length]) fprintf(out, "prefixes of %d bits: %d\n", length, found[length]);
  fprintf(out, "no prefix: %d\n", found[lengths]);
  fclose(in);
  return fclose(out) ? perror(argument[2]), 1 : 0;
}
