/* SPDX-License-Identifier: Apache-2.0 */
/* reasons.c - keeps of table abilities what it says of tables without rows: share/answers/abilities
 * has the words. */

#include "reasons.h"

#include <nprof/sdk.h>
#include <string.h>

struct Reasons {
  GHashTable *of; /* by the name of a table, char *: its reason, char * */
};

/* Returns the text of a column, transfer full; NULL: unknown. */
static char *
text (const struct nprof_table *table, const struct nprof_cell *cells, const char *column)
{
  const struct nprof_cell *cell = nprof_find_cell (table, cells, column);
  return cell->type == NPROF_TEXT ? g_strndup (cell->v.text, cell->len) : NULL;
}

/* The first ability that names a table decides: later ones rest on it. */
static void
add_row (Reasons *reasons, const struct nprof_table *table, const struct nprof_cell *cells)
{
  g_autofree char *empty = text (table, cells, "empty"), *why = text (table, cells, "why"),
                  *record = text (table, cells, "record");
  if (!empty || !why)
    return;
  g_auto (GStrv) names = g_strsplit (empty, " ", -1);
  for (char **name = names; *name; name++)
    if (!g_hash_table_contains (reasons->of, *name))
      g_hash_table_insert (reasons->of, g_strdup (*name),
                           g_strconcat (g_str_has_prefix (why, "none: ") ? "" : "unknown: ", why,
                                        record ? "; " : "", record, NULL));
}

void
reasons_add (Reasons *reasons, const struct nprof_table *table, const struct nprof_cell *cells,
             guint n_rows)
{
  const guint n = nprof_count_columns (table);
  for (guint row = 0; row < n_rows && g_str_equal (table->name, "abilities"); row++)
    add_row (reasons, table, cells + (gsize) row * n);
}

const char *
reasons_find (const Reasons *reasons, const char *table)
{
  return g_hash_table_lookup (reasons->of, table);
}

Reasons *
reasons_new (void)
{
  Reasons *reasons = g_new0 (Reasons, 1);
  reasons->of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return reasons;
}

void
reasons_free (Reasons *reasons)
{
  g_hash_table_unref (reasons->of);
  g_free (reasons);
}
