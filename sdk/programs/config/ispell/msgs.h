#include "languages/english/msgs.h"
