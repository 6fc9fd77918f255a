/* SPDX-License-Identifier: Apache-2.0 */
/* book.c - the workbook: a temporary file without a name, sheets with a head that stays in sight,
 * and cells that hold what is exact. */
#include "sink.h"

#include "system/room.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define CHUNK (1u << 20)
#define DOS_EPOCH 315532800 /* 1980-01-01, the first day of ZIP */
#define EXACT G_GINT64_CONSTANT (999999999999999) /* 15 digits: what Excel keeps */
#define TEXT_MAX 32767                            /* characters of a cell */
#define NARROW 14
#define WIDE 40

/* -- The file ---------------------------------------------------------------------------------- */

static nprof_status
no_room (XlsxSink *self, int error)
{
  return nprof_fail (self->host, np_temp_status (error), "%s: %s: set TMPDIR to a folder with room",
                     self->folder, g_strerror (error));
}

static void
sheet_free (gpointer data)
{
  XlsxSheet *sheet = data;
  g_free (sheet->table);
  g_free (sheet);
}

nprof_status
xlsx_book_open (XlsxSink *self)
{
  self->folder = g_strdup (g_get_tmp_dir ());
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->sheets = g_ptr_array_new_with_free_func (sheet_free);
  g_autofree char *path = g_build_filename (self->folder, ".nprof-xlsx-XXXXXX", NULL);
  self->fd = g_mkstemp (path);
  if (self->fd < 0)
    return no_room (self, errno);
  g_unlink (path);
  /* The library opens a file by its name. */
  g_autofree char *name = g_strdup_printf ("/proc/self/fd/%d", self->fd);
  lxw_workbook_options options = { .constant_memory = LXW_TRUE, .tmpdir = self->folder };
  self->book = workbook_new_opt (name, &options);
  if (!self->book)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the workbook");
  self->head = workbook_add_format (self->book);
  self->share = workbook_add_format (self->book);
  self->date = workbook_add_format (self->book);
  self->ps = workbook_add_format (self->book);
  if (!self->head || !self->share || !self->date || !self->ps)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the workbook");
  /* Of no day, so that the same profile gives the same bytes; the library asks the clock for 0. */
  lxw_doc_properties properties = { .created = DOS_EPOCH, .comments = "nprof " NPROF_VERSION };
  if (workbook_set_properties (self->book, &properties))
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the workbook");
  format_set_bold (self->head);
  format_set_num_format (self->share, "0.0%");
  format_set_num_format (self->date, "yyyy-mm-dd hh:mm:ss.000");
  format_set_num_format (self->ps, "0.000");
  return NPROF_OK;
}

/* Frees a book that is not written; the library closes the files of its sheets only when it
 * writes. */
static void
drop_book (XlsxSink *self)
{
  for (guint i = 0; i < self->sheets->len; i++) {
    const XlsxSheet *sheet = self->sheets->pdata[i];
    if (sheet->sheet->optimize_tmpfile)
      fclose (sheet->sheet->optimize_tmpfile);
  }
  lxw_workbook_free (self->book);
}

void
xlsx_book_close (XlsxSink *self)
{
  if (self->book)
    drop_book (self);
  self->book = NULL;
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
  g_clear_pointer (&self->names, g_hash_table_unref);
  g_clear_pointer (&self->sheets, g_ptr_array_unref);
  g_clear_pointer (&self->folder, g_free);
}

/* What is asked first is what the book opens with. */
static void
show_first (XlsxSink *self)
{
  static const char *const first[] = { "verdict", "findings", "devices", "steps" };
  for (guint k = 0; k < G_N_ELEMENTS (first); k++)
    for (guint i = 0; i < self->sheets->len; i++) {
      const XlsxSheet *sheet = self->sheets->pdata[i];
      if (!g_str_equal (sheet->table, first[k]) || !sheet->n_rows)
        continue;
      worksheet_activate (sheet->sheet);
      worksheet_set_first_sheet (sheet->sheet);
      return;
    }
}

static void
end_sheets (XlsxSink *self)
{
  for (guint i = 0; i < self->sheets->len; i++) {
    const XlsxSheet *sheet = self->sheets->pdata[i];
    worksheet_freeze_panes (sheet->sheet, 1, 0);
    worksheet_autofilter (sheet->sheet, 0, 0, (lxw_row_t) MAX (sheet->n_rows, 1),
                          (lxw_col_t) (sheet->n_columns - 1));
    if (sheet->left_out)
      nprof_log (self->host, NPROF_WARNING,
                 "%s: a sheet holds %d rows, %" G_GUINT64_FORMAT
                 " more are left out: csv, parquet and sqlite hold all",
                 sheet->table, XLSX_ROWS, sheet->left_out);
  }
  if (self->cut)
    nprof_log (self->host, NPROF_WARNING,
               "texts of more than %d characters, which no cell holds: %" G_GUINT64_FORMAT
               "; they are cut there",
               TEXT_MAX, self->cut);
}

static nprof_status
copy (XlsxSink *self)
{
  struct nprof_output *out = self->host->output (self->host, NULL);
  g_autofree char *chunk = g_malloc (CHUNK);
  nprof_status status = out ? NPROF_OK : NPROF_E_IO;
  off_t at = 0;
  for (ssize_t n; !status && (n = pread (self->fd, chunk, CHUNK, at)) != 0; at += n) {
    if (n < 0)
      return no_room (self, errno);
    status = out->write (out, chunk, (size_t) n);
  }
  return status ? status : out->close (out);
}

nprof_status
xlsx_book_finish (XlsxSink *self)
{
  end_sheets (self);
  show_first (self);
  errno = 0;
  lxw_error error = workbook_close (self->book);
  int cause = errno;
  self->book = NULL; /* freed, also by a failure */
  if (error == LXW_ERROR_MEMORY_MALLOC_FAILED)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the workbook");
  return error ? no_room (self, cause ? cause : EIO) : copy (self);
}

/* -- Sheets ------------------------------------------------------------------------------------ */

/* Names have 31 characters, none of []:*?/\, and are compared without case. */
static char *
name_of_sheet (XlsxSink *self, const char *table)
{
  g_autofree char *plain = g_utf8_make_valid (table, -1);
  g_strdelimit (plain, "[]:*?/\\'", '_');
  for (guint n = 1;; n++) {
    g_autofree char *number = n > 1 ? g_strdup_printf ("~%u", n) : g_strdup ("");
    glong room = LXW_SHEETNAME_MAX - (glong) strlen (number);
    g_autofree char *cut = g_utf8_substring (plain, 0, MIN (room, g_utf8_strlen (plain, -1)));
    char *name = g_strconcat (cut, number, NULL);
    if (g_hash_table_add (self->names, g_utf8_casefold (name, -1)))
      return name;
    g_free (name);
  }
}

XlsxSheet *
xlsx_sheet_new (XlsxSink *self, const char *table, guint n_columns)
{
  g_autofree char *name = name_of_sheet (self, table);
  lxw_worksheet *made = workbook_add_worksheet (self->book, name);
  if (!made)
    return NULL;
  XlsxSheet *sheet = g_new0 (XlsxSheet, 1);
  sheet->table = g_strdup (table);
  sheet->sheet = made;
  sheet->n_columns = MIN (n_columns, (guint) LXW_COL_MAX);
  g_ptr_array_add (self->sheets, sheet);
  return sheet;
}

void
xlsx_sheet_head (XlsxSink *self, XlsxSheet *sheet, guint column, const char *name, bool wide)
{
  if (column >= sheet->n_columns)
    return;
  worksheet_set_column (sheet->sheet, (lxw_col_t) column, (lxw_col_t) column,
                        wide ? WIDE : MAX ((double) g_utf8_strlen (name, -1) + 3, NARROW), NULL);
  worksheet_write_string (sheet->sheet, 0, (lxw_col_t) column, name, self->head);
}

gboolean
xlsx_sheet_row (XlsxSheet *sheet)
{
  if (sheet->n_rows == XLSX_ROWS) {
    sheet->left_out++;
    return FALSE;
  }
  sheet->n_rows++;
  return TRUE;
}

/* -- Cells ------------------------------------------------------------------------------------- */

static void
put_string (XlsxSheet *sheet, guint column, const char *text)
{
  if (column < sheet->n_columns && *text)
    worksheet_write_string (sheet->sheet, (lxw_row_t) sheet->n_rows, (lxw_col_t) column, text,
                            NULL);
}

static void
put_number (XlsxSheet *sheet, guint column, double value, lxw_format *format)
{
  if (column < sheet->n_columns)
    worksheet_write_number (sheet->sheet, (lxw_row_t) sheet->n_rows, (lxw_col_t) column, value,
                            format);
}

/* A time is in ns, with three decimals. */
static void
put_ps (XlsxSink *self, XlsxSheet *sheet, guint column, gint64 ps)
{
  if (ps >= -EXACT && ps <= EXACT) {
    put_number (sheet, column, (double) ps / 1000, self->ps);
    return;
  }
  guint64 all = ps < 0 ? -(guint64) ps : (guint64) ps;
  g_autofree char *text
      = g_strdup_printf ("%s%" G_GUINT64_FORMAT ".%03u", ps < 0 ? "-" : "", all / 1000,
                         (guint) (all % 1000));
  put_string (sheet, column, text);
}

/* Days since 1899-12-30, as Excel counts them. */
static double
date_of (gint64 unix_ns)
{
  return 25569 + (double) unix_ns / 1e9 / 86400;
}

void
xlsx_put_int (XlsxSink *self, XlsxSheet *sheet, guint column, XlsxKind kind, gint64 value)
{
  char text[24];
  if (kind == XLSX_PS) {
    put_ps (self, sheet, column, value);
  } else if (kind == XLSX_DATE) {
    put_number (sheet, column, date_of (value), self->date);
  } else if (value >= -EXACT && value <= EXACT) {
    put_number (sheet, column, (double) value, NULL);
  } else {
    g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, value);
    put_string (sheet, column, text);
  }
}

void
xlsx_put_uint (XlsxSink *self, XlsxSheet *sheet, guint column, guint64 value)
{
  char text[24];
  if (value <= G_MAXINT64) {
    xlsx_put_int (self, sheet, column, XLSX_PLAIN, (gint64) value);
    return;
  }
  g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, value);
  put_string (sheet, column, text);
}

void
xlsx_put_double (XlsxSink *self, XlsxSheet *sheet, guint column, XlsxKind kind, double value)
{
  if (isfinite (value))
    put_number (sheet, column, value, kind == XLSX_SHARE ? self->share : NULL);
  else
    put_string (sheet, column, isnan (value) ? "nan" : value > 0 ? "inf" : "-inf");
}

void
xlsx_put_bool (XlsxSheet *sheet, guint column, gboolean value)
{
  if (column < sheet->n_columns)
    worksheet_write_boolean (sheet->sheet, (lxw_row_t) sheet->n_rows, (lxw_col_t) column, value,
                             NULL);
}

void
xlsx_put_text (XlsxSink *self, XlsxSheet *sheet, guint column, const char *text, size_t len)
{
  g_autofree char *valid = g_utf8_make_valid (text, (gssize) len);
  if (g_utf8_strlen (valid, -1) > TEXT_MAX) {
    *g_utf8_offset_to_pointer (valid, TEXT_MAX) = 0;
    self->cut++;
  }
  put_string (sheet, column, valid);
}

void
xlsx_put_id (XlsxSink *self, XlsxSheet *sheet, guint column, const guint8 *id)
{
  char hex[33];
  (void) self;
  for (int i = 0; i < 16; i++)
    g_snprintf (hex + 2 * i, 3, "%02x", id[i]);
  put_string (sheet, column, hex);
}
