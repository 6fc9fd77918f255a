/* SPDX-License-Identifier: Apache-2.0 */
/* database.c - the tables of an export: by their names without a version, their columns as
 * attributes, and those that became nothing. */
#include "nsys.h"

#include <string.h>

/* Returns the name without "_V2" at its end. Transfer full; NULL: no number of a version stands
 * there. */
static char *
without_version (const char *name)
{
  const char *at = strrchr (name, '_');
  if (!at || at == name || at[1] != 'V' || !at[2] || at[2 + strspn (at + 2, "0123456789")])
    return NULL;
  return g_strndup (name, (gsize) (at - name));
}

static int
later_first (gconstpointer a, gconstpointer b)
{
  const char *x = a, *y = b;
  size_t n = strlen (x), m = strlen (y);
  return n != m ? (n > m ? -1 : 1) : strcmp (y, x);
}

/* Finds the latest version of a table by the plain name, too, where no table has that. */
static void
name_plainly (Nsys *self)
{
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (self->db.tables), later_first);
  for (const GList *at = names; at; at = at->next) {
    char *plain = without_version (at->data);
    if (!plain || ns_has (self, plain)) {
      g_free (plain);
      continue;
    }
    DbTable *table = g_hash_table_lookup (self->db.tables, at->data);
    g_hash_table_steal (self->db.tables, table->key);
    g_free (table->key);
    table->key = plain;
    g_hash_table_replace (self->db.tables, table->key, table);
  }
}

nprof_status
ns_database_open (Nsys *self, const void *data, uint64_t len)
{
  nprof_status status
      = db_open (&self->db, self->host,
                 "export it anew with nsys export --type sqlite, or copy it whole", data, len);
  if (!status)
    name_plainly (self);
  return status;
}

/* -- Rows ------------------------------------------------------------------------------------- */

/* Returns the key of a column that has no place of its own; 0: nobody reads it.  A column that has
 * the name of an attribute of this decoder, whose type is declared, gets another key. */
static nprof_str
key_of (const Nsys *self, const char *column)
{
  const nprof_str declared[]
      = { self->key_correlation, self->key_stream, self->key_device, self->key_bytes,
          self->key_kernel,      self->key_step,   self->key_text,   self->key_domain };
  if (!self->host->wanted (self->host, column))
    return 0;
  nprof_str key = nprof_intern (self->host, column);
  for (gsize i = 0; i < G_N_ELEMENTS (declared); i++)
    if (key == declared[i]) {
      g_autofree char *other = g_strconcat ("column_", column, NULL);
      return nprof_intern (self->host, other);
    }
  return key;
}

nprof_status
ns_rows_begin (Nsys *self, const char *name, NsRows *rows)
{
  *rows = (NsRows){ .self = self };
  nprof_status status = db_rows_begin (&self->db, name, &rows->in);
  if (status)
    return status;
  rows->used = g_new0 (bool, rows->in.n + 1);
  rows->rest = g_new0 (nprof_str, rows->in.n + 1);
  for (int i = 0; i < rows->in.n; i++) {
    const char *column = sqlite3_column_name (rows->in.stmt, i);
    if (column)
      rows->in.wanted[i] |= (rows->rest[i] = key_of (self, column)) != 0;
  }
  return NPROF_OK;
}

void
ns_rows_end (NsRows *rows)
{
  db_rows_end (&rows->in);
  g_free (rows->used);
  g_free (rows->rest);
  memset (rows, 0, sizeof *rows);
}

int
ns_column (NsRows *rows, const char *name)
{
  int column = db_column (&rows->in, name);
  if (column >= 0)
    rows->used[column] = true;
  return column;
}

int
ns_column_of (NsRows *rows, const char *const *names)
{
  int found = -1;
  for (; *names && found < 0; names++)
    found = ns_column (rows, *names);
  return found;
}

/* -- What became of the tables ----------------------------------------------------------------- */

/* Returns whether a table describes others, and so is no loss. */
static bool
describes (const char *name)
{
  static const char *const beginnings[]
      = { "ENUM_",     "TARGET_INFO_", "META_DATA_",      "EXPORT_META_DATA",
          "ANALYSIS_", "Process",      "UnwindMethodType" };
  for (gsize i = 0; i < G_N_ELEMENTS (beginnings); i++)
    if (g_str_has_prefix (name, beginnings[i]))
      return true;
  return false;
}

nprof_status
ns_tell_unread (Nsys *self)
{
  g_autoptr (GList) names = db_tables (&self->db);
  nprof_status status = NPROF_OK;
  for (const GList *at = names; at && !status; at = at->next) {
    const DbTable *table = g_hash_table_lookup (self->db.tables, at->data);
    if (!table->read && !describes (table->name))
      status = db_skip_table (&self->db, table->key, table->name,
                              "the table holds no spans that are known");
  }
  return status;
}
