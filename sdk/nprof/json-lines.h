/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/json-lines.h - what sinks of JSON, an object a line, have in common, header-only: each row
 * with all its attributes, and each row of a table.  Integers are exact, unknown is null, and what
 * the row does not have is left out.  The instance begins with struct nprof_json_lines, or is one:
 *
 *   static const struct nprof_component mine = {
 *     .size = sizeof mine, .kind = NPROF_SINK, .name = "vendor.mine", .summary = "...",
 *     .default_name = "mine.jsonl", NPROF_JSON_LINES (struct nprof_json_lines),
 *     .consume = mine_consume,
 *   };
 *
 * mine_consume puts lines, and returns what nprof_text_sink_write returns. */
#ifndef NPROF_JSON_LINES_H
#define NPROF_JSON_LINES_H

#include <nprof/json.h>
#include <nprof/row.h>
#include <nprof/text-sink.h>

struct nprof_json_lines {
  struct nprof_text_sink sink;
  struct nprof_row_columns attributes; /* of a row, by key */
  struct nprof_buf tables; /* behind all rows: their rows may come between any two batches */
};

/* The members of a component whose instance is of type T. */
#define NPROF_JSON_LINES(T)                                                                        \
  .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT, .instance_size = sizeof (T),                       \
  .wants = nprof_json_lines_wants, .open = nprof_json_lines_open,                                  \
  .finish = nprof_json_lines_finish, .close = nprof_json_lines_close

static const char *const nprof_json_lines_wants[] = { "*", NULL };

/* -- Values ---------------------------------------------------------------- */

static inline void
nprof_put_json_key (struct nprof_buf *b, const char *key)
{
  if (b->len && b->data[b->len - 1] != '{')
    nprof_put_char (b, ',');
  nprof_put_json_string (b, key, strlen (key), 0);
  nprof_put_char (b, ':');
}

static inline void
nprof_put_json_str (struct nprof_buf *b, const struct nprof_host *host, nprof_str str)
{
  size_t len;
  const char *text = host->string (host, str, &len);
  nprof_put_json_string (b, text, len, 0);
}

/* Puts a value of any type; text, JSON and id128 are at `bytes`. */
static inline void
nprof_put_json_any (struct nprof_buf *b, const struct nprof_host *host, uint32_t type,
                    nprof_value v, const char *bytes, uint32_t len)
{
  switch (type) {
  case NPROF_INT64:
    nprof_put_json_i64 (b, v.i, 0);
    break;
  case NPROF_UINT64:
    nprof_put_json_u64 (b, v.u, 0);
    break;
  case NPROF_DOUBLE:
    nprof_put_json_double (b, v.f);
    break;
  case NPROF_BOOL:
    nprof_put_text (b, v.u ? "true" : "false");
    break;
  case NPROF_STRING:
    nprof_put_json_str (b, host, v.s);
    break;
  case NPROF_TEXT:
    nprof_put_json_string (b, bytes, len, 0);
    break;
  case NPROF_JSON:
    nprof_put_json (b, bytes, len, 0);
    break;
  case NPROF_ID128:
    nprof_put_char (b, '"');
    nprof_put_id128 (b, bytes);
    nprof_put_char (b, '"');
    break;
  default: /* null, and what only a newer nprof knows */
    nprof_put_text (b, "null");
  }
}

/* -- Rows ------------------------------------------------------------------ */

static inline void
nprof_put_json_id (struct nprof_buf *b, const char *key, const uint64_t *column, uint32_t i)
{
  if (!column || !column[i])
    return;
  nprof_put_json_key (b, key);
  nprof_put_u64 (b, column[i]);
}

static inline void
nprof_put_json_times (struct nprof_buf *b, const struct nprof_batch *batch, uint32_t i)
{
  if (batch->kind[i] == NPROF_FACT)
    return; /* they mean nothing there */
  nprof_put_json_key (b, "start_ps");
  nprof_put_i64 (b, batch->start[i]);
  nprof_put_json_key (b, "duration_ps");
  if (batch->duration[i] < 0)
    nprof_put_text (b, "null");
  else
    nprof_put_i64 (b, batch->duration[i]);
}

static inline void
nprof_put_json_attributes (struct nprof_buf *b, const struct nprof_row_columns *attributes)
{
  nprof_put_json_key (b, "attributes");
  nprof_put_char (b, '{');
  for (uint32_t k = 0; k < attributes->n_unmapped; k++) {
    const struct nprof_field *f = &attributes->unmapped[k];
    const bool in_bytes = f->type >= NPROF_TEXT;
    nprof_put_json_key (b, nprof_text (attributes->host, f->key));
    nprof_put_json_any (b, attributes->host, f->type, f->value,
                        in_bytes ? f->bytes + f->value.bytes.at : NULL,
                        in_bytes ? f->value.bytes.len : 0);
  }
  nprof_put_char (b, '}');
}

/* Puts row i and a new line; a row of a kind that only a newer nprof knows is skipped. */
static inline nprof_status
nprof_json_lines_row (struct nprof_json_lines *s, const struct nprof_batch *batch, uint32_t i)
{
  static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };
  const struct nprof_host *h = s->sink.host;
  struct nprof_buf *b = &s->sink.text;
  if (batch->kind[i] >= sizeof kinds / sizeof *kinds)
    return NPROF_OK;
  if (nprof_row_columns_row (&s->attributes, batch, i))
    return nprof_fail (h, NPROF_E_NOMEM, "no memory for the attributes of a row");
  nprof_put_char (b, '{');
  nprof_put_json_key (b, "kind");
  nprof_put_json_string (b, kinds[batch->kind[i]], strlen (kinds[batch->kind[i]]), 0);
  nprof_put_json_key (b, "input");
  nprof_put_json_str (b, h, h->input (h, batch->input)->label);
  nprof_put_json_key (b, "thread");
  nprof_put_json_str (b, h, nprof_track_label (h->track_info (h, batch->track[i])));
  nprof_put_json_key (b, "name");
  nprof_put_json_str (b, h, batch->name[i]);
  if (batch->category[i]) {
    nprof_put_json_key (b, "category");
    nprof_put_json_str (b, h, batch->category[i]);
  }
  nprof_put_json_times (b, batch, i);
  if (nprof_has_value (batch, i)) {
    nprof_put_json_key (b, "value");
    nprof_put_json_double (b, batch->value[i]);
  }
  nprof_put_json_id (b, "id", batch->id, i);
  nprof_put_json_id (b, "parent", batch->parent, i);
  nprof_put_json_id (b, "flow", batch->flow, i);
  if (s->attributes.n_unmapped)
    nprof_put_json_attributes (b, &s->attributes);
  nprof_put_text (b, "}\n");
  return NPROF_OK;
}

/* -- Tables ---------------------------------------------------------------- */

/* Tables name times for people, in ns; here they stay whole picoseconds. */
static inline void
nprof_put_json_column (struct nprof_buf *b, const struct nprof_table_column *column)
{
  const size_t len = strlen (column->name);
  nprof_put_json_key (b, column->name);
  if (!b->failed && strcmp (column->unit, "ps") == 0 && len > 3
      && !strcmp (column->name + len - 3, "_ns"))
    b->data[b->len - 4] = 'p'; /* `_ns":` */
}

/* Puts a row of a table, whose cells these are, and a new line: behind all rows of the run. */
static inline void
nprof_json_lines_cells (struct nprof_json_lines *s, const struct nprof_table *table,
                        const struct nprof_cell *cells)
{
  struct nprof_buf *b = &s->tables;
  nprof_put_char (b, '{');
  nprof_put_json_key (b, "table");
  nprof_put_json_string (b, table->name, strlen (table->name), 0);
  for (uint32_t c = 0; table->columns[c]; c++) {
    const bool in_bytes = cells[c].type >= NPROF_TEXT && cells[c].type <= NPROF_ID128;
    nprof_value v;
    v.u = in_bytes ? 0 : cells[c].v.u;
    if (cells[c].type == NPROF_STRING)
      v.s = cells[c].v.s;
    nprof_put_json_column (b, table->columns[c]);
    nprof_put_json_any (b, s->sink.host, cells[c].type, v, in_bytes ? cells[c].v.text : NULL,
                        in_bytes ? cells[c].len : 0);
  }
  nprof_put_text (b, "}\n");
}

/* -- The life of the instance ---------------------------------------------- */

static inline nprof_status
nprof_json_lines_open (void *self, const struct nprof_host *host)
{
  struct nprof_json_lines *s = (struct nprof_json_lines *) self;
  if (nprof_row_columns_init (&s->attributes, host, NULL))
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for attributes");
  return nprof_text_sink_open (self, host);
}

static inline nprof_status
nprof_json_lines_finish (void *self)
{
  struct nprof_json_lines *s = (struct nprof_json_lines *) self;
  const nprof_status status = nprof_text_sink_write (&s->sink);
  if (status)
    return status;
  const struct nprof_buf rows = s->sink.text;
  s->sink.text = s->tables;
  s->tables = rows;
  return nprof_text_sink_write (&s->sink);
}

static inline void
nprof_json_lines_close (void *self)
{
  struct nprof_json_lines *s = (struct nprof_json_lines *) self;
  nprof_row_columns_clear (&s->attributes);
  nprof_buf_clear (&s->tables);
  nprof_text_sink_close (self);
}

#endif
