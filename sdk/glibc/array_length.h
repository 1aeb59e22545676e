/* How many elements an array has. */
#define array_length(array) (sizeof(array) / sizeof((array)[0]))
