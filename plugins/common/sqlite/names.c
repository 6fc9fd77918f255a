/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - names of tables and columns in statements. */
#include "sqlite/names.h"

/* SQLite compares names of columns without their case. */
char *
np_sql_column_name (GHashTable *names, const char *name)
{
  g_autofree char *plain = g_strdup (name);
  for (guint n = 2;; n++) {
    g_autofree char *lower = g_ascii_strdown (plain, -1);
    if (g_hash_table_add (names, g_steal_pointer (&lower)))
      return g_steal_pointer (&plain);
    g_free (plain);
    plain = g_strdup_printf ("%s_%u", name, n);
  }
}

void
np_sql_quote (GString *to, const char *name)
{
  g_autoptr (GString) doubled = g_string_new (name);
  g_string_replace (doubled, "\"", "\"\"", 0);
  g_string_append_printf (to, "\"%s\"", doubled->str);
}
