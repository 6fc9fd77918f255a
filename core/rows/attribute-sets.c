/* SPDX-License-Identifier: Apache-2.0 */
/* attribute-sets.c - copies of attribute sets in one arena, found by handle without a lock. */

#include "rows/attribute-sets.h"

#include "base/arena.h"
#include "rows/row-copy.h"

#include <pthread.h>
#include <string.h>

struct NpAttrSets {
  pthread_mutex_t lock;
  NpSlots sets; /* of pointers to what the arena holds */
  NpArena arena;
  guint32 count;
};

static const struct nprof_attrs empty = { .size = sizeof empty };

NpAttrSets *
np_attrsets_new (void)
{
  NpAttrSets *sets = g_new0 (NpAttrSets, 1);
  pthread_mutex_init (&sets->lock, NULL);
  return sets;
}

void
np_attrsets_free (NpAttrSets *sets)
{
  if (!sets)
    return;
  pthread_mutex_destroy (&sets->lock);
  np_slots_clear (&sets->sets, sizeof (struct nprof_attrs *));
  np_arena_clear (&sets->arena);
  g_free (sets);
}

static guint64
count_bytes (const struct nprof_attrs *attrs)
{
  guint64 n = 0;
  for (guint i = 0; i < attrs->n; i++)
    if (np_type_in_bytes (attrs->type[i]))
      n += attrs->value[i].bytes.len;
  return n;
}

/* Fills memory laid out as: head, values, keys, types, bytes.  Only the bytes that values
 * point to are copied: the source may be the whole input. */
static void
fill (struct nprof_attrs *copy, const struct nprof_attrs *attrs)
{
  gsize n = attrs->n;
  nprof_value *value = (nprof_value *) (copy + 1);
  nprof_str *key = (nprof_str *) (value + n);
  guint8 *type = (guint8 *) (key + n);
  char *bytes = (char *) (type + n);
  memcpy (value, attrs->value, n * sizeof *value);
  memcpy (key, attrs->key, n * sizeof *key);
  memcpy (type, attrs->type, n);
  guint32 at = 0;
  for (gsize i = 0; i < n; i++) {
    if (!np_type_in_bytes (type[i]))
      continue;
    memcpy (bytes + at, attrs->bytes + value[i].bytes.at, value[i].bytes.len);
    value[i].bytes.at = at;
    at += value[i].bytes.len;
  }
  *copy = (struct nprof_attrs){
    .size = sizeof *copy, .n = attrs->n, .key = key, .type = type, .value = value, .bytes = bytes
  };
}

/* Adds a copy of the set; the caller holds the lock. */
static nprof_set
add (NpAttrSets *sets, const struct nprof_attrs *attrs, gsize size)
{
  if (sets->count == G_MAXUINT32)
    return 0;
  struct nprof_attrs **slot = np_slots_make (&sets->sets, sets->count + 1, sizeof *slot);
  struct nprof_attrs *copy = slot ? np_arena_alloc (&sets->arena, size) : NULL;
  if (!copy)
    return 0;
  fill (copy, attrs);
  __atomic_store_n (slot, copy, __ATOMIC_RELEASE);
  return __atomic_add_fetch (&sets->count, 1, __ATOMIC_RELAXED);
}

nprof_set
np_attrsets_add (NpAttrSets *sets, const struct nprof_attrs *attrs)
{
  if (attrs->n == 0)
    return 0;
  guint64 bytes = count_bytes (attrs);
  if (bytes > G_MAXUINT32)
    return 0;
  gsize each = sizeof (nprof_value) + sizeof (nprof_str) + sizeof (guint8);
  pthread_mutex_lock (&sets->lock);
  nprof_set set = add (sets, attrs, sizeof *attrs + attrs->n * each + bytes);
  pthread_mutex_unlock (&sets->lock);
  return set;
}

const struct nprof_attrs *
np_attrsets_get (NpAttrSets *sets, nprof_set set)
{
  struct nprof_attrs **slot = set ? np_slots_get (&sets->sets, set, sizeof *slot) : NULL;
  const struct nprof_attrs *attrs = slot ? __atomic_load_n (slot, __ATOMIC_ACQUIRE) : NULL;
  return attrs ? attrs : &empty;
}

guint
np_attrsets_count (const NpAttrSets *sets)
{
  return __atomic_load_n (&sets->count, __ATOMIC_RELAXED);
}
