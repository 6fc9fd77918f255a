/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - reads what rows refer to by number: texts, kernels, parts of collectives, launches and
 * the operators around them, steps; and when the first row begins. */
#include "ascend.h"

#include "producers/ascend-flops.h"
#include "producers/ascend-world.h"
#include "producers/nested.h"

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

gint64
ascend_int (const DbRows *rows, int column)
{
  gint64 number;
  if (db_int (rows, column, &number))
    return number;
  const char *text = db_text (rows, column);
  char *end;
  if (!text || !*text)
    return ASCEND_NONE;
  errno = 0;
  number = g_ascii_strtoll (text, &end, 10);
  return *end || errno ? ASCEND_NONE : number;
}

static void
put (GHashTable *table, gint64 key, gpointer value)
{
  g_hash_table_replace (table, g_memdup2 (&key, sizeof key), value);
}

nprof_str
ascend_string (const Ascend *self, gint64 id)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->strings, &id));
}

AscendLaunch *
ascend_launch (const Ascend *self, gint64 connection)
{
  return g_hash_table_lookup (self->launches, &connection);
}

static nprof_status
take_text (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  gint64 id;
  const char *text = db_text (rows, columns[1]);
  if (text && db_int (rows, columns[0], &id))
    put (user, id, GUINT_TO_POINTER (nprof_intern (self->host, text)));
  return NPROF_OK;
}

static nprof_status
take_kernel (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  gint64 id;
  (void) user;
  if (!db_int (rows, columns[0], &id))
    return NPROF_OK;
  AscendKernel *k = g_new0 (AscendKernel, 1);
  k->name = ascend_string (self, ascend_int (rows, columns[1]));
  k->unit = ascend_string (self, ascend_int (rows, columns[2]));
  k->operation = ascend_string (self, ascend_int (rows, columns[3]));
  k->shapes = ascend_string (self, ascend_int (rows, columns[4]));
  k->results = ascend_string (self, ascend_int (rows, columns[5]));
  ascend_chip_blocks (&self->chip, nprof_text (self->host, k->unit),
                      ascend_int (rows, columns[columns[6] < 0 ? 7 : 6]));
  put (self->kernels, id, k);
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
    put (self->parts, id, GUINT_TO_POINTER (1));
  return NPROF_OK;
}

/* -- Launches ---------------------------------------------------------------------------------- */

static AscendLaunch *
launch_of (Ascend *self, gint64 connection)
{
  AscendLaunch *launch = ascend_launch (self, connection);
  if (!launch) {
    launch = g_new0 (AscendLaunch, 1);
    *launch = (AscendLaunch){ G_MININT64, G_MAXINT64, 0, G_MININT64, 0, 0 };
    put (self->launches, connection, launch);
  }
  return launch;
}

/* The launch is the call of a node, else of AscendCL, else of HCCL. */
static nprof_status
take_call (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  const gint64 start = ascend_int (rows, columns[0]), type = ascend_int (rows, columns[1]),
               connection = ascend_int (rows, columns[2]);
  const gint64 rank = type == 10000 ? 0 : type == 20000 ? 1 : type == 5500 ? 2 : G_MAXINT64;
  (void) user;
  if (connection < 0 || start < 0 || rank == G_MAXINT64)
    return NPROF_OK;
  AscendLaunch *launch = launch_of (self, connection);
  if (rank < launch->rank) {
    launch->rank = rank;
    launch->start = start;
  }
  return NPROF_OK;
}

static nprof_status
take_link (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  gint64 id, connection;
  (void) user;
  if (!db_int (rows, columns[0], &id) || !db_int (rows, columns[1], &connection))
    return NPROF_OK;
  GArray *list = g_hash_table_lookup (self->linked, &id);
  if (!list) {
    list = g_array_new (FALSE, FALSE, sizeof (gint64));
    put (self->linked, id, list);
  }
  g_array_append_val (list, connection);
  return NPROF_OK;
}

/* An operator, and which of its texts are its shapes: of known files they stand under the types. */
typedef struct {
  Nested span;
  nprof_str shapes;
} Operator;

static nprof_str
shapes_of (const Ascend *self, DbRows *rows, const int *columns)
{
  for (guint i = 0; i < 2; i++) {
    const nprof_str text = ascend_string (self, ascend_int (rows, columns[4 + i]));
    if (text && ascend_shapes_tell (nprof_text (self->host, text)))
      return text;
  }
  return 0;
}

/* Of operators that hold a launch the innermost is the one that began last. */
static nprof_status
take_operator (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  const gint64 start = ascend_int (rows, columns[0]), id = ascend_int (rows, columns[1]),
               thread = ascend_int (rows, columns[6]);
  const GArray *linked = g_hash_table_lookup (self->linked, &id);
  GHashTable *threads = user;
  if (ascend_int (rows, columns[3]) != 50001)
    return NPROF_OK;
  for (guint i = 0; linked && i < linked->len; i++) {
    AscendLaunch *launch = launch_of (self, g_array_index (linked, gint64, i));
    if (start > launch->operator_start) {
      launch->operator_start = start;
      launch->operator_thread = thread;
      launch->operation = ascend_string (self, ascend_int (rows, columns[2]));
    }
  }
  GArray *list = g_hash_table_lookup (threads, &thread);
  if (!list) {
    list = g_array_new (FALSE, FALSE, sizeof (Operator));
    put (threads, thread, list);
  }
  const Operator o
      = { { start, ascend_int (rows, columns[7]), -1 }, shapes_of (self, rows, columns) };
  g_array_append_val (list, o);
  return NPROF_OK;
}

/* Finds the shapes for each launch: of its operator, or of the innermost around it that has
 * some. */
static void
find_shapes (Ascend *self, GHashTable *threads)
{
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, threads);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    nested_settle (value);
  g_hash_table_iter_init (&iter, self->launches);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    AscendLaunch *launch = value;
    const GArray *list = g_hash_table_lookup (threads, &launch->operator_thread);
    const Nested *o = launch->operation && list ? nested_at (list, launch->operator_start) : NULL;
    for (; o && !launch->shapes; o = nested_around (list, o))
      launch->shapes = ((const Operator *) o)->shapes;
  }
}

static nprof_status
load_operators (Ascend *self)
{
  g_autoptr (GHashTable) threads
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) g_array_unref);
  nprof_status status
      = ascend_each (self, "PYTORCH_API",
                     ASCEND_COLUMNS ("startNs", "connectionId", "name", "type", "inputShapes",
                                     "inputDtypes", "globalTid", "endNs"),
                     4, true, take_operator, threads);
  find_shapes (self, threads);
  return status;
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

static nprof_status
take_first (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  gint64 *least = user;
  const gint64 start = ascend_int (rows, columns[0]), connection = ascend_int (rows, columns[1]),
               device = ascend_int (rows, columns[2]);
  if (start > 0)
    *least = MIN (*least, start);
  if (columns[2] < 0 || device < 0)
    return NPROF_OK;
  self->first_device = self->first_device < 0 ? device : MIN (self->first_device, device);
  if (!g_hash_table_contains (self->devices, &connection))
    put (self->devices, connection, GINT_TO_POINTER ((gint) MIN (device, G_MAXINT32)));
  return NPROF_OK;
}

static nprof_status
settle_times (Ascend *self)
{
  static const char *const tables[] = { "TASK", "COMMUNICATION_OP", "CANN_API", "PYTORCH_API" };
  gint64 least = G_MAXINT64;
  nprof_status status = NPROF_OK;
  for (gsize i = 0; i < G_N_ELEMENTS (tables) && !status; i++)
    status = ascend_each (self, tables[i], ASCEND_COLUMNS ("startNs", "connectionId", "deviceId"),
                          1, true, take_first, &least);
  if (status)
    return status;
  self->base = least == G_MAXINT64 ? 0 : least - least % 1000000000;
  return self->host->origin (self->host, least == G_MAXINT64 ? NPROF_NO_EPOCH : self->base);
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
    gpointer user;
    bool again;
  } loads[] = {
    { "STRING_IDS", ASCEND_COLUMNS ("id", "value"), 2, take_text, self->strings, false },
    { "ENUM_HCCL_DATA_TYPE", ASCEND_COLUMNS ("id", "name"), 2, take_text, self->types, false },
    { "NPU_INFO", ASCEND_COLUMNS ("id", "name"), 2, take_text, self->chips, false },
    { "COMPUTE_TASK_INFO",
      ASCEND_COLUMNS ("globalTaskId", "name", "taskType", "opType", "inputShapes", "outputShapes",
                      "blockDim", "blockNum"),
      2, take_kernel, NULL, false },
    { "AICORE_FREQ", ASCEND_COLUMNS ("freq"), 1, take_clock, NULL, true },
    { "COMMUNICATION_TASK_INFO", ASCEND_COLUMNS ("globalTaskId"), 1, take_part, NULL, false },
    { "CANN_API", ASCEND_COLUMNS ("startNs", "type", "connectionId"), 3, take_call, NULL, true },
    { "CONNECTION_IDS", ASCEND_COLUMNS ("id", "connectionId"), 2, take_link, NULL, false },
    { "STEP_TIME", ASCEND_COLUMNS ("id", "startNs", "endNs"), 3, take_step, NULL, false },
  };
  nprof_status status = NPROF_OK;
  for (gsize i = 0; i < G_N_ELEMENTS (loads) && !status; i++)
    status = ascend_each (self, loads[i].table, loads[i].columns, loads[i].needed, loads[i].again,
                          loads[i].take, loads[i].user);
  step_times_sort (self->steps);
  if (!status)
    status = load_operators (self);
  if (!status)
    status = properties (self);
  return status ? status : settle_times (self);
}
