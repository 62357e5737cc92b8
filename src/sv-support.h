/* Support vectors by their coefficients, of which every machine has a column. */
#pragma once

#include <stddef.h>

/* Coefficients up to this size are below the rounding of the largest and change no output. */
double osvm_negligible(const double *coef, size_t count);
/* Marks the examples whose coefficient is larger than `least`; returns how many were not marked before. Called for one
 * column after the other it marks the support vectors of any machine. */
int osvm_mark_support(const double *coef, int n, double least, unsigned char *marked);
