/* SPDX-License-Identifier: Apache-2.0 */
/* thrift.h - Thrift's compact protocol, as far as Parquet's footer and page headers need it:
 * writing to a buffer, reading from untrusted bytes.  Knows no struct of Parquet.
 * format: apache/thrift, doc/specs/thrift-compact-protocol.md */
#pragma once

#include <nprof/format.h>

enum { /* types of fields and of elements */
       PQ_T_TRUE = 1,
       PQ_T_FALSE,
       PQ_T_BYTE,
       PQ_T_I16,
       PQ_T_I32,
       PQ_T_I64,
       PQ_T_DOUBLE,
       PQ_T_BINARY,
       PQ_T_LIST,
       PQ_T_SET,
       PQ_T_MAP,
       PQ_T_STRUCT
};

#define PQ_THRIFT_DEPTH 16

/* -- Writing --------------------------------------------------------------- */

struct pq_thrift {
  struct nprof_buf *to;
  unsigned depth;
  int16_t last[PQ_THRIFT_DEPTH]; /* id of the last field, by depth of structs */
};

void pq_put_varint (struct nprof_buf *to, uint64_t u);
void pq_put_zigzag (struct nprof_buf *to, int64_t i);

/* Put a field of the struct that is open; the outermost one is open from the start. */
void pq_field_int (struct pq_thrift *t, int16_t id, unsigned type, int64_t i); /* I16, I32, I64 */
void pq_field_byte (struct pq_thrift *t, int16_t id, int8_t i);
void pq_field_bool (struct pq_thrift *t, int16_t id, bool b);
void pq_field_binary (struct pq_thrift *t, int16_t id, const void *data, size_t len);
void pq_field_text (struct pq_thrift *t, int16_t id, const char *text);
/* Begins a list: n elements of that type follow, put with pq_put_zigzag, pq_element_*. */
void pq_field_list (struct pq_thrift *t, int16_t id, unsigned type, size_t n);
/* Opens a struct, as a field or as an element of a list; pq_end closes it. */
void pq_field_struct (struct pq_thrift *t, int16_t id);
void pq_element_struct (struct pq_thrift *t);
void pq_element_binary (struct pq_thrift *t, const void *data, size_t len);
void pq_end (struct pq_thrift *t);

/* -- Reading --------------------------------------------------------------- */

/* After the first byte that cannot be right, `failed` stays and all reads give 0. */
struct pq_reader {
  const uint8_t *start, *at, *end;
  bool failed;
  unsigned depth;
  int16_t last[PQ_THRIFT_DEPTH];
};

void pq_read_from (struct pq_reader *r, const void *data, size_t len); /* in the outermost struct */
/* Reads the next field of the open struct; false at its end, which closes it. */
bool pq_next_field (struct pq_reader *r, int16_t *id, unsigned *type);
bool pq_open_struct (struct pq_reader *r);                /* whose fields then follow */
int64_t pq_read_int (struct pq_reader *r, unsigned type); /* BYTE .. I64, TRUE, FALSE; else fails */
const void *pq_read_binary (struct pq_reader *r, unsigned type, size_t *len);
/* Returns the number of elements, which is at most that of the bytes left. */
size_t pq_read_list (struct pq_reader *r, unsigned type, unsigned *element);
void pq_skip (struct pq_reader *r, unsigned type);
