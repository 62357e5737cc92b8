/* Products over all features but one, integrated by a quadrature rule: included by simd-table.h, once per instruction set. */

/* The sums over some of the nodes: the products of the features before each, forwards, are met by those of the features
 * behind it, backwards. There is no division, which a factor near 0 would spoil. */
TARGET ALWAYS_INLINE void add_nodes(const double *less, int features, int lanes, const double *at, const double *weight,
                                    const int nodes, double *before, double *out) {
  v_double product[4];
  UNROLL
  for (int k = 0; k < nodes; k++) product[k] = (v_double){0} + 1.0;
  for (int f = 0; f < features; f++) {
    const v_double p = *(const v_double *)(less + (size_t)f * lanes);
    UNROLL
    for (int k = 0; k < nodes; k++) {
      *(v_double *)(before + ((size_t)f * nodes + k) * DOUBLES) = product[k];
      product[k] *= 1.0 + at[k] * p;
    }
  }
  UNROLL
  for (int k = 0; k < nodes; k++) product[k] = (v_double){0} + weight[k];
  for (int f = features - 1; f >= 0; f--) {
    const v_double p = *(const v_double *)(less + (size_t)f * lanes);
    v_double sum = *(v_double *)(out + (size_t)f * lanes);
    UNROLL
    for (int k = 0; k < nodes; k++) {
      sum += product[k] * *(v_double *)(before + ((size_t)f * nodes + k) * DOUBLES);
      product[k] *= 1.0 + at[k] * p;
    }
    *(v_double *)(out + (size_t)f * lanes) = sum;
  }
}

TARGET static void product_shares(const double *less, int features, int lanes, const double *at, const double *weight,
                                  int nodes, double *work, double *out) {
  for (int i = 0; i < lanes; i += DOUBLES) {
    int k = 0;
    for (int f = 0; f < features; f++) *(v_double *)(out + (size_t)f * lanes + i) = (v_double){0};
    for (; k + 4 <= nodes; k += 4) add_nodes(less + i, features, lanes, at + k, weight + k, 4, work, out + i);
    for (; k + 2 <= nodes; k += 2) add_nodes(less + i, features, lanes, at + k, weight + k, 2, work, out + i);
    for (; k < nodes; k++) add_nodes(less + i, features, lanes, at + k, weight + k, 1, work, out + i);
    for (int f = 0; f < features; f++)
      *(v_double *)(out + (size_t)f * lanes + i) *= *(const v_double *)(less + (size_t)f * lanes + i);
  }
}
