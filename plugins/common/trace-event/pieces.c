/* SPDX-License-Identifier: Apache-2.0 */
/* pieces.c - the index of pieces of a trace, on several threads. A piece ends at the first event
 * that begins at a multiple of part_bytes or behind it. Where that is, is guessed for the piece
 * behind it; plan.c takes such a piece only if the one before has ended there. */
#include "trace-event/plan.h"

#define LOOK (64u << 10) /* bytes in which the first event of a piece is looked for */

void
ch_piece_clear (ChPiece *piece)
{
  g_clear_pointer (&piece->metas, g_ptr_array_unref);
  g_clear_pointer (&piece->names, g_ptr_array_unref);
}

static const char *
border_behind (const Chrome *c, const char *p)
{
  uint64_t bytes = ((uint64_t) (p - c->events) / c->part_bytes + 1) * c->part_bytes;
  return c->events + MIN (bytes, (uint64_t) (c->end - c->events));
}

static void
note (Chrome *c, ChPiece *piece, const char *from, const char *to)
{
  if (!c->note)
    return;
  if (!piece->names)
    piece->names = g_ptr_array_new ();
  c->note (c, from, to, piece->names);
}

static void
add_meta (ChPiece *piece, const char *p)
{
  if (!piece->metas)
    piece->metas = g_ptr_array_new ();
  g_ptr_array_add (piece->metas, (gpointer) p);
}

nprof_status
ch_piece_index (Chrome *c, ChPiece *piece)
{
  TeIndex x = { .at = piece->from, .end = c->end };
  const char *cut = border_behind (c, piece->from), *noted = piece->from, *reported = noted;
  nprof_status status = NPROF_OK;
  for (int what = TE_INDEX_MORE; !status && (what == TE_INDEX_MORE || what == TE_INDEX_META);) {
    const char *pause = noted + MIN (CH_NOTE, c->end - noted);
    piece->what = what = c->scanner->index (&x, cut, MAX (pause, x.at));
    if (what == TE_INDEX_META) {
      add_meta (piece, x.at);
      continue;
    }
    note (c, piece, noted, x.at);
    noted = x.at;
    if (what == TE_INDEX_MORE && x.at - reported < CH_REPORT)
      continue;
    status = c->host->progress (c->host, ch_at (c, reported), ch_at (c, x.at));
    reported = x.at;
  }
  piece->to = x.at;
  return status;
}

/* -- Ahead ---------------------------------------------------------------------------- */

typedef struct {
  Chrome *c;
  GArray *pieces; /* of ChPiece */
} Ahead;

static const char *
back_over_spaces (const char *p)
{
  while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
    p--;
  return p;
}

/* Does the object at p say a ph? */
static bool
has_phase (const Chrome *c, const char *p)
{
  TeScan scan = { .controls = &(TeControls){ 0 }, .with = c->scanner, .end = c->end };
  TeValue key, value;
  p++;
  while ((p = te_member (&scan, p, &key, &value)))
    if (te_text_is (&key, "ph"))
      return true;
  return false;
}

/* Is the { at p that of an event, as far as can be told without all that is before? Behind an event
 * comes another, so it stands behind } and a comma. */
static bool
looks_like_event (const Chrome *c, const char *p)
{
  const char *comma = back_over_spaces (p - 1);
  return *comma == ',' && *back_over_spaces (comma - 1) == '}' && has_phase (c, p);
}

/* An event at p or soon behind it; NULL: none was found. */
static const char *
guess (const Chrome *c, const char *p)
{
  const char *last = p + MIN (MIN (LOOK, c->part_bytes), (uint64_t) (c->end - p));
  while (p < last && (p = memchr (p, '{', (size_t) (last - p))) && !looks_like_event (c, p))
    p++;
  return p && p < last ? p : NULL;
}

static nprof_status
index_ahead (void *user, uint32_t number)
{
  Ahead *ahead = user;
  ChPiece *piece = &g_array_index (ahead->pieces, ChPiece, number);
  if (number > 0)
    piece->from = guess (ahead->c, piece->from);
  return piece->from ? ch_piece_index (ahead->c, piece) : NPROF_OK;
}

nprof_status
ch_pieces_ahead (Chrome *c, const char *from, GArray *pieces)
{
  Ahead ahead = { c, pieces };
  if (c->part_bytes < CH_LEAST_AHEAD || from >= c->end)
    return NPROF_OK;
  for (const char *p = from; p < c->end; p = border_behind (c, p))
    g_array_append_val (pieces, (ChPiece){ .from = p });
  return c->host->parallel (c->host, pieces->len, index_ahead, &ahead);
}
