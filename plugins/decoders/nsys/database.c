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

nprof_status
ns_rows_begin (Nsys *self, const char *name, NsRows *rows)
{
  const nprof_str declared[]
      = { self->key_correlation, self->key_stream, self->key_device, self->key_bytes,
          self->key_kernel,      self->key_step,   self->key_text,   self->key_domain };
  rows->self = self;
  return db_rest_begin (&self->db, name, declared, G_N_ELEMENTS (declared), &rows->all);
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
