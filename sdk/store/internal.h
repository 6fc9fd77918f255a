/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h - what the parts of the reader share. */
#pragma once

#include "part.h"

#include <stdatomic.h>

/* -- open.c ------------------------------------------------------------------- */

struct nprof_store {
  char *path;
  int lock; /* `meta`, with a shared lock; -1: a part */
  struct nprof_store_meta meta;
  struct {
    const uint8_t *p;
    uint64_t n;
  } file[NPROF_STORE_FILES];
  _Atomic uint64_t *blocks[NPROF_STORE_F_INDEX]; /* checked: a bit for each 64 bytes */
  _Atomic uint64_t *pages;                       /* checked: a bit for each page     */
  uint64_t first_page[NPROF_STORE_FILES];
  const uint8_t *section[NPROF_STORE_SECTIONS];
  uint64_t n[NPROF_STORE_SECTIONS];
  bool part;
  _Atomic uint64_t damage; /* the first damaged place: NP_DAMAGE of file and byte; 0: none */
};

bool np_store_bit (_Atomic uint64_t *bits, uint64_t i);
void np_store_set_bit (_Atomic uint64_t *bits, uint64_t i);
/* Keeps the first damaged place for nprof_store_damage(); returns false. */
bool np_store_damaged (struct nprof_store *store, uint32_t file, uint64_t at);
/* Checks the pages of a range of a file; false: damaged, or beyond its end. */
bool np_store_pages (struct nprof_store *store, uint32_t file, uint64_t at, uint64_t len);
/* Returns element i of a section, n of them; NULL: beyond the end or damaged. */
const void *np_store_elements (struct nprof_store *store, uint32_t section, uint64_t i, uint64_t n);
extern const char *const np_store_files[];

/* -- claims.c ----------------------------------------------------------------- */

/* Returns whether tracks claim lanes, and tables cells, that are there and nobody else's; `why`
 * says what is wrong. */
bool np_store_claims (struct nprof_store *store, char *why, size_t size);

/* Says what is wrong; returns false. */
bool np_query_fail (struct nprof_query *query, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));
bool np_query_no_memory (struct nprof_query *query, const char *what);
bool np_query_damaged (struct nprof_query *query, uint32_t file, uint64_t at, const char *what);
bool np_query_stopped (struct nprof_query *query);

/* -- cursor.c ----------------------------------------------------------------- */

enum { NP_COLUMNS = NPROF_STORE_C_ATTR };

struct np_place { /* a block of one level and its columns */
  const struct nprof_store_block *block;
  uint64_t number;
  const struct nprof_store_column *column[NP_COLUMNS];
};

struct np_cursor { /* walks one lane */
  struct nprof_query *query;
  const struct nprof_store_lane *lane;
  uint32_t number, top;
  struct np_place level[NPROF_STORE_LEVELS];
};

/* Returns the ps from a to b, of which a comes first: of a hostile store they may be more than an
 * int64 holds. */
static inline uint64_t
np_far (int64_t a, int64_t b)
{
  return (uint64_t) b - (uint64_t) a;
}

/* Returns the block there, checked; NULL: damaged. */
const struct nprof_store_block *np_block (struct nprof_query *query, uint32_t file, uint64_t at);
/* Add and subtract: of a hostile store sums may be more than an int64 holds, and mean nothing
 * then. */
static inline int64_t
np_plus (int64_t a, int64_t b)
{
  return (int64_t) ((uint64_t) a + (uint64_t) b);
}
static inline int64_t
np_minus (int64_t a, int64_t b)
{
  return (int64_t) ((uint64_t) a - (uint64_t) b);
}

/* Returns the end of a row; of a hostile store it stays within the limits. */
static inline int64_t
np_end (int64_t start, int64_t duration)
{
  int64_t end, limit = duration < 0 ? INT64_MIN : INT64_MAX;
  return __builtin_add_overflow (start, duration, &end) ? limit : end;
}

bool np_cursor_init (struct np_cursor *c, struct nprof_query *query, uint32_t lane);
/* Returns the number-th block of a level; NULL: damaged. */
const struct np_place *np_cursor_block (struct np_cursor *c, uint32_t level, uint64_t number);
static inline int64_t
np_value (const struct np_place *p, uint32_t column, uint32_t i)
{
  return nprof_store_get (p->block, p->column[column], i);
}
/* Reads a column of the whole block, faster than value by value. */
void np_values (const struct np_place *p, uint32_t column, int64_t *values);
/* Returns how many nodes (rows) level has, and how many rows node `node` stands for. */
static inline uint64_t
np_count (const struct np_cursor *c, uint32_t level)
{
  return nprof_store_count (c->lane->rows, level);
}
static inline uint64_t
np_rows_of (const struct np_cursor *c, uint32_t level, uint64_t node)
{
  uint64_t from = node << (3 * level), to = (node + 1) << (3 * level);
  return (to < c->lane->rows ? to : c->lane->rows) - from;
}
/* Returns the nodes or rows of each block but the last. */
static inline uint32_t
np_per_block (uint32_t level)
{
  return level ? NPROF_STORE_NODES : NPROF_STORE_ROWS;
}

struct np_item { /* a row, or a node of a level */
  uint32_t level;
  uint64_t number;
  int64_t start, end; /* end: greatest */
  const struct np_place *place;
  uint32_t i; /* within the block */
};
enum { NP_PASS, NP_OPEN, NP_STOP, NP_FAIL };
/* Returns how much of start .. end lies in t0 .. t1. */
static inline int64_t
np_within (int64_t start, int64_t end, int64_t t0, int64_t t1)
{
  int64_t from = start > t0 ? start : t0, to = end < t1 ? end : t1;
  return to > from ? np_minus (to, from) : 0;
}
/* Walks down from the top: fn says whether an item is finished (NP_PASS), or its 8 below follow
 * (NP_OPEN), or the walk ends. false: failed. */
bool np_walk (struct np_cursor *c, int (*fn) (void *user, const struct np_item *item), void *user);

/* -- busy.c ------------------------------------------------------------------- */

/* Adds how long the rows of a lane of spans cover the window. */
bool np_busy_within (struct np_cursor *c, int64_t t0, int64_t t1, int64_t *sum);
/* Returns the ps of t0 .. t1, which lies in a row of a lane, in which direct children of the row
 * run. `below`: the lanes of spans of its line below that lane, by depth. */
bool np_children_within (struct np_cursor *below, uint32_t n_below, int64_t start, int64_t end,
                         int64_t t0, int64_t t1, int64_t *sum);

/* -- query.c ------------------------------------------------------------------ */

struct nprof_query_memory {
  struct {
    void *p;
    size_t max;
  } buffer[16]; /* by use */
};
enum {
  NP_MEM_TOTALS,
  NP_MEM_TOUCHED,
  NP_MEM_RESULT,
  NP_MEM_FIELDS,
  NP_MEM_ROWS,
  NP_MEM_LINKS,
  NP_MEM_OVERLAPS,
  NP_MEM_DURATIONS,
  NP_MEM_LISTS,
  NP_MEM_BITS,
  NP_MEM_SLOTS,
  NP_MEM_CURSORS,
  NP_MEM_STARTS,
  NP_MEM_LABELS,
  NP_MEM_SEEN,
  NP_MEM_NAMES
};
/* Returns at least n elements of size bytes; old contents stay, new bytes are 0.  NULL: no memory,
 * which was said. */
void *np_query_memory (struct nprof_query *query, int use, size_t n, size_t size);

/* -- scan.c ------------------------------------------------------------------- */

/* It walks blocks of rows of lanes in order, of labels in a bitmap (NULL: all), from a row on. */
struct np_scan {
  const uint64_t *labels; /* bitmap by label                                 */
  const uint8_t *lanes;   /* NULL, or 1 for those that are looked at         */
  struct nprof_row from;
  bool backwards; /* from `from` towards the start                   */
  /* It is called when rows first .. first + n of the lane lie in this block. */
  int (*fn) (void *user, struct np_cursor *c, const struct np_place *p, uint32_t first);
  void *user;
};
bool np_scan (struct nprof_query *query, const struct np_scan *scan);
