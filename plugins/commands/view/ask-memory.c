/* SPDX-License-Identifier: Apache-2.0 */
/* ask-memory.c - answers route memory: the peak and who held it as the store has them, the bytes
 * over time as analyzer device counts them, and who held memory at another time as an analysis of a
 * window of no length says it. */

#include "ask-jobs.h"
#include "stored/cells.h"

#include <string.h>

#define MEMORY_COUNTER "Device Memory" /* of analyzer device */

/* Returns whether it is of that allocator or input; NULL is any. */
static gboolean
is_of (const NpCells *cells, guint64 row, const char *column, const char *wanted)
{
  return !wanted || np_cells_is (cells, row, column, wanted);
}

/* Returns the row of table memory with the highest peak; G_MAXUINT64: there is none. */
static guint64
highest (const NpCells *memory, const char *allocator)
{
  guint64 row = G_MAXUINT64;
  gint64 bytes = 0, best = -1;
  for (guint64 i = 0; i < memory->rows; i++)
    if (is_of (memory, i, "allocator", allocator)
        && np_cells_i64 (memory, i, "peak_bytes", &bytes) && bytes > best) {
      best = bytes;
      row = i;
    }
  return row;
}

static void
put_peak (NpAsk *ask, const NpCells *memory, guint64 row)
{
  NpJson *j = &ask->json;
  gint64 bytes = 0, when = 0;
  if (row == G_MAXUINT64) {
    np_json_null (j, "peak");
    return;
  }
  np_cells_i64 (memory, row, "peak_bytes", &bytes);
  np_cells_i64 (memory, row, "peak_ns", &when);
  np_json_object (j, "peak");
  np_json_i64 (j, "t", when);
  np_json_i64 (j, "bytes", bytes);
  np_json_end_object (j);
}

/* -- Over time --------------------------------------------------------------------- */

/* Returns the key of the device whose memory the allocator has, of a name as "CUDA 0"; NULL: its
 * name does not say. */
static const char *
device_of (const char *allocator)
{
  const char *number = allocator ? strrchr (allocator, ' ') : NULL;
  return number && number[1] && !number[1 + strspn (number + 1, "0123456789")] ? number + 1 : NULL;
}

static gboolean
is_counter_of (NpAsk *ask, const struct nprof_store_track *track, const char *device,
               const char *input)
{
  const struct nprof_store_track *parent = np_track_parent (ask, track);
  const struct nprof_store_input *from = nprof_store_input_at (ask->store, track->input);
  return !strcmp (np_ask_string (ask, track->key), MEMORY_COUNTER) && parent
         && parent->kind == NPROF_TRACK_DEVICE && !strcmp (np_ask_string (ask, parent->key), device)
         && from && !g_strcmp0 (np_ask_string (ask, from->label), input);
}

/* Returns the lane of the counter that analyzer device makes of this allocator's bytes; NULL: it
 * makes none. */
static const struct nprof_store_lane *
counter_of (NpAsk *ask, const NpCells *memory, guint64 row, guint32 *lane)
{
  const struct nprof_store_track *t;
  if (row == G_MAXUINT64)
    return NULL;
  g_autofree char *allocator = np_cells_text (memory, row, "allocator"),
                  *input = np_cells_text (memory, row, "input");
  const char *device = device_of (allocator);
  for (guint32 i = 0; device && (t = nprof_store_track_at (ask->store, i)); i++) {
    *lane = t->lane;
    const struct nprof_store_lane *l = t->n_lanes && is_counter_of (ask, t, device, input)
                                           ? nprof_store_lane_at (ask->store, *lane)
                                           : NULL;
    if (l && l->type == NPROF_STORE_LANE_COUNTER)
      return l;
  }
  return NULL;
}

static gboolean
put_series (NpAsk *ask, const NpCells *memory, guint64 row)
{
  NpJson *j = &ask->json;
  guint32 lane = 0;
  const struct nprof_store_lane *l = counter_of (ask, memory, row, &lane);
  struct nprof_event e;
  np_json_array (j, "series");
  for (guint32 i = 0; l && i < l->rows; i++) {
    if (!nprof_store_event (ask->query, (struct nprof_row){ lane, i }, &e))
      return FALSE;
    np_json_array (j, NULL);
    np_json_i64 (j, NULL, e.start);
    np_json_i64 (j, NULL, (gint64) e.value);
    np_json_end_array (j);
  }
  np_json_end_array (j);
  np_json_text (j, "unknown_series",
                l ? ""
                  : "the use over time is drawn for PyTorch's devices alone; of other allocators "
                    "the peak is kept, and counters that the file has are rows of the timeline");
  return TRUE;
}

/* -- Who holds it ------------------------------------------------------------------ */

static void
put_holder (NpJson *j, const char *name, const char *module, const char *allocator, gint64 bytes)
{
  np_json_object (j, NULL);
  np_json_null (j, "row");
  if (name)
    np_json_text (j, "name", name);
  else
    np_json_null (j, "name");
  np_json_i64 (j, "bytes", bytes);
  np_json_text (j, "category", module ? module : "");
  np_json_text (j, "allocator", allocator ? allocator : "");
  np_json_end_object (j);
}

/* Puts who held memory, of table memory_holders: of the peak of `input`, or of the moment that an
 * analysis is of. */
static void
put_alive (NpJson *j, const NpCells *holders, const char *allocator, const char *input)
{
  gint64 bytes;
  np_json_array (j, "alive");
  for (guint64 i = 0; i < holders->rows; i++) {
    if (!is_of (holders, i, "allocator", allocator) || !is_of (holders, i, "input", input)
        || !np_cells_i64 (holders, i, "bytes", &bytes))
      continue;
    g_autofree char *operator= np_cells_text (holders, i, "operator"),
                    *module = np_cells_text (holders, i, "module"),
                    *region = np_cells_text (holders, i, "region"),
                    *own = np_cells_text (holders, i, "allocator");
    put_holder (j, operator? operator : region, module, own, bytes);
  }
  np_json_end_array (j);
}

/* Returns the tables of the moment after `t`, so that what begins or ends then has done so; NULL:
 * the reply is 202, or says why there are none. Transfer full. */
static NpTableStore *
tables_of (NpAsk *ask, gint64 t)
{
  NpAnalysis *analysis = np_job_analysis (ask);
  const gint64 moment = MIN (t, G_MAXINT64 - 1) + 1;
  np_analysis_clip (analysis, moment, moment);
  return np_job_tables (ask, analysis);
}

/* Returns what table abilities says of memory; transfer full. NULL: nothing. */
static char *
why_none (NpAsk *ask)
{
  g_auto (NpCells) abilities = { 0 };
  np_ask_cells (ask, &abilities, "abilities");
  for (guint64 i = 0; i < abilities.rows; i++)
    if (np_cells_is (&abilities, i, "question", "memory"))
      return np_cells_text (&abilities, i, "why");
  return NULL;
}

gboolean
np_ask_memory (NpAsk *ask)
{
  const char *allocator = np_request_param (ask->request, "device");
  gboolean then = np_request_param (ask->request, "t") != NULL;
  g_auto (NpCells) memory = { 0 }, holders = { 0 };
  gint64 t;
  if (!np_ask_i64 (ask, "t", 0, &t))
    return FALSE;
  gboolean there = np_ask_cells (ask, &memory, "memory") && memory.rows;
  g_autoptr (NpTableStore) tables = then && there ? tables_of (ask, t) : NULL;
  if (then && there && !tables)
    return ask->reply->status == 202;
  NpJson *j = &ask->json;
  guint64 row = highest (&memory, allocator);
  np_json_object (j, NULL);
  if (!put_series (ask, &memory, row))
    return FALSE;
  put_peak (ask, &memory, row);
  if (tables)
    np_json_i64 (j, "t", t);
  else
    np_json_null (j, "t");
  if (tables)
    np_cells_lend (&holders, tables, "memory_holders");
  else
    np_ask_cells (ask, &holders, "memory_holders");
  g_autofree char *input = row == G_MAXUINT64 ? NULL : np_cells_text (&memory, row, "input");
  put_alive (j, &holders, allocator, input);
  g_autofree char *why = there ? NULL : why_none (ask);
  if (!there)
    np_json_text (j, "unknown", why ? why : "no allocations in the file");
  np_json_end_object (j);
  return TRUE;
}
