/* Does ThreadSanitizer see the core's two constructs? `race region` and `race loop` have a data race, which must be
 * reported; `clean region` and `clean loop` are the same without it, and must not be. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { JOBS = 20 };

int main(int argc, char **argv) {
  const int planted = argc > 1 && strcmp(argv[1], "race") == 0, loop = argc > 2 && strcmp(argv[2], "loop") == 0;
  int plain = 0, sum = 0, out[JOBS] = {0};
  atomic_int next = 0;
  if (loop) {
#pragma omp parallel for num_threads(2) schedule(dynamic) reduction(+ : sum)
    for (int k = 0; k < JOBS; k++) {
      if (planted) plain = k;
      sum += out[k] = k;
    }
  } else {
#pragma omp parallel num_threads(2)
    for (int k = next++; k < JOBS; k = next++) {
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* both threads get jobs */
      if (planted) plain = k;
      out[k] = k;
    }
  }
  for (int k = 0; k < JOBS; k++) sum += out[k];
  printf("%d\n", plain + sum);
  return 0;
}
