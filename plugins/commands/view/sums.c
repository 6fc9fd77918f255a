/* SPDX-License-Identifier: Apache-2.0 */
/* sums.c - sums of a window, from the store's own where all rows of a label count, row by row where
 * a search chooses among them. */

#include "sums.h"
#include "device-totals.h"
#include "flame.h"
#include "quantile.h"

#include <string.h>

static void
sum_clear (gpointer data)
{
  NpSum *sum = data;
  g_clear_pointer (&sum->durations, g_array_unref);
}

static int
compare_sums (gconstpointer a, gconstpointer b)
{
  const NpSum *x = a, *y = b;
  if (x->inside != y->inside)
    return x->inside > y->inside ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

/* -- Shares -------------------------------------------------------------------------- */

static void
add_kin (NpSum *sum, NpKin kin, gint64 self)
{
  sum->kins |= (guint8) (1 << kin);
  if (kin < NP_N_SHARED)
    sum->self_of[kin] += self;
}

NpKin
np_sum_share (const NpSum *sum, const char **why)
{
  static const char *const reasons[NP_N_KINS] = {
    [NP_KIN_NOTE] = "no work: it waits, marks a moment, or is around work, as steps, programs and "
                    "annotations are, whose time would count again",
    [NP_KIN_BESIDE] = "it runs beside work, from start to done of what is asynchronous",
    [NP_KIN_DERIVED] = "it is made of other rows, whose time would count again",
    [NP_KIN_UNSURE] = "unknown: work or a wait",
  };
  const guint shared = 1 << NP_KIN_DEVICE | 1 << NP_KIN_HOST;
  *why = !sum->kins ? "none of its spans has an end" : "its rows are of devices and of hosts";
  if ((sum->kins & shared) == shared || !sum->kins)
    return NP_N_SHARED;
  NpKin kin = (NpKin) g_bit_nth_lsf (sum->kins, -1);
  *why = reasons[kin];
  return MIN (kin, NP_N_SHARED);
}

/* -- All rows ------------------------------------------------------------------------ */

static guint32
key_of (NpAsk *ask, const NpWindow *w, guint32 label, guint32 track)
{
  const struct nprof_store_label *l = nprof_store_label_at (ask->store, label);
  if (w->by == NP_BY_TRACK)
    return np_track_number (ask, track);
  return !l ? 0 : w->by == NP_BY_NAME ? l->name : l->category;
}

/* Rows are added to these sums. */
typedef struct {
  NpAsk *ask;
  const NpWindow *w;
  GArray *sums;
  GHashTable *at; /* of key: 1 + its place */
  NpKins *kins;
  const uint64_t *labels; /* bitmap of those that count; NULL: all */
  NpGroupReader operators;
} Adding;

/* Returns what of rows with that label is their own, as table operators has it: all of what lies in
 * a pipeline, where rows overlap and none lies in another. */
static gint64
own_of (const Adding *a, guint32 label, gint64 inside, gint64 self)
{
  const char *category = np_label_category (a->ask, label);
  const bool pipelined = category && meaning_is_pipelined (category);
  return pipelined && a->w->by != NP_BY_TRACK ? inside : self;
}

/* Adds times of a row with that label: self is what no other row on its track overlaps. */
static void
add_row (const Adding *a, NpSum *sum, guint32 track, guint32 label, gint64 inside, gint64 self)
{
  const NpKin kin = np_kin_of (a->kins, track, label);
  const bool works
      = kin == NP_KIN_DEVICE || (kin == NP_KIN_BESIDE && np_track_works (a->kins, track));
  const NpWorkKind work = works ? np_label_work (a->ask, a->kins, label) : NP_N_WORK;
  add_kin (sum, kin, own_of (a, label, inside, self));
  if (work == NP_N_WORK)
    return;
  sum->works |= (guint8) (1 << work);
  if (kin == NP_KIN_DEVICE)
    sum->work_of[work] += self;
}

static NpSum *
sum_of (const Adding *a, guint32 key)
{
  gpointer index = g_hash_table_lookup (a->at, GUINT_TO_POINTER (key));
  if (!index) {
    NpSum sum = { .key = key };
    g_array_append_val (a->sums, sum);
    index = GUINT_TO_POINTER (a->sums->len);
    g_hash_table_insert (a->at, GUINT_TO_POINTER (key), index);
  }
  return &g_array_index (a->sums, NpSum, GPOINTER_TO_UINT (index) - 1);
}

static void
add_total (const Adding *a, const struct nprof_total *t, guint32 track)
{
  NpSum *sum = sum_of (a, key_of (a->ask, a->w, t->key, track));
  sum->count += t->count;
  sum->unclosed += t->unclosed;
  sum->whole += t->whole;
  sum->inside += t->inside;
  sum->self_inside += t->self_inside;
  if (t->count > t->unclosed)
    add_row (a, sum, track, t->key, t->inside, t->self_inside);
}

/* Adds the rows of tracks of which each label is of one kin. */
static gboolean
add_tracks (const Adding *a, const guint32 *tracks, guint n, guint32 origin)
{
  const struct nprof_total *totals;
  uint32_t n_totals;
  if (!n)
    return TRUE;
  if (!nprof_store_summary (a->ask->query, tracks, n, a->w->t0, a->w->t1, NPROF_BY_LABEL, origin,
                            &totals, &n_totals))
    return FALSE;
  for (guint32 i = 0; i < n_totals; i++)
    if (!a->labels || a->labels[totals[i].key / 64] >> (totals[i].key % 64) & 1)
      add_total (a, &totals[i], tracks[0]);
  return TRUE;
}

static gboolean
add_each_track (const Adding *a, const GArray *tracks, guint32 origin)
{
  for (guint i = 0; i < tracks->len; i++)
    if (!add_tracks (a, &g_array_index (tracks, guint32, i), 1, origin))
      return FALSE;
  return TRUE;
}

/* Adds all tracks of a class at a time, since the store sums each label over many at once. */
static gboolean
add_by_class (const Adding *a, const GArray *tracks, guint32 origin)
{
  for (guint class = 0; class < NP_N_TRACK_CLASSES; class ++) {
    g_autoptr (GArray) some = g_array_new (FALSE, FALSE, sizeof (guint32));
    for (guint i = 0; i < tracks->len; i++)
      if (np_class_of_track (a->kins, g_array_index (tracks, guint32, i)) == class)
        g_array_append_val (some, g_array_index (tracks, guint32, i));
    if (!add_tracks (a, (const guint32 *) (gpointer) some->data, some->len, origin))
      return FALSE;
  }
  return TRUE;
}

static GArray *
all_tracks (const NpAsk *ask)
{
  GArray *tracks = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 i = 0; i < nprof_store_n (ask->store, NPROF_STORE_S_TRACKS); i++)
    g_array_append_val (tracks, i);
  return tracks;
}

static gboolean
sum_all (const Adding *a)
{
  g_autoptr (GArray) own = a->w->tracks->len ? NULL : all_tracks (a->ask);
  const GArray *tracks = own ? own : a->w->tracks;
  guint32 origin = own ? 0 : UINT32_MAX;
  return a->w->by == NP_BY_TRACK ? add_each_track (a, tracks, origin)
                                 : add_by_class (a, tracks, origin);
}

/* -- Rows that a search chooses ------------------------------------------------------- */

/* Counts a span whose direct children take so much in the window. */
static void
add_span (const Adding *a, NpSum *sum, guint32 track, guint32 label, gint64 start, gint64 duration,
          gint64 child)
{
  gint64 within = nprof_store_inside (start, duration, a->w->t0, a->w->t1);
  sum->whole += duration;
  sum->inside += within;
  sum->self_inside += within - child;
  add_row (a, sum, track, label, within, within - child);
  g_array_append_val (sum->durations, duration);
}

/* Returns the sum of a span's key, whose durations are kept; NULL: the query says why. */
static NpSum *
sum_of_span (Adding *a, struct nprof_row row, guint32 label, guint32 track)
{
  guint32 key;
  if (a->w->by != NP_BY_OPERATOR)
    key = key_of (a->ask, a->w, label, track);
  else if (!np_group_of_row (a->ask, &a->operators, row, &key))
    return NULL;
  NpSum *sum = sum_of (a, key);
  if (!sum->durations)
    sum->durations = g_array_new (FALSE, FALSE, sizeof (gint64));
  return sum;
}

static gboolean
is_part (NpAsk *ask, const NpWindow *w, const struct nprof_event *e, gboolean *is)
{
  *is = TRUE;
  return !w->parts || np_parts_have (w->parts, ask, e, is);
}

static gboolean
add_hit (Adding *a, struct nprof_row row)
{
  NpAsk *ask = a->ask;
  const NpWindow *w = a->w;
  struct nprof_event e;
  gint64 child;
  gboolean part;
  if (!nprof_store_event (ask->query, row, &e) || !is_part (ask, w, &e, &part))
    return FALSE;
  if (e.kind != NPROF_SPAN || !part || !np_is_counted (ask, &e, w->tracks))
    return TRUE;
  NpSum *sum = sum_of_span (a, row, e.label, e.track);
  if (!sum)
    return FALSE;
  sum->count++;
  if (e.duration < 0) {
    sum->unclosed++;
    return TRUE;
  }
  if (!nprof_store_children_inside (ask->query, &e, w->t0, w->t1, &child))
    return FALSE;
  add_span (a, sum, e.track, e.label, e.start, e.duration, child);
  return TRUE;
}

static gboolean
sum_hits (Adding *a, struct nprof_search *search)
{
  enum { PIECE = 4096 };
  const NpWindow *w = a->w;
  g_autofree struct nprof_row *hits = g_new (struct nprof_row, PIECE);
  struct nprof_row after;
  bool more = true;
  for (gboolean first = TRUE; more; first = FALSE) {
    uint32_t n = 0;
    if (!nprof_search_hits (a->ask->query, search, first ? NULL : &after,
                            (const guint32 *) (gpointer) w->tracks->data, w->tracks->len, w->t0,
                            w->t1, hits, PIECE, &n, &more))
      return FALSE;
    for (guint32 i = 0; i < n; i++)
      if (!add_hit (a, hits[i]))
        return FALSE;
    if (n)
      after = hits[n - 1];
  }
  return TRUE;
}

/* -- Rows of groups ------------------------------------------------------------------- */

static gboolean
add_part (NpAsk *ask, const NpPartSpan *span, gpointer user)
{
  Adding *a = user;
  struct nprof_event e;
  gint64 child = span->child;
  NpSum *sum = sum_of_span (a, span->row, span->label, span->track);
  if (!sum)
    return FALSE;
  sum->count++;
  if (span->duration < 0) {
    sum->unclosed++;
    return TRUE;
  }
  if (child && (span->start < a->w->t0 || span->start + span->duration > a->w->t1)
      && (!nprof_store_event (ask->query, span->row, &e)
          || !nprof_store_children_inside (ask->query, &e, a->w->t0, a->w->t1, &child)))
    return FALSE;
  add_span (a, sum, span->track, span->label, span->start, span->duration, child);
  return TRUE;
}

static gboolean
sum_parts (Adding *a)
{
  const NpWindow *w = a->w;
  for (guint i = 0; i < w->tracks->len; i++)
    if (!np_parts_each (w->parts, a->ask, i, w->t0, w->t1, add_part, a))
      return FALSE;
  return TRUE;
}

/* -- Places ---------------------------------------------------------------------------- */

/* Time of a place is self time of spans of hosts, of which it is the innermost that is the user's
 * own. */
static gboolean
sum_places (const Adding *a)
{
  const NpWindow *w = a->w;
  g_autoptr (GArray) nodes = np_flame (a->ask, w->t0, w->t1, w->tracks, w->parts, NP_STACK_PLACE);
  for (guint i = 1; nodes && i < nodes->len; i++) {
    const NpStack *node = &g_array_index (nodes, NpStack, i);
    NpSum *sum = node->count || node->self ? sum_of (a, node->name) : NULL;
    if (!sum)
      continue;
    sum->count = node->count;
    sum->whole = sum->inside = sum->self_inside = node->self;
    add_kin (sum, NP_KIN_HOST, node->self);
  }
  return nodes != NULL;
}

/* Returns the labels of which all rows count; NULL: the search, or what is asked of its hits, needs
 * each row. */
static const uint64_t *
labels_alone (const NpWindow *w, const struct nprof_search *search)
{
  gboolean rows = w->parts || w->percentiles || w->by == NP_BY_OPERATOR || w->by == NP_BY_PLACE;
  return search && !rows ? nprof_search_labels (search) : NULL;
}

GArray *
np_sums (NpAsk *ask, const NpWindow *w)
{
  g_autoptr (GArray) sums = g_array_new (FALSE, TRUE, sizeof (NpSum));
  guint32 at = 0;
  g_array_set_clear_func (sums, sum_clear);
  struct nprof_search *search
      = w->where && *w->where ? nprof_search_new (ask->query, w->where, &at) : NULL;
  if (w->where && *w->where && !search) {
    np_reply_fail_at (ask->reply, 400, at, "", ask->query->error);
    return NULL;
  }
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  g_autoptr (NpKins) kins = np_kins_new (ask);
  Adding adding
      = { ask, w, sums, places, kins, labels_alone (w, search), { .groups = w->operators } };
  gboolean good = w->by == NP_BY_PLACE       ? sum_places (&adding)
                  : search && !adding.labels ? sum_hits (&adding, search)
                  : w->parts                 ? sum_parts (&adding)
                                             : sum_all (&adding);
  nprof_search_free (search);
  if (!good)
    return NULL;
  g_array_sort (sums, compare_sums);
  return g_steal_pointer (&sums);
}

/* -- Percentiles ----------------------------------------------------------------------- */

static void
take_percentiles (NpSum *sum, const gint64 *sorted, guint64 n)
{
  sum->ended = n;
  if (!n)
    return;
  sum->median = np_quantile (sorted, n, 500);
  sum->p90 = np_quantile (sorted, n, 900);
  sum->p99 = np_quantile (sorted, n, 990);
  sum->min = sorted[0];
  sum->max = sorted[n - 1];
}

/* Returns the labels with this name or category; all of them by track. */
static GArray *
labels_of (NpAsk *ask, const NpWindow *w, guint32 key)
{
  GArray *labels = g_array_new (FALSE, FALSE, 4);
  const struct nprof_store_label *l;
  for (guint32 i = 0; (l = nprof_store_label_at (ask->store, i)); i++)
    if (w->by == NP_BY_TRACK || (w->by == NP_BY_NAME ? l->name : l->category) == key)
      g_array_append_val (labels, i);
  return labels;
}

gboolean
np_sums_percentiles (NpAsk *ask, const NpWindow *w, GArray *sums, guint from, guint n)
{
  g_autoptr (GArray) own = w->tracks->len ? NULL : np_decoder_tracks (ask);
  const GArray *chosen = own ? own : w->tracks;
  for (guint i = from; i < sums->len && i - from < n; i++) {
    NpSum *sum = &g_array_index (sums, NpSum, i);
    const int64_t *durations;
    uint64_t count;
    if (sum->durations) {
      g_array_sort (sum->durations, np_compare_i64);
      take_percentiles (sum, (const gint64 *) (gpointer) sum->durations->data, sum->durations->len);
      continue;
    }
    g_autoptr (GArray) labels = labels_of (ask, w, sum->key);
    guint32 track = w->by == NP_BY_TRACK ? nprof_store_track_of (ask->store, sum->key) : 0;
    const guint32 *tracks
        = w->by == NP_BY_TRACK ? &track : (const guint32 *) (gpointer) chosen->data;
    if (!nprof_store_durations (ask->query, (const guint32 *) (gpointer) labels->data, labels->len,
                                tracks, w->by == NP_BY_TRACK ? 1 : chosen->len, w->t0, w->t1,
                                &durations, &count))
      return FALSE;
    take_percentiles (sum, (const gint64 *) durations, count);
  }
  return TRUE;
}

/* -- Together ----------------------------------------------------------------------------- */

static gboolean
is_whole (NpAsk *ask, const NpWindow *w)
{
  const struct nprof_store_meta *meta = ask->profile->meta;
  return w->t0 <= meta->first && w->t1 >= meta->last && !w->tracks->len && !w->parts
         && !(w->where && *w->where);
}

/* Sums how long each chosen track had a span open, of its groups where the window has some. */
static gboolean
busy_of (NpAsk *ask, const NpWindow *w, gint64 *sum)
{
  gint64 busy;
  *sum = 0;
  if (w->parts)
    return np_parts_busy (w->parts, ask, w->t0, w->t1, sum);
  for (guint i = 0; i < w->tracks->len; i++) {
    if (!nprof_store_track_busy (ask->query, g_array_index (w->tracks, guint32, i), w->t0, w->t1,
                                 &busy))
      return FALSE;
    *sum += busy;
  }
  return TRUE;
}

/* Puts the union of the spans of each chosen track. */
static gboolean
put_part (NpAsk *ask, const NpWindow *w)
{
  const char *why = "not kept of a part of the profile: nprof report --clip --from --to tells it",
             *what = w->parts ? "time in which a chosen track has a span of its groups, all tracks "
                                "together"
                              : "time in which a chosen track has a span, all of them together";
  NpJson *j = &ask->json;
  guint n = w->tracks->len;
  gint64 length, sum;
  if (!busy_of (ask, w, &sum))
    return FALSE;
  np_json_together (j, n, "track");
  if (n)
    np_json_metric_time (j, "busy", sum, what);
  else
    np_json_unknown (j, "busy", "ps", why);
  if (n && !__builtin_sub_overflow (w->t1, w->t0, &length)
      && !__builtin_mul_overflow (length, (gint64) n, &length))
    np_json_metric_time (j, "idle", length - sum,
                         "the window less busy, all chosen tracks together");
  else
    np_json_unknown (j, "idle", "ps", n ? "the window is longer than 106 days" : why);
  np_json_device_unknown (ask, why);
  return TRUE;
}

gboolean
np_json_totals (NpAsk *ask, const NpWindow *w, const GArray *sums)
{
  guint64 events = 0, unclosed = 0;
  gboolean good = TRUE;
  for (guint i = 0; i < sums->len; i++) {
    events += g_array_index (sums, NpSum, i).count;
    unclosed += g_array_index (sums, NpSum, i).unclosed;
  }
  np_json_object (&ask->json, "totals");
  np_json_number (&ask->json, "events", events);
  np_json_number (&ask->json, "unclosed", unclosed);
  if (is_whole (ask, w))
    np_json_device_totals (ask, NULL);
  else
    good = put_part (ask, w);
  np_json_end_object (&ask->json);
  return good;
}
