/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c - from declared and wanted keys to the columns of a run.  The run decides who declares,
 * and when. */

#include "rows/columns.h"

#include <nprof/keys.h>
#include <string.h>

/* Every row has these columns without any attribute; they are named as the sinks name them. */
static const char *const base_columns[]
    = { "input", "start_ns", "duration_ns", "track",      "process", "thread",
        "kind",  "category", "name",        "value",      "id",      "parent",
        "flow",  "start_ps", "duration_ps", "attributes", "time" };

struct NpColumns {
  NpStrings *strings;
  GPtrArray *list;      /* of struct nprof_column, ends in NULL */
  GHashTable *by_key;   /* char * -> struct nprof_column */
  GHashTable *names;    /* char *, in lower case */
  GHashTable *wanted;   /* char * */
  GPtrArray *row_wants; /* of const struct nprof_row_want: the components' own */
  GStringChunk *text;
  gboolean all_wanted;
  gboolean meaning; /* keys that say what rows mean get columns */
};

NpColumns *
np_columns_new (NpStrings *strings)
{
  NpColumns *columns = g_new0 (NpColumns, 1);
  columns->strings = strings;
  columns->list = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (columns->list, NULL);
  columns->by_key = g_hash_table_new (g_str_hash, g_str_equal);
  columns->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  columns->wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  columns->row_wants = g_ptr_array_new ();
  columns->text = g_string_chunk_new (1024);
  for (guint i = 0; i < G_N_ELEMENTS (base_columns); i++)
    g_hash_table_add (columns->names, g_strdup (base_columns[i]));
  return columns;
}

void
np_columns_free (NpColumns *columns)
{
  if (!columns)
    return;
  g_ptr_array_unref (columns->list);
  g_hash_table_unref (columns->by_key);
  g_hash_table_unref (columns->names);
  g_hash_table_unref (columns->wanted);
  g_ptr_array_unref (columns->row_wants);
  g_string_chunk_free (columns->text);
  g_free (columns);
}

static gboolean
take_name (NpColumns *columns, const char *name)
{
  return g_hash_table_add (columns->names, g_ascii_strdown (name, -1));
}

/* Returns the key, attr_KEY when that is taken, and attr_attr_KEY where a decoder declares that. */
static const char *
free_name (NpColumns *columns, const char *key)
{
  g_autofree char *name = g_strdup (key);
  while (!take_name (columns, name)) {
    char *longer = g_strconcat ("attr_", name, NULL);
    g_free (name);
    name = longer;
  }
  return g_string_chunk_insert (columns->text, name);
}

static gboolean
is_numeric (guint type)
{
  return type == NPROF_INT64 || type == NPROF_UINT64 || type == NPROF_DOUBLE;
}

static guint
common_type (guint a, guint b)
{
  if (a == b)
    return a;
  return is_numeric (a) && is_numeric (b) ? NPROF_DOUBLE : NPROF_TEXT;
}

static const char *
keep_text (NpColumns *columns, const char *text)
{
  return g_string_chunk_insert (columns->text, text ? text : "");
}

void
np_columns_show_meaning (NpColumns *columns)
{
  columns->meaning = TRUE;
}

/* Returns what a key that says what a row means (nprof-semantics(7)) is called among columns; NULL:
 * it is none. */
static const char *
meaning_name (const char *key)
{
  static const char *const keys[] = { NPROF_MEANING_KEYS };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (strcmp (keys[i], key) == 0)
      return strchr (key, '.') + 1;
  return NULL;
}

static void
declare (NpColumns *columns, const struct nprof_attribute *attribute)
{
  const char *means = meaning_name (attribute->key);
  if (means && !columns->meaning)
    return;
  struct nprof_column *known = g_hash_table_lookup (columns->by_key, attribute->key);
  if (known) {
    known->type = common_type (known->type, attribute->type);
    return;
  }
  struct nprof_column *column = g_new0 (struct nprof_column, 1);
  column->size = sizeof *column;
  column->type = attribute->type;
  column->key = np_strings_intern (columns->strings, attribute->key, strlen (attribute->key));
  column->name = free_name (columns, means ? means : attribute->key);
  column->unit = keep_text (columns, attribute->unit);
  column->help = keep_text (columns, attribute->help);
  g_ptr_array_index (columns->list, columns->list->len - 1) = column;
  g_ptr_array_add (columns->list, NULL);
  g_hash_table_insert (columns->by_key, (gpointer) keep_text (columns, attribute->key), column);
}

void
np_columns_declare (NpColumns *columns, const struct nprof_attribute *const *attributes)
{
  for (; attributes && *attributes; attributes++)
    declare (columns, *attributes);
}

void
np_columns_want (NpColumns *columns, const char *const *wants)
{
  for (; wants && *wants; wants++) {
    if (strcmp (*wants, "*") == 0)
      columns->all_wanted = TRUE;
    else
      g_hash_table_add (columns->wanted, g_strdup (*wants));
  }
}

void
np_columns_want_of_rows (NpColumns *columns, const struct nprof_row_want *const *wants)
{
  for (; wants && *wants; wants++)
    g_ptr_array_add (columns->row_wants, (gpointer) *wants);
}

const struct nprof_row_want *
np_columns_row_want (const NpColumns *columns, const char *key, guint index)
{
  for (guint i = 0; i < columns->row_wants->len; i++) {
    const struct nprof_row_want *want = g_ptr_array_index (columns->row_wants, i);
    if (strcmp (want->key, key) == 0 && index-- == 0)
      return want;
  }
  return NULL;
}

const struct nprof_column *const *
np_columns_list (NpColumns *columns)
{
  return (const struct nprof_column *const *) columns->list->pdata;
}

guint
np_columns_count (const NpColumns *columns)
{
  return columns->list->len - 1;
}

gboolean
np_columns_wanted (const NpColumns *columns, const char *key)
{
  return columns->all_wanted || g_hash_table_contains (columns->wanted, key);
}
