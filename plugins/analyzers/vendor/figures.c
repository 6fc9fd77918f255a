/* SPDX-License-Identifier: Apache-2.0 */
/* figures.c - takes what other tables state: the vendor's figures, and ours by either rule. */
#include "vendor.h"

#include <string.h>

#define TOTAL "the vendor divides by total_time, nprof by the span of the rows"

/* source: formats/ascend.md 6; of Neuron the formulas of nprof-analyzer-neuron(7) */
const Beside vd_beside[] = {
  { FALSE, "computing", "step_breakdown", "compute_ns", NULL },
  { FALSE, "not_overlapped", "step_breakdown", "exposed_communication_ns", NULL },
  { FALSE, "free", "step_breakdown", "idle_ns",
    "the vendor's window begins with the first task, and copies are free in it" },
  { FALSE, "stage", "step_breakdown", "window_ns",
    "from the first task to the end of the last, without bubble; nprof's begins with the step of "
    "the host" },
  { TRUE, "computing", "devices", "compute_ns", NULL },
  { TRUE, "communication", "devices", "communication_ns", NULL },
  { TRUE, "not_overlapped", "communication", "exposed_ns", NULL, .none = "communication" },
  { TRUE, "free", "devices", "idle_ns",
    "the vendor counts from the first to the last row of its track, and copies are free in that" },
  { TRUE, "total_time", "devices", "span_ns",
    "the vendor counts from the first notification of the execution to its last, nprof its rows" },
  { TRUE, "total_active_time", "devices", "busy_ns", "the vendor's holds transfers, too" },
  { TRUE, "mfu_estimated_percent", "devices", "mfu", TOTAL },
  { TRUE, "hfu_estimated_percent", "devices", "hfu", TOTAL },
  { TRUE, "mbu_estimated_percent", "devices", "mbu", TOTAL },
};
const guint vd_n_beside = G_N_ELEMENTS (vd_beside);

typedef struct {
  nprof_str input, device;
  gint64 step;
  guint beside;
} OursKey;

guint
vd_ours_hash (gconstpointer key)
{
  const OursKey *k = key;
  return (k->input * 31u + k->device) * 31u + (guint) k->step * 31u + k->beside;
}

gboolean
vd_ours_equal (gconstpointer a, gconstpointer b)
{
  const OursKey *x = a, *y = b;
  return x->input == y->input && x->device == y->device && x->step == y->step
         && x->beside == y->beside;
}

/* -- Cells ------------------------------------------------------------------------------------- */

static nprof_str
word (const struct nprof_table *table, const struct nprof_cell *row, const char *column)
{
  const struct nprof_cell *cell = nprof_find_cell (table, row, column);
  return cell->type == NPROF_STRING ? cell->v.s : 0;
}

static Value
value (const struct nprof_table *table, const struct nprof_cell *row, const char *column)
{
  const struct nprof_cell *cell = nprof_find_cell (table, row, column);
  if (cell->type == NPROF_INT64)
    return (Value){ .known = TRUE, .is_time = TRUE, .ps = cell->v.i };
  if (cell->type == NPROF_DOUBLE)
    return (Value){ .known = TRUE, .number = cell->v.f };
  return (Value){ 0 };
}

static const char *
source_of (const struct nprof_table *table, const struct nprof_cell *row)
{
  const struct nprof_cell *cell = nprof_find_cell (table, row, "source");
  if (cell->type != NPROF_TEXT)
    return NULL;
  g_autofree char *text = g_strndup (cell->v.text, cell->len);
  return g_intern_string (text);
}

/* Returns the number that the name of a step ends in: "ProfilerStep#50". */
static gint64
step_of (const struct nprof_cell *cell)
{
  guint from = cell->type == NPROF_TEXT ? cell->len : 0;
  while (from > 0 && g_ascii_isdigit (cell->v.text[from - 1]))
    from--;
  if (cell->type != NPROF_TEXT || from == cell->len || cell->len - from > 18)
    return VENDOR_NO_STEP;
  g_autofree char *digits = g_strndup (cell->v.text + from, cell->len - from);
  return g_ascii_strtoll (digits, NULL, 10);
}

/* -- Tables ------------------------------------------------------------------------------------ */

static void
take_ascend (Vendor *v, const struct nprof_table *table, const struct nprof_cell *row)
{
  const Value step = value (table, row, "step");
  const Stated s = { .input = row[0].v.s,
                     .device = word (table, row, "device"),
                     .figure = word (table, row, "figure"),
                     .unit = nprof_intern (v->host, "us"),
                     .step = step.known ? step.ps : VENDOR_NO_STEP,
                     .vendor = value (table, row, "vendor_ns"),
                     .by_rule = value (table, row, "by_rule_ns"),
                     .rows = value (table, row, "rows"),
                     .source = source_of (table, row),
                     .of_table = "ascend_steps" };
  if (s.vendor.known)
    g_array_append_val (v->stated, s);
}

static void
take_metric (Vendor *v, const struct nprof_table *table, const struct nprof_cell *row)
{
  const Stated s = { .input = row[0].v.s,
                     .device = word (table, row, "bucket"),
                     .figure = word (table, row, "metric"),
                     .unit = word (table, row, "unit"),
                     .step = VENDOR_NO_STEP,
                     .vendor = value (table, row, "value"),
                     .of_table = "neuron_summary" };
  if (s.vendor.known)
    g_array_append_val (v->stated, s);
}

static void
take_computed (Vendor *v, const struct nprof_table *table, const struct nprof_cell *row)
{
  const struct nprof_cell *stated = nprof_find_cell (table, row, "stated");
  const Computed c = { .input = row[0].v.s,
                       .metric = word (table, row, "metric"),
                       .device = word (table, row, "device"),
                       .stated = stated->type == NPROF_BOOL && stated->v.u,
                       .value = value (table, row, "value") };
  g_array_append_val (v->computed, c);
}

/* Of two rows with one key neither is beside. */
static void
keep_ours (Vendor *v, OursKey key, Value of)
{
  if (g_hash_table_contains (v->ours, &key))
    of = (Value){ 0 };
  g_hash_table_insert (v->ours, g_memdup2 (&key, sizeof key), g_memdup2 (&of, sizeof of));
}

/* A row is also kept without its device: that of the only core, for summaries. */
static void
take_ours (Vendor *v, const struct nprof_table *table, const struct nprof_cell *row)
{
  for (guint i = 0; i < vd_n_beside; i++) {
    const Beside *b = &vd_beside[i];
    if (strcmp (b->table, table->name) != 0)
      continue;
    OursKey key = { row[0].v.s, word (table, row, "device"),
                    b->whole ? VENDOR_NO_STEP : step_of (nprof_find_cell (table, row, "step")), i };
    keep_ours (v, key, value (table, row, b->column));
    if (key.device) {
      key.device = 0;
      keep_ours (v, key, value (table, row, b->column));
    }
  }
}

void
vd_take (Vendor *v, const struct nprof_table *table, const struct nprof_cell *row)
{
  if (row[0].type != NPROF_STRING)
    return;
  if (strcmp (table->name, "ascend_steps") == 0)
    take_ascend (v, table, row);
  else if (strcmp (table->name, "neuron_metrics") == 0)
    take_metric (v, table, row);
  else if (strcmp (table->name, "neuron_summary") == 0)
    take_computed (v, table, row);
  else
    take_ours (v, table, row);
}

/* -- What is beside ---------------------------------------------------------------------------- */

/* Returns the metric of the bucket, or of the only core of the input; NULL: neither is there. */
static const Computed *
computed_of (const Vendor *v, const Stated *s)
{
  const Computed *found = NULL;
  guint n = 0;
  for (guint i = 0; i < v->computed->len; i++) {
    const Computed *c = &g_array_index (v->computed, Computed, i);
    if (c->input != s->input || c->metric != s->figure)
      continue;
    if (c->device == s->device)
      return c;
    found = c;
    n++;
  }
  return n == 1 ? found : NULL;
}

/* Returns another metric of the same core; negative: it is not known. */
static double
metric_of (const Vendor *v, const Stated *s, const char *name)
{
  const Stated other
      = { .input = s->input, .device = s->device, .figure = nprof_intern (v->host, name) };
  const Computed *c = computed_of (v, &other);
  return c && c->value.known && !c->value.is_time && c->value.number >= 0 ? c->value.number : -1;
}

static Value
count_of (const Vendor *v, const Stated *s, const char *name)
{
  const double count = metric_of (v, s, name);
  return (Value){ .known = count >= 0 && count < 1e15, .ps = (gint64) CLAMP (count, 0, 1e15) };
}

/* Returns how many rows a time of a summary adds up: as it counts them, else those of all. */
static Value
rows_of (const Vendor *v, const Stated *s, const char *time)
{
  static const char *const times[] = { "_active_time", "_time" };
  static const char *const counts[] = { "_count", "_instruction_count", "_packet_count" };
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    if (!g_str_has_suffix (time, times[i]))
      continue;
    g_autofree char *of = g_strndup (time, strlen (time) - strlen (times[i]));
    for (guint k = 0; k < G_N_ELEMENTS (counts); k++) {
      g_autofree char *name = g_strconcat (of, counts[k], NULL);
      const Value rows = count_of (v, s, name);
      if (rows.known)
        return rows;
    }
    return count_of (v, s, "trace_count");
  }
  return (Value){ 0 };
}

/* Finds the rows of a time, and of a share of the time of the execution. */
static void
find_rows (const Vendor *v, Stated *s)
{
  static const char share[] = "_percent";
  const char *figure = nprof_text (v->host, s->figure);
  const gboolean is_share = g_str_has_suffix (figure, share);
  g_autofree char *time = g_strndup (figure, strlen (figure) - (is_share ? sizeof share - 1 : 0));
  s->rows = rows_of (v, s, time);
  s->per = is_share ? metric_of (v, s, "total_time") : 1;
}

/* What a summary states that has no name among the metrics is no figure. */
void
vd_join (Vendor *v)
{
  guint n = 0;
  for (guint i = 0; i < v->stated->len; i++) {
    Stated *s = &g_array_index (v->stated, Stated, i);
    if (strcmp (s->of_table, "neuron_summary") == 0) {
      const Computed *c = computed_of (v, s);
      if (!c)
        continue;
      s->device = c->device;
      s->by_rule = c->stated ? (Value){ 0 } : c->value;
      find_rows (v, s);
    }
    g_array_index (v->stated, Stated, n++) = *s;
  }
  g_array_set_size (v->stated, n);
}

gboolean
vd_within (const Value *a, const Value *b, gint64 ps)
{
  gint64 apart;
  return !__builtin_sub_overflow (a->ps, b->ps, &apart) && apart >= -ps && apart <= ps;
}

Value
vd_ours (const Vendor *v, const Stated *s, guint beside)
{
  OursKey key = { s->input, s->device, s->step, beside };
  const Value *ours = g_hash_table_lookup (v->ours, &key);
  if (!ours && !s->source) {
    key.device = 0;
    ours = g_hash_table_lookup (v->ours, &key);
  }
  const Beside *b = &vd_beside[beside];
  for (key.beside = 0; !ours && b->none && key.beside < vd_n_beside; key.beside++) {
    const Beside *other = &vd_beside[key.beside];
    if (other->whole != b->whole || strcmp (other->figure, b->none) != 0)
      continue;
    const Value *of = g_hash_table_lookup (v->ours, &key);
    return of && of->known && of->ps == 0 ? *of : (Value){ 0 };
  }
  return ours ? *ours : (Value){ 0 };
}
