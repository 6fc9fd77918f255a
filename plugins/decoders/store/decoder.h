/* SPDX-License-Identifier: Apache-2.0 */
/* decoder.h - the decoder `store`: from numbers of a stored profile back to handles of a run. */
#pragma once

#include <glib.h>
#include <nprof/draft/declare.h>
#include <nprof/draft/input-file.h>
#include <nprof/sdk.h>
#include <nprof/store-reader.h>

struct store_decoder {
  const struct nprof_host *host;
  const struct nprof_input_file *files;
  struct nprof_store *store;
  struct nprof_query query;
  guint32 number;       /* of the input within the store */
  gint64 shift;         /* ps that its times were moved by */
  nprof_str *strings;   /* by string; 0: not asked for yet, or "" */
  nprof_set *sets;      /* by set */
  nprof_str left_out[4]; /* what rows mean, where nobody asks (nprof-semantics(7)) */
  nprof_track *tracks;  /* by index */
  struct nprof_profile profile;
  const struct nprof_profile *profiles[2];
  GStringChunk *text;   /* of what is declared */
  /* structs; lists of attributes and tables, which end in NULL */
  GPtrArray *memory, *attributes, *declared;
  gboolean says;                             /* rows say what they mean, as far as they do */
  nprof_status status;  /* why rows ended */
  guint64 rows;
};

/* Splits PATH = FOLDER/inputs/NUMBER into the folder and the number. */
gboolean store_split_path (const char *path, char **folder, guint32 *number);
/* Makes the lists of the store, in memory that store_undeclare frees. */
void store_declare (struct store_decoder *self);
void store_undeclare (struct store_decoder *self);

nprof_str store_str (struct store_decoder *self, guint32 string);
nprof_status store_damaged (struct store_decoder *self);
nprof_status store_make_tracks (struct store_decoder *self);
nprof_status store_give_rows (struct store_decoder *self);
nprof_status store_give_tables (struct store_decoder *self);
