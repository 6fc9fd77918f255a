/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - table mfu: utilisation of a device, its steps, layers and operators. */
#include "devicekit/roofline.h"
#include "mfu.h"

/* clang-format off */
const struct nprof_table mf_table = {
  .size = sizeof mf_table,
  .name = "mfu",
  .title = "Utilisation",
  .note = "mfu: model flops / (peak * time). hfu: all flops / (peak * time); over a device's (total), idle included, "
          "it is what xprof calls MFU. mbu: bytes / (bandwidth * time). best_mfu: intensity / (peak / bandwidth), at "
          "most 1. (busy): idle excluded. Flops are as compiler or file declare them. See nprof-analyzer-mfu(7).",
  .columns = NPROF_COLUMNS (
      NPROF_KEY_COLUMN (NPROF_STRING, "device", "", "device or core"),
      NPROF_KEY_COLUMN (NPROF_INT64, "step", "", "number of the step"),
      NPROF_KEY_COLUMN (NPROF_STRING, "layer", "", "layer, or path of the framework; empty: all"),
      NPROF_KEY_COLUMN (NPROF_STRING, "operator", "", "(total): idle included, (busy): idle excluded, a name, or empty: all"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "flops", "flop", "all that were computed"),
      NPROF_VALUE_COLUMN (NPROF_TEXT, "flops_source", "", "whose they are, and what share nobody can check"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "peak_flops", "flop/s", "that mfu and hfu are of"),
      NPROF_VALUE_COLUMN (NPROF_TEXT, "peak_source", "", "where the peaks come from"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "time_ns", "ps", "that the row is of"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "mfu", "1", "model flops / (peak * time)"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "hfu", "1", "flops / (peak * time)"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "mbu", "1", "bytes / (bandwidth * time)"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "bytes", "byte", "moved to and from the main memory"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "intensity", "flop/byte", "model flops / bytes"),
      NPROF_VALUE_COLUMN (NPROF_STRING, "bound", "", "compute or memory, by the roofline"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "best_mfu", "1", "the most that the intensity allows"))
};
/* clang-format on */

/* What a row is about; 0 and no step where it is about all. */
typedef struct {
  gboolean has_step;
  gint64 step;
  nprof_str layer, operator;
  gint64 time;           /* ps                                      */
  gboolean asynchronous; /* its time is not that of what it moves   */
} About;

static struct nprof_cell
number (double value)
{
  return isfinite (value) ? nprof_cell_double (value) : nprof_cell_null ();
}

static gboolean
knows (const MfSum *sum, guint8 bit)
{
  return (sum->known & bit) && !(sum->overflowed & bit);
}

static struct nprof_cell
count (const MfSum *sum, guint8 bit, gint64 value)
{
  return knows (sum, bit) ? nprof_cell_int (value) : nprof_cell_null ();
}

static void
add_share (GString *text, const char *format, gint64 part, gint64 all)
{
  if (part > 0 && all > 0)
    g_string_append_printf (text, format, 100.0 * (double) part / (double) all);
}

/* Transfer full. */
static char *
flops_source (const MfSum *sum)
{
  if (!knows (sum, AN_KNOWS_FLOPS))
    return g_strdup (sum->overflowed & AN_KNOWS_FLOPS ? "beyond 2^63" : NULL);
  GString *text = g_string_new (sum->key == -1 ? "stated of an execution" : "declared");
  if (sum->custom_time > 0)
    g_string_append (text, "; custom calls:");
  add_share (text, " %.1f %% of the flops,", sum->custom_flops, sum->flops);
  add_share (text, " %.1f %% of the time", sum->custom_time, sum->time);
  add_share (text, "; unknown for %.1f %% of the time", sum->unknown_time, sum->time);
  return g_string_free (text, FALSE);
}

static char *
peak_source (const AnPeak *peak)
{
  if (peak->flops_source && peak->bandwidth_source)
    return g_strdup_printf ("flops: %s; bandwidth: %s", peak->flops_source, peak->bandwidth_source);
  if (peak->flops_source)
    return g_strdup_printf ("flops: %s", peak->flops_source);
  return peak->bandwidth_source ? g_strdup_printf ("bandwidth: %s", peak->bandwidth_source) : NULL;
}

static nprof_status
write_row (MfDevice *d, const About *about, const MfSum *sum)
{
  const struct nprof_host *host = d->run->host;
  AnPeak peak = an_peaks_of (d->run->peaks, d->track);
  AnWorkload w = { knows (sum, AN_KNOWS_FLOPS) ? (double) sum->flops : NAN,
                   knows (sum, AN_KNOWS_MODEL) ? (double) sum->model_flops : NAN,
                   knows (sum, AN_KNOWS_BYTES) ? (double) sum->bytes : NAN,
                   about->asynchronous ? NAN : (double) about->time / 1e12,
                   peak.flops,
                   peak.bandwidth };
  g_autofree char *of_flops = flops_source (sum), *of_peak = peak_source (&peak);
  const char *bound = an_bound (&w);
  if (about->operator)
    an_above_peak_add (&d->above, nprof_text (host, about->operator),
                       fmax (an_mfu (&w), an_hfu (&w)));
  const struct nprof_cell cells[] = {
    nprof_cell_str (host->input (host, d->input)->label),
    nprof_cell_str (d->label),
    about->has_step ? nprof_cell_int (about->step) : nprof_cell_null (),
    nprof_cell_str (about->layer),
    nprof_cell_str (about->operator),
    count (sum, AN_KNOWS_FLOPS, sum->flops),
    nprof_cell_text (of_flops),
    number (peak.flops),
    nprof_cell_text (of_peak),
    nprof_cell_int (about->time),
    number (an_mfu (&w)),
    number (an_hfu (&w)),
    number (an_mbu (&w)),
    count (sum, AN_KNOWS_BYTES, sum->bytes),
    number (an_intensity (&w)),
    bound ? nprof_cell_str (nprof_intern (host, bound)) : nprof_cell_null (),
    number (an_best_mfu (&w)),
  };
  return host->row (host, &mf_table, cells);
}

/* -- Parts of a device ------------------------------------------------------------------------- */

static nprof_status
step_rows (MfDevice *d)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < d->steps.sums->len && status == NPROF_OK; i++) {
    const MfSum *sum = &g_array_index (d->steps.sums, MfSum, i);
    About about = { .has_step = TRUE, .step = -1 - sum->key, .time = sum->last - sum->first };
    if (sum->key >= 0) {
      const MfStep *step = &g_array_index (d->spans, MfStep, sum->key);
      about.step = step->number;
      about.time = step->end - step->start;
    }
    status = write_row (d, &about, sum);
  }
  return status;
}

/* "copy-start.12", "all-reduce-done": what it moves, it moves while it does not run, so that its
 * bytes by its time would be no rate of anything. */
static gboolean
is_asynchronous (const struct nprof_host *host, nprof_str operator)
{
  const char *name = nprof_text (host, operator);
  g_autofree char *stem = g_strndup (name, strcspn (name, "."));
  return g_str_has_suffix (stem, "-start") || g_str_has_suffix (stem, "-done");
}

/* The most time first; equal ones as they came. */
static int
by_time (gconstpointer a, gconstpointer b)
{
  const MfSum *x = *(const MfSum *const *) a, *y = *(const MfSum *const *) b;
  if (x->time != y->time)
    return x->time < y->time ? 1 : -1;
  return x < y ? -1 : x > y;
}

static nprof_status
part_rows (MfDevice *d, const MfSums *sums, gboolean layers)
{
  nprof_status status = NPROF_OK;
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  for (guint i = 0; i < sums->sums->len; i++)
    g_ptr_array_add (sorted, &g_array_index (sums->sums, MfSum, i));
  g_ptr_array_sort (sorted, by_time);
  for (guint i = 0; i < sorted->len && status == NPROF_OK; i++) {
    const MfSum *sum = g_ptr_array_index (sorted, i);
    About about = { .time = sum->time };
    *(layers ? &about.layer : &about.operator) = (nprof_str) sum->key;
    about.asynchronous = !layers && is_asynchronous (d->run->host, about.operator);
    status = write_row (d, &about, sum);
  }
  return status;
}

/* What the file states of an execution holds where its rows state nothing, and no execution is
 * there in part. */
static void
state_all (MfDevice *d)
{
  if (d->cut)
    return;
  AnTotals once = an_declared_totals_of (d->run->stated, d->track);
  gint64 n = (gint64) MAX (1, d->n_executions);
  const struct {
    guint8 bit;
    gint64 value, *to;
  } layer_sums[] = { { AN_KNOWS_FLOPS, once.flops, &d->all.flops },
                     { AN_KNOWS_MODEL, once.model_flops, &d->all.model_flops },
                     { AN_KNOWS_BYTES, once.bytes, &d->all.bytes } };
  for (gsize i = 0; i < G_N_ELEMENTS (layer_sums); i++) {
    if ((d->all.known & layer_sums[i].bit) || layer_sums[i].value < 0)
      continue;
    d->all.known |= layer_sums[i].bit;
    if (__builtin_mul_overflow (n, layer_sums[i].value, layer_sums[i].to))
      d->all.overflowed |= layer_sums[i].bit;
    if (layer_sums[i].bit == AN_KNOWS_FLOPS)
      d->all.key = -1;
  }
  if (d->all.key == -1)
    d->all.unknown_time = d->all.custom_time = 0;
}

static nprof_status
all_rows (MfDevice *d)
{
  const struct nprof_host *host = d->run->host;
  mf_device_end (d);
  if (d->first > d->last)
    return NPROF_OK;
  gboolean rows_know = d->all.known & (AN_KNOWS_FLOPS | AN_KNOWS_MODEL | AN_KNOWS_BYTES);
  state_all (d);
  About total = { .operator= nprof_intern (host, "(total)"), .time = d->last - d->first };
  About busy = { .operator= nprof_intern (host, "(busy)"), .time = d->busy };
  nprof_status status = write_row (d, &total, &d->all);
  if (status == NPROF_OK)
    status = write_row (d, &busy, &d->all);
  if (!rows_know) /* nothing is known of their parts */
    return status;
  if (status == NPROF_OK)
    status = step_rows (d);
  if (status == NPROF_OK)
    status = part_rows (d, &d->layer_sums.layers, TRUE);
  if (status == NPROF_OK)
    status = part_rows (d, &d->layer_sums.operators, FALSE);
  return status;
}

nprof_status
mf_device_rows (MfDevice *d)
{
  AnPeak peak = an_peaks_of (d->run->peaks, d->track);
  nprof_status status = all_rows (d);
  an_above_peak_warn (&d->above, d->run->host, d->label, &peak);
  return status;
}
