/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer vendor: the figures that a vendor's tool wrote into a file or beside it,
 * and ours beside them, by its rule and by nprof's, with what explains the difference. */
#include "vendor.h"

#include <string.h>

NPROF_TABLE (vendor_figures, "The vendor's figures beside ours",
             "Ours is computed of the rows of the file: by the vendor's rule, or by nprof's.",
             VENDOR_FIGURES)

static nprof_status
vendor_open (void *self, const struct nprof_host *host)
{
  Vendor *v = self;
  v->host = host;
  v->window = nprof_window_of (host);
  v->stated = g_array_new (FALSE, FALSE, sizeof (Stated));
  v->computed = g_array_new (FALSE, FALSE, sizeof (Computed));
  v->ours = g_hash_table_new_full (vd_ours_hash, vd_ours_equal, g_free, g_free);
  return host->table (host, &vendor_figures_table);
}

static void
vendor_close (void *self)
{
  Vendor *v = self;
  g_clear_pointer (&v->stated, g_array_unref);
  g_clear_pointer (&v->computed, g_array_unref);
  g_clear_pointer (&v->ours, g_hash_table_unref);
}

static nprof_status
vendor_consume (void *self, const struct nprof_batch *batch)
{
  (void) self, (void) batch;
  return NPROF_OK;
}

static nprof_status
vendor_choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  (void) self, (void) batch, (void) rows;
  return NPROF_OK;
}

static nprof_status
vendor_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
              uint32_t n_rows)
{
  const uint32_t n = nprof_count_columns (table);
  for (uint32_t i = 0; i < n_rows; i++)
    vd_take (self, table, cells + (size_t) i * n);
  return NPROF_OK;
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* Returns a time in the unit of the figure, other figures as they are. */
static double
in_unit (const Vendor *v, const Stated *s, const Value *of)
{
  if (!of->is_time)
    return of->number;
  return (double) of->ps / (strcmp (nprof_text (v->host, s->unit), "us") == 0 ? 1e6 : 1e12);
}

/* Times are subtracted before they are divided, so that nothing is rounded away. */
static double
difference (const Vendor *v, const Stated *s, const Value *ours)
{
  gint64 ps;
  if (!s->vendor.is_time || !ours->is_time || __builtin_sub_overflow (s->vendor.ps, ours->ps, &ps))
    return in_unit (v, s, &s->vendor) - in_unit (v, s, ours);
  const Value both = { .is_time = TRUE, .ps = ps };
  return in_unit (v, s, &both);
}

static nprof_status
write_row (const Vendor *v, const Stated *s, const char *rule, const Value *ours,
           const char *of_table, const char *why, const char *unknown)
{
  const gboolean known = ours->known && !v->window.cuts;
  const double less = known ? difference (v, s, ours) : 0;
  const struct vendor_figures_row row = {
    .device = nprof_some_str (s->device),
    .step = nprof_int_if (s->step != VENDOR_NO_STEP, s->step),
    .figure = nprof_some_str (s->figure),
    .rule = nprof_some_str (nprof_intern (v->host, rule)),
    .unit = nprof_any_str (s->unit),
    .vendor = nprof_some_double (in_unit (v, s, &s->vendor)),
    .ours = nprof_double_if (known, in_unit (v, s, ours)),
    .difference = nprof_double_if (known, less),
    .source = nprof_some_text (s->source),
    .of_table = nprof_some_text (of_table),
    .reason = nprof_some_text (v->window.cuts ? "the vendor's is of the whole profile, ours of "
                                                "the window"
                               : !known       ? unknown
                               : less != 0    ? why
                                              : NULL),
  };
  return v->host->row (v->host, &vendor_figures_table,
                       vendor_figures_cells (nprof_cell_str (s->input), &row).cells);
}

/* The tool keeps Unix us in a double: stamps on a grid of 0.25 us, so that each of the two that a
 * figure is between is off by half of that at most. */
#define GRID_PS 250000

/* Says why ours by the vendor's own rule may differ; sets whether that explains it. */
static const char *
why_by_rule (const Vendor *v, const Stated *s, gboolean *explains)
{
  const Value *a = &s->vendor, *b = &s->by_rule;
  const char *figure = nprof_text (v->host, s->figure);
  const double vendor = in_unit (v, s, a);
  *explains = TRUE;
  if (ABS (difference (v, s, b)) <= 1e-9 * ABS (vendor))
    return "rounding";
  if (a->is_time && (strcmp (figure, "stage") == 0 || strcmp (figure, "preparing") == 0)
      && vd_within (a, b, GRID_PS))
    return "the tool keeps Unix us in a double: a grid of 0.25 us";
  if (!a->is_time && s->rows.known && s->per > 0 && vendor > b->number
      && (vendor - b->number) * s->per <= (double) s->rows.ps * 1e-9)
    return "durations in the JSON are whole ns, cut";
  *explains = FALSE;
  return a->is_time ? "the rows of the file do not add up to it: it may be of another run"
                    : "the rows of the file do not give it by the formula in neuron_summary";
}

/* The vendor's rows are whole ns: how much of a difference that explains. */
static char *
why_whole_ns (const Stated *s, const Value *ours)
{
  const gint64 n = s->rows.ps;
  const char *cut = s->step == VENDOR_NO_STEP
                        ? ""
                        : "; they are of the step where they begin, ours are cut at its window";
  if (!s->rows.known)
    return g_strdup_printf ("the vendor's rows are whole ns; how many is unknown, and so how much "
                            "that explains%s",
                            cut);
  if (n <= G_MAXINT64 / 1000 && vd_within (&s->vendor, ours, n * 1000))
    return g_strdup_printf ("the vendor's rows are whole ns: %" G_GINT64_FORMAT
                            " rows, at most %" G_GINT64_FORMAT " ns",
                            n, n);
  return g_strdup_printf (
      "not explained by the vendor's rows being whole ns, at most %" G_GINT64_FORMAT
      " ns of %" G_GINT64_FORMAT " rows%s",
      n, n, cut);
}

/* Says why ours by nprof's rule may differ. What ours by the vendor's own rule does not explain,
 * nprof's does not. */
static char *
why_by_nprof (const Vendor *v, const Stated *s, const Beside *beside, const Value *ours)
{
  gboolean explains = TRUE;
  if (s->by_rule.known)
    why_by_rule (v, s, &explains);
  if (!explains)
    return g_strdup ("not explained by the rules: by the vendor's own, ours differs, too");
  return beside->why ? g_strdup (beside->why) : why_whole_ns (s, ours);
}

/* Of a summary, what the rows do not give is in neuron_summary, with its reason. */
static nprof_status
write_figure (const Vendor *v, const Stated *s)
{
  const char *figure = nprof_text (v->host, s->figure);
  const gboolean of_summary = s->source == NULL, of_step = s->step != VENDOR_NO_STEP;
  nprof_status status = NPROF_OK;
  gboolean explains;
  if (of_summary ? s->by_rule.known : of_step)
    status = write_row (v, s, "vendor", &s->by_rule, s->of_table, why_by_rule (v, s, &explains),
                        "no task of the device is known to be of the step");
  for (guint i = 0; i < vd_n_beside && !status; i++) {
    const Beside *b = &vd_beside[i];
    const Value ours = vd_ours (v, s, i);
    if (b->whole == of_step || strcmp (b->figure, figure) != 0)
      continue;
    g_autofree char *column = g_strdup_printf ("%s.%s", b->table, b->column);
    g_autofree char *why = why_by_nprof (v, s, b, &ours);
    status = write_row (v, s, "nprof", &ours, column, why,
                        of_summary ? "the table has it of each core alone, or does not know it"
                                   : "the table has no such row, or does not know it");
  }
  return status;
}

static nprof_status
vendor_finish (void *self)
{
  Vendor *v = self;
  nprof_status status = NPROF_OK;
  vd_join (v);
  for (guint i = 0; i < v->stated->len && !status; i++)
    status = write_figure (v, &g_array_index (v->stated, Stated, i));
  return status;
}

/* clang-format off */
static const struct nprof_component vendor = {
  .size = sizeof vendor,
  .kind = NPROF_ANALYZER,
  .name = "vendor",
  .summary = "the figures of the vendor's own tools beside ours, and why they differ",
  .tables = (const struct nprof_table *const[]) { &vendor_figures_table, NULL },
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Vendor),
  .open = vendor_open,
  .consume = vendor_consume,
  .table = vendor_table,
  .table_wants = (const char *const[]) { "ascend_steps?", "neuron_metrics?", "neuron_summary",
                                         "step_breakdown", "devices", "communication", NULL },
  .finish = vendor_finish,
  .close = vendor_close,
  .choose = vendor_choose,
};
/* clang-format on */

NPROF_PLUGIN ("vendor", NPROF_VERSION, "Apache-2.0", &vendor)
