/* SPDX-License-Identifier: Apache-2.0 */
/* table-file.h - a table of the run as a Parquet file: an output and its writer, and the leaves by
 * which its columns are filled. */
#pragma once

#include "writer.h"

#include <glib.h>
#include <nprof/sdk.h>

/* A row group ends when a look, once in so many rows, finds enough bytes. */
#define SHEET_ROWS 256

struct sheet_column { /* as nprof.schema tells it */
  char *name;
  const char *unit, *help;
  enum pq_kind kind;
  guint type;           /* NPROF_INT64 ...; NPROF_NULL: of the rows themselves          */
  const char *original; /* an attribute's key, a table's column; NULL: as name          */
  gboolean is_key;      /* identifies a row of a table                                  */
};

struct sheet_about {                /* the table as the metadata tells it */
  const char *table, *title, *note; /* title, note: may be NULL */
};

struct sheet {
  const struct nprof_host *host;
  char *path; /* for people: "events.parquet"        */
  struct nprof_output *output;
  struct pq_writer writer;
  struct pq_column *leaves; /* n_leaves; names belong to columns   */
  gsize limit;              /* bytes of a row group                */
};

enum pq_kind sheet_kind_of (guint type); /* of NPROF_INT64 ... */
GArray *sheet_columns_new (void);        /* of struct sheet_column; free with g_array_unref */
/* Appends a column; a name that is taken (case ignored) becomes attr_NAME.  Times in ps whose
 * name ends in _ns end in _ps.  original: as struct sheet_column; must live as long.  Returns its leaf. */
guint sheet_columns_add (GArray *columns, const char *name, const char *original, guint type,
                         const char *unit, const char *help);
guint sheet_columns_add_kind (GArray *columns, const char *name, enum pq_kind kind,
                              const char *unit, const char *help);

/* path: the file's name below the target.  sorting: may be NULL; must live as long. */
nprof_status sheet_open (struct sheet *sheet, struct pq_works *works, const char *path,
                         GArray *columns, enum pq_codec_kind codec, gsize limit,
                         const struct pq_sorting *sorting);
nprof_status sheet_flush (struct sheet *sheet);
/* inputs: as meta.h says. */
nprof_status sheet_end (struct sheet *sheet, const struct sheet_about *about, GArray *columns,
                        const GArray *inputs);
void sheet_clear (struct sheet *sheet);

static inline struct pq_values *
sheet_leaf (struct sheet *sheet, guint leaf)
{
  return sheet->writer.values + leaf;
}

/* Each gives the row that is being filled a value; no memory is found at the row group's end. */
static inline void
sheet_put_64 (struct sheet *sheet, guint leaf, guint64 bits)
{
  guint64 *at = (guint64 *) pq_values_add (sheet_leaf (sheet, leaf), sheet->writer.n_rows);
  if (at)
    *at = bits;
}

static inline void
sheet_put_double (struct sheet *sheet, guint leaf, double x)
{
  guint64 bits;
  memcpy (&bits, &x, sizeof bits);
  sheet_put_64 (sheet, leaf, bits);
}

static inline void
sheet_put_32 (struct sheet *sheet, guint leaf, guint32 u)
{
  guint32 *at = (guint32 *) pq_values_add (sheet_leaf (sheet, leaf), sheet->writer.n_rows);
  if (at)
    *at = u;
}

static inline void
sheet_put_str (struct sheet *sheet, guint leaf, nprof_str s)
{
  sheet_put_32 (sheet, leaf, s); /* handles count strings, so they stay below PQ_OWN_TEXT */
}

void sheet_put_bool (struct sheet *sheet, guint leaf, gboolean b);
void sheet_put_uuid (struct sheet *sheet, guint leaf, const void *id);
void sheet_put_text (struct sheet *sheet, guint leaf, const char *text, gsize len);
/* A ref for text that is made valid UTF-8 and kept by the leaf. */
guint32 sheet_own_text (struct sheet *sheet, guint leaf, const char *text, gsize len);
/* The same for a value of the map: of struct pq_entry. */
guint64 sheet_own_entry (struct sheet *sheet, const char *text, gsize len);
