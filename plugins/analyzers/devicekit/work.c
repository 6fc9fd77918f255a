/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - reads the numbers of a row of work. Numbers that rows share are read once for each set,
 * for all analyzers of a run (traits.c), and copied only for a row that adds to them; most own
 * attributes change nothing else. */
#include "devicekit/work.h"

#include <nprof/keys.h>

static const char *const amount_keys[] = { AN_AMOUNT_KEYS, NULL };
static const char *const all_keys[] = { AN_WORK_KEYS, AN_WORK_STATED_KEY, NULL };

enum {
  ACCESSED = AN_N_FLOPS_KEYS,
  READ,
  WRITTEN,
  HBM_READ,
  HBM_WRITTEN,
  BYTES,
  LAUNCH,
  CORRELATION,
  COLLECTIVE,
  WORK,     /* which row-role.h reads */
  CATEGORY, /* the first beyond AN_AMOUNT_KEYS */
  DEVICE_TIME,
  LAYER,
  FRAMEWORK_OP,
  STEP
};
G_STATIC_ASSERT (G_N_ELEMENTS (amount_keys) == CATEGORY + 1);

static nprof_status
init_reader (AnWork *w, const struct nprof_host *host, bool all)
{
  w->all = all;
  w->reads = AN_OWN_LAUNCH | AN_OWN_OTHER;
  if (all)
    w->reads |= AN_OWN_CLOCK | AN_OWN_STEP;
  w->custom_call = nprof_intern (host, "custom-call");
  w->layers = g_array_new (FALSE, TRUE, sizeof (guint32));
  return nprof_reader_init (&w->pick, host, all ? all_keys : amount_keys);
}

nprof_status
an_work_init_sets (AnWork *w, const struct nprof_host *host)
{
  return init_reader (w, host, true);
}

nprof_status
an_work_init (AnWork *w, const struct nprof_host *host, bool all)
{
  w->crosses = nprof_intern (host, NPROF_KEY_CROSSES_EDGE);
  w->window = nprof_window_of (host);
  return init_reader (w, host, all);
}

void
an_work_clear (AnWork *w)
{
  nprof_reader_clear (&w->pick);
  g_clear_pointer (&w->set, g_free);
  g_clear_pointer (&w->of_set, g_free);
  g_clear_pointer (&w->layers, g_array_unref);
}

/* -- All of what was picked ------------------------------------------------------------------- */

static bool
amount (const AnWork *w, uint32_t key, int64_t *value)
{
  if (an_amount (&w->pick, key, value))
    return true;
  *value = 0;
  return false;
}

static void
take_flops (const AnWork *w, AnNumbers *n)
{
  AnFlops f = an_flops (&w->pick, 0);
  n->flops = f.knows_all ? f.all : 0;
  n->model_flops = f.knows_model ? f.model : 0;
  n->known |= (f.knows_all ? AN_KNOWS_FLOPS : 0) | (f.knows_model ? AN_KNOWS_MODEL : 0)
              | (f.knows_transposes ? AN_KNOWS_TRANSPOSES : 0);
}

/* Takes the bytes of the main memory where the file tells them apart, else those of any memory. */
static void
take_bytes (const AnWork *w, AnNumbers *n)
{
  int64_t read, written;
  bool reads = amount (w, READ, &read) || amount (w, HBM_READ, &read);
  bool writes = amount (w, WRITTEN, &written) || amount (w, HBM_WRITTEN, &written);
  if (reads || writes) {
    if (__builtin_add_overflow (read, written, &n->bytes))
      n->bytes = 0;
    else
      n->known |= AN_KNOWS_BYTES;
  } else if (amount (w, ACCESSED, &n->bytes) && n->bytes) { /* 0 is how compilers write unknown */
    n->known |= AN_KNOWS_BYTES;
  }
}

static void
take_launch (const AnWork *w, AnNumbers *n)
{
  const struct nprof_reader *pick = &w->pick;
  if (amount (w, BYTES, &n->transfer))
    n->known |= AN_KNOWS_TRANSFER;
  else if (amount (w, ACCESSED, &n->transfer) && n->transfer) /* 0 is how compilers write unknown */
    n->known |= AN_KNOWS_ACCESSED;
  if ((pick->field[LAUNCH].type && nprof_reader_uint (pick, LAUNCH, &n->correlation))
      || (pick->field[CORRELATION].type && nprof_reader_uint (pick, CORRELATION, &n->correlation)))
    n->known |= AN_KNOWS_CORRELATION;
  if (nprof_reader_str (pick, COLLECTIVE))
    n->known |= AN_IS_COLLECTIVE;
}

static nprof_str
layer_of_path (const AnWork *w, nprof_str path)
{
  if (path >= w->layers->len)
    g_array_set_size (w->layers, MAX (path + 1, w->layers->len * 2));
  guint32 *known = &g_array_index (w->layers, guint32, path);
  if (*known)
    return *known - 1;
  const struct nprof_host *host = w->pick.host;
  const char *text = nprof_text (host, path), *slash = strrchr (text, '/');
  nprof_str layer = slash ? host->intern (host, text, (size_t) (slash - text)) : 0;
  *known = layer + 1;
  return layer;
}

/* Takes the numbers that say where it belongs. */
static void
take_rest (const AnWork *w, AnNumbers *n)
{
  const struct nprof_reader *pick = &w->pick;
  if (amount (w, DEVICE_TIME, &n->device_duration))
    n->known |= AN_KNOWS_DEVICE_TIME;
  if (pick->field[CATEGORY].type && nprof_reader_str (pick, CATEGORY) == w->custom_call)
    n->known |= AN_IS_CUSTOM;
  if (pick->field[STEP].type && nprof_reader_int (pick, STEP, &n->step))
    n->known |= AN_KNOWS_STEP;
  n->layer = nprof_reader_str (pick, LAYER);
  nprof_str path = n->layer ? 0 : nprof_reader_str (pick, FRAMEWORK_OP);
  if (path)
    n->layer = layer_of_path (w, path);
}

static void
take_all (const AnWork *w, AnNumbers *n)
{
  memset (n, 0, sizeof *n);
  take_flops (w, n);
  take_bytes (w, n);
  take_launch (w, n);
  if (w->all)
    take_rest (w, n);
}

/* -- Rows -------------------------------------------------------------------------------------- */

void
an_work_set (AnWork *w, nprof_set set, AnNumbers *numbers)
{
  an_pick_set (&w->pick, set);
  take_all (w, numbers);
}

/* Returns the numbers of a set of which traits say nothing. */
static __attribute__ ((noinline)) const AnNumbers *
numbers_of_late_set (AnWork *w, nprof_set set)
{
  uint32_t slot = set % AN_SETS;
  if (!w->set) {
    w->set = g_new0 (nprof_set, AN_SETS);
    w->of_set = g_new (AnNumbers, AN_SETS);
  }
  if (w->set[slot] != set)
    an_work_set (w, set, &w->of_set[slot]);
  w->set[slot] = set;
  return &w->of_set[slot];
}

static inline const AnNumbers *
numbers_of_set (AnWork *w, const AnBatchTraits *traits, nprof_set set)
{
  return G_LIKELY (set < AN_SHARED_SETS) ? &traits->of_set[set] : numbers_of_late_set (w, set);
}

/* Adds an own attribute that changes nothing else.  FALSE: it may. */
static inline bool
add_own (AnNumbers *n, guint key, uint32_t type, nprof_value value)
{
  if ((type != NPROF_INT64 && type != NPROF_UINT64) || value.i < 0)
    return false;
  switch (key) {
  case DEVICE_TIME:
    n->device_duration = value.i;
    n->known |= AN_KNOWS_DEVICE_TIME;
    return true;
  case BYTES:
    n->transfer = value.i;
    n->known |= AN_KNOWS_TRANSFER;
    return true;
  case CORRELATION:
    n->correlation = value.u;
    n->known |= AN_KNOWS_CORRELATION;
    return true;
  case STEP:
    n->step = value.i;
    n->known |= AN_KNOWS_STEP;
    return true;
  default:
    return false;
  }
}

/* Adds the attribute at j to the numbers of the row; FALSE: all of the row was picked instead. */
static inline bool
add_attr (AnWork *w, const struct nprof_batch *batch, uint32_t i, uint32_t j, guint which)
{
  if (G_LIKELY (add_own (&w->row, which - 1, batch->attr_type[j], batch->attr_value[j])))
    return true;
  nprof_reader_row (&w->pick, batch, i);
  take_all (w, &w->row);
  return false;
}

/* Returns the numbers of a set, with those that the row adds by attributes of its own. */
static inline const AnNumbers *
add_attrs (AnWork *w, const AnNumbers *n, const struct nprof_batch *batch, uint32_t i,
           uint32_t from)
{
  const uint8_t *which_of = w->pick.which;
  const nprof_str *keys = batch->attr_key;
  const uint32_t n_which = w->pick.n_which, end = batch->attr_at[i + 1];
  for (uint32_t j = from; j < end; j++) {
    const guint which = keys[j] < n_which ? which_of[keys[j]] : 0;
    if (!which)
      continue;
    if (n != &w->row)
      w->row = *n;
    n = &w->row;
    if (!add_attr (w, batch, i, j, which))
      break;
  }
  return n;
}

static inline const AnNumbers *
whole_row (AnWork *w, const AnBatchTraits *traits, const struct nprof_batch *batch, uint32_t i)
{
  const AnNumbers *n = numbers_of_set (w, traits, batch->shared ? batch->shared[i] : 0);
  const guint8 own = traits->of[i].own;
  if (!(own & w->reads))
    return n;
  uint32_t from = batch->attr_at[i];
  if (own & w->reads & AN_OWN_CLOCK) {
    n = an_work_by_clock (w, n, batch, i);
    from += 2;
  }
  return own == AN_OWN_CLOCK ? n : add_attrs (w, n, batch, i, from);
}

/* Leaves the share of the part inside the window. */
static __attribute__ ((noinline)) const AnNumbers *
cut_row (AnWork *w, const struct nprof_batch *batch, uint32_t i, const AnNumbers *n)
{
  int64_t whole = batch->duration[i], inside = nprof_inside (&w->window, batch->start[i], whole);
  if (inside == whole)
    return n;
  w->row = *n;
  int64_t *const amounts[] = { &w->row.flops, &w->row.model_flops, &w->row.bytes,
                               &w->row.device_duration, &w->row.transfer };
  for (guint k = 0; k < G_N_ELEMENTS (amounts); k++)
    *amounts[k] = nprof_prorate (*amounts[k], inside, whole);
  return &w->row;
}

const AnNumbers *
an_work_other_row (AnWork *w, const AnBatchTraits *traits, const struct nprof_batch *batch,
                   uint32_t i)
{
  const AnNumbers *n = whole_row (w, traits, batch, i);
  return G_UNLIKELY (w->window.cuts) ? cut_row (w, batch, i, n) : n;
}

bool
an_work_crosses (const AnWork *w, const struct nprof_batch *batch, uint32_t i)
{
  for (uint32_t j = batch->attr_at ? batch->attr_at[i] : 0;
       batch->attr_at && !w->window.cuts && j < batch->attr_at[i + 1]; j++)
    if (batch->attr_key[j] == w->crosses)
      return true;
  return false;
}
