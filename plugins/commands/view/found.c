/* SPDX-License-Identifier: Apache-2.0 */
/* found.c - asks the store what a search finds, or looks at the groups of its hits one by one. */

#include "found.h"

#define AT_ONCE 4096 /* hits that are looked at between two questions whether somebody waits */

void
np_found_clear (NpFound *found)
{
  g_clear_pointer (&found->hits, g_array_unref);
  g_clear_pointer (&found->histogram, g_free);
}

static const guint32 *
tracks_of (const NpSought *s)
{
  return (const guint32 *) (gpointer) s->tracks->data;
}

static gboolean
find_in_tracks (NpAsk *ask, const NpSought *s, NpFound *f)
{
  uint32_t found = 0;
  bool more = false;
  if (!nprof_search_count (ask->query, s->search, tracks_of (s), s->tracks->len, s->t0, s->t1,
                           &f->total, f->histogram, s->pixels, &f->names))
    return FALSE;
  g_array_set_size (f->hits, s->n);
  if (s->n
      && !nprof_search_hits (ask->query, s->search, s->after, tracks_of (s), s->tracks->len, s->t0,
                             s->t1, (struct nprof_row *) (gpointer) f->hits->data, s->n, &found,
                             &more))
    return FALSE;
  g_array_set_size (f->hits, found);
  return TRUE;
}

static gboolean
is_behind (const struct nprof_row *row, const struct nprof_row *after)
{
  return !after || row->lane > after->lane || (row->lane == after->lane && row->row > after->row);
}

/* Counts a hit as nprof_search_count does. */
static void
take_hit (NpAsk *ask, const NpSought *s, const struct nprof_event *e, GHashTable *names, NpFound *f)
{
  const struct nprof_store_label *label = nprof_store_label_at (ask->store, e->label);
  f->total++;
  if (label)
    g_hash_table_add (names, GUINT_TO_POINTER (label->name));
  if (s->pixels) {
    double far = e->start <= s->t0 ? 0 : (double) ((guint64) e->start - (guint64) s->t0),
           at = far / ((double) ((guint64) s->t1 - (guint64) s->t0) + 1) * s->pixels;
    f->histogram[MIN ((guint32) at, s->pixels - 1)]++;
  }
  if (f->hits->len < s->n && is_behind (&e->row, s->after))
    g_array_append_val (f->hits, e->row);
}

static gboolean
take_hits (NpAsk *ask, const NpSought *s, const struct nprof_row *rows, guint32 n,
           GHashTable *names, NpFound *f)
{
  for (guint32 i = 0; i < n; i++) {
    struct nprof_event e;
    gboolean have = TRUE;
    if (!nprof_store_event (ask->query, rows[i], &e)
        || (s->parts && !np_parts_have (s->parts, ask, &e, &have)))
      return FALSE;
    if (have && (!s->fits || s->fits (ask, &e, s->user)))
      take_hit (ask, s, &e, names, f);
  }
  return TRUE;
}

static gboolean
find_one_by_one (NpAsk *ask, const NpSought *s, NpFound *f)
{
  g_autofree struct nprof_row *rows = g_new (struct nprof_row, AT_ONCE);
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  struct nprof_row last;
  uint32_t n = 0;
  for (bool more = true, first = true; more; first = false) {
    if (np_ask_is_over (ask)
        || !nprof_search_hits (ask->query, s->search, first ? NULL : &last, tracks_of (s),
                               s->tracks->len, s->t0, s->t1, rows, AT_ONCE, &n, &more)
        || !take_hits (ask, s, rows, n, names, f))
      return FALSE;
    if (n)
      last = rows[n - 1];
  }
  f->names = g_hash_table_size (names);
  return TRUE;
}

gboolean
np_find_rows (NpAsk *ask, const NpSought *s, NpFound *f)
{
  f->hits = g_array_new (FALSE, FALSE, sizeof (struct nprof_row));
  f->histogram = g_new0 (guint32, s->pixels + 1);
  return s->parts || s->fits ? find_one_by_one (ask, s, f) : find_in_tracks (ask, s, f);
}
