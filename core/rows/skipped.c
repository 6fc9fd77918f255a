/* SPDX-License-Identifier: Apache-2.0 */
/* skipped.c - what decoders skipped: a count for each (input, what, reason). */

#include "rows/skipped.h"

#include <pthread.h>
#include <string.h>

struct NpSkipped {
  pthread_mutex_t lock;
  GHashTable *entries; /* text of the three -> NpSkip */
  NpSkip *last;        /* most often the next is of this one, too */
};

static void
skip_free (gpointer data)
{
  NpSkip *skip = data;
  g_free (skip->what);
  g_free (skip->reason);
  g_free (skip);
}

NpSkipped *
np_skipped_new (void)
{
  NpSkipped *self = g_new0 (NpSkipped, 1);
  pthread_mutex_init (&self->lock, NULL);
  self->entries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, skip_free);
  return self;
}

void
np_skipped_free (NpSkipped *self)
{
  if (!self)
    return;
  g_hash_table_unref (self->entries);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

void
np_skipped_add (NpSkipped *self, guint input, const char *what, guint64 at, const char *reason)
{
  np_skipped_add_many (self, input, what, 1, at, reason);
}

static gboolean
is_of (const NpSkip *skip, guint input, const char *what, const char *reason)
{
  return skip && skip->input == input && strcmp (skip->what, what) == 0
         && strcmp (skip->reason, reason) == 0;
}

static NpSkip *
find (NpSkipped *self, guint input, const char *what, const char *reason)
{
  if (is_of (self->last, input, what, reason))
    return self->last;
  g_autofree char *valid = g_utf8_make_valid (what, -1), *why = g_utf8_make_valid (reason, -1);
  /* the length keeps ("a", "bc") and ("ab", "c") apart */
  g_autofree char *key = g_strdup_printf ("%u %zu %s%s", input, strlen (valid), valid, why);
  self->last = g_hash_table_lookup (self->entries, key);
  if (self->last)
    return self->last;
  NpSkip *skip = self->last = g_new0 (NpSkip, 1);
  skip->input = input;
  skip->what = g_steal_pointer (&valid);
  skip->reason = g_steal_pointer (&why);
  skip->first_byte = G_MAXUINT64;
  g_hash_table_insert (self->entries, g_steal_pointer (&key), skip);
  return skip;
}

void
np_skipped_add_many (NpSkipped *self, guint input, const char *what, guint64 n, guint64 at,
                     const char *reason)
{
  pthread_mutex_lock (&self->lock);
  NpSkip *skip = find (self, input, what, reason);
  skip->count += n;
  skip->first_byte = MIN (skip->first_byte, at);
  pthread_mutex_unlock (&self->lock);
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const NpSkip *x = *(const NpSkip *const *) a, *y = *(const NpSkip *const *) b;
  if (x->input != y->input)
    return x->input < y->input ? -1 : 1;
  if (x->first_byte != y->first_byte)
    return x->first_byte < y->first_byte ? -1 : 1;
  int order = strcmp (x->what, y->what);
  return order ? order : strcmp (x->reason, y->reason);
}

GPtrArray *
np_skipped_sorted (NpSkipped *self)
{
  GPtrArray *sorted = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer skip;
  g_hash_table_iter_init (&iter, self->entries);
  while (g_hash_table_iter_next (&iter, NULL, &skip))
    g_ptr_array_add (sorted, skip);
  g_ptr_array_sort (sorted, by_place);
  return sorted;
}
