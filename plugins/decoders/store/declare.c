/* SPDX-License-Identifier: Apache-2.0 */
/* declare.c - declares the attributes and tables of a stored profile, which are those of the
 * decoders that first read it. */
#include "decoder.h"

#include "producers/say-meaning.h"

#include <string.h>

gboolean
store_split_path (const char *path, char **folder, guint32 *number)
{
  const char *name = strrchr (path, '/');
  guint64 n;
  g_autofree char *inputs = name ? g_strndup (path, (gsize) (name - path)) : NULL;
  if (!inputs || !g_str_has_suffix (inputs, "/inputs")
      || !g_ascii_string_to_unsigned (name + 1, 10, 0, G_MAXUINT32, &n, NULL))
    return FALSE;
  *number = (guint32) n;
  *folder = g_strndup (inputs, strlen (inputs) - strlen ("/inputs"));
  return TRUE;
}

static const char *
keep_text (struct store_decoder *d, struct nprof_store *store, guint32 string)
{
  size_t len;
  const char *text = nprof_store_string (store, string, &len);
  return g_string_chunk_insert_len (d->text, text, (gssize) len);
}

static gpointer
make (struct store_decoder *d, gsize size)
{
  gpointer p = g_malloc0 (size);
  g_ptr_array_add (d->memory, p);
  return p;
}

static void
declare_attributes (struct store_decoder *d, struct nprof_store *store)
{
  const struct nprof_store_attribute *a;
  for (guint32 i = 0; (a = nprof_store_attribute_at (store, i)); i++) {
    struct nprof_attribute *to = make (d, sizeof *to);
    *to = (struct nprof_attribute){ .size = sizeof *to,
                                    .type = a->type,
                                    .key = keep_text (d, store, a->key),
                                    .unit = keep_text (d, store, a->unit),
                                    .help = keep_text (d, store, a->help) };
    if (!a->origin)
      g_ptr_array_add (d->attributes, to);
    d->says |= !a->origin && !strcmp (to->key, NPROF_KEY_WORK);
  }
  if (!d->says) /* as of a profile that was stored before decoders said it */
    g_ptr_array_add (d->attributes, (gpointer) &meaning_attribute);
  g_ptr_array_add (d->attributes, NULL);
}

static const struct nprof_table_column *const *
declare_columns (struct store_decoder *d, struct nprof_store *store,
                 const struct nprof_store_table *t)
{
  const struct nprof_table_column **columns = make (d, (t->n_columns + 1ull) * sizeof *columns);
  for (guint32 c = 0; c < t->n_columns; c++) {
    const struct nprof_store_table_column *from
        = nprof_store_table_column_at (store, t->columns + c);
    struct nprof_table_column *to = make (d, sizeof *to);
    if (!from)
      return columns;
    *to = (struct nprof_table_column){ .size = sizeof *to,
                                       .type = from->type,
                                       .name = keep_text (d, store, from->name),
                                       .unit = keep_text (d, store, from->unit),
                                       .help = keep_text (d, store, from->help),
                                       .role = from->role };
    columns[c] = to;
  }
  return columns;
}

static void
declare_tables (struct store_decoder *d, struct nprof_store *store)
{
  const struct nprof_store_table *t;
  for (guint32 i = 0; (t = nprof_store_table_at (store, i)); i++) {
    if (t->origin || t->n_columns > nprof_store_n (store, NPROF_STORE_S_TABLE_COLUMNS))
      continue;
    struct nprof_table *to = make (d, sizeof *to);
    *to = (struct nprof_table){ .size = sizeof *to,
                                .name = keep_text (d, store, t->name),
                                .title = keep_text (d, store, t->title),
                                .note = t->note ? keep_text (d, store, t->note) : NULL,
                                .columns = declare_columns (d, store, t) };
    g_ptr_array_add (d->declared, to);
  }
  g_ptr_array_add (d->declared, NULL);
}

void
store_declare (struct store_decoder *self)
{
  self->text = g_string_chunk_new (1024);
  self->memory = g_ptr_array_new_with_free_func (g_free);
  self->attributes = g_ptr_array_new ();
  self->declared = g_ptr_array_new ();
  declare_attributes (self, self->store);
  declare_tables (self, self->store);
}

void
store_undeclare (struct store_decoder *self)
{
  g_clear_pointer (&self->text, g_string_chunk_free);
  g_clear_pointer (&self->memory, g_ptr_array_unref);
  g_clear_pointer (&self->attributes, g_ptr_array_unref);
  g_clear_pointer (&self->declared, g_ptr_array_unref);
}
