/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - rows of devices: tasks of the hardware by their class, and whole collectives, which
 * cover the tasks that they are made of.  classes: ascend.md 4 */
#include "ascend.h"

#include "producers/ascend-flops.h"

#include <string.h>

/* Of a task that no table says more of nothing is known to compute: it wraps what does. */
static AscendClass
class_of_text (const char *type)
{
  const AscendClass is = ascend_class_of (type);
  return is == CLASS_COMPUTE ? CLASS_AROUND : is == N_CLASSES ? CLASS_CONTROL : is;
}

/* A file has a handful of types, so their words are looked at once each. */
static AscendClass
class_of (Ascend *self, nprof_str type)
{
  for (guint i = 0; i < self->kinds->len; i++)
    if (g_array_index (self->kinds, AscendType, i).type == type)
      return g_array_index (self->kinds, AscendType, i).is;
  const AscendType kind = { type, class_of_text (nprof_text (self->host, type)) };
  g_array_append_val (self->kinds, kind);
  return kind.is;
}

/* -- Attributes -------------------------------------------------------------------------------- */

static nprof_status
add_string (Ascend *self, bool wanted, nprof_str key, nprof_str value)
{
  return wanted && value ? nprof_attr_str (self->w, key, value) : NPROF_OK;
}

static nprof_status
add_int (Ascend *self, bool wanted, nprof_str key, gint64 value)
{
  return wanted && value != ASCEND_NONE ? nprof_attr_int (self->w, key, value) : NPROF_OK;
}

/* 4294967295 and the like stand for none. */
static bool
is_connection (gint64 connection)
{
  return connection > 0 && connection != G_MAXUINT32;
}

/* Adds to a row what is known by its connection: the id itself, and the operator and the step of
 * the host that launched it. */
static nprof_status
add_launch (Ascend *self, gint64 connection)
{
  const bool known = is_connection (connection) && (self->want_operator || self->want_step);
  const AscendLaunch *launch = known ? ascend_launch (self, connection) : NULL;
  nprof_status status = NPROF_OK;
  if (is_connection (connection) && self->want_correlation)
    status = nprof_attr_uint (self->w, self->key_correlation, (guint64) connection);
  if (status || !launch)
    return status;
  status = add_string (self, self->want_operator, self->key_operator, launch->operation);
  const StepTime *step = self->want_step && launch->start != G_MININT64
                             ? step_time_at (self->steps, launch->start)
                             : NULL;
  return status || !step ? status : add_int (self, self->want_step, self->key_step, step->number);
}

static void
say (Ascend *self, AscendClass is)
{
  nprof_set_category (self->w, self->category[is]);
  if (self->work[is])
    nprof_set_shared (self->w, self->work[is]);
}

/* -- What the split of steps needs of the row that was just begun --------------------------- */

/* A task is of the step in which a node was called for it. */
static void
widen_window (Ascend *self, gint64 connection, gint64 start, gint64 end)
{
  const bool looked_for = self->steps->len && is_connection (connection);
  const AscendLaunch *launch = looked_for ? ascend_launch (self, connection) : NULL;
  if (!launch || !launch->step)
    return;
  const StepTime *step = &g_array_index (self->steps, StepTime, launch->step - 1);
  AscendStepWindow *w = &g_array_index (self->windows, AscendStepWindow, launch->step - 1);
  if (!w->any
      && (__builtin_mul_overflow (step->start - self->base, 1000, &w->begin)
          || __builtin_mul_overflow (step->end - self->base, 1000, &w->to)))
    return;
  w->from = w->any ? MIN (w->from, start) : start;
  w->to = MAX (w->to, end);
  w->any = true;
}

static void
note_task (Ascend *self, gint64 device, gint64 connection, AscendClass is, nprof_str name)
{
  const guint row = self->w->n_rows - 1;
  const gint64 start = self->w->start[row], end = start + self->w->duration[row];
  const bool communicates = is == CLASS_COMMUNICATION;
  if (!communicates)
    widen_window (self, connection, start, end);
  if (!self->steps->len || (!communicates && is != CLASS_COMPUTE))
    return;
  np_large_array_extend (self->tasks, self->tasks->len + 1);
  g_array_index (self->tasks, AscendTask, self->tasks->len - 1)
      = (AscendTask){ start, end, device, communicates,
                      name && g_str_has_prefix (nprof_text (self->host, name), "hcom_receive") };
}

/* -- Tasks ------------------------------------------------------------------------------------- */

static nprof_status
add_flops (Ascend *self, const AscendKernel *k, gint64 connection)
{
  const struct nprof_host *host = self->host;
  if (!self->want_flops)
    return NPROF_OK;
  const AscendLaunch *launch = ascend_launch (self, connection);
  const int64_t flops = ascend_flops (nprof_text (host, k->operation), nprof_text (host, k->shapes),
                                      nprof_text (host, k->results),
                                      nprof_text (host, launch ? launch->shapes : 0));
  return add_int (self, flops != ASCEND_NO_FLOPS, self->key_flops, flops);
}

static nprof_status
add_engine (Ascend *self, const AscendKernel *k, nprof_str type)
{
  if (!self->want_engine)
    return NPROF_OK;
  const char *unit = k->unit ? nprof_text (self->host, k->unit) : "N/A";
  const char *engine
      = ascend_engine_of (strcmp (unit, "N/A") == 0 ? nprof_text (self->host, type) : unit);
  return add_string (self, true, self->key_engine, engine ? nprof_intern (self->host, engine) : 0);
}

static nprof_status
add_kernel (Ascend *self, const AscendKernel *k, nprof_str type)
{
  nprof_status status = add_engine (self, k, type);
  if (!status)
    status = add_string (self, self->want_opcode, self->key_opcode, k->operation);
  const bool shaped
      = self->want_shape && k->shapes && strcmp (nprof_text (self->host, k->shapes), "N/A");
  return status || !shaped ? status
                           : add_string (self, self->want_shape, self->key_shape, k->shapes);
}

static nprof_status
take_task (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  const gint64 id = ascend_int (rows, columns[4]), connection = ascend_int (rows, columns[3]),
               stream = ascend_int (rows, columns[6]);
  const AscendKernel *kernel = ids_find (&self->kernels, id);
  const nprof_str type = ascend_text (&self->strings, ascend_int (rows, columns[5]));
  const AscendClass is = kernel                        ? CLASS_COMPUTE
                         : ids_find (&self->parts, id) ? CLASS_PART
                                                       : class_of (self, type);
  bool begun;
  (void) user;
  nprof_status status
      = ascend_row (self, rows, NPROF_SPAN,
                    ascend_stream (self, ascend_int (rows, columns[2]), stream),
                    kernel && kernel->name ? kernel->name : type, ascend_int (rows, columns[0]),
                    ascend_int (rows, columns[1]), &begun);
  if (status || !begun)
    return status;
  say (self, is);
  note_task (self, ascend_int (rows, columns[2]), connection, is, 0);
  status = add_int (self, self->want_stream, self->key_stream, stream);
  if (!status && kernel)
    status = add_kernel (self, kernel, type);
  if (!status && kernel)
    status = add_flops (self, kernel, connection);
  return status || is > CLASS_COPY ? status : add_launch (self, connection);
}

/* -- Collectives ------------------------------------------------------------------------------- */

/* HCCL's types by the names that analyzers know. */
static nprof_str
type_of (Ascend *self, gint64 id)
{
  const nprof_str name = ascend_text (&self->types, id);
  return name ? nprof_intern (self->host, ascend_type_of (nprof_text (self->host, name))) : 0;
}

static nprof_status
add_collective (Ascend *self, const char *name, nprof_str group, gint64 count, gint64 type)
{
  int64_t sequence;
  const char *kind = ascend_collective_of (name, &sequence);
  const bool sized = count >= 0;
  nprof_status status = add_string (self, self->want_collective, self->key_collective,
                                    nprof_intern (self->host, kind));
  if (!status)
    status = add_string (self, self->want_group, self->key_group, group);
  if (!status)
    status = add_int (self, self->want_sequence, self->key_sequence, sequence);
  if (!status && sized)
    status = add_int (self, self->want_elements_in, self->key_elements_in, count);
  if (!status && sized)
    status = add_int (self, self->want_elements_out, self->key_elements_out, count);
  return status ? status
                : add_string (self, self->want_dtype, self->key_dtype, type_of (self, type));
}

static nprof_status
take_collective (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  const gint64 connection = ascend_int (rows, columns[3]);
  const nprof_str name = ascend_text (&self->strings, ascend_int (rows, columns[2])),
                  group = ascend_text (&self->strings, ascend_int (rows, columns[4]));
  gint64 device = ascend_int (rows, columns[7]);
  bool begun;
  (void) user;
  if (columns[7] < 0 || device < 0) {
    const AscendPlace *place = ids_find (&self->places, connection);
    device = place && place->device != ASCEND_NONE ? place->device : self->first_device;
  }
  nprof_status status
      = ascend_row (self, rows, NPROF_SPAN, ascend_group (self, device, group), name,
                    ascend_int (rows, columns[0]), ascend_int (rows, columns[1]), &begun);
  if (status || !begun)
    return status;
  say (self, CLASS_COMMUNICATION);
  note_task (self, device, connection, CLASS_COMMUNICATION, name);
  status = add_collective (self, nprof_text (self->host, name), group,
                           ascend_int (rows, columns[5]), ascend_int (rows, columns[6]));
  return status ? status : add_launch (self, connection);
}

nprof_status
ascend_work (Ascend *self)
{
  nprof_status status = ascend_each (self, "TASK",
                                     ASCEND_COLUMNS ("startNs", "endNs", "deviceId", "connectionId",
                                                     "globalTaskId", "taskType", "streamId"),
                                     7, false, take_task, NULL);
  if (status)
    return status;
  return ascend_each (self, "COMMUNICATION_OP",
                      ASCEND_COLUMNS ("startNs", "endNs", "opName", "connectionId", "groupName",
                                      "count", "dataType", "deviceId"),
                      3, false, take_collective, NULL);
}
