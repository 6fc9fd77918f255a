/* SPDX-License-Identifier: Apache-2.0 */
/* table-store.c - the sink that keeps tables: cells as they come, strings and texts copied. */

#include "pipeline/table-store.h"
#include "rows/table.h"

#include <nprof/sdk.h>

struct NpTableStore {
  GHashTable *wanted; /* names; owned */
  GHashTable *found;  /* name -> NpStoredTable */
  GPtrArray *names;   /* of all tables, and NULL */
  GStringChunk *texts;
  guint64 gaps;
};

static void
answer_free (gpointer data)
{
  NpStoredTable *stored = data;
  g_array_unref (stored->cells);
  g_free (stored);
}

NpTableStore *
np_table_store_new (const char *const *tables)
{
  NpTableStore *store = g_new0 (NpTableStore, 1);
  store->wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  store->found = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, answer_free);
  store->texts = g_string_chunk_new (4096);
  store->names = g_ptr_array_new ();
  g_ptr_array_add (store->names, NULL);
  for (; *tables; tables++)
    g_hash_table_add (store->wanted, g_strdup (*tables));
  return store;
}

void
np_table_store_free (NpTableStore *store)
{
  if (!store)
    return;
  g_hash_table_unref (store->wanted);
  g_hash_table_unref (store->found);
  g_string_chunk_free (store->texts);
  g_ptr_array_unref (store->names);
  g_free (store);
}

/* -- The sink -------------------------------------------------------------- */

typedef struct {
  const struct nprof_host *host;
  NpTableStore *store;
} Sink;

static nprof_status
sink_open (void *self, const struct nprof_host *host)
{
  Sink *sink = self;
  sink->host = host;
  sink->store = (NpTableStore *) host->extension (host, NP_CALLER);
  return NPROF_OK;
}

static nprof_status
sink_consume (void *self, const struct nprof_batch *batch)
{
  NpTableStore *store = ((Sink *) self)->store;
  for (uint32_t i = 0; i < batch->n_rows; i++)
    store->gaps += batch->kind[i] == NPROF_GAP;
  return NPROF_OK;
}

static void
note_name (NpTableStore *store, const char *name)
{
  char *kept = g_string_chunk_insert_const (store->texts, name); /* the same for the same text */
  if (!g_ptr_array_find (store->names, kept, NULL))
    g_ptr_array_insert (store->names, (int) store->names->len - 1, kept);
}

static NpStoredTable *
stored_table (NpTableStore *store, const struct nprof_table *table)
{
  NpStoredTable *stored = g_hash_table_lookup (store->found, table->name);
  if (stored || !g_hash_table_contains (store->wanted, table->name))
    return stored;
  stored = g_new0 (NpStoredTable, 1);
  stored->table = table;
  stored->n_columns = np_table_columns (table);
  stored->cells = g_array_new (FALSE, FALSE, sizeof (struct nprof_cell));
  g_hash_table_insert (store->found, (gpointer) table->name, stored);
  return stored;
}

/* Keeps repeated strings once; text lives no longer than the call, so it is copied. */
static struct nprof_cell
kept (const Sink *sink, struct nprof_cell cell)
{
  if (cell.type == NPROF_STRING)
    return nprof_cell_text (
        g_string_chunk_insert_const (sink->store->texts, nprof_text (sink->host, cell.v.s)));
  if (cell.type == NPROF_TEXT || cell.type == NPROF_JSON || cell.type == NPROF_ID128)
    cell.v.text = g_string_chunk_insert_len (sink->store->texts, cell.v.text, cell.len);
  return cell;
}

static nprof_status
sink_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
            uint32_t n_rows)
{
  const Sink *sink = self;
  note_name (sink->store, table->name);
  NpStoredTable *stored = stored_table (sink->store, table);
  if (!stored)
    return NPROF_OK;
  for (guint i = 0; i < n_rows * stored->n_columns; i++) {
    struct nprof_cell cell = kept (sink, cells[i]);
    g_array_append_val (stored->cells, cell);
  }
  stored->n_rows += n_rows;
  return NPROF_OK;
}

static const struct nprof_component sink_component = {
  .size = sizeof sink_component,
  .kind = NPROF_SINK,
  .name = "answers",
  .summary = "keeps tables for the command that asked for them",
  .instance_size = sizeof (Sink),
  .open = sink_open,
  .consume = sink_consume,
  .table = sink_table,
};

void
np_table_store_attach (NpTableStore *store, NpConfig *config)
{
  np_config_add_own (config, &sink_component, store);
}

/* -- Looking up ------------------------------------------------------------ */

const NpStoredTable *
np_table_store_find (const NpTableStore *store, const char *table)
{
  return g_hash_table_lookup (store->found, table);
}

const char *const *
np_table_store_tables (const NpTableStore *store)
{
  return (const char *const *) store->names->pdata;
}

guint64
np_table_store_gaps (const NpTableStore *store)
{
  return store->gaps;
}

int
np_stored_column (const NpStoredTable *stored, const char *name)
{
  for (guint c = 0; c < stored->n_columns; c++)
    if (g_str_equal (stored->table->columns[c]->name, name))
      return (int) c;
  return -1;
}

const struct nprof_cell *
np_stored_cell (const NpStoredTable *stored, guint row, guint column)
{
  return &g_array_index (stored->cells, struct nprof_cell, row * stored->n_columns + column);
}

const char *
np_stored_text (const NpStoredTable *stored, guint row, guint column)
{
  const struct nprof_cell *cell = np_stored_cell (stored, row, column);
  return cell->type == NPROF_TEXT ? cell->v.text : NULL;
}
