/* SPDX-License-Identifier: Apache-2.0 */
/* table-store.c - keeps the tables of a run by their names. */

#include "table/table-store.h"
#include "table/kept-table.h"

struct NpTableStore {
  gint refs;
  GHashTable *wanted;   /* names; owned.  NULL: all */
  GHashTable *stored;   /* name -> NpTable */
  GPtrArray *announced; /* of struct nprof_table, and NULL */
};

NpTableStore *
np_table_store_new (const char *const *names)
{
  NpTableStore *store = g_new0 (NpTableStore, 1);
  store->refs = 1;
  store->stored
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) np_table_close);
  store->announced = g_ptr_array_new ();
  g_ptr_array_add (store->announced, NULL);
  if (names)
    store->wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (; names && *names; names++)
    g_hash_table_add (store->wanted, g_strdup (*names));
  return store;
}

NpTableStore *
np_table_store_ref (NpTableStore *store)
{
  g_atomic_int_inc (&store->refs);
  return store;
}

void
np_table_store_free (NpTableStore *store)
{
  if (!store || !g_atomic_int_dec_and_test (&store->refs))
    return;
  g_clear_pointer (&store->wanted, g_hash_table_unref);
  g_hash_table_unref (store->stored);
  g_ptr_array_unref (store->announced);
  g_free (store);
}

/* -- Adding ------------------------------------------------------------------------------------ */

static gboolean
is_wanted (const NpTableStore *store, const char *name)
{
  return !store->wanted || g_hash_table_contains (store->wanted, name);
}

static NpTable *
announce (NpTableStore *store, const struct nprof_table *declared)
{
  NpTable *table = np_kept_table_new (declared);
  g_hash_table_insert (store->stored, (gpointer) table->schema->name, table);
  g_ptr_array_insert (store->announced, (int) store->announced->len - 1, (gpointer) table->schema);
  return table;
}

void
np_table_store_add (NpTableStore *store, const struct nprof_host *host,
                    const struct nprof_table *declared, const struct nprof_cell *cells,
                    guint n_rows)
{
  NpTable *table = g_hash_table_lookup (store->stored, declared->name);
  if (!table)
    table = announce (store, declared);
  if (!is_wanted (store, declared->name))
    return;
  g_autofree struct nprof_cell *row = g_new (struct nprof_cell, table->n_columns);
  for (guint i = 0; i < n_rows; i++, cells += table->n_columns) {
    for (guint c = 0; c < table->n_columns; c++)
      row[c] = np_kept_cell (host, cells[c]);
    np_kept_table_add (table, row);
  }
}

void
np_table_store_copy (NpTableStore *store, const NpTable *from)
{
  NpTable *table = announce (store, from->schema);
  g_autofree struct nprof_cell *row = g_new (struct nprof_cell, table->n_columns + 1);
  for (guint64 i = 0; is_wanted (store, table->schema->name) && i < from->n_rows; i++) {
    for (guint c = 0; c < table->n_columns; c++)
      row[c] = np_table_cell (from, i, (int) c);
    np_kept_table_add (table, row);
  }
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

gsize
np_table_store_bytes (const NpTableStore *store)
{
  GHashTableIter iter;
  gpointer table;
  gsize bytes = 0;
  g_hash_table_iter_init (&iter, store->stored);
  while (g_hash_table_iter_next (&iter, NULL, &table))
    bytes += ((NpTable *) table)->n_rows * ((NpTable *) table)->n_columns
             * sizeof (struct nprof_cell);
  return bytes;
}
