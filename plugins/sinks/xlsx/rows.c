/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - writes the rows of the profile as sheet events, with the columns that table events of
 * the sink csv has. */
#include "sink.h"

#include <nprof/unmapped.h>

enum { INPUT, KIND, START, DURATION, PROCESS, THREAD, CATEGORY, NAME, VALUE, N_FIXED };

static const struct {
  const char *name;
  bool wide;
} fixed[] = {
  [INPUT] = { "input", false },       [KIND] = { "kind", false },
  [START] = { "start_ns", false },    [DURATION] = { "duration_ns", false },
  [PROCESS] = { "process", false },   [THREAD] = { "thread", false },
  [CATEGORY] = { "category", false }, [NAME] = { "name", true },
  [VALUE] = { "value", false },
};

nprof_status
xlsx_rows_open (XlsxSink *self)
{
  if (!self->rows)
    return NPROF_OK;
  if (nprof_row_columns_init (&self->row_columns, self->host, self->host->columns (self->host)))
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the columns");
  guint n = N_FIXED + self->row_columns.n_columns;
  XlsxSheet *sheet = self->events = xlsx_sheet_new (self, "events", n);
  if (!sheet)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for sheet events");
  for (guint c = 0; c < N_FIXED; c++)
    xlsx_sheet_head (self, sheet, c, fixed[c].name, fixed[c].wide);
  for (guint c = 0; c < self->row_columns.n_columns; c++)
    xlsx_sheet_head (self, sheet, N_FIXED + c, self->row_columns.columns[c]->name, false);
  return NPROF_OK;
}

static void
put_str (XlsxSink *self, guint at, nprof_str str)
{
  size_t len;
  if (!str)
    return;
  const char *text = self->host->string (self->host, str, &len);
  xlsx_put_text (self, self->events, at, text, len);
}

static void
put_places (XlsxSink *self, const struct nprof_track_info *info)
{
  put_str (self, THREAD, nprof_track_label (info));
  if (info->process)
    put_str (self, PROCESS, nprof_track_label (self->host->track_info (self->host, info->process)));
}

static void
put_field (XlsxSink *self, guint at, const struct nprof_field *f)
{
  const char *bytes = f->bytes ? f->bytes + f->value.bytes.at : "";
  switch (f->type) {
  case NPROF_NULL:
    return;
  case NPROF_INT64:
    xlsx_put_int (self, self->events, at, XLSX_PLAIN, f->value.i);
    return;
  case NPROF_UINT64:
    xlsx_put_uint (self, self->events, at, f->value.u);
    return;
  case NPROF_BOOL:
    xlsx_put_bool (self->events, at, f->value.u != 0);
    return;
  case NPROF_DOUBLE:
    xlsx_put_double (self, self->events, at, XLSX_PLAIN, f->value.f);
    return;
  case NPROF_STRING:
    put_str (self, at, f->value.s);
    return;
  case NPROF_ID128:
    xlsx_put_id (self, self->events, at, (const guint8 *) bytes);
    return;
  default:
    xlsx_put_text (self, self->events, at, bytes, f->value.bytes.len);
  }
}

static nprof_status
put_row (XlsxSink *self, const struct nprof_batch *b, uint32_t i)
{
  static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };
  if (!xlsx_sheet_row (self->events))
    return NPROF_OK;
  const char *kind = b->kind[i] < G_N_ELEMENTS (kinds) ? kinds[b->kind[i]] : "unknown";
  put_str (self, INPUT, self->host->input (self->host, b->input)->label);
  xlsx_put_text (self, self->events, KIND, kind, strlen (kind));
  if (b->kind[i] != NPROF_FACT) { /* whose times mean nothing */
    xlsx_put_int (self, self->events, START, XLSX_PS, b->start[i]);
    if (b->duration[i] >= 0)
      xlsx_put_int (self, self->events, DURATION, XLSX_PS, b->duration[i]);
  }
  put_places (self, self->host->track_info (self->host, b->track[i]));
  put_str (self, CATEGORY, b->category[i]);
  put_str (self, NAME, b->name[i]);
  if (nprof_has_value (b, i))
    xlsx_put_double (self, self->events, VALUE, XLSX_PLAIN, b->value[i]);
  if (nprof_row_columns_row (&self->row_columns, b, i))
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the attributes of a row");
  for (uint32_t k = 0; k < self->row_columns.n_used; k++) {
    uint32_t c = self->row_columns.used[k];
    put_field (self, N_FIXED + c, &self->row_columns.field[c]);
  }
  return NPROF_OK;
}

nprof_status
xlsx_rows_consume (XlsxSink *self, const struct nprof_batch *batch)
{
  nprof_status status = NPROF_OK;
  for (uint32_t i = 0; self->events && i < batch->n_rows && !status; i++)
    status = put_row (self, batch, i);
  return status;
}

void
xlsx_rows_close (XlsxSink *self)
{
  if (self->events)
    nprof_row_columns_tell (&self->row_columns, "sheet events");
  nprof_row_columns_clear (&self->row_columns);
}
