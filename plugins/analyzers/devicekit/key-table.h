/* SPDX-License-Identifier: Apache-2.0 */
/* key-table.h - numbers tuples of handles 0, 1, 2, ... in the order in which they first come, so
 * that its users keep what they know of each in a dense array. */
#ifndef AN_KEY_TABLE_H
#define AN_KEY_TABLE_H

#include <glib.h>
#include <stdbool.h>

typedef struct {
  guint width; /* words a tuple                       */
  guint n;
  guint32 *word;  /* n times width                       */
  guint32 *after; /* n: which came behind it, the last   */
                  /* time; 0 when none has               */
  guint last;     /* the one that was asked for          */
  guint max;      /* tuples that fit                     */
  guint32 *slot;  /* 1 + number, by hash; 0: free        */
  guint mask;
} AnKeyTable;

void an_key_table_init (AnKeyTable *tuples, guint width);
void an_key_table_clear (AnKeyTable *tuples);

/* Returns the number of the tuple; tuples->n has grown by one when it is new. */
guint an_key_table_get (AnKeyTable *tuples, const guint32 *tuple);

/* Looks a tuple up and adds none.  FALSE: it has not come; *number is 0 then. */
bool an_key_table_find (const AnKeyTable *tuples, const guint32 *tuple, guint *number);

/* Does the same as an_key_table_get when the caller knows that it is not the one that came behind
 * the last one. */
guint an_key_table_get_other (AnKeyTable *tuples, const guint32 *tuple);

static inline const guint32 *
an_key_table_key (const AnKeyTable *tuples, guint number)
{
  return tuples->word + (gsize) number * tuples->width;
}

/* Does it for three words, which need not be stored where they are as expected: a load of what was
 * just stored in pieces waits for the stores. */
static inline guint
an_key_table_get_three (AnKeyTable *t, guint32 a, guint32 b, guint32 c)
{
  guint next = t->after[t->last];
  const guint32 *known = t->word + (gsize) next * 3;
  if (next < t->n && known[0] == a && known[1] == b && known[2] == c)
    return t->last = next;
  return an_key_table_get_other (t, (const guint32[]){ a, b, c });
}

#endif
