/* SPDX-License-Identifier: Apache-2.0 */
/* ids.h - what rows of a file refer to by number: a list whose elements begin with the number.  It
 * may be as long as the file, so it lies in large memory. */
#ifndef PRODUCERS_IDS_H
#define PRODUCERS_IDS_H

#include "system/large.h"

#include <stdbool.h>

typedef struct {
  NpLargeArray *rows;
  guint last; /* where the last one was found */
  bool unsorted;
} Ids;

void ids_init (Ids *ids, gsize element);
void ids_clear (Ids *ids); /* or of cleared memory */
/* Returns the new element, cleared but for its number; valid until the next one is added. */
gpointer ids_add (Ids *ids, gint64 id);
guint ids_len (const Ids *ids);
gpointer ids_at (const Ids *ids, guint place);
/* Puts them in the order of their numbers, equal ones as they were added. */
void ids_settle (Ids *ids);
/* Settles them, and makes one of all of a number: `merge` puts each next one into the first. */
void ids_join (Ids *ids, void (*merge) (gpointer into, gconstpointer next));
/* Returns the first of that number, of a settled list; NULL: none. */
gpointer ids_find (Ids *ids, gint64 id);
/* Does the same for several threads at once, which look in no order. */
gconstpointer ids_look_up (const Ids *ids, gint64 id);

#endif
