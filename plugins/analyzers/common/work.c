/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - reads the numbers of a row of work.  What rows share is read once for each set; most
 * own attributes only add to it. */
#include "work.h"

#include <nprof/keys.h>

static const char *const keys[] = { AN_WORK_KEYS, NULL };

enum {
  ACCESSED = AN_N_FLOPS_KEYS,
  READ,
  WRITTEN,
  CATEGORY,
  DEVICE_TIME,
  BYTES,
  CORRELATION,
  STEP,
  LAYER,
  FRAMEWORK_OP,
  HBM_READ,
  HBM_WRITTEN
};

nprof_status
an_work_init (AnWork *w, const struct nprof_host *host)
{
  w->custom_call = nprof_intern (host, "custom-call");
  w->crosses = nprof_intern (host, NPROF_KEY_CROSSES_EDGE);
  w->set = calloc (AN_WORK_SETS, sizeof *w->set);
  w->of_set = calloc (AN_WORK_SETS, sizeof *w->of_set);
  if (!w->set || !w->of_set)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for the work of operators");
  return nprof_pick_init (&w->pick, host, keys);
}

void
an_work_clear (AnWork *w)
{
  nprof_pick_clear (&w->pick);
  g_clear_pointer (&w->set, free);
  g_clear_pointer (&w->of_set, free);
}

/* -- All of what was picked ------------------------------------------------------------------- */

static bool
amount (const AnWork *w, uint32_t key, int64_t *value)
{
  return an_amount (&w->pick, key, value);
}

static void
take_flops (const AnWork *w, AnNumbers *n)
{
  AnFlops f = an_flops (&w->pick, 0);
  n->flops = f.all;
  n->model_flops = f.model;
  n->known |= (f.knows_all ? AN_KNOWS_FLOPS : 0) | (f.knows_model ? AN_KNOWS_MODEL : 0);
}

/* Those of the main memory where the file tells them apart, else those of any memory. */
static void
take_bytes (const AnWork *w, AnNumbers *n)
{
  int64_t read, written;
  bool reads = amount (w, READ, &read) || amount (w, HBM_READ, &read);
  bool writes = amount (w, WRITTEN, &written) || amount (w, HBM_WRITTEN, &written);
  if (reads || writes) {
    if (!__builtin_add_overflow (reads ? read : 0, writes ? written : 0, &n->bytes))
      n->known |= AN_KNOWS_BYTES;
  } else if (amount (w, ACCESSED, &n->bytes)) {
    n->known |= AN_KNOWS_BYTES;
  }
}

static void
take_all (const AnWork *w, AnNumbers *n)
{
  const struct nprof_pick *pick = &w->pick;
  memset (n, 0, sizeof *n);
  take_flops (w, n);
  take_bytes (w, n);
  if (amount (w, DEVICE_TIME, &n->device_duration))
    n->known |= AN_KNOWS_DEVICE_TIME;
  n->custom = pick->field[CATEGORY].type && nprof_pick_str (pick, CATEGORY) == w->custom_call;
  n->has_transfer = amount (w, BYTES, &n->transfer);
  n->has_correlation
      = pick->field[CORRELATION].type && nprof_pick_uint (pick, CORRELATION, &n->correlation);
  n->has_step = pick->field[STEP].type && nprof_pick_int (pick, STEP, &n->step);
  n->layer = nprof_pick_str (pick, LAYER);
  n->framework_op = nprof_pick_str (pick, FRAMEWORK_OP);
}

/* -- Rows ---------------------------------------------------------------------------------------- */

static const AnNumbers *
numbers_of_set (AnWork *w, nprof_set set)
{
  uint32_t slot = set % AN_WORK_SETS;
  if (w->set[slot] != set) {
    memcpy (w->pick.field, nprof_pick_set (&w->pick, set), w->pick.n * sizeof *w->pick.field);
    take_all (w, &w->of_set[slot]);
    w->set[slot] = set;
  }
  return &w->of_set[slot];
}

/* An own attribute that changes nothing else.  FALSE: it may. */
static bool
add_own (AnNumbers *n, guint key, uint32_t type, nprof_value value)
{
  bool whole = type == NPROF_INT64 || (type == NPROF_UINT64 && value.i >= 0);
  if (!whole)
    return false;
  switch (key) {
  case DEVICE_TIME:
    n->device_duration = value.i;
    n->known |= value.i >= 0 ? AN_KNOWS_DEVICE_TIME : 0;
    return value.i >= 0;
  case BYTES:
    n->transfer = value.i;
    n->has_transfer = value.i >= 0;
    return true;
  case CORRELATION:
    n->correlation = value.u;
    n->has_correlation = value.i >= 0;
    return value.i >= 0;
  case STEP:
    n->step = value.i;
    n->has_step = true;
    return true;
  default:
    return false;
  }
}

static void
read_row (AnWork *w, const struct nprof_batch *batch, uint32_t i)
{
  nprof_set set = batch->shared ? batch->shared[i] : 0;
  if (set)
    w->row = *numbers_of_set (w, set);
  else
    memset (&w->row, 0, sizeof w->row);
  if (!batch->attr_at)
    return;
  for (uint32_t j = batch->attr_at[i]; j < batch->attr_at[i + 1]; j++) {
    nprof_str key = batch->attr_key[j];
    guint which = key < w->pick.n_which ? w->pick.which[key] : 0;
    if (which && !add_own (&w->row, which - 1, batch->attr_type[j], batch->attr_value[j])) {
      nprof_pick_row (&w->pick, batch, i);
      take_all (w, &w->row);
      return;
    }
  }
}

void
an_work_row (AnWork *w, const struct nprof_batch *batch, uint32_t i, AnItem *item)
{
  read_row (w, batch, i);
  const AnNumbers *n = &w->row;
  item->known = n->known;
  item->custom = n->custom;
  item->flops = n->flops;
  item->model_flops = n->model_flops;
  item->bytes = n->bytes;
  item->device_duration = n->device_duration;
}

bool
an_work_crosses (const AnWork *w, const struct nprof_batch *batch, uint32_t i)
{
  for (uint32_t j = batch->attr_at ? batch->attr_at[i] : 0;
       batch->attr_at && j < batch->attr_at[i + 1]; j++)
    if (batch->attr_key[j] == w->crosses)
      return true;
  return false;
}
