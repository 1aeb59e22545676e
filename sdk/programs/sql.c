/* Runs the statements of a file with SQLite on a database in memory, writes the rows that they
   give, and then the database itself. sql STATEMENTS OUTPUT DATABASE */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

/* SQLite is compiled without a system below (SQLITE_OS_OTHER): there is no file, always the same
   date, and always the same random bytes. */
static int no_file(sqlite3_vfs *system, sqlite3_filename name, sqlite3_file *file, int flags,
                   int *granted) {
  (void) system, (void) name, (void) flags, (void) granted;
  file->pMethods = NULL;
  return SQLITE_CANTOPEN;
}

static int no_deletion(sqlite3_vfs *system, const char *name, int sync) {
  (void) system, (void) name, (void) sync;
  return SQLITE_IOERR_DELETE;
}

static int no_access(sqlite3_vfs *system, const char *name, int flags, int *result) {
  (void) system, (void) name, (void) flags;
  *result = 0;
  return SQLITE_OK;
}

static int path(sqlite3_vfs *system, const char *name, int size, char *result) {
  (void) system;
  snprintf(result, (size_t) size, "%s", name);
  return SQLITE_OK;
}

static int random_bytes(sqlite3_vfs *system, int size, char *result) {
  (void) system;
  for (int i = 0; i < size; i++) result[i] = (char) (i * 37);
  return size;
}

static int date(sqlite3_vfs *system, double *day) {
  (void) system;
  *day = 2461000.5;
  return SQLITE_OK;
}

static sqlite3_vfs none = { .iVersion = 1, .szOsFile = sizeof(sqlite3_file), .mxPathname = 64,
                            .zName = "none", .xOpen = no_file, .xDelete = no_deletion,
                            .xAccess = no_access, .xFullPathname = path,
                            .xRandomness = random_bytes, .xCurrentTime = date };

int sqlite3_os_init(void) { return sqlite3_vfs_register(&none, 1); }

int sqlite3_os_end(void) { return SQLITE_OK; }

static int row(void *out, int columns, char **value, char **name) {
  (void) name;
  for (int i = 0; i < columns; i++)
    fprintf(out, "%s%s", value[i] ? value[i] : "null", i + 1 < columns ? "|" : "\n");
  return 0;
}

static char *load(const char *name) {
  FILE *in = fopen(name, "rb");
  if (!in || fseek(in, 0, SEEK_END)) return NULL;
  long size = ftell(in);
  rewind(in);
  char *text = size < 0 ? NULL : malloc((size_t) size + 1);
  if (!text || fread(text, 1, (size_t) size, in) != (size_t) size) return NULL;
  text[size] = 0;
  fclose(in);
  return text;
}

int main(int count, char **argument) {
  sqlite3 *database;
  char *message = NULL;
  if (count != 4) return fprintf(stderr, "sql STATEMENTS OUTPUT DATABASE\n"), 2;
  char *statements = load(argument[1]);
  if (!statements) return perror(argument[1]), 1;
  FILE *out = fopen(argument[2], "w");
  if (!out) return perror(argument[2]), 1;
  if (sqlite3_open(":memory:", &database))
    return fprintf(stderr, "%s\n", sqlite3_errmsg(database)), 1;
  if (sqlite3_exec(database, statements, row, out, &message))
    return fprintf(stderr, "%s\n", message), 1;
  free(statements);
  if (fclose(out)) return perror(argument[2]), 1;

  sqlite3_int64 size;
  unsigned char *image = sqlite3_serialize(database, "main", &size, 0);
  if (!image || !(out = fopen(argument[3], "wb"))) return fprintf(stderr, "no database\n"), 1;
  fwrite(image, 1, (size_t) size, out);
  sqlite3_free(image);
  sqlite3_close(database);
  return fclose(out) ? perror(argument[3]), 1 : 0;
}
