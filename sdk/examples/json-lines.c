/* SPDX-License-Identifier: Apache-2.0 */
/* json-lines.c - a whole sink of rows with all their attributes, and of tables, as JSON: one object
 * a line, for jq and log stores.  Tables stand behind the rows, so that the bytes do not depend on
 * where a batch ends. */
#include <nprof/json-lines.h>

static nprof_status
json_lines_consume (void *self, const struct nprof_batch *batch)
{
  nprof_status status = NPROF_OK;
  for (uint32_t i = 0; !status && i < batch->n_rows; i++)
    status = nprof_json_lines_row (self, batch, i);
  return status ? status : nprof_text_sink_write (self);
}

static nprof_status
json_lines_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
                  uint32_t n_rows)
{
  for (uint32_t row = 0; row < n_rows; row++)
    nprof_json_lines_cells (self, table, cells + row * nprof_count_columns (table));
  return NPROF_OK;
}

static const struct nprof_component json_lines = {
  .size = sizeof json_lines,
  .kind = NPROF_SINK,
  .name = "json-lines",
  .summary = "rows and tables as JSON, one object a line",
  .default_name = "events.jsonl",
  NPROF_JSON_LINES (struct nprof_json_lines),
  .consume = json_lines_consume,
  .table = json_lines_table,
};

NPROF_PLUGIN ("json-lines", "1.0", "Apache-2.0", &json_lines)
