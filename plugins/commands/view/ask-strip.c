/* SPDX-License-Identifier: Apache-2.0 */
/* ask-strip.c - answers route strip: the whole profile in a line for each track that is shown above
 * all: how busy it was, the steps, the gaps, the hits of a search. */

#include "ask.h"
#include "device-track.h"
#include "work-strip.h"

#include <string.h>

/* Adds a lane of the stored picture, as shares of a pixel in 255ths. */
static gboolean
add_lane (NpAsk *ask, guint32 lane, double *busy, guint32 pixels, gint64 t0, gint64 p)
{
  const struct nprof_store_meta *meta = ask->profile->meta;
  struct nprof_rects r = { 0 };
  if (!nprof_store_over (ask->query, lane, &r))
    return FALSE;
  for (guint32 i = 0; i < r.n; i++) {
    double scale = (double) meta->over_p / 16 / (double) p,
           shift = (double) (meta->over_t0 - t0) / (double) p;
    double from = r.x0[i] * scale + shift, to = r.x1[i] * scale + shift, share = r.fill[i] / 255.0;
    for (gint64 x = MAX (0, (gint64) from); x < (gint64) pixels && (double) x < to; x++) {
      double inside = MIN (to, (double) x + 1) - MAX (from, (double) x);
      busy[x] += inside > 0 ? inside * share : 0;
    }
  }
  return TRUE;
}

/* Returns whether it is a device, core or process, which are shown by the outermost spans of the
 * tracks below them. */
static gboolean
is_shown (const struct nprof_store_track *t)
{
  return t->kind == NPROF_TRACK_DEVICE || t->kind == NPROF_TRACK_CORE
         || t->kind == NPROF_TRACK_PROCESS || t->kind == NPROF_TRACK_HOST;
}

/* Returns whether rows of a track are work of a decoder: not what analyzers derive, nor transfers
 * that run beside.  `queues` takes queues and engines alone, because other tracks of a device say
 * to which step or program its work belongs. */
static gboolean
is_work (NpAsk *ask, const struct nprof_store_track *t, gboolean queues)
{
  const struct nprof_store_lane *l = t->n_lanes ? nprof_store_lane_at (ask->store, t->lane) : NULL;
  gboolean queue = t->kind == NPROF_TRACK_QUEUE || t->kind == NPROF_TRACK_ENGINE;
  return l && l->type == NPROF_STORE_LANE_SPAN && !l->origin && t->kind != NPROF_TRACK_DERIVED
         && t->kind != NPROF_TRACK_ASYNC && (queue || !queues);
}

static gboolean
add_tracks_below (NpAsk *ask, guint32 number, double *busy, guint32 pixels, gint64 t0, gint64 p)
{
  const struct nprof_store_track *t;
  gboolean queues = FALSE;
  for (guint32 i = 0; (t = nprof_store_track_at (ask->store, i)); i++)
    queues |= is_work (ask, t, TRUE) && np_track_is_below (ask, t, number);
  for (guint32 i = 0; (t = nprof_store_track_at (ask->store, i)); i++)
    if (is_work (ask, t, queues) && np_track_is_below (ask, t, number)
        && !add_lane (ask, t->lane, busy, pixels, t0, p))
      return FALSE;
  return TRUE;
}

/* Shares of pixels in 255ths, of each kind of work where the track has some. */
typedef struct {
  guint32 number;
  guint8 *shares[NP_N_WORK];
} Line;

static void
free_line (gpointer data)
{
  Line *line = data;
  for (guint k = 0; k < NP_N_WORK; k++)
    g_free (line->shares[k]);
  g_free (line);
}

/* Rounds the sums of the kinds so far, so that the first is how busy the track was in all. */
static Line *
line_of (guint32 number, gboolean works, double *shares, guint32 pixels)
{
  Line *line = g_new0 (Line, 1);
  line->number = number;
  for (guint k = works ? NP_N_WORK : 1; k-- > 0;) {
    line->shares[k] = g_new (guint8, pixels);
    for (guint32 x = 0; x < pixels; x++) {
      double own = shares[k * pixels + x];
      line->shares[k][x] = (guint8) (MIN (own, 1) * 255 + 0.5);
      if (k)
        shares[x] += own;
    }
  }
  return line;
}

/* Finds the shares of a track: of a device those of its work, by kind; else those of all its rows.
 * Returns NULL where the store cannot be read, or time is over. */
static Line *
find_line (NpAsk *ask, NpKins *kins, guint32 number, guint32 pixels, gint64 t0, gint64 p)
{
  g_autofree double *shares = g_new0 (double, NP_N_WORK *(gsize) pixels);
  gboolean failed = FALSE,
           works = np_work_strip (ask, kins, number, pixels, t0, p, shares, &failed);
  if (failed || (!works && !add_tracks_below (ask, number, shares, pixels, t0, p)))
    return NULL;
  return line_of (number, works, shares, pixels);
}

static void
put_shares (NpJson *j, guint32 number, const guint8 *shares, guint32 pixels)
{
  g_autofree char *key = g_strdup_printf ("%u", number);
  np_json_array (j, key);
  for (guint32 x = 0; x < pixels; x++)
    np_json_number (j, NULL, shares[x]);
  np_json_end_array (j);
}

/* Puts how busy each track was, and of devices how much of that is communication alone, copies
 * alone, and control alone. */
static gboolean
put_busy (NpAsk *ask, guint32 pixels, gint64 t0, gint64 p)
{
  const struct nprof_store_track *t;
  g_autoptr (NpKins) kins = np_kins_new (ask);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (free_line);
  for (guint32 i = 0; (t = nprof_store_track_at (ask->store, i)); i++) {
    Line *line = is_shown (t) ? find_line (ask, kins, t->number, pixels, t0, p) : NULL;
    if (line)
      g_ptr_array_add (lines, line);
    else if (is_shown (t))
      return FALSE;
  }
  for (guint k = 0; k < NP_N_WORK; k++) {
    np_json_object (&ask->json, k == NP_WORK_COMPUTE ? "busy" : np_work_words[k]);
    for (guint i = 0; i < lines->len; i++) {
      const Line *line = g_ptr_array_index (lines, i);
      if (line->shares[k])
        put_shares (&ask->json, line->number, line->shares[k], pixels);
    }
    np_json_end_object (&ask->json);
  }
  return TRUE;
}

/* Marks a track and what holds it. */
static void
mark (NpAsk *ask, const struct nprof_store_track *t, GHashTable *marked)
{
  for (; t && g_hash_table_add (marked, GUINT_TO_POINTER (t->number)); t = np_track_parent (ask, t))
    ;
}

/* Puts the numbers of tracks that have rows which may be work or not, as is unknown: devices of
 * which a table does not say how busy they were, and what holds them. */
static void
put_unsure (NpAsk *ask)
{
  g_auto (NpCells) devices = { 0 };
  const struct nprof_store_track *t;
  g_autoptr (GHashTable) unsure = g_hash_table_new (NULL, NULL);
  NpJson *j = &ask->json;
  gint64 busy;
  np_ask_cells (ask, &devices, "devices");
  for (guint64 i = 0; i < devices.rows; i++)
    if (!np_cells_i64 (&devices, i, "busy_ns", &busy))
      mark (ask, np_device_track_of (ask, &devices, i), unsure);
  np_json_array (j, "unsure");
  for (guint32 i = 0; (t = nprof_store_track_at (ask->store, i)); i++)
    if (is_shown (t) && g_hash_table_contains (unsure, GUINT_TO_POINTER (t->number)))
      np_json_number (j, NULL, t->number);
  np_json_end_array (j);
}

/* Returns the track whose rows, with those below it, a range of a table is of: a device's; what a
 * process says of itself, as a training loop of its steps, holds for all of its input. */
static const struct nprof_store_track *
scope_of (NpAsk *ask, const NpCells *cells, guint64 row)
{
  const struct nprof_store_track *t = np_device_track_of (ask, cells, row), *above;
  if (!t || t->kind != NPROF_TRACK_PROCESS)
    return t;
  for (guint i = 0; i < NP_TRACK_DEPTH && (above = np_track_parent (ask, t)); i++)
    t = above;
  return t;
}

/* The same, which looks once for all rows of a device. */
static const struct nprof_store_track *
known_scope (NpAsk *ask, const NpCells *cells, guint64 row, GHashTable *known)
{
  g_autofree char *device = np_cells_text (cells, row, "device"),
                  *input = np_cells_text (cells, row, "input"),
                  *key = g_strdup_printf ("%s\n%s", input ? input : "", device ? device : "");
  gpointer scope;
  if (!g_hash_table_lookup_extended (known, key, NULL, &scope)) {
    scope = (gpointer) scope_of (ask, cells, row);
    g_hash_table_insert (known, g_steal_pointer (&key), scope);
  }
  return scope;
}

static void
put_scope (NpJson *j, const struct nprof_store_track *scope)
{
  if (scope)
    np_json_number (j, NULL, scope->number);
  else
    np_json_null (j, NULL);
}

static void
put_range (NpAsk *ask, const NpCells *cells, guint64 row, const char *text, GHashTable *known)
{
  NpJson *j = &ask->json;
  gint64 start, duration;
  if (!np_cells_i64 (cells, row, "start_ns", &start)
      || !np_cells_i64 (cells, row, "duration_ns", &duration))
    return;
  g_autofree char *what = np_cells_text (cells, row, text);
  const struct nprof_store_track *scope = known_scope (ask, cells, row, known);
  np_json_array (j, NULL);
  np_json_i64 (j, NULL, start);
  np_json_i64 (j, NULL, start + duration);
  np_json_text (j, NULL, what ? what : "");
  put_scope (j, scope);
  np_json_end_array (j);
}

/* Puts [from, to, text, track] of the rows of a table that have a start, in ps: columns that are
 * called _ns hold ps in a store. None where the profile lacks the table. */
static void
put_ranges (NpAsk *ask, const char *table, const char *text)
{
  g_auto (NpCells) cells = { 0 };
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  np_json_array (&ask->json, table);
  np_ask_cells (ask, &cells, table);
  for (guint64 i = 0; i < cells.rows; i++)
    put_range (ask, &cells, i, text, known);
  np_json_end_array (&ask->json);
}

/* Puts [ps, cause, track] of the gaps of a device that the analyzer summed up, as each was too
 * short for a row. */
static void
put_short_gaps (NpAsk *ask)
{
  g_auto (NpCells) gaps = { 0 };
  NpJson *j = &ask->json;
  gint64 start, duration;
  np_json_array (j, "short_gaps");
  np_ask_cells (ask, &gaps, "gaps");
  for (guint64 i = 0; i < gaps.rows; i++) {
    if (np_cells_i64 (&gaps, i, "start_ns", &start)
        || !np_cells_i64 (&gaps, i, "duration_ns", &duration))
      continue;
    g_autofree char *cause = np_cells_text (&gaps, i, "cause");
    np_json_array (j, NULL);
    np_json_i64 (j, NULL, duration);
    np_json_text (j, NULL, cause ? cause : "");
    put_scope (j, scope_of (ask, &gaps, i));
    np_json_end_array (j);
  }
  np_json_end_array (j);
}

static gboolean
put_hits (NpAsk *ask, guint32 pixels, gint64 t0, gint64 p)
{
  const char *text = np_request_param (ask->request, "q");
  g_autofree guint32 *hits = g_new0 (guint32, pixels);
  guint32 at = 0;
  guint64 n;
  gboolean good = TRUE;
  if (text && *text) {
    struct nprof_search *search = nprof_search_new (ask->query, text, &at);
    if (!search)
      return np_reply_fail_at (ask->reply, 400, at, "", ask->query->error);
    good = nprof_search_count (ask->query, search, NULL, 0, t0, t0 + p * pixels, &n, hits, pixels,
                               NULL);
    nprof_search_free (search);
  }
  np_json_array (&ask->json, "hits");
  for (guint32 x = 0; text && *text && x < pixels; x++)
    np_json_number (&ask->json, NULL, hits[x]);
  np_json_end_array (&ask->json);
  return good;
}

gboolean
np_ask_strip (NpAsk *ask)
{
  const struct nprof_store_meta *meta = ask->profile->meta;
  guint32 pixels;
  if (!np_ask_u32 (ask, "pixels", 1024, 4096, &pixels))
    return FALSE;
  if (pixels < 512)
    return np_ask_wrong (ask, "pixels", "a number from 512 to 4096");
  gboolean timed = meta->first <= meta->last;
  gint64 t0 = timed ? meta->first : 0, p = timed ? (meta->last - t0) / pixels + 1 : 1;
  np_json_object (&ask->json, NULL);
  np_json_i64 (&ask->json, "t0", t0);
  np_json_i64 (&ask->json, "p", p);
  if (!put_busy (ask, pixels, t0, p))
    return FALSE;
  put_unsure (ask);
  put_ranges (ask, "steps", "step");
  put_ranges (ask, "gaps", "cause");
  put_short_gaps (ask);
  if (!put_hits (ask, pixels, t0, p))
    return FALSE;
  np_json_end_object (&ask->json);
  return TRUE;
}
