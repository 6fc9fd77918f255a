/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - the store's tables (tracks, facts, inputs, those of analyzers), or those that were
 * made of a part of it, as tables of SQL under their names. */
#include "sql/profile.h"
#include "stored/stored-table.h"

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

/* -- Of a part --------------------------------------------------------------------------------- */

static NpTable *
open_made (gpointer profile, guint number)
{
  const NpSqlProfile *p = profile;
  const char *name = np_table_store_list (p->made)[number]->name;
  return (NpTable *) np_table_store_find (p->made, name);
}

static const char *
no_damage (gpointer profile)
{
  (void) profile;
  return NULL;
}

static int
make_all_made (sqlite3 *db, NpSqlProfile *p)
{
  const struct nprof_table *const *all = np_table_store_list (p->made);
  p->tables = (NpSqlTables){ open_made, NULL, no_damage, p, FALSE };
  int rc = np_sql_add_table_module (db, &p->tables);
  for (guint k = 0; !rc && all[k]; k++)
    rc = np_sql_make_table (db, all[k]->name, k);
  return rc;
}

int
np_sql_tables (sqlite3 *db, NpSqlProfile *p)
{
  if (p->made)
    return make_all_made (db, p);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  p->tables = (NpSqlTables){ open_stored, np_table_close, damage_of, p, FALSE };
  g_hash_table_add (names, g_strdup ("events"));
  int rc = np_sql_add_table_module (db, &p->tables);
  for (guint32 k = 0; !rc && k < nprof_store_n (p->store, NPROF_STORE_S_TABLES); k++)
    rc = make_table (db, p, names, k);
  return rc;
}
