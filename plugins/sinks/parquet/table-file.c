/* SPDX-License-Identifier: Apache-2.0 */
/* table-file.c - a table of the run as a Parquet file. */
#include "table-file.h"

#include "meta.h"

/* -- Columns --------------------------------------------------------------- */

enum pq_kind
sheet_kind_of (guint type)
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
  g_free (((struct sheet_column *) data)->name);
}

GArray *
sheet_columns_new (void)
{
  GArray *columns = g_array_new (FALSE, TRUE, sizeof (struct sheet_column));
  g_array_set_clear_func (columns, clear_column);
  return columns;
}

static gboolean
is_taken (GArray *columns, const char *name)
{
  for (guint k = 0; k < columns->len; k++)
    if (!g_ascii_strcasecmp (g_array_index (columns, struct sheet_column, k).name, name))
      return TRUE;
  return FALSE;
}

guint
sheet_columns_add_kind (GArray *columns, const char *name, enum pq_kind kind, const char *unit,
                        const char *help)
{
  char *own = g_strdup (name);
  while (kind != PQ_MAP_VALUE && is_taken (columns, own)) {
    char *longer = g_strconcat ("attr_", own, NULL);
    g_free (own);
    own = longer;
  }
  struct sheet_column column
      = { .name = own, .unit = unit ? unit : "", .help = help ? help : "", .kind = kind };
  g_array_append_val (columns, column);
  return columns->len - 1;
}

guint
sheet_columns_add (GArray *columns, const char *name, const char *original, guint type,
                   const char *unit, const char *help)
{
  enum pq_kind kind = sheet_kind_of (type);
  g_autofree char *in_ps = NULL;
  if (kind != PQ_TEXT && g_strcmp0 (unit, "ps") == 0 && g_str_has_suffix (name, "_ns"))
    name = in_ps = g_strdup_printf ("%.*s_ps", (int) strlen (name) - 3, name);
  guint leaf = sheet_columns_add_kind (columns, name, kind, unit, help);
  struct sheet_column *added = &g_array_index (columns, struct sheet_column, leaf);
  added->type = type;
  added->original = strcmp (added->name, original) ? original : NULL;
  return leaf;
}

/* -- The file -------------------------------------------------------------- */

static int
write_out (void *user, const void *data, size_t len)
{
  struct sheet *sheet = user;
  return sheet->output->write (sheet->output, data, len);
}

static nprof_status
check (struct sheet *sheet, int status)
{
  if (status == PQ_NO_MEMORY)
    return nprof_fail (sheet->host, NPROF_E_NOMEM,
                       "%s: no memory for a row group; use a smaller row_group=", sheet->path);
  return status;
}

nprof_status
sheet_open (struct sheet *sheet, struct pq_works *works, const char *path, GArray *columns,
            enum pq_codec_kind codec, gsize limit, const struct pq_sorting *sorting)
{
  sheet->path = g_strdup (path);
  sheet->limit = limit;
  sheet->leaves = g_new0 (struct pq_column, columns->len);
  for (guint k = 0; k < columns->len; k++) {
    const struct sheet_column *c = &g_array_index (columns, struct sheet_column, k);
    sheet->leaves[k] = (struct pq_column){ c->name, c->kind };
  }
  sheet->writer.file = (struct pq_file){ .columns = sheet->leaves,
                                         .n_columns = columns->len,
                                         .sorting = sorting,
                                         .codec = codec,
                                         .write = write_out,
                                         .user = sheet };
  sheet->output = sheet->host->output (sheet->host, path);
  if (!sheet->output)
    return NPROF_E_IO;
  return check (sheet, pq_writer_begin (&sheet->writer, works));
}

nprof_status
sheet_flush (struct sheet *sheet)
{
  return check (sheet, pq_writer_flush (&sheet->writer));
}

nprof_status
sheet_end (struct sheet *sheet, const struct sheet_about *about, GArray *columns,
           const GArray *inputs)
{
  g_autoptr (GArray) pairs = meta_pairs (sheet->host, about, columns, inputs);
  if (!pairs)
    return check (sheet, PQ_NO_MEMORY);
  const struct pq_pair *first = (const void *) pairs->data;
  nprof_status status = check (sheet, pq_writer_end (&sheet->writer, first, pairs->len,
                                                     "nprof version " NPROF_VERSION));
  return status == NPROF_OK ? sheet->output->close (sheet->output) : status;
}

void
sheet_clear (struct sheet *sheet)
{
  pq_writer_clear (&sheet->writer);
  g_clear_pointer (&sheet->leaves, g_free);
  g_clear_pointer (&sheet->path, g_free);
}

/* -- Values ---------------------------------------------------------------- */

void
sheet_put_bool (struct sheet *sheet, guint leaf, gboolean b)
{
  guint8 *at = pq_values_add (sheet_leaf (sheet, leaf), sheet->writer.n_rows);
  if (at)
    *at = b != 0;
}

void
sheet_put_uuid (struct sheet *sheet, guint leaf, const void *id)
{
  void *at = pq_values_add (sheet_leaf (sheet, leaf), sheet->writer.n_rows);
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

/* Readers refuse a file whose strings are no UTF-8. */
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
sheet_own_text (struct sheet *sheet, guint leaf, const char *text, gsize len)
{
  struct pq_values *v = sheet_leaf (sheet, leaf);
  if (is_ascii (text, len) || is_utf8 (text, len))
    return pq_values_own (v, text, (guint32) len);
  g_autofree char *valid = g_utf8_make_valid (text, (gssize) len);
  return pq_values_own (v, valid, (guint32) strlen (valid));
}

guint64
sheet_own_entry (struct sheet *sheet, const char *text, gsize len)
{
  struct pq_rows *rows = &sheet->writer.rows;
  if (is_ascii (text, len) || is_utf8 (text, len))
    return pq_rows_own (rows, text, (guint32) len);
  g_autofree char *valid = g_utf8_make_valid (text, (gssize) len);
  return pq_rows_own (rows, valid, (guint32) strlen (valid));
}

void
sheet_put_text (struct sheet *sheet, guint leaf, const char *text, gsize len)
{
  sheet_put_32 (sheet, leaf, sheet_own_text (sheet, leaf, text, len));
}
