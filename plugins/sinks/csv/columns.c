/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c - chooses, names and scales columns. */
#include "columns.h"

#include <string.h>

static void
clear_column (gpointer data)
{
  struct csv_column *column = data;
  g_free (column->name);
  g_free (column->given);
}

GArray *
csv_columns_new (void)
{
  GArray *columns = g_array_new (FALSE, TRUE, sizeof (struct csv_column));
  g_array_set_clear_func (columns, clear_column);
  return columns;
}

void
csv_columns_add (GArray *columns, const char *name, guint type, const char *unit, int time)
{
  static const char *const suffix[] = { "_ns", "_us", "_ms", "_s" };
  struct csv_column column = { g_strdup (name), g_strdup (name), 0, columns->len };
  gboolean number = type == NPROF_INT64 || type == NPROF_UINT64 || type == NPROF_DOUBLE;
  if (number && g_str_has_suffix (name, "_ns")) {
    g_free (column.name);
    column.name = g_strdup_printf ("%.*s%s", (int) strlen (name) - 3, name, suffix[time]);
    column.shift = 3 * time + (g_strcmp0 (unit, "ps") == 0 ? 3 : 0);
  }
  g_array_append_val (columns, column);
}

static guint
distance (const char *a, const char *b)
{
  guint n = (guint) strlen (b);
  g_autofree guint *row = g_new (guint, n + 1);
  for (guint j = 0; j <= n; j++)
    row[j] = j;
  for (guint i = 1; a[i - 1]; i++) {
    guint diagonal = row[0];
    row[0] = i;
    for (guint j = 1; j <= n; j++) {
      guint change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = MIN (change, MIN (row[j], row[j - 1]) + 1);
    }
  }
  return row[n];
}

const char *
csv_nearest (const char *word, const char *const *candidates, guint n)
{
  const char *best = NULL;
  guint least = ((guint) strlen (word) + 2) / 3; /* a third of it is no typing mistake */
  for (guint k = 0; k < n; k++) {
    guint d = distance (word, candidates[k]);
    if (d < least) {
      least = d;
      best = candidates[k];
    }
  }
  return best;
}

static const struct csv_column *
find_column (GArray *columns, const char *name)
{
  for (guint pass = 0; pass < 2; pass++)
    for (guint k = 0; k < columns->len; k++) {
      const struct csv_column *column = &g_array_index (columns, struct csv_column, k);
      if (strcmp (pass ? column->given : column->name, name) == 0)
        return column;
    }
  return NULL;
}

static char *
unknown_column (GArray *columns, const char *name)
{
  g_autofree const char **names = g_new (const char *, columns->len);
  for (guint k = 0; k < columns->len; k++)
    names[k] = g_array_index (columns, struct csv_column, k).name;
  const char *near = csv_nearest (name, names, columns->len);
  if (near)
    return g_strdup_printf ("there is no column \"%s\"; did you mean \"%s\"?", name, near);
  g_autoptr (GString) all = g_string_new (NULL);
  for (guint k = 0; k < columns->len; k++)
    g_string_append_printf (all, "%s%s", k ? ", " : "", names[k]);
  return g_strdup_printf ("there is no column \"%s\"; there are: %s", name, all->str);
}

gboolean
csv_columns_pick (GArray *columns, const char *picks, char **why)
{
  if (!picks || !*picks)
    return TRUE;
  g_auto (GStrv) names = g_strsplit (picks, "+", -1);
  g_autoptr (GArray) picked = csv_columns_new ();
  for (guint k = 0; names[k]; k++) {
    const struct csv_column *found = find_column (columns, names[k]);
    if (!found) {
      *why = unknown_column (columns, names[k]);
      return FALSE;
    }
    struct csv_column copy
        = { g_strdup (found->name), g_strdup (found->given), found->shift, found->from };
    g_array_append_val (picked, copy);
  }
  g_array_set_size (columns, 0);
  for (guint k = 0; k < picked->len; k++)
    g_array_append_val (columns, g_array_index (picked, struct csv_column, k));
  g_array_set_clear_func (picked, NULL); /* columns owns the names now */
  return TRUE;
}
