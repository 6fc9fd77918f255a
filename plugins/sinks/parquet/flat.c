/* SPDX-License-Identifier: Apache-2.0 */
/* flat.c - joins the rows' own values of a flat column and those of their sets, row by row.  The
 * loop runs once a row and column, so it has no branch on what it finds: `of_set` holds the number
 * in the dictionary of each set's value, or NONE; own values were numbered before.  Every row
 * stores a number, and the place moves on only if it is one.  Rows are taken in eights, whose bits
 * are one byte.  A row that has a value of its own has none from its set: attributes.c. */
#include "assemble.h"

#define NONE UINT32_MAX

/* Numbers the values of sets that rows have.  false: there are too many. */
static bool
number_sets (struct pq_assembled *w, struct pq_dict *dict, const struct pq_values *v,
             const struct pq_rows *rows, uint32_t *of_set)
{
  const struct pq_shared *shared = (const void *) v->shared.data;
  for (size_t k = 0; k < v->shared.len / sizeof *shared; k++) {
    uint64_t value = shared[k].value;
    if (!pq_rows_set (rows, shared[k].set)->used)
      continue;
    uint32_t id = pq_is_bytes (v->kind) ? pq_number_text (dict, (uint32_t) value, v, w->texts)
                                        : pq_dict_add (dict, value, value, NULL, NULL);
    if (id == PQ_DICT_FULL)
      return false;
    of_set[1 + shared[k].set] = id;
  }
  return true;
}

/* Finds the values of sets, to be copied. */
static void
find_sets (const struct pq_values *v, uint32_t *of_set)
{
  const struct pq_shared *shared = (const void *) v->shared.data;
  for (size_t k = 0; k < v->shared.len / sizeof *shared; k++)
    of_set[1 + shared[k].set] = (uint32_t) k;
}

/* `own` holds numbers of the own values. */
static void
number_rows (struct pq_assembled *w, const struct pq_values *v, const uint32_t *of_row,
             size_t n_rows, const uint32_t *of_set, const uint32_t *own)
{
  uint32_t *ids = (void *) w->ids.data;
  size_t n = 0;
  for (size_t row = 0; row < n_rows; row += 8) {
    unsigned has_own = (uint8_t) v->bits.data[row / 8], bits = 0;
    for (unsigned i = 0; i < 8; i++) {
      bool is_own = has_own >> i & 1;
      uint32_t id = is_own ? *own : of_set[of_row[row + i]];
      own += is_own;
      ids[n] = id;
      bits |= (unsigned) (id != NONE) << i;
      n += id != NONE;
    }
    w->bits.data[row / 8] = (char) bits;
  }
  w->v.n = n;
}

/* Numbers rows of which none has a value of its own. */
static void
number_shared_rows (struct pq_assembled *w, const uint32_t *of_row, size_t n_rows,
                    const uint32_t *of_set)
{
  uint32_t *ids = (void *) w->ids.data;
  size_t n = 0;
  for (size_t row = 0; row < n_rows; row += 8) {
    unsigned bits = 0;
    for (unsigned i = 0; i < 8; i++) {
      uint32_t id = of_set[of_row[row + i]];
      ids[n] = id;
      bits |= (unsigned) (id != NONE) << i;
      n += id != NONE;
    }
    w->bits.data[row / 8] = (char) bits;
  }
  w->v.n = n;
}

static bool
number_all (struct pq_assembled *w, struct pq_dict *dict, const struct pq_values *v,
            const struct pq_rows *rows, size_t n_rows, uint32_t *of_set)
{
  const uint32_t *of_row = (const void *) rows->of_row.data;
  w->data.len = 0;
  if (v->kind == PQ_BOOL || !nprof_buf_need (&w->data, v->n * sizeof (uint32_t) + 8)
      || !pq_number_begin (dict, n_rows, w->expected))
    return false;
  uint32_t *own = (void *) w->data.data;
  if (!pq_number (dict, own, v, w->texts) || !number_sets (w, dict, v, rows, of_set))
    return false;
  if (v->n)
    number_rows (w, v, of_row, n_rows, of_set, own);
  else
    number_shared_rows (w, of_row, n_rows, of_set);
  return true;
}

/* Copies the values as they are, where a dictionary does not pay; little endian. */
static void
copy_rows (struct pq_assembled *w, const struct pq_values *v, const uint32_t *of_row, size_t n_rows,
           const uint32_t *of_set)
{
  const struct pq_shared *shared = (const void *) v->shared.data;
  size_t width = pq_width (v->kind), n = 0, k = 0;
  memset (w->bits.data, 0, (n_rows + 7) / 8);
  for (size_t row = 0; row < n_rows; row++) {
    bool own = v->bits.data[row / 8] >> row % 8 & 1;
    uint32_t at = of_set[of_row[row]];
    if (!own && at == NONE)
      continue;
    const void *from = own ? v->data.data + k++ * width : (const void *) &shared[at].value;
    memcpy (w->data.data + n++ * width, from, width);
    w->bits.data[row / 8] = (char) (w->bits.data[row / 8] | 1 << row % 8);
  }
  w->v.n = n;
  w->v.data = w->data;
}

bool
pq_assemble_flat (struct pq_assembled *w, struct pq_dict *dict, const struct pq_values *v,
                  const struct pq_rows *rows, size_t n_rows)
{
  size_t n_sets = (size_t) rows->n_sets + 1, room = n_rows + 8;
  w->ids.len = w->bits.len = w->of_set.len = 0;
  if (!nprof_buf_need (&w->ids, room * sizeof (uint32_t)) || !nprof_buf_need (&w->bits, room / 8)
      || !nprof_buf_need (&w->of_set, n_sets * sizeof (uint32_t)))
    return false;
  uint32_t *of_set = (void *) w->of_set.data;
  memset (of_set, 0xff, n_sets * sizeof *of_set);
  w->numbered = number_all (w, dict, v, rows, n_rows, of_set);
  w->filled = !w->numbered;
  w->v.bits = w->bits;
  if (w->numbered)
    return true;
  w->data.len = 0;
  if (!nprof_buf_need (&w->data, n_rows * pq_width (v->kind)))
    return false;
  memset (of_set, 0xff, n_sets * sizeof *of_set);
  find_sets (v, of_set);
  copy_rows (w, v, (const void *) rows->of_row.data, n_rows, of_set);
  return true;
}
