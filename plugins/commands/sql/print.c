/* SPDX-License-Identifier: Apache-2.0 */
/* print.c - runs statements one after the other and prints their rows: as columns, CSV, JSON or
 * Markdown. */
#include "console/markdown.h"
#include "console/report-tables.h"
#include "command.h"
#include "sql/profile.h"
#include "system/json-writer.h"

#include <errno.h>
#include <string.h>

#define LOOK_AHEAD 2000              /* rows whose widths the columns of text have */
#define LOOK_AHEAD_BYTES (16u << 20) /* that they have at most, but for the last    */

/* -- Cells ------------------------------------------------------------------------------------- */

static void
put_blob (GString *to, sqlite3_stmt *stmt, int column)
{
  const guint8 *bytes = sqlite3_column_blob (stmt, column);
  int n = sqlite3_column_bytes (stmt, column);
  for (int i = 0; i < n; i++)
    g_string_append_printf (to, "%02x", bytes[i]);
}

static void
put_double (GString *to, double value)
{
  struct nprof_buf b = { 0 };
  nprof_put_json_double (&b, value);
  g_string_append_len (to, b.data, (gssize) b.len);
  nprof_buf_clear (&b);
}

/* Puts the value as it is; nothing for NULL. */
static void
put_plain (GString *to, sqlite3_stmt *stmt, int column)
{
  switch (sqlite3_column_type (stmt, column)) {
  case SQLITE_FLOAT:
    put_double (to, sqlite3_column_double (stmt, column));
    break;
  case SQLITE_BLOB:
    put_blob (to, stmt, column);
    break;
  case SQLITE_NULL:
    break;
  default:
    g_string_append_len (to, (const char *) sqlite3_column_text (stmt, column),
                         sqlite3_column_bytes (stmt, column));
  }
}

/* Returns the value for people: one line, nothing that a terminal obeys; "NULL" where there is no
 * value. */
static char *
printable (sqlite3_stmt *stmt, int column)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (sqlite3_column_type (stmt, column) == SQLITE_NULL)
    return g_strdup ("NULL");
  put_plain (text, stmt, column);
  return np_printable (text->str, (gssize) text->len);
}

/* -- Text -------------------------------------------------------------------------------------- */

typedef struct {
  int n;
  guint *width;
  gboolean *right;
  gsize bytes; /* of the row that was made last */
} Layout;

static guint
width_of (const char *text)
{
  return (guint) g_utf8_strlen (text, -1);
}

static void
put_line (FILE *out, const Layout *l, char **cells)
{
  for (int i = 0; i < l->n; i++) {
    guint width = width_of (cells[i]), pad = l->width[i] > width ? l->width[i] - width : 0;
    if (l->right[i])
      fprintf (out, "%*s%s", (int) pad, "", cells[i]);
    else
      fprintf (out, "%s%*s", cells[i], i + 1 < l->n ? (int) pad : 0, "");
    fputs (i + 1 < l->n ? "  " : "\n", out);
  }
}

static char **
cells_of (sqlite3_stmt *stmt, Layout *l, gboolean look)
{
  char **cells = g_new0 (char *, l->n + 1);
  l->bytes = 0;
  for (int i = 0; i < l->n; i++) {
    cells[i] = printable (stmt, i);
    l->bytes += strlen (cells[i]);
    int type = sqlite3_column_type (stmt, i);
    if (!look)
      continue;
    l->width[i] = MAX (l->width[i], width_of (cells[i]));
    l->right[i] = l->right[i] && type != SQLITE_TEXT && type != SQLITE_BLOB;
  }
  return cells;
}

static void
put_head (FILE *out, sqlite3_stmt *stmt, const Layout *l)
{
  g_auto (GStrv) names = g_new0 (char *, l->n + 1);
  for (int i = 0; i < l->n; i++)
    names[i] = np_printable (sqlite3_column_name (stmt, i), -1);
  put_line (out, l, names);
}

static int
print_text (NpSqlSession *s, sqlite3_stmt *stmt)
{
  int rc;
  Layout l = { .n = sqlite3_column_count (stmt) };
  l.width = g_new0 (guint, l.n + 1);
  l.right = g_new0 (gboolean, l.n + 1);
  for (int i = 0; i < l.n; i++) {
    g_autofree char *name = np_printable (sqlite3_column_name (stmt, i), -1);
    l.width[i] = width_of (name);
    l.right[i] = TRUE;
  }
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  gsize bytes = 0;
  while ((rc = sqlite3_step (stmt)) == SQLITE_ROW && rows->len < LOOK_AHEAD
         && bytes < LOOK_AHEAD_BYTES) {
    g_ptr_array_add (rows, cells_of (stmt, &l, TRUE));
    bytes += l.bytes;
  }
  if (rc == SQLITE_ROW || rc == SQLITE_DONE)
    put_head (s->out, stmt, &l);
  for (guint i = 0; i < rows->len; i++)
    put_line (s->out, &l, g_ptr_array_index (rows, i));
  for (; rc == SQLITE_ROW && !ferror (s->out); rc = sqlite3_step (stmt)) {
    g_auto (GStrv) cells = cells_of (stmt, &l, FALSE);
    put_line (s->out, &l, cells);
  }
  g_free (l.width);
  g_free (l.right);
  return rc;
}

/* -- CSV (RFC 4180) ---------------------------------------------------------------------------- */

static void
put_csv (FILE *out, const char *text, gsize len)
{
  if (!len || strpbrk (text, ",\"\r\n") || *text == ' ' || text[len - 1] == ' ') {
    fputc ('"', out);
    for (gsize i = 0; i < len; i++) {
      if (text[i] == '"')
        fputc ('"', out);
      fputc (text[i], out);
    }
    fputc ('"', out);
  } else {
    fwrite (text, 1, len, out);
  }
}

/* Prints CSV: NULL is an empty cell, an empty text "". */
static int
print_csv (NpSqlSession *s, sqlite3_stmt *stmt)
{
  int rc, n = sqlite3_column_count (stmt);
  g_autoptr (GString) cell = g_string_new (NULL);
  for (int i = 0; i < n; i++) {
    const char *name = sqlite3_column_name (stmt, i);
    put_csv (s->out, name, strlen (name));
    fputc (i + 1 < n ? ',' : '\n', s->out);
  }
  while ((rc = sqlite3_step (stmt)) == SQLITE_ROW && !ferror (s->out))
    for (int i = 0; i < n; i++) {
      g_string_truncate (cell, 0);
      put_plain (cell, stmt, i);
      if (sqlite3_column_type (stmt, i) != SQLITE_NULL)
        put_csv (s->out, cell->str, cell->len);
      fputc (i + 1 < n ? ',' : '\n', s->out);
    }
  return rc;
}

/* -- JSON: an array of objects, one a line ----------------------------------------------------- */

static void
put_json_cell (NpJson *j, const char *name, sqlite3_stmt *stmt, int column)
{
  g_autoptr (GString) text = g_string_new (NULL);
  switch (sqlite3_column_type (stmt, column)) {
  case SQLITE_NULL:
    np_json_null (j, name);
    return;
  case SQLITE_INTEGER:
    np_json_integer (j, name, sqlite3_column_int64 (stmt, column));
    return;
  case SQLITE_FLOAT:
    np_json_double (j, name, sqlite3_column_double (stmt, column));
    return;
  default:
    put_plain (text, stmt, column);
    np_json_text_n (j, name, text->str, text->len);
  }
}

/* Returns the names of the columns; a name that an earlier one has gets a number, since readers of
 * JSON keep only one member of a name. */
static GPtrArray *
members_of (sqlite3_stmt *stmt)
{
  g_autoptr (GHashTable) taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  for (int i = 0; i < sqlite3_column_count (stmt); i++)
    g_ptr_array_add (names, np_sql_column_name (taken, sqlite3_column_name (stmt, i)));
  return names;
}

static int
print_json (NpSqlSession *s, sqlite3_stmt *stmt)
{
  g_autoptr (GPtrArray) names = members_of (stmt);
  struct nprof_buf buf = { 0 };
  NpJson j = { .buf = &buf };
  gboolean any = FALSE;
  int rc;
  np_json_array (&j, NULL);
  while ((rc = sqlite3_step (stmt)) == SQLITE_ROW && !ferror (s->out)) {
    np_json_line (&j, 0);
    np_json_object (&j, NULL);
    for (guint i = 0; i < names->len; i++)
      put_json_cell (&j, g_ptr_array_index (names, i), stmt, (int) i);
    np_json_end_object (&j);
    fwrite (buf.data, 1, buf.len, s->out);
    buf.len = 0;
    any = TRUE;
  }
  if (any)
    np_json_line (&j, 0);
  np_json_end_array (&j);
  nprof_put_char (&buf, '\n');
  fwrite (buf.data, 1, buf.len, s->out);
  nprof_buf_clear (&buf);
  return rc;
}

/* -- Markdown ---------------------------------------------------------------------------------- */

static void
put_markdown (FILE *out, const char *text)
{
  g_autofree char *cell = np_markdown_cell (text);
  fprintf (out, " %s |", cell);
}

static int
print_markdown (NpSqlSession *s, sqlite3_stmt *stmt)
{
  int rc, n = sqlite3_column_count (stmt);
  fputc ('|', s->out);
  for (int i = 0; i < n; i++)
    put_markdown (s->out, sqlite3_column_name (stmt, i));
  fputs ("\n|", s->out);
  for (int i = 0; i < n; i++)
    fputs ("---|", s->out);
  while ((rc = sqlite3_step (stmt)) == SQLITE_ROW && !ferror (s->out)) {
    fputs ("\n|", s->out);
    for (int i = 0; i < n; i++) {
      g_autofree char *text = printable (stmt, i);
      put_markdown (s->out, text);
    }
  }
  fputc ('\n', s->out);
  return rc;
}

/* -- Statements -------------------------------------------------------------------------------- */

static int
print (NpSqlSession *s, sqlite3_stmt *stmt)
{
  static int (*const printers[]) (NpSqlSession *, sqlite3_stmt *)
      = { print_text, print_csv, print_json, print_markdown };
  if (!sqlite3_column_count (stmt))
    return sqlite3_step (stmt);
  if (s->printed)
    fputc ('\n', s->out);
  s->printed = TRUE;
  return printers[s->format](s, stmt);
}

/* Says which table was probably meant, of those that are made only when asked for. */
static char *
near_table (NpSqlSession *s, const char *name)
{
  const char *near = np_report_near_table (np_cli_modules (s->options), name);
  const NpRegistryEntry *maker = near ? np_report_maker (np_cli_modules (s->options), near) : NULL;
  if (!near)
    return g_strdup ("");
  return maker && maker->kind == NPROF_ANALYZER
             ? g_strdup_printf (": did you mean %s? -a %s makes it", near, maker->name)
             : g_strdup_printf (": did you mean %s?", near);
}

/* Says who makes a table that is not there; "" for all other errors. */
static char *
maker_hint (NpSqlSession *s)
{
  static const char beginning[] = "no such table: ";
  const char *message = sqlite3_errmsg (np_sql_db (s->sql));
  const NpRegistryEntry *maker
      = g_str_has_prefix (message, beginning)
            ? np_report_maker (np_cli_modules (s->options), message + strlen (beginning))
            : NULL;
  if (!maker)
    return g_str_has_prefix (message, beginning) ? near_table (s, message + strlen (beginning))
                                                 : g_strdup ("");
  return maker->kind == NPROF_ANALYZER
             ? g_strdup_printf ("; -a %s makes it", maker->name)
             : g_strdup_printf ("; decoder %s makes it, of other profiles", maker->name);
}

static gboolean
failed (NpSqlSession *s, const char *text, gsize at, int *status)
{
  int interrupt = atomic_load (&np_cli_interrupt);
  *status = interrupt ? interrupt : NP_EXIT_USAGE;
  g_autofree char *maker = maker_hint (s); /* before SQLite is asked for what is near */
  g_autofree char *why = np_sql_error (s->sql, text, at, NULL);
  if (interrupt)
    return FALSE;
  if (np_sql_was_late (s->sql))
    g_printerr ("nprof: error: " NP_SQL_LATE "\n", s->timeout);
  else
    g_printerr ("nprof: error: %s%s\n", why, maker);
  return FALSE;
}

/* Tells what was not written, but of a reader that went away. */
static int
not_written (int error)
{
  if (error == EPIPE)
    return NP_EXIT_PIPE;
  g_printerr ("nprof: error: stdout: %s\n", np_error_words (error));
  return np_exit_of (error, NP_EXIT_SINK);
}

gboolean
np_cli_sql_run (NpSqlSession *s, const char *text, int *status)
{
  const char *at = text, *next;
  while (*at) {
    sqlite3_stmt *stmt = NULL;
    np_sql_begin (s->sql, s->timeout);
    int rc = sqlite3_prepare_v2 (np_sql_db (s->sql), at, -1, &stmt, &next);
    rc = rc ? rc : stmt ? print (s, stmt) : SQLITE_DONE;
    int unwritten = fflush (s->out) ? errno : 0;
    np_sql_end (s->sql);
    if (rc != SQLITE_DONE && rc != SQLITE_ROW) {
      failed (s, text, (gsize) (at - text), status);
      sqlite3_finalize (stmt);
      return FALSE;
    }
    sqlite3_finalize (stmt);
    if (unwritten) {
      *status = not_written (unwritten);
      return FALSE;
    }
    at = next;
  }
  return TRUE;
}
