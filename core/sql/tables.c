/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - the store's tables (tracks, facts, inputs, those of analyzers) as tables of SQL under
 * their names. */
#include "sql/profile.h"
#include "table/stored-table.h"

static NpTable *
open_stored (gpointer profile, guint number)
{
  NpSqlProfile *p = profile;
  *p->query.error = 0;
  return np_stored_table_new (p->store, &p->query, number);
}

static const char *
damage_of (gpointer profile)
{
  const NpSqlProfile *p = profile;
  return *p->query.error ? p->query.error : "the store is damaged";
}

static int
make_table (sqlite3 *db, NpSqlProfile *p, GHashTable *names, guint32 number)
{
  const struct nprof_store_table *table = nprof_store_table_at (p->store, number);
  if (!table)
    return SQLITE_CORRUPT;
  const char *text = np_sql_string (p, table->name).text;
  g_autofree char *name = np_sql_column_name (names, text ? text : "unnamed");
  return np_sql_make_table (db, name, number);
}

int
np_sql_tables (sqlite3 *db, NpSqlProfile *p)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  p->tables = (NpSqlTables){ open_stored, np_table_close, damage_of, p, FALSE };
  g_hash_table_add (names, g_strdup ("events"));
  int rc = np_sql_add_table_module (db, &p->tables);
  for (guint32 k = 0; !rc && k < nprof_store_n (p->store, NPROF_STORE_S_TABLES); k++)
    rc = make_table (db, p, names, k);
  return rc;
}
