/* Options of ispell for any machine. Affixes are sets of 32 bits. */
#define LIBDIR "."
#define MASKBITS 32
#define MASKTYPE unsigned int
#define MASKTYPE_WIDTH 32
#define TEMPNAME "ispellXXXXXX"
