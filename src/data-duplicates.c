/* Equal examples, found by hashing.
 *
 * Hashes of all rows are computed column by column, as the matrix is stored; a table counts the different ones. Where at
 * least half of the examples are repeats, equal hashes are checked value by value. On other data the hashes are all that
 * is computed: one pass over the values. */
#include <stdlib.h>
#include <string.h>

#include "data.h"

static uint64_t mix(uint64_t hash, uint64_t bits) {
  hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  x += 0.0; /* -0 is 0 */
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* A sparse row is the sum over its non-zeros: zeros that are stored do not count. */
static osvm_status hash_values(const osvm_data *data, uint64_t *hash) {
  double work = 0;
  for (int j = 0; j < data->d; j++) {
    const size_t column = (size_t)j * data->n;
    const double values = data->kind == OSVM_SPARSE ? data->start[j + 1] - data->start[j] : data->n;
    if (osvm_data_stopped(data, &work, values)) return OSVM_INTERRUPTED;
    switch (data->kind) {
    case OSVM_DOUBLES:
      for (int i = 0; i < data->n; i++) hash[i] = mix(hash[i], bits_of(data->x[column + i]));
      break;
    case OSVM_INTEGERS:
      for (int i = 0; i < data->n; i++) hash[i] = mix(hash[i], (uint64_t)data->integers[column + i]);
      break;
    case OSVM_SPARSE:
      for (int k = data->start[j]; k < data->start[j + 1]; k++)
        if (data->x[k] != 0) hash[data->row[k]] += mix(mix(1, (uint64_t)j), bits_of(data->x[k]));
      break;
    }
  }
  return OSVM_OK;
}

typedef struct {
  const osvm_examples *all;
  uint64_t *hash; /* per row */
  int *table;     /* entry + 1, or 0 */
  size_t mask;
  osvm_folding *out;
} folder;

static int same_kind(const osvm_examples *all, int a, int b) {
  return all->class_of[a] == all->class_of[b] && (all->weight == NULL || all->weight[a] == all->weight[b]);
}

static uint64_t example_hash(const folder *f, int k) {
  uint64_t hash = mix(f->hash[f->all->rows[k]], (uint64_t)f->all->class_of[k]);
  return f->all->weight != NULL ? mix(hash, bits_of(f->all->weight[k])) : hash;
}

/* Entries by hash, class and weight, numbered in the order of their first examples. */
static void number_entries(folder *f) {
  osvm_folding *out = f->out;
  for (int k = 0; k < f->all->count; k++) {
    const uint64_t hash = example_hash(f, k);
    size_t at = (hash >> 7) & f->mask;
    while (f->table[at] != 0) {
      const int first = out->first[f->table[at] - 1];
      if (example_hash(f, first) == hash && same_kind(f->all, first, k)) break;
      at = (at + 1) & f->mask;
    }
    if (f->table[at] == 0) {
      out->first[out->count] = k;
      f->table[at] = ++out->count;
    }
    out->entry[k] = f->table[at] - 1;
  }
}

static int equal_dense(const folder *f) {
  const osvm_examples *all = f->all;
  const osvm_data *data = all->data;
  for (int j = 0; j < data->d; j++) {
    const size_t column = (size_t)j * data->n;
    for (int k = 0; k < all->count; k++) {
      const size_t a = column + all->rows[k], b = column + all->rows[f->out->first[f->out->entry[k]]];
      if (data->kind == OSVM_DOUBLES ? data->x[a] != data->x[b] : data->integers[a] != data->integers[b]) return 0;
    }
  }
  return 1;
}

/* The tallies of a sparse check: of each entry, its examples, and how many of them have a non-zero in this column. */
typedef struct {
  int *of_row, *size, *found;
  double *value;
} tallies;

/* A column in which an entry has a non-zero has it for all examples of the entry, with the same value. */
static int equal_column(const osvm_data *data, int j, const tallies *t) {
  for (int k = data->start[j]; k < data->start[j + 1]; k++) {
    const int e = t->of_row[data->row[k]];
    if (e < 0 || data->x[k] == 0) continue;
    if (t->found[e]++ == 0) t->value[e] = data->x[k];
    else if (t->value[e] != data->x[k]) return 0;
  }
  for (int k = data->start[j]; k < data->start[j + 1]; k++) {
    const int e = t->of_row[data->row[k]];
    if (e < 0 || data->x[k] == 0) continue;
    if (t->found[e] != 0 && t->found[e] != t->size[e]) return 0;
    t->found[e] = 0;
  }
  return 1;
}

static osvm_status equal_sparse(const folder *f, int *equal, osvm_error *error) {
  const osvm_examples *all = f->all;
  const osvm_data *data = all->data;
  const size_t n = (size_t)data->n + 1, entries = (size_t)f->out->count + 1;
  tallies t = {malloc(n * sizeof(int)), calloc(entries, sizeof(int)), calloc(entries, sizeof(int)),
               malloc(entries * sizeof(double))};
  const int complete = t.of_row != NULL && t.size != NULL && t.found != NULL && t.value != NULL;
  for (int i = 0; complete && i < data->n; i++) t.of_row[i] = -1;
  for (int k = 0; complete && k < all->count; k++) {
    t.of_row[all->rows[k]] = f->out->entry[k];
    t.size[f->out->entry[k]]++;
  }
  *equal = 1;
  for (int j = 0; complete && *equal && j < data->d; j++) *equal = equal_column(data, j, &t);
  free(t.of_row);
  free(t.size);
  free(t.found);
  free(t.value);
  return complete ? OSVM_OK : osvm_no_memory(error);
}

static osvm_status fold(folder *f, osvm_error *error) {
  const osvm_examples *all = f->all;
  size_t places = 16;
  while (places < 2 * (size_t)all->count) places *= 2;
  f->mask = places - 1;
  f->hash = calloc((size_t)all->data->n + 1, sizeof *f->hash);
  f->table = calloc(places, sizeof *f->table);
  if (f->hash == NULL || f->table == NULL) return osvm_no_memory(error);
  OSVM_TRY(hash_values(all->data, f->hash));
  number_entries(f);
  int equal = f->out->count <= all->count / 2;
  if (equal && all->data->kind == OSVM_SPARSE) OSVM_TRY(equal_sparse(f, &equal, error));
  else if (equal) equal = equal_dense(f);
  if (!equal) f->out->count = all->count;
  return OSVM_OK;
}

osvm_status osvm_data_fold(const osvm_examples *all, osvm_folding *out, osvm_error *error) {
  folder f = {.all = all, .out = out};
  out->count = 0;
  const osvm_status status = fold(&f, error);
  free(f.hash);
  free(f.table);
  return status;
}
