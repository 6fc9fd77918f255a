/* SPDX-License-Identifier: Apache-2.0 */
/* sink.h - the sink `store`: from handles of the run to numbers of the store. */
#pragma once

#include "profile/id.h"
#include "writer.h"

#include <glib.h>

#include <nprof/draft/input-file.h>
#include <nprof/draft/origins.h>
#include <nprof/sdk.h>

struct store_name_label { /* of a name: the category that it came with last, and their label */
  nprof_str category;
  guint32 label; /* 1 + number; 0: none yet */
};

struct store_attr_key { /* of a key's text: its numbers by type, first occurrence in a row */
  guint32 by_type[NPROF_ID128 + 1]; /* 1 + number; 0: none yet */
};

#define STORE_SHORT 54 /* bytes */
#define STORE_SHORT_TEXTS 1024

struct store_short_text { /* of a cell */
  guint64 at;
  guint8 size; /* 1 + bytes; 0: none yet */
  char text[STORE_SHORT];
};

struct store_sink_table {
  const struct nprof_table *table;
  guint32 number, n_columns;
};

struct store_sink {
  const char *folder, *source; /* options */
  bool keep, tell, progress;

  const struct nprof_host *host;
  const struct nprof_origins *origins;
  struct store_writer *writer;
  char id[PROFILE_ID_SIZE];
  guint64 ordinal;
  guint64 unknown_rows, unknown_values;

  GArray *strings;   /* guint32 by nprof_str: 1 + number */
  GArray *sets;      /* guint32 by nprof_set: 1 + number */
  GArray *keys;      /* struct store_attr_key by nprof_str */
  GArray *lines;     /* struct store_line * by track handle, of origin 0 */
  GHashTable *derived; /* track << 32 | origin -> struct store_line * */
  GArray *seen;      /* guint64 by key number: ordinal of the last row that had it */
  GArray *row_keys;  /* guint16: keys of the row */
  GArray *row_values; /* guint64 */
  GArray *labels;    /* struct store_name_label by nprof_str of the name */

  GArray *tables;    /* struct store_sink_table */
  GArray *tracks;    /* struct nprof_store_track */
  GArray *inputs;    /* struct nprof_store_input */
  GArray *properties; /* struct nprof_store_property */
  GArray *cells;     /* struct nprof_store_cell: of one delivery */
  struct store_short_text *short_texts; /* STORE_SHORT_TEXTS, by hash */

  nprof_str key_source, key_stack;
  GArray *sources;     /* nprof_str: texts of the attribute `source`, each once */
  GArray *stacks;      /* the same of `source_stack` */
  GArray *source_seen; /* guint8 by string of the store */
  char **folders;      /* of option source, real paths that end in / */
  guint64 source_bytes;
  struct store_progress *strips; /* NULL: nobody watches */
};

guint32 store_string (struct store_sink *self, nprof_str str);
guint32 store_text_string (struct store_sink *self, const char *text, gssize len);
/* rows.c, tables.c, inputs.c */
nprof_status store_rows_consume (struct store_sink *self, const struct nprof_batch *batch);
nprof_status store_table_rows (struct store_sink *self, const struct nprof_table *table,
                               const struct nprof_cell *cells, guint32 n_rows);
nprof_status store_describe (struct store_sink *self);
nprof_status store_failed (struct store_sink *self);
/* sink-sources.c */
nprof_status store_sources_open (struct store_sink *self);
/* Notes a text of one of the two attributes, in their list. */
void store_source_seen (struct store_sink *self, nprof_str str, GArray *list);
nprof_status store_sources_finish (struct store_sink *self);
void store_sources_close (struct store_sink *self);
