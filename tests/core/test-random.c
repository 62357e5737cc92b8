/* The core's random numbers: the caller's seed decides, and nothing is left out. */
#include "test.h"

static void the_seed_decides(void) {
  osvm_random a, b, c;
  osvm_random_seed(&a, 5);
  osvm_random_seed(&b, 5);
  osvm_random_seed(&c, 6);
  int same = 0;
  for (int k = 0; k < 1000; k++) {
    const int x = osvm_random_below(&a, 1000);
    CHECK(x >= 0 && x < 1000);
    CHECK(x == osvm_random_below(&b, 1000));
    same += x == osvm_random_below(&c, 1000);
  }
  CHECK(same < 20);
}

static void all_values_come_up_alike(void) {
  enum { VALUES = 7, DRAWS = 70000 };
  osvm_random random;
  int seen[VALUES] = {0};
  osvm_random_seed(&random, 1);
  for (int k = 0; k < DRAWS; k++) seen[osvm_random_below(&random, VALUES)]++;
  for (int v = 0; v < VALUES; v++) CHECK_NEAR(seen[v], DRAWS / VALUES, 500); /* five standard deviations */
  for (int k = 0; k < 1000; k++) CHECK(osvm_random_below(&random, 2147483647) >= 0);
  CHECK(osvm_random_below(&random, 1) == 0);
}

static void a_shuffle_is_a_permutation(void) {
  enum { N = 6, ROUNDS = 36000 };
  osvm_random random;
  int at[N][N] = {{0}}, items[N];
  osvm_random_seed(&random, 2);
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
    for (int k = 0; k < N; k++) CHECK_NEAR(at[i][k], ROUNDS / N, 400);
  osvm_random_shuffle(&random, items, 0);
}

/* Each argument matters, and all values come up alike whichever of them moves. */
static void draws_at_a_step(void) {
  enum { VALUES = 7, DRAWS = 70000 };
  for (int moving = 0; moving < 4; moving++) {
    int seen[VALUES] = {0}, pairs = 0, before = -1;
    for (int k = 0; k < DRAWS; k++) {
      const int at[4] = {moving == 0 ? k : 5, moving == 1 ? k : 6, moving == 2 ? k : 7, moving == 3 ? k : 0};
      const int x = osvm_random_at(at[0], at[1], at[2], at[3], VALUES);
      CHECK(x >= 0 && x < VALUES && x == osvm_random_at(at[0], at[1], at[2], at[3], VALUES));
      seen[x]++;
      pairs += x == before;
      before = x;
    }
    for (int v = 0; v < VALUES; v++) CHECK_NEAR(seen[v], DRAWS / VALUES, 500);
    CHECK_NEAR(pairs, DRAWS / VALUES, 500);
  }
  CHECK(osvm_random_at(3, 1e15, 0, 0, 1) == 0);
}

void test_random(void) {
  RUN(the_seed_decides);
  RUN(all_values_come_up_alike);
  RUN(a_shuffle_is_a_permutation);
  RUN(draws_at_a_step);
}
