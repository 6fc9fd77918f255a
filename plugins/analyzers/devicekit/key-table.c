/* SPDX-License-Identifier: Apache-2.0 */
/* key-table.c - a hash table with open addressing over tuples of 32-bit words.
 *
 * Rows repeat in sequences: steps of a training loop run the same operators in the same order.  So
 * each tuple remembers which one came behind it the last time, and that one is compared first: when
 * it is the one, nothing is hashed, and memory is read in the order in which it was written. */
#include "devicekit/key-table.h"

#include <string.h>

#include "system/large.h"

enum { FIRST = 64 }; /* tuples; a power of two */

static gsize
bytes_of_words (const AnKeyTable *t)
{
  return (gsize) t->max * t->width * sizeof *t->word;
}

static gsize
bytes_of_slots (const AnKeyTable *t)
{
  return ((gsize) t->mask + 1) * sizeof *t->slot;
}

void
an_key_table_init (AnKeyTable *t, guint width)
{
  *t = (AnKeyTable){ .width = width, .max = FIRST, .mask = 2 * FIRST - 1 };
  t->word = np_large_grow (NULL, 0, bytes_of_words (t));
  t->after = np_large_grow (NULL, 0, t->max * sizeof *t->after);
  t->slot = np_large_grow (NULL, 0, bytes_of_slots (t));
}

void
an_key_table_clear (AnKeyTable *t)
{
  np_large_free (t->word, bytes_of_words (t));
  np_large_free (t->after, t->max * sizeof *t->after);
  np_large_free (t->slot, bytes_of_slots (t));
  memset (t, 0, sizeof *t);
}

static inline guint64
two_words (const guint32 *at)
{
  guint64 two;
  memcpy (&two, at, sizeof two);
  return two;
}

/* Hashes two words at a time. */
static inline guint
hash (const guint32 *tuple, guint width)
{
  guint64 h = width & 1 ? tuple[width - 1] : 0;
  for (guint i = 0; i + 1 < width; i += 2)
    h = (h ^ two_words (tuple + i)) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  h *= G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (guint) (h >> 32);
}

static guint
free_slot (const AnKeyTable *t, guint at)
{
  while (t->slot[at & t->mask])
    at++;
  return at & t->mask;
}

static void
grow (AnKeyTable *t)
{
  gsize words = bytes_of_words (t), after = t->max * sizeof *t->after;
  t->word = np_large_grow (t->word, words, 2 * words);
  t->after = np_large_grow (t->after, after, 2 * after);
  np_large_free (t->slot, bytes_of_slots (t));
  t->max *= 2;
  t->mask = 2 * t->max - 1;
  t->slot = np_large_grow (NULL, 0, bytes_of_slots (t));
  for (guint i = 0; i < t->n; i++)
    t->slot[free_slot (t, hash (an_key_table_key (t, i), t->width))] = i + 1;
}

static inline gboolean
equal (const guint32 *a, const guint32 *b, guint width)
{
  guint64 differ = width & 1 ? a[width - 1] ^ b[width - 1] : 0;
  for (guint i = 0; i + 1 < width; i += 2)
    differ |= two_words (a + i) ^ two_words (b + i);
  return !differ;
}

static guint
add (AnKeyTable *t, const guint32 *tuple, guint at)
{
  if (t->n == t->max) {
    grow (t);
    at = free_slot (t, hash (tuple, t->width));
  }
  t->slot[at & t->mask] = t->n + 1;
  t->after[t->n] = 0;
  memcpy (t->word + (gsize) t->n * t->width, tuple, t->width * sizeof *tuple);
  return t->n++;
}

/* Returns the slot of the tuple, or the free one that it would have. */
static inline guint
slot_of (const AnKeyTable *t, const guint32 *tuple)
{
  guint at = hash (tuple, t->width);
  for (guint i; (i = t->slot[at & t->mask]); at++)
    if (equal (an_key_table_key (t, i - 1), tuple, t->width))
      break;
  return at & t->mask;
}

bool
an_key_table_find (const AnKeyTable *t, const guint32 *tuple, guint *number)
{
  const guint i = t->slot[slot_of (t, tuple)];
  *number = i ? i - 1 : 0;
  return i > 0;
}

static guint
look_up (AnKeyTable *t, const guint32 *tuple)
{
  const guint at = slot_of (t, tuple), i = t->slot[at];
  return i ? i - 1 : add (t, tuple, at);
}

guint
an_key_table_get_other (AnKeyTable *t, const guint32 *tuple)
{
  guint number = look_up (t, tuple);
  t->after[t->last] = number;
  return t->last = number;
}

guint
an_key_table_get (AnKeyTable *t, const guint32 *tuple)
{
  guint next = t->after[t->last];
  if (next < t->n && equal (an_key_table_key (t, next), tuple, t->width))
    return t->last = next;
  return an_key_table_get_other (t, tuple);
}
