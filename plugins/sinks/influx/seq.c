/* SPDX-License-Identifier: Apache-2.0 */
/* seq.c - counts ordinals among rows of one track, time, name, category and kind. */
#include "seq.h"

struct seq_key {
  guint32 name, category, kind;
  guint64 next; /* not compared */
};

static guint
key_hash (gconstpointer p)
{
  const struct seq_key *key = p;
  return (key->name * 31u + key->category) * 31u + key->kind;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const struct seq_key *x = a, *y = b;
  return x->name == y->name && x->category == y->category && x->kind == y->kind;
}

void
seq_init (struct seq_counter *seq)
{
  *seq = (struct seq_counter){ 0 };
  seq->alike = g_hash_table_new_full (key_hash, key_equal, g_free, NULL);
  seq->rounds = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}

void
seq_clear (struct seq_counter *seq)
{
  g_clear_pointer (&seq->alike, g_hash_table_unref);
  g_clear_pointer (&seq->rounds, g_hash_table_unref);
}

/* Enters a track; one that comes again, or goes back in time, begins a round of its own. */
static void
enter_track (struct seq_counter *seq, guint64 track)
{
  gint64 key = (gint64) track;
  gpointer last = NULL;
  gboolean known = g_hash_table_lookup_extended (seq->rounds, &key, NULL, &last);
  seq->round = known ? GPOINTER_TO_UINT (last) + 1 : 0;
  g_hash_table_replace (seq->rounds, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (seq->round));
  seq->track = track;
}

guint64
seq_next (struct seq_counter *seq, guint64 track, gint64 time, guint32 name, guint32 category,
          guint32 kind, guint *round)
{
  gboolean other = !seq->begun || track != seq->track || time < seq->time;
  if (other)
    enter_track (seq, track);
  if ((other || time != seq->time) && g_hash_table_size (seq->alike))
    g_hash_table_remove_all (seq->alike);
  seq->begun = TRUE;
  seq->time = time;
  *round = seq->round;
  struct seq_key key = { name, category, kind, 0 };
  struct seq_key *known = g_hash_table_lookup (seq->alike, &key);
  if (known)
    return ++known->next;
  g_hash_table_add (seq->alike, g_memdup2 (&key, sizeof key));
  return 0;
}
