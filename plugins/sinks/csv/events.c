/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - writes rows as lines of events.csv: base columns, declared attributes, the rest. */
#include "events.h"
#include "profile/row-track.h"

static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };

/* -- Cells of base columns ------------------------------------------------------------------- */

/* This is a cell on its way to the file: row i of a batch, in a column. */
struct cell {
  struct csv_format *format;
  struct nprof_buf *to;
  const struct nprof_batch *batch;
  const struct row_track *track;
  guint i;
  int shift; /* of the column's times */
};

static void
put_input (const struct cell *c)
{
  const struct nprof_host *host = c->format->host;
  csv_put_str (c->format, c->to, host->input (host, c->batch->input)->label);
}

/* A fact has no time. */
static void
put_start (const struct cell *c)
{
  if (c->batch->kind[c->i] != NPROF_FACT)
    csv_put_i64 (c->format, c->to, c->batch->start[c->i], c->shift);
}

static void
put_duration (const struct cell *c)
{
  if (c->batch->kind[c->i] != NPROF_FACT && c->batch->duration[c->i] >= 0)
    csv_put_i64 (c->format, c->to, c->batch->duration[c->i], c->shift);
}

static void
put_track (const struct cell *c)
{
  csv_put_u64 (c->format, c->to, c->track->number, 0);
}

static void
put_process (const struct cell *c)
{
  if (c->track->in_process)
    csv_put_str (c->format, c->to, c->track->process);
}

static void
put_thread (const struct cell *c)
{
  csv_put_str (c->format, c->to, c->track->thread);
}

static void
put_kind (const struct cell *c)
{
  const guint kind = c->batch->kind[c->i];
  nprof_put_text (c->to, kind < G_N_ELEMENTS (kinds) ? kinds[kind] : "unknown");
}

static void
put_category (const struct cell *c)
{
  if (c->batch->category[c->i])
    csv_put_str (c->format, c->to, c->batch->category[c->i]);
}

static void
put_name (const struct cell *c)
{
  csv_put_str (c->format, c->to, c->batch->name[c->i]);
}

static void
put_value (const struct cell *c)
{
  if (nprof_has_value (c->batch, c->i))
    csv_put_double (c->format, c->to, c->batch->value[c->i], 0);
}

/* Puts a number of an optional column, where 0 is none. */
static void
put_number (const struct cell *c, const uint64_t *column)
{
  if (column && column[c->i])
    csv_put_u64 (c->format, c->to, column[c->i], 0);
}

static void
put_id (const struct cell *c)
{
  put_number (c, c->batch->id);
}

static void
put_parent (const struct cell *c)
{
  put_number (c, c->batch->parent);
}

static void
put_flow (const struct cell *c)
{
  put_number (c, c->batch->flow);
}

static const struct {
  const char *name;
  guint type;
  void (*put) (const struct cell *c);
} base[] = {
  { "input", NPROF_STRING, put_input },
  { "start_ns", NPROF_INT64, put_start },
  { "duration_ns", NPROF_INT64, put_duration },
  { "track", NPROF_UINT64, put_track },
  { "process", NPROF_STRING, put_process },
  { "thread", NPROF_STRING, put_thread },
  { "kind", NPROF_STRING, put_kind },
  { "category", NPROF_STRING, put_category },
  { "name", NPROF_STRING, put_name },
  { "value", NPROF_DOUBLE, put_value },
  { "id", NPROF_UINT64, put_id },
  { "parent", NPROF_UINT64, put_parent },
  { "flow", NPROF_UINT64, put_flow },
};
enum { N_BASE = G_N_ELEMENTS (base) };

/* -- Rows -------------------------------------------------------------------------------------- */

static void
add_columns (struct csv_events *events)
{
  const struct csv_format *format = events->format;
  for (guint c = 0; c < N_BASE; c++)
    csv_columns_add (events->columns, base[c].name, base[c].type, "ps", format->time);
  for (guint c = 0; c < events->row_columns.n_columns; c++) {
    const struct nprof_column *column = events->row_columns.columns[c];
    csv_columns_add (events->columns, column->name, column->type, column->unit, format->time);
  }
  csv_columns_add (events->columns, "attributes", NPROF_JSON, NULL, format->time);
}

nprof_status
csv_events_open (struct csv_events *events, struct csv_format *format, const char *stem,
                 const char *picks)
{
  const struct nprof_host *host = format->host;
  g_autofree char *why = NULL;
  events->format = format;
  events->columns = csv_columns_new ();
  events->tracks = g_array_new (FALSE, TRUE, sizeof (struct row_track));
  csv_file_init (&events->file, host, stem, format->split, format->dialect.excel);
  if (nprof_row_columns_init (&events->row_columns, host, host->columns (host)))
    return nprof_fail (host, NPROF_E_NOMEM, "events.csv: no memory for its columns");
  add_columns (events);
  if (!csv_columns_pick (events->columns, picks, &why))
    return nprof_fail (host, NPROF_E_OPTION, "columns=%s: %s", picks, why);
  for (guint k = 0; k < events->columns->len; k++) {
    const struct csv_column *column = &g_array_index (events->columns, struct csv_column, k);
    events->spreads |= column->from >= N_BASE;
    if (k)
      nprof_put_char (&events->file.header, format->dialect.delimiter);
    csv_put_text (&events->file.header, &format->dialect, column->name, strlen (column->name));
  }
  csv_end_line (&events->file.header, format->dialect.excel);
  return csv_file_start (&events->file);
}

static void
put_row (struct csv_events *events, const struct nprof_batch *batch, guint i)
{
  struct csv_format *format = events->format;
  struct nprof_buf *to = &events->file.buf;
  const struct row_track *track = row_track_of (events->tracks, format->host, batch->track[i]);
  const struct csv_column *columns = &g_array_index (events->columns, struct csv_column, 0);
  struct cell cell = { format, to, batch, track, i, 0 };
  for (guint k = 0; k < events->columns->len; k++) {
    guint from = columns[k].from;
    cell.shift = columns[k].shift;
    if (k)
      nprof_put_char (to, format->dialect.delimiter);
    if (from < N_BASE)
      base[from].put (&cell);
    else if (from - N_BASE < events->row_columns.n_columns)
      csv_put_field (format, to, events->row_columns.field + (from - N_BASE), columns[k].shift);
    else
      csv_put_rest (format, to, &events->row_columns);
  }
  csv_end_line (to, format->dialect.excel);
}

nprof_status
csv_events_consume (struct csv_events *events, const struct nprof_batch *batch)
{
  for (guint i = 0; i < batch->n_rows; i++) {
    nprof_status status = csv_file_line (&events->file);
    if (status)
      return status;
    if (events->spreads && nprof_row_columns_row (&events->row_columns, batch, i) != NPROF_OK)
      return nprof_fail (events->format->host, NPROF_E_NOMEM,
                         "events.csv: no memory for the attributes of a row");
    put_row (events, batch, i);
    status = csv_file_flush (&events->file, FALSE);
    if (status)
      return status;
  }
  return NPROF_OK;
}

nprof_status
csv_events_finish (struct csv_events *events)
{
  nprof_row_columns_tell (&events->row_columns, "events.csv");
  return csv_file_finish (&events->file);
}

void
csv_events_clear (struct csv_events *events)
{
  csv_file_clear (&events->file);
  nprof_row_columns_clear (&events->row_columns);
  g_clear_pointer (&events->columns, g_array_unref);
  g_clear_pointer (&events->tracks, g_array_unref);
}
