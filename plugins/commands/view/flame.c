/* SPDX-License-Identifier: Apache-2.0 */
/* flame.c - makes a tree of stacks of the spans of a window: the lanes of a track are merged by
 * start, and a row hangs below the one that is open in the lane of its parent. */

#include "flame.h"
#include "row-kin.h"

#include <nprof/keys.h>
#include <nprof/sweep.h>
#include <producers/pytorch.h>
#include <string.h>

#define ROOT 0

typedef struct {
  NpAsk *ask;
  gint64 t0, t1;
  NpParts *parts; /* NULL: all rows */
  guint by;       /* NP_STACK_*, but never LAUNCH */
  GArray *nodes;
  GHashTable *find;
  NpKins *kins;  /* by place */
  GArray *ranks; /* of guint8, by node: how far a place is from the user */
} Flame;

typedef struct { /* where the merge stands in a lane */
  guint32 lane, row, rows;
  struct nprof_event event;
  guint32 node;     /* of the row that was last taken */
  gboolean counted; /* its time is in the node        */
  gint64 covered;   /* up to where its children were taken */
} Head;

static guint32
child_of (Flame *f, guint32 parent, guint32 name)
{
  return np_stack_child (f->nodes, f->find, parent, name);
}

guint32
np_event_string (NpAsk *ask, const struct nprof_event *e, const char *key)
{
  const struct nprof_store_field *fields;
  uint32_t n;
  if (!nprof_store_fields (ask->query, e, false, &fields, &n))
    return G_MAXUINT32;
  for (guint32 i = 0; i < n; i++)
    if (fields[i].type == NPROF_STRING && !strcmp (np_ask_string (ask, fields[i].key), key))
      return fields[i].v.s;
  return G_MAXUINT32;
}

const char *
np_event_text (NpAsk *ask, const struct nprof_event *e, const char *key)
{
  guint32 text = np_event_string (ask, e, key);
  return text == G_MAXUINT32 ? NULL : np_ask_string (ask, text);
}

/* Returns how far a row is from the user: frames of Python are not all his. */
static guint8
rank_of (Flame *f, const struct nprof_store_label *l)
{
  const char *name = np_ask_string (f->ask, l->name);
  const bool frame = own_frames_are_named (name)
                     || g_str_equal (np_ask_string (f->ask, l->category), PYTORCH_FRAME);
  return frame ? (guint8) own_frames_rank (own_frames_is (f->ask->view->own_frames, name))
               : FRAME_RANK_OWN;
}

/* Returns the place of a row below a place: itself, unless that is nearer to the user. */
static guint32
place_of (Flame *f, guint32 parent, const struct nprof_store_label *l)
{
  const guint8 rank = rank_of (f, l);
  if (parent != ROOT && g_array_index (f->ranks, guint8, parent) < rank)
    return parent;
  const guint32 node = child_of (f, ROOT, l->name);
  g_array_set_size (f->ranks, MAX (f->ranks->len, node + 1));
  g_array_index (f->ranks, guint8, node) = rank;
  return node;
}

/* Returns the node of a row: by name one below its parent's, else one below ROOT.  Rows without a
 * layer or source, and by place those of no host, stay with the node of their parent. */
static guint32
node_of_row (Flame *f, guint32 parent, const struct nprof_event *e)
{
  static const char *const keys[]
      = { [NP_STACK_LAYER] = NPROF_KEY_LAYER, [NP_STACK_SOURCE] = NPROF_KEY_SOURCE };
  const struct nprof_store_label *l = nprof_store_label_at (f->ask->store, e->label);
  if (!f->by)
    return child_of (f, parent, l ? l->name : 0);
  if (f->kins)
    return l && np_kin_of (f->kins, e->track, e->label) == NP_KIN_HOST ? place_of (f, parent, l)
                                                                       : parent;
  guint32 text = np_event_string (f->ask, e, keys[f->by]);
  return text == G_MAXUINT32 ? parent : child_of (f, ROOT, text);
}

/* Returns whether a row counts at its node: of places and lines those that are there themselves,
 * not what they called. */
static bool
is_counted (const Flame *f, guint32 node, const struct nprof_event *e)
{
  const guint32 name = g_array_index (f->nodes, NpStack, node).name;
  if (f->kins)
    return nprof_store_label_at (f->ask->store, e->label)->name == name;
  return f->by != NP_STACK_SOURCE || np_event_string (f->ask, e, NPROF_KEY_SOURCE) == name;
}

static gboolean
take_row (Flame *f, GArray *heads, guint at)
{
  Head *head = &g_array_index (heads, Head, at);
  const struct nprof_event *e = &head->event;
  Head *above = e->up && e->up <= at ? &g_array_index (heads, Head, at - e->up) : NULL;
  guint32 parent = above ? above->node : ROOT;
  guint32 own = node_of_row (f, parent, e);
  gint64 within = nprof_store_inside (e->start, e->duration, f->t0, f->t1);
  head->node = own;
  head->covered = MAX (e->start, f->t0);
  head->counted = !f->kins || np_kin_of (f->kins, e->track, e->label) == NP_KIN_HOST;
  if (f->parts && head->counted && !np_parts_have (f->parts, f->ask, e, &head->counted))
    return FALSE;
  if (e->start > f->t1 || e->start + e->duration < f->t0)
    return TRUE;
  if (head->counted) {
    g_array_index (f->nodes, NpStack, own).count += is_counted (f, own, e);
    g_array_index (f->nodes, NpStack, own).self += within;
  }
  if (above && above->counted)
    g_array_index (f->nodes, NpStack, parent).self
        -= nprof_sweep_behind (e->start, MIN (e->start + e->duration, f->t1), &above->covered);
  return TRUE;
}

/* Goes to the next row; FALSE: failed; a lane that has ended has row == rows. */
static gboolean
next_row (Flame *f, Head *head)
{
  if (++head->row >= head->rows)
    return TRUE;
  return nprof_store_event (f->ask->query, (struct nprof_row){ head->lane, head->row },
                            &head->event);
}

/* Opens a lane at the row that is open at the window's start, the first of those that reach into
 * it. */
static gboolean
open_lane (Flame *f, guint32 lane, GArray *heads)
{
  const struct nprof_store_lane *l = nprof_store_lane_at (f->ask->store, lane);
  Head head = { .lane = lane, .rows = l ? l->rows : 0, .node = ROOT };
  bool found;
  if (!l || l->type != NPROF_STORE_LANE_SPAN)
    return TRUE;
  if (!nprof_store_before (f->ask->query, lane, f->t0, &head.row, &found))
    return FALSE;
  if (!found)
    head.row = 0;
  gboolean good
      = head.row >= head.rows
        || nprof_store_event (f->ask->query, (struct nprof_row){ lane, head.row }, &head.event);
  g_array_append_val (heads, head);
  return good;
}

static gboolean
merge (Flame *f, GArray *heads)
{
  for (;;) {
    guint best = heads->len;
    for (guint i = 0; i < heads->len; i++) {
      const Head *h = &g_array_index (heads, Head, i);
      gboolean runs = h->row < h->rows && h->event.start <= f->t1;
      if (runs
          && (best == heads->len || h->event.start < g_array_index (heads, Head, best).event.start))
        best = i;
    }
    if (best == heads->len)
      return TRUE;
    if (!take_row (f, heads, best) || !next_row (f, &g_array_index (heads, Head, best)))
      return FALSE;
    if (f->ask->query->stop && f->ask->query->stop (f->ask->query->user))
      return FALSE;
  }
}

static gboolean
add_track (Flame *f, const struct nprof_store_track *t)
{
  g_autoptr (GArray) heads = g_array_new (FALSE, FALSE, sizeof (Head));
  guint32 origin = G_MAXUINT32;
  for (guint32 lane = t->lane; lane - t->lane < t->n_lanes; lane++) {
    const struct nprof_store_lane *l = nprof_store_lane_at (f->ask->store, lane);
    if (l && l->origin != origin
        && heads->len) { /* rows of another origin hang below rows of theirs */
      if (!merge (f, heads))
        return FALSE;
      g_array_set_size (heads, 0);
    }
    origin = l ? l->origin : origin;
    if (!open_lane (f, lane, heads))
      return FALSE;
  }
  return merge (f, heads);
}

static gboolean
add_tracks (Flame *f, const GArray *tracks)
{
  const struct nprof_store_track *t;
  for (guint i = 0; i < tracks->len; i++)
    if ((t = nprof_store_track_at (f->ask->store, g_array_index (tracks, guint32, i)))
        && !add_track (f, t))
      return FALSE;
  return TRUE;
}

GArray *
np_flame (NpAsk *ask, gint64 t0, gint64 t1, const GArray *tracks, NpParts *parts, guint by)
{
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (NpStack));
  g_autoptr (GHashTable) find = np_stack_finder ();
  g_autoptr (NpKins) kins = by == NP_STACK_PLACE ? np_kins_new (ask) : NULL;
  g_autoptr (GArray) ranks = g_array_new (FALSE, TRUE, sizeof (guint8));
  Flame f = { ask, t0, t1, parts, by, nodes, find, kins, ranks };
  NpStack top = { 0 };
  g_autoptr (GArray) own = tracks->len ? NULL : np_decoder_tracks (ask);
  g_array_append_val (nodes, top);
  if (!add_tracks (&f, own ? own : tracks))
    return NULL;
  np_flame_sum (nodes);
  return g_steal_pointer (&nodes);
}
