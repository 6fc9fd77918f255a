/* SPDX-License-Identifier: Apache-2.0 */
/* table-view.c - reads what a page shows of a table; the sink that prints it knows what its keys
 * mean. */

#include "plugin/table-view.h"

#include <string.h>

static const char *const keys[]
    = { "place", "title", "top", "columns", "by", "needs", "rows", "note", NULL };

gboolean
np_table_view_is_key (const char *key)
{
  return g_strv_contains (keys, key);
}

/* Returns the number of a key, 0 where it is missing. */
static guint
number_of (const NpTableView *view, const char *key, char **problem)
{
  const char *text = g_hash_table_lookup (view->says, key);
  guint64 n = 0;
  if (text && !g_ascii_string_to_unsigned (text, 10, 0, 1000000, &n, NULL) && !*problem)
    *problem = g_strdup_printf ("%s: a number from 0 to 1000000 was expected", key);
  return (guint) n;
}

/* Takes the ";" from the end of a list of columns. No name in it may be
 * empty, nor a side of a share. */
static void
check_columns (const NpTableView *view, const char *key, char **problem)
{
  char *text = g_hash_table_lookup (view->says, key);
  if (!text || *problem)
    return;
  if (g_str_has_suffix (text, ";"))
    text[strlen (text) - 1] = '\0';
  g_auto (GStrv) names = g_strsplit (text, ";", -1);
  gboolean empty = !names[0];
  for (char **name = names; *name; name++) {
    const char *column = *name + (**name == '?');
    empty |= !*column || *column == '/' || g_str_has_suffix (column, "/");
  }
  if (empty)
    *problem = g_strdup_printf ("%s: names of columns with \";\" between them were expected, and "
                                "one of them is empty",
                                key);
}

/* What stands on the page has a place and a heading. */
static void
check_page (const NpTableView *view, char **problem)
{
  const char *title = g_hash_table_lookup (view->says, "title");
  if (*problem || !g_hash_table_contains (view->says, "columns"))
    return;
  if (!view->place)
    *problem = g_strdup ("place: a number from 1 was expected, beside columns");
  else if (!title || !*title)
    *problem = g_strdup ("title: a text was expected, beside columns");
}

NpTableView *
np_table_view_read (GKeyFile *file, const char *group, const char *name, char **problem)
{
  NpTableView *view = g_new0 (NpTableView, 1);
  view->table = g_strndup (name, strcspn (name, " "));
  view->says = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; keys[i]; i++) {
    char *text = g_key_file_get_string (file, group, keys[i], NULL);
    if (text)
      g_hash_table_insert (view->says, g_strdup (keys[i]), text);
  }
  view->place = number_of (view, "place", problem);
  number_of (view, "top", problem);
  check_page (view, problem);
  check_columns (view, "columns", problem);
  check_columns (view, "by", problem);
  check_columns (view, "needs", problem);
  if (!*problem)
    return view;
  np_table_view_free (view);
  return NULL;
}

void
np_table_view_free (gpointer data)
{
  NpTableView *view = data;
  g_free (view->table);
  g_hash_table_unref (view->says);
  g_free (view);
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const NpTableView *x = *(const NpTableView *const *) a, *y = *(const NpTableView *const *) b;
  return x->place != y->place ? (x->place > y->place ? 1 : -1) : strcmp (x->table, y->table);
}

static gboolean
is_ours (const GPtrArray *views, const char *table)
{
  for (guint i = 0; i < views->len; i++) {
    const NpTableView *view = views->pdata[i];
    if (view->bundled && g_str_equal (view->table, table))
      return TRUE;
  }
  return FALSE;
}

void
np_table_views_settle (GPtrArray *views)
{
  for (guint i = views->len; i-- > 0;) {
    const NpTableView *view = views->pdata[i];
    if (!view->bundled && is_ours (views, view->table))
      g_ptr_array_remove_index (views, i);
  }
  g_ptr_array_sort (views, by_place);
}
