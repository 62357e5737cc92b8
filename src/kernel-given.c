/* Kernel values that the caller has computed. The only feature of an example is its number, from 1 on: what the core does
 * with examples, it does with their numbers, which panels of one feature hold one after the other. */
#include <math.h>

#include "kernel.h"

const osvm_kernel_info osvm_kernel_given = {.name = "given", .title = "Given", .formula = "k_{xz}", .base = OSVM_GIVEN};

/* Unused lanes and free slots have the number 0, and any value will do. */
static size_t place(int number) { return number > 0 ? (size_t)number - 1 : 0; }

void osvm_kernel_look_up(const osvm_kernel *kernel, const osvm_simd *simd, const void *numbers, const void *query,
                         int n, void *out) {
  const double *row = kernel->given + place((int)osvm_real(simd, query, 0)) * kernel->n_given;
  if (simd->size == sizeof(float))
    for (int k = 0; k < n; k++) ((float *)out)[k] = (float)row[place((int)((const float *)numbers)[k])];
  else
    for (int k = 0; k < n; k++) ((double *)out)[k] = row[place((int)((const double *)numbers)[k])];
}

double osvm_kernel_given_self(const osvm_kernel *kernel, const osvm_store *store, int i) {
  return kernel->given[place((int)osvm_real(store->simd, store->dense, i)) * ((size_t)kernel->n_given + 1)];
}

osvm_status osvm_kernel_check(const osvm_kernel *kernel, const osvm_store *store, osvm_error *error) {
  if (kernel->info->base != OSVM_GIVEN) return OSVM_OK;
  int sound = kernel->given != NULL && !store->sparse && store->d == 1;
  for (int i = 0; i < store->n && sound; i++) {
    const double number = osvm_real(store->simd, store->dense, i);
    sound = number >= 1 && number <= kernel->n_given && number == floor(number);
  }
  return sound ? OSVM_OK : osvm_fail(error, OSVM_INVALID, "an example is not among the rows of the kernel matrix");
}
