/* SPDX-License-Identifier: Apache-2.0 */
/* page-head.c - reads PageHeader from bytes that may be anything. */
#include "page-head.h"

/* Reads a number; another type of number fails, because strictness finds bytes that were
 * changed. */
static gint64
read_i32 (struct pq_reader *r, unsigned type)
{
  gint64 i = type == PQ_T_I32 ? pq_read_int (r, type) : G_MAXINT64;
  r->failed |= i < G_MININT32 || i > G_MAXINT32;
  return i;
}

/* Reads number of values and encoding; in a page of version 2 the encoding comes later. */
static void
read_kind (PqHead *head, struct pq_reader *r)
{
  gboolean v1 = head->type == PQ_DATA_PAGE, v2 = head->type == PQ_DATA_PAGE_V2;
  int16_t id;
  unsigned type;
  if (!pq_open_struct (r))
    return;
  while (pq_next_field (r, &id, &type)) {
    if (id == 1)
      head->n_values = read_i32 (r, type);
    else if (id == (v2 ? 4 : 2))
      head->encoding = read_i32 (r, type);
    else if (v1 && (id == 3 || id == 4))
      head->levels[id - 3] = read_i32 (r, type);
    else if (v2 && id == 2)
      head->nulls = read_i32 (r, type);
    else if (v2 && (id == 5 || id == 6))
      head->level_bytes[id - 5] = read_i32 (r, type);
    else if (v2 && id == 7)
      head->stored = !pq_read_int (r, type);
    else
      pq_skip (r, type);
  }
}

/* Returns the field of the struct that tells more of a page of this type; the type comes first. */
static int
kind_field (gint64 type)
{
  return type == PQ_DATA_PAGE ? 5 : type == PQ_INDEX_PAGE ? 6 : type == PQ_DICTIONARY_PAGE ? 7 : 8;
}

void
pq_head_read (PqHead *head, struct pq_reader *r)
{
  int16_t id;
  unsigned type;
  *head = (PqHead){ .type = -1,
                    .uncompressed = -1,
                    .bytes = -1,
                    .crc = -1,
                    .encoding = -1,
                    .n_values = -1,
                    .nulls = -1 };
  while (pq_next_field (r, &id, &type)) {
    if (id == 1)
      head->type = read_i32 (r, type);
    else if (id == 2)
      head->uncompressed = read_i32 (r, type);
    else if (id == 3)
      head->bytes = read_i32 (r, type);
    else if (id == 4)
      head->crc = (guint32) read_i32 (r, type);
    else if (id == kind_field (head->type) && type == PQ_T_STRUCT)
      read_kind (head, r);
    else
      pq_skip (r, type);
  }
}
