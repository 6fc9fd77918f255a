/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - writes tables as measurements: keys are tags, values are fields, the time is the run's
 * origin, the tag seq is the number of the row. */
#include "influx.h"

#include <nprof/sdk.h>
#include <string.h>

#define KEY_MAX 65535 /* bytes of a measurement and its tags */
#define PS_DIGITS 3   /* from ps to ns                       */

static void
free_table (gpointer data)
{
  struct influx_table *t = data;
  g_ptr_array_unref (t->keys);
  g_array_unref (t->fields);
  g_free (t);
}

void
influx_tables_open (struct influx_sink *self)
{
  self->tables = g_ptr_array_new_with_free_func (free_table);
}

void
influx_tables_clear (struct influx_sink *self)
{
  g_clear_pointer (&self->tables, g_ptr_array_unref);
}

/* Returns another name for those that servers or this sink use for something else. */
static char *
own_name (const char *name)
{
  static const char *const taken[] = { "time", "profile", "seq", "no_values" };
  gboolean is_taken = *name == '_';
  for (guint k = 0; k < G_N_ELEMENTS (taken); k++)
    is_taken |= strcmp (name, taken[k]) == 0;
  return g_strconcat (is_taken ? "attr_" : "", name, NULL);
}

/* NULL: there is no memory. */
static char *
escaped (const char *name)
{
  struct nprof_buf buf = { 0 };
  line_put_tag (&buf, name, strlen (name));
  char *text = buf.failed ? NULL : g_strndup (buf.data, buf.len);
  nprof_buf_clear (&buf);
  return text;
}

static nprof_status
start_table (struct influx_sink *self, const struct nprof_table *table, struct influx_table **found)
{
  if (strcmp (table->name, "events") == 0)
    return nprof_fail (self->host, NPROF_E_CONTRACT,
                       "a table cannot be named events: the measurement events holds the rows");
  struct influx_table *t = g_new0 (struct influx_table, 1);
  t->table = table;
  t->keys = g_ptr_array_new_with_free_func (g_free);
  t->fields = g_array_new (FALSE, TRUE, sizeof (guint));
  t->no_values = counts_field (&self->counts, table->name, "no_values");
  for (; table->columns[t->n_columns]; t->n_columns++) {
    const struct nprof_table_column *column = table->columns[t->n_columns];
    g_autofree char *name = own_name (column->name);
    guint field = nprof_is_key (column) ? 0 : counts_field (&self->counts, table->name, name);
    g_ptr_array_add (t->keys, escaped (name));
    g_array_append_val (t->fields, field);
  }
  g_ptr_array_add (self->tables, t);
  *found = t;
  if (g_ptr_array_find (t->keys, NULL, NULL))
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the names of table %s",
                       table->name);
  return NPROF_OK;
}

static nprof_status
find_table (struct influx_sink *self, const struct nprof_table *table, struct influx_table **found)
{
  for (guint k = 0; k < self->tables->len; k++) {
    *found = g_ptr_array_index (self->tables, k);
    if ((*found)->table == table)
      return NPROF_OK;
  }
  return start_table (self, table, found);
}

/* -- Cells ----------------------------------------------------------------- */

/* Returns the text of a cell of type string, text, json, id128. */
static const char *
cell_text (struct influx_sink *self, const struct nprof_cell *cell, size_t *len)
{
  if (cell->type == NPROF_STRING)
    return self->host->string (self->host, cell->v.s, len);
  *len = cell->len;
  if (cell->type != NPROF_ID128)
    return cell->v.text;
  self->scratch.len = 0;
  nprof_put_id128 (&self->scratch, cell->v.text);
  self->maker.lines.failed |= self->scratch.failed;
  *len = self->scratch.len;
  return self->scratch.data;
}

static gboolean
is_text (guint type)
{
  return type == NPROF_STRING || type == NPROF_TEXT || type == NPROF_JSON || type == NPROF_ID128;
}

static void
put_number (struct nprof_buf *to, const struct nprof_cell *cell)
{
  if (cell->type == NPROF_INT64)
    nprof_put_i64 (to, cell->v.i);
  else if (cell->type == NPROF_UINT64)
    nprof_put_u64 (to, cell->v.u);
  else if (cell->type == NPROF_BOOL)
    nprof_put_text (to, cell->v.u ? "true" : "false");
  else
    nprof_put_double (to, cell->v.f);
}

/* Puts a key column: nothing where it is unknown or empty, since no server takes an empty tag. */
static void
put_key (struct influx_sink *self, struct nprof_buf *to, const char *name,
         const struct nprof_cell *cell)
{
  size_t len = 1;
  const char *text = is_text (cell->type) ? cell_text (self, cell, &len) : "";
  if (cell->type == NPROF_NULL || !len)
    return;
  nprof_put_char (to, ',');
  nprof_put_text (to, name);
  nprof_put_char (to, '=');
  if (is_text (cell->type))
    line_put_tag (to, text, len);
  else
    put_number (to, cell);
}

/* Puts a value; times in ps are decimals of ns, as in all outputs for people.  FALSE: InfluxDB has
 * no such value (NaN, an integer beyond int64), and nothing is put. */
static gboolean
put_value (struct influx_sink *self, struct nprof_buf *to, const struct nprof_cell *cell,
           const struct nprof_table_column *column)
{
  gboolean time = g_str_has_suffix (column->name, "_ns") && g_strcmp0 (column->unit, "ps") == 0;
  size_t len;
  switch (cell->type) {
  case NPROF_INT64:
    time ? nprof_put_decimal (to, cell->v.i, PS_DIGITS, '.') : line_put_int (to, cell->v.i);
    return TRUE;
  case NPROF_UINT64:
    if (cell->v.u > G_MAXINT64 && !time)
      return FALSE;
    time ? nprof_put_udecimal (to, cell->v.u, PS_DIGITS, '.')
         : line_put_int (to, (gint64) cell->v.u);
    return TRUE;
  case NPROF_DOUBLE:
    if (!isfinite (cell->v.f))
      return FALSE;
    nprof_put_scaled (to, cell->v.f, time ? -PS_DIGITS : 0, '.');
    return TRUE;
  case NPROF_BOOL:
    nprof_put_text (to, cell->v.u ? "true" : "false");
    return TRUE;
  default:
    if (!is_text (cell->type))
      return FALSE;
    const char *text = cell_text (self, cell, &len);
    line_put_string (to, text, len);
    return TRUE;
  }
}

/* -- Rows ------------------------------------------------------------------ */

static nprof_status
put_tags (struct influx_sink *self, struct influx_table *t, const struct nprof_cell *cells)
{
  struct nprof_buf *to = &self->maker.lines;
  size_t before = to->len;
  line_put_measurement (to, t->table->name, strlen (t->table->name));
  for (guint k = 0; k < t->n_columns; k++)
    if (nprof_is_key (t->table->columns[k]))
      put_key (self, to, g_ptr_array_index (t->keys, k), cells + k);
  nprof_put_text (to, ",profile=");
  nprof_put_text (to, self->profile);
  nprof_put_text (to, ",seq=");
  nprof_put_u64 (to, t->rows);
  if (to->len - before <= KEY_MAX)
    return NPROF_OK;
  return nprof_fail (self->host, NPROF_E_IO,
                     "table %s, row %" G_GUINT64_FORMAT ": its keys have %zu bytes, InfluxDB takes "
                     "65535: use another sink for this table",
                     t->table->name, t->rows, to->len - before);
}

static nprof_status
put_row (struct influx_sink *self, struct influx_table *t, const struct nprof_cell *cells)
{
  struct nprof_buf *to = &self->maker.lines;
  nprof_status status = put_tags (self, t, cells);
  gint64 time, rest;
  gboolean any = FALSE;
  for (guint k = 0; k < t->n_columns && status == NPROF_OK; k++) {
    size_t before = to->len;
    if (nprof_is_key (t->table->columns[k]))
      continue;
    nprof_put_char (to, any ? ',' : ' ');
    nprof_put_text (to, g_ptr_array_index (t->keys, k));
    nprof_put_char (to, '=');
    if (put_value (self, to, cells + k, t->table->columns[k])) {
      any = TRUE;
      counts_add (&self->counts, g_array_index (t->fields, guint, k));
    } else {
      to->len = before;
      self->left_out += cells[k].type != NPROF_NULL;
    }
  }
  if (status != NPROF_OK)
    return status;
  if (!any) {
    nprof_put_text (to, " no_values=true");
    counts_add (&self->counts, t->no_values);
  }
  clock_time (&self->clock, 0, &time, &rest);
  nprof_put_char (to, ' ');
  nprof_put_i64 (to, time);
  t->rows++;
  return influx_line (self);
}

nprof_status
influx_tables_rows (void *sink, const struct nprof_table *table, const struct nprof_cell *cells,
                    uint32_t n_rows)
{
  struct influx_sink *self = sink;
  struct influx_table *t = NULL;
  nprof_status status = find_table (self, table, &t);
  if (status == NPROF_OK && n_rows)
    status = influx_set_clock (self);
  for (guint i = 0; i < n_rows && status == NPROF_OK; i++)
    status = put_row (self, t, cells + (size_t) i * t->n_columns);
  return status;
}
