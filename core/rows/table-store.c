/* SPDX-License-Identifier: Apache-2.0 */
/* table-store.c - keeps cells as they come; declarations, strings and texts are copied. */

#include "rows/table-store.h"
#include "rows/table.h"

#include <string.h>

struct NpTableStore {
  GHashTable *wanted;   /* names; owned.  NULL: all */
  GHashTable *stored;   /* name -> NpStoredTable */
  GPtrArray *announced; /* of struct nprof_table, and NULL */
  GStringChunk *texts;
};

static void
stored_free (gpointer data)
{
  NpStoredTable *stored = data;
  np_table_free (stored->table);
  g_array_unref (stored->cells);
  g_free (stored);
}

NpTableStore *
np_table_store_new (const char *const *names)
{
  NpTableStore *store = g_new0 (NpTableStore, 1);
  store->stored = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, stored_free);
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

static NpStoredTable *
announce (NpTableStore *store, const struct nprof_table *table)
{
  NpStoredTable *stored = g_new0 (NpStoredTable, 1);
  stored->table = np_table_copy (table);
  stored->n_columns = np_table_columns (table);
  stored->cells = g_array_new (FALSE, FALSE, sizeof (struct nprof_cell));
  g_hash_table_insert (store->stored, (gpointer) stored->table->name, stored);
  g_ptr_array_insert (store->announced, (int) store->announced->len - 1, stored->table);
  return stored;
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
  NpStoredTable *stored = g_hash_table_lookup (store->stored, table->name);
  if (!stored)
    stored = announce (store, table);
  if (!is_wanted (store, table->name))
    return;
  for (gsize i = 0; i < (gsize) n_rows * stored->n_columns; i++) {
    struct nprof_cell cell = keep_cell (store, host, cells[i]);
    g_array_append_val (stored->cells, cell);
  }
  stored->n_rows += n_rows;
}

/* -- Looking up -------------------------------------------------------------------------------- */

const struct nprof_table *const *
np_table_store_list (const NpTableStore *store)
{
  return (const struct nprof_table *const *) store->announced->pdata;
}

const NpStoredTable *
np_table_store_find (const NpTableStore *store, const char *name)
{
  return is_wanted (store, name) ? g_hash_table_lookup (store->stored, name) : NULL;
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
  return &g_array_index (stored->cells, struct nprof_cell,
                         (gsize) row * stored->n_columns + column);
}

const char *
np_stored_text (const NpStoredTable *stored, guint row, guint column)
{
  const struct nprof_cell *cell = np_stored_cell (stored, row, column);
  return cell->type == NPROF_TEXT ? cell->v.text : NULL;
}
