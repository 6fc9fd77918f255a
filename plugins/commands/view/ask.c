/* SPDX-License-Identifier: Apache-2.0 */
/* ask.c - parameters of questions, and what many answers say alike. */

#include "ask.h"
#include "base/error.h"
#include "stored/child.h"
#include "stored/keeping.h"

#include <errno.h>
#include <string.h>

#define LOOK_US 50000 /* how soon a question ends that nobody waits for any more */

NpProfile *
np_ask_try_hold (NpAsk *ask, const char *id, char *why, gsize why_size)
{
  NpProfile *p = np_opened_get (ask->view->opened, id, why, why_size);
  if (!p)
    return NULL;
  if (!ask->held)
    ask->held = g_ptr_array_new_with_free_func ((GDestroyNotify) np_profile_unref);
  g_ptr_array_add (ask->held, p);
  return p;
}

NpProfile *
np_ask_hold (NpAsk *ask, const char *id)
{
  char why[700];
  NpProfile *p = np_ask_try_hold (ask, id, why, sizeof why);
  int err = errno;
  if (p)
    return p;
  if (*why && np_exit_of (err, NP_EXIT_INPUT) == NP_EXIT_ROOM)
    np_reply_fail (ask->reply, 507, "", "%s: %s", why, np_error_words (err));
  else if (*why)
    np_reply_fail (ask->reply, 422, "read it again from its source", "%s", why);
  else
    np_reply_fail (ask->reply, 404, "the list has those that are there",
                   "there is no profile %.50s here", id);
  return NULL;
}

int
np_ask_keep (NpAsk *ask)
{
  g_autoptr (GError) error = NULL;
  int lock = np_keeping_begin (ask->view->config->store, &error);
  if (lock < 0)
    np_reply_fail (ask->reply, 507, "look after the folder of the store", "%s", error->message);
  return lock;
}

gboolean
np_ask_missing (NpAsk *ask, const char *name)
{
  return np_reply_fail (ask->reply, 400, "", "parameter %s is missing", name);
}

gboolean
np_ask_wrong (NpAsk *ask, const char *name, const char *expected)
{
  const char *text = np_request_param (ask->request, name);
  return np_reply_fail (ask->reply, 400, "", "parameter %s=%.100s: expected %s", name,
                        text ? text : "", expected);
}

gboolean
np_ask_i64 (NpAsk *ask, const char *name, gint64 fallback, gint64 *value)
{
  const char *text = np_request_param (ask->request, name);
  *value = fallback;
  return !text || np_parse_i64 (text, value) || np_ask_wrong (ask, name, "a whole number");
}

gboolean
np_ask_u32 (NpAsk *ask, const char *name, guint32 fallback, guint32 most, guint32 *value)
{
  const char *text = np_request_param (ask->request, name);
  *value = fallback;
  if (!text || (np_parse_u32 (text, value) && *value <= most))
    return TRUE;
  g_autofree char *expected = g_strdup_printf ("a number from 0 to %u", most);
  return np_ask_wrong (ask, name, expected);
}

gboolean
np_ask_range (NpAsk *ask, gint64 *t0, gint64 *t1)
{
  const struct nprof_store_meta *meta = ask->profile->meta;
  gboolean empty = meta->first > meta->last;
  if (!np_ask_i64 (ask, "t0", empty ? 0 : meta->first, t0)
      || !np_ask_i64 (ask, "t1", empty ? 0 : meta->last, t1))
    return FALSE;
  return *t0 <= *t1
         || np_reply_fail (ask->reply, 400, "", "parameters t0 and t1: expected t0 <= t1");
}

gboolean
np_ask_row (NpAsk *ask, const char *name, struct nprof_event *event)
{
  const char *text = np_request_param (ask->request, name);
  struct nprof_row row;
  if (!text)
    return np_ask_missing (ask, name);
  if (!np_parse_row (text, &row.lane, &row.row))
    return np_ask_wrong (ask, name, "LANE.ROW");
  const struct nprof_store_lane *lane = nprof_store_lane_at (ask->store, row.lane);
  if (!lane || row.row >= lane->rows)
    return np_reply_fail (ask->reply, 404, "", "there is no row %u.%u in this profile", row.lane,
                          row.row);
  return nprof_store_event (ask->query, row, event);
}

gboolean
np_ask_is_over (NpAsk *ask)
{
  gint64 now = g_get_monotonic_time ();
  if (atomic_load (&ask->view->ending))
    return TRUE;
  if (now - ask->looked < LOOK_US)
    return FALSE;
  ask->looked = now;
  return np_request_is_gone (ask->request);
}

static gboolean
is_over (gpointer ask)
{
  return np_ask_is_over (ask);
}

int
np_ask_command (NpAsk *ask, const char *const *words, const char *input, GString **out, char **err)
{
  return np_child_run (words, input, out, err, is_over, ask);
}

gboolean
np_ask_each_span (NpAsk *ask, guint32 lane, NpSpanFunc fn, gpointer user)
{
  const struct nprof_store_lane *l = nprof_store_lane_at (ask->store, lane);
  struct nprof_query *q = ask->query;
  struct nprof_event e;
  if (!l || l->type != NPROF_STORE_LANE_SPAN || l->origin)
    return TRUE;
  for (struct nprof_row row = { lane, 0 }; row.row < l->rows; row.row++) {
    if (!nprof_store_event (q, row, &e) || (q->stop && q->stop (q->user)))
      return FALSE;
    fn (user, &e);
  }
  return TRUE;
}

GArray *
np_ask_tracks (NpAsk *ask)
{
  const char *text = np_request_param (ask->request, "tracks");
  return np_tracks_of (ask, "tracks", text ? text : "");
}

GArray *
np_tracks_of (NpAsk *ask, const char *name, const char *text)
{
  guint64 n = nprof_store_n (ask->store, NPROF_STORE_S_TRACKS);
  if (!*text)
    return g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) list = np_parse_list (text, (guint) MIN (n, G_MAXUINT - 1) + 1);
  if (!list) {
    np_ask_wrong (ask, name, "numbers of tracks, as 3-17,20");
    return NULL;
  }
  for (guint i = 0; i < list->len; i++) {
    guint32 *track = &g_array_index (list, guint32, i),
            index = nprof_store_track_of (ask->store, *track);
    if (index == G_MAXUINT32) {
      np_reply_fail (ask->reply, 404, "", "there is no track %u in this profile", *track);
      return NULL;
    }
    *track = index;
  }
  return g_steal_pointer (&list);
}

GArray *
np_decoder_tracks (NpAsk *ask)
{
  GArray *tracks = g_array_new (FALSE, FALSE, sizeof (guint32));
  const struct nprof_store_track *t;
  for (guint32 i = 0; (t = nprof_store_track_at (ask->store, i)); i++) {
    const struct nprof_store_lane *l
        = t->n_lanes ? nprof_store_lane_at (ask->store, t->lane) : NULL;
    if (l && !l->origin)
      g_array_append_val (tracks, i);
  }
  return tracks;
}

gboolean
np_is_counted (NpAsk *ask, const struct nprof_event *event, const GArray *tracks)
{
  const struct nprof_store_lane *lane = nprof_store_lane_at (ask->store, event->row.lane);
  return tracks->len || (lane && !lane->origin);
}

gboolean
np_ask_word (NpAsk *ask, const char *name, const char *words, guint *index)
{
  const char *text = np_request_param (ask->request, name);
  g_auto (GStrv) list = g_strsplit (words, "|", -1);
  *index = 0;
  if (!text)
    return TRUE;
  for (guint i = 0; list[i]; i++)
    if (!strcmp (list[i], text)) {
      *index = i;
      return TRUE;
    }
  return np_ask_wrong (ask, name, words);
}

/* -- What many answers say ------------------------------------------------------ */

const char *
np_ask_string (const NpAsk *ask, guint32 string)
{
  return np_profile_string (ask->profile, string);
}

const char *
np_link_family (const struct nprof_link *link)
{
  return link->family == NPROF_LINK_FLOW ? "flow" : link->family == NPROF_LINK_ID ? "id" : "parent";
}

gboolean
np_ask_cells (NpAsk *ask, NpCells *cells, const char *table)
{
  return np_cells_open (cells, ask->store, ask->query, table);
}

const char *
np_label_name (const NpAsk *ask, guint32 label)
{
  const struct nprof_store_label *l = nprof_store_label_at (ask->store, label);
  return l ? np_ask_string (ask, l->name) : "";
}

const char *
np_label_category (const NpAsk *ask, guint32 label)
{
  const struct nprof_store_label *l = nprof_store_label_at (ask->store, label);
  return l ? np_ask_string (ask, l->category) : "";
}

guint32
np_track_number (const NpAsk *ask, guint32 index)
{
  const struct nprof_store_track *track = nprof_store_track_at (ask->store, index);
  return track ? track->number : 0;
}

const char *
np_track_title (const NpAsk *ask, const struct nprof_store_track *t)
{
  return np_ask_string (ask, t->label ? t->label : t->key);
}

const struct nprof_store_track *
np_track_parent (const NpAsk *ask, const struct nprof_store_track *track)
{
  return track->parent
             ? nprof_store_track_at (ask->store, nprof_store_track_of (ask->store, track->parent))
             : NULL;
}

const struct nprof_store_track *
np_track_within (const NpAsk *ask, const struct nprof_store_track *t, guint32 kind, guint32 other)
{
  for (guint i = 0; t && i < NP_TRACK_DEPTH; i++, t = np_track_parent (ask, t))
    if (t->kind == kind || t->kind == other)
      return t;
  return NULL;
}

gboolean
np_track_is_below (const NpAsk *ask, const struct nprof_store_track *track, guint32 number)
{
  for (guint depth = 0; track && depth < NP_TRACK_DEPTH; depth++) {
    if (track->number == number)
      return TRUE;
    track = np_track_parent (ask, track);
  }
  return FALSE;
}

void
np_json_duration (NpJson *json, const char *key, const struct nprof_event *event)
{
  if (event->duration < 0)
    np_json_null (json, key);
  else
    np_json_i64 (json, key, event->duration);
}

void
np_json_hit (NpAsk *ask, const struct nprof_event *event)
{
  NpJson *j = &ask->json;
  np_json_row (j, "row", event->row.lane, event->row.row);
  np_json_number (j, "track", np_track_number (ask, event->track));
  np_json_text (j, "name", np_label_name (ask, event->label));
  np_json_i64 (j, "start", event->start);
  np_json_duration (j, "duration", event);
}
