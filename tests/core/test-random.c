/* Random numbers: reproducible from the seed, uniform, independent of neighbouring seeds and steps. */
#include "test.h"

/* Counts of an event of probability p in `draws` draws: six standard deviations, exceeded by 2 in 10^9 counts. */
static double deviation(double draws, double p) { return 6 * sqrt(draws * p * (1 - p)); }

static void the_seed_determines_the_sequence(void) {
  osvm_random a, b, c;
  const double seed = random_below(1000000);
  osvm_random_seed(&a, seed);
  osvm_random_seed(&b, seed);
  osvm_random_seed(&c, seed + 1);
  int same = 0;
  for (int k = 0; k < 1000; k++) {
    const int x = osvm_random_below(&a, 1000);
    CHECK(x >= 0 && x < 1000);
    CHECK(x == osvm_random_below(&b, 1000));
    same += x == osvm_random_below(&c, 1000);
  }
  CHECK(same < 20); /* expected: 1 */
}

static void draws_are_uniform(void) {
  enum { VALUES = 7, DRAWS = 70000 };
  osvm_random random;
  int seen[VALUES] = {0};
  osvm_random_seed(&random, random_below(1000000));
  for (int k = 0; k < DRAWS; k++) seen[osvm_random_below(&random, VALUES)]++;
  for (int v = 0; v < VALUES; v++) CHECK_NEAR(seen[v], DRAWS / VALUES, deviation(DRAWS, 1.0 / VALUES));
  for (int k = 0; k < 1000; k++) CHECK(osvm_random_below(&random, 2147483647) >= 0);
  CHECK(osvm_random_below(&random, 1) == 0);
}

static void a_shuffle_is_a_permutation(void) {
  enum { N = 6, ROUNDS = 36000 };
  osvm_random random;
  int at[N][N] = {{0}}, items[N];
  osvm_random_seed(&random, random_below(1000000));
  for (int round = 0; round < ROUNDS; round++) {
    int sum = 0;
    for (int k = 0; k < N; k++) items[k] = k;
    osvm_random_shuffle(&random, items, N);
    for (int k = 0; k < N; k++) {
      sum |= 1 << items[k];
      at[items[k]][k]++;
    }
    CHECK(sum == (1 << N) - 1);
  }
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) CHECK_NEAR(at[i][k], ROUNDS / N, deviation(ROUNDS, 1.0 / N));
  osvm_random_shuffle(&random, items, 0);
}

/* Uniform and without serial correlation along each of the four arguments. */
static void draws_at_a_step(void) {
  enum { VALUES = 7, DRAWS = 70000 };
  const int base[4] = {random_below(1000), random_below(1000), random_below(1000), random_below(1000)};
  for (int moving = 0; moving < 4; moving++) {
    int seen[VALUES] = {0}, pairs = 0, before = -1;
    for (int k = 0; k < DRAWS; k++) {
      const int at[4] = {base[0] + (moving == 0) * k, base[1] + (moving == 1) * k, base[2] + (moving == 2) * k,
                         base[3] + (moving == 3) * k};
      const int x = osvm_random_at(at[0], at[1], at[2], at[3], VALUES);
      CHECK(x >= 0 && x < VALUES && x == osvm_random_at(at[0], at[1], at[2], at[3], VALUES));
      seen[x]++;
      pairs += x == before;
      before = x;
    }
    for (int v = 0; v < VALUES; v++) CHECK_NEAR(seen[v], DRAWS / VALUES, deviation(DRAWS, 1.0 / VALUES));
    CHECK_NEAR(pairs, DRAWS / VALUES, deviation(DRAWS, 1.0 / VALUES));
  }
  CHECK(osvm_random_at(3, 1e15, 0, 0, 1) == 0);
}

void test_random(void) {
  RUN(the_seed_determines_the_sequence);
  RUN(draws_are_uniform);
  RUN(a_shuffle_is_a_permutation);
  RUN(draws_at_a_step);
}
