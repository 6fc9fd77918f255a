/* SPDX-License-Identifier: Apache-2.0 */
/* source.c - a Parquet file and the roles of its columns. */
#include "source.h"

#include <string.h>

static void
clear_field (gpointer data)
{
  Field *f = data;
  g_free (f->key);
  g_free (f->unit);
  g_free (f->help);
}

Source *
source_new (const guint8 *data, guint64 len, const char *file, guint64 *at, char **why)
{
  guint64 end;
  PqFooter *footer = pq_footer_read (data, len, &end, at, why);
  if (!footer)
    return NULL;
  Source *s = g_new0 (Source, 1);
  s->data = data;
  s->len = len;
  s->end = end;
  s->footer = footer;
  s->file = g_strdup (file);
  s->per = s->duration_per = 1;
  s->fields = g_array_new (FALSE, TRUE, sizeof (Field));
  g_array_set_clear_func (s->fields, clear_field);
  s->columns = g_ptr_array_new_with_free_func (g_free);
  return s;
}

void
source_free (Source *s)
{
  pq_footer_free (s->footer);
  g_array_unref (s->fields);
  g_ptr_array_unref (s->columns);
  g_free (s->file);
  g_free ((gpointer) s->table.name);
  g_free ((gpointer) s->table.title);
  g_free ((gpointer) s->table.note);
  g_free (s);
}

guint
source_find (const Source *s, const char *name)
{
  const PqNode *root = pq_node (s->footer, 0);
  for (guint k = 1; k < root->next; k = pq_node (s->footer, k)->next)
    if (!g_ascii_strcasecmp (pq_node (s->footer, k)->name, name))
      return k;
  return 0;
}

static gboolean
has_role (const Source *s, guint node)
{
  for (guint k = 0; k < s->fields->len; k++)
    if (source_field (s, k)->node == node)
      return TRUE;
  return FALSE;
}

Field *
source_field (const Source *s, guint k)
{
  return &g_array_index (s->fields, Field, k);
}

Field *
source_add (Source *s, guint node, FieldRole role)
{
  const PqNode *n = pq_node (s->footer, node);
  gboolean nested = n->n_children || n->repetition == PQ_REPEATED;
  Field f = { .role = role,
              .node = node,
              .nested = nested,
              .type = nested ? NPROF_JSON : value_type (value_as (n)),
              .key = g_strdup (n->name),
              .unit = g_strdup (""),
              .help = g_strdup ("") };
  g_array_append_val (s->fields, f);
  return source_field (s, s->fields->len - 1);
}

void
source_add_rest (Source *s)
{
  guint key, value;
  for (guint k = 1; k < pq_node (s->footer, 0)->next; k = pq_node (s->footer, k)->next)
    if (!has_role (s, k))
      source_add (s, k,
                  nested_is_map (s->footer, k, &key, &value) && value ? FIELD_MAP
                                                                      : FIELD_ATTRIBUTE);
}

guint64
source_id (guint32 table_id, guint64 id)
{
  guint64 u = (id ^ (guint64) table_id << 40) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  u ^= u >> 32;
  return u ? u : 1;
}

/* -- As a table ------------------------------------------------------------ */

static struct nprof_table_column *
column_new (const char *name, guint type, const char *unit, const char *help, guint role)
{
  struct nprof_table_column *c = g_new0 (struct nprof_table_column, 1);
  *c = (struct nprof_table_column){
    .size = sizeof *c, .type = type, .name = name, .unit = unit, .help = help, .role = role
  };
  return c;
}

static gboolean
is_column (const Source *s, const char *name)
{
  for (guint k = 0; k < s->columns->len; k++)
    if (!g_ascii_strcasecmp (((struct nprof_table_column *) s->columns->pdata[k])->name, name))
      return TRUE;
  return FALSE;
}

/* Makes a name unique: one that is taken (case ignored) gets a line behind it; one that is empty is
 * column_N. */
static void
make_unique (const Source *s, Field *f)
{
  if (!*f->key) {
    g_free (f->key);
    f->key = g_strdup_printf ("column_%u", f->node);
  }
  while (is_column (s, f->key)) {
    char *longer = g_strconcat (f->key, "_", NULL);
    g_free (f->key);
    f->key = longer;
  }
}

void
source_make_table (Source *s, char *name, char *title, char *note)
{
  g_ptr_array_add (s->columns,
                   column_new ("input", NPROF_STRING, "", "label of the input", NPROF_ROLE_KEY));
  for (guint k = 0; k < s->fields->len; k++) {
    Field *f = source_field (s, k);
    if (f->role == FIELD_INPUT)
      continue;
    make_unique (s, f);
    g_ptr_array_add (s->columns, column_new (f->key, f->type, f->unit, f->help,
                                             f->is_key ? NPROF_ROLE_KEY : NPROF_ROLE_VALUE));
  }
  g_ptr_array_add (s->columns, NULL);
  s->table = (struct nprof_table){ .size = sizeof s->table,
                                   .name = name,
                                   .title = title,
                                   .note = note,
                                   .columns
                                   = (const struct nprof_table_column *const *) s->columns->pdata };
}
