/* How long files take of a program that does not say it. sdk/install puts this into libflyball.a, where it is
   not looked for if the program defines it. */
#include <flyball.h>

FLYBALL_STORAGE(0, 0);
