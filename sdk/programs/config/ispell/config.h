/* What ispell's Makefile would write. */
#include "config.X"
#define SIGNAL_TYPE_STRING "void"
#define MASKTYPE_STRING "unsigned int"
