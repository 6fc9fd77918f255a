/* SPDX-License-Identifier: Apache-2.0 */
/* launches.c - finds by its connection what launched work: the call of CANN, and the operator of
 * PyTorch around it, with the shapes of its inputs. */
#include "ascend.h"

#include "producers/ascend-flops.h"
#include "producers/nested.h"

enum { NO_CALL = G_MAXINT32 }; /* the rank of a launch of which only the operator is known */

AscendLaunch *
ascend_launch (Ascend *self, gint64 connection)
{
  return ids_find (&self->launches, connection);
}

/* -- Calls ------------------------------------------------------------------------------------- */

static AscendLaunch *
add_launch (Ascend *self, gint64 connection)
{
  AscendLaunch *launch = ids_add (&self->launches, connection);
  launch->start = launch->operator_start = G_MININT64;
  launch->rank = NO_CALL;
  return launch;
}

/* The launch is the call of a node, else of AscendCL, else of HCCL. */
static nprof_status
take_call (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  const gint64 start = ascend_int (rows, columns[0]), type = ascend_int (rows, columns[1]),
               connection = ascend_int (rows, columns[2]);
  const guint rank = type == 10000 ? 0 : type == 20000 ? 1 : type == 5500 ? 2 : NO_CALL;
  (void) user;
  ascend_note_start (self, start);
  if (connection < 0 || start < 0 || rank == NO_CALL)
    return NPROF_OK;
  AscendLaunch *launch = add_launch (self, connection);
  launch->rank = rank;
  launch->start = start;
  const StepTime *step = rank ? NULL : step_time_at (self->steps, start);
  if (step && ascend_int (rows, columns[3]) <= step->end)
    launch->step = 1 + (guint) (step - (const StepTime *) (gpointer) self->steps->data);
  return NPROF_OK;
}

static nprof_status
take_link (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  gint64 id, connection;
  (void) user;
  if (!db_int (rows, columns[0], &id) || !db_int (rows, columns[1], &connection))
    return NPROF_OK;
  ((AscendLink *) ids_add (&self->links, id))->connection = connection;
  add_launch (self, connection);
  return NPROF_OK;
}

/* Makes one launch of all of a connection: of calls of a kind the first, of steps the last. */
static void
merge_launches (gpointer into, gconstpointer other)
{
  AscendLaunch *launch = into;
  const AscendLaunch *next = other;
  launch->start = next->rank < launch->rank ? next->start : launch->start;
  launch->rank = MIN (launch->rank, next->rank);
  launch->step = next->step ? next->step : launch->step;
}

/* -- Operators --------------------------------------------------------------------------------- */

/* An operator, and which of its texts are its shapes: of known files they stand under the types. */
typedef struct {
  Nested span;
  nprof_str shapes;
} Operator;

static nprof_str
shapes_of (Ascend *self, DbRows *rows, const int *columns)
{
  for (guint i = 0; i < 2; i++) {
    const nprof_str text = ascend_text (&self->strings, ascend_int (rows, columns[4 + i]));
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
  GHashTable *threads = user;
  ascend_note_start (self, start);
  if (ascend_int (rows, columns[3]) != 50001)
    return NPROF_OK;
  const AscendLink *link = ids_find (&self->links, id);
  const AscendLink *end = ids_at (&self->links, ids_len (&self->links));
  for (; link && link < end && link->operation == id; link++) {
    AscendLaunch *launch = ascend_launch (self, link->connection);
    if (start <= launch->operator_start)
      continue;
    launch->operator_start = start;
    launch->operator_thread = thread;
    launch->operation = ascend_text (&self->strings, ascend_int (rows, columns[2]));
  }
  if (!self->want_flops)
    return NPROF_OK;
  NpLargeArray *list = g_hash_table_lookup (threads, &thread);
  if (!list) {
    list = np_large_array_new (sizeof (Operator));
    g_hash_table_replace (threads, g_memdup2 (&thread, sizeof thread), list);
  }
  np_large_array_extend (list, list->len + 1);
  g_array_index (list, Operator, list->len - 1)
      = (Operator){ { start, ascend_int (rows, columns[7]), -1 }, shapes_of (self, rows, columns) };
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
  for (guint i = 0; i < ids_len (&self->launches); i++) {
    AscendLaunch *launch = ids_at (&self->launches, i);
    const NpLargeArray *list = g_hash_table_lookup (threads, &launch->operator_thread);
    const Nested *o = launch->operation && list ? nested_at (list, launch->operator_start) : NULL;
    for (; o && !launch->shapes; o = nested_around (list, o))
      launch->shapes = ((const Operator *) o)->shapes;
  }
}

static nprof_status
load_operators (Ascend *self)
{
  g_autoptr (GHashTable) threads = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                                          (GDestroyNotify) np_large_array_free);
  nprof_status status
      = ascend_each (self, "PYTORCH_API",
                     ASCEND_COLUMNS ("startNs", "connectionId", "name", "type", "inputShapes",
                                     "inputDtypes", "globalTid", "endNs"),
                     4, true, take_operator, threads);
  find_shapes (self, threads);
  ids_clear (&self->links);
  return status;
}

bool
ascend_wants_operators (const Ascend *self)
{
  return self->want_operator || self->want_flops;
}

nprof_status
ascend_launches (Ascend *self)
{
  nprof_status status
      = ascend_each (self, "CANN_API", ASCEND_COLUMNS ("startNs", "type", "connectionId", "endNs"),
                     3, true, take_call, NULL);
  db_leave (&self->db, "CONNECTION_IDS");
  if (!status && ascend_wants_operators (self))
    status = ascend_each (self, "CONNECTION_IDS", ASCEND_COLUMNS ("id", "connectionId"), 2, false,
                          take_link, NULL);
  ids_join (&self->launches, merge_launches);
  ids_settle (&self->links);
  return status || !ascend_wants_operators (self) ? status : load_operators (self);
}
