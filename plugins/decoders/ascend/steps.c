/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - table ascend_steps: splits each step by the vendor's rule, and puts beside it what the
 * vendor's tool kept in analysis.db.  Work is of a step whose call of a node lies in it; the window
 * goes from the first to the last such task, and no less far than the step.  rule: ascend.md 6 */
#include "ascend.h"

#include "producers/ascend-steps.h"

#include <nprof/draft/sibling-head.h>
#include <string.h>

typedef struct {
  AscendStep *step;
  gint64 begin, from, to; /* ps; the window is from..to */
  bool any;
} Window;

/* -- Which work is of which step --------------------------------------------------------------- */

static nprof_status
take_node (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  GHashTable *steps = user; /* connection -> 1 + the place of its step */
  const gint64 start = ascend_int (rows, columns[0]), end = ascend_int (rows, columns[1]),
               connection = ascend_int (rows, columns[3]);
  const StepTime *step
      = ascend_int (rows, columns[2]) == 10000 ? step_time_at (self->steps, start) : NULL;
  if (step && end <= step->end) {
    const gsize place = (gsize) (step - (const StepTime *) (gpointer) self->steps->data);
    g_hash_table_replace (steps, g_memdup2 (&connection, sizeof connection),
                          GSIZE_TO_POINTER (place + 1));
  }
  return NPROF_OK;
}

/* Returns the windows of the steps, whose times fit; those without a task have none. */
static GArray *
windows_of (const Ascend *self, GHashTable *steps)
{
  GArray *windows = g_array_new (FALSE, TRUE, sizeof (Window));
  g_array_set_size (windows, self->steps->len);
  for (guint i = 0; i < self->tasks->len; i++) {
    const AscendTask *task = &g_array_index (self->tasks, AscendTask, i);
    const gsize place
        = GPOINTER_TO_SIZE (g_hash_table_lookup (steps, &task->connection));
    if (!place || task->is == CLASS_COMMUNICATION)
      continue;
    const StepTime *step = &g_array_index (self->steps, StepTime, place - 1);
    Window *w = &g_array_index (windows, Window, place - 1);
    if (!w->any
        && (__builtin_mul_overflow (step->start - self->base, 1000, &w->begin)
            || __builtin_mul_overflow (step->end - self->base, 1000, &w->to)))
      continue;
    w->from = w->any ? MIN (w->from, task->start) : task->start;
    w->to = MAX (w->to, task->end);
    w->any = true;
  }
  return windows;
}

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
first_from (const GArray *tasks, gint64 from)
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
split (Ascend *self, GArray *steps, const Window *w, const StepTime *time, gint64 device)
{
  AscendWindow in = { spans (), spans (), spans () };
  for (guint i = first_from (self->tasks, w->from); i < self->tasks->len; i++) {
    const AscendTask *task = &g_array_index (self->tasks, AscendTask, i);
    const AscendSpan span = { task->start, task->end };
    if (task->start >= w->to)
      break;
    if (task->device != device)
      continue;
    if (task->is == CLASS_COMPUTE)
      g_array_append_val (in.computing, span);
    else if (task->is == CLASS_COMMUNICATION)
      g_array_append_val (in.communication, span);
    if (task->receives)
      g_array_append_val (in.received, span);
  }
  if (in.computing->len || in.communication->len) {
    g_autofree char *label = g_strdup_printf ("NPU %" G_GINT64_FORMAT, device);
    ascend_step_by_rule (
        ascend_step_of (steps, time->number, nprof_intern (self->host, label)), &in, w->begin);
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
take_vendor (Db *db, GArray *steps)
{
  static const char *const names[ASCEND_FIGURES] = {
    "computing", "communication_not_overlapped", "overlapped", "communication",
    "free",      "stage",                        "bubble",     "preparing",
  };
  DbRows rows;
  nprof_status status = db_rows_begin (db, "StepTraceTime", &rows);
  if (status)
    return status;
  const int number = db_column (&rows, "step"), device = db_column (&rows, "deviceId");
  while (db_rows_next (&rows, &status)) {
    gint64 id;
    const gint64 of = ascend_int (&rows, number);
    g_autofree char *label
        = db_int (&rows, device, &id) ? g_strdup_printf ("NPU %" G_GINT64_FORMAT, id) : NULL;
    if (of == ASCEND_NONE)
      continue;
    AscendStep *step = ascend_step_of (steps, of, label ? nprof_intern (db->host, label) : 0);
    for (guint i = 0; i < ASCEND_FIGURES; i++) {
      const char *text = db_number (&rows, db_column (&rows, names[i]));
      if (text)
        ascend_step_vendor (step, (AscendFigure) i, text, strlen (text));
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
load_vendor (Ascend *self, GArray *steps)
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
    status = take_vendor (&db, steps);
  db_close (&db);
  return status;
}

nprof_status
ascend_steps (Ascend *self)
{
  g_autoptr (GHashTable) of
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GArray) steps = g_array_new (FALSE, TRUE, sizeof (AscendStep));
  nprof_status status
      = ascend_each (self, "CANN_API",
                     ASCEND_COLUMNS ("startNs", "endNs", "type", "connectionId"), 4, true,
                     take_node, of);
  if (status)
    return status;
  g_array_sort (self->tasks, by_start);
  g_autoptr (GArray) windows = windows_of (self, of);
  g_autoptr (GArray) devices = devices_of (self);
  for (guint i = 0; i < windows->len; i++)
    for (guint k = 0; k < devices->len && g_array_index (windows, Window, i).any; k++)
      split (self, steps, &g_array_index (windows, Window, i),
             &g_array_index (self->steps, StepTime, i), g_array_index (devices, gint64, k));
  status = load_vendor (self, steps);
  return status ? status : ascend_steps_write (self->host, steps);
}
