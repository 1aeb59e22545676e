/* The terminal of ispell, in place of its term.c: there is none. Ispell asks for nothing if it
   checks a text with the options -a and -l. */
#include <stdlib.h>

void ierase(void);
void imove(int row, int column);
void inverse(void);
void normal(void);
void backup(void);
void terminit(void);
void done(int number);
void stop(void);
int shellescape(char *command);

void ierase(void) {}

void imove(int row, int column) { (void) row, (void) column; }

void inverse(void) {}

void normal(void) {}

void backup(void) {}

void terminit(void) { exit(1); }

void done(int number) { exit(number != 0); }

void stop(void) {}

int shellescape(char *command) { return (void) command, -1; }
