/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - what the columns of a row group have in common: the sets of values that many rows
 * share, each kept once, and the entries of the map. */
#pragma once

#include "values.h"

/* This is a key and a value of the map: the value is a text of `own`, or what the caller makes a
 * text of (struct pq_texts), once for all entries that are equal. */
struct pq_entry {
  uint64_t value;
  uint32_t key; /* a ref                                       */
  uint32_t how; /* PQ_ENTRY_OWN, or the caller's kind of value */
};
#define PQ_ENTRY_OWN 0u

struct pq_list { /* the own entries of a row */
  uint32_t row, n;
};

struct pq_set {
  uint64_t mask;  /* the caller's                                              */
  size_t bytes;   /* what its values would take in a row of their own          */
  uint32_t ends;  /* its entries end here, and begin where those before it end */
  bool used;      /* by a row: not each of them overrides it                   */
};

struct pq_rows {
  uint32_t n_sets;
  struct nprof_buf sets;        /* struct pq_set                                        */
  struct nprof_buf of_row;      /* uint32_t: 1 + the row's set; may be shorter than the rows */
  struct nprof_buf entries;     /* struct pq_entry, own ones of the rows                */
  struct nprof_buf lists;       /* struct pq_list, of the rows that have own entries    */
  struct nprof_buf set_entries; /* struct pq_entry, set by set                          */
  struct nprof_buf own, spans;  /* texts, struct pq_span                                */
  size_t rows_in_sets;          /* 1 + the last row that has a set                      */
  size_t n_shared;              /* entries of the rows' sets, by the row                */
  size_t shared_bytes;          /* of the rows' sets, as if each row had its own        */
  size_t uncounted;             /* of texts that belong to sets                         */
};

void pq_rows_clear (struct pq_rows *rows); /* memory too */
void pq_rows_empty (struct pq_rows *rows);
/* Returns the bytes, as pq_values_bytes does: it depends on handles which sets are the same one. */
size_t pq_rows_bytes (const struct pq_rows *rows);
bool pq_rows_failed (const struct pq_rows *rows);

/* Adds a new set, without values; returns its number.  Its values: pq_values_share,
 * pq_rows_share_entry. */
uint32_t pq_rows_add_set (struct pq_rows *rows);
void pq_rows_share_entry (struct pq_rows *rows, const struct pq_entry *entry);
/* Makes of_row cover n rows, and what is missing to eight. false: no memory. */
bool pq_rows_pad (struct pq_rows *rows, size_t n_rows);
/* Returns the number of a text that is copied. */
uint64_t pq_rows_own (struct pq_rows *rows, const void *text, uint32_t len);

static inline struct pq_set *
pq_rows_set (const struct pq_rows *rows, uint32_t set)
{
  return (struct pq_set *) rows->sets.data + set;
}

/* Gives the row the values of this set, where it has none of its own; pq_rows_pad has made room for
 * the row, if there was memory. */
static inline void
pq_rows_use_set (struct pq_rows *rows, size_t row, uint32_t set)
{
  if (rows->sets.failed || rows->of_row.failed)
    return;
  struct pq_set *used = pq_rows_set (rows, set);
  used->used = true;
  ((uint32_t *) rows->of_row.data)[row] = set + 1;
  rows->rows_in_sets = row + 1;
  rows->shared_bytes += used->bytes;
  rows->n_shared += used->ends - (set ? used[-1].ends : 0);
}

/* Adds an entry of the row's own, behind those of its set. */
static inline void
pq_rows_add_entry (struct pq_rows *rows, size_t row, struct pq_entry entry)
{
  size_t n = rows->lists.len / sizeof (struct pq_list);
  struct pq_list *last = n ? (struct pq_list *) rows->lists.data + (n - 1) : NULL;
  nprof_put (&rows->entries, &entry, sizeof entry);
  if (last && last->row == row) {
    last->n++;
    return;
  }
  struct pq_list list = { (uint32_t) row, 1 };
  nprof_put (&rows->lists, &list, sizeof list);
}

static inline struct pq_text
pq_rows_text (const struct pq_rows *rows, uint64_t own)
{
  const struct pq_span *span = (const struct pq_span *) rows->spans.data + own;
  return (struct pq_text){ span->len ? rows->own.data + span->at : "", span->len };
}
