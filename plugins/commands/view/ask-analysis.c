/* SPDX-License-Identifier: Apache-2.0 */
/* ask-analysis.c - answers routes gaps, steps and operators: stored tables with the rows and parts
 * that belong to them. */

#include "device-track.h"
#include "step-skews.h"
#include "tables.h"
#include "window-rows.h"

#include <string.h>

/* Opens the table of this name, of the window that the request asks of, filtered by parameters that
 * are columns' values; *there: the store has it. FALSE: the reply is 202, or an error. */
static gboolean
open_table (NpAsk *ask, NpCells *cells, NpChosenRows *table, const char *name,
            const char *const *filters, gboolean *there)
{
  const char *why;
  gint64 t0, t1;
  if (!np_ask_range (ask, &t0, &t1))
    return FALSE;
  *there = np_ask_cells (ask, cells, name);
  if (!*there)
    return TRUE;
  if (!np_window_rows (ask, cells, &why))
    return FALSE;
  if (!np_rows_choose (ask, cells, table))
    return FALSE;
  for (; *filters; filters++) {
    const char *value = np_request_param (ask->request, *filters);
    if (value && *value)
      np_rows_keep (table, cells, *filters, value);
  }
  return TRUE;
}

static void
put_empty (NpJson *j, const char *name)
{
  np_json_array (j, name);
  np_json_end_array (j);
}

/* -- gaps ------------------------------------------------------------------------------ */

#define FEW_BEHIND 8 /* rows of a lane, which may be annotations before the work */

typedef struct {
  struct nprof_row row[2]; /* before and after */
  gint64 away[2];          /* ps from the gap  */
  gint64 length[2];        /* ps               */
  gboolean has[2];
  GArray *during;       /* of struct nprof_row */
  const char *ended_by; /* name of the work that follows; NULL: not known */
  gboolean is_it;       /* the row after the gap has that name            */
} Around;

/* Keeps the row that is nearest to the gap, and the shortest of equally near ones, since an
 * annotation or a loop begins with the work in it and says less. */
static void
keep_nearest (Around *a, guint side, struct nprof_row row, gint64 away, gint64 duration)
{
  gint64 length = duration < 0 ? G_MAXINT64 : duration;
  if (a->has[side]
      && (away > a->away[side] || (away == a->away[side] && length >= a->length[side])))
    return;
  a->has[side] = TRUE;
  a->row[side] = row;
  a->away[side] = away;
  a->length[side] = length;
}

/* Keeps the first row behind the gap that has the name of the work which ended it: an annotation or
 * a wait may begin before that. Where none has it, the nearest is kept. */
static gboolean
look_behind (NpAsk *ask, guint32 lane, guint32 first, guint32 rows, gint64 end, Around *a)
{
  struct nprof_event e;
  const guint32 last = MIN (rows, first + (a->ended_by ? FEW_BEHIND : 1));
  for (struct nprof_row row = { lane, first }; row.row < last; row.row++) {
    if (!nprof_store_event (ask->query, row, &e))
      return FALSE;
    gboolean is_it = a->ended_by && !strcmp (np_label_name (ask, e.label), a->ended_by);
    if (is_it && !a->is_it)
      a->has[1] = FALSE; /* what was kept is not */
    if (is_it || !a->is_it)
      keep_nearest (a, 1, row, e.start - end, e.duration);
    a->is_it |= is_it;
    if (is_it)
      break;
  }
  return TRUE;
}

/* Finds the rows beside the gap in one lane: the last that ends before it, the first that begins
 * behind it. */
static gboolean
look_beside (NpAsk *ask, guint32 lane, guint32 rows, gint64 start, gint64 end, Around *a)
{
  struct nprof_row row = { lane, 0 };
  struct nprof_event e;
  bool found;
  if (!nprof_store_before (ask->query, lane, start, &row.row, &found))
    return FALSE;
  if (found && nprof_store_event (ask->query, row, &e) && e.duration >= 0
      && e.start + e.duration <= start)
    keep_nearest (a, 0, row, start - e.start - e.duration, e.duration);
  if (!nprof_store_before (ask->query, lane, end - 1, &row.row, &found))
    return FALSE;
  return look_behind (ask, lane, found ? row.row + 1 : 0, rows, end, a);
}

/* Returns whether a row fills at least half of the gap; one without an end does. */
static gboolean
fills_half (NpAsk *ask, struct nprof_row row, gint64 start, gint64 end)
{
  struct nprof_event e;
  if (!nprof_store_event (ask->query, row, &e))
    return FALSE;
  gint64 last = e.duration < 0 ? end : MIN (end, e.start + e.duration);
  return last - MAX (start, e.start) >= (end - start) / 2;
}

/* Adds the row of a lane in the middle of the gap.  Of a track it is the innermost that fills half
 * of the gap, as what is around that says less, and what is within is a part; else the outermost.
 * Lanes of a track come from the outside to the inside. */
static gboolean
look_within (NpAsk *ask, guint32 lane, gint64 start, gint64 end, Around *a)
{
  struct nprof_row row = { lane, 0 }, *last;
  bool found;
  if (!nprof_store_at (ask->query, lane, start + (end - start) / 2, &row.row, &found))
    return FALSE;
  last = a->during->len ? &g_array_index (a->during, struct nprof_row, a->during->len - 1) : NULL;
  if (found && last
      && nprof_store_lane_at (ask->store, last->lane)->track
             == nprof_store_lane_at (ask->store, lane)->track) {
    if (fills_half (ask, row, start, end))
      *last = row;
  } else if (found && a->during->len < 5) {
    g_array_append_val (a->during, row);
  }
  return TRUE;
}

/* Looks at one lane: work of the device lies beside the gap; its transfers, or threads elsewhere,
 * may lie within. */
static gboolean
look_at_lane (NpAsk *ask, guint32 device, gboolean own, guint32 lane, gint64 start, gint64 end,
              Around *a)
{
  const struct nprof_store_lane *l = nprof_store_lane_at (ask->store, lane);
  const struct nprof_store_track *t
      = nprof_store_track_at (ask->store, nprof_store_track_of (ask->store, l->track));
  if (l->type != NPROF_STORE_LANE_SPAN || l->origin || !t
      || np_track_is_below (ask, t, device) != own)
    return TRUE;
  gboolean work = t->kind == NPROF_TRACK_QUEUE || t->kind == NPROF_TRACK_ENGINE;
  /* A row around the gap, such as an annotation, hides none that lies within it. */
  if (own && work && !look_beside (ask, lane, l->rows, start, end, a))
    return FALSE;
  gboolean within = own ? work || t->kind == NPROF_TRACK_ASYNC : t->kind == NPROF_TRACK_THREAD;
  return !within || look_within (ask, lane, start, end, a);
}

/* Rows of the device itself come before rows of hosts: few have room, and its own say most of
 * the gap. */
static gboolean
look_around (NpAsk *ask, guint32 device, gint64 start, gint64 end, Around *a)
{
  for (int own = TRUE; own >= FALSE; own--)
    for (guint32 i = 0; nprof_store_lane_at (ask->store, i); i++)
      if (!look_at_lane (ask, device, own, i, start, end, a))
        return FALSE;
  return TRUE;
}

/* Finds what is around a row of table gaps, whose array the caller frees; FALSE: an error. */
static gboolean
find_around (NpAsk *ask, const NpCells *gaps, guint64 row, Around *a)
{
  g_autofree char *device = np_cells_text (gaps, row, "device"),
                  *ended_by = np_cells_text (gaps, row, "ended_by");
  const struct nprof_store_track *track = np_device_track_of (ask, gaps, row);
  gint64 start, duration;
  *a = (Around){ .during = g_array_new (FALSE, FALSE, sizeof (struct nprof_row)),
                 .ended_by = ended_by };
  gboolean good
      = !device || !np_cells_i64 (gaps, row, "start_ns", &start)
        || !np_cells_i64 (gaps, row, "duration_ns", &duration)
        || look_around (ask, track ? track->number : G_MAXUINT32, start, start + duration, a);
  a->ended_by = NULL; /* freed here */
  return good;
}

static gboolean
put_around (NpAsk *ask, const NpCells *gaps, guint64 row)
{
  static const char *const names[] = { "before", "after" };
  NpJson *j = &ask->json;
  Around a;
  gboolean good = find_around (ask, gaps, row, &a);
  np_json_object (j, NULL);
  for (guint i = 0; i < 2; i++)
    if (a.has[i])
      np_json_row (j, names[i], a.row[i].lane, a.row[i].row);
    else
      np_json_null (j, names[i]);
  np_json_array (j, "during");
  for (guint i = 0; i < a.during->len; i++) {
    const struct nprof_row *r = &g_array_index (a.during, struct nprof_row, i);
    np_json_row (j, NULL, r->lane, r->row);
  }
  np_json_end_array (j);
  np_json_end_object (j);
  g_array_unref (a.during);
  return good;
}

gboolean
np_ask_gaps (NpAsk *ask)
{
  static const char *const filters[] = { "device", "cause", NULL };
  g_auto (NpCells) gaps = { 0 };
  g_auto (NpChosenRows) table = { 0 };
  gboolean there;
  if (!open_table (ask, &gaps, &table, "gaps", filters, &there))
    return ask->reply->status == 202;
  np_json_object (&ask->json, NULL);
  np_json_window (ask);
  if (!there) {
    np_json_no_table (&ask->json, "gaps",
                      "needs the analyzer device, and work of a device in the profile");
    put_empty (&ask->json, "rows_more");
  } else {
    if (!np_json_table (ask, &gaps, &table))
      return FALSE;
    np_json_array (&ask->json, "rows_more");
    for (guint i = table.offset; i < table.rows->len && i - table.offset < table.n; i++)
      if (!put_around (ask, &gaps, g_array_index (table.rows, guint64, i)))
        return FALSE;
    np_json_end_array (&ask->json);
  }
  np_json_end_object (&ask->json);
  return TRUE;
}

/* -- steps ------------------------------------------------------------------------------- */

/* Puts the parts of each step: all columns of times that add up to its window. */
static void
put_parts (NpAsk *ask, const NpCells *cells)
{
  static const char *const parts[]
      = { "compute_ns",   "exposed_communication_ns", "exposed_copy_ns", "control_ns",
          "idle_host_ns", "idle_launch_ns",           "idle_wait_ns",    "idle_unlinked_ns",
          "lost_ns" };
  NpJson *j = &ask->json;
  gint64 ps;
  np_json_array (j, "parts");
  for (guint64 i = 0; i < cells->rows; i++) {
    g_autofree char *step = np_cells_text (cells, i, "step"),
                    *device = np_cells_text (cells, i, "device"),
                    *input = np_cells_text (cells, i, "input");
    np_json_object (j, NULL);
    np_json_text (j, "input", input ? input : "");
    np_json_text (j, "step", step ? step : "");
    np_json_text (j, "device", device ? device : "");
    np_json_object (j, "parts");
    for (guint k = 0; k < G_N_ELEMENTS (parts); k++) {
      g_autofree char *name = g_strndup (parts[k], strlen (parts[k]) - 3);
      if (np_cells_i64 (cells, i, parts[k], &ps))
        np_json_i64 (j, name, ps);
    }
    np_json_end_object (j);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

gboolean
np_ask_steps (NpAsk *ask)
{
  static const char *const filters[] = { "device", NULL };
  g_auto (NpCells) steps = { 0 }, breakdown = { 0 };
  g_auto (NpChosenRows) table = { 0 };
  gboolean there;
  const char *why;
  if (!open_table (ask, &steps, &table, "steps", filters, &there)
      || (np_ask_cells (ask, &breakdown, "step_breakdown")
          && !np_window_rows (ask, &breakdown, &why)))
    return ask->reply->status == 202;
  np_json_object (&ask->json, NULL);
  np_json_window (ask);
  if (!there)
    np_json_no_table (&ask->json, "steps", "needs the analyzer steps");
  else if (!np_json_table (ask, &steps, &table))
    return FALSE;
  put_parts (ask, &breakdown);
  np_put_step_skews (ask, &steps);
  np_json_end_object (&ask->json);
  return TRUE;
}

/* -- operators ----------------------------------------------------------------------------- */

typedef struct {
  char *name;
  double time;
} Slice;

static void
slice_clear (gpointer data)
{
  g_free (((Slice *) data)->name);
}

static int
by_time (gconstpointer a, gconstpointer b)
{
  const Slice *x = a, *y = b;
  return x->time != y->time ? (x->time < y->time ? 1 : -1) : strcmp (x->name, y->name);
}

/* Puts self time summed by a column over the chosen rows. */
static void
put_pie (NpAsk *ask, const char *key, const NpCells *cells, const NpChosenRows *table,
         const char *column)
{
  g_autoptr (GHashTable) at = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (Slice));
  NpJson *j = &ask->json;
  gint64 self;
  for (guint i = 0; i < table->rows->len; i++) {
    guint64 row = g_array_index (table->rows, guint64, i);
    g_autofree char *name = np_cells_text (cells, row, column);
    if (!np_cells_i64 (cells, row, "self_ns", &self))
      continue;
    gpointer index = g_hash_table_lookup (at, name ? name : "unknown");
    if (!index) {
      Slice slice = { g_strdup (name ? name : "unknown"), 0 };
      g_array_append_val (slices, slice);
      index = GUINT_TO_POINTER (slices->len);
      g_hash_table_insert (at, slice.name, index);
    }
    g_array_index (slices, Slice, GPOINTER_TO_UINT (index) - 1).time += (double) self;
  }
  g_array_sort (slices, by_time);
  np_json_array (j, key);
  for (guint i = 0; i < slices->len; i++) {
    np_json_array (j, NULL);
    np_json_text (j, NULL, g_array_index (slices, Slice, i).name);
    np_json_double (j, NULL, g_array_index (slices, Slice, i).time);
    np_json_end_array (j);
    slice_clear (&g_array_index (slices, Slice, i));
  }
  np_json_end_array (j);
}

static void
put_devices (NpAsk *ask, const NpCells *cells)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  np_json_array (&ask->json, "devices");
  for (guint64 i = 0; i < cells->rows; i++) {
    char *device = np_cells_text (cells, i, "device");
    if (device && !g_hash_table_contains (seen, device))
      np_json_text (&ask->json, NULL, device);
    if (device)
      g_hash_table_add (seen, device);
  }
  np_json_end_array (&ask->json);
}

gboolean
np_ask_operators (NpAsk *ask)
{
  static const char *const filters[] = { "device", NULL };
  g_auto (NpCells) cells = { 0 };
  g_auto (NpChosenRows) table = { 0 };
  const char *level = np_request_param (ask->request, "level");
  gboolean there;
  guint known;
  if (!np_ask_word (ask, "level", "framework|hlo|opcode|layer|name|category", &known))
    return FALSE;
  if (!open_table (ask, &cells, &table, "operators", filters, &there))
    return ask->reply->status == 202;
  np_json_object (&ask->json, NULL);
  np_json_window (ask);
  if (there && level)
    np_rows_keep (&table, &cells, "level", level);
  if (!there)
    np_json_no_table (&ask->json, "operators", "needs the analyzer operators");
  else if (!np_json_table (ask, &cells, &table))
    return FALSE;
  put_devices (ask, &cells);
  np_json_object (&ask->json, "pies");
  if (there) {
    put_pie (ask, "by_device", &cells, &table, "device");
    put_pie (ask, "by_operator", &cells, &table, "operator");
  } else {
    put_empty (&ask->json, "by_device");
    put_empty (&ask->json, "by_operator");
  }
  np_json_end_object (&ask->json);
  np_json_end_object (&ask->json);
  return TRUE;
}
