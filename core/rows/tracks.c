/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - the forest of tracks: a locked table finds a track by its identity, an array
 * without a lock finds it by its handle. */

#include "rows/tracks.h"

#include "base/arena.h"

#include <pthread.h>

typedef struct {
  struct nprof_track_info info; /* the key in by_identity as well */
  guint64 rows;
  guint published; /* set last, with release */
} Track;

struct NpTracks {
  pthread_mutex_t lock;
  NpSlots slots;
  GHashTable *by_identity; /* const struct nprof_track_info * -> handle */
  guint count;
  guint n_numbered; /* of the delivering thread */
};

static guint
identity_hash (gconstpointer p)
{
  const struct nprof_track_info *info = p;
  guint64 h = ((guint64) info->parent << 32 | info->key) * 0x9e3779b97f4a7c15u;
  h = (h ^ info->kind ^ (guint64) info->input << 8) * 0xa0761d6478bd642fu;
  return (guint) (h >> 32);
}

/* The input tells roots apart; below them the parent does. */
static gboolean
identity_equal (gconstpointer pa, gconstpointer pb)
{
  const struct nprof_track_info *a = pa, *b = pb;
  return a->parent == b->parent && a->kind == b->kind && a->key == b->key && a->input == b->input;
}

NpTracks *
np_tracks_new (void)
{
  NpTracks *tracks = g_new0 (NpTracks, 1);
  pthread_mutex_init (&tracks->lock, NULL);
  tracks->by_identity = g_hash_table_new (identity_hash, identity_equal);
  return tracks;
}

void
np_tracks_free (NpTracks *tracks)
{
  if (!tracks)
    return;
  g_hash_table_unref (tracks->by_identity);
  np_slots_clear (&tracks->slots, sizeof (Track));
  pthread_mutex_destroy (&tracks->lock);
  g_free (tracks);
}

static Track *
get (NpTracks *tracks, nprof_track track)
{
  Track *t = track ? np_slots_get (&tracks->slots, track, sizeof *t) : NULL;
  return t && __atomic_load_n (&t->published, __ATOMIC_ACQUIRE) ? t : NULL;
}

static nprof_track
make (NpTracks *tracks, const struct nprof_track_info *info)
{
  nprof_track handle = tracks->count + 1;
  Track *t = handle ? np_slots_make (&tracks->slots, handle, sizeof *t) : NULL;
  if (!t)
    return 0;
  t->info = *info;
  t->info.size = sizeof t->info;
  if (info->kind == NPROF_TRACK_PROCESS || info->kind == NPROF_TRACK_DEVICE)
    t->info.process = handle;
  g_hash_table_insert (tracks->by_identity, &t->info, GUINT_TO_POINTER (handle));
  __atomic_store_n (&t->published, 1, __ATOMIC_RELEASE);
  __atomic_store_n (&tracks->count, handle, __ATOMIC_RELEASE);
  return handle;
}

/* Gives this label, and the place that comes with it, to a track that had none. */
static void
fix_label (Track *t, const struct nprof_track_info *info)
{
  if (!info->label || t->info.label)
    return;
  if (info->sort)
    __atomic_store_n (&t->info.sort, info->sort, __ATOMIC_RELAXED);
  __atomic_store_n (&t->info.label, info->label, __ATOMIC_RELEASE);
}

static nprof_track
find_or_make (NpTracks *tracks, const struct nprof_track_info *info)
{
  pthread_mutex_lock (&tracks->lock);
  nprof_track handle = GPOINTER_TO_UINT (g_hash_table_lookup (tracks->by_identity, info));
  if (handle)
    fix_label (get (tracks, handle), info);
  else
    handle = make (tracks, info);
  pthread_mutex_unlock (&tracks->lock);
  return handle;
}

nprof_track
np_tracks_root (NpTracks *tracks, guint input, nprof_str label)
{
  struct nprof_track_info info = { .kind = NPROF_TRACK_INPUT, .input = input, .key = label };
  return find_or_make (tracks, &info);
}

nprof_track
np_tracks_add (NpTracks *tracks, nprof_track parent, guint kind, nprof_str key, nprof_str label,
               gint64 sort)
{
  const Track *above = get (tracks, parent);
  if (!above)
    return 0;
  struct nprof_track_info info = { .kind = kind,
                                   .parent = parent,
                                   .input = above->info.input,
                                   .key = key,
                                   .label = label,
                                   .sort = sort,
                                   .process = above->info.process };
  return find_or_make (tracks, &info);
}

const struct nprof_track_info *
np_tracks_get (NpTracks *tracks, nprof_track track)
{
  Track *t = get (tracks, track);
  return t ? &t->info : NULL;
}

nprof_track
np_tracks_device (NpTracks *tracks, nprof_track track)
{
  nprof_track device = 0;
  for (const Track *t; (t = get (tracks, track)); track = t->info.parent)
    if (t->info.kind == NPROF_TRACK_DEVICE || t->info.kind == NPROF_TRACK_CORE)
      device = track;
  return device;
}

guint
np_tracks_count (NpTracks *tracks)
{
  return __atomic_load_n (&tracks->count, __ATOMIC_ACQUIRE);
}

static Track *
parent_of (NpTracks *tracks, const Track *t)
{
  return get (tracks, t->info.parent);
}

/* Numbers ancestors first, so that a parent's number is always the smaller one; without recursion,
 * because the input decides how deep tracks lie. */
static void
number (NpTracks *tracks, Track *track)
{
  guint n = 0;
  for (Track *t = track; t && !t->info.number; t = parent_of (tracks, t))
    n++;
  tracks->n_numbered += n;
  n = tracks->n_numbered;
  for (Track *t = track; t && !t->info.number; t = parent_of (tracks, t))
    __atomic_store_n (&t->info.number, n--, __ATOMIC_RELAXED);
}

void
np_tracks_delivered (NpTracks *tracks, nprof_track track, guint64 n)
{
  Track *t = get (tracks, track);
  if (!t)
    return;
  number (tracks, t);
  __atomic_store_n (&t->rows, t->rows + n, __ATOMIC_RELAXED);
}

guint64
np_tracks_rows (NpTracks *tracks, nprof_track track)
{
  Track *t = get (tracks, track);
  return t ? __atomic_load_n (&t->rows, __ATOMIC_RELAXED) : 0;
}
