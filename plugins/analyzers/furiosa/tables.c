/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - the five tables of Furiosa's profiler, with its names of columns.
 * format: furiosa.md 1.3 */
#include "tables.h"

#include <stdlib.h>

#define ROW(help) NPROF_VALUE_COLUMN (NPROF_INT64, "row", "", help)
#define IN_FILE "number of the row in the file, from 0, which pandas prints beside it"

/* clang-format off */
#define TRACE NPROF_KEY_COLUMN (NPROF_ID128, "trace_id", "", "trace that the span belongs to")
#define SPAN NPROF_KEY_COLUMN (NPROF_TEXT, "span_id", "", "the span, 16 hexadecimal digits")
#define THREAD NPROF_VALUE_COLUMN (NPROF_INT64, "thread.id", "", "thread of the host")
#define DURATION NPROF_VALUE_COLUMN (NPROF_INT64, "dur", "ns", "how long it took")

const struct nprof_table fu_summary = {
  .size = sizeof fu_summary,
  .name = "furiosa_summary",
  .title = "Inference Results Summary",
  .note = "Durations of the spans named Inference; quantiles by linear interpolation, not rounded.",
  .columns = NPROF_COLUMNS (
      NPROF_VALUE_COLUMN (NPROF_INT64, "Inference counts", "", "how many there are"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "Min latency (ns)", "ns", "the shortest"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "Max latency (ns)", "ns", "the longest"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "Mean latency (ns)", "ns", "sum / count"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "Median latency (ns)", "ns", "half are no longer"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "90.0 percentile latency (ns)", "ns", "90 % are no longer"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "95.0 percentile latency (ns)", "ns", "95 % are no longer"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "97.0 percentile latency (ns)", "ns", "97 % are no longer"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "99.0 percentile latency (ns)", "ns", "99 % are no longer"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "99.9 percentile latency (ns)", "ns", "99.9 % are no longer")),
};

const struct nprof_table fu_inferences = {
  .size = sizeof fu_inferences,
  .name = "inferences",
  .title = "Inferences",
  .columns = NPROF_COLUMNS (ROW (IN_FILE), TRACE, SPAN, THREAD, DURATION),
};

const struct nprof_table fu_executions = {
  .size = sizeof fu_executions,
  .name = "npu_executions",
  .title = "NPU executions",
  .note = "NPU Run is the sum of the operators; Load and Store are within NPU IoWait.",
  .columns = NPROF_COLUMNS (
      ROW ("number of the row in the vendor's table, which lacks executions without operators"), TRACE, SPAN,
      NPROF_VALUE_COLUMN (NPROF_INT64, "pe_index", "", "processing element of the execution"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "execution_index", "", "execution within its program"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "NPU Total", "ns", "the execution from start to end"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "NPU Run", "ns", "its operators; a row for each PE that they ran on"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "NPU IoWait", "ns", "Total - Run, negative where operators overlap")),
};

const struct nprof_table fu_operators = {
  .size = sizeof fu_operators,
  .name = "npu_operators",
  .title = "NPU operators",
  .note = "By mean, the longest first, then by name.",
  .columns = NPROF_COLUMNS (
      NPROF_KEY_COLUMN (NPROF_STRING, "name", "", "operator"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "average elapsed(ns)", "ns", "sum / count"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "count", "", "how often it ran")),
};

const struct nprof_table fu_externals = {
  .size = sizeof fu_externals,
  .name = "external_operators",
  .title = "Operators on the host",
  .columns = NPROF_COLUMNS (
      ROW (IN_FILE), TRACE, SPAN, THREAD, NPROF_KEY_COLUMN (NPROF_STRING, "name", "", "operator"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "operator_index", "", "operator within the program"), DURATION),
};
/* clang-format on */

/* -- Cells ----------------------------------------------------------------------------- */

static struct nprof_cell
int_cell (FuInt i)
{
  return i.known ? nprof_cell_int (i.value) : nprof_cell_null ();
}

static struct nprof_cell
sum_cell (FuWide sum)
{
  gint64 i = fu_narrow (sum);
  return i == FU_UNKNOWN ? nprof_cell_null () : nprof_cell_int (i);
}

static struct nprof_cell
trace_cell (const FuSpan *span)
{
  struct nprof_cell cell = nprof_cell_null ();
  if (!span->has_trace)
    return cell;
  cell.type = NPROF_ID128;
  cell.len = sizeof span->trace;
  cell.v.text = (const char *) span->trace;
  return cell;
}

/* `text` has room for 17 bytes. */
static struct nprof_cell
id_cell (const FuSpan *span, char *text)
{
  g_snprintf (text, 17, "%016" G_GINT64_MODIFIER "x", span->id);
  return span->id ? nprof_cell_text (text) : nprof_cell_null ();
}

static struct nprof_cell
label (const FuTables *f, const FuInput *input)
{
  return nprof_cell_str (f->host->input (f->host, input->number)->label);
}

/* -- Summary ------------------------------------------------------------------------------ */

static const guint quantiles[] = { 500, 900, 950, 970, 990, 999 };

enum { COUNT = 1, MIN_, MAX_, MEAN, MEDIAN, N_SUMMARY = MEDIAN + 6 };

static nprof_status
write_summary (FuTables *f, const FuInput *input)
{
  guint n = input->inferences->len;
  struct nprof_cell cells[N_SUMMARY] = { label (f, input), nprof_cell_int (n) };
  for (guint c = MIN_; c < N_SUMMARY; c++)
    cells[c] = nprof_cell_null ();
  if (n == 0)
    return f->host->row (f->host, &fu_summary, cells);
  g_autofree gint64 *ns = g_new (gint64, n);
  FuWide sum = 0;
  for (guint i = 0; i < n; i++)
    sum += ns[i] = g_array_index (input->inferences, FuSpan, i).ns;
  fu_sort (ns, n);
  cells[MIN_] = nprof_cell_int (ns[0]);
  cells[MAX_] = nprof_cell_int (ns[n - 1]);
  cells[MEAN] = nprof_cell_double (fu_mean (sum, n));
  for (gsize q = 0; q < G_N_ELEMENTS (quantiles); q++)
    cells[MEDIAN + q] = nprof_cell_double (fu_quantile (ns, n, quantiles[q]));
  return f->host->row (f->host, &fu_summary, cells);
}

/* -- The host's ----------------------------------------------------------------------------- */

static nprof_status
write_inferences (FuTables *f, const FuInput *input)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < input->inferences->len && !status; i++) {
    const FuSpan *s = &g_array_index (input->inferences, FuSpan, i);
    char id[17];
    const struct nprof_cell cells[]
        = { label (f, input), int_cell (s->row),    trace_cell (s),
            id_cell (s, id),  int_cell (s->thread), nprof_cell_int (s->ns) };
    status = f->host->row (f->host, &fu_inferences, cells);
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
    const struct nprof_cell cells[]
        = { label (f, input),        int_cell (s->row),     trace_cell (s),
            id_cell (s, id),         int_cell (s->thread),  nprof_cell_str (s->name),
            int_cell (s->operator_), nprof_cell_int (s->ns) };
    status = f->host->row (f->host, &fu_externals, cells);
  }
  return status;
}

/* -- The NPU's -------------------------------------------------------------------------------- */

/* `*row` is the number of the row in the table of the whole file, which a selection does not change. */
static nprof_status
write_execution (FuTables *f, const FuInput *input, const FuSpan *s, const FuRun *run, gint64 *row)
{
  char id[17];
  FuWide ran = run ? run->run : 0;
  if (!s->shown) {
    *row += run != NULL;
    return NPROF_OK;
  }
  const struct nprof_cell cells[] = { label (f, input),
                                      run ? nprof_cell_int ((*row)++) : nprof_cell_null (),
                                      trace_cell (s),
                                      id_cell (s, id),
                                      int_cell (s->pe),
                                      int_cell (s->execution),
                                      nprof_cell_int (s->ns),
                                      run ? sum_cell (ran) : nprof_cell_null (),
                                      run ? sum_cell (s->ns - ran) : nprof_cell_null () };
  return f->host->row (f->host, &fu_executions, cells);
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
    const struct nprof_cell cells[]
        = { label (f, input), nprof_cell_str (o->name), nprof_cell_double (fu_mean (o->ns, o->n)),
            nprof_cell_int ((gint64) o->n) };
    status = f->host->row (f->host, &fu_operators, cells);
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
