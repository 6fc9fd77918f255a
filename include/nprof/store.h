/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/store.h - the format of a profile store: structs, sizes, numbers, and the few lines of code
 * that decide what bytes mean. docs/formats/store.md explains it; the sink `store` writes it, the
 * library of nprof/store-reader.h reads it.
 *
 * A store is a folder of files that never change. All numbers are little-endian. Blocks (files
 * rows, p1, p2, p3) begin at multiples of 64 and carry their own checksum; the other files are
 * checksummed in pages. `meta` is written last. */
#ifndef NPROF_STORE_H
#define NPROF_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NPROF_STORE_MAGIC "NPROFVW1"
#define NPROF_STORE_VERSION 3u
#define NPROF_STORE_BLOCK 0x314b4c42u /* "BLK1" */

#define NPROF_STORE_ROWS 512u  /* rows of a block but the last of its lane            */
#define NPROF_STORE_NODES 64u  /* nodes of a block but the last of its level          */
#define NPROF_STORE_FAN 8u     /* a node of level k + 1 covers 8 of level k; level 0 are rows */
#define NPROF_STORE_LEVELS 12u /* levels 0..11 cover 2^32 rows and more               */
#define NPROF_STORE_LEVEL_BLOCK 3u /* a node of this level stands for a block of rows  */
#define NPROF_STORE_LIST_LOW 4u  /* nodes of these two levels have a list of labels   */
#define NPROF_STORE_LIST_HIGH 6u
#define NPROF_STORE_PAGE 16384u  /* bytes that one checksum of `sums` covers          */
#define NPROF_STORE_NONE UINT64_MAX

/* -- Files ------------------------------------------------------------------ */

enum {
  NPROF_STORE_F_ROWS,    /* blocks of rows                                            */
  NPROF_STORE_F_P1,      /* blocks of nodes of level 1, one a block of rows           */
  NPROF_STORE_F_P2,      /* of level 2                                                */
  NPROF_STORE_F_P3,      /* of levels 3 and above                                     */
  NPROF_STORE_F_CELLS,   /* blocks of rows of tables                                  */
  NPROF_STORE_F_INDEX,   /* arrays of structs: see the sections                       */
  NPROF_STORE_F_STRINGS, /* texts one after the other, each followed by a NUL         */
  NPROF_STORE_F_TEXT,    /* values of type text, json, id128: u32 length, bytes       */
  NPROF_STORE_F_LINKS,   /* struct nprof_store_link, by key within 256 buckets        */
  NPROF_STORE_F_LISTS,   /* struct nprof_store_sum: the lists of labels               */
  NPROF_STORE_F_POST,    /* by label: u32 numbers of lists, then a byte for each      */
  NPROF_STORE_F_OVER,    /* the whole profile in at most 2048 pixels                  */
  NPROF_STORE_F_SUMS,    /* u32 a page of each file from INDEX to OVER, in this order */
  NPROF_STORE_FILES
};
#define NPROF_STORE_FILE_NAMES                                                                \
  {                                                                                           \
    "rows", "p1", "p2", "p3", "cells", "index", "strings", "text", "links", "lists", "post",  \
        "over", "sums"                                                                        \
  }

/* Sections of `index`: arrays, each at a multiple of 8. */
enum {
  NPROF_STORE_S_STRING_AT,     /* u64: where string i begins; one more at the end     */
  NPROF_STORE_S_LABELS,        /* struct nprof_store_label                            */
  NPROF_STORE_S_LANES,         /* struct nprof_store_lane, in the order of drawing    */
  NPROF_STORE_S_SERIALS,       /* u32: lane of serial i, or UINT32_MAX                */
  NPROF_STORE_S_TRACKS,        /* struct nprof_store_track, by number                 */
  NPROF_STORE_S_KEYS,          /* struct nprof_store_key                              */
  NPROF_STORE_S_SHAPES,        /* struct nprof_store_span of SHAPE_KEYS               */
  NPROF_STORE_S_SHAPE_KEYS,    /* u16: number of a key                                */
  NPROF_STORE_S_SETS,          /* struct nprof_store_span of SET_VALUES; 0 is empty   */
  NPROF_STORE_S_SET_VALUES,    /* struct nprof_store_value                            */
  NPROF_STORE_S_INPUTS,        /* struct nprof_store_input                            */
  NPROF_STORE_S_PROPERTIES,    /* struct nprof_store_property                         */
  NPROF_STORE_S_ATTRIBUTES, /* struct nprof_store_attribute: declared by decoders and analyzers */
  NPROF_STORE_S_ORIGINS,       /* u32 string: who made rows and tables; 0: the decoders */
  NPROF_STORE_S_TABLES,        /* struct nprof_store_table                            */
  NPROF_STORE_S_TABLE_COLUMNS, /* struct nprof_store_table_column                     */
  NPROF_STORE_S_TABLE_BLOCKS,  /* u64: where a block of a table lies in `cells`       */
  NPROF_STORE_S_LISTS,         /* struct nprof_store_list                             */
  NPROF_STORE_S_FENCES,        /* u64: first link of each of 256 buckets, and the end */
  NPROF_STORE_S_OVER,          /* struct nprof_store_span of rectangles, one a lane   */
  NPROF_STORE_SECTIONS
};
/* Bytes of an element of each section. */
#define NPROF_STORE_SECTION_SIZES                                                             \
  {                                                                                           \
    [NPROF_STORE_S_STRING_AT] = 8,                                                            \
    [NPROF_STORE_S_LABELS] = sizeof (struct nprof_store_label),                               \
    [NPROF_STORE_S_LANES] = sizeof (struct nprof_store_lane),                                 \
    [NPROF_STORE_S_SERIALS] = 4,                                                              \
    [NPROF_STORE_S_TRACKS] = sizeof (struct nprof_store_track),                               \
    [NPROF_STORE_S_KEYS] = sizeof (struct nprof_store_key),                                   \
    [NPROF_STORE_S_SHAPES] = sizeof (struct nprof_store_span),                                \
    [NPROF_STORE_S_SHAPE_KEYS] = 2,                                                           \
    [NPROF_STORE_S_SETS] = sizeof (struct nprof_store_span),                                  \
    [NPROF_STORE_S_SET_VALUES] = sizeof (struct nprof_store_value),                           \
    [NPROF_STORE_S_INPUTS] = sizeof (struct nprof_store_input),                               \
    [NPROF_STORE_S_PROPERTIES] = sizeof (struct nprof_store_property),                        \
    [NPROF_STORE_S_ATTRIBUTES] = sizeof (struct nprof_store_attribute),                       \
    [NPROF_STORE_S_ORIGINS] = 4,                                                              \
    [NPROF_STORE_S_TABLES] = sizeof (struct nprof_store_table),                               \
    [NPROF_STORE_S_TABLE_COLUMNS] = sizeof (struct nprof_store_table_column),                 \
    [NPROF_STORE_S_TABLE_BLOCKS] = 8,                                                         \
    [NPROF_STORE_S_LISTS] = sizeof (struct nprof_store_list),                                 \
    [NPROF_STORE_S_FENCES] = 8,                                                               \
    [NPROF_STORE_S_OVER] = sizeof (struct nprof_store_span),                                  \
  }

struct nprof_store_section {
  uint64_t at, n; /* offset in `index`; how many elements */
};

/* The file `meta`: all of it. */
struct nprof_store_meta {
  char magic[8];              /* NPROF_STORE_MAGIC                                    */
  uint32_t version, done;     /* done: 1                                              */
  uint64_t hash;              /* nprof_store_hash of this struct with hash = 0        */
  uint64_t sums_hash;         /* of the file `sums`                                   */
  char id[44];                /* "n_" and 40 hex digits, NUL                          */
  uint32_t flags;             /* NPROF_STORE_*                                        */
  uint64_t generation;        /* random, of this ingest                               */
  uint64_t rows, unclosed;    /* facts are rows too                                   */
  int64_t first, last; /* ps: least start and greatest end; first > last: no row has a time */
  int64_t origin_unix_ns;     /* or INT64_MIN                                         */
  int64_t made_unix_ms;
  int64_t over_t0, over_p;    /* of the stored picture; p in ps                       */
  uint64_t bytes[NPROF_STORE_FILES];
  struct nprof_store_section section[NPROF_STORE_SECTIONS];
};
enum {
  NPROF_STORE_SOURCELESS = 1, /* an upload, a pipe, `run -s store`: never evicted     */
  NPROF_STORE_LOSSES = 2      /* records could not be read                            */
};

struct nprof_store_span {
  uint64_t from;
  uint32_t n, reserved;
};

/* -- Lanes and tracks ------------------------------------------------------- */

enum {
  NPROF_STORE_LANE_SPAN,     /* rows do not overlap: starts and ends ascend           */
  NPROF_STORE_LANE_UNCLOSED, /* spans without an end: duration -1                     */
  NPROF_STORE_LANE_INSTANT,
  NPROF_STORE_LANE_COUNTER,  /* of one label                                          */
  NPROF_STORE_LANE_FLOW,
  NPROF_STORE_LANE_GAP,      /* may overlap                                           */
  NPROF_STORE_LANE_FACT,     /* their times mean nothing                              */
  NPROF_STORE_LANE_TYPES
};
enum {                            /* how the rows of a span lane hang below others    */
  NPROF_STORE_STRICT = 1,         /* each has its parent in the lane above            */
  NPROF_STORE_FLAT = 2            /* none has a parent                                */
};

struct nprof_store_lane {
  uint32_t track;    /* number of the track                                           */
  uint8_t type, nesting; /* NPROF_STORE_LANE_*, NPROF_STORE_STRICT|FLAT               */
  uint16_t origin;
  uint32_t depth, label; /* depth among the lanes of its type; label of a counter     */
  uint32_t serial;   /* the number that its blocks carry                              */
  uint32_t rows;
  int64_t first, last; /* ps: first start; greatest end                               */
  int64_t busy;      /* ps: sum of durations                                          */
  uint64_t root;     /* block of the top level                                        */
  uint64_t below;    /* block of the level below it                                   */
  uint64_t only;     /* the block of rows, when there is one only                     */
  uint32_t list;     /* the one list of a lane that has no level 4, else UINT32_MAX   */
  uint32_t reserved;
};

struct nprof_store_track {
  uint32_t number, parent; /* as outputs print them; parent 0: none                   */
  uint32_t input, kind;    /* NPROF_TRACK_*                                           */
  uint32_t key, label;     /* strings; label 0: none                                  */
  int64_t sort;
  uint32_t lane, n_lanes;
  uint64_t rows;
  int64_t first, last;     /* of its own rows                                         */
};

/* -- Names ------------------------------------------------------------------ */

struct nprof_store_label { /* a pair that rows have                                   */
  uint32_t name, category; /* strings                                                 */
  uint64_t count, unclosed;
  int64_t sum, self;       /* ps, of spans that have an end                           */
  uint64_t post;           /* the lists with it: u32 post .. post + n_post of `post`; behind them a
                            * byte for each: which of the list's 8 blocks of rows have it */
  uint32_t n_post, reserved;
};
struct nprof_store_sum { /* element of a list                                        */
  uint32_t label, count;
  int64_t sum, self;
};
struct nprof_store_list {
  uint64_t at;    /* in `lists`; NPROF_STORE_NONE: left out, for it would be too long */
  uint32_t n;     /* labels                                                           */
  uint32_t lane, index, level; /* which node; level 0: all rows of the lane           */
};

/* -- Attributes ------------------------------------------------------------- */

struct nprof_store_key {   /* a column of attributes: key, type, and which of equal ones of a row */
  uint32_t key;            /* string                                                  */
  uint16_t type, repeat;   /* NPROF_INT64 ...                                         */
};
struct nprof_store_value { /* of a shared set                                         */
  uint32_t key, type;
  uint64_t value;          /* int, bits of a double, string, or offset in `text`      */
};
struct nprof_store_attribute {
  uint32_t key, name, unit, help; /* strings                                          */
  uint32_t type, origin;
};

/* -- Inputs, tables --------------------------------------------------------- */

enum { NPROF_STORE_NO_PATH = 1 }; /* of an input: a pipe, or an upload               */

struct nprof_store_input {
  uint32_t label, decoder, version, path; /* strings; path is absolute               */
  uint32_t properties, n_properties;
  uint64_t bytes;          /* inflated                                                */
  uint64_t rows;
  int64_t origin_unix_ns;  /* or INT64_MIN                                            */
  int64_t shift;           /* ps that its times were moved by                         */
  uint64_t size;           /* of the file                                             */
  int64_t mtime_ns;
  uint64_t content;        /* nprof_store_hash of the whole file; 0: not known        */
  char digest[44];         /* 40 hex digits, as the id is made of                     */
  uint32_t flags;
};
struct nprof_store_property {
  uint32_t key, value;
};
struct nprof_store_table {
  uint32_t name, title, note, origin; /* strings but origin; note 0: none             */
  uint32_t columns, n_columns;
  uint64_t blocks, rows;   /* its first element of TABLE_BLOCKS, one each 512 rows    */
};
struct nprof_store_table_column {
  uint32_t name, unit, help;
  uint16_t type, role;
};
/* A value of a table: columns 2 c and 2 c + 1 of its block, all of which are there. */
struct nprof_store_cell {
  uint32_t type;           /* NPROF_NULL: unknown                                     */
  uint64_t value;          /* as in nprof_store_value; 0 of what is unknown           */
};

/* -- Links and the picture -------------------------------------------------- */

/* key: nprof_store_link_key; what nobody refers to is left out. */
struct nprof_store_link {
  uint64_t key;
  uint32_t lane, row;
};
enum { NPROF_STORE_LINK_ID, NPROF_STORE_LINK_PARENT, NPROF_STORE_LINK_FLOW };

/* -- Blocks ----------------------------------------------------------------- */

enum { /* columns of rows; attribute k is column NPROF_STORE_C_ATTR + k              */
  NPROF_STORE_C_START, NPROF_STORE_C_DURATION, NPROF_STORE_C_LABEL,
  NPROF_STORE_C_CHILD,   /* ps of its direct children: self = duration - child       */
  NPROF_STORE_C_UP,      /* lanes up to its parent; 0: none                          */
  NPROF_STORE_C_ORDINAL, /* number among all rows, as delivered                      */
  NPROF_STORE_C_ID, NPROF_STORE_C_PARENT, NPROF_STORE_C_FLOW,
  NPROF_STORE_C_VALUE,   /* bits of a double                                         */
  NPROF_STORE_C_HAS_VALUE,
  NPROF_STORE_C_SHAPE,   /* which own attributes, in order                           */
  NPROF_STORE_C_SET,     /* which shared set                                         */
  NPROF_STORE_C_ATTR = 16
};
enum { /* columns of nodes                                                           */
  NPROF_STORE_N_START,
  NPROF_STORE_N_LEN,     /* greatest end - start                                     */
  NPROF_STORE_N_LABEL,   /* of the longest row                                       */
  NPROF_STORE_N_REP,     /* the longest row, from the node's first                   */
  NPROF_STORE_N_FILL,    /* 0..255: busy / len                                       */
  NPROF_STORE_N_LONG,    /* 0..65535: the longest / len                              */
  NPROF_STORE_N_BUSY,    /* level 3 and above: ps                                    */
  NPROF_STORE_N_BLOCK,   /* level 3 and above: where the block two levels below lies */
  NPROF_STORE_N_ROWS,    /* level 3: where its block of rows lies                    */
  NPROF_STORE_N_LIST,    /* levels 4 and 6: number of its list                       */
  NPROF_STORE_N_MIN, NPROF_STORE_N_MAX, NPROF_STORE_N_LAST /* counters: doubles      */
};

struct nprof_store_block {
  uint32_t magic, bytes; /* bytes: of the block, a multiple of 64                     */
  uint32_t hash;         /* low half of nprof_store_hash of the block with hash = 0   */
  uint32_t lane;         /* serial; in `cells`: number of the table                   */
  uint32_t first;        /* number in the lane, or table, of row or node 0            */
  uint16_t n;
  uint8_t level, reserved;
  uint16_t n_columns, reserved2;
  uint32_t reserved3;
  uint64_t previous;     /* rows: the lane's block before; NPROF_STORE_NONE: none     */
};                       /* struct nprof_store_column x n_columns follow, by key      */

/* Value i = base + scale * (width little-endian bytes at at + i * width). width 0: all are base;
 * 16: sparse: u16 k, k x u16 row, k x u64 value, the others are base. A column that is not there is
 * 0 throughout. 8 bytes lie behind the last column, so that each value may be loaded as 8. */
struct nprof_store_column {
  int64_t base;
  uint32_t at; /* from the block's start                                              */
  uint16_t key;
  uint8_t width, scale; /* scale: 0: 1, 1: 1000                                       */
};
#define NPROF_STORE_SPARSE 16u

/* -- What bytes mean -------------------------------------------------------- */

static inline uint64_t
nprof_store_load (const uint8_t *p, uint32_t width)
{
  uint64_t v;
  memcpy (&v, p, 8);
  return width == 8 ? v : v & ((1ull << (8 * width)) - 1);
}

static inline const struct nprof_store_column *
nprof_store_columns (const struct nprof_store_block *b)
{
  return (const struct nprof_store_column *) (b + 1);
}

/* The column with this key, or NULL: all its values are 0. */
static inline const struct nprof_store_column *
nprof_store_column (const struct nprof_store_block *b, uint32_t key)
{
  const struct nprof_store_column *c = nprof_store_columns (b);
  if (key < b->n_columns && c[key].key == key)
    return c + key;
  for (uint32_t i = 0; i < b->n_columns && c[i].key <= key; i++)
    if (c[i].key == key)
      return c + i;
  return NULL;
}

static inline uint64_t
nprof_store_sparse (const struct nprof_store_column *c, const uint8_t *p, uint32_t row)
{
  uint16_t n, at;
  uint32_t low = 0;
  memcpy (&n, p, 2);
  for (uint32_t high = n; low < high;) {
    uint32_t middle = (low + high) / 2;
    memcpy (&at, p + 2 + 2 * middle, 2);
    if (at < row)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == n)
    return (uint64_t) c->base;
  memcpy (&at, p + 2 + 2 * low, 2);
  return at == row ? nprof_store_load (p + 2 + 2 * n + 8 * low, 8) : (uint64_t) c->base;
}

/* Value `row` of a column of a checked block; c may be NULL. */
static inline int64_t
nprof_store_get (const struct nprof_store_block *b, const struct nprof_store_column *c,
                 uint32_t row)
{
  if (!c)
    return 0;
  if (!c->width)
    return c->base;
  const uint8_t *p = (const uint8_t *) b + c->at;
  if (c->width == NPROF_STORE_SPARSE)
    return (int64_t) nprof_store_sparse (c, p, row);
  uint64_t v = nprof_store_load (p + (size_t) row * c->width, c->width);
  return (int64_t) ((uint64_t) c->base + (c->scale ? v * 1000u : v));
}

/* -- Checksums: XXH64 with seed 0 ------------------------------------------- */

#define NPROF_STORE_P1 0x9E3779B185EBCA87ull
#define NPROF_STORE_P2 0xC2B2AE3D27D4EB4Full
#define NPROF_STORE_P3 0x165667B19E3779F9ull
#define NPROF_STORE_P4 0x85EBCA77C2B2AE63ull
#define NPROF_STORE_P5 0x27D4EB2F165667C5ull

struct nprof_store_hasher {
  uint64_t lane[4], total;
  uint32_t n;
  uint8_t tail[32];
};

static inline uint64_t
nprof_store_rotate (uint64_t v, unsigned by)
{
  return v << by | v >> (64 - by);
}

static inline uint64_t
nprof_store_round (uint64_t lane, uint64_t word)
{
  return nprof_store_rotate (lane + word * NPROF_STORE_P2, 31) * NPROF_STORE_P1;
}

static inline void
nprof_store_hash_begin (struct nprof_store_hasher *h)
{
  memset (h, 0, sizeof *h);
  h->lane[0] = NPROF_STORE_P1 + NPROF_STORE_P2;
  h->lane[1] = NPROF_STORE_P2;
  h->lane[3] = 0 - NPROF_STORE_P1;
}

static inline void
nprof_store_hash_stripes (struct nprof_store_hasher *h, const uint8_t *p, size_t n)
{
  uint64_t a = h->lane[0], b = h->lane[1], c = h->lane[2], d = h->lane[3];
  for (; n; n--, p += 32) {
    a = nprof_store_round (a, nprof_store_load (p, 8));
    b = nprof_store_round (b, nprof_store_load (p + 8, 8));
    c = nprof_store_round (c, nprof_store_load (p + 16, 8));
    d = nprof_store_round (d, nprof_store_load (p + 24, 8));
  }
  h->lane[0] = a, h->lane[1] = b, h->lane[2] = c, h->lane[3] = d;
}

static inline void
nprof_store_hash_add (struct nprof_store_hasher *h, const void *data, size_t len)
{
  const uint8_t *p = (const uint8_t *) data;
  h->total += len;
  if (h->n) {
    size_t k = 32 - h->n < len ? 32 - h->n : len;
    memcpy (h->tail + h->n, p, k);
    h->n += (uint32_t) k;
    p += k;
    len -= k;
    if (h->n < 32)
      return;
    nprof_store_hash_stripes (h, h->tail, 1);
    h->n = 0;
  }
  nprof_store_hash_stripes (h, p, len / 32);
  h->n = (uint32_t) (len % 32);
  if (h->n)
    memcpy (h->tail, p + (len - h->n), h->n);
}

static inline uint64_t
nprof_store_hash_end (const struct nprof_store_hasher *h)
{
  uint64_t v = NPROF_STORE_P5;
  if (h->total >= 32) {
    v = nprof_store_rotate (h->lane[0], 1) + nprof_store_rotate (h->lane[1], 7)
        + nprof_store_rotate (h->lane[2], 12) + nprof_store_rotate (h->lane[3], 18);
    for (int i = 0; i < 4; i++)
      v = (v ^ nprof_store_round (0, h->lane[i])) * NPROF_STORE_P1 + NPROF_STORE_P4;
  }
  v += h->total;
  uint32_t i = 0;
  for (; i + 8 <= h->n; i += 8)
    v = nprof_store_rotate (v ^ nprof_store_round (0, nprof_store_load (h->tail + i, 8)), 27)
            * NPROF_STORE_P1
        + NPROF_STORE_P4;
  if (i + 4 <= h->n) {
    uint32_t word;
    memcpy (&word, h->tail + i, 4);
    v = nprof_store_rotate (v ^ word * NPROF_STORE_P1, 23) * NPROF_STORE_P2 + NPROF_STORE_P3;
    i += 4;
  }
  for (; i < h->n; i++)
    v = nprof_store_rotate (v ^ h->tail[i] * NPROF_STORE_P5, 11) * NPROF_STORE_P1;
  v = (v ^ v >> 33) * NPROF_STORE_P2;
  v = (v ^ v >> 29) * NPROF_STORE_P3;
  return v ^ v >> 32;
}

static inline uint64_t
nprof_store_hash (const void *data, size_t len)
{
  struct nprof_store_hasher h;
  nprof_store_hash_begin (&h);
  nprof_store_hash_add (&h, data, len);
  return nprof_store_hash_end (&h);
}

/* Returns the hash of a block, whose own field counts as 0. */
static inline uint32_t
nprof_store_block_hash (const struct nprof_store_block *b)
{
  struct nprof_store_block head = *b;
  struct nprof_store_hasher h;
  head.hash = 0;
  nprof_store_hash_begin (&h);
  nprof_store_hash_add (&h, &head, sizeof head);
  nprof_store_hash_add (&h, b + 1, b->bytes - sizeof head);
  return (uint32_t) nprof_store_hash_end (&h);
}

/* Where a link is looked up. Links of one id, or of one flow, have one key but for the kind; ids
 * and parents are unique within an input only. The bucket is the first byte. */
static inline uint64_t
nprof_store_link_key (uint32_t kind, uint32_t input, uint64_t id)
{
  uint64_t v = id * NPROF_STORE_P1
               + (kind == NPROF_STORE_LINK_FLOW ? NPROF_STORE_P3 : input * NPROF_STORE_P5);
  v = (v ^ v >> 31) * NPROF_STORE_P2;
  return ((v ^ v >> 29) & ~3ull) | kind;
}

/* How many nodes a lane of so many rows has at a level, and its top level: the first with 8 nodes
 * at most. A lane of 64 rows or fewer has no nodes: its top is 0. */
static inline uint64_t
nprof_store_count (uint64_t rows, uint32_t level)
{
  return (rows + ((1ull << (3 * level)) - 1)) >> (3 * level);
}

static inline uint32_t
nprof_store_top (uint64_t rows)
{
  uint32_t level = 0;
  if (rows <= 64)
    return 0;
  while (nprof_store_count (rows, level) > NPROF_STORE_FAN)
    level++;
  return level;
}

#if defined __cplusplus
#define NPROF_STORE_SIZE(type, bytes) static_assert (sizeof (struct type) == bytes, #type)
#else
#define NPROF_STORE_SIZE(type, bytes) _Static_assert (sizeof (struct type) == bytes, #type)
#endif
NPROF_STORE_SIZE (nprof_store_section, 16);
NPROF_STORE_SIZE (nprof_store_meta, 576);
NPROF_STORE_SIZE (nprof_store_span, 16);
NPROF_STORE_SIZE (nprof_store_lane, 80);
NPROF_STORE_SIZE (nprof_store_track, 64);
NPROF_STORE_SIZE (nprof_store_label, 56);
NPROF_STORE_SIZE (nprof_store_sum, 24);
NPROF_STORE_SIZE (nprof_store_list, 24);
NPROF_STORE_SIZE (nprof_store_key, 8);
NPROF_STORE_SIZE (nprof_store_value, 16);
NPROF_STORE_SIZE (nprof_store_attribute, 24);
NPROF_STORE_SIZE (nprof_store_input, 128);
NPROF_STORE_SIZE (nprof_store_property, 8);
NPROF_STORE_SIZE (nprof_store_table, 40);
NPROF_STORE_SIZE (nprof_store_table_column, 16);
NPROF_STORE_SIZE (nprof_store_link, 16);
NPROF_STORE_SIZE (nprof_store_block, 40);
NPROF_STORE_SIZE (nprof_store_column, 16);

#endif
