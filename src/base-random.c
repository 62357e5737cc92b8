/* xoshiro256** (Blackman & Vigna 2018), its state filled by splitmix64 from the seed; integer arithmetic, so the
 * sequence is the same on every platform. */
#include <math.h>

#include "base.h"

/* splitmix64 (Steele, Lea & Flood 2014): a bijection of 64 bits, so distinct keys give distinct states. */
static uint64_t splitmix(uint64_t *z) {
  uint64_t s = *z += 0x9e3779b97f4a7c15u;
  s = (s ^ (s >> 30)) * 0xbf58476d1ce4e5b9u;
  s = (s ^ (s >> 27)) * 0x94d049bb133111ebu;
  return s ^ (s >> 31);
}

void osvm_random_seed(osvm_random *random, double seed) {
  uint64_t z = (uint64_t)fabs(seed);
  for (int k = 0; k < 4; k++) random->state[k] = splitmix(&z);
}

/* floor(u n) with u the high 32 bits of a draw as a fraction: no value's probability is off by a factor of more than
 * n / 2^32. */
static int below(uint64_t bits, int n) { return (int)(((bits >> 32) * (uint64_t)n) >> 32); }

/* A counter-based draw: the keys are mixed in one after the other. */
int osvm_random_at(double seed, double step, int stream, int try, int n) {
  const uint64_t keys[] = {(uint64_t)fabs(seed), (uint64_t)fabs(step), (uint64_t)stream, (uint64_t)try};
  uint64_t bits = 0;
  for (int k = 0; k < 4; k++) {
    bits ^= keys[k];
    bits = splitmix(&bits);
  }
  return below(bits, n);
}

static uint64_t rotate(uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

static uint64_t draw(osvm_random *random) {
  uint64_t *s = random->state;
  const uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

int osvm_random_below(osvm_random *random, int n) { return below(draw(random), n); }

/* Fisher-Yates */
void osvm_random_shuffle(osvm_random *random, int *items, int n) {
  for (int k = n - 1; k > 0; k--) {
    const int j = osvm_random_below(random, k + 1), item = items[k];
    items[k] = items[j];
    items[j] = item;
  }
}
