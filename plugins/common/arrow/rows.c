/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - rows as columns of Arrow that grow until somebody takes them. The columns before
 * the attributes are listed once, below; attributes are attrs.c's. */

#include "arrow/rows.h"
#include "arrow/attrs.h"

#include <nprof/sdk.h>
#include <string.h>

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

static const struct {
  const char *name, *format;
  gboolean nullable, dictionary; /* then format is that of the indices */
} bases[N_BASE] = {
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

typedef struct {
  guint
      /* one of the above, N_BASE + attribute, or behind them all attributes without a column */
      source;
  NpArrowColumn column;
} Wanted;

struct NpArrowRows {
  const struct nprof_host *host;
  struct nprof_row_columns spread;
  GArray *wanted;        /* of Wanted */
  gboolean attributes;   /* some column is an attribute */
  guint64 n_rows, taken; /* so far */
  nprof_str kinds[NPROF_GAP + 1];
  GArray *strings; /* of nprof_str: room for those of a batch */
};

/* -- Which columns --------------------------------------------------------- */

static gint
find_base (const char *name)
{
  for (gint c = 0; c < N_BASE; c++)
    if (g_str_equal (bases[c].name, name))
      return c;
  return -1;
}

gboolean
np_arrow_rows_is_base (const char *name)
{
  return find_base (name) >= 0;
}

/* Returns the source of a column by its name; -1: there is none. */
static gint
find_source (const NpArrowRows *rows, const char *name)
{
  gint base = find_base (name);
  if (base >= 0)
    return base;
  for (guint c = 0; c < rows->spread.n_columns; c++)
    if (g_str_equal (rows->spread.columns[c]->name, name))
      return (gint) (N_BASE + c);
  return g_str_equal (name, "attributes") ? (gint) (N_BASE + rows->spread.n_columns) : -1;
}

static void
add_source (NpArrowRows *rows, guint source)
{
  Wanted wanted = { .source = source };
  guint attribute = source - N_BASE;
  if (source < N_BASE)
    np_arrow_column_init (&wanted.column, bases[source].format, bases[source].name,
                          bases[source].nullable, bases[source].dictionary);
  else
    np_arrow_attr_init (&wanted.column, attribute < rows->spread.n_columns
                                            ? rows->spread.columns[attribute]
                                            : NULL);
  rows->attributes = rows->attributes || source >= N_BASE;
  g_array_append_val (rows->wanted, wanted);
}

static char *
unknown_column (const char *name)
{
  GString *text = g_string_new (NULL);
  g_string_printf (text, "no column \"%s\"; rows have", name);
  for (guint c = 0; c < N_BASE; c++)
    g_string_append_printf (text, " %s,", bases[c].name);
  g_string_append (text, " the attributes that their decoder declares (nprof info lists them), and"
                         " attributes, which holds all others");
  return g_string_free (text, FALSE);
}

/* Returns NULL, or what is wrong. */
static char *
choose_columns (NpArrowRows *rows, const char *const *columns)
{
  guint n = N_BASE + rows->spread.n_columns + 1;
  for (guint source = 0; !columns && source < n; source++)
    add_source (rows, source);
  for (; columns && *columns; columns++) {
    gint source = find_source (rows, *columns);
    if (source < 0)
      return unknown_column (*columns);
    add_source (rows, (guint) source);
  }
  return NULL;
}

/* -- Life ------------------------------------------------------------------ */

static void
clear_wanted (gpointer data)
{
  np_arrow_column_clear (&((Wanted *) data)->column);
}

void
np_arrow_rows_free (NpArrowRows *rows)
{
  if (!rows)
    return;
  nprof_row_columns_clear (&rows->spread);
  g_array_unref (rows->wanted);
  g_array_unref (rows->strings);
  g_free (rows);
}

NpArrowRows *
np_arrow_rows_new (const struct nprof_host *host, const char *const *columns, char **problem)
{
  static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };
  NpArrowRows *rows = g_new0 (NpArrowRows, 1);
  rows->host = host;
  rows->wanted = g_array_new (FALSE, FALSE, sizeof (Wanted));
  rows->strings = g_array_new (FALSE, FALSE, sizeof (nprof_str));
  g_array_set_clear_func (rows->wanted, clear_wanted);
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    rows->kinds[k] = nprof_intern (host, kinds[k]);
  if (nprof_row_columns_init (&rows->spread, host, host->columns (host)))
    *problem = g_strdup ("no memory for the columns");
  else
    *problem = choose_columns (rows, columns);
  if (!*problem)
    return rows;
  np_arrow_rows_free (rows);
  return NULL;
}

gboolean
np_arrow_rows_schema (NpArrowRows *rows, struct ArrowSchema *out)
{
  if (!np_schema_init (out, "+s", "", FALSE, rows->wanted->len))
    return FALSE;
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < rows->wanted->len; i++)
    ok = np_arrow_column_schema (&g_array_index (rows->wanted, Wanted, i).column, out->children[i]);
  if (!ok)
    out->release (out);
  return ok;
}

/* -- A batch --------------------------------------------------------------- */

/* Returns where the rows that are on the same track as row i end. */
static guint
end_of_track (const struct nprof_batch *batch, guint i)
{
  guint end = i + 1;
  while (end < batch->n_rows && batch->track[end] == batch->track[i])
    end++;
  return end;
}

static void
fill (nprof_str *strings, guint from, guint to, nprof_str string)
{
  for (guint i = from; i < to; i++)
    strings[i] = string;
}

/* Returns the strings of a batch, a row each; what the batch does not hold is put into
 * rows->strings. */
static const nprof_str *
strings_of (const NpArrowRows *rows, const struct nprof_batch *batch, guint source)
{
  const struct nprof_host *host = rows->host;
  nprof_str *strings = (nprof_str *) (void *) rows->strings->data;
  switch (source) {
  case INPUT:
    fill (strings, 0, batch->n_rows, host->input (host, batch->input)->label);
    return strings;
  case THREAD:
    for (guint i = 0, end; i < batch->n_rows; i = end) {
      end = end_of_track (batch, i);
      fill (strings, i, end, nprof_track_label (host->track_info (host, batch->track[i])));
    }
    return strings;
  case KIND:
    for (guint i = 0; i < batch->n_rows; i++)
      strings[i] = batch->kind[i] <= NPROF_GAP ? rows->kinds[batch->kind[i]] : 0;
    return strings;
  case CATEGORY:
    return batch->category;
  default:
    return batch->name;
  }
}

static void
add_times (const struct nprof_batch *batch, Wanted *wanted)
{
  gboolean is_start = wanted->source == START;
  const gint64 *times = is_start ? batch->start : batch->duration;
  for (guint i = 0; i < batch->n_rows; i++)
    if (batch->kind[i] != NPROF_FACT && (is_start || times[i] >= 0))
      np_arrow_column_put_64 (&wanted->column, (guint64) times[i]);
    else
      np_arrow_column_put_null (&wanted->column);
}

static void
add_values (const struct nprof_batch *batch, NpArrowColumn *column)
{
  for (guint i = 0; i < batch->n_rows; i++) {
    union {
      double f;
      guint64 bits;
    } value = { .f = batch->value ? batch->value[i] : 0 };
    if (nprof_has_value (batch, i))
      np_arrow_column_put_64 (column, value.bits);
    else
      np_arrow_column_put_null (column);
  }
}

static void
add_ids (const struct nprof_batch *batch, Wanted *wanted)
{
  const uint64_t *ids = wanted->source == ID       ? batch->id
                        : wanted->source == PARENT ? batch->parent
                                                   : batch->flow;
  for (guint i = 0; i < batch->n_rows; i++)
    if (ids && ids[i])
      np_arrow_column_put_64 (&wanted->column, ids[i]);
    else
      np_arrow_column_put_null (&wanted->column);
}

static void
add_numbers (const NpArrowRows *rows, const struct nprof_batch *batch, NpArrowColumn *column)
{
  for (guint i = 0; i < batch->n_rows; i++)
    np_arrow_column_put_64 (column, rows->n_rows + i);
}

static void
add_tracks (const NpArrowRows *rows, const struct nprof_batch *batch, NpArrowColumn *column)
{
  for (guint i = 0; i < batch->n_rows;) {
    guint32 number = rows->host->track_info (rows->host, batch->track[i])->number;
    for (guint end = end_of_track (batch, i); i < end; i++)
      np_arrow_column_put_32 (column, number);
  }
}

static gboolean
add_base (const NpArrowRows *rows, const struct nprof_batch *batch, Wanted *wanted)
{
  switch (wanted->source) {
  case ROW:
    add_numbers (rows, batch, &wanted->column);
    return TRUE;
  case TRACK:
    add_tracks (rows, batch, &wanted->column);
    return TRUE;
  case START:
  case DURATION:
    add_times (batch, wanted);
    return TRUE;
  case VALUE:
    add_values (batch, &wanted->column);
    return TRUE;
  case ID:
  case PARENT:
  case FLOW:
    add_ids (batch, wanted);
    return TRUE;
  default:
    return np_arrow_column_put_strings (&wanted->column, strings_of (rows, batch, wanted->source),
                                        batch->n_rows);
  }
}

/* All attributes of a row are put at once. */
static gboolean
add_attributes (NpArrowRows *rows, const struct nprof_batch *batch)
{
  for (guint i = 0; i < batch->n_rows; i++) {
    if (nprof_row_columns_row (&rows->spread, batch, i) != NPROF_OK)
      return FALSE;
    for (guint w = 0; w < rows->wanted->len; w++) {
      Wanted *wanted = &g_array_index (rows->wanted, Wanted, w);
      if (wanted->source >= N_BASE
          && !np_arrow_attr_put (&wanted->column, &rows->spread, wanted->source - N_BASE))
        return FALSE;
    }
  }
  return TRUE;
}

gboolean
np_arrow_rows_add (NpArrowRows *rows, const struct nprof_batch *batch)
{
  g_array_set_size (rows->strings, batch->n_rows);
  for (guint w = 0; w < rows->wanted->len; w++) {
    Wanted *wanted = &g_array_index (rows->wanted, Wanted, w);
    if (!np_arrow_column_reserve (&wanted->column, batch->n_rows)
        || (wanted->source < N_BASE && !add_base (rows, batch, wanted)))
      return FALSE;
  }
  if (rows->attributes && !add_attributes (rows, batch))
    return FALSE;
  rows->n_rows += batch->n_rows;
  return TRUE;
}

/* -- The array ------------------------------------------------------------- */

guint64
np_arrow_rows_length (const NpArrowRows *rows)
{
  return rows->n_rows - rows->taken;
}

gboolean
np_arrow_rows_take (NpArrowRows *rows, struct ArrowArray *out)
{
  if (!np_array_init (out, (gint64) np_arrow_rows_length (rows), 1, rows->wanted->len))
    return FALSE;
  gboolean ok = TRUE;
  for (guint w = 0; ok && w < rows->wanted->len; w++)
    ok = np_arrow_column_take (&g_array_index (rows->wanted, Wanted, w).column, rows->host,
                               out->children[w]);
  if (!ok)
    out->release (out);
  rows->taken = rows->n_rows;
  return ok;
}
