/* SPDX-License-Identifier: Apache-2.0 */
/* prompt.c - the prompt of nprof sql: statements over several lines, with a history where
 * libedit is installed, which is opened when it is needed.  Ctrl-C ends a query, not the
 * program. */
#include "command.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
on_interrupt (int number)
{
  (void) number;
  atomic_store (&np_cli_interrupt, NP_EXIT_INTERRUPTED);
}

/* -- Lines ------------------------------------------------------------------------------------- */

/* These are functions of libedit, opened for the prompt alone; NULL where it is not installed: then
 * the terminal edits lines. */
typedef struct {
  char *(*line) (const char *prompt);
  int (*add) (const char *line);
  int (*read) (const char *path);
  int (*write) (const char *path);
} Edit;

static char *
history_path (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), "nprof", NULL);
  g_mkdir_with_parents (folder, 0700);
  return g_build_filename (folder, "sql_history", NULL);
}

#define TAKE(member, name) (edit->member = (__typeof__ (edit->member)) dlsym (library, name))

static void
open_edit (Edit *edit)
{
  void *library = dlopen ("libedit.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void (*begin) (void) = library ? (void (*) (void)) dlsym (library, "using_history") : NULL;
  void (*limit) (int) = library ? (void (*) (int)) dlsym (library, "stifle_history") : NULL;
  if (!begin || !limit || !TAKE (add, "add_history") || !TAKE (read, "read_history")
      || !TAKE (write, "write_history") || !TAKE (line, "readline"))
    return;
  FILE **screen = dlsym (library, "rl_outstream");
  if (screen) /* it moves the cursor, which stdout only shows */
    *screen = fdopen (dup (STDOUT_FILENO), "w");
  begin ();
  limit (1000);
}

static void
lines_begin (Edit *edit)
{
  g_autofree char *path = history_path ();
  open_edit (edit);
  if (edit->line)
    edit->read (path);
}

static void
lines_end (const Edit *edit)
{
  g_autofree char *path = history_path ();
  if (edit->line)
    edit->write (path);
}

static void
remember (const Edit *edit, const char *text)
{
  g_autofree char *line = g_strdelimit (g_strdup (text), "\n", ' ');
  if (edit->line)
    edit->add (g_strstrip (line));
}

static char *
next_line (const Edit *edit, const char *prompt)
{
  char *line = NULL;
  size_t room = 0;
  if (edit->line)
    return edit->line (prompt);
  fputs (prompt, stdout);
  fflush (stdout);
  if (getline (&line, &room, stdin) < 0) {
    free (line);
    return NULL;
  }
  line[strcspn (line, "\n")] = '\0';
  return line;
}

/* -- Words of the prompt itself ---------------------------------------------------------------- */

/* Returns FALSE when the line is no word of the prompt. */
static gboolean
take_word (NpSqlSession *s, const char *line, gboolean *ends)
{
  int status;
  if (*line != '.')
    return FALSE;
  if (g_str_equal (line, ".quit") || g_str_equal (line, ".exit"))
    *ends = TRUE;
  else if (g_str_equal (line, ".tables"))
    np_cli_sql_run (s,
                    "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'row\\_%' ESCAPE "
                    "'\\' ORDER BY type, name",
                    &status);
  else if (g_str_has_prefix (line, ".columns ")) {
    g_autofree char *sql = g_strdup_printf ("SELECT name, type FROM pragma_table_info('%s')",
                                            g_strstrip ((char *) line + 9));
    np_cli_sql_run (s, sql, &status);
  } else
    fputs (".tables lists tables and views, .columns TABLE its columns, .quit ends; a statement "
           "ends in ;\n",
           s->out);
  return TRUE;
}

static void
ask (NpSqlSession *s, const char *text)
{
  int status;
  atomic_store (&np_cli_interrupt, 0);
  s->printed = FALSE;
  if (!np_cli_sql_run (s, text, &status) && status == NP_EXIT_INTERRUPTED)
    g_printerr ("nprof: the query was ended\n");
  np_cli_sql_damaged (s->store, status);
}

void
np_cli_sql_prompt (NpSqlSession *s)
{
  struct sigaction end = { .sa_handler = on_interrupt };
  Edit edit = { 0 };
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean ends = FALSE;
  char *line;
  sigaction (SIGINT, &end, NULL);
  lines_begin (&edit);
  while (!ends && (line = next_line (&edit, text->len ? "   ...> " : "nprof> "))) {
    if (!text->len && take_word (s, g_strstrip (line), &ends)) {
      free (line);
      continue;
    }
    if (text->len)
      g_string_append_c (text, '\n');
    g_string_append (text, line);
    free (line);
    if (!*g_strstrip (text->str) || sqlite3_complete (text->str)) {
      if (*text->str) {
        remember (&edit, text->str);
        ask (s, text->str);
      }
      g_string_truncate (text, 0);
    }
  }
  fputc ('\n', s->out);
  lines_end (&edit);
  atomic_store (&np_cli_interrupt, 0);
}
