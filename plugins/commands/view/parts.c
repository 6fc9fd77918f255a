/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - reads which groups of which tracks are chosen, and walks over their rows a block at a
 * time; part-selection.c selects the same for a run. */

#include "parts.h"
#include "part-sets.h"

#include <string.h>

struct NpParts {
  const NpGroups *groups;
  GArray *tracks; /* of guint32: indices, ascending                       */
  GPtrArray *has; /* of guint8 *, by place in tracks: by group, is it chosen */
  NpGroupReader reader;
  GHashTable *readers; /* by lane: of rows that are asked for one by one, as lanes take turns */
};

void
np_parts_free (NpParts *parts)
{
  if (!parts)
    return;
  g_array_unref (parts->tracks);
  g_ptr_array_unref (parts->has);
  g_hash_table_unref (parts->readers);
  g_free (parts);
}

const GArray *
np_parts_tracks (const NpParts *parts)
{
  return parts->tracks;
}

/* -- Reading ------------------------------------------------------------------------------ */

/* Returns the place of a track, or where it would stand. */
static guint
place_of (const GArray *tracks, guint32 track)
{
  guint low = 0, high = tracks->len;
  while (low < high) {
    guint middle = (low + high) / 2;
    if (g_array_index (tracks, guint32, middle) < track)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static gboolean
is_at (const GArray *tracks, guint place, guint32 track)
{
  return place < tracks->len && g_array_index (tracks, guint32, place) == track;
}

static void
take_track (NpParts *parts, guint32 track, const GArray *groups)
{
  guint at = place_of (parts->tracks, track), n = parts->groups->names->len;
  if (!is_at (parts->tracks, at, track)) {
    g_array_insert_val (parts->tracks, at, track);
    g_ptr_array_insert (parts->has, (gint) at, g_malloc0 (n + 1));
  }
  guint8 *has = g_ptr_array_index (parts->has, at);
  for (guint i = 0; i < groups->len; i++)
    has[g_array_index (groups, guint32, i)] = TRUE;
}

gboolean
np_parts_read (NpAsk *ask, const char *text, NpParts **out)
{
  g_auto (NpPartSets) sets = { 0 };
  *out = NULL;
  if (!np_part_sets_read (ask, text, &sets))
    return FALSE;
  if (!sets.groups)
    return TRUE;
  NpParts *parts = g_new0 (NpParts, 1);
  parts->groups = parts->reader.groups = sets.groups;
  parts->tracks = g_array_new (FALSE, FALSE, sizeof (guint32));
  parts->has = g_ptr_array_new_with_free_func (g_free);
  parts->readers = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint i = 0; i < sets.sets->len; i++) {
    const NpPartSet *set = g_ptr_array_index (sets.sets, i);
    for (guint k = 0; k < set->tracks->len; k++)
      take_track (parts, g_array_index (set->tracks, guint32, k), set->numbers);
  }
  *out = parts;
  return TRUE;
}

GArray *
np_ask_chosen (NpAsk *ask, NpParts **parts)
{
  if (!np_parts_read (ask, np_request_param (ask->request, "parts"), parts))
    return NULL;
  return *parts ? g_array_ref ((*parts)->tracks) : np_ask_tracks (ask);
}

/* -- Rows --------------------------------------------------------------------------------- */

static gboolean
is_chosen (const NpParts *parts, guint place, guint32 group)
{
  const guint8 *has = g_ptr_array_index (parts->has, place);
  return group < parts->groups->names->len && has[group];
}

static NpGroupReader *
reader_of (NpParts *parts, guint32 lane)
{
  NpGroupReader *reader = g_hash_table_lookup (parts->readers, GUINT_TO_POINTER (lane));
  if (reader)
    return reader;
  reader = g_new0 (NpGroupReader, 1);
  reader->groups = parts->groups;
  g_hash_table_insert (parts->readers, GUINT_TO_POINTER (lane), reader);
  return reader;
}

gboolean
np_parts_have (NpParts *parts, NpAsk *ask, const struct nprof_event *e, gboolean *have)
{
  guint at = place_of (parts->tracks, e->track);
  guint32 group;
  *have = FALSE;
  if (!is_at (parts->tracks, at, e->track))
    return TRUE;
  if (!np_group_of_row (ask, reader_of (parts, e->row.lane), e->row, &group))
    return FALSE;
  *have = is_chosen (parts, at, group);
  return TRUE;
}

typedef struct {
  const struct nprof_store_block *b;
  const struct nprof_store_column *start, *duration, *label, *child;
} Columns;

static NpPartSpan
span_at (const Columns *c, guint32 i, NpPartSpan span)
{
  span.start = (gint64) nprof_store_get (c->b, c->start, i);
  span.duration = (gint64) nprof_store_get (c->b, c->duration, i);
  span.label = (guint32) nprof_store_get (c->b, c->label, i);
  span.child = (gint64) nprof_store_get (c->b, c->child, i);
  return span;
}

/* Gives spans of a block; *behind: the window has ended. */
static gboolean
each_of_block (NpParts *parts, NpAsk *ask, guint place, NpPartSpan span,
               const struct nprof_store_block *b, gint64 t0, gint64 t1, gboolean *behind,
               NpPartFunc fn, gpointer user)
{
  Columns c = { b, nprof_store_column (b, NPROF_STORE_C_START),
                nprof_store_column (b, NPROF_STORE_C_DURATION),
                nprof_store_column (b, NPROF_STORE_C_LABEL),
                nprof_store_column (b, NPROF_STORE_C_CHILD) };
  guint32 first = span.row.row;
  for (guint32 i = 0; i < b->n; i++) {
    gint64 start = (gint64) nprof_store_get (b, c.start, i);
    if (start > t1) {
      *behind = TRUE;
      return TRUE;
    }
    if (!is_chosen (parts, place, np_group_at (&parts->reader, b, i)))
      continue;
    span = span_at (&c, i, span);
    span.row.row = first + i;
    if ((span.duration < 0 || span.start + span.duration >= t0) && !fn (ask, &span, user))
      return FALSE;
  }
  return TRUE;
}

/* Finds the first block with a row that reaches into the window: rows of a lane of spans end before
 * the next begins. */
static gboolean
first_block (NpAsk *ask, guint32 lane, const struct nprof_store_lane *l, gint64 t0, guint32 *number)
{
  uint32_t row = 0;
  bool found = false;
  if (l->type == NPROF_STORE_LANE_SPAN && t0 > G_MININT64
      && !nprof_store_before (ask->query, lane, t0 - 1, &row, &found))
    return FALSE;
  *number = found ? row / NPROF_STORE_ROWS : 0;
  return TRUE;
}

static gboolean
each_of_lane (NpParts *parts, NpAsk *ask, guint place, guint32 lane, gint64 t0, gint64 t1,
              NpPartFunc fn, gpointer user)
{
  const struct nprof_store_lane *l = nprof_store_lane_at (ask->store, lane);
  guint32 number;
  gboolean behind = FALSE;
  if (!l || (l->type != NPROF_STORE_LANE_SPAN && l->type != NPROF_STORE_LANE_UNCLOSED))
    return TRUE;
  if (!first_block (ask, lane, l, t0, &number))
    return FALSE;
  for (; !behind && (guint64) number * NPROF_STORE_ROWS < l->rows; number++) {
    const struct nprof_store_block *b = nprof_store_rows (ask->query, lane, number);
    NpPartSpan span = { .row = { lane, number * NPROF_STORE_ROWS },
                        .track = g_array_index (parts->tracks, guint32, place) };
    if (!b || np_ask_is_over (ask)
        || !each_of_block (parts, ask, place, span, b, t0, t1, &behind, fn, user))
      return FALSE;
  }
  return TRUE;
}

gboolean
np_parts_each (NpParts *parts, NpAsk *ask, guint i, gint64 t0, gint64 t1, NpPartFunc fn,
               gpointer user)
{
  guint32 track = g_array_index (parts->tracks, guint32, i);
  const struct nprof_store_track *t = nprof_store_track_at (ask->store, track);
  for (guint32 lane = t ? t->lane : 0; t && lane - t->lane < t->n_lanes; lane++)
    if (!each_of_lane (parts, ask, i, lane, t0, t1, fn, user))
      return FALSE;
  return TRUE;
}

/* -- Busy --------------------------------------------------------------------------------- */

typedef struct {
  gint64 from, to;
} Piece;

typedef struct {
  gint64 t0, t1;
  GArray *pieces; /* of Piece, of one lane after the other; those that touch are one */
} Busy;

static gboolean
add_piece (NpAsk *ask, const NpPartSpan *span, gpointer user)
{
  (void) ask;
  Busy *b = user;
  if (span->duration < 0)
    return TRUE;
  Piece piece = { MAX (span->start, b->t0), MIN (span->start + span->duration, b->t1) };
  Piece *last = b->pieces->len ? &g_array_index (b->pieces, Piece, b->pieces->len - 1) : NULL;
  if (piece.to <= piece.from)
    return TRUE;
  if (last && last->from <= piece.from && piece.from <= last->to)
    last->to = MAX (last->to, piece.to);
  else
    g_array_append_val (b->pieces, piece);
  return TRUE;
}

static int
compare_pieces (gconstpointer a, gconstpointer b)
{
  const Piece *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

static gint64
union_of (GArray *pieces)
{
  gint64 sum = 0, end = G_MININT64;
  g_array_sort (pieces, compare_pieces);
  for (guint i = 0; i < pieces->len; i++) {
    const Piece *p = &g_array_index (pieces, Piece, i);
    if (p->to <= end)
      continue;
    sum += p->to - MAX (p->from, end);
    end = p->to;
  }
  return sum;
}

gboolean
np_parts_busy (NpParts *parts, NpAsk *ask, gint64 t0, gint64 t1, gint64 *busy)
{
  *busy = 0;
  for (guint i = 0; i < parts->tracks->len; i++) {
    g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
    Busy b = { t0, t1, pieces };
    if (!np_parts_each (parts, ask, i, t0, t1, add_piece, &b))
      return FALSE;
    *busy += union_of (pieces);
  }
  return TRUE;
}
