/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.h - the order of keys in objects that look alike, learned as they are read: the bytes
 * between two values are then recognised by one comparison.  A tree of what may follow, bounded;
 * whatever does not fit in is read the slow way.  Part of scan.c and members.c, and compiled with
 * them for each instruction set. */
#pragma once

#include "json/block.h"
#include "json/scan.h"

#define MOST_NODES 256u
#define MOST_EDGES 6u
#define MOST_LITERAL 64u
#define NOWHERE UINT16_MAX /* not learned: keys are read the slow way */

/* It is the text between two values: `, "ts": `, or before the first, or from the last one to the
 * }.  It is matched as bytes, at the place where the last value ended. */
typedef struct {
  char literal[MOST_LITERAL];
  uint64_t mask[MOST_LITERAL / 16]; /* of each 16 or 32 bytes: those of the literal */
  uint8_t len, field;
  bool text, last; /* ends in the quote of a string; in the } of the event         */
  uint16_t next;
} Edge;

typedef struct {
  uint8_t n;
  Edge edge[MOST_EDGES];
} Node;

struct TeShapes {
  uint32_t used;
  Node node[MOST_NODES];
};

static inline __attribute__ ((always_inline)) bool
matches (const Edge *edge, const char *p)
{
#if TE_SIMD
  for (unsigned at = 0, k = 0; k < MOST_LITERAL / TE_SHORT; at += TE_SHORT, k++) {
    uint64_t same = te_short_same (te_short_load (p + at), te_short_load (edge->literal + at));
    if (edge->mask[k] & ~same)
      return false;
    if (TE_LIKELY (at + TE_SHORT >= edge->len))
      return true;
  }
  return true;
#else
  return memcmp (p, edge->literal, edge->len) == 0;
#endif
}

static __attribute__ ((noinline)) const Edge *
other_edge (const Node *node, const char *p)
{
  for (unsigned i = 1; i < node->n; i++)
    if (matches (&node->edge[i], p))
      return &node->edge[i];
  return NULL;
}

/* Returns what is known to follow at p; NULL: nothing.  Mostly it is what was met first. */
static inline __attribute__ ((always_inline)) const Edge *
known_edge (const TeScan *s, unsigned at, const char *p)
{
  if (TE_UNLIKELY (at == NOWHERE || s->end - p < (ptrdiff_t) MOST_LITERAL))
    return NULL;
  const Node *node = &s->shapes->node[at];
  if (TE_LIKELY (node->n && matches (&node->edge[0], p)))
    return &node->edge[0];
  return other_edge (node, p);
}

static void
set_literal (Edge *edge, const char *from, size_t len)
{
  edge->len = (uint8_t) len;
  memcpy (edge->literal, from, len);
#if TE_SIMD
  for (unsigned at = 0; at < edge->len; at += TE_SHORT) {
    unsigned n = edge->len - at;
    edge->mask[at / TE_SHORT] = n >= TE_SHORT ? (uint64_t) (TeShortMask) -1 : te_below (n);
  }
  if (TE_SHORT == 16)
    for (unsigned at = 0; at < edge->len; at += TE_SHORT)
      edge->mask[at / TE_SHORT] &= 0xffff;
#endif
}

/* Learns that from..to follows at the node `at`, and means what `what` says.  Returns where it
 * leads. */
static uint16_t
learn (TeShapes *shapes, uint16_t at, const char *from, const char *to, const Edge *what)
{
  if (at == NOWHERE || shapes->node[at].n == MOST_EDGES || to - from > MOST_LITERAL
      || (!what->last && shapes->used == MOST_NODES))
    return NOWHERE;
  Node *node = &shapes->node[at];
  Edge *edge = &node->edge[node->n++];
  *edge = *what;
  set_literal (edge, from, (size_t) (to - from));
  edge->next = edge->last ? 0 : (uint16_t) shapes->used++;
  return edge->next;
}
