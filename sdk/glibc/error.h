/* glibc's function that writes an error, and ends the program. */
#ifndef ERROR_H
#define ERROR_H
#include <support/check.h>

#define error(status, number, ...)                                 \
  do {                                                             \
    int number_ = (number), status_ = (status);                    \
    printf(__VA_ARGS__);                                           \
    printf("%s%s\n", number_ ? ": " : "", number_ ? strerror(number_) : ""); \
    if (status_) exit(status_);                                    \
  } while (0)

#endif
