/* SPDX-License-Identifier: Apache-2.0 */
/* sink.h - sink xlsx: what its files share. A workbook is made in a temporary file, a row at a
 * time, and copied out whole at the end. */
#ifndef XLSX_SINK_H
#define XLSX_SINK_H

#include <glib.h>
#include <nprof/row.h>
#include <nprof/sdk.h>
#include <xlsxwriter.h>

#define XLSX_ROWS (LXW_ROW_MAX - 1) /* of a sheet, below its head */

typedef struct {
  char *table; /* whose rows stand there */
  lxw_worksheet *sheet;
  guint n_columns;
  guint64 n_rows, left_out; /* beyond XLSX_ROWS */
} XlsxSheet;

typedef struct {
  bool rows;                 /* option */
  const char *const *tables; /* option: these alone; NULL or empty: all */

  const struct nprof_host *host;
  int fd; /* of the temporary file, which has no name */
  char *folder;
  lxw_workbook *book;
  lxw_format *head, *share, *date, *ps;
  GHashTable *names; /* of sheets, in lower case */
  GPtrArray *sheets; /* of XlsxSheet */
  XlsxSheet *events; /* NULL: there is none */
  guint64 cut;       /* texts */
  struct nprof_row_columns row_columns;
} XlsxSink;

/* What a number of a column is, by its unit. */
typedef enum { XLSX_PLAIN, XLSX_PS, XLSX_SHARE, XLSX_DATE } XlsxKind;

/* book.c: the file, its sheets and their cells. */
nprof_status xlsx_book_open (XlsxSink *self);
/* Writes the file and copies it to the output. */
nprof_status xlsx_book_finish (XlsxSink *self);
void xlsx_book_close (XlsxSink *self);
/* Returns a new sheet, which the book owns; NULL: no memory. */
XlsxSheet *xlsx_sheet_new (XlsxSink *self, const char *table, guint n_columns);
void xlsx_sheet_head (XlsxSink *self, XlsxSheet *sheet, guint column, const char *name, bool wide);
/* Begins a row; returns FALSE where the sheet is full: the row is counted and left out. */
gboolean xlsx_sheet_row (XlsxSheet *sheet);
/* Cells of the row that was begun. Whole numbers of more than 15 digits, which Excel would round,
 * are texts of all digits; so are times of more. */
void xlsx_put_int (XlsxSink *self, XlsxSheet *sheet, guint column, XlsxKind kind, gint64 value);
void xlsx_put_uint (XlsxSink *self, XlsxSheet *sheet, guint column, guint64 value);
void xlsx_put_double (XlsxSink *self, XlsxSheet *sheet, guint column, XlsxKind kind, double value);
void xlsx_put_bool (XlsxSheet *sheet, guint column, gboolean value);
void xlsx_put_text (XlsxSink *self, XlsxSheet *sheet, guint column, const char *text, size_t len);
void xlsx_put_id (XlsxSink *self, XlsxSheet *sheet, guint column, const guint8 *id);

/* tables.c */
nprof_status xlsx_tables_rows (XlsxSink *self, const struct nprof_table *table,
                               const struct nprof_cell *cells, uint32_t n_rows);

/* rows.c */
nprof_status xlsx_rows_open (XlsxSink *self);
nprof_status xlsx_rows_consume (XlsxSink *self, const struct nprof_batch *batch);
void xlsx_rows_close (XlsxSink *self);

#endif
