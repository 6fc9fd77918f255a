/* SPDX-License-Identifier: Apache-2.0 */
/* ask-near.c - answers routes at, near and edges: the rows around a row or a time, for snapping and
 * for going on. */

#include "ask.h"

#include <stdlib.h>
#include <string.h>

/* Puts a row, or nothing. */
static gboolean
put_place (NpAsk *ask, gboolean found, struct nprof_row row, gboolean whole)
{
  NpJson *j = &ask->json;
  struct nprof_event e = { 0 };
  if (found && !nprof_store_event (ask->query, row, &e))
    return FALSE;
  np_json_object (j, NULL);
  if (found)
    np_json_row (j, "row", row.lane, row.row);
  else
    np_json_null (j, "row");
  if (whole && found)
    np_json_number (j, "lane", row.lane);
  else if (whole)
    np_json_null (j, "lane");
  if (found) {
    np_json_i64 (j, "start", e.start);
    np_json_duration (j, "duration", &e);
  } else {
    np_json_null (j, "start");
    np_json_null (j, "duration");
  }
  if (whole && found)
    np_json_number (j, "label", e.label);
  else if (whole)
    np_json_null (j, "label");
  np_json_end_object (j);
  return TRUE;
}

gboolean
np_ask_at (NpAsk *ask)
{
  guint how;
  gint64 t;
  struct nprof_row row = { 0 };
  bool found = false;
  if (!np_request_param (ask->request, "lane") || !np_request_param (ask->request, "t"))
    return np_ask_missing (ask, np_request_param (ask->request, "lane") ? "t" : "lane");
  if (!np_ask_u32 (ask, "lane", 0, G_MAXUINT32, &row.lane) || !np_ask_i64 (ask, "t", 0, &t)
      || !np_ask_word (ask, "how", "at|before|after", &how))
    return FALSE;
  const struct nprof_store_lane *lane = nprof_store_lane_at (ask->store, row.lane);
  if (!lane)
    return np_reply_fail (ask->reply, 404, "", "there is no lane %u in this profile", row.lane);
  if (how == 0 && lane->type == NPROF_STORE_LANE_SPAN)
    return nprof_store_at (ask->query, row.lane, t, &row.row, &found)
           && put_place (ask, found, row, FALSE);
  if (!nprof_store_before (ask->query, row.lane, t, &row.row, &found))
    return FALSE;
  if (how == 0 && found) { /* of what is no span: the row that begins there */
    struct nprof_event e;
    if (!nprof_store_event (ask->query, row, &e))
      return FALSE;
    found = e.start == t || lane->type == NPROF_STORE_LANE_COUNTER;
  } else if (how == 2) {
    row.row = found ? row.row + 1 : 0;
    found = row.row < lane->rows;
  }
  return put_place (ask, found, row, FALSE);
}

static gboolean
step_in_lane (NpAsk *ask, struct nprof_row from, gboolean back, struct nprof_row *row, bool *found)
{
  const struct nprof_store_lane *lane = nprof_store_lane_at (ask->store, from.lane);
  *found = lane && (back ? from.row > 0 : from.row + 1 < lane->rows);
  *row = (struct nprof_row){ from.lane, back ? from.row - 1 : from.row + 1 };
  return TRUE;
}

void
np_put_quoted (GString *text, const char *value)
{
  g_string_append_c (text, '"');
  for (; *value; value++) {
    if (*value == '"' || *value == '\\')
      g_string_append_c (text, '\\');
    g_string_append_c (text, *value);
  }
  g_string_append_c (text, '"');
}

char *
np_quote_name (const char *name)
{
  GString *text = g_string_new ("name=");
  np_put_quoted (text, name);
  return g_string_free (text, FALSE);
}

static gboolean
step_in_search (NpAsk *ask, const char *text, struct nprof_row from, gboolean back,
                struct nprof_row *row, bool *found)
{
  guint32 at = 0;
  struct nprof_search *search = nprof_search_new (ask->query, text, &at);
  if (!search)
    return np_reply_fail_at (ask->reply, 400, at, "", ask->query->error);
  gboolean good = nprof_search_step (ask->query, search, from, back, row, found);
  nprof_search_free (search);
  return good;
}

gboolean
np_ask_near (NpAsk *ask)
{
  struct nprof_event e;
  struct nprof_row row = { 0 };
  guint back, of;
  bool found = false;
  const char *q = np_request_param (ask->request, "q");
  gboolean good = TRUE;
  if (!np_ask_row (ask, "row", &e) || !np_ask_word (ask, "step", "next|previous", &back)
      || !np_ask_word (ask, "of", "lane|track|label|search", &of))
    return FALSE;
  if (of == 3 && !q)
    return np_ask_missing (ask, "q");
  if (of == 0) {
    step_in_lane (ask, e.row, back, &row, &found);
  } else if (of == 1) {
    good = nprof_store_step (ask->query, e.row, back, &row, &found);
  } else {
    g_autofree char *name = of == 2 ? np_quote_name (np_label_name (ask, e.label)) : g_strdup (q);
    good = step_in_search (ask, name, e.row, back, &row, &found);
  }
  return good && put_place (ask, found, row, TRUE);
}

/* -- edges ------------------------------------------------------------------------- */

#define MAX_EDGES 8

typedef struct {
  gint64 t;
  guint64 far;
  struct nprof_row row;
  gboolean end;
} Edge;

static void
add_edge (GArray *edges, gint64 near, guint64 within, gint64 t, struct nprof_row row, gboolean end)
{
  guint64 far = t > near ? (guint64) t - (guint64) near : (guint64) near - (guint64) t;
  if (far > within)
    return;
  Edge edge = { t, far, row, end };
  g_array_append_val (edges, edge);
}

/* Finds the row that starts at or before t, those beside it, and so the nearest edges of the lane
 * on both sides. */
static gboolean
look_in_lane (NpAsk *ask, guint32 lane, guint32 rows, gint64 t, guint64 within, GArray *edges)
{
  struct nprof_row row = { lane, 0 };
  struct nprof_event e;
  bool found;
  if (!nprof_store_before (ask->query, lane, t, &row.row, &found))
    return FALSE;
  guint32 from = found && row.row ? row.row - 1 : 0, to = found ? row.row + 1 : 0;
  for (row.row = from; row.row <= to && row.row < rows; row.row++) {
    if (!nprof_store_event (ask->query, row, &e))
      return FALSE;
    add_edge (edges, t, within, e.start, row, FALSE);
    if (e.duration > 0)
      add_edge (edges, t, within, e.start + e.duration, row, TRUE);
  }
  return TRUE;
}

static int
compare_edges (gconstpointer a, gconstpointer b)
{
  const Edge *x = a, *y = b;
  if (x->far != y->far)
    return x->far < y->far ? -1 : 1;
  if (x->row.lane != y->row.lane)
    return x->row.lane < y->row.lane ? -1 : 1;
  return x->row.row < y->row.row ? -1 : x->row.row > y->row.row ? 1 : x->end - y->end;
}

static gboolean
look_in_tracks (NpAsk *ask, const GArray *tracks, gint64 t, guint64 within, GArray *edges)
{
  const struct nprof_store_lane *l;
  for (guint32 lane = 0; (l = nprof_store_lane_at (ask->store, lane)); lane++) {
    gboolean asked = tracks->len == 0;
    for (guint i = 0; i < tracks->len && !asked; i++)
      asked = np_track_number (ask, g_array_index (tracks, guint32, i)) == l->track;
    gboolean edged = l->type != NPROF_STORE_LANE_FACT && l->type != NPROF_STORE_LANE_COUNTER;
    if (asked && edged && !look_in_lane (ask, lane, l->rows, t, within, edges))
      return FALSE;
  }
  return TRUE;
}

gboolean
np_ask_edges (NpAsk *ask)
{
  gint64 t, within;
  if (!np_request_param (ask->request, "t"))
    return np_ask_missing (ask, "t");
  if (!np_ask_i64 (ask, "t", 0, &t) || !np_ask_i64 (ask, "within", G_MAXINT64, &within))
    return FALSE;
  g_autoptr (GArray) tracks = np_ask_tracks (ask);
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (Edge));
  if (!tracks || !look_in_tracks (ask, tracks, t, within < 0 ? 0 : (guint64) within, edges))
    return FALSE;
  g_array_sort (edges, compare_edges);
  NpJson *j = &ask->json;
  np_json_object (j, NULL);
  np_json_array (j, "edges");
  for (guint i = 0; i < edges->len && i < MAX_EDGES; i++) {
    const Edge *edge = &g_array_index (edges, Edge, i);
    np_json_object (j, NULL);
    np_json_i64 (j, "t", edge->t);
    np_json_row (j, "row", edge->row.lane, edge->row.row);
    np_json_text (j, "what", edge->end ? "end" : "start");
    np_json_end_object (j);
  }
  np_json_end_array (j);
  np_json_end_object (j);
  return TRUE;
}
