/* SPDX-License-Identifier: Apache-2.0 */
/* schema.h - the leaf columns of a file, and the numbers by which the format names things. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A column holds one of these.  Flat columns may be null. */
enum pq_kind {
  PQ_BOOL,
  PQ_INT32,
  PQ_UINT32,
  PQ_INT64,
  PQ_UINT64,
  PQ_TIMESTAMP_NS, /* since 1970, UTC */
  PQ_DOUBLE,
  PQ_TEXT,         /* UTF-8 */
  PQ_UUID,         /* 16 bytes */
  PQ_MAP_KEY,      /* text; a key and its value behind it are one column MAP<STRING,STRING> */
  PQ_MAP_VALUE
};

/* parquet.thrift: Type, Encoding, PageType */
enum { PQ_TYPE_BOOLEAN = 0, PQ_TYPE_INT32 = 1, PQ_TYPE_INT64 = 2, PQ_TYPE_DOUBLE = 5 };
enum { PQ_TYPE_BYTE_ARRAY = 6, PQ_TYPE_FIXED = 7 };
enum { PQ_ENC_PLAIN = 0, PQ_ENC_RLE = 3, PQ_ENC_DELTA = 5, PQ_ENC_LENGTHS = 6, PQ_ENC_DICT = 8 };
enum { PQ_PAGE_DATA = 0, PQ_PAGE_DICT = 2 };

struct pq_column {
  const char *name; /* of a map: both have its name */
  enum pq_kind kind;
};

static inline bool
pq_is_map (enum pq_kind kind)
{
  return kind == PQ_MAP_KEY || kind == PQ_MAP_VALUE;
}

static inline bool
pq_is_bytes (enum pq_kind kind)
{
  return kind == PQ_TEXT || pq_is_map (kind);
}

/* Return bytes of a value as it is kept and as it is written plain; texts are kept as refs. */
static inline uint32_t
pq_width (enum pq_kind kind)
{
  switch (kind) {
  case PQ_BOOL:
    return 1;
  case PQ_UUID:
    return 16;
  case PQ_INT64:
  case PQ_UINT64:
  case PQ_TIMESTAMP_NS:
  case PQ_DOUBLE:
    return 8;
  default:
    return 4;
  }
}

static inline int
pq_physical (enum pq_kind kind)
{
  switch (kind) {
  case PQ_BOOL:
    return PQ_TYPE_BOOLEAN;
  case PQ_INT32:
  case PQ_UINT32:
    return PQ_TYPE_INT32;
  case PQ_DOUBLE:
    return PQ_TYPE_DOUBLE;
  case PQ_UUID:
    return PQ_TYPE_FIXED;
  case PQ_INT64:
  case PQ_UINT64:
  case PQ_TIMESTAMP_NS:
    return PQ_TYPE_INT64;
  default:
    return PQ_TYPE_BYTE_ARRAY;
  }
}
