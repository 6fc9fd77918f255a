/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/top.h - the first k of many items by an order of the caller's, in memory for k of them,
 * header-only.  Items are copied, of any type.  One thread at a time.
 *
 *   static bool longer (const void *a, const void *b) { ... }     a comes before b; ties decided
 *
 *   struct nprof_top top;
 *   if (!nprof_top_init (&top, 10, sizeof (Span), longer))
 *     return nprof_fail (host, NPROF_E_NOMEM, "no memory for 10 spans");
 *   nprof_top_add (&top, &span);
 *   nprof_top_sort (&top);
 *   for (uint32_t i = 0; i < top.n; i++)
 *     add_row (nprof_top_item (&top, i));
 *   nprof_top_clear (&top); */
#ifndef NPROF_TOP_H
#define NPROF_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A heap, whose first item is the last of them, with one more item of room for swaps. */
struct nprof_top {
  unsigned char *items; /* the component's to free, by nprof_top_clear */
  size_t size;          /* bytes of an item                            */
  uint32_t n, most;
  bool (*before) (const void *a, const void *b);
};

/* Returns item i; once sorted, 0 is the first. */
static inline void *
nprof_top_item (const struct nprof_top *t, uint32_t i)
{
  return t->items + (size_t) i * t->size;
}

/* false: there is no memory. */
static inline bool
nprof_top_init (struct nprof_top *t, uint32_t most, size_t size,
                bool (*before) (const void *a, const void *b))
{
  memset (t, 0, sizeof *t);
  t->items = (unsigned char *) calloc ((size_t) most + 1, size);
  t->size = size;
  t->most = most;
  t->before = before;
  return t->items != NULL;
}

static inline void
nprof_top_clear (struct nprof_top *t)
{
  free (t->items);
  memset (t, 0, sizeof *t);
}

static inline void
nprof_top_swap (struct nprof_top *t, uint32_t i, uint32_t k)
{
  void *spare = nprof_top_item (t, t->most);
  memcpy (spare, nprof_top_item (t, i), t->size);
  memcpy (nprof_top_item (t, i), nprof_top_item (t, k), t->size);
  memcpy (nprof_top_item (t, k), spare, t->size);
}

/* Moves item i down among the first n until both of its children come before it. */
static inline void
nprof_top_sift (struct nprof_top *t, uint32_t i, uint32_t n)
{
  for (;;) {
    uint32_t last = i;
    for (uint64_t child = 2 * (uint64_t) i + 1; child <= 2 * (uint64_t) i + 2 && child < n; child++)
      if (t->before (nprof_top_item (t, last), nprof_top_item (t, (uint32_t) child)))
        last = (uint32_t) child;
    if (last == i)
      return;
    nprof_top_swap (t, i, last);
    i = last;
  }
}

/* Takes the item, where it is among the first `most`.  Not after nprof_top_sort. */
static inline void
nprof_top_add (struct nprof_top *t, const void *item)
{
  if (t->n < t->most) {
    uint32_t i = t->n++;
    memcpy (nprof_top_item (t, i), item, t->size);
    for (; i && t->before (nprof_top_item (t, (i - 1) / 2), nprof_top_item (t, i)); i = (i - 1) / 2)
      nprof_top_swap (t, i, (i - 1) / 2);
  } else if (t->most && t->before (item, nprof_top_item (t, 0))) {
    memcpy (nprof_top_item (t, 0), item, t->size);
    nprof_top_sift (t, 0, t->n);
  }
}

/* Puts them in order, the first one at 0. */
static inline void
nprof_top_sort (struct nprof_top *t)
{
  for (uint32_t n = t->n; n > 1; n--) {
    nprof_top_swap (t, 0, n - 1);
    nprof_top_sift (t, 0, n - 1);
  }
}

#endif
