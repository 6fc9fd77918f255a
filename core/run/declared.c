/* SPDX-License-Identifier: Apache-2.0 */
/* declared.c - copies of what the content of an input declares. */

#include "run/declared.h"
#include "rows/table.h"

#include <string.h>

static const char *
keep_text (NpDeclared *d, const char *text)
{
  return text ? g_string_chunk_insert_const (d->text, text) : NULL;
}

static void
copy_attribute (NpDeclared *d, const struct nprof_attribute *from)
{
  struct nprof_attribute *to = g_new0 (struct nprof_attribute, 1);
  memcpy (to, from, MIN (from->size, sizeof *to));
  to->size = sizeof *to;
  to->key = keep_text (d, to->key);
  to->unit = keep_text (d, to->unit);
  to->help = keep_text (d, to->help);
  g_ptr_array_add (d->attributes, to);
}

static void
copy_table (NpDeclared *d, const struct nprof_table *from)
{
  NpDeclaredTable *to = g_new0 (NpDeclaredTable, 1);
  to->table = np_table_copy (from);
  g_ptr_array_add (d->tables, to);
}

static void
copy_profile (NpDeclared *d, const struct nprof_profile *from)
{
  struct nprof_profile *to = g_new0 (struct nprof_profile, 1);
  memcpy (to, from, MIN (from->size, sizeof *to));
  to->size = sizeof *to;
  to->label = keep_text (d, to->label);
  to->decoder = keep_text (d, to->decoder);
  g_ptr_array_add (d->profiles, to);
}

static void
table_free (gpointer data)
{
  NpDeclaredTable *t = data;
  np_table_free (t->table);
  g_free (t);
}

NpDeclared *
np_declared_new (const struct nprof_declaration *from)
{
  NpDeclared *d = g_new0 (NpDeclared, 1);
  d->is_part = from->is_part != 0;
  d->text = g_string_chunk_new (1024);
  d->attributes = g_ptr_array_new_with_free_func (g_free);
  d->tables = g_ptr_array_new_with_free_func (table_free);
  d->profiles = g_ptr_array_new_with_free_func (g_free);
  for (guint k = 0; from->attributes && from->attributes[k]; k++)
    copy_attribute (d, from->attributes[k]);
  for (guint k = 0; from->tables && from->tables[k]; k++)
    copy_table (d, from->tables[k]);
  for (guint k = 0; from->profiles && from->profiles[k]; k++)
    copy_profile (d, from->profiles[k]);
  if (!d->profiles->len)
    copy_profile (d, &(struct nprof_profile){ .size = sizeof (struct nprof_profile) });
  g_ptr_array_add (d->attributes, NULL);
  return d;
}

void
np_declared_free (NpDeclared *d)
{
  g_ptr_array_unref (d->attributes);
  g_ptr_array_unref (d->tables);
  g_ptr_array_unref (d->profiles);
  g_string_chunk_free (d->text);
  g_free (d);
}

NpDeclaredTable *
np_declared_table (const NpDeclared *d, const char *name)
{
  for (guint k = 0; d && k < d->tables->len; k++) {
    NpDeclaredTable *t = g_ptr_array_index (d->tables, k);
    if (strcmp (t->table->name, name) == 0)
      return t;
  }
  return NULL;
}
