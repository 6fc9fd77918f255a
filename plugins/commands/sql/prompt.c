/* SPDX-License-Identifier: Apache-2.0 */
/* prompt.c - the prompt of nprof sql: statements over several lines, edited by libedit with a
 * history; built without it the terminal edits lines.  Ctrl-C ends a query, not the program. */
#include "command.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef NP_HAVE_EDIT
#include <editline/readline.h>
#endif

static void
on_interrupt (int number)
{
  (void) number;
  atomic_store (&np_cli_interrupt, NP_EXIT_INTERRUPTED);
}

/* -- Lines ------------------------------------------------------------------------------------- */

#ifdef NP_HAVE_EDIT
static char *
history_path (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), "nprof", NULL);
  g_mkdir_with_parents (folder, 0700);
  return g_build_filename (folder, "sql_history", NULL);
}

static void
lines_begin (void)
{
  g_autofree char *path = history_path ();
  rl_outstream = fdopen (dup (STDOUT_FILENO), "w"); /* it moves the cursor, stdout only shows */
  using_history ();
  stifle_history (1000);
  read_history (path);
}

static void
lines_end (void)
{
  g_autofree char *path = history_path ();
  write_history (path);
}

static void
remember (const char *text)
{
  g_autofree char *line = g_strdelimit (g_strdup (text), "\n", ' ');
  add_history (g_strstrip (line));
}

static char *
next_line (const char *prompt)
{
  return readline (prompt);
}
#else
static void
lines_begin (void)
{
}

static void
lines_end (void)
{
}

static void
remember (const char *text)
{
  (void) text;
}

static char *
next_line (const char *prompt)
{
  char *line = NULL;
  size_t room = 0;
  fputs (prompt, stdout);
  fflush (stdout);
  if (getline (&line, &room, stdin) < 0) {
    free (line);
    return NULL;
  }
  line[strcspn (line, "\n")] = '\0';
  return line;
}
#endif

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
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean ends = FALSE;
  char *line;
  sigaction (SIGINT, &end, NULL);
  lines_begin ();
  while (!ends && (line = next_line (text->len ? "   ...> " : "nprof> "))) {
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
        remember (text->str);
        ask (s, text->str);
      }
      g_string_truncate (text, 0);
    }
  }
  fputc ('\n', s->out);
  lines_end ();
  atomic_store (&np_cli_interrupt, 0);
}
