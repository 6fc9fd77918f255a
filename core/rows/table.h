/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - declarations of tables, and rows of tables on their way: a chunk owns a copy of some
 * rows of one table and is shared by reference count. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

#define NP_CHUNK_ROWS 1024
#define NP_CHUNK_TEXT (1u << 20) /* bytes of text after which a chunk is full as well */

typedef struct {
  const struct nprof_table *table;
  guint n_rows, n_columns;
  struct nprof_cell *cells; /* n_rows * n_columns, row by row */
  /* the rest is table.c's */
  guint max_rows;
  gint refs;
  char *text;
  gsize n_text, max_text;
} NpChunk;

/* Returns "key", "doubt" ... for NPROF_ROLE_KEY, NPROF_ROLE_DOUBT ... */
const char *np_role_name (guint role);
guint np_table_columns (const struct nprof_table *table);
/* Says what is wrong with a component's declaration: transfer full, or NULL. */
char *np_table_problem (const struct nprof_table *table);
/* Returns whether both have the same name, and the same columns with the same types, units and
 * roles. */
gboolean np_table_same (const struct nprof_table *a, const struct nprof_table *b);
/* Copies a declaration with all its texts; free it with np_table_free. */
struct nprof_table *np_table_copy (const struct nprof_table *table);
void np_table_free (struct nprof_table *table);

NpChunk *np_chunk_new (const struct nprof_table *table);
NpChunk *np_chunk_ref (NpChunk *chunk);
void np_chunk_unref (NpChunk *chunk);
gboolean np_chunk_full (const NpChunk *chunk);
/* Copies one row.  NPROF_E_CONTRACT, and `problem` set (transfer full), when a cell has
 * another type than its column; NPROF_E_NOMEM. */
nprof_status np_chunk_add (NpChunk *chunk, const struct nprof_cell *cells, char **problem);
/* Makes the text pointers of the cells final; call it when the last row is in. */
void np_chunk_seal (NpChunk *chunk);
