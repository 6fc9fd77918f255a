/* SPDX-License-Identifier: Apache-2.0 */
/* links.c - ids of rows, and the way up from each to its ancestors. */

#include "rows/links.h"

/* A table of twice as many places as links at least; a link lies at the first free place from that
 * of its id on. */
typedef struct {
  guint64 id, parent; /* id 0: the place is free */
} Link;

struct NpLinks {
  Link *at;
  guint bits; /* of the number of places */
  guint n, most;
};

#define FIRST_BITS 8

NpLinks *
np_links_new (guint most)
{
  NpLinks *links = g_new0 (NpLinks, 1);
  links->bits = FIRST_BITS;
  links->at = g_new0 (Link, (gsize) 1 << FIRST_BITS);
  links->most = most;
  return links;
}

void
np_links_free (NpLinks *links)
{
  if (!links)
    return;
  g_free (links->at);
  g_free (links);
}

/* Returns the place of an id, or the free one where it would lie. */
static Link *
place_of (const NpLinks *links, guint64 id)
{
  const gsize mask = ((gsize) 1 << links->bits) - 1;
  gsize i = (gsize) (id * 0x9e3779b97f4a7c15u >> (64 - links->bits));
  while (links->at[i].id && links->at[i].id != id)
    i = (i + 1) & mask;
  return &links->at[i];
}

static void
grow (NpLinks *links)
{
  g_autofree Link *old = links->at;
  const gsize n = (gsize) 1 << links->bits++;
  links->at = g_new0 (Link, n * 2);
  for (gsize i = 0; i < n; i++)
    if (old[i].id)
      *place_of (links, old[i].id) = old[i];
}

gboolean
np_links_add (NpLinks *links, guint64 id, guint64 parent)
{
  Link *place = place_of (links, id);
  if (place->id)
    return FALSE;
  if (links->n == links->most)
    return TRUE;
  *place = (Link){ id, parent };
  if (++links->n > (1u << links->bits) / 2)
    grow (links);
  return TRUE;
}

static guint64
least_of_circle (const NpLinks *links, const Link *on)
{
  guint64 least = on->id;
  for (const Link *at = place_of (links, on->parent); at != on; at = place_of (links, at->parent))
    least = MIN (least, at->id);
  return least;
}

/* Of a way up that ends, all places are known to end; one that meets itself is a circle. */
guint64
np_links_circle (NpLinks *links)
{
  enum { NEW, ON_THE_WAY, ENDS };
  const gsize n = (gsize) 1 << links->bits;
  g_autofree guint8 *known = g_malloc0 (n);
  for (gsize i = 0; i < n; i++) {
    const Link *at = &links->at[i];
    for (; at->id && known[at - links->at] == NEW; at = place_of (links, at->parent))
      known[at - links->at] = ON_THE_WAY;
    if (at->id && known[at - links->at] == ON_THE_WAY)
      return least_of_circle (links, at);
    for (at = &links->at[i]; at->id && known[at - links->at] == ON_THE_WAY;
         at = place_of (links, at->parent))
      known[at - links->at] = ENDS;
  }
  return 0;
}
