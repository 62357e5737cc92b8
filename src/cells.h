/* Cells: the parts of a divided space, each that of the points nearest to its centre. */
#pragma once

#include "kernel-rows.h"

typedef struct {
  const osvm_data *data;
  const int *rows; /* the examples to divide: `count` rows of data, all different */
  int count;
  int doubles, threads; /* doubles: work in double precision */
  osvm_simd_level level;
} osvm_cells_task;

typedef struct {
  int k, iterations;
  double least, seed;
} osvm_kmeans_options;

/* k-means (Lloyd 1982) on a sample of the examples, from random ones. At most k centres (k x d, column by column, scaled
 * as the data are), of which those with less than the share `least` of the sample are given up; *found: the others, the
 * first rows of `centres`. cell: of each example, from 0. Without iterations the centres are near the mean, in the
 * directions of random examples: among many features, where k-means leaves most examples in one cell, they divide them
 * more evenly. */
osvm_status osvm_cells_split(const osvm_cells_task *task, const osvm_kmeans_options *options, double *centres,
                             int *found, int *cell, osvm_error *error);
/* The nearest of `centres` for each example; of equal ones the first */
osvm_status osvm_cells_assign(const osvm_cells_task *task, const osvm_data *centres, int *cell, osvm_error *error);
