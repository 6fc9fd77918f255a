/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - makes sides of the tables samples, kernel_steps, kernel_places, step_breakdown,
 * steps and closed_gaps. */

#include "diff/read.h"

#include <math.h>
#include <string.h>

/* This is one row of a table. */
typedef struct {
  const NpTable *table;
  guint row;
} Row;

static struct nprof_cell
cell (const Row *r, const char *name)
{
  return np_table_cell (r->table, r->row, np_table_column (r->table, name));
}

static const char *
text (const Row *r, const char *name)
{
  return np_table_text (r->table, r->row, np_table_column (r->table, name));
}

/* Returns a number; unknown is NAN. */
static double
number (const Row *r, const char *name)
{
  const struct nprof_cell c = cell (r, name);
  if (c.type == NPROF_NULL)
    return NAN;
  return c.type == NPROF_DOUBLE ? c.v.f : c.type == NPROF_INT64 ? (double) c.v.i : (double) c.v.u;
}

static guint64
integer (const Row *r, const char *name)
{
  double x = number (r, name);
  return x > 0 ? (guint64) x : 0;
}

/* -- Devices ------------------------------------------------------------------------------ */

typedef struct {
  const NpTableStore *store;
  GHashTable *names;
  GPtrArray *sides; /* of NpDiffSide */

  GHashTable *by_device; /* input, a NUL and device -> NpDiffSide */
} Reader;

/* Returns the key, transfer full. */
static char *
key_of (const Row *r)
{
  return g_strdup_printf ("%s\n%s", text (r, "input"), text (r, "device"));
}

static NpDiffSide *
side_of (const Reader *reader, const Row *r)
{
  g_autofree char *key = key_of (r);
  return g_hash_table_lookup (reader->by_device, key);
}

static gboolean
has_several_inputs (const NpTable *table)
{
  for (guint i = 1; i < table->n_rows; i++) {
    const Row first = { table, 0 }, r = { table, i };
    if (g_strcmp0 (text (&first, "input"), text (&r, "input")))
      return TRUE;
  }
  return FALSE;
}

static void
set_blocks (NpDiffSide *side, guint width)
{
  for (guint left = side->samples; left;) {
    guint steps = MIN (left, MAX (1, width));
    g_array_append_val (side->blocks, steps);
    left -= steps;
  }
}

static void
read_device (Reader *reader, const Row *r, gboolean several)
{
  g_autofree char *label
      = several ? g_strdup_printf ("%s/%s", text (r, "input"), text (r, "device")) : NULL;
  NpDiffSide *side = np_diff_side_new (label ? label : text (r, "device"), reader->names);
  side->by = g_intern_string (text (r, "by"));
  side->samples = (guint) integer (r, "steps");
  side->cut = (guint) integer (r, "cut");
  side->rows = integer (r, "rows");
  side->linked = side->rows - integer (r, "unlinked_rows");
  side->work = number (r, "duration_ns");
  side->unlinked = number (r, "unlinked_ns");
  side->outside = number (r, "outside_ns");
  set_blocks (side, (guint) integer (r, "block_steps"));
  g_ptr_array_add (reader->sides, side);
  g_hash_table_insert (reader->by_device, key_of (r), side);
}

/* The table has those alone. */
static void
read_closed (const Reader *reader)
{
  const NpTable *table = np_table_store_find (reader->store, "closed_gaps");
  for (guint i = 0; table && i < table->n_rows; i++) {
    const Row r = { table, i };
    NpDiffSide *side = side_of (reader, &r);
    if (side)
      side->closed = TRUE;
  }
}

/* -- Kernels -------------------------------------------------------------------------------- */

static NpDiffClass
class_named (const char *name)
{
  for (guint k = 0; k < NP_DIFF_CLASSES; k++)
    if (!g_strcmp0 (name, np_diff_class_name ((NpDiffClass) k)))
      return (NpDiffClass) k;
  return NP_DIFF_COMPUTE;
}

static NpDiffSeries *
series_of (NpDiffSide *side, const Row *r)
{
  return np_diff_series (side, text (r, "kernel"), text (r, "operator"), text (r, "module"), TRUE);
}

static void
read_place (NpDiffSide *side, const Row *r)
{
  NpDiffSeries *series = series_of (side, r);
  series->kind = class_named (text (r, "class"));
  const NpDiffPlace place = { .ordinal = (guint32) integer (r, "ordinal"),
                              .among = (guint32) integer (r, "among"),
                              .mean = number (r, "duration_ns") / side->samples,
                              .variance = number (r, "variance"),
                              .calls = number (r, "calls") / side->samples };
  g_array_append_val (series->places, place);
}

static void
read_sum (NpDiffSide *side, const Row *r)
{
  NpDiffSeries *series = series_of (side, r);
  guint block = (guint) integer (r, "block");
  if (block >= side->blocks->len)
    return;
  if (series->sums->len < side->blocks->len)
    g_array_set_size (series->sums, side->blocks->len);
  g_array_index (series->sums, double, block) = number (r, "duration_ns");
}

static int
by_ordinal (gconstpointer a, gconstpointer b)
{
  const NpDiffPlace *x = a, *y = b;
  return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

/* -- Steps ------------------------------------------------------------------------------------ */

static gboolean
is_cut (const Row *r)
{
  const struct nprof_cell c = cell (r, "cut");
  return c.type == NPROF_BOOL && c.v.u;
}

static void
add_step (NpDiffSide *side, const Row *r)
{
  static const char *const parts[NP_PARTS]
      = { "compute_ns",   "exposed_communication_ns", "exposed_copy_ns", "control_ns",
          "idle_host_ns", "idle_launch_ns",           "idle_wait_ns",    "idle_unlinked_ns",
          "lost_ns" };
  NpDiffStep step
      = { .name = np_diff_name (side->names, text (r, "step")), .window = number (r, "window_ns") };
  for (guint p = 0; p < NP_PARTS; p++)
    step.parts[p] = number (r, parts[p]);
  g_array_append_val (side->steps, step);
}

static void
add_span (NpDiffSide *side, const Row *r)
{
  const NpDiffStep step = { .name = np_diff_name (side->names, text (r, "step")),
                            .window = number (r, "duration_ns") };
  if (!isnan (step.window))
    g_array_append_val (side->steps, step);
}

/* Reads steps without those that the profile cut, unless it cut all. */
static void
read_steps (Reader *reader, const char *name, void (*add) (NpDiffSide *side, const Row *r))
{
  const NpTable *table = np_table_store_find (reader->store, name);
  for (guint pass = 0; table && pass < 2; pass++) {
    g_autoptr (GHashTable) had = g_hash_table_new (NULL, NULL);
    for (guint i = 0; pass && i < reader->sides->len; i++) {
      NpDiffSide *side = g_ptr_array_index (reader->sides, i);
      if (side->steps->len)
        g_hash_table_add (had, side);
    }
    for (guint i = 0; i < table->n_rows; i++) {
      const Row r = { table, i };
      NpDiffSide *side = side_of (reader, &r);
      if (side && !g_hash_table_contains (had, side) && (pass || !is_cut (&r)))
        add (side, &r);
    }
  }
}

/* -- All of it --------------------------------------------------------------------------------- */

static void
read_kernels (Reader *reader, const char *name, void (*read) (NpDiffSide *side, const Row *r))
{
  const NpTable *table = np_table_store_find (reader->store, name);
  for (guint i = 0; table && i < table->n_rows; i++) {
    const Row r = { table, i };
    NpDiffSide *side = side_of (reader, &r);
    if (side && side->samples)
      read (side, &r);
  }
}

/* Keeps the steps of samples only: a selection may show more steps, because rows of them run in the
 * ones that it shows. */
static void
keep_sampled_steps (NpDiffSide *side, const GHashTable *named)
{
  if (side->steps->len <= side->samples || side->blocks->len != side->samples)
    return;
  for (guint i = side->steps->len; i-- > 0;)
    if (!g_hash_table_contains ((GHashTable *) named,
                                g_array_index (side->steps, NpDiffStep, i).name))
      g_array_remove_index (side->steps, i);
}

static void
finish_side (NpDiffSide *side)
{
  for (guint i = 0; i < side->series->len; i++)
    g_array_sort (((NpDiffSeries *) g_ptr_array_index (side->series, i))->places, by_ordinal);
}

/* Returns the names of the steps that have samples.  Transfer full. */
static GHashTable *
sampled_steps (const Reader *reader)
{
  const NpTable *table = np_table_store_find (reader->store, "kernel_steps");
  GHashTable *sampled = g_hash_table_new (NULL, NULL);
  for (guint i = 0; table && i < table->n_rows; i++) {
    const Row r = { table, i };
    g_hash_table_add (sampled, (gpointer) np_diff_name (reader->names, text (&r, "step")));
  }
  return sampled;
}

static int
by_rows (gconstpointer a, gconstpointer b)
{
  const NpDiffSide *x = *(const NpDiffSide *const *) a, *y = *(const NpDiffSide *const *) b;
  return x->rows != y->rows ? (x->rows < y->rows ? 1 : -1) : strcmp (x->device, y->device);
}

const char *
np_diff_steps_table (gboolean hosts)
{
  return hosts ? "steps" : "step_breakdown";
}

GPtrArray *
np_diff_read (const NpTableStore *store, gboolean hosts, GHashTable *names)
{
  Reader reader = { .store = store,
                    .names = names,
                    .sides = g_ptr_array_new_with_free_func ((GDestroyNotify) np_diff_side_free),
                    .by_device = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  const NpTable *samples = np_table_store_find (store, "samples");
  gboolean several = samples && has_several_inputs (samples);
  for (guint i = 0; samples && i < samples->n_rows; i++) {
    const Row r = { samples, i };
    read_device (&reader, &r, several);
  }
  read_closed (&reader);
  read_kernels (&reader, "kernel_places", read_place);
  read_kernels (&reader, "kernel_steps", read_sum);
  g_autoptr (GHashTable) named = sampled_steps (&reader);
  read_steps (&reader, np_diff_steps_table (hosts), hosts ? add_span : add_step);
  for (guint i = 0; i < reader.sides->len; i++) {
    keep_sampled_steps (g_ptr_array_index (reader.sides, i), named);
    finish_side (g_ptr_array_index (reader.sides, i));
  }
  g_ptr_array_sort (reader.sides, by_rows);
  g_hash_table_unref (reader.by_device);
  return reader.sides;
}
