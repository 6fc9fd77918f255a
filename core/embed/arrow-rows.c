/* SPDX-License-Identifier: Apache-2.0 */
/* arrow-rows.c - batches as arrays of Arrow: everything is copied, because an array may outlive the
 * run.  The columns before the attributes are listed once, below; those are arrow-attrs.c's. */

#include "embed/arrow-rows.h"
#include "embed/arrow-attrs.h"

#include <nprof/format.h>
#include <nprof/sdk.h>

/* The columns before the attributes, in their order. */
enum {
  ROW,
  INPUT,
  TRACK,
  THREAD,
  KIND,
  CATEGORY,
  NAME,
  START,
  DURATION,
  VALUE,
  ID,
  PARENT,
  FLOW,
  N_BASE
};

typedef struct {
  const char *name, *format;
  gboolean nullable, dictionary; /* then format is that of the indices */
} Base;

static const Base bases[N_BASE] = {
  [ROW] = { "row", "L", FALSE, FALSE },
  [INPUT] = { "input", "i", FALSE, TRUE },
  [TRACK] = { "track", "I", FALSE, FALSE },
  [THREAD] = { "thread", "i", FALSE, TRUE },
  [KIND] = { "kind", "i", FALSE, TRUE },
  [CATEGORY] = { "category", "i", TRUE, TRUE },
  [NAME] = { "name", "i", FALSE, TRUE },
  [START] = { "start_ps", "l", TRUE, FALSE },
  [DURATION] = { "duration_ps", "l", TRUE, FALSE },
  [VALUE] = { "value", "g", TRUE, FALSE },
  [ID] = { "id", "L", TRUE, FALSE },
  [PARENT] = { "parent", "L", TRUE, FALSE },
  [FLOW] = { "flow", "L", TRUE, FALSE },
};

typedef struct { /* of a string, in the dictionary that is being made */
  guint32 stamp, index;
} Slot;

struct NpArrowRows {
  const struct nprof_host *host;
  struct nprof_row_columns spread;
  guint64 n_rows; /* so far */
  Slot *slots;    /* by handle */
  guint32 n_slots, stamp;
  nprof_str *entries; /* of the dictionary */
  guint32 max_entries;
  nprof_str kinds[NPROF_GAP + 1];
};

/* -- Life ------------------------------------------------------------------ */

void
np_arrow_rows_free (NpArrowRows *rows)
{
  if (!rows)
    return;
  nprof_row_columns_clear (&rows->spread);
  free (rows->slots);
  free (rows->entries);
  g_free (rows);
}

NpArrowRows *
np_arrow_rows_new (const struct nprof_host *host)
{
  static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };
  NpArrowRows *rows = g_new0 (NpArrowRows, 1);
  rows->host = host;
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    rows->kinds[k] = nprof_intern (host, kinds[k]);
  if (nprof_row_columns_init (&rows->spread, host, host->columns (host))) {
    np_arrow_rows_free (rows);
    return NULL;
  }
  return rows;
}

/* -- The schema ------------------------------------------------------------ */

gboolean
np_arrow_rows_schema (NpArrowRows *rows, struct ArrowSchema *out)
{
  guint n = N_BASE + rows->spread.n_columns + 1;
  if (!np_schema_init (out, "+s", "", FALSE, n))
    return FALSE;
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < n; i++) {
    struct ArrowSchema *child = out->children[i];
    if (i < N_BASE) {
      ok = np_schema_init (child, bases[i].format, bases[i].name, bases[i].nullable, 0)
           && (!bases[i].dictionary || np_schema_add_dictionary (child));
    } else {
      const struct nprof_column *c = i < n - 1 ? rows->spread.columns[i - N_BASE] : NULL;
      ok = np_schema_init (child, c ? np_arrow_attr_format (c->type) : "U",
                           c ? c->name : "attributes", TRUE, 0);
    }
  }
  if (!ok)
    out->release (out);
  return ok;
}

/* -- Dictionaries ---------------------------------------------------------- */

static gboolean
grow_slots (NpArrowRows *rows, nprof_str str)
{
  guint64 n = MAX (rows->n_slots, 1024);
  while (n <= str)
    n *= 2;
  Slot *slots = n * sizeof *slots > G_MAXSIZE / 2 ? NULL : realloc (rows->slots, n * sizeof *slots);
  if (!slots)
    return FALSE;
  memset (slots + rows->n_slots, 0, (n - rows->n_slots) * sizeof *slots);
  rows->slots = slots;
  rows->n_slots = (guint32) MIN (n, G_MAXUINT32);
  return TRUE;
}

/* The index of str in the dictionary that has n entries; -1: out of memory. */
static gint32
index_of (NpArrowRows *rows, nprof_str str, guint32 *n)
{
  if (str >= rows->n_slots && !grow_slots (rows, str))
    return -1;
  Slot *slot = &rows->slots[str];
  if (slot->stamp == rows->stamp)
    return (gint32) slot->index;
  if (*n == rows->max_entries) {
    guint32 max = MAX (rows->max_entries * 2, 256);
    nprof_str *entries = realloc (rows->entries, max * sizeof *entries);
    if (!entries)
      return -1;
    rows->entries = entries;
    rows->max_entries = max;
  }
  rows->entries[*n] = str;
  slot->stamp = rows->stamp;
  slot->index = (*n)++;
  return (gint32) slot->index;
}

static gboolean
fill_dictionary (const NpArrowRows *rows, struct ArrowArray *array, guint32 n)
{
  struct ArrowArray *dictionary = np_array_add_dictionary (array, n);
  gint32 *ends = dictionary ? np_array_buffer (dictionary, 1, (n + 1) * sizeof *ends) : NULL;
  struct nprof_buf text = { NULL, 0, 0, FALSE };
  for (guint32 i = 0; ends && i < n; i++) {
    size_t len;
    const char *entry = rows->host->string (rows->host, rows->entries[i], &len);
    nprof_put (&text, entry, len);
    ends[i + 1] = (gint32) text.len;
  }
  if (!ends || text.failed || text.len > G_MAXINT32) {
    nprof_buf_clear (&text);
    return FALSE;
  }
  return np_array_take_buffer (dictionary, 2, text.data);
}

static nprof_str
string_of (const NpArrowRows *rows, const struct nprof_batch *batch, guint column, guint i)
{
  const struct nprof_host *host = rows->host;
  switch (column) {
  case INPUT:
    return host->input (host, batch->input)->label;
  case THREAD:
    return nprof_track_label (host->track_info (host, batch->track[i]));
  case KIND:
    return batch->kind[i] <= NPROF_GAP ? rows->kinds[batch->kind[i]] : 0;
  case CATEGORY:
    return batch->category[i];
  default:
    return batch->name[i];
  }
}

static gboolean
fill_strings (NpArrowRows *rows, const struct nprof_batch *batch, guint column,
              struct ArrowArray *array)
{
  gint32 *indices = np_array_buffer (array, 1, batch->n_rows * sizeof *indices);
  guint8 *valid
      = bases[column].nullable ? np_array_buffer (array, 0, (batch->n_rows + 7) / 8) : NULL;
  guint32 n = 0;
  if (!indices || (bases[column].nullable && !valid))
    return FALSE;
  if (++rows->stamp == 0) { /* the count went around */
    memset (rows->slots, 0, rows->n_slots * sizeof *rows->slots);
    rows->stamp = 1;
  }
  for (guint i = 0; i < batch->n_rows; i++) {
    nprof_str str = string_of (rows, batch, column, i);
    if (valid && !str) {
      array->null_count++;
      continue;
    }
    if (valid)
      np_bit_set (valid, i);
    indices[i] = index_of (rows, str, &n);
    if (indices[i] < 0)
      return FALSE;
  }
  return fill_dictionary (rows, array, n);
}

/* -- Numbers --------------------------------------------------------------- */

typedef union {
  gint64 i;
  guint64 u;
  double f;
} Number;

/* FALSE: null */
static gboolean
number_of (const NpArrowRows *rows, const struct nprof_batch *batch, guint column, guint i,
           Number *number)
{
  const uint64_t *ids = column == ID ? batch->id : column == PARENT ? batch->parent : batch->flow;
  gboolean has_time = batch->kind[i] != NPROF_FACT;
  switch (column) {
  case ROW:
    number->u = rows->n_rows + i;
    return TRUE;
  case START:
    number->i = batch->start[i];
    return has_time;
  case DURATION:
    number->i = batch->duration[i];
    return has_time && batch->duration[i] >= 0;
  case VALUE:
    number->f = batch->value ? batch->value[i] : 0;
    return batch->value && batch->value_valid[i >> 3] >> (i & 7) & 1;
  default:
    number->u = ids ? ids[i] : 0;
    return number->u != 0;
  }
}

static gboolean
fill_numbers (const NpArrowRows *rows, const struct nprof_batch *batch, guint column,
              struct ArrowArray *array)
{
  Number *numbers = np_array_buffer (array, 1, batch->n_rows * sizeof *numbers);
  guint8 *valid
      = bases[column].nullable ? np_array_buffer (array, 0, (batch->n_rows + 7) / 8) : NULL;
  if (!numbers || (bases[column].nullable && !valid))
    return FALSE;
  for (guint i = 0; i < batch->n_rows; i++) {
    Number number;
    if (!number_of (rows, batch, column, i, &number)) {
      array->null_count++;
      continue;
    }
    numbers[i] = number;
    if (valid)
      np_bit_set (valid, i);
  }
  return TRUE;
}

static gboolean
fill_tracks (const NpArrowRows *rows, const struct nprof_batch *batch, struct ArrowArray *array)
{
  guint32 *numbers = np_array_buffer (array, 1, batch->n_rows * sizeof *numbers);
  for (guint i = 0; numbers && i < batch->n_rows; i++)
    numbers[i] = rows->host->track_info (rows->host, batch->track[i])->number;
  return numbers != NULL;
}

static gboolean
fill_base (NpArrowRows *rows, const struct nprof_batch *batch, guint column,
           struct ArrowArray *array)
{
  if (!np_array_init (array, batch->n_rows, 2, 0))
    return FALSE;
  if (bases[column].dictionary)
    return fill_strings (rows, batch, column, array);
  return column == TRACK ? fill_tracks (rows, batch, array)
                         : fill_numbers (rows, batch, column, array);
}

/* -- Rows ------------------------------------------------------------------ */

gboolean
np_arrow_rows_array (NpArrowRows *rows, const struct nprof_batch *batch, struct ArrowArray *out)
{
  if (!np_array_init (out, batch->n_rows, 1, N_BASE + rows->spread.n_columns + 1))
    return FALSE;
  gboolean ok = TRUE;
  for (guint c = 0; ok && c < N_BASE; c++)
    ok = fill_base (rows, batch, c, out->children[c]);
  ok = ok && np_arrow_attrs_fill (&rows->spread, batch, out->children + N_BASE);
  if (!ok)
    out->release (out);
  rows->n_rows += batch->n_rows;
  return ok;
}
