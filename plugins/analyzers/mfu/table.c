/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - writes table mfu: utilisation of a device, its steps, layers and operators. */
#include "devicekit/roofline.h"
#include "mfu.h"
#include "shapes.h"

#include <nprof/units.h>

NPROF_TABLE (mfu, "Utilisation",
             "mfu: model flops / (peak * time). hfu: all flops / (peak * time); over a "
             "device's (total), idle included, it is what xprof calls MFU. mbu: bytes / "
             "(peak_bandwidth * time). best_mfu: intensity / (peak / peak_bandwidth), at "
             "most 1. (busy): idle excluded. Flops are as compiler or file declare them. "
             "See nprof-analyzer-mfu(7).",
             MFU)

/* It says what a row is about; 0 and no step where it is about all. */
typedef struct {
  gboolean has_step;
  gint64 step;
  nprof_str layer, operator;
  gint64 time;           /* ps                                      */
  gboolean asynchronous; /* its time is not that of what it moves   */
} About;

static struct nprof_maybe_double
number (double value)
{
  return nprof_double_if (isfinite (value), value);
}

static gboolean
knows (const MfSum *sum, guint8 bit)
{
  return (sum->known & bit) && !(sum->overflowed & bit);
}

static struct nprof_maybe_int
count (const MfSum *sum, guint8 bit, gint64 value)
{
  return nprof_int_if (knows (sum, bit), value);
}

/* Adds "; unknown for 32.4 % of the time", of what stands before and after the share. */
static void
add_share (GString *text, const char *before, gint64 part, gint64 all, const char *after)
{
  if (part > 0 && all > 0)
    g_string_append_printf (text, "%s %s of the %s", before,
                            nprof_share ((double) part / (double) all).text, after);
}

/* Returns where the flops come from, transfer full. */
static char *
flops_source (const MfSum *sum)
{
  if (!knows (sum, AN_KNOWS_FLOPS))
    return g_strdup (sum->overflowed & AN_KNOWS_FLOPS ? "beyond 2^63" : NULL);
  GString *text
      = g_string_new (sum->key == MF_OF_EXECUTION ? "stated of an execution" : "declared");
  if (sum->custom_time > 0)
    g_string_append (text, "; custom calls:");
  add_share (text, "", sum->custom_flops, sum->flops, "flops,");
  add_share (text, "", sum->custom_time, sum->time, "time");
  add_share (text, "; unknown for", sum->unknown_time, sum->time, "time");
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

/* A row says this beside what it is about. */
typedef struct {
  AnWorkload w;
  struct nprof_maybe_int flops, bytes;
  const char *flops_source, *peak_source; /* NULL: unknown */
  gboolean over_link;                     /* at least half of the time   */
} Figures;

static nprof_status
write_figures (MfDevice *d, const About *about, const Figures *f)
{
  const struct nprof_host *host = d->run->host;
  const AnWorkload *w = &f->w;
  const char *bound = about->asynchronous ? NULL : f->over_link ? "link" : an_bound (w);
  if (about->operator) {
    const char *name = nprof_text (host, about->operator);
    an_above_peak_add (&d->above, name, fmax (an_mfu (w), an_hfu (w)));
    an_above_peak_add (&d->above_bandwidth, name, an_mbu (w));
  }
  const struct mfu_row row = {
    .device = nprof_any_str (d->label),
    .step = nprof_int_if (about->has_step, about->step),
    .layer = nprof_any_str (about->layer),
    .operator= nprof_any_str (about->operator),
    .flops = f->flops,
    .flops_source = nprof_some_text (f->flops_source),
    .peak_flops = number (w->peak_flops),
    .peak_bandwidth = number (w->bandwidth),
    .peak_source = nprof_some_text (f->peak_source),
    .time = nprof_some_int (about->time),
    .mfu = number (an_mfu (w)),
    .hfu = number (an_hfu (w)),
    .mbu = number (an_mbu (w)),
    .bytes = f->bytes,
    .intensity = number (an_intensity (w)),
    .bound = nprof_some_str (bound ? nprof_intern (host, bound) : 0),
    .best_mfu = number (an_best_mfu (w)),
  };
  return an_rows_add (&d->run->rows, &mfu_table,
                      mfu_cells (nprof_cell_str (host->input (host, d->input)->label), &row).cells);
}

static nprof_status
write_row (MfDevice *d, const About *about, const MfSum *sum)
{
  AnPeak peak = an_peaks_of (d->run->peaks, d->core);
  g_autofree char *of_flops = flops_source (sum), *of_peak = peak_source (&peak);
  const Figures figures
      = { .w
          = { knows (sum, AN_KNOWS_FLOPS) ? (double) sum->flops : NAN,
              knows (sum, AN_KNOWS_MODEL) ? (double) sum->model_flops : NAN,
              knows (sum, AN_KNOWS_BYTES) ? (double) sum->bytes : NAN,
              about->asynchronous ? NAN : (double) about->time / 1e12, peak.flops, peak.bandwidth },
          .flops = count (sum, AN_KNOWS_FLOPS, sum->flops),
          .bytes = count (sum, AN_KNOWS_BYTES, sum->bytes),
          .flops_source = of_flops,
          .peak_source = of_peak,
          .over_link = sum->link_time > 0 && sum->link_time >= sum->time - sum->link_time };
  return write_figures (d, about, &figures);
}

/* -- By shapes --------------------------------------------------------------------------------- */

/* Returns where the flops come from, transfer full. */
static char *
shapes_source (const MfShapeSum *sum)
{
  if (!sum->calls)
    return NULL;
  if (!sum->unknown)
    return g_strdup ("shapes");
  return g_strdup_printf ("shapes; at least: the arguments of %" G_GINT64_FORMAT
                          " of %" G_GINT64_FORMAT " calls say too little",
                          sum->unknown, sum->unknown + sum->calls);
}

/* Returns where the peak comes from, transfer full. */
static char *
shapes_peak (MfDevice *d, const MfShapeSum *sum, const AnPeak *peak)
{
  GString *text = g_string_new (NULL);
  if (peak->flops_source)
    g_string_append_printf (text, "flops: %s", peak->flops_source);
  for (guint i = 0; peak->flops_source && i < G_N_ELEMENTS (sum->precision) && sum->precision[i];
       i++)
    g_string_append_printf (text, "%s%s", i ? "+" : ", of ",
                            nprof_text (d->run->host, sum->precision[i]));
  if (peak->bandwidth_source)
    g_string_append_printf (text, "%sbandwidth: %s", text->len ? "; " : "", peak->bandwidth_source);
  return g_string_free (text, !text->len);
}

/* Returns the peak of the precisions of the flops, each by its part. */
static double
peak_of_sum (MfDevice *d, const MfShapeSum *sum)
{
  if (sum->precision[0] && !sum->precision[1])
    return an_peak_of_precision (d->run->peaks, d->core,
                                 nprof_text (d->run->host, sum->precision[0]));
  return sum->could > 0 ? (double) sum->flops / sum->could : NAN;
}

static nprof_status
write_shapes (MfDevice *d, const About *about, const MfShapeSum *sum)
{
  AnPeak peak = an_peaks_of (d->run->peaks, d->core);
  double flops = sum->calls ? (double) sum->flops : NAN;
  bool has_bytes = sum->calls && !sum->no_bytes;
  g_autofree char *of_flops = shapes_source (sum), *of_peak = shapes_peak (d, sum, &peak);
  const Figures figures
      = { .w = { flops, flops, has_bytes ? (double) sum->bytes : NAN, (double) about->time / 1e12,
                 peak_of_sum (d, sum), peak.bandwidth },
          .flops = nprof_int_if (sum->calls, sum->flops),
          .bytes = nprof_int_if (has_bytes, sum->bytes),
          .flops_source = of_flops,
          .peak_source = of_peak };
  return write_figures (d, about, &figures);
}

/* Sums the steps that count, over the time that the verdict is of; none where a selection leaves
 * out work of one, as that time is of all of it. */
static MfShapeSum
counted_steps (const GArray *steps)
{
  MfShapeSum all = { .no_bytes = true };
  for (guint i = 0; i < steps->len; i++) {
    const MfShapeSum *step = &g_array_index (steps, MfShapeSum, i);
    if (!step->counted)
      continue;
    if (step->partial)
      return (MfShapeSum){ 0 };
    all.calls += step->calls;
    all.unknown += step->unknown;
    all.flops += step->flops;
    all.could += step->could;
    all.time += step->counted;
    for (guint k = 0; k < G_N_ELEMENTS (all.precision); k++)
      all.precision[k] = all.precision[k] ? all.precision[k] : step->precision[k];
  }
  return all;
}

static nprof_status
shape_rows (MfDevice *d, MfShapeSum *all)
{
  const struct nprof_host *host = d->run->host;
  g_autoptr (GArray) steps = mf_shapes_steps (d->run->shapes, d),
                     operators = mf_shapes_operators (d->run->shapes, d);
  const MfShapeSum counted = counted_steps (steps);
  all->no_bytes = true; /* what other kernels move is not known */
  About about = { .operator= nprof_intern (host, "(total)"), .time = d->last - d->first };
  nprof_status status = write_shapes (d, &about, all);
  about = (About){ .operator= nprof_intern (host, "(busy)"), .time = d->busy };
  if (!status)
    status = write_shapes (d, &about, all);
  about = (About){ .operator= nprof_intern (host, "(steps)"), .time = counted.time };
  if (!status && counted.time)
    status = write_shapes (d, &about, &counted);
  for (guint i = 0; i < steps->len && !status; i++) {
    const MfShapeSum *step = &g_array_index (steps, MfShapeSum, i);
    about = (About){ .has_step = TRUE, .step = step->step, .time = step->time };
    status = step->partial ? NPROF_OK : write_shapes (d, &about, step);
  }
  for (guint i = 0; i < operators->len && !status; i++) {
    const MfShapeSum *sum = &g_array_index (operators, MfShapeSum, i);
    about = (About){ .operator= sum->operator, .time = sum->time };
    status = sum->calls ? write_shapes (d, &about, sum) : NPROF_OK;
  }
  return status;
}

/* -- Parts of a device ------------------------------------------------------------------------- */

static nprof_status
step_rows (MfDevice *d)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < d->steps.sums->len && status == NPROF_OK; i++) {
    const MfSum *sum = &g_array_index (d->steps.sums, MfSum, i);
    if (sum->partial)
      continue;
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

/* Returns whether the operator is asynchronous, "copy-start.12", "all-reduce-done": it moves bytes
 * while it does not run, so that its bytes by its time would be no rate of anything. */
static gboolean
is_asynchronous (const struct nprof_host *host, nprof_str operator)
{
  const char *name = nprof_text (host, operator);
  g_autofree char *stem = g_strndup (name, strcspn (name, "."));
  return g_str_has_suffix (stem, "-start") || g_str_has_suffix (stem, "-done");
}

/* Sorts the most time first; equal ones as they came. */
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

/* States what the file states of an execution, where its rows state nothing, and no execution is
 * there in part. */
static void
state_all (MfDevice *d, MfSum *all)
{
  if (d->cut)
    return;
  AnTotals once = an_declared_totals (d->run->host, d->core);
  gint64 n = (gint64) MAX (1, d->n_executions);
  const struct {
    guint8 bit;
    gint64 value, *to;
  } layer_sums[] = { { AN_KNOWS_FLOPS, once.flops, &all->flops },
                     { AN_KNOWS_MODEL, once.model_flops, &all->model_flops },
                     { AN_KNOWS_BYTES, once.bytes, &all->bytes } };
  for (gsize i = 0; i < G_N_ELEMENTS (layer_sums); i++) {
    if ((all->known & layer_sums[i].bit) || layer_sums[i].value < 0)
      continue;
    all->known |= layer_sums[i].bit;
    if (__builtin_mul_overflow (n, layer_sums[i].value, layer_sums[i].to))
      all->overflowed |= layer_sums[i].bit;
    if (layer_sums[i].bit == AN_KNOWS_FLOPS)
      all->key = MF_OF_EXECUTION;
  }
  if (all->key == MF_OF_EXECUTION)
    all->unknown_time = all->custom_time = 0;
}

static nprof_status
all_rows (MfDevice *d)
{
  const struct nprof_host *host = d->run->host;
  if (d->first > d->last)
    return NPROF_OK;
  gboolean rows_know = d->all.known & (AN_KNOWS_FLOPS | AN_KNOWS_MODEL | AN_KNOWS_BYTES);
  state_all (d, &d->all);
  MfShapeSum by_shapes;
  if (!(d->all.known & (AN_KNOWS_FLOPS | AN_KNOWS_MODEL))
      && mf_shapes_all (d->run->shapes, d, &by_shapes))
    return shape_rows (d, &by_shapes);
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
  AnPeak peak = an_peaks_of (d->run->peaks, d->core);
  nprof_status status = all_rows (d);
  an_above_peak_warn (&d->above, mf_shapes_warned (d->run->shapes) ? NULL : d->run->host, d->label,
                      &peak);
  an_above_bandwidth_warn (&d->above_bandwidth, d->run->host, d->label, &peak, "mfu");
  return status;
}
