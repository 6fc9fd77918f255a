/* SPDX-License-Identifier: Apache-2.0 */
/* table-file.h - a table of the run as a Parquet file: an output and its writer, and the leaves by
 * which its columns are filled. */
#pragma once

#include "writer.h"

#include <glib.h>
#include <nprof/sdk.h>

/* A row group ends when a look, once in so many rows, finds enough bytes. */
#define TABLE_FILE_ROWS 256

struct file_column { /* as nprof.schema tells it */
  char *name;
  const char *unit, *help;
  enum pq_kind kind;
  guint type;           /* NPROF_INT64 ...; NPROF_NULL: of the rows themselves          */
  const char *original; /* an attribute's key, a table's column; NULL: as name          */
  gboolean is_key;      /* identifies a row of a table                                  */
};

struct table_file_about {           /* the table as the metadata tells it */
  const char *table, *title, *note; /* title, note: may be NULL */
};

struct table_file {
  const struct nprof_host *host;
  char *path; /* for people: "events.parquet"        */
  struct nprof_output *output;
  struct pq_writer writer;
  struct pq_column *leaves; /* n_leaves; names belong to columns   */
  gsize limit;              /* bytes of a row group                */
};

enum pq_kind table_file_kind_of (guint type); /* of NPROF_INT64 ... */
GArray *table_file_columns_new (void);        /* of struct file_column; free with g_array_unref */
/* Appends a column; a name that is taken (case ignored) becomes attr_NAME.  Times in ps whose name
 * ends in _ns end in _ps.  `original` is that of struct file_column; it must live as long.  Returns
 * its leaf. */
guint table_file_columns_add (GArray *columns, const char *name, const char *original, guint type,
                              const char *unit, const char *help);
guint table_file_columns_add_kind (GArray *columns, const char *name, enum pq_kind kind,
                                   const char *unit, const char *help);

/* `path` is the file's name below the target.  `sorting` may be NULL; it must live as long. */
nprof_status table_file_open (struct table_file *table_file, struct pq_works *works,
                              const char *path, GArray *columns, enum pq_codec_kind codec,
                              gsize limit, const struct pq_sorting *sorting);
nprof_status table_file_flush (struct table_file *table_file);
/* `inputs` are as meta.h says. */
nprof_status table_file_end (struct table_file *table_file, const struct table_file_about *about,
                             GArray *columns, const GArray *inputs);
void table_file_clear (struct table_file *table_file);

static inline struct pq_values *
table_file_leaf (struct table_file *table_file, guint leaf)
{
  return table_file->writer.values + leaf;
}

/* Each gives the row that is being filled a value; missing memory is found at the row group's
 * end. */
static inline void
table_file_put_64 (struct table_file *table_file, guint leaf, guint64 bits)
{
  guint64 *at
      = (guint64 *) pq_values_add (table_file_leaf (table_file, leaf), table_file->writer.n_rows);
  if (at)
    *at = bits;
}

static inline void
table_file_put_double (struct table_file *table_file, guint leaf, double x)
{
  guint64 bits;
  memcpy (&bits, &x, sizeof bits);
  table_file_put_64 (table_file, leaf, bits);
}

static inline void
table_file_put_32 (struct table_file *table_file, guint leaf, guint32 u)
{
  guint32 *at
      = (guint32 *) pq_values_add (table_file_leaf (table_file, leaf), table_file->writer.n_rows);
  if (at)
    *at = u;
}

static inline void
table_file_put_str (struct table_file *table_file, guint leaf, nprof_str s)
{
  table_file_put_32 (table_file, leaf,
                     s); /* handles count strings, so they stay below PQ_OWN_TEXT */
}

void table_file_put_bool (struct table_file *table_file, guint leaf, gboolean b);
void table_file_put_uuid (struct table_file *table_file, guint leaf, const void *id);
void table_file_put_text (struct table_file *table_file, guint leaf, const char *text, gsize len);
/* Returns a ref for text that is made valid UTF-8 and kept by the leaf. */
guint32 table_file_own_text (struct table_file *table_file, guint leaf, const char *text,
                             gsize len);
/* Returns one for a value of the map: of struct pq_entry. */
guint64 table_file_own_entry (struct table_file *table_file, const char *text, gsize len);
