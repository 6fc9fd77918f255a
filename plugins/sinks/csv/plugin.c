/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - sink csv: rows as events.csv, each table as NAME.csv.  This file has options and life;
 * events.c and tables.c write. */
#include "events.h"
#include "tables.h"

#include <langinfo.h>
#include <locale.h>

enum { POINT_AUTO, POINT_POINT, POINT_COMMA };

struct csv_sink {
  const char *delimiter, *columns, *table;
  int32_t decimal, time;
  int64_t split_rows;
  bool excel;

  struct csv_format format;
  struct csv_events events;
  struct csv_tables tables;
  gboolean with_events;
};

static void
make_cell (const void *user, struct nprof_buf *to, const char *text, size_t len)
{
  csv_put_if_changed (to, user, text, len);
}

/* Returns whether spreadsheets of this user write a comma for the decimal point. */
static gboolean
user_has_comma (void)
{
  locale_t locale = newlocale (LC_NUMERIC_MASK, "", (locale_t) 0);
  if (locale == (locale_t) 0)
    return FALSE;
  gboolean comma = strcmp (nl_langinfo_l (RADIXCHAR, locale), ",") == 0;
  freelocale (locale);
  return comma;
}

/* What is for programs is the same for all users. */
static void
find_decimal (struct csv_sink *self, struct csv_dialect *dialect)
{
  gboolean comma = self->decimal == POINT_COMMA
                   || (self->decimal == POINT_AUTO && self->excel && user_has_comma ());
  dialect->point = comma ? ',' : '.';
  dialect->excel = self->excel;
  if (strcmp (self->delimiter, "auto") == 0)
    dialect->delimiter = comma ? ';' : ',';
  else
    dialect->delimiter = csv_parse_delimiter (self->delimiter);
}

static nprof_status
open_format (struct csv_sink *self, const struct nprof_host *host)
{
  struct csv_dialect *dialect = &self->format.dialect;
  find_decimal (self, dialect);
  if (!dialect->delimiter)
    return nprof_fail (host, NPROF_E_OPTION,
                       "delimiter=%s: expected one character that no number holds, or comma, "
                       "semicolon, tab, pipe, space, auto",
                       self->delimiter);
  if (dialect->delimiter == dialect->point)
    return nprof_fail (host, NPROF_E_OPTION,
                       "decimal=%c: it is the delimiter too; add delimiter=semicolon",
                       dialect->point);
  if (self->split_rows == 1)
    return nprof_fail (host, NPROF_E_OPTION,
                       "split_rows=1: a file has its header and at least one row; use 2 or more");
  self->format.host = host;
  self->format.time = self->time;
  self->format.split = (guint64) self->split_rows;
  if (self->excel && !self->split_rows)
    self->format.split = CSV_EXCEL_LINES;
  self->format.texts
      = (struct nprof_string_cache){ .host = host, .make = make_cell, .user = dialect };
  return NPROF_OK;
}

static nprof_status
csv_open (void *data, const struct nprof_host *host)
{
  struct csv_sink *self = data;
  nprof_status status = open_format (self, host);
  if (status)
    return status;
  const struct nprof_target *target = host->target (host);
  gboolean to_stdout = target->kind == NPROF_TARGET_STDOUT;
  gboolean one_file = target->kind != NPROF_TARGET_FOLDER;
  gboolean chosen = self->table && *self->table;
  gboolean events = chosen && strcmp (self->table, "events") == 0;
  if (to_stdout && self->split_rows)
    return nprof_fail (host, NPROF_E_OPTION,
                       "split_rows=%" G_GINT64_FORMAT
                       ": stdout cannot be split; write to a file or a folder",
                       self->split_rows);
  if (to_stdout)
    self->format.split = 0;
  self->format.dialect.terminal = target->is_terminal;
  csv_tables_open (&self->tables, &self->format);
  self->tables.one_file = one_file;
  self->tables.all = !one_file && !chosen;
  self->tables.only = chosen && !events ? self->table : NULL;
  self->tables.picks = self->columns;
  self->with_events = !self->tables.only;
  if (!self->with_events)
    return NPROF_OK;
  return csv_events_open (&self->events, &self->format, one_file ? NULL : "events", self->columns);
}

static nprof_status
csv_consume (void *data, const struct nprof_batch *batch)
{
  struct csv_sink *self = data;
  return self->with_events ? csv_events_consume (&self->events, batch) : NPROF_OK;
}

static nprof_status
csv_table (void *data, const struct nprof_table *table, const struct nprof_cell *cells,
           uint32_t n_rows)
{
  struct csv_sink *self = data;
  return csv_tables_rows (&self->tables, table, cells, n_rows);
}

static nprof_status
csv_finish (void *data)
{
  struct csv_sink *self = data;
  nprof_status status = self->with_events ? csv_events_finish (&self->events) : NPROF_OK;
  return status == NPROF_OK ? csv_tables_finish (&self->tables) : status;
}

static void
csv_close (void *data)
{
  struct csv_sink *self = data;
  csv_events_clear (&self->events);
  csv_tables_clear (&self->tables);
  csv_format_clear (&self->format);
}

static const struct nprof_component csv = {
  .size = sizeof csv,
  .kind = NPROF_SINK,
  .name = "csv",
  .summary = "CSV files for spreadsheets and data frames, one a table",
  .options = NPROF_OPTIONS (
      NPROF_STRING_OPTION (struct csv_sink, delimiter, "delimiter", "auto",
                           "between cells: one character, or comma, semicolon, tab, pipe, space; "
                           "auto: comma, or semicolon where the decimal point is a comma"),
      NPROF_CHOICE_OPTION (struct csv_sink, decimal, "decimal", "auto", "auto|.|,",
                           "the decimal point; auto: with excel=yes the user's, else a point"),
      NPROF_CHOICE_OPTION (struct csv_sink, time, "time", "ns", "ns|us|ms|s",
                           "unit of times; *_ns columns are renamed by it"),
      NPROF_STRING_OPTION (struct csv_sink, columns, "columns", "",
                           "columns to write, in this order: a+b+c; of events, or of table="),
      NPROF_STRING_OPTION (struct csv_sink, table, "table", "",
                           "write only this table; into one file or stdout, events when not given"),
      NPROF_INT_OPTION (struct csv_sink, split_rows, "split_rows", "0", "0..1000000000000",
                        "lines a file, its header included: NAME.csv, NAME-2.csv, ...; 0: one "
                        "file, with excel=yes 1048576 lines"),
      NPROF_BOOL_OPTION (struct csv_sink, excel, "excel", "no",
                         "for Excel: byte order mark, no formulas, long integers as text")),
  .wants = (const char *const[]){ "*", NULL },
  .order = NPROF_ORDER_INPUT,
  .flags = NPROF_SINK_FILE | NPROF_SINK_FOLDER | NPROF_SINK_STDOUT,
  .default_name = "events.csv",
  .instance_size = sizeof (struct csv_sink),
  .open = csv_open,
  .consume = csv_consume,
  .table = csv_table,
  .finish = csv_finish,
  .close = csv_close,
};

NPROF_PLUGIN ("csv", NPROF_VERSION, "Apache-2.0", &csv)
