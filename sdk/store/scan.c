/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - walks blocks of rows in the order of lanes, only those that may hold a label. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct piece { /* rows of a lane that one list of labels speaks of */
  uint32_t lane, from, n, list;
};

/* All pieces of the store are sorted in order, once. */
static int
by_place (const void *a, const void *b)
{
  const struct piece *x = a, *y = b;
  if (x->lane != y->lane)
    return x->lane < y->lane ? -1 : 1;
  return (x->from > y->from) - (x->from < y->from);
}

/* The memory of pieces[0].n counts them, so that they are made once. */
static const struct piece *
all_pieces (struct nprof_query *query, uint32_t *n)
{
  uint64_t lists = nprof_store_n (query->store, NPROF_STORE_S_LISTS);
  struct piece *pieces = np_query_memory (query, NP_MEM_LISTS, lists + 1, sizeof *pieces);
  if (!pieces)
    return NULL;
  if (pieces[0].list == UINT32_MAX) { /* the first one is a head */
    *n = pieces[0].n;
    return pieces + 1;
  }
  uint32_t k = 0;
  for (uint64_t i = 0; i < lists; i++) {
    const struct nprof_store_list *list
        = np_store_elements (query->store, NPROF_STORE_S_LISTS, i, 1);
    const struct nprof_store_lane *lane
        = list ? nprof_store_lane_at (query->store, list->lane) : NULL;
    uint32_t span = 1u << (3 * NPROF_STORE_LIST_LOW);
    if (!lane || list->level == NPROF_STORE_LIST_HIGH)
      continue;
    uint64_t from = list->level ? (uint64_t) list->index * span : 0;
    if (from >= lane->rows)
      continue;
    uint64_t left = lane->rows - from;
    pieces[1 + k++] = (struct piece){ list->lane, (uint32_t) from,
                                      (uint32_t) (span < left ? span : left), (uint32_t) i };
  }
  qsort (pieces + 1, k, sizeof *pieces, by_place);
  pieces[0] = (struct piece){ .n = k, .list = UINT32_MAX };
  *n = k;
  return pieces + 1;
}

/* Marks the lists that hold one of the labels, by a bit for each of their blocks of rows that
 * does. */
static uint8_t *
mark_lists (struct nprof_query *query, const uint64_t *labels)
{
  struct nprof_store *s = query->store;
  uint64_t n = nprof_store_n (s, NPROF_STORE_S_LABELS),
           lists = nprof_store_n (s, NPROF_STORE_S_LISTS);
  uint8_t *marks = np_query_memory (query, NP_MEM_BITS, lists, 1);
  if (!marks)
    return NULL;
  memset (marks, 0, lists);
  for (uint64_t k = 0; k < n; k++) {
    if (!(labels[k / 64] >> (k % 64) & 1))
      continue;
    const struct nprof_store_label *label = nprof_store_label_at (s, (uint32_t) k);
    if (!label || label->post > UINT64_MAX / 4
        || !np_store_pages (s, NPROF_STORE_F_POST, label->post * 4, label->n_post * 5ull)) {
      np_query_damaged (query, NPROF_STORE_F_POST, label ? label->post * 4 : 0,
                        "the postings are damaged");
      return NULL;
    }
    if (!label->n_post)
      continue;
    const uint8_t *posts = s->file[NPROF_STORE_F_POST].p + label->post * 4,
                  *blocks = posts + label->n_post * 4ull;
    for (uint32_t i = 0; i < label->n_post; i++) {
      uint32_t list;
      memcpy (&list, posts + i * 4ull, 4);
      if (list < lists)
        marks[list] |= blocks[i];
    }
  }
  return marks;
}

/* Looks at the piece's blocks that have a bit in `blocks`; bit 0 is the first of them. */
static bool
scan_piece (const struct np_scan *scan, struct np_cursor *c, const struct piece *piece,
            uint32_t blocks, int *verdict)
{
  uint32_t first = piece->from / NPROF_STORE_ROWS,
           last = (piece->from + piece->n - 1) / NPROF_STORE_ROWS;
  for (uint32_t k = 0; k <= last - first && !*verdict; k++) {
    uint32_t block = scan->backwards ? last - k : first + k;
    if (!(blocks >> (block - first) & 1))
      continue;
    if (piece->lane == scan->from.lane
        && (scan->backwards ? block > scan->from.row / NPROF_STORE_ROWS
                            : block < scan->from.row / NPROF_STORE_ROWS))
      continue;
    const struct np_place *p = np_cursor_block (c, 0, block);
    if (!p)
      return false;
    *verdict = scan->fn (scan->user, c, p, p->block->first);
  }
  return *verdict >= 0 && !np_query_stopped (c->query);
}

bool
np_scan (struct nprof_query *query, const struct np_scan *scan)
{
  uint32_t n = 0;
  struct np_cursor c = { .number = UINT32_MAX };
  const struct piece *pieces = all_pieces (query, &n);
  const uint8_t *marks = scan->labels ? mark_lists (query, scan->labels) : NULL;
  int verdict = 0;
  if (!pieces || (scan->labels && !marks))
    return false;
  for (uint32_t k = 0; k < n && !verdict; k++) {
    const struct piece *piece = pieces + (scan->backwards ? n - 1 - k : k);
    if ((marks && !marks[piece->list]) || (scan->lanes && !scan->lanes[piece->lane])
        || (scan->backwards ? piece->lane > scan->from.lane : piece->lane < scan->from.lane))
      continue;
    if (c.number != piece->lane && !np_cursor_init (&c, query, piece->lane))
      return false;
    if (!scan_piece (scan, &c, piece, marks ? marks[piece->list] : UINT8_MAX, &verdict))
      return false;
  }
  return true;
}
