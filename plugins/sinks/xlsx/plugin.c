/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - sink xlsx: a workbook that opens by a double click, a sheet for each table. */
#include "sink.h"

static nprof_status
xlsx_open (void *data, const struct nprof_host *host)
{
  XlsxSink *self = data;
  self->host = host;
  self->fd = -1;
  nprof_status status = xlsx_book_open (self);
  return status ? status : xlsx_rows_open (self);
}

static nprof_status
xlsx_consume (void *data, const struct nprof_batch *batch)
{
  return xlsx_rows_consume (data, batch);
}

static nprof_status
xlsx_table (void *data, const struct nprof_table *table, const struct nprof_cell *cells,
            uint32_t n_rows)
{
  return xlsx_tables_rows (data, table, cells, n_rows);
}

static nprof_status
xlsx_finish (void *data)
{
  return xlsx_book_finish (data);
}

static void
xlsx_close (void *data)
{
  XlsxSink *self = data;
  xlsx_rows_close (self);
  xlsx_book_close (self);
}

static const struct nprof_component xlsx = {
  .size = sizeof xlsx,
  .kind = NPROF_SINK,
  .name = "xlsx",
  .summary = "one workbook for spreadsheets, a sheet for each table",
  .options = NPROF_OPTIONS (
      NPROF_BOOL_OPTION (XlsxSink, rows, "rows", "yes", "the rows of the profile as sheet events"),
      NPROF_LIST_OPTION (XlsxSink, tables, "tables", "", "these tables alone (default: all)")),
  .wants = (const char *const[]){ "*", NULL },
  .order = NPROF_ORDER_INPUT,
  .flags = NPROF_SINK_FILE,
  .default_name = "profile.xlsx",
  .instance_size = sizeof (XlsxSink),
  .open = xlsx_open,
  .consume = xlsx_consume,
  .table = xlsx_table,
  .finish = xlsx_finish,
  .close = xlsx_close,
};

NPROF_PLUGIN ("xlsx", NPROF_VERSION, "Apache-2.0", &xlsx)
