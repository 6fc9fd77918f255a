/* SPDX-License-Identifier: Apache-2.0 */
/* page-head.h - the header before each page.  format: parquet.thrift, PageHeader */
#pragma once

#include "footer.h"
#include "parquet/thrift.h"

enum { PQ_DATA_PAGE, PQ_INDEX_PAGE, PQ_DICTIONARY_PAGE, PQ_DATA_PAGE_V2 }; /* PageType */

typedef struct {
  gint64 type, uncompressed, bytes, n_values, encoding;
  gint64 levels[2];      /* version 1: encodings of definition and repetition levels    */
  gint64 level_bytes[2]; /* version 2: their lengths                                    */
  gint64 nulls;          /* version 2; -1: not said                                     */
  gboolean stored;       /* version 2: its values are not compressed                    */
  gint64 crc;            /* -1: none                                                    */
} PqHead;

/* A field that is missing is -1.  r->failed: the head cannot be read; else r->at is behind it. */
void pq_head_read (PqHead *head, struct pq_reader *r);
