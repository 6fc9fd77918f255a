/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - reads what rows refer to by number: texts, kernels, parts of collectives; steps; and
 * when the first row begins. */
#include "ascend.h"

#include "producers/ascend-world.h"

#include <errno.h>

enum { MOST_COLUMNS = 12 };

nprof_status
ascend_each (Ascend *self, const char *table, const char *const *names, guint needed, bool again,
             AscendTake *take, gpointer user)
{
  DbRows rows;
  int columns[MOST_COLUMNS];
  nprof_status status = NPROF_OK;
  if (!db_has (&self->db, table))
    return NPROF_OK;
  if ((status = db_rows_begin (&self->db, table, &rows)))
    return status;
  for (guint i = 0; names[i]; i++) {
    columns[i] = db_column (&rows, names[i]);
    if (columns[i] < 0 && i < needed)
      status = nprof_fail (self->host, NPROF_E_FORMAT,
                           "table %s has no column %s: export the run anew", table, names[i]);
  }
  while (!status && db_rows_next (&rows, &status))
    status = take (self, &rows, columns, user);
  if (again)
    db_rows_end_again (&rows);
  else
    db_rows_end (&rows);
  return status;
}

static gint64
int_of_text (const char *text)
{
  gint64 number = 0;
  char *end;
  gsize n = 0;
  for (; g_ascii_isdigit (text[n]) && n < 19; n++)
    number = (gint64) ((guint64) number * 10 + (guint64) (text[n] - '0'));
  if (n && !text[n] && number >= 0) /* nearly all: up to 19 digits, which fit */
    return number;
  errno = 0;
  number = g_ascii_strtoll (text, &end, 10);
  return !*text || *end || errno ? ASCEND_NONE : number;
}

gint64
ascend_int (const DbRows *rows, int column)
{
  sqlite3_value *value = column < 0 ? NULL : sqlite3_column_value (rows->stmt, column);
  const int type = value ? sqlite3_value_type (value) : SQLITE_NULL;
  if (type == SQLITE_INTEGER)
    return sqlite3_value_int64 (value);
  const char *text = type == SQLITE_TEXT ? (const char *) sqlite3_value_text (value) : NULL;
  return text ? int_of_text (text) : ASCEND_NONE;
}

nprof_str
ascend_text (Ids *texts, gint64 id)
{
  const AscendText *text = ids_find (texts, id);
  return text ? text->text : 0;
}

static nprof_str
string_at (Ascend *self, const DbRows *rows, int column)
{
  return ascend_text (&self->strings, ascend_int (rows, column));
}

static nprof_status
take_text (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  gint64 id;
  const char *text = db_text (rows, columns[1]);
  if (text && db_int (rows, columns[0], &id))
    ((AscendText *) ids_add (user, id))->text = nprof_intern (self->host, text);
  return NPROF_OK;
}

static nprof_status
take_chip (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  gint64 id;
  const char *text = db_text (rows, columns[1]);
  (void) user;
  if (text && db_int (rows, columns[0], &id))
    g_hash_table_replace (self->chips, g_memdup2 (&id, sizeof id),
                          GUINT_TO_POINTER (nprof_intern (self->host, text)));
  return NPROF_OK;
}

static nprof_status
take_kernel (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  gint64 id;
  (void) user;
  if (!db_int (rows, columns[0], &id))
    return NPROF_OK;
  AscendKernel *k = ids_add (&self->kernels, id);
  k->name = string_at (self, rows, columns[1]);
  k->unit = string_at (self, rows, columns[2]);
  k->operation = string_at (self, rows, columns[3]);
  k->shapes = string_at (self, rows, columns[4]);
  k->results = string_at (self, rows, columns[5]);
  ascend_chip_blocks (&self->chip, nprof_text (self->host, k->unit),
                      ascend_int (rows, columns[columns[6] < 0 ? 7 : 6]));
  return NPROF_OK;
}

static nprof_status
take_clock (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  (void) user;
  ascend_chip_clock (&self->chip, ascend_int (rows, columns[0]));
  return NPROF_OK;
}

static nprof_status
take_part (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  gint64 id;
  (void) user;
  if (db_int (rows, columns[0], &id))
    ids_add (&self->parts, id);
  for (guint i = 1; i < 3; i++)
    if (columns[i] >= 0 && db_int (rows, columns[i], &id) && id >= 0 && id < G_MAXUINT32)
      self->linked = MAX (self->linked, id + 1);
  return NPROF_OK;
}

/* -- Steps, devices and the first row ---------------------------------------------------------- */

static nprof_status
take_step (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  const StepTime step = { ascend_int (rows, columns[0]), ascend_int (rows, columns[1]),
                          ascend_int (rows, columns[2]) };
  (void) user;
  if (step.number >= 0 && step.start >= 0 && step.end >= step.start)
    g_array_append_val (self->steps, step);
  return NPROF_OK;
}

void
ascend_note_start (Ascend *self, gint64 start)
{
  if (start > 0 && (!self->least || start < self->least))
    self->least = start;
}

static nprof_status
take_place (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  const gint64 device = ascend_int (rows, columns[1]);
  (void) user;
  if (columns[1] < 0 || device < 0) {
    AscendPlace *place = ids_add (&self->places, ascend_int (rows, columns[0]));
    place->device = ASCEND_NONE;
  }
  return NPROF_OK;
}

/* A collective without a device ran on that of the first task of its connection. */
static nprof_status
take_first (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  const gint64 device = ascend_int (rows, columns[2]);
  (void) user;
  ascend_note_start (self, ascend_int (rows, columns[0]));
  if (device < 0)
    return NPROF_OK;
  self->first_device = self->first_device < 0 ? device : MIN (self->first_device, device);
  AscendPlace *place
      = ids_len (&self->places) ? ids_find (&self->places, ascend_int (rows, columns[1])) : NULL;
  if (place && place->device == ASCEND_NONE)
    place->device = MIN (device, G_MAXINT32);
  return NPROF_OK;
}

static nprof_status
take_start (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  (void) user;
  ascend_note_start (self, ascend_int (rows, columns[0]));
  return NPROF_OK;
}

/* Of calls and operators the starts were seen when launches were looked for. */
static nprof_status
settle_times (Ascend *self)
{
  static const char *const tables[] = { "TASK", "COMMUNICATION_OP" };
  nprof_status status
      = ascend_each (self, "COMMUNICATION_OP", ASCEND_COLUMNS ("connectionId", "deviceId"), 0, true,
                     take_place, NULL);
  ids_settle (&self->places);
  for (gsize i = 0; i < G_N_ELEMENTS (tables) && !status; i++)
    status = ascend_each (self, tables[i], ASCEND_COLUMNS ("startNs", "connectionId", "deviceId"),
                          1, true, take_first, NULL);
  if (!status && !ascend_wants_operators (self))
    status
        = ascend_each (self, "PYTORCH_API", ASCEND_COLUMNS ("startNs"), 1, true, take_start, NULL);
  if (status)
    return status;
  self->base = self->least ? self->least - self->least % 1000000000 : 0;
  return self->host->origin (self->host, self->least ? self->base : NPROF_NO_EPOCH);
}

/* -- What is true of the whole file ------------------------------------------------------------ */

static nprof_status
take_metadata (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  const char *name = db_text (rows, columns[0]), *value = db_text (rows, columns[1]);
  (void) user;
  if (!name || !value)
    return NPROF_OK;
  if (strcmp (name, "parallel_group_info") == 0)
    return ascend_world_say (self->host, value, strlen (value));
  return strcmp (name, "SCHEMA_VERSION") == 0
             ? self->host->property (self->host, "schema_version", value)
             : NPROF_OK;
}

static nprof_status
take_host_name (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  const char *name = db_text (rows, columns[0]);
  (void) user;
  return name ? self->host->property (self->host, "hostnames", name) : NPROF_OK;
}

/* A rank is not its device's number; a database of several ranks is of none. */
static nprof_status
take_rank (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  gint64 *rank = user;
  (void) self;
  *rank = *rank == ASCEND_NONE ? ascend_int (rows, columns[0]) : ASCEND_NONE - 1;
  return NPROF_OK;
}

static nprof_status
properties (Ascend *self)
{
  gint64 rank = ASCEND_NONE;
  nprof_status status = ascend_each (self, "META_DATA", ASCEND_COLUMNS ("name", "value"), 2, false,
                                     take_metadata, NULL);
  if (!status)
    status = ascend_each (self, "HOST_INFO", ASCEND_COLUMNS ("hostName"), 1, false, take_host_name,
                          NULL);
  if (!status)
    status = ascend_each (self, "RANK_DEVICE_MAP", ASCEND_COLUMNS ("rankId"), 1, false, take_rank,
                          &rank);
  if (!status && self->linked)
    status = ascend_world_least (self->host, self->linked);
  if (status || rank < 0)
    return status;
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, rank);
  return self->host->property (self->host, "rank", text);
}

nprof_status
ascend_load (Ascend *self)
{
  const struct {
    const char *table;
    const char *const *columns;
    guint needed;
    AscendTake *take;
    Ids *into;
    bool again;
  } loads[] = {
    { "STRING_IDS", ASCEND_COLUMNS ("id", "value"), 2, take_text, &self->strings, false },
    { "ENUM_HCCL_DATA_TYPE", ASCEND_COLUMNS ("id", "name"), 2, take_text, &self->types, false },
    { "NPU_INFO", ASCEND_COLUMNS ("id", "name"), 2, take_chip, NULL, false },
    { "COMPUTE_TASK_INFO",
      ASCEND_COLUMNS ("globalTaskId", "name", "taskType", "opType", "inputShapes", "outputShapes",
                      "blockDim", "blockNum"),
      2, take_kernel, &self->kernels, false },
    { "AICORE_FREQ", ASCEND_COLUMNS ("freq"), 1, take_clock, NULL, true },
    { "COMMUNICATION_TASK_INFO", ASCEND_COLUMNS ("globalTaskId", "srcRank", "dstRank"), 1,
      take_part, &self->parts, false },
    { "STEP_TIME", ASCEND_COLUMNS ("id", "startNs", "endNs"), 3, take_step, NULL, false },
  };
  nprof_status status = NPROF_OK;
  for (gsize i = 0; i < G_N_ELEMENTS (loads) && !status; i++) {
    status = ascend_each (self, loads[i].table, loads[i].columns, loads[i].needed, loads[i].again,
                          loads[i].take, loads[i].into);
    if (loads[i].into)
      ids_settle (loads[i].into);
  }
  step_times_sort (self->steps);
  g_array_set_size (self->windows, self->steps->len);
  if (!status)
    status = ascend_launches (self);
  if (!status)
    status = properties (self);
  return status ? status : settle_times (self);
}
