/* SPDX-License-Identifier: Apache-2.0 */
/* json-lines.c - example of a sink: each row, and each row of a table, as a JSON object on a line
 * of its own, for jq and log stores.
 *
 * Tables stand behind the rows, so that the bytes do not depend on where a batch ends.
 *
 * It shows: optional columns, attributes (shared and own), tables, unknown as null, output in large
 * pieces, numbers that stay exact. */

#include <nprof/json.h>
#include <nprof/row.h>
#include <nprof/sdk.h>

#define WRITE_BYTES (256u << 10) /* what is handed on at once */

typedef struct {
  const struct nprof_host *host;
  bool tables;

  struct nprof_output *output;
  struct nprof_buf text;
  struct nprof_buf tables_text;    /* behind all rows: they may come between any two batches */
  struct nprof_row_columns spread; /* the attributes of a row, by key */
} JsonLines;

/* Hands on what is written, at once or when there is enough of it. */
static nprof_status
write_text (JsonLines *j, size_t enough)
{
  if (j->text.failed)
    return nprof_fail (j->host, NPROF_E_NOMEM, "no memory for the text");
  if (j->text.len < enough)
    return NPROF_OK;
  nprof_status status = j->output->write (j->output, j->text.data, j->text.len);
  j->text.len = 0;
  return status;
}

/* -- Values ---------------------------------------------------------------- */

static void
put_str (JsonLines *j, nprof_str str)
{
  size_t len;
  const char *text = j->host->string (j->host, str, &len);
  nprof_put_json_string (&j->text, text, len, 0);
}

static void
put_bytes (JsonLines *j, uint32_t type, const char *bytes, uint32_t len)
{
  struct nprof_buf *b = &j->text;
  if (type == NPROF_JSON) {
    nprof_put_json (b, bytes, len, 0);
  } else if (type == NPROF_TEXT) {
    nprof_put_json_string (b, bytes, len, 0);
  } else {
    nprof_put_char (b, '"');
    nprof_put_id128 (b, bytes);
    nprof_put_char (b, '"');
  }
}

static void
put_number (JsonLines *j, uint32_t type, nprof_value v)
{
  switch (type) {
  case NPROF_INT64:
    nprof_put_json_i64 (&j->text, v.i, 0);
    break;
  case NPROF_UINT64:
    nprof_put_json_u64 (&j->text, v.u, 0);
    break;
  case NPROF_DOUBLE:
    nprof_put_json_double (&j->text, v.f);
    break;
  case NPROF_BOOL:
    nprof_put_text (&j->text, v.u ? "true" : "false");
    break;
  case NPROF_STRING:
    put_str (j, v.s);
    break;
  default: /* null, and what only a newer nprof knows */
    nprof_put_text (&j->text, "null");
  }
}

static void
put_cell (JsonLines *j, const struct nprof_cell *cell)
{
  nprof_value v = { .u = cell->v.u };
  if (cell->type == NPROF_STRING)
    v.s = cell->v.s;
  if (cell->type >= NPROF_TEXT && cell->type <= NPROF_ID128)
    put_bytes (j, cell->type, cell->v.text, cell->len);
  else
    put_number (j, cell->type, v);
}

static void
put_key (JsonLines *j, const char *key)
{
  if (j->text.len && j->text.data[j->text.len - 1] != '{')
    nprof_put_char (&j->text, ',');
  nprof_put_json_string (&j->text, key, strlen (key), 0);
  nprof_put_char (&j->text, ':');
}

/* Tables name times for people, in ns; here they stay whole picoseconds. */
static void
put_column_key (JsonLines *j, const struct nprof_table_column *column)
{
  size_t len = strlen (column->name);
  put_key (j, column->name);
  if (!j->text.failed && strcmp (column->unit, "ps") == 0 && len > 3
      && !strcmp (column->name + len - 3, "_ns"))
    j->text.data[j->text.len - 4] = 'p'; /* `_ns":` */
}

/* -- Rows ------------------------------------------------------------------ */

static void
put_id (JsonLines *j, const char *key, const uint64_t *column, uint32_t i)
{
  if (!column || !column[i])
    return;
  put_key (j, key);
  nprof_put_u64 (&j->text, column[i]);
}

static void
put_times (JsonLines *j, const struct nprof_batch *batch, uint32_t i)
{
  if (batch->kind[i] == NPROF_FACT)
    return; /* they mean nothing there */
  put_key (j, "start_ps");
  nprof_put_i64 (&j->text, batch->start[i]);
  put_key (j, "duration_ps");
  if (batch->duration[i] < 0)
    nprof_put_text (&j->text, "null");
  else
    nprof_put_i64 (&j->text, batch->duration[i]);
}

static nprof_status
put_attributes (JsonLines *j, const struct nprof_batch *batch, uint32_t i)
{
  nprof_status status = nprof_row_columns_row (&j->spread, batch, i);
  if (status)
    return nprof_fail (j->host, status, "no memory for the attributes of a row");
  if (!j->spread.n_unmapped)
    return NPROF_OK;
  put_key (j, "attributes");
  nprof_put_char (&j->text, '{');
  for (uint32_t k = 0; k < j->spread.n_unmapped; k++) {
    const struct nprof_field *f = &j->spread.unmapped[k];
    put_key (j, nprof_text (j->host, f->key));
    if (f->type >= NPROF_TEXT)
      put_bytes (j, f->type, f->bytes + f->value.bytes.at, f->value.bytes.len);
    else
      put_number (j, f->type, f->value);
  }
  nprof_put_char (&j->text, '}');
  return NPROF_OK;
}

static nprof_status
put_row (JsonLines *j, const struct nprof_batch *batch, uint32_t i)
{
  static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };
  nprof_put_char (&j->text, '{');
  put_key (j, "kind");
  nprof_put_json_string (&j->text, kinds[batch->kind[i]], strlen (kinds[batch->kind[i]]), 0);
  put_key (j, "input");
  put_str (j, j->host->input (j->host, batch->input)->label);
  put_key (j, "thread");
  put_str (j, nprof_track_label (j->host->track_info (j->host, batch->track[i])));
  put_key (j, "name");
  put_str (j, batch->name[i]);
  if (batch->category[i]) {
    put_key (j, "category");
    put_str (j, batch->category[i]);
  }
  put_times (j, batch, i);
  if (batch->value && batch->value_valid[i >> 3] >> (i & 7) & 1) {
    put_key (j, "value");
    nprof_put_json_double (&j->text, batch->value[i]);
  }
  put_id (j, "id", batch->id, i);
  put_id (j, "parent", batch->parent, i);
  put_id (j, "flow", batch->flow, i);
  nprof_status status = put_attributes (j, batch, i);
  nprof_put_text (&j->text, "}\n");
  return status;
}

/* -- What nprof calls ------------------------------------------------------ */

static nprof_status
open_lines (void *self, const struct nprof_host *host)
{
  JsonLines *j = self;
  j->host = host;
  if (nprof_row_columns_init (&j->spread, host, NULL))
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for attributes");
  j->output = host->output (host, NULL);
  return j->output ? NPROF_OK : NPROF_E_IO; /* the host knows why */
}

static nprof_status
consume (void *self, const struct nprof_batch *batch)
{
  JsonLines *j = self;
  nprof_status status = NPROF_OK;
  for (uint32_t i = 0; !status && i < batch->n_rows; i++)
    if (batch->kind[i] <= NPROF_GAP) /* a kind of a newer nprof is skipped */
      status = put_row (j, batch, i);
  return status ? status : write_text (j, WRITE_BYTES);
}

static nprof_status
table (void *self, const struct nprof_table *table, const struct nprof_cell *cells, uint32_t n_rows)
{
  JsonLines *j = self;
  const uint32_t n = nprof_count_columns (table);
  const struct nprof_buf rows = j->text;
  j->text = j->tables_text;
  for (uint32_t row = 0; j->tables && row < n_rows; row++) {
    nprof_put_char (&j->text, '{');
    put_key (j, "table");
    nprof_put_json_string (&j->text, table->name, strlen (table->name), 0);
    for (uint32_t c = 0; c < n; c++) {
      put_column_key (j, table->columns[c]);
      put_cell (j, &cells[row * n + c]);
    }
    nprof_put_text (&j->text, "}\n");
  }
  j->tables_text = j->text;
  j->text = rows;
  return NPROF_OK;
}

static nprof_status
finish (void *self)
{
  JsonLines *j = self;
  nprof_status status = write_text (j, 1);
  if (status)
    return status;
  const struct nprof_buf rows = j->text;
  j->text = j->tables_text;
  j->tables_text = rows;
  return write_text (j, 1);
}

static void
close_lines (void *self)
{
  JsonLines *j = self;
  nprof_row_columns_clear (&j->spread);
  nprof_buf_clear (&j->text);
  nprof_buf_clear (&j->tables_text);
}

static const char *const wants[] = { "*", NULL };

static const struct nprof_component sink = {
  .size = sizeof sink,
  .kind = NPROF_SINK,
  .name = "json-lines",
  .summary = "rows and tables as JSON, one object a line",
  .options = NPROF_OPTIONS (
      NPROF_BOOL_OPTION (JsonLines, tables, "tables", "yes", "rows of tables as well")),
  .wants = wants,
  .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT,
  .default_name = "events.jsonl",
  .instance_size = sizeof (JsonLines),
  .open = open_lines,
  .consume = consume,
  .table = table,
  .finish = finish,
  .close = close_lines,
};

NPROF_PLUGIN ("json-lines", "1.0", "Apache-2.0", &sink)
