/* How many threads a program can have at the same time that does not say it. sdk/install puts this into
   libflyball.a, where it is not looked for if the program defines it. */
#include <flyball.h>

FLYBALL_THREADS(32);
