/* SPDX-License-Identifier: Apache-2.0 */
/* wanted-tables.c - compares the tables that are asked for with those that the run has. */

#include "wanted-tables.h"

#include <string.h>

#define ALL "*"

void
wanted_tables_init (WantedTables *wanted, const char *tables)
{
  *wanted = (WantedTables){ NULL, NULL, NULL };
  if (!*tables)
    return;
  wanted->names = g_strsplit (tables, "+", -1);
  wanted->maybe = g_new0 (gboolean, g_strv_length (wanted->names));
  wanted->other = g_new0 (gboolean, g_strv_length (wanted->names));
  for (guint i = 0; wanted->names[i]; i++) {
    wanted->maybe[i] = g_str_has_suffix (wanted->names[i], "?");
    wanted->other[i] = g_str_has_suffix (wanted->names[i], "??");
    wanted->names[i][strcspn (wanted->names[i], "?")] = 0;
  }
}

void
wanted_tables_clear (WantedTables *wanted)
{
  g_strfreev (wanted->names);
  g_free (wanted->maybe);
  g_free (wanted->other);
}

gboolean
wanted_tables_has (const WantedTables *wanted, const char *name)
{
  const char *const *names = (const char *const *) wanted->names;
  return !names || g_strv_contains (names, name)
         || (g_strv_contains (names, ALL) && !g_str_equal (name, "events"));
}

Table *
wanted_tables_find (const GPtrArray *stored, const char *name)
{
  for (guint t = 0; t < stored->len; t++) {
    Table *table = g_ptr_array_index (stored, t);
    if (g_str_equal (table->name, name))
      return table;
  }
  return NULL;
}

void
wanted_tables_settle (WantedTables *wanted, const GPtrArray *stored)
{
  guint n = 0;
  for (guint i = 0; wanted->names && wanted->names[i]; i++) {
    const Table *before = n ? wanted_tables_find (stored, wanted->names[n - 1]) : NULL;
    if (wanted->other[i] && before && before->n_rows > 0) {
      g_free (wanted->names[i]);
      continue;
    }
    wanted->names[n] = wanted->names[i];
    wanted->maybe[n] = wanted->maybe[i];
    wanted->other[n++] = wanted->other[i];
  }
  if (wanted->names)
    wanted->names[n] = NULL;
}

static void
add_once (GPtrArray *tables, Table *table)
{
  if (table->n_rows > 0 && !g_ptr_array_find (tables, table, NULL))
    g_ptr_array_add (tables, table);
}

GPtrArray *
wanted_tables_list (const WantedTables *wanted, const GPtrArray *stored, gboolean empty)
{
  GPtrArray *tables = g_ptr_array_new ();
  for (guint t = 0; !wanted->names && t < stored->len; t++)
    g_ptr_array_add (tables, g_ptr_array_index (stored, t));
  for (guint i = 0; wanted->names && wanted->names[i]; i++) {
    Table *table = wanted_tables_find (stored, wanted->names[i]);
    if (table && (empty || !wanted->maybe[i] || table->n_rows > 0)
        && !g_ptr_array_find (tables, table, NULL))
      g_ptr_array_add (tables, table);
    for (guint t = 0; g_str_equal (wanted->names[i], ALL) && t < stored->len; t++)
      add_once (tables, g_ptr_array_index (stored, t));
  }
  return tables;
}

char *
wanted_tables_missing (const WantedTables *wanted, const GPtrArray *stored, gboolean maybe)
{
  GString *names = g_string_new (NULL);
  for (guint i = 0; wanted->names && wanted->names[i]; i++)
    if ((maybe || !wanted->maybe[i]) && !wanted_tables_find (stored, wanted->names[i]))
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", wanted->names[i]);
  return g_string_free (names, FALSE);
}
