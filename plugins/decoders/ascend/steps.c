/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - table ascend_steps: splits each step by the vendor's rule, and puts beside it what the
 * vendor's tool kept in analysis.db.  Work is of a step whose call of a node lies in it; the window
 * goes from the first to the last such task, and no less far than the step.  rule: ascend.md 6 */
#include "ascend.h"

#include "producers/ascend-steps.h"

#include <nprof/draft/sibling-head.h>
#include <string.h>

/* -- By the vendor's rule ---------------------------------------------------------------------- */

static GArray *
spans (void)
{
  return g_array_new (FALSE, FALSE, sizeof (AscendSpan));
}

static int
by_start (gconstpointer a, gconstpointer b)
{
  const AscendTask *x = a, *y = b;
  return (x->start > y->start) - (x->start < y->start);
}

/* Returns the place of the first task that begins no earlier; they are sorted. */
static guint
first_from (const NpLargeArray *tasks, gint64 from)
{
  guint low = 0, high = tasks->len;
  while (low < high) {
    const guint middle = low + (high - low) / 2;
    if (g_array_index (tasks, AscendTask, middle).start < from)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
split (Ascend *self, AscendSteps *steps, const AscendStepWindow *w, const StepTime *time,
       gint64 device)
{
  AscendWindow in = { spans (), spans (), spans () };
  for (guint i = first_from (self->tasks, w->from); i < self->tasks->len; i++) {
    const AscendTask *task = &g_array_index (self->tasks, AscendTask, i);
    const AscendSpan span = { task->start, task->end };
    if (task->start >= w->to)
      break;
    if (task->device != device)
      continue;
    g_array_append_val (task->communicates ? in.communication : in.computing, span);
    if (task->receives)
      g_array_append_val (in.received, span);
  }
  if (in.computing->len || in.communication->len) {
    g_autofree char *label = g_strdup_printf ("NPU %" G_GINT64_FORMAT, device);
    ascend_step_by_rule (ascend_step_of (steps, time->number, nprof_intern (self->host, label)),
                         &in, w->begin);
  }
  g_array_unref (in.computing);
  g_array_unref (in.communication);
  g_array_unref (in.received);
}

static GArray *
devices_of (const Ascend *self)
{
  GArray *devices = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < self->tasks->len; i++) {
    const gint64 device = g_array_index (self->tasks, AscendTask, i).device;
    bool known = false;
    for (guint k = 0; k < devices->len && !known; k++)
      known = g_array_index (devices, gint64, k) == device;
    if (!known)
      g_array_append_val (devices, device);
  }
  return devices;
}

/* -- What the vendor's tool kept --------------------------------------------------------------- */

static nprof_status
take_vendor (Db *db, const char *source, AscendSteps *steps)
{
  static const char *const names[ASCEND_FIGURES] = {
    "computing",  "communication_not_overlapped",
    "overlapped", "communication",
    "free",       "stage",
    "bubble",     "preparing",
  };
  DbRows rows;
  nprof_status status = db_rows_begin (db, "StepTraceTime", &rows);
  if (status)
    return status;
  const int number = db_column (&rows, "step"), device = db_column (&rows, "deviceId");
  int columns[ASCEND_FIGURES];
  for (guint i = 0; i < ASCEND_FIGURES; i++)
    columns[i] = db_column (&rows, names[i]);
  while (db_rows_next (&rows, &status)) {
    gint64 id;
    const gint64 of = ascend_int (&rows, number);
    g_autofree char *label
        = db_int (&rows, device, &id) ? g_strdup_printf ("NPU %" G_GINT64_FORMAT, id) : NULL;
    if (of == ASCEND_NONE)
      continue;
    AscendStep *step = ascend_step_of (steps, of, label ? nprof_intern (db->host, label) : 0);
    for (guint i = 0; i < ASCEND_FIGURES; i++) {
      const char *text = db_number (&rows, columns[i]);
      if (text)
        ascend_step_vendor (step, (AscendFigure) i, source, text, strlen (text));
    }
  }
  db_rows_end (&rows);
  return status;
}

static int
is_analysis (void *user, const char *name)
{
  const char **found = user;
  if (strcmp (name, "analysis.db") == 0 || strcmp (name, "communication_analyzer.db") == 0)
    *found = g_intern_string (name);
  return *found != NULL;
}

static nprof_status
load_vendor (Ascend *self, AscendSteps *steps)
{
  const char *name = NULL;
  uint64_t len;
  Db db = { 0 };
  nprof_status status = self->host->siblings (self->host, is_analysis, &name);
  if (status || !name)
    return status;
  const void *bytes = self->host->sibling (self->host, name, &len);
  if (!bytes)
    return NPROF_E_IO;
  status = db_open (&db, self->host, "it is analysis.db beside it: copy that anew, or leave it out",
                    bytes, len);
  if (!status && db_has (&db, "StepTraceTime"))
    status = take_vendor (&db, name, steps);
  db_close (&db);
  return status;
}

nprof_status
ascend_steps (Ascend *self)
{
  AscendSteps steps;
  ascend_steps_init (&steps);
  np_large_array_sort (self->tasks, by_start);
  g_autoptr (GArray) devices = devices_of (self);
  for (guint i = 0; i < self->windows->len; i++) {
    const AscendStepWindow *w = &g_array_index (self->windows, AscendStepWindow, i);
    for (guint k = 0; k < devices->len && w->any; k++)
      split (self, &steps, w, &g_array_index (self->steps, StepTime, i),
             g_array_index (devices, gint64, k));
  }
  nprof_status status = load_vendor (self, &steps);
  if (!status)
    status = ascend_steps_write (self->host, &steps);
  ascend_steps_clear (&steps);
  return status;
}
