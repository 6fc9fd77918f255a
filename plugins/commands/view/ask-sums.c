/* SPDX-License-Identifier: Apache-2.0 */
/* ask-sums.c - answers routes s, the figures of a selection, and places, where hosts were most. */

#include "counters.h"

#include <string.h>

static gboolean
read_window (NpAsk *ask, NpWindow *w, GArray *tracks, guint *work)
{
  guint percentiles, counters;
  if (!np_ask_range (ask, &w->t0, &w->t1)
      || !np_ask_word (ask, "by", "name|track|category|operator|place", &w->by)
      || !np_ask_word (ask, "percentiles", "0|1", &percentiles)
      || !np_ask_word (ask, "counters", "0|1", &counters)
      || !np_ask_word (ask, "work", "all|compute|communication|copies|control", work))
    return FALSE;
  w->tracks = tracks;
  w->percentiles = percentiles != 0;
  w->counters = counters != 0;
  if (w->by == NP_BY_PLACE && ((w->where && *w->where) || w->percentiles || *work))
    return np_ask_wrong (ask, "by", "place without where, percentiles and work");
  if (w->by != NP_BY_OPERATOR)
    return TRUE;
  if (!w->parts && !(w->where && *w->where))
    return np_ask_wrong (ask, "by", "operator only beside where or parts");
  w->operators = np_groups_of (ask, NP_GROUP_OPERATOR);
  return w->operators != NULL;
}

/* Returns NULL for rows that name no operator. */
static const char *
name_of (NpAsk *ask, const NpWindow *w, guint32 key)
{
  if (w->by == NP_BY_OPERATOR)
    return w->operators->names->pdata[key];
  if (w->by != NP_BY_TRACK)
    return np_ask_string (ask, key);
  const struct nprof_store_track *t
      = nprof_store_track_at (ask->store, nprof_store_track_of (ask->store, key));
  return t ? np_track_title (ask, t) : "";
}

static void
put_known (NpJson *j, const char *key, gint64 value, gboolean known)
{
  if (known)
    np_json_i64 (j, key, value);
  else
    np_json_null (j, key);
}

/* Rounds to the nearest, as table latency does. */
static gint64
mean_of (gint64 whole, guint64 n)
{
  return n ? (gint64) (((unsigned __int128) whole * 2 + n) / ((unsigned __int128) n * 2)) : 0;
}

static const struct {
  const char *word, *what;
} shared[NP_N_SHARED] = {
  [NP_KIN_DEVICE] = { "device work", "self time of work on queues and engines of devices" },
  [NP_KIN_HOST] = { "host threads", "self time of spans on threads of hosts, without steps" },
};

/* Puts of what time the row is a share, or why of none. */
static void
put_share (NpJson *j, const NpSum *s, const gint64 *all)
{
  const char *why;
  NpKin kin = np_sum_share (s, &why);
  gboolean known = kin < NP_N_SHARED && all[kin] > 0;
  if (kin < NP_N_SHARED && !known)
    why = "none of that time lies in the range";
  if (!known) {
    np_json_null (j, "share");
    np_json_null (j, "share_of");
    np_json_null (j, "share_self");
    np_json_text (j, "share_reason", why);
    return;
  }
  np_json_double (j, "share", (double) s->self_of[kin] / (double) all[kin]);
  np_json_text (j, "share_of", shared[kin].word);
  np_json_i64 (j, "share_self", s->self_of[kin]);
  np_json_null (j, "share_reason");
}

/* Puts the work of devices by kind, as member `kinds`. */
static void
put_kinds (NpJson *j, const GArray *sums)
{
  np_json_object (j, "kinds");
  for (guint work = 0; work < NP_N_WORK; work++) {
    gint64 self = 0;
    for (guint i = 0; i < sums->len; i++)
      self += g_array_index (sums, NpSum, i).work_of[work];
    np_json_i64 (j, np_work_words[work], self);
  }
  np_json_end_object (j);
}

/* Puts what the shares are of, as member `shared`: all rows of a kin. */
static void
put_shared (NpJson *j, const gint64 *all, const GArray *sums)
{
  np_json_array (j, "shared");
  for (guint kin = 0; kin < NP_N_SHARED; kin++) {
    if (all[kin] <= 0)
      continue;
    np_json_object (j, NULL);
    np_json_text (j, "of", shared[kin].word);
    np_json_i64 (j, "self_inside", all[kin]);
    np_json_text (j, "what", shared[kin].what);
    if (kin == NP_KIN_DEVICE)
      put_kinds (j, sums);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static void
put_sum (NpAsk *ask, const NpWindow *w, const NpSum *s, const gint64 *all)
{
  NpJson *j = &ask->json;
  guint64 ended = s->count - s->unclosed;
  np_json_object (j, NULL);
  np_json_number (j, "key", s->key);
  if (name_of (ask, w, s->key))
    np_json_text (j, "name", name_of (ask, w, s->key));
  else
    np_json_null (j, "name");
  np_json_number (j, "count", s->count);
  np_json_number (j, "unclosed", s->unclosed);
  np_json_i64 (j, "whole", s->whole);
  np_json_i64 (j, "inside", s->inside);
  np_json_i64 (j, "self_inside", s->self_inside);
  put_known (j, "mean", mean_of (s->whole, ended), w->percentiles && ended);
  put_known (j, "median", s->median, w->percentiles && s->ended);
  put_known (j, "p90", s->p90, w->percentiles && s->ended);
  put_known (j, "p99", s->p99, w->percentiles && s->ended);
  put_known (j, "min", s->min, w->percentiles && s->ended);
  put_known (j, "max", s->max, w->percentiles && s->ended);
  put_share (j, s, all);
  np_json_null (j, "flops");
  np_json_null (j, "bytes");
  np_json_null (j, "mfu");
  np_json_end_object (j);
}

static void
put_binary (NpAsk *ask, const GArray *sums, guint n)
{
  struct nprof_buf *b = &ask->reply->body;
  const guint32 head[] = { 1, n, 0 };
  ask->reply->type = "application/octet-stream";
  nprof_put (b, "NPSM", 4);
  nprof_put (b, head, sizeof head);
  for (guint i = 0; i < n; i++) {
    const NpSum *s = &g_array_index (sums, NpSum, i);
    const gint64 times[] = { s->inside, s->self_inside, s->whole };
    const guint64 counts[] = { s->count, s->unclosed };
    const guint32 end[] = { s->key, 0 };
    nprof_put (b, times, sizeof times);
    nprof_put (b, counts, sizeof counts);
    nprof_put (b, end, sizeof end);
  }
}

/* Why members of rows are null. */
static void
put_reasons (NpJson *j, const NpWindow *w)
{
  static const char *const work[] = { "flops", "bytes", "mfu" }, *const times[]
                                                                 = { "mean", "median", "p90",
                                                                     "p99",  "min",    "max" };
  np_json_object (j, "reasons");
  for (guint i = 0; i < G_N_ELEMENTS (work); i++)
    np_json_text (j, work[i],
                  "sums are of times; tables mfu and operators have the work of operators");
  for (guint i = 0; i < G_N_ELEMENTS (times) && !w->percentiles; i++)
    np_json_text (j, times[i], "ask with percentiles=1");
  np_json_end_object (j);
}

static gboolean
put_sums (NpAsk *ask, const NpWindow *w, GArray *sums, guint n)
{
  static const char *const bys[] = { "name", "track", "category", "operator", "place" };
  NpJson *j = &ask->json;
  gint64 all[NP_N_SHARED] = { 0 };
  for (guint i = 0; i < sums->len; i++)
    for (guint kin = 0; kin < NP_N_SHARED; kin++)
      all[kin] += g_array_index (sums, NpSum, i).self_of[kin];
  if (w->percentiles && !np_sums_percentiles (ask, w, sums, 0, n))
    return FALSE;
  np_json_object (j, NULL);
  np_json_i64 (j, "t0", w->t0);
  np_json_i64 (j, "t1", w->t1);
  if (!np_json_totals (ask, w, sums))
    return FALSE;
  np_json_text (j, "by", bys[w->by]);
  np_json_number (j, "total", sums->len);
  put_shared (j, all, sums);
  np_json_array (j, "rows");
  for (guint i = 0; i < sums->len && i < n; i++)
    put_sum (ask, w, &g_array_index (sums, NpSum, i), all);
  np_json_end_array (j);
  if (w->counters && !np_json_counters (ask, w, n))
    return FALSE;
  put_reasons (j, w);
  np_json_end_object (j);
  return TRUE;
}

/* Keeps what has rows that are that work of a device. */
static void
keep_work (GArray *sums, NpWorkKind work)
{
  NpSum *all = (NpSum *) (gpointer) sums->data;
  guint kept = 0;
  for (guint i = 0; i < sums->len; i++)
    if (all[i].works & 1 << work) {
      const NpSum sum = all[kept];
      all[kept++] = all[i];
      all[i] = sum;
    }
  g_array_set_size (sums, kept);
}

gboolean
np_ask_sums (NpAsk *ask)
{
  NpWindow w = { 0 };
  guint32 n;
  guint binary, work;
  g_autoptr (NpParts) parts = NULL;
  g_autoptr (GArray) tracks = np_ask_chosen (ask, &parts);
  g_autofree char *where = np_ask_whole_names (ask, np_request_param (ask->request, "where"));
  w.parts = parts;
  w.where = where;
  if (!tracks || !read_window (ask, &w, tracks, &work) || !np_ask_u32 (ask, "n", 1000, 100000, &n)
      || !np_ask_word (ask, "format", "json|bin", &binary))
    return FALSE;
  g_autoptr (GArray) sums = np_sums (ask, &w);
  if (!sums)
    return FALSE;
  if (work)
    keep_work (sums, (NpWorkKind) (work - 1));
  if (!binary)
    return put_sums (ask, &w, sums, n);
  put_binary (ask, sums, MIN (sums->len, n));
  return TRUE;
}

/* -- Where hosts were most --------------------------------------------------------------------- */

#define MOST_RANGES 64

/* Reads "T0..T1". */
static gboolean
read_times (const char *text, NpWindow *w)
{
  g_auto (GStrv) ends = g_strsplit (text, "..", 2);
  return g_strv_length (ends) == 2 && np_parse_i64 (ends[0], &w->t0)
         && np_parse_i64 (ends[1], &w->t1) && w->t0 <= w->t1;
}

/* Returns the place where threads of hosts spent most of their own time; NULL: none. */
static const NpSum *
most_of_hosts (const GArray *sums)
{
  const NpSum *most = NULL;
  const char *why;
  for (guint i = 0; i < sums->len; i++) {
    const NpSum *s = &g_array_index (sums, NpSum, i);
    if (np_sum_share (s, &why) == NP_KIN_HOST
        && (!most || s->self_of[NP_KIN_HOST] > most->self_of[NP_KIN_HOST]))
      most = s;
  }
  return most;
}

gboolean
np_ask_places (NpAsk *ask)
{
  NpWindow windows[MOST_RANGES] = { 0 };
  const char *text = np_request_param (ask->request, "ranges");
  if (!text)
    return np_ask_missing (ask, "ranges");
  g_auto (GStrv) ranges = g_strsplit (text, ",", MOST_RANGES + 1);
  const guint n = g_strv_length (ranges);
  for (guint i = 0; i < n; i++)
    if (n > MOST_RANGES || !read_times (ranges[i], &windows[i]))
      return np_ask_wrong (ask, "ranges", "at most 64 of T0..T1, a comma between two");
  g_autoptr (GArray) tracks = np_ask_tracks (ask);
  if (!tracks)
    return FALSE;
  np_json_object (&ask->json, NULL);
  np_json_array (&ask->json, "places");
  for (guint i = 0; i < n; i++) {
    windows[i].tracks = tracks;
    windows[i].by = NP_BY_PLACE;
    g_autoptr (GArray) sums = np_sums (ask, &windows[i]);
    if (!sums)
      return FALSE;
    const NpSum *most = most_of_hosts (sums);
    np_json_text (&ask->json, NULL, most ? name_of (ask, &windows[i], most->key) : NULL);
  }
  np_json_end_array (&ask->json);
  np_json_end_object (&ask->json);
  return TRUE;
}
