/* SPDX-License-Identifier: Apache-2.0 */
/* table-store.c - keeps cells as they come; declarations, strings and texts are copied. */

#include "table/table-store.h"
#include "rows/table.h"

#include <string.h>

typedef struct {
  NpTable base;
  struct nprof_table *declared; /* base.schema, which it owns */
  GArray *cells;                /* of struct nprof_cell, row by row; strings are text here */
} KeptTable;

struct NpTableStore {
  GHashTable *wanted;   /* names; owned.  NULL: all */
  GHashTable *stored;   /* name -> KeptTable */
  GPtrArray *announced; /* of struct nprof_table, and NULL */
  GStringChunk *texts;
};

static void
kept_free (gpointer data)
{
  KeptTable *kept = data;
  np_table_free (kept->declared);
  g_array_unref (kept->cells);
  g_free (kept);
}

NpTableStore *
np_table_store_new (const char *const *names)
{
  NpTableStore *store = g_new0 (NpTableStore, 1);
  store->stored = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, kept_free);
  store->announced = g_ptr_array_new ();
  g_ptr_array_add (store->announced, NULL);
  store->texts = g_string_chunk_new (4096);
  if (names)
    store->wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (; names && *names; names++)
    g_hash_table_add (store->wanted, g_strdup (*names));
  return store;
}

void
np_table_store_free (NpTableStore *store)
{
  if (!store)
    return;
  g_clear_pointer (&store->wanted, g_hash_table_unref);
  g_hash_table_unref (store->stored);
  g_ptr_array_unref (store->announced);
  g_string_chunk_free (store->texts);
  g_free (store);
}

/* -- Adding ------------------------------------------------------------------------------------ */

static gboolean
is_wanted (const NpTableStore *store, const char *name)
{
  return !store->wanted || g_hash_table_contains (store->wanted, name);
}

static gboolean
read_kept (const NpTable *table, guint64 row, guint column, struct nprof_cell *cell)
{
  const KeptTable *kept = (const KeptTable *) table;
  *cell = g_array_index (kept->cells, struct nprof_cell, row * table->n_columns + column);
  return TRUE;
}

static KeptTable *
announce (NpTableStore *store, const struct nprof_table *table)
{
  KeptTable *kept = g_new0 (KeptTable, 1);
  kept->declared = np_table_copy (table);
  kept->base = (NpTable){ .schema = kept->declared,
                          .n_columns = np_table_columns (table),
                          .read = read_kept };
  kept->cells = g_array_new (FALSE, FALSE, sizeof (struct nprof_cell));
  g_hash_table_insert (store->stored, (gpointer) kept->declared->name, kept);
  g_ptr_array_insert (store->announced, (int) store->announced->len - 1, kept->declared);
  return kept;
}

/* Keeps repeated strings once, but for those that hold a NUL. */
static struct nprof_cell
keep_string (NpTableStore *store, const struct nprof_host *host, nprof_str string)
{
  size_t len;
  const char *text = host->string (host, string, &len);
  char *kept = strlen (text) == len ? g_string_chunk_insert_const (store->texts, text)
                                    : g_string_chunk_insert_len (store->texts, text, (gssize) len);
  return (struct nprof_cell){ .type = NPROF_TEXT, .len = (uint32_t) len, .v.text = kept };
}

/* Copies text, which lives no longer than the call. */
static struct nprof_cell
keep_cell (NpTableStore *store, const struct nprof_host *host, struct nprof_cell cell)
{
  if (cell.type == NPROF_STRING)
    return keep_string (store, host, cell.v.s);
  if (cell.type == NPROF_TEXT || cell.type == NPROF_JSON || cell.type == NPROF_ID128)
    cell.v.text = g_string_chunk_insert_len (store->texts, cell.v.text, cell.len);
  return cell;
}

void
np_table_store_add (NpTableStore *store, const struct nprof_host *host,
                    const struct nprof_table *table, const struct nprof_cell *cells, guint n_rows)
{
  KeptTable *kept = g_hash_table_lookup (store->stored, table->name);
  if (!kept)
    kept = announce (store, table);
  if (!is_wanted (store, table->name))
    return;
  for (gsize i = 0; i < (gsize) n_rows * kept->base.n_columns; i++) {
    struct nprof_cell cell = keep_cell (store, host, cells[i]);
    g_array_append_val (kept->cells, cell);
  }
  kept->base.n_rows += n_rows;
}

/* -- Looking up -------------------------------------------------------------------------------- */

const struct nprof_table *const *
np_table_store_list (const NpTableStore *store)
{
  return (const struct nprof_table *const *) store->announced->pdata;
}

const NpTable *
np_table_store_find (const NpTableStore *store, const char *name)
{
  return is_wanted (store, name) ? g_hash_table_lookup (store->stored, name) : NULL;
}
