/* SPDX-License-Identifier: Apache-2.0 */
/* column.c - memory of a growing column. Bits beyond its rows are zero, so that they need
 * only be set; other memory is first touched when its row is put. */

#include "arrow/column.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ROWS 1024

void
np_arrow_column_init (NpArrowColumn *column, const char *format, const char *name,
                      gboolean nullable, gboolean dictionary)
{
  *column = (NpArrowColumn){
    .format = format, .name = g_strdup (name), .nullable = nullable, .dictionary = dictionary
  };
}

void
np_arrow_column_clear (NpArrowColumn *column)
{
  g_free (column->name);
  free (column->valid);
  free (column->data);
  nprof_buf_clear (&column->text);
  free (column->slots);
  free (column->entries);
}

gboolean
np_arrow_column_schema (const NpArrowColumn *column, struct ArrowSchema *out)
{
  return np_schema_init (out, column->format, column->name, column->nullable, 0)
         && (!column->dictionary || np_schema_add_dictionary (out));
}

/* -- Growing --------------------------------------------------------------- */

/* Returns the bytes of the data of so many rows. */
static gsize
data_bytes (const NpArrowColumn *column, gsize rows)
{
  switch (*column->format) {
  case 'b':
    return (rows + 7) / 8;
  case 'i':
  case 'I':
    return rows * sizeof (guint32);
  case 'U':
    return (rows + 1) * sizeof (gint64);
  default:
    return rows * sizeof (guint64);
  }
}

static gboolean
grow (guint8 **memory, gsize bytes)
{
  guint8 *grown = realloc (*memory, bytes);
  if (!grown)
    return FALSE;
  *memory = grown;
  return TRUE;
}

/* Grows bits of so many bytes; the new ones are 0. */
static gboolean
grow_bits (guint8 **memory, gsize used, gsize bytes)
{
  if (!grow (memory, bytes))
    return FALSE;
  memset (*memory + used, 0, bytes - used);
  return TRUE;
}

static gboolean
grow_data (NpArrowColumn *column, gsize capacity)
{
  if (*column->format == 'b')
    return grow_bits (&column->data, column->capacity / 8, capacity / 8);
  if (!grow (&column->data, data_bytes (column, capacity)))
    return FALSE;
  if (!column->capacity)
    memset (column->data, 0, sizeof (gint64)); /* where the first text begins */
  return TRUE;
}

gboolean
np_arrow_column_reserve (NpArrowColumn *column, guint rows)
{
  gsize wished = (gsize) column->length + rows, capacity = MAX (column->capacity, LEAST_ROWS);
  if (wished <= column->capacity)
    return TRUE;
  while (capacity < wished)
    capacity *= 2;
  if (!grow_data (column, capacity)
      || (column->valid && !grow_bits (&column->valid, column->capacity / 8, capacity / 8)))
    return FALSE;
  column->capacity = capacity;
  return TRUE;
}

/* Makes the bits when the first row is null: many columns have none. */
static void
begin_valid (NpArrowColumn *column)
{
  gsize whole = (gsize) column->length / 8;
  if (column->failed || !grow_bits (&column->valid, 0, column->capacity / 8)) {
    column->failed = TRUE;
    return;
  }
  memset (column->valid, 0xff, whole);
  column->valid[whole] = (guint8) ((1u << column->length % 8) - 1);
}

void
np_arrow_column_put_null (NpArrowColumn *column)
{
  if (column->nullable && !column->valid)
    begin_valid (column);
  if (column->dictionary)
    ((gint32 *) (void *) column->data)[column->length] = -1;
  else if (*column->format == 'U')
    ((gint64 *) (void *) column->data)[column->length + 1] = (gint64) column->text.len;
  else if (*column->format == 'I')
    ((guint32 *) (void *) column->data)[column->length] = 0;
  else if (*column->format != 'b')
    ((guint64 *) (void *) column->data)[column->length] = 0;
  column->null_count++;
  column->length++;
}

/* -- Dictionaries ---------------------------------------------------------- */

static gboolean
grow_slots (NpArrowColumn *column, nprof_str string)
{
  guint64 n = MAX (column->n_slots, LEAST_ROWS);
  while (n <= string)
    n *= 2;
  guint32 *slots
      = calloc (n, sizeof *slots); /* the pages of handles that are not used stay untouched */
  if (!slots)
    return FALSE;
  if (column->n_slots)
    memcpy (slots, column->slots, column->n_slots * sizeof *slots);
  free (column->slots);
  column->slots = slots;
  column->n_slots = (guint32) MIN (n, G_MAXUINT32);
  return TRUE;
}

static gboolean
add_entry (NpArrowColumn *column, nprof_str string)
{
  if (column->n_entries == column->max_entries) {
    guint32 max = MAX (column->max_entries * 2, 256);
    nprof_str *entries = realloc (column->entries, max * sizeof *entries);
    if (!entries)
      return FALSE;
    column->entries = entries;
    column->max_entries = max;
  }
  column->entries[column->n_entries++] = string;
  column->slots[string] = column->n_entries;
  return TRUE;
}

gboolean
np_arrow_column_put_string (NpArrowColumn *column, nprof_str string)
{
  if (string >= column->n_slots && !grow_slots (column, string))
    return FALSE;
  if (!column->slots[string] && !add_entry (column, string))
    return FALSE;
  np_arrow_column_put_32 (column, column->slots[string] - 1);
  return TRUE;
}

gboolean
np_arrow_column_put_strings (NpArrowColumn *column, const nprof_str *strings, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!strings[i] && column->nullable)
      np_arrow_column_put_null (column);
    else if (strings[i] < column->n_slots && column->slots[strings[i]])
      np_arrow_column_put_32 (column, column->slots[strings[i]] - 1);
    else if (!np_arrow_column_put_string (column, strings[i]))
      return FALSE;
  return TRUE;
}

static gboolean
take_dictionary (NpArrowColumn *column, const struct nprof_host *host, struct ArrowArray *out)
{
  struct ArrowArray *dictionary = np_array_add_dictionary (out, column->n_entries);
  gint32 *ends
      = dictionary ? np_array_buffer (dictionary, 1, (column->n_entries + 1) * sizeof *ends) : NULL;
  struct nprof_buf text = { NULL, 0, 0, FALSE };
  for (guint32 i = 0; ends && i < column->n_entries; i++) {
    size_t len;
    const char *entry = host->string (host, column->entries[i], &len);
    nprof_put (&text, entry, len);
    ends[i + 1] = (gint32) text.len;
    column->slots[column->entries[i]] = 0;
  }
  column->n_entries = 0;
  if (ends && !text.failed && text.len <= G_MAXINT32)
    return np_array_take_buffer (dictionary, 2, text.data);
  nprof_buf_clear (&text);
  return FALSE;
}

/* -- The array ------------------------------------------------------------- */

gboolean
np_arrow_column_take (NpArrowColumn *column, const struct nprof_host *host, struct ArrowArray *out)
{
  gboolean text = *column->format == 'U';
  if (column->failed || column->text.failed || !np_arrow_column_reserve (column, 1)
      || !np_array_init (out, column->length, text ? 3 : 2, 0))
    return FALSE;
  out->null_count = column->null_count;
  out->buffers[0] = g_steal_pointer (&column->valid);
  out->buffers[1] = g_steal_pointer (&column->data);
  column->length = column->null_count = 0;
  column->capacity = 0;
  if (text) {
    char *bytes = column->text.data;
    column->text = (struct nprof_buf){ NULL, 0, 0, FALSE };
    return np_array_take_buffer (out, 2, bytes);
  }
  return !column->dictionary || take_dictionary (column, host, out);
}
