/* SPDX-License-Identifier: Apache-2.0 */
/* footer.h - what the footer of a Parquet file says: columns, row groups, key-value metadata.
 * From bytes that may be anything; knows nothing of nprof.  format: parquet.thrift */
#pragma once

#include <glib.h>

typedef struct {
  char *path;         /* "a.key_value.key"                                          */
  int type;           /* Type                                                       */
  gint64 length;      /* bytes of a value of fixed length                           */
  int logical;        /* field of LogicalType that is set; 0: none                  */
} PqLeaf;

typedef struct {      /* one column of one row group                                */
  gint64 n_values, bytes, uncompressed, nulls; /* nulls -1: not said                */
  gint64 data_at, dict_at;                     /* dict_at -1: no dictionary         */
  gint64 index_at, index_bytes;                /* offset index; -1: none            */
  int codec;
  guint64 encodings;  /* bits                                                       */
  guint64 of_data;    /* the same of data pages alone; 0: not said                  */
  gboolean outside;   /* its pages are in another file                              */
} PqChunk;

typedef struct {
  gint64 n_rows;
  GArray *chunks;     /* of PqChunk, one a leaf                                     */
} PqGroup;

typedef struct {
  char *key, *value;
} PqPair;

typedef struct {
  gint64 version, n_rows;
  char *created_by;   /* NULL: not said                                             */
  GArray *leaves;     /* of PqLeaf                                                  */
  GPtrArray *groups;  /* of PqGroup                                                 */
  GArray *pairs;      /* of PqPair                                                  */
} PqFooter;

/* A whole file.  NULL: `why` (transfer full) says what is wrong at byte `at`.  end: where the
 * footer begins. */
PqFooter *pq_footer_read (const guint8 *data, guint64 len, guint64 *end, guint64 *at, char **why);
void pq_footer_free (PqFooter *footer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PqFooter, pq_footer_free)

const char *pq_type_name (int type);       /* "int64"; "unknown" */
const char *pq_logical_name (int logical); /* "timestamp"; "" */
const char *pq_codec_name (int codec);
const char *pq_encoding_name (int encoding); /* NULL: unknown */
