/* SPDX-License-Identifier: Apache-2.0 */
/* collective-kind.h - tells which collective it is by the names of the formulas for its bandwidth,
 * how many bits a type of elements has, and what a list of ranks says. */
#ifndef AN_COLLECTIVE_KIND_H
#define AN_COLLECTIVE_KIND_H

#include <glib.h>
#include <stdbool.h>

typedef enum {
  AN_KIND_COLLECTIVE, /* nobody says which */
  AN_KIND_ALLREDUCE,
  AN_KIND_ALLGATHER,
  AN_KIND_REDUCESCATTER,
  AN_KIND_ALLTOALL,
  AN_KIND_BROADCAST,
  AN_KIND_REDUCE,
  AN_KIND_GATHER,
  AN_KIND_SCATTER,
  AN_KIND_SEND,
  AN_KIND_RECV,
  AN_KIND_SENDRECV,
  AN_KIND_PERMUTE,
  AN_KIND_BARRIER,
  AN_KIND_DISPATCH,
  AN_KIND_COMBINE,
  AN_N_KINDS
} AnKindOf;

/* Returns "allreduce", ... */
const char *an_kind_name (AnKindOf kind);

/* `stated` is the program's word, "_allgather_base"; "": it does not say.  `name` is that of the
 * kernel or instruction. */
AnKindOf an_kind_of (const char *stated, const char *name);

/* Returns how much of the bytes of such a collective each link carries, as numerator / ranks; 0:
 * there is no formula. source: nccl-tests, PERFORMANCE.md */
gint64 an_kind_bus_share (AnKindOf kind, gint64 ranks);

/* Returns the bits of an element: "Float", "bf16", "f8e4m3fn", ...; 0: unknown. */
guint an_bits_of_type (const char *type);

/* These are the ranks of a group, where they are listed: "[0, 1]", "[[0,1],[2,3]]",
 * "{{0,1},{2,3}}", "[4,2]<=[8]" (4 groups of 2), "{{0,1},{1,0}}" of pairs. */
typedef struct {
  gint64 size;        /* 0: not told, or groups of several sizes */
  gint64 first, last; /* smallest and largest rank of the first group; first > last: not told */
} AnRanks;
/* `pairs` means that each inner list is a sender and a receiver, and all are one group. */
AnRanks an_ranks_of_text (const char *text, bool pairs);

#endif
