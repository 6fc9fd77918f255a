/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - finds steps that a program annotated as NVTX ranges, and the step in which a call
 * launched work.  Both are found before rows are read, because tables lie in any order. */
#include "nsys.h"
#include "producers/annotated-step.h"

bool
ns_names_step (const Nsys *self, const char *text, gint64 *number)
{
  int64_t found;
  if (!annotated_step (self->steps, text, &found))
    return false;
  *number = found;
  return true;
}

/* -- Annotations ------------------------------------------------------------------------------- */

static int
by_process (gconstpointer a, gconstpointer b)
{
  const NsStep *x = a, *y = b;
  if (x->process != y->process)
    return x->process < y->process ? -1 : 1;
  return x->start != y->start ? (x->start < y->start ? -1 : 1)
                              : (x->number > y->number) - (x->number < y->number);
}

static nprof_status
load_annotations (Nsys *self)
{
  NsRows rows;
  nprof_status status = ns_rows_begin (self, "NVTX_EVENTS", &rows);
  int start = status ? -1 : ns_column (&rows, "start"),
      end = status ? -1 : ns_column (&rows, "end");
  int tid = status ? -1 : ns_column (&rows, "globalTid"),
      text = status ? -1 : ns_column (&rows, "text");
  int id = status ? -1 : ns_column (&rows, "textId");
  NsStep step;
  gint64 string;
  while (!status && ns_rows_next (&rows, &status)) {
    const char *name = ns_text (&rows, text);
    if (!name && ns_int (&rows, id, &string))
      name = nprof_text (self->host, ns_string (self, string));
    if (!name || !ns_names_step (self, name, &step.number) || !ns_int (&rows, start, &step.start)
        || !ns_int (&rows, end, &step.end) || !ns_int (&rows, tid, &step.process))
      continue;
    step.process = NS_PROCESS (step.process);
    g_array_append_val (self->annotated, step);
  }
  ns_rows_end_again (&rows);
  g_array_sort (self->annotated, by_process);
  return status;
}

/* Returns the first step of the process that begins behind the moment; those before are looked at
 * from there. */
static guint
behind (const Nsys *self, gint64 pid, gint64 ns)
{
  guint from = 0, to = self->annotated->len;
  while (from < to) {
    guint middle = from + (to - from) / 2;
    const NsStep *step = &g_array_index (self->annotated, NsStep, middle);
    if (step->process < pid || (step->process == pid && step->start <= ns))
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

static bool
step_at (const Nsys *self, gint64 pid, gint64 ns, gint64 *number)
{
  for (guint at = behind (self, pid, ns); at-- > 0;) {
    const NsStep *step = &g_array_index (self->annotated, NsStep, at);
    if (step->process != pid)
      return false;
    if (ns < step->end) {
      *number = step->number;
      return true;
    }
    if (at && ns - step->end > step->end - step->start) /* steps follow each other */
      return false;
  }
  return false;
}

/* -- Launches ---------------------------------------------------------------------------------- */

static nprof_status
load_launches (Nsys *self)
{
  NsRows rows;
  nprof_status status = ns_rows_begin (self, "CUPTI_ACTIVITY_KIND_RUNTIME", &rows);
  int start = status ? -1 : ns_column (&rows, "start"),
      tid = status ? -1 : ns_column (&rows, "globalTid");
  int correlation = status ? -1 : ns_column (&rows, "correlationId");
  gint64 at, thread, id, number;
  while (!status && ns_rows_next (&rows, &status)) {
    if (!ns_int (&rows, start, &at) || !ns_int (&rows, tid, &thread)
        || !ns_int (&rows, correlation, &id) || id <= 0
        || !step_at (self, NS_PROCESS (thread), at, &number))
      continue;
    gint64 key = (gint64) ns_correlation (self, NS_PROCESS (thread), id);
    g_hash_table_replace (self->launches, g_memdup2 (&key, sizeof key),
                          g_memdup2 (&number, sizeof number));
  }
  ns_rows_end_again (&rows);
  return status;
}

nprof_status
ns_steps_load (Nsys *self)
{
  nprof_status status = NPROF_OK;
  self->annotated = g_array_new (FALSE, FALSE, sizeof (NsStep));
  self->launches = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  if (ns_has (self, "NVTX_EVENTS") && self->want_step)
    status = load_annotations (self);
  if (!status && self->annotated->len && ns_has (self, "CUPTI_ACTIVITY_KIND_RUNTIME"))
    status = load_launches (self);
  return status;
}

/* -- Of a row ---------------------------------------------------------------------------------- */

nprof_status
ns_step_at (Nsys *self, gint64 pid, gint64 ns)
{
  gint64 number;
  if (!self->annotated->len || !step_at (self, pid, ns, &number))
    return NPROF_OK;
  return nprof_attr_int (self->w, self->key_step, number);
}

nprof_status
ns_step_of_launch (Nsys *self, guint64 correlation)
{
  const gint64 key = (gint64) correlation;
  const gint64 *number = g_hash_table_lookup (self->launches, &key);
  return number ? nprof_attr_int (self->w, self->key_step, *number) : NPROF_OK;
}
