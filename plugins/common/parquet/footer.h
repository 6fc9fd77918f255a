/* SPDX-License-Identifier: Apache-2.0 */
/* footer.h - reads the footer of a Parquet file: the tree of columns, row groups, key-value
 * metadata.  The bytes may be anything; it knows nothing of nprof. format: parquet.thrift */
#pragma once

#include <glib.h>

/* parquet.thrift: Type, LogicalType (old ConvertedTypes are turned into these), Encoding */
enum { PQ_BOOLEAN, PQ_INT32, PQ_INT64, PQ_INT96, PQ_FLOAT, PQ_DOUBLE, PQ_BYTE_ARRAY, PQ_FIXED };
enum {
  PQ_L_NONE,
  PQ_L_STRING,
  PQ_L_MAP,
  PQ_L_LIST,
  PQ_L_ENUM,
  PQ_L_DECIMAL,
  PQ_L_DATE,
  PQ_L_TIME,
  PQ_L_TIMESTAMP,
  PQ_L_INTEGER = 10,
  PQ_L_NULL,
  PQ_L_JSON,
  PQ_L_BSON,
  PQ_L_UUID,
  PQ_L_FLOAT16
};
enum {
  PQ_E_PLAIN = 0,
  PQ_E_PLAIN_DICTIONARY = 2,
  PQ_E_RLE = 3,
  PQ_E_BIT_PACKED = 4,
  PQ_E_DELTA = 5,
  PQ_E_DELTA_LENGTH = 6,
  PQ_E_DELTA_BYTES = 7,
  PQ_E_RLE_DICTIONARY = 8,
  PQ_E_SPLIT = 9
};
enum { PQ_REQUIRED, PQ_OPTIONAL, PQ_REPEATED };
enum { PQ_MILLIS = 1, PQ_MICROS, PQ_NANOS };

typedef struct { /* a node of the schema, in the order of the file; 0 is the root */
  char *name;
  int type; /* of a leaf                                                  */
  int repetition;
  int logical;             /* 0: none                                                    */
  int unit;                /* of a time or timestamp: PQ_MILLIS ...                      */
  gboolean utc;            /* of a timestamp: adjusted to UTC                            */
  gboolean is_unsigned;    /* of an integer                                              */
  gint64 length;           /* bytes of a value of fixed length                           */
  gint64 scale, precision; /* of a decimal                                              */
  gint64 n_children;       /* 0: a leaf                                                  */
  guint parent, next;      /* next: the first node behind its subtree                    */
  guint leaf, n_leaves;    /* number of its first leaf, and how many it has              */
  guint8 max_def, max_rep;
} PqNode;

typedef struct {
  char *path;    /* "a.key_value.key"                                          */
  int type;      /* Type                                                       */
  gint64 length; /* bytes of a value of fixed length                           */
  int logical;   /* field of LogicalType that is set; 0: none                  */
  gboolean is_unsigned;
  guint node;
  guint8 max_def, max_rep;
} PqLeaf;

typedef struct { /* one column of one row group                                */
  gint64 n_values, bytes, uncompressed, nulls; /* nulls -1: not said                    */
  gint64 data_at, dict_at;                     /* dict_at -1: no dictionary             */
  gint64 index_at, index_bytes;                /* offset index; -1: none                */
  int codec;
  guint64 encodings; /* bits                                                       */
  guint64 of_data;   /* the same of data pages alone; 0: not said                  */
  gboolean outside;  /* its pages are in another file                              */
  gboolean encrypted;
} PqChunk;

typedef struct {
  gint64 n_rows;
  GArray *chunks; /* of PqChunk, one a leaf                                     */
} PqGroup;

typedef struct {
  char *key, *value;
} PqPair;

typedef struct {
  gint64 version, n_rows;
  char *created_by;  /* NULL: not said                                             */
  GArray *nodes;     /* of PqNode                                                  */
  GArray *leaves;    /* of PqLeaf                                                  */
  GPtrArray *groups; /* of PqGroup                                                 */
  GArray *pairs;     /* of PqPair                                                  */
} PqFooter;

/* Reads a whole file.  NULL: `why` (transfer full) says what is wrong at byte `at`. *end is where
 * the footer begins. */
PqFooter *pq_footer_read (const guint8 *data, guint64 len, guint64 *end, guint64 *at, char **why);
void pq_footer_free (PqFooter *footer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PqFooter, pq_footer_free)

const PqChunk *pq_chunk (const PqFooter *footer, guint group, guint leaf);
const PqNode *pq_node (const PqFooter *footer, guint node);
const PqLeaf *pq_leaf (const PqFooter *footer, guint leaf);
gint64 pq_group_rows (const PqFooter *footer, guint group);
/* Returns the value of a key of the key-value metadata; NULL: none. */
const char *pq_pair (const PqFooter *footer, const char *key);

const char *pq_type_name (int type);       /* "int64"; "unknown" */
const char *pq_logical_name (int logical); /* "timestamp"; "" */
const char *pq_codec_name (int codec);
const char *pq_encoding_name (int encoding); /* NULL: unknown */
