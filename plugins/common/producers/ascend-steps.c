/* SPDX-License-Identifier: Apache-2.0 */
/* ascend-steps.c - splits steps as Ascend's tools do, and writes the table. */
#include "producers/ascend-steps.h"

#include "json/scan.h"

NPROF_TABLE (ascend_steps, "Steps by the vendor's rule",
             "copies are free, and the window begins with the first task.", ASCEND_STEPS)

static const char *const figures[ASCEND_FIGURES] = {
  [ASCEND_COMPUTING] = "computing",
  [ASCEND_NOT_OVERLAPPED] = "not_overlapped",
  [ASCEND_OVERLAPPED] = "overlapped",
  [ASCEND_COMMUNICATION] = "communication",
  [ASCEND_FREE] = "free",
  [ASCEND_STAGE] = "stage",
  [ASCEND_BUBBLE] = "bubble",
  [ASCEND_PREPARING] = "preparing",
};

void
ascend_steps_init (AscendSteps *steps)
{
  steps->list = g_array_new (FALSE, TRUE, sizeof (AscendStep));
  steps->first = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}

void
ascend_steps_clear (AscendSteps *steps)
{
  g_clear_pointer (&steps->list, g_array_unref);
  g_clear_pointer (&steps->first, g_hash_table_unref);
}

AscendStep *
ascend_step_of (AscendSteps *steps, int64_t number, nprof_str device)
{
  GArray *list = steps->list;
  const guint first = GPOINTER_TO_UINT (g_hash_table_lookup (steps->first, &number));
  for (guint i = first ? first - 1 : list->len; i < list->len; i++) {
    AscendStep *step = &g_array_index (list, AscendStep, i);
    if (step->step == number && (step->device == device || !step->device || !device)) {
      step->device = step->device ? step->device : device;
      return step;
    }
  }
  const AscendStep step = { .step = number, .device = device };
  g_array_append_val (list, step);
  if (!first)
    g_hash_table_insert (steps->first, g_memdup2 (&number, sizeof number),
                         GUINT_TO_POINTER (list->len));
  return &g_array_index (list, AscendStep, list->len - 1);
}

bool
ascend_step_vendor (AscendStep *step, AscendFigure figure, const char *source, const char *text,
                    size_t len)
{
  const TeTime time = te_time (text, text + len);
  int64_t ps;
  const bool good = len && time.state <= TE_ROUNDED && te_time_ps (&time, 0, &ps);
  step->vendor[figure] = nprof_int_if (good, good ? ps : 0);
  step->source = source;
  return good;
}

/* -- By the vendor's rule ---------------------------------------------------------------------- */

static int
by_start (gconstpointer a, gconstpointer b)
{
  const AscendSpan *x = a, *y = b;
  return (x->start > y->start) - (x->start < y->start);
}

/* Sorts spans, and joins those that meet; returns how long they are together. */
static int64_t
join (GArray *spans)
{
  guint n = 0;
  int64_t sum = 0;
  g_array_sort (spans, by_start);
  for (guint i = 0; i < spans->len; i++) {
    const AscendSpan span = g_array_index (spans, AscendSpan, i);
    AscendSpan *last = n ? &g_array_index (spans, AscendSpan, n - 1) : NULL;
    if (last && span.start <= last->end)
      last->end = MAX (last->end, span.end);
    else
      g_array_index (spans, AscendSpan, n++) = span;
  }
  g_array_set_size (spans, n);
  for (guint i = 0; i < n; i++)
    sum += g_array_index (spans, AscendSpan, i).end - g_array_index (spans, AscendSpan, i).start;
  return sum;
}

void
ascend_step_by_rule (AscendStep *step, const AscendWindow *window, int64_t begin)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (AscendSpan));
  int64_t bubble = 0;
  const int64_t computing = join (window->computing), communication = join (window->communication);
  g_array_append_vals (all, window->computing->data, window->computing->len);
  g_array_append_vals (all, window->communication->data, window->communication->len);
  const int64_t busy = join (all);
  if (!all->len)
    return;
  const int64_t first = g_array_index (all, AscendSpan, 0).start,
                last = g_array_index (all, AscendSpan, all->len - 1).end;
  bool fits = true;
  for (guint i = 0; i < window->received->len; i++) {
    const AscendSpan *span = &g_array_index (window->received, AscendSpan, i);
    fits &= !__builtin_add_overflow (bubble, span->end - span->start, &bubble);
  }
  step->by_rule[ASCEND_COMPUTING] = nprof_some_int (computing);
  step->by_rule[ASCEND_COMMUNICATION] = nprof_some_int (communication);
  step->by_rule[ASCEND_NOT_OVERLAPPED] = nprof_some_int (busy - computing);
  step->by_rule[ASCEND_FREE] = nprof_some_int (last - first - busy);
  step->by_rule[ASCEND_BUBBLE] = nprof_int_if (fits, bubble);
  ascend_step_settle (step, first, last, first, begin);
}

void
ascend_step_settle (AscendStep *step, int64_t first, int64_t last, int64_t work, int64_t begin)
{
  struct nprof_maybe_int *by = step->by_rule;
  by[ASCEND_OVERLAPPED]
      = nprof_some_int (by[ASCEND_COMMUNICATION].value - by[ASCEND_NOT_OVERLAPPED].value);
  by[ASCEND_STAGE] = nprof_int_if (by[ASCEND_BUBBLE].known, last - first - by[ASCEND_BUBBLE].value);
  by[ASCEND_PREPARING] = nprof_some_int (work - begin);
}

/* -- The table --------------------------------------------------------------------------------- */

static nprof_status
write_figure (const struct nprof_host *host, const AscendStep *step, AscendFigure figure)
{
  const struct ascend_steps_row row = {
    .step = nprof_int_if (step->step != ASCEND_WHOLE, step->step),
    .device = nprof_some_str (step->device),
    .figure = nprof_some_str (nprof_intern (host, figures[figure])),
    .by_rule = step->by_rule[figure],
    .vendor = step->vendor[figure],
    .rows = step->rows[figure],
    .source = nprof_text_if (step->vendor[figure].known, step->source),
  };
  return host->row (host, &ascend_steps_table,
                    ascend_steps_cells (nprof_cell_own_input (host), &row).cells);
}

nprof_status
ascend_steps_write (const struct nprof_host *host, const AscendSteps *steps)
{
  nprof_status status = host->table (host, &ascend_steps_table);
  for (guint i = 0; i < steps->list->len; i++) {
    const AscendStep *step = &g_array_index (steps->list, AscendStep, i);
    for (guint k = 0; k < ASCEND_FIGURES && !status; k++)
      if (step->by_rule[k].known || step->vendor[k].known)
        status = write_figure (host, step, (AscendFigure) k);
  }
  return status;
}
