/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - the five tables of Furiosa's profiler, with its names of columns.
 * format: furiosa.md 1.3 */
#include "tables.h"

#include <stdlib.h>

NPROF_TABLE (furiosa_summary, "Inference Results Summary",
             "Durations of the spans named Inference; quantiles by linear interpolation, "
             "not rounded.",
             FURIOSA_SUMMARY)

NPROF_TABLE (inferences, "Inferences", NULL, INFERENCES)

NPROF_TABLE (npu_executions, "NPU executions",
             "NPU Run is the sum of the operators; Load and Store are within NPU IoWait.",
             NPU_EXECUTIONS)

NPROF_TABLE (npu_operators, "NPU operators", "By mean, the longest first, then by name.",
             NPU_OPERATORS)

NPROF_TABLE (external_operators, "Operators on the host", NULL, EXTERNAL_OPERATORS)

/* -- Cells ----------------------------------------------------------------------------- */

static struct nprof_maybe_int
number (FuInt i)
{
  return nprof_int_if (i.known, i.value);
}

static struct nprof_maybe_int
sum_if (bool known, FuWide sum)
{
  gint64 i = fu_narrow (sum);
  return nprof_int_if (known && i != FU_UNKNOWN, i);
}

static struct nprof_maybe_id
trace_id (const FuSpan *span)
{
  return nprof_some_id (span->has_trace ? (const uint8_t *) span->trace : NULL);
}

/* `text` has room for 17 bytes. */
static struct nprof_maybe_text
span_id (const FuSpan *span, char *text)
{
  g_snprintf (text, 17, "%016" G_GINT64_MODIFIER "x", span->id);
  return nprof_text_if (span->id, text);
}

static struct nprof_cell
label (const FuTables *f, const FuInput *input)
{
  return nprof_cell_str (f->host->input (f->host, input->number)->label);
}

/* -- Summary ------------------------------------------------------------------------------ */

static nprof_status
add_summary (FuTables *f, const FuInput *input, const struct furiosa_summary_row *row)
{
  return f->host->row (f->host, &furiosa_summary_table,
                       furiosa_summary_cells (label (f, input), row).cells);
}

static nprof_status
write_summary (FuTables *f, const FuInput *input)
{
  guint n = input->inferences->len;
  struct furiosa_summary_row row = { .counts = nprof_some_int (n) };
  if (n == 0)
    return add_summary (f, input, &row);
  g_autofree gint64 *ns = g_new (gint64, n);
  FuWide sum = 0;
  for (guint i = 0; i < n; i++)
    sum += ns[i] = g_array_index (input->inferences, FuSpan, i).ns;
  fu_sort (ns, n);
  row.min = nprof_some_int (ns[0]);
  row.max = nprof_some_int (ns[n - 1]);
  row.mean = nprof_some_double (fu_mean (sum, n));
  row.median = nprof_some_double (fu_quantile (ns, n, 500));
  row.p90 = nprof_some_double (fu_quantile (ns, n, 900));
  row.p95 = nprof_some_double (fu_quantile (ns, n, 950));
  row.p97 = nprof_some_double (fu_quantile (ns, n, 970));
  row.p99 = nprof_some_double (fu_quantile (ns, n, 990));
  row.p99_9 = nprof_some_double (fu_quantile (ns, n, 999));
  return add_summary (f, input, &row);
}

/* -- The host's ----------------------------------------------------------------------------- */

static nprof_status
write_inferences (FuTables *f, const FuInput *input)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < input->inferences->len && !status; i++) {
    const FuSpan *s = &g_array_index (input->inferences, FuSpan, i);
    char id[17];
    const struct inferences_row row = {
      .row = number (s->row),
      .trace_id = trace_id (s),
      .span_id = span_id (s, id),
      .thread_id = number (s->thread),
      .dur = nprof_some_int (s->ns),
    };
    status = f->host->row (f->host, &inferences_table,
                           inferences_cells (label (f, input), &row).cells);
  }
  return status;
}

static nprof_status
write_externals (FuTables *f, const FuInput *input)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < input->externals->len && !status; i++) {
    const FuSpan *s = &g_array_index (input->externals, FuSpan, i);
    char id[17];
    const struct external_operators_row row = {
      .row = number (s->row),
      .trace_id = trace_id (s),
      .span_id = span_id (s, id),
      .thread_id = number (s->thread),
      .name = nprof_any_str (s->name),
      .operator_index = number (s->operator_),
      .dur = nprof_some_int (s->ns),
    };
    status = f->host->row (f->host, &external_operators_table,
                           external_operators_cells (label (f, input), &row).cells);
  }
  return status;
}

/* -- The NPU's -------------------------------------------------------------------------------- */

/* `*next` is the number of the row in the table of the whole file, which a selection does not
 * change. */
static nprof_status
write_execution (FuTables *f, const FuInput *input, const FuSpan *s, const FuRun *run, gint64 *next)
{
  char id[17];
  const FuWide ran = run ? run->run : 0;
  const gint64 at = *next;
  *next += run != NULL;
  if (!s->shown)
    return NPROF_OK;
  const struct npu_executions_row row = {
    .row = nprof_int_if (run, at),
    .trace_id = trace_id (s),
    .span_id = span_id (s, id),
    .pe_index = number (s->pe),
    .execution_index = number (s->execution),
    .npu_total = nprof_some_int (s->ns),
    .npu_run = sum_if (run, ran),
    .npu_iowait = sum_if (run, s->ns - ran),
  };
  return f->host->row (f->host, &npu_executions_table,
                       npu_executions_cells (label (f, input), &row).cells);
}

static void
say_lost (const FuTables *f, const FuInput *input, guint64 childless, guint64 strays)
{
  const char *name = nprof_text (f->host, f->host->input (f->host, input->number)->label);
  if (childless || strays || input->unplaced)
    nprof_log (f->host, NPROF_WARNING,
               "%s: %" G_GUINT64_FORMAT
               " executions have no operators, so their NPU Run is unknown; %" G_GUINT64_FORMAT
               " operators have no execution and %" G_GUINT64_FORMAT
               " no PE or execution_index: they are in npu_operators alone",
               name, childless, strays, input->unplaced);
  if (input->rounded)
    nprof_log (f->host, NPROF_WARNING,
               "%s: %" G_GUINT64_FORMAT
               " durations are no whole nanoseconds; in Furiosa's tables they are rounded",
               name, input->rounded);
  if (input->unclosed)
    nprof_log (f->host, NPROF_WARNING,
               "%s: spans without an end in the file: %" G_GUINT64_FORMAT
               "; they are in no table of Furiosa's",
               name, input->unclosed);
}

static nprof_status
write_executions (FuTables *f, FuInput *input)
{
  guint64 strays, childless = 0;
  const GArray *runs = fu_join_finish (input->join, &strays);
  nprof_status status = NPROF_OK;
  gint64 row = 0;
  for (guint i = 0, r = 0; i < input->executions->len && !status; i++) {
    const FuSpan *s = &g_array_index (input->executions, FuSpan, i);
    guint first = r;
    for (; !status && r < runs->len && g_array_index (runs, FuRun, r).execution == i; r++)
      status = write_execution (f, input, s, &g_array_index (runs, FuRun, r), &row);
    childless += s->shown && r == first;
    if (!status && r == first)
      status = write_execution (f, input, s, NULL, &row);
  }
  say_lost (f, input, childless, strays);
  return status;
}

static int
longest_first (const void *pa, const void *pb, void *user)
{
  const FuOperator *a = *(FuOperator *const *) pa, *b = *(FuOperator *const *) pb;
  const FuTables *f = user;
  double x = fu_mean (a->ns, a->n), y = fu_mean (b->ns, b->n);
  if (x != y)
    return x > y ? -1 : 1;
  return strcmp (nprof_text (f->host, a->name), nprof_text (f->host, b->name));
}

static nprof_status
write_operators (FuTables *f, const FuInput *input)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer op;
  g_hash_table_iter_init (&iter, input->operators);
  while (g_hash_table_iter_next (&iter, NULL, &op))
    g_ptr_array_add (all, op);
  g_ptr_array_sort_with_data (all, longest_first, f);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < all->len && !status; i++) {
    const FuOperator *o = g_ptr_array_index (all, i);
    const struct npu_operators_row row = {
      .name = nprof_any_str (o->name),
      .mean = nprof_some_double (fu_mean (o->ns, o->n)),
      .count = nprof_some_int ((gint64) o->n),
    };
    status = f->host->row (f->host, &npu_operators_table,
                           npu_operators_cells (label (f, input), &row).cells);
  }
  return status;
}

nprof_status
fu_write (FuTables *f, FuInput *input)
{
  nprof_status status = write_summary (f, input);
  if (!status)
    status = write_inferences (f, input);
  if (!status)
    status = write_executions (f, input);
  if (!status)
    status = write_operators (f, input);
  return status ? status : write_externals (f, input);
}
