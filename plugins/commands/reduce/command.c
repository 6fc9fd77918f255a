/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof reduce: the states of all ranks of a job, taken together. */

#include "cli/command.h"
#include "console/default-analyzers.h"
#include "console/file-ending.h"
#include "console/report-tables.h"
#include "console/screen.h"
#include "scale/state-set.h"

#include <string.h>
#include <unistd.h>

typedef struct {
  gint64 ranks;
  gboolean allow_missing, partial, full;
  char *job, *top, *by, *format;
} Asked;

static void
asked_clear (Asked *asked)
{
  g_free (asked->job);
  g_free (asked->top);
  g_free (asked->by);
  g_free (asked->format);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Asked, asked_clear)

/* All that is wrong, so that one look mends it. */
static int
tell_problems (const NpStateSet *set, NpLog *log)
{
  int code = NP_EXIT_OK;
  for (guint i = 0; i < set->problems->len; i++) {
    const GError *error = g_ptr_array_index (set->problems, i);
    np_log (log, NPROF_ERROR, "%s", error->message);
    code = MAX (code, error->code);
  }
  return code;
}

static int
tell_missing (const NpStateSet *set, const Asked *asked, NpLog *log)
{
  gint64 expected = asked->ranks ? asked->ranks : set->world;
  g_autofree char *missing = np_state_set_missing (set, expected);
  const NpStateRank *last
      = set->ranks->len ? g_ptr_array_index (set->ranks, set->ranks->len - 1) : NULL;
  if (asked->ranks && last && last->number >= asked->ranks) {
    np_log (log, NPROF_ERROR,
            "rank %" G_GINT64_FORMAT " is none of %" G_GINT64_FORMAT " ranks: say --ranks as it is",
            last->number, asked->ranks);
    return NP_EXIT_INPUT;
  }
  if (!missing)
    return NP_EXIT_OK;
  np_log (log, asked->allow_missing ? NPROF_WARNING : NPROF_ERROR,
          "ranks that are missing: %s (of %" G_GINT64_FORMAT " ranks)%s", missing, expected,
          asked->allow_missing ? "" : ": map them, or say --allow-missing");
  return asked->allow_missing ? NP_EXIT_LOSSES : NP_EXIT_INPUT;
}

/* -- Results ----------------------------------------------------------------------------------- */

/* The analyzer as nprof map was asked for it: states are of its options. */
static NpSpec *
spec_of (const NpStateSet *set, const char *name)
{
  g_auto (GStrv) asked = g_strsplit (set->options, " ", -1);
  for (guint i = 0; asked[i]; i++) {
    g_autoptr (NpSpec) spec = np_spec_parse (asked[i], NULL);
    if (spec && g_str_equal (spec->name, name))
      return g_steal_pointer (&spec);
  }
  return np_spec_new (name);
}

/* Rows of these are told apart by the names of inputs. */
static gboolean
check_names (const NpStateSet *set, GError **error)
{
  g_autoptr (GHashTable) owners = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < set->ranks->len; i++) {
    NpStateRank *rank = g_ptr_array_index (set->ranks, i);
    const NpStateRank *other = g_hash_table_lookup (owners, rank->file);
    if (other && !g_str_equal (other->digest, rank->digest))
      return np_error_set (
          error, NP_EXIT_INPUT,
          "ranks %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
          " are both of an input called %s, so that tables beside those of ranks cannot "
          "tell them apart: map them by the folder that holds both, or without -a",
          other->number, rank->number, rank->file);
    g_hash_table_insert (owners, rank->file, rank);
  }
  return TRUE;
}

static gboolean
add_analyzers (NpConfig *config, const NpStateSet *set, const Asked *asked, GError **error)
{
  g_auto (GStrv) names = np_state_set_analyzers (set, error);
  if (!names || (g_strv_length (names) > 1 && !check_names (set, error)))
    return FALSE;
  for (guint i = 0; names[i]; i++) {
    NpSpec *spec = spec_of (set, names[i]);
    spec->saves = asked->partial;
    if (asked->job && g_str_equal (names[i], "ranks"))
      np_spec_set (spec, "job", asked->job);
    g_ptr_array_add (config->analyzers, spec);
  }
  return TRUE;
}

/* Returns the sink that writes the page of a job. */
static NpSpec *
page (const Asked *asked, const NpConfig *config, NpRegistry *registry)
{
  NpSpec *spec = np_spec_new ("text");
  g_autofree char *tables = np_report_tables (config, registry, asked->full, FALSE);
  const char *first = strchr (tables, '+'); /* behind that of inputs, which there are none of */
  np_spec_set (spec, "tables", first ? first + 1 : tables);
  np_spec_set (spec, "brief", asked->full ? "no" : "yes");
  np_spec_set (spec, "short_names", asked->full ? "no" : "yes"); /* as in a report */
  if (asked->format)
    np_spec_set (spec, "format", asked->format);
  np_spec_set (spec, "rest", "yes");
  if (asked->top)
    np_spec_set (spec, "top", asked->top);
  if (asked->by)
    np_spec_set (spec, "by", asked->by);
  return spec;
}

/* Sets the format of a page that lacks one by the name of its file. */
static gboolean
take_format (Asked *asked, const NpConfig *config, GError **error)
{
  static const NpFileEnding endings[]
      = { { ".txt", "plain" }, { ".md", "markdown" }, { ".markdown", "markdown" },
          { ".html", "html" }, { ".htm", "html" },    { ".json", "json" },
          { NULL, NULL } };
  const char *format = NULL;
  if (asked->format || asked->partial || config->sinks->len)
    return TRUE;
  if (!np_format_of_ending (config->output, endings, &format, error))
    return FALSE;
  asked->format = g_strdup (format);
  return TRUE;
}

static int
write_tables (NpCliOptions *o, const Asked *asked, const NpScreen *screen)
{
  NpConfig *config = o->config;
  NpSpec *text = NULL;
  np_order_analyzers (config, np_cli_modules (o));
  if (!config->sinks->len) {
    text = page (asked, config, np_cli_modules (o));
    g_ptr_array_add (config->sinks, text);
    if (!config->output)
      config->output = g_strdup ("-");
  }
  return np_screen_execute (screen, o, text);
}

static int
write_partial (NpCliOptions *o, const NpStateSet *set, NpLog *log)
{
  g_autoptr (NpState) state = np_state_new ();
  g_autoptr (GError) error = NULL;
  o->config->saved = state->states;
  int code = np_cli_execute (o);
  if (code)
    return code;
  state->nprof = g_strdup (set->nprof);
  state->options = g_strdup (set->options);
  for (guint i = 0; i < set->ranks->len; i++)
    g_ptr_array_add (state->ranks, np_state_rank_copy (g_ptr_array_index (set->ranks, i)));
  np_state_sort (state);
  if (np_read_files_spare (o->config->read, o->config->output, &error)
      && np_state_write (state, o->config->output, &error))
    return NP_EXIT_OK;
  np_log (log, NPROF_ERROR, "%s", error->message);
  return error->code;
}

static int
reduce (NpCliOptions *o, const Asked *asked, const NpScreen *screen, NpLog *log)
{
  NpConfig *config = o->config;
  g_autoptr (GError) error = NULL;
  g_ptr_array_add (config->inputs, NULL);
  g_autoptr (NpStateSet) set = np_state_set_new ((const char *const *) config->inputs->pdata, log);
  g_ptr_array_set_size (config->inputs, 0);
  for (guint i = 0; i < set->sources->len; i++)
    np_read_files_add (config->read, ((NpStateSource *) set->sources->pdata[i])->path);
  int code = tell_problems (set, log);
  int missing = asked->partial ? NP_EXIT_OK : tell_missing (set, asked, log);
  if (code || (missing && missing != NP_EXIT_LOSSES))
    return code ? code : missing;
  if (!add_analyzers (config, set, asked, &error)) {
    np_log (log, NPROF_ERROR, "%s", error->message);
    return error->code;
  }
  config->states = np_state_set_merge;
  config->states_user = set;
  code = asked->partial ? write_partial (o, set, log) : write_tables (o, asked, screen);
  return (int) np_exit_worse ((NpExit) code, (NpExit) missing);
}

static gboolean
check_asked (const NpCliOptions *o, Asked *asked)
{
  g_autoptr (GError) error = NULL;
  const char *wrong = NULL;
  guint top;
  if (!np_cli_read_top (asked->top, &top, &error))
    wrong = error->message;
  else if (!o->config->inputs->len)
    wrong = "no state: name folders that nprof map wrote, or their files";
  else if (o->config->analyzers->len)
    wrong = "-a: what is known of the ranks is in their states: say it to nprof map";
  else if (asked->partial && (!o->config->output || o->config->sinks->len))
    wrong = "--partial writes one state: name it with -o FILE" NP_STATE_SUFFIX ", without -s";
  else if (asked->ranks < 0)
    wrong = "--ranks: expected how many there are";
  else if (!take_format (asked, o->config, &error))
    wrong = error->message;
  if (wrong)
    np_cli_tell (wrong, "reduce");
  return !wrong;
}

static int
run (int argc, char **argv)
{
  g_auto (NpCliOptions) o = { 0 };
  g_auto (NpScreen) screen = { 0 };
  g_auto (Asked) asked = { 0 };
  const GOptionEntry extra[]
      = { { "ranks", 0, 0, G_OPTION_ARG_INT64, &asked.ranks,
            "How many ranks the job has (default: what the profiles say)", "N" },
          { "allow-missing", 0, 0, G_OPTION_ARG_NONE, &asked.allow_missing,
            "Go on without ranks that are missing (exit status 3)", NULL },
          { "partial", 0, 0, G_OPTION_ARG_NONE, &asked.partial,
            "Write one state of all, to be taken together with others", NULL },
          { "job", 0, 0, G_OPTION_ARG_STRING, &asked.job, "What the job is called", "NAME" },
          { "top", 0, 0, G_OPTION_ARG_STRING, &asked.top, "Rows a table; 0: all", "N" },
          { "by", 0, 0, G_OPTION_ARG_STRING, &asked.by, "Column to sort by", "COLUMN" },
          { "full", 0, 0, G_OPTION_ARG_NONE, &asked.full, "All tables with all columns", NULL },
          { "format", 0, 0, G_OPTION_ARG_STRING, &asked.format,
            "plain, markdown, html or json (default: by the ending of -o)", "FORMAT" },
          NP_SCREEN_ENTRIES (&screen),
          G_OPTION_ENTRY_NULL };
  if (!np_cli_parse (
          &o, NP_CLI_SINKS | NP_CLI_OUTPUT | NP_CLI_WHOLE, extra,
          "Takes the states of nprof map together: who was late, by how much and why.",
          "Without -s it prints a page.\n"
          "\n"
          "Examples:\n"
          "  nprof reduce job\n"
          "  nprof reduce -s parquet -o tables job\n"
          "  nprof reduce --partial -o all.nps old.nps new.nps\n"
          "Exit status: 2 ranks are missing, damaged, doubled or of another job, 3 done\n"
          "without those that --allow-missing allows (nprof-reduce(1) has all).",
          argc, argv))
    return NP_EXIT_USAGE;
  NpLog *log = np_log_new (o.verbosity, STDERR_FILENO);
  int code = check_asked (&o, &asked) ? reduce (&o, &asked, &screen, log) : NP_EXIT_USAGE;
  np_log_free (log);
  return code;
}

NP_COMMAND_RUNS (run)
