/* SPDX-License-Identifier: Apache-2.0 */
/* table-file.c - writes a table of the run as a Parquet file. */
#include "table-file.h"

#include "meta.h"

/* -- Columns --------------------------------------------------------------- */

enum pq_kind
table_file_kind_of (guint type)
{
  switch (type) {
  case NPROF_INT64:
    return PQ_INT64;
  case NPROF_UINT64:
    return PQ_UINT64;
  case NPROF_DOUBLE:
    return PQ_DOUBLE;
  case NPROF_BOOL:
    return PQ_BOOL;
  case NPROF_ID128:
    return PQ_UUID;
  default:
    return PQ_TEXT;
  }
}

static void
clear_column (gpointer data)
{
  g_free (((struct file_column *) data)->name);
}

GArray *
table_file_columns_new (void)
{
  GArray *columns = g_array_new (FALSE, TRUE, sizeof (struct file_column));
  g_array_set_clear_func (columns, clear_column);
  return columns;
}

static gboolean
is_taken (GArray *columns, const char *name)
{
  for (guint k = 0; k < columns->len; k++)
    if (!g_ascii_strcasecmp (g_array_index (columns, struct file_column, k).name, name))
      return TRUE;
  return FALSE;
}

guint
table_file_columns_add_kind (GArray *columns, const char *name, enum pq_kind kind, const char *unit,
                             const char *help)
{
  char *own = g_strdup (name);
  while (kind != PQ_MAP_VALUE && is_taken (columns, own)) {
    char *longer = g_strconcat ("attr_", own, NULL);
    g_free (own);
    own = longer;
  }
  struct file_column column
      = { .name = own, .unit = unit ? unit : "", .help = help ? help : "", .kind = kind };
  g_array_append_val (columns, column);
  return columns->len - 1;
}

guint
table_file_columns_add (GArray *columns, const char *name, const char *original, guint type,
                        const char *unit, const char *help)
{
  enum pq_kind kind = table_file_kind_of (type);
  g_autofree char *in_ps = NULL;
  if (kind != PQ_TEXT && g_strcmp0 (unit, "ps") == 0 && g_str_has_suffix (name, "_ns"))
    name = in_ps = g_strdup_printf ("%.*s_ps", (int) strlen (name) - 3, name);
  guint leaf = table_file_columns_add_kind (columns, name, kind, unit, help);
  struct file_column *added = &g_array_index (columns, struct file_column, leaf);
  added->type = type;
  added->original = strcmp (added->name, original) ? original : NULL;
  return leaf;
}

/* -- The file -------------------------------------------------------------- */

static int
write_out (void *user, const void *data, size_t len)
{
  struct table_file *table_file = user;
  return table_file->output->write (table_file->output, data, len);
}

static nprof_status
check (struct table_file *table_file, int status)
{
  if (status == PQ_NO_MEMORY)
    return nprof_fail (table_file->host, NPROF_E_NOMEM,
                       "%s: no memory for a row group; use a smaller row_group=", table_file->path);
  return status;
}

nprof_status
table_file_open (struct table_file *table_file, struct pq_works *works, const char *path,
                 GArray *columns, enum pq_codec_kind codec, gsize limit,
                 const struct pq_sorting *sorting)
{
  table_file->path = g_strdup (path);
  table_file->limit = limit;
  table_file->leaves = g_new0 (struct pq_column, columns->len);
  for (guint k = 0; k < columns->len; k++) {
    const struct file_column *c = &g_array_index (columns, struct file_column, k);
    table_file->leaves[k] = (struct pq_column){ c->name, c->kind };
  }
  table_file->writer.file = (struct pq_file){ .columns = table_file->leaves,
                                              .n_columns = columns->len,
                                              .sorting = sorting,
                                              .codec = codec,
                                              .write = write_out,
                                              .user = table_file };
  table_file->output = table_file->host->output (table_file->host, path);
  if (!table_file->output)
    return NPROF_E_IO;
  return check (table_file, pq_writer_begin (&table_file->writer, works));
}

nprof_status
table_file_flush (struct table_file *table_file)
{
  return check (table_file, pq_writer_flush (&table_file->writer));
}

nprof_status
table_file_end (struct table_file *table_file, const struct table_file_about *about,
                GArray *columns, const GArray *inputs)
{
  g_autoptr (GArray) pairs = meta_pairs (table_file->host, about, columns, inputs);
  if (!pairs)
    return check (table_file, PQ_NO_MEMORY);
  const struct pq_pair *first = (const void *) pairs->data;
  nprof_status status = check (table_file, pq_writer_end (&table_file->writer, first, pairs->len,
                                                          "nprof version " NPROF_VERSION));
  return status == NPROF_OK ? table_file->output->close (table_file->output) : status;
}

void
table_file_clear (struct table_file *table_file)
{
  pq_writer_clear (&table_file->writer);
  g_clear_pointer (&table_file->leaves, g_free);
  g_clear_pointer (&table_file->path, g_free);
}

/* -- Values ---------------------------------------------------------------- */

void
table_file_put_bool (struct table_file *table_file, guint leaf, gboolean b)
{
  guint8 *at = pq_values_add (table_file_leaf (table_file, leaf), table_file->writer.n_rows);
  if (at)
    *at = b != 0;
}

void
table_file_put_uuid (struct table_file *table_file, guint leaf, const void *id)
{
  void *at = pq_values_add (table_file_leaf (table_file, leaf), table_file->writer.n_rows);
  if (at)
    memcpy (at, id, 16);
}

static gboolean
is_ascii (const char *text, gsize len)
{
  guint64 word = 0, all = 0;
  for (; len >= 8; len -= 8, text += 8) {
    memcpy (&word, text, 8);
    all |= word;
  }
  for (; len; len--, text++)
    all |= (guint8) *text;
  return !(all & G_GUINT64_CONSTANT (0x8080808080808080));
}

/* Returns whether a string is UTF-8: readers refuse a file with one that is not. */
static gboolean
is_utf8 (const char *text, gsize len)
{
  const char *at = text;
  while (at < text + len) {
    if (g_utf8_validate (at, text + len - at, &at))
      return TRUE;
    if (at < text + len && *at)
      return FALSE;
    at++; /* NUL is a character too */
  }
  return TRUE;
}

guint32
table_file_own_text (struct table_file *table_file, guint leaf, const char *text, gsize len)
{
  struct pq_values *v = table_file_leaf (table_file, leaf);
  if (is_ascii (text, len) || is_utf8 (text, len))
    return pq_values_own (v, text, (guint32) len);
  g_autofree char *valid = g_utf8_make_valid (text, (gssize) len);
  return pq_values_own (v, valid, (guint32) strlen (valid));
}

guint64
table_file_own_entry (struct table_file *table_file, const char *text, gsize len)
{
  struct pq_rows *rows = &table_file->writer.rows;
  if (is_ascii (text, len) || is_utf8 (text, len))
    return pq_rows_own (rows, text, (guint32) len);
  g_autofree char *valid = g_utf8_make_valid (text, (gssize) len);
  return pq_rows_own (rows, valid, (guint32) strlen (valid));
}

void
table_file_put_text (struct table_file *table_file, guint leaf, const char *text, gsize len)
{
  table_file_put_32 (table_file, leaf, table_file_own_text (table_file, leaf, text, len));
}
