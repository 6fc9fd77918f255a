/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof sql: answers SQL over profiles. */

#include "command.h"
#include "cli/command.h"

#include <string.h>
#include <unistd.h>

static gboolean
parse_format (const char *text, NpSqlFormat *format, GError **error)
{
  static const char *const names[] = { "text", "csv", "json", "markdown" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (!text || g_str_equal (text, names[i])) {
      *format = (NpSqlFormat) i;
      return TRUE;
    }
  return np_error_set (error, NP_EXIT_USAGE, "--format %s: expected text, csv, json or markdown",
                       text);
}

static char *
read_stdin (void)
{
  GString *text = g_string_new (NULL);
  char chunk[4096];
  ssize_t n;
  while ((n = read (STDIN_FILENO, chunk, sizeof chunk)) > 0)
    g_string_append_len (text, chunk, n);
  return g_string_free (text, FALSE);
}

static char *
read_query (const char *file, GError **error)
{
  char *text = NULL;
  if (g_str_equal (file, "-"))
    return read_stdin ();
  g_autoptr (GError) why = NULL;
  if (g_file_get_contents (file, &text, NULL, &why))
    return text;
  np_error_set (error, NP_EXIT_USAGE, "-f %s: %s: name a file with a query, or - for stdin", file,
                why->message);
  return NULL;
}

/* Takes the last word when it is the query: it holds a blank and is no file. */
static char *
take_query (NpConfig *config)
{
  guint n = config->inputs->len;
  const char *last = n ? g_ptr_array_index (config->inputs, n - 1) : NULL;
  if (!last || !strpbrk (last, " \t\n") || g_file_test (last, G_FILE_TEST_EXISTS))
    return NULL;
  char *query = g_strdup (last);
  g_ptr_array_set_size (config->inputs, (int) n - 1);
  return query;
}

/* Says which word is in the wrong place: a query that is not the last, or one that is nothing. */
static void
tell_no_query (const NpConfig *config, GError **error)
{
  const guint n = config->inputs->len;
  for (guint i = 0; n > 1 && i < n; i++) {
    const char *word = config->inputs->pdata[i];
    if (g_file_test (word, G_FILE_TEST_EXISTS))
      continue;
    if (strpbrk (word, " \t\n"))
      np_error_set (error, NP_EXIT_USAGE,
                    "\"%s\" is where the INPUT should be: the query is the last word", word);
    else
      np_error_set (error, NP_EXIT_USAGE,
                    "\"%s\" is neither a file nor a query: expected one such as "
                    "\"select * from events limit 10\" as the last word",
                    word);
    return;
  }
  np_error_set (
      error, NP_EXIT_USAGE,
      "expected a query: as the last word, with -e QUERY, or with -f FILE (- is standard input)");
}

/* Returns the query; NULL without an error: the prompt asks for it. */
static char *
find_query (NpConfig *config, char *given, const char *file, GError **error)
{
  if (given && file)
    np_error_set (error, NP_EXIT_USAGE, "-e and -f exclude each other");
  if (given || file)
    return *error ? NULL : given ? g_strdup (given) : read_query (file, error);
  char *query = take_query (config);
  if (!query && !(isatty (STDIN_FILENO) && isatty (STDOUT_FILENO)))
    tell_no_query (config, error);
  return query;
}

static int
run_query (NpCliOptions *o, NpSqlSession *session, const char *query)
{
  int status;
  session->options = o;
  if (!np_cli_sql_open (session, &status))
    return status;
  if (query)
    np_cli_sql_run (session, query, &status);
  else
    np_cli_sql_prompt (session);
  np_sql_close (session->sql);
  status = np_cli_sql_damaged (session->store, status);
  nprof_store_close (session->store);
  return status;
}

static int
run (int argc, char **argv)
{
  g_auto (NpCliOptions) o = { 0 };
  g_autofree char *text = NULL, *file = NULL, *format = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *generation = NULL;
  int limit = 0;
  NpSqlSession session = { .timeout = 30, .out = stdout };
  const GOptionEntry extra[]
      = { { "execute", 'e', 0, G_OPTION_ARG_STRING, &text, "Ask this", "QUERY" },
          { "file", 'f', 0, G_OPTION_ARG_FILENAME, &file,
            "Ask what is in this file; - is standard input", "FILE" },
          { "format", 0, 0, G_OPTION_ARG_STRING, &format,
            "text, csv, json or markdown (default: text)", "FORMAT" },
          { "timeout", 0, 0, G_OPTION_ARG_DOUBLE, &session.timeout,
            "End a statement after so long; 0: never (default: 30)", "SECONDS" },
          { "generation", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &generation, "", NULL },
          { "limit", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &limit, "", NULL },
          G_OPTION_ENTRY_NULL };
  if (!np_cli_parse (&o, NP_CLI_QUERY | NP_CLI_CLIP, extra, "Asks profiles in SQL.",
                     "Examples:\n"
                     "  nprof sql FILE 'select name, sum(duration_ps) from events group by name "
                     "order by 2 desc limit 10'\n"
                     "  nprof sql -a steps --format csv FILE 'select * from step_times'\n"
                     "  nprof sql n_2fd60b -f query.sql\n"
                     "\n"
                     "Tables: events, tracks, facts, inputs and those of the analyzers; views: "
                     "slice, thread, process,\n"
                     "counter, flow and args as in Perfetto, CUPTI_ACTIVITY_KIND_KERNEL, StringIds "
                     "and others as in Nsight\n"
                     "Systems.  Without a query, on a terminal: a prompt.",
                     argc, argv))
    return NP_EXIT_USAGE;
  g_autofree char *query = parse_format (format, &session.format, &error)
                               ? find_query (o.config, text, file, &error)
                               : NULL;
  if (!error && !o.config->inputs->len)
    np_error_set (&error, NP_EXIT_USAGE,
                  "expected an INPUT, and the query behind it: nprof sql FILE 'select ...'");
  if (!error && !(session.timeout >= 0 && session.timeout <= 1e6))
    np_error_set (&error, NP_EXIT_USAGE, "--timeout: expected 0 to 1000000 seconds");
  if (error) {
    np_cli_tell_error (error, "sql");
    return NP_EXIT_USAGE;
  }
  if (generation) /* nprof view asks */
    return np_cli_sql_answer (o.config->inputs->pdata[0], generation, (guint) limit, query);
  return run_query (&o, &session, query);
}

NP_COMMAND_RUNS (run)
