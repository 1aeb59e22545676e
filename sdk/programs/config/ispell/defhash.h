/* What ispell's Makefile would write. */
#define MASTERHASH "english.hash"
#define DEFHASH "english.hash"
#define DEFLANG "english.aff"
