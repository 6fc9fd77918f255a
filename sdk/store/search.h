/* SPDX-License-Identifier: Apache-2.0 */
/* search.h - a search as alternatives of conditions: search.c makes them, search-row.c asks them of
 * a row, search-hits.c of all. */
#pragma once
#include "filter.h"
#include "internal.h"

enum { ATTR, DURATION, START, SELF, VALUE }; /* at what a condition looks */

struct np_condition {
  uint32_t what;       /* ATTR, DURATION ... */
  struct np_want want; /* its text is the filter's */
  int64_t time;        /* ps: the limit of a duration, a start or a self time */
  /* of attributes */
  char *member;       /* within JSON; NULL: the value itself */
  uint8_t *keys;      /* by key number: is it the one? */
  uint32_t key;       /* string */
  uint32_t *shapes;   /* 0 not looked at yet, 1 has none, 2 + key */
  uint8_t *sets;      /* 0 not looked at yet, 1 has none, 2 no, 3 yes */
  uint32_t memo[512]; /* 1 + string, and its verdict in the last bit */
};

/* An alternative of a search: all of it must hold. */
struct np_alternative {
  uint64_t *labels; /* bitmap; NULL: any */
  uint8_t *lanes;   /* NULL: all but facts */
  bool narrowed;    /* to fewer lanes */
  struct np_condition **conditions;
  uint32_t n; /* conditions */
};

struct nprof_search {
  struct nprof_query *query;
  struct np_filter filter;
  struct np_alternative *all;
  uint32_t n;
  uint64_t *labels; /* those of all alternatives together, which a row must have; NULL: any */
  uint8_t *lanes;
};

/* Returns whether a label is among those; n: labels that there are. Few rows have a name that is
 * sought, so it is looked at before all else. */
static inline bool
np_has_label (const uint64_t *labels, uint64_t n, int64_t label)
{
  return !labels || ((uint64_t) label < n && labels[label / 64] >> (label % 64) & 1);
}

/* Returns whether row i of the block, in that lane, fits an alternative; false with the query's
 * error set: the store is damaged. */
bool np_fits_row (struct nprof_query *query, const struct nprof_search *s, uint32_t lane,
                  const struct np_place *p, uint32_t i);
