/* SPDX-License-Identifier: Apache-2.0 */
/* arrow-column.c - memory of a growing column.  The memory beyond its rows is zero, so bits need
 * only be set and a text that is null ends where the one before it ended. */

#include "embed/arrow-column.h"

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
grow (guint8 **memory, gsize used, gsize bytes)
{
  guint8 *grown = realloc (*memory, bytes);
  if (!grown)
    return FALSE;
  memset (grown + used, 0, bytes - used);
  *memory = grown;
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
  gsize used = column->capacity ? data_bytes (column, column->capacity) : 0;
  if (!grow (&column->data, used, data_bytes (column, capacity))
      || (column->nullable && !grow (&column->valid, column->capacity / 8, capacity / 8)))
    return FALSE;
  column->capacity = capacity;
  return TRUE;
}

void
np_arrow_column_put_null (NpArrowColumn *column)
{
  if (column->dictionary)
    ((gint32 *) (void *) column->data)[column->length] = -1;
  else if (*column->format == 'U')
    ((gint64 *) (void *) column->data)[column->length + 1] = (gint64) column->text.len;
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
  if (column->text.failed || !np_arrow_column_reserve (column, 1)
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
