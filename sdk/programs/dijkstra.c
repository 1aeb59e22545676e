/* Shortest paths in a network that a matrix of distances describes, with Dijkstra's algorithm.
   dijkstra MATRIX OUTPUT */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 256 };

static int nodes;
static int distance[most][most];

struct state {
  int length, before, done;
};

/* A queue in a list: nodes in the order in which they were reached. */
struct entry {
  int node, length;
  struct entry *next;
};

static struct entry *first, **last = &first;
static unsigned long queued;

static int enqueue(int node, int length) {
  struct entry *entry = malloc(sizeof *entry);
  if (!entry) return fprintf(stderr, "no memory\n"), 1;
  *entry = (struct entry) { node, length, NULL };
  *last = entry;
  last = &entry->next;
  queued++;
  return 0;
}

/* Takes the entry with the shortest path out of the queue. */
static struct entry dequeue(void) {
  struct entry **best = &first;
  for (struct entry **at = &first; *at; at = &(*at)->next)
    if ((*at)->length < (*best)->length) best = at;
  struct entry *entry = *best, copy = *entry;
  *best = entry->next;
  if (last == &entry->next) last = best;
  free(entry);
  return copy;
}

static int search(int from, struct state *state) {
  for (int i = 0; i < nodes; i++) state[i] = (struct state) { INT_MAX, -1, 0 };
  state[from].length = 0;
  if (enqueue(from, 0)) return 1;
  while (first) {
    struct entry entry = dequeue();
    if (state[entry.node].done) continue;
    state[entry.node].done = 1;
    for (int next = 0; next < nodes; next++) {
      if (!distance[entry.node][next]) continue;
      int length = entry.length + distance[entry.node][next];
      if (length >= state[next].length) continue;
      state[next].length = length;
      state[next].before = entry.node;
      if (enqueue(next, length)) return 1;
    }
  }
  return 0;
}

static void print_path(FILE *out, const struct state *state, int node) {
  if (state[node].before >= 0) print_path(out, state, state[node].before);
  fprintf(out, " %d", node);
}

int main(int count, char **argument) {
  static struct state state[most];
  if (count != 3) return fprintf(stderr, "dijkstra MATRIX OUTPUT\n"), 2;
  FILE *in = fopen(argument[1], "r");
  if (!in) return perror(argument[1]), 1;
  if (fscanf(in, "%d", &nodes) != 1 || nodes < 2 || nodes > most)
    return fprintf(stderr, "%s has no network\n", argument[1]), 1;
  for (int from = 0; from < nodes; from++)
    for (int to = 0; to < nodes; to++)
      if (fscanf(in, "%d", &distance[from][to]) != 1)
        return fprintf(stderr, "%s is too short\n", argument[1]), 1;
  fclose(in);
  FILE *out = fopen(argument[2], "w");
  if (!out) return perror(argument[2]), 1;
  for (int from = 0; from < nodes; from++) {
    int to = (from + nodes / 2) % nodes;
    if (search(from, state)) return 1;
    if (state[to].length == INT_MAX) {
      fprintf(out, "no path from %d to %d\n", from, to);
      continue;
    }
    fprintf(out, "%d:", state[to].length);
    print_path(out, state, to);
    fputc('\n', out);
  }
  fprintf(out, "%lu entries of the queue\n", queued);
  return fclose(out) ? perror(argument[2]), 1 : 0;
}
