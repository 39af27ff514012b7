#include "heed/kernels/adam.h"
