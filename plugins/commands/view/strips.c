/* SPDX-License-Identifier: Apache-2.0 */
/* strips.c - joins rows of groups of a lane, in one pass over them, to pieces. Where a lane has
 * more of them than it may, they become longer. All lanes of a grouping together keep at most
 * MOST_PIECES; lanes that come when these are used up have none, and are drawn from their rows. */

#include "strips.h"

#define FEW_ROWS 8192       /* are looked at as fast */
#define FINEST 14           /* the whole profile has 2^FINEST pixels of the finest pieces, */
#define COARSEST 10         /* and of the coarsest so many: below a screen                 */
#define MOST_PIECES 1400000 /* of all lanes: 64 MiB */
#define SOME_PIECES 16384   /* a lane may have, of a quarter of its rows, whatever its share */
#define TILE_BITS 11        /* a tile has 2048 pixels */

void
np_strip_free (NpStrip *strip)
{
  if (!strip)
    return;
  for (guint i = 0; i < strip->n; i++)
    g_array_unref (strip->pieces[i]);
  g_free (strip->pieces);
  g_free (strip);
}

/* -- Joining ------------------------------------------------------------------------------ */

static gint64
tile_of (const NpStrip *s, gint64 t)
{
  return t >> (s->level + TILE_BITS);
}

/* Does a piece that begins at `start` and ends at `end` lie in one tile, both edges included, in no
 * more than a pixel? */
static gboolean
fits (const NpStrip *s, gint64 start, gint64 end)
{
  gint64 length;
  return !__builtin_sub_overflow (end, start, &length)
         && length <= G_GINT64_CONSTANT (1) << s->level
         && tile_of (s, start) == tile_of (s, MAX (start, end - 1));
}

/* Puts a piece behind the others, or into the last of them.  Returns how many more there are. */
static guint
put_piece (const NpStrip *s, GArray *pieces, const struct nprof_store_piece *x)
{
  struct nprof_store_piece *last
      = pieces->len ? &g_array_index (pieces, struct nprof_store_piece, pieces->len - 1) : NULL;
  if (!last || !fits (s, last->start, MAX (last->end, x->end))
      || tile_of (s, last->start) != tile_of (s, x->start)) {
    g_array_append_vals (pieces, x, 1);
    return 1;
  }
  last->end = MAX (last->end, x->end);
  last->busy += x->busy;
  last->count += x->count;
  if (x->longest > last->longest) {
    last->longest = x->longest;
    last->row = x->row;
    last->label = x->label;
  }
  return 0;
}

/* Makes pieces twice as long.  Returns how many are left. */
static guint64
coarsen (NpStrip *s)
{
  guint64 left = 0;
  s->level++;
  for (guint i = 0; i < s->n; i++) {
    GArray *old = s->pieces[i];
    s->pieces[i] = g_array_new (FALSE, FALSE, sizeof (struct nprof_store_piece));
    for (guint k = 0; k < old->len; k++)
      left += put_piece (s, s->pieces[i], &g_array_index (old, struct nprof_store_piece, k));
    g_array_unref (old);
  }
  return left;
}

/* -- Making one --------------------------------------------------------------------------- */

typedef struct {
  NpStrip *strip;
  NpGroupReader reader;
  guint64 n, most; /* pieces */
  guint last_level;
} Making;

static guint
level_of (const NpAsk *ask, guint bits)
{
  const struct nprof_store_meta *meta = ask->profile->meta;
  guint64 pixel = ((guint64) meta->last - (guint64) meta->first) >> bits;
  return pixel ? g_bit_storage (pixel) - 1 : 0;
}

gint64
np_strip_pixel (const NpAsk *ask)
{
  return G_GINT64_CONSTANT (1) << level_of (ask, FINEST);
}

static NpStrip *
strip_new (guint level, guint n)
{
  NpStrip *s = g_new0 (NpStrip, 1);
  *s = (NpStrip){ level, n, g_new (GArray *, n + 1) };
  for (guint i = 0; i < n; i++)
    s->pieces[i] = g_array_new (FALSE, FALSE, sizeof (struct nprof_store_piece));
  return s;
}

static void
take_block (Making *m, const struct nprof_store_block *b, guint32 first)
{
  const struct nprof_store_column *starts = nprof_store_column (b, NPROF_STORE_C_START),
                                  *durations = nprof_store_column (b, NPROF_STORE_C_DURATION),
                                  *labels = nprof_store_column (b, NPROF_STORE_C_LABEL);
  for (guint32 i = 0; i < b->n; i++) {
    guint32 group = np_group_at (&m->reader, b, i);
    gint64 start = (gint64) nprof_store_get (b, starts, i),
           duration = MAX ((gint64) nprof_store_get (b, durations, i), 0), end;
    if (__builtin_add_overflow (start, duration, &end))
      end = G_MAXINT64;
    struct nprof_store_piece x = { .start = start,
                                   .end = end,
                                   .busy = (double) duration,
                                   .longest = (double) duration,
                                   .count = 1,
                                   .row = first + i,
                                   .label = (guint32) nprof_store_get (b, labels, i) };
    if (group < m->strip->n)
      m->n += put_piece (m->strip, m->strip->pieces[group], &x);
  }
}

/* Makes pieces longer until there are few enough; FALSE: they would be longer than a picture
 * needs. */
static gboolean
shrink (Making *m, guint64 most)
{
  while (m->n > most) {
    if (m->strip->level >= m->last_level)
      return FALSE;
    m->n = coarsen (m->strip);
  }
  return TRUE;
}

/* Is there no room for one more lane?  Then none is made for nothing. */
static gboolean
is_full (const NpStripShelf *shelf)
{
  return __atomic_load_n (&shelf->pieces, __ATOMIC_RELAXED) > MOST_PIECES - SOME_PIECES;
}

static gboolean
may_keep (NpStripShelf *shelf, guint64 pieces)
{
  if (__atomic_add_fetch (&shelf->pieces, pieces, __ATOMIC_RELAXED) <= MOST_PIECES)
    return TRUE;
  __atomic_sub_fetch (&shelf->pieces, pieces, __ATOMIC_RELAXED);
  return FALSE;
}

/* Arrays have grown by doubling; what they hold stays for long. */
static void
trim (NpStrip *s)
{
  for (guint i = 0; i < s->n; i++) {
    GArray *old = s->pieces[i];
    s->pieces[i] = g_array_sized_new (FALSE, FALSE, sizeof (struct nprof_store_piece), old->len);
    g_array_append_vals (s->pieces[i], old->data, old->len);
    g_array_unref (old);
  }
}

/* *strip NULL: it is not worth its memory. */
static gboolean
make (NpAsk *ask, const NpGroups *groups, guint32 lane, const struct nprof_store_lane *l,
      NpStrip **strip)
{
  guint64 share = (guint64) MOST_PIECES * l->rows / MAX (ask->profile->meta->rows, 1);
  guint64 some = MIN (l->rows / 4, SOME_PIECES);
  Making m = { .strip = strip_new (level_of (ask, FINEST), groups->names->len),
               .reader = { .groups = groups },
               .most = MIN (MAX (share, some), MOST_PIECES / 4),
               .last_level = level_of (ask, COARSEST) };
  gboolean worth = TRUE;
  *strip = NULL;
  for (guint32 at = 0; worth && (guint64) at * NPROF_STORE_ROWS < l->rows; at++) {
    const struct nprof_store_block *b = nprof_store_rows (ask->query, lane, at);
    if (!b || np_ask_is_over (ask)) {
      np_strip_free (m.strip);
      return FALSE;
    }
    take_block (&m, b, at * NPROF_STORE_ROWS);
    worth = m.n <= 4 * m.most || shrink (&m, 2 * m.most);
  }
  if (worth && shrink (&m, m.most) && may_keep (groups->shelf, m.n))
    trim (*strip = m.strip);
  else
    np_strip_free (m.strip);
  return TRUE;
}

/* -- Keeping them ------------------------------------------------------------------------- */

static gboolean
may_have_one (const struct nprof_store_lane *l)
{
  return l && l->rows > FEW_ROWS
         && (l->type == NPROF_STORE_LANE_SPAN || l->type == NPROF_STORE_LANE_INSTANT);
}

gboolean
np_strip_of (NpAsk *ask, const NpGroups *groups, guint32 lane, const NpStrip **strip)
{
  const struct nprof_store_lane *l = nprof_store_lane_at (ask->store, lane);
  NpStripShelf *shelf = groups->shelf;
  gboolean good = TRUE;
  *strip = NULL;
  if (!may_have_one (l))
    return TRUE;
  pthread_mutex_lock (&shelf->lock[lane % NP_STRIP_LOCKS]);
  NpStripPlace *place = &shelf->places[lane];
  if (!place->looked && is_full (shelf))
    place->looked = TRUE;
  if (!place->looked) {
    good = make (ask, groups, lane, l, &place->strip);
    place->looked = good;
  }
  *strip = place->strip;
  pthread_mutex_unlock (&shelf->lock[lane % NP_STRIP_LOCKS]);
  return good;
}

NpStripShelf *
np_strip_shelf_new (guint64 lanes)
{
  NpStripShelf *shelf = g_new0 (NpStripShelf, 1);
  for (guint i = 0; i < NP_STRIP_LOCKS; i++)
    pthread_mutex_init (&shelf->lock[i], NULL);
  shelf->n = lanes;
  shelf->places = g_new0 (NpStripPlace, lanes + 1);
  return shelf;
}

void
np_strip_shelf_free (NpStripShelf *shelf)
{
  for (guint64 i = 0; i < shelf->n; i++)
    np_strip_free (shelf->places[i].strip);
  for (guint i = 0; i < NP_STRIP_LOCKS; i++)
    pthread_mutex_destroy (&shelf->lock[i]);
  g_free (shelf->places);
  g_free (shelf);
}
