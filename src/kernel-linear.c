/* k(x, z) = <x, z> */
#include "kernel.h"

const osvm_kernel_info osvm_kernel_linear = {
    .name = "linear", .title = "Linear", .formula = "x \\cdot z", .base = OSVM_DOTS};
