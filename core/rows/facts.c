/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - collects the rows of kind FACT; the first of a (track, key) wins. */

#include "rows/facts.h"

#include <nprof/format.h>
#include <pthread.h>
#include <string.h>

struct NpFacts {
  NpStrings *strings;
  NpTracks *tracks;
  NpLog *log;
  GPtrArray *list;      /* of struct nprof_fact, as delivered */
  pthread_mutex_t lock; /* of index, which any thread may ask */
  GHashTable *index;    /* track << 32 | key -> struct nprof_fact */
};

NpFacts *
np_facts_new (NpStrings *strings, NpTracks *tracks, NpLog *log)
{
  NpFacts *self = g_new0 (NpFacts, 1);
  self->strings = strings;
  self->tracks = tracks;
  self->log = log;
  self->list = g_ptr_array_new_with_free_func (g_free);
  pthread_mutex_init (&self->lock, NULL);
  self->index = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  return self;
}

void
np_facts_free (NpFacts *self)
{
  if (!self)
    return;
  g_hash_table_unref (self->index);
  g_ptr_array_unref (self->list);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

static gboolean
same_value (const struct nprof_fact *a, const struct nprof_fact *b)
{
  return a->type == b->type && memcmp (&a->value, &b->value, sizeof a->value) == 0;
}

static void
warn_of_second (NpFacts *self, const struct nprof_fact *second)
{
  const struct nprof_track_info *track = np_tracks_get (self->tracks, second->track);
  np_log (self->log, NPROF_WARNING, "%s: a second, different value of %s is left out",
          np_strings_get (self->strings, track->label ? track->label : track->key, NULL),
          np_strings_get (self->strings, second->key, NULL));
}

static const struct nprof_fact *
look_up (const NpFacts *self, nprof_track track, nprof_str key)
{
  const guint64 both = (guint64) track << 32 | key;
  return g_hash_table_lookup (self->index, &both);
}

static void
add_fact (NpFacts *self, const struct nprof_fact *fact)
{
  const struct nprof_fact *first = look_up (self, fact->track, fact->key);
  if (first) {
    if (!same_value (first, fact))
      warn_of_second (self, fact);
    return;
  }
  const guint64 both = (guint64) fact->track << 32 | fact->key;
  struct nprof_fact *added = g_memdup2 (fact, sizeof *fact);
  g_ptr_array_add (self->list, added);
  pthread_mutex_lock (&self->lock);
  g_hash_table_insert (self->index, g_memdup2 (&both, sizeof both), added);
  pthread_mutex_unlock (&self->lock);
}

/* Interns an id128 as the hex digits that are printed for it, because its bytes are no text. */
static nprof_str
intern_id128 (NpFacts *self, const char *bytes)
{
  struct nprof_buf text = { NULL, 0, 0, false };
  nprof_put_id128 (&text, bytes);
  nprof_str s = np_strings_intern (self->strings, text.data, text.len);
  nprof_buf_clear (&text);
  return s;
}

/* Makes the value outlive the batch: bytes become a string. */
static void
keep_value (NpFacts *self, struct nprof_fact *fact, const struct nprof_batch *batch, guint attr)
{
  fact->type = batch->attr_type[attr];
  fact->value.u = 0;
  if (fact->type == NPROF_TEXT || fact->type == NPROF_JSON || fact->type == NPROF_ID128) {
    const nprof_value *v = &batch->attr_value[attr];
    const char *bytes = batch->bytes + v->bytes.at;
    fact->value.s = fact->type == NPROF_ID128
                        ? intern_id128 (self, bytes)
                        : np_strings_intern (self->strings, bytes, v->bytes.len);
    fact->type = NPROF_STRING;
  } else if (fact->type == NPROF_STRING)
    fact->value.s = batch->attr_value[attr].s;
  else
    fact->value = batch->attr_value[attr];
}

static gboolean
see_row (NpFacts *self, const struct nprof_batch *batch, guint row, char **problem)
{
  guint from = batch->attr_at ? batch->attr_at[row] : 0;
  guint to = batch->attr_at ? batch->attr_at[row + 1] : 0;
  if (to - from != 1 || batch->attr_key[from] != batch->name[row]) {
    *problem = g_strdup_printf ("a fact named \"%s\" has not exactly one attribute of that key",
                                np_strings_get (self->strings, batch->name[row], NULL));
    return FALSE;
  }
  if (!np_tracks_get (self->tracks, batch->track[row])) {
    *problem = g_strdup_printf ("a fact named \"%s\" has no track",
                                np_strings_get (self->strings, batch->name[row], NULL));
    return FALSE;
  }
  struct nprof_fact fact = { .size = sizeof fact,
                             .track = batch->track[row],
                             .key = batch->name[row],
                             .source = batch->category[row] };
  keep_value (self, &fact, batch, from);
  add_fact (self, &fact);
  return TRUE;
}

gboolean
np_facts_see (NpFacts *self, const struct nprof_batch *batch, char **problem)
{
  const guint8 *end = batch->kind + batch->n_rows;
  for (const guint8 *k = batch->kind; k < end && (k = memchr (k, NPROF_FACT, (gsize) (end - k)));
       k++)
    if (!see_row (self, batch, (guint) (k - batch->kind), problem))
      return FALSE;
  return TRUE;
}

guint
np_facts_count (const NpFacts *self)
{
  return self->list->len;
}

const struct nprof_fact *
np_facts_get (const NpFacts *self, guint i)
{
  return g_ptr_array_index (self->list, i);
}

const struct nprof_fact *
np_facts_find (NpFacts *self, nprof_track track, nprof_str key)
{
  const struct nprof_fact *found = NULL;
  const struct nprof_track_info *info;
  pthread_mutex_lock (&self->lock);
  for (; !found && (info = np_tracks_get (self->tracks, track)); track = info->parent)
    found = look_up (self, track, key);
  pthread_mutex_unlock (&self->lock);
  return found;
}
