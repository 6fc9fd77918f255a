/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - rows of the host: calls of CANN, and operators, frames and queues of PyTorch, on the
 * threads that they share; steps where PyTorch's rows have none. */
#include "ascend.h"

static const struct {
  gint64 type;
  const char *name;
} types[ASCEND_CALLS]
    = { { 20000, "acl_api" },    { 15000, "model_api" },       { 10000, "node_api" },
        { 5500, "hccl_api" },    { 5000, "runtime_api" },      { 50001, "cpu_op" },
        { 50002, "task_queue" }, { 50003, "python_function" }, { 50004, "user_annotation" },
        { ASCEND_NONE, "call" } };

static nprof_str
category (const Ascend *self, gint64 type)
{
  gsize i = 0;
  while (i < ASCEND_CALLS - 1 && types[i].type != type)
    i++;
  return self->calls[i];
}

static nprof_status
take_row (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  const gint64 start = ascend_int (rows, columns[0]), type = ascend_int (rows, columns[2]);
  const gint64 connection = user ? ascend_int (rows, columns[5]) : ASCEND_NONE;
  bool begun;
  nprof_status status
      = ascend_row (self, rows, NPROF_SPAN, ascend_thread (self, ascend_int (rows, columns[3])),
                    ascend_text (&self->strings, ascend_int (rows, columns[4])), start,
                    ascend_int (rows, columns[1]), &begun);
  if (status || !begun)
    return status;
  nprof_set_category (self->w, category (self, type));
  const AscendLaunch *launch
      = self->want_correlation && connection > 0 ? ascend_launch (self, connection) : NULL;
  if (launch && launch->start == start)
    status = nprof_attr_uint (self->w, self->key_correlation, (guint64) connection);
  const StepTime *step = self->want_step ? step_time_at (self->steps, start) : NULL;
  return status || !step ? status : nprof_attr_int (self->w, self->key_step, step->number);
}

/* Databases of msprof alone have steps only here. */
static nprof_status
step_rows (Ascend *self)
{
  nprof_status status = NPROF_OK;
  const nprof_track process
      = self->host->track (self->host, 0, NPROF_TRACK_PROCESS, nprof_intern (self->host, "steps"),
                           nprof_intern (self->host, "steps"), 0);
  const nprof_track on = self->host->track (self->host, process, NPROF_TRACK_THREAD,
                                            nprof_intern (self->host, "steps"), 0, 0);
  if (!process || !on)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for a track");
  for (guint i = 0; i < self->steps->len && !status; i++) {
    const StepTime *step = &g_array_index (self->steps, StepTime, i);
    g_autofree char *name = g_strdup_printf ("ProfilerStep#%" G_GINT64_FORMAT, step->number);
    gint64 start, lasts;
    if (__builtin_mul_overflow (step->start - self->base, 1000, &start)
        || __builtin_mul_overflow (step->end - step->start, 1000, &lasts)
        || start > G_MAXINT64 - lasts)
      continue;
    status = nprof_span (self->w, on, nprof_intern (self->host, name), start, lasts);
    if (!status && self->want_step)
      status = nprof_attr_int (self->w, self->key_step, step->number);
  }
  return status;
}

nprof_status
ascend_host (Ascend *self)
{
  const bool framework = db_has (&self->db, "PYTORCH_API");
  for (guint i = 0; i < ASCEND_CALLS; i++)
    self->calls[i] = nprof_intern (self->host, types[i].name);
  nprof_status status = ascend_each (self, "CANN_API",
                                     ASCEND_COLUMNS ("startNs", "endNs", "type", "globalTid",
                                                     "name", "connectionId"),
                                     6, false, take_row, self);
  if (!status)
    status = ascend_each (self, "PYTORCH_API",
                          ASCEND_COLUMNS ("startNs", "endNs", "type", "globalTid", "name"), 5,
                          false, take_row, NULL);
  return status || framework || !self->steps->len ? status : step_rows (self);
}
