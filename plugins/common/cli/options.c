/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - the command line options that run, report and info share. */

#include "base/fence.h"
#include "base/install-paths.h"
#include "base/parse-time.h"
#include "cli/cli.h"
#include "cli/config-file.h"
#include "input/input.h"
#include "plugin/plugins-off.h"
#include "rows/text-limit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
np_cli_options_clear (NpCliOptions *o)
{
  g_clear_pointer (&o->config, np_config_free);
  g_clear_pointer (&o->registry, np_registry_free);
  g_free (o->config_file);
  g_free (o->decoder);
  g_free (o->annotations);
  g_strfreev (o->eager);
  g_free (o->from);
  g_free (o->to);
  g_free (o->text_max);
  g_strfreev (o->analyzers);
  g_strfreev (o->sinks);
  g_strfreev (o->steps);
  g_strfreev (o->tracks);
  g_strfreev (o->names);
  g_strfreev (o->where);
  g_clear_pointer (&o->ors, g_array_unref);
  g_strfreev (o->inputs);
}

/* -- Verbosity ------------------------------------------------------------- */

static gboolean
more_words (const char *name, const char *value, gpointer data, GError **error)
{
  (void) name, (void) value, (void) error;
  NpCliOptions *o = data;
  o->verbosity = MIN (o->verbosity + 1, NPROF_DEBUG);
  return TRUE;
}

static gboolean
fewer_words (const char *name, const char *value, gpointer data, GError **error)
{
  (void) name, (void) value, (void) error;
  ((NpCliOptions *) data)->verbosity = NPROF_ERROR;
  return TRUE;
}

/* -- Alternatives ---------------------------------------------------------- */

static guint
length_of (char **texts)
{
  return texts ? g_strv_length (texts) : 0;
}

static NpCliOr
here (const NpCliOptions *o)
{
  return (NpCliOr){ length_of (o->steps), length_of (o->tracks), length_of (o->names),
                    length_of (o->where) };
}

/* GLib keeps repeated options apart by name, so that what stands before an --or is counted when it
 * is met. */
static gboolean
another (const char *name, const char *value, gpointer data, GError **error)
{
  (void) name, (void) value, (void) error;
  NpCliOptions *o = data;
  NpCliOr mark = here (o);
  if (!o->ors)
    o->ors = g_array_new (FALSE, FALSE, sizeof (NpCliOr));
  g_array_append_val (o->ors, mark);
  return TRUE;
}

/* Returns where alternative i begins, or one behind the last ends. */
static NpCliOr
begin_of (const NpCliOptions *o, guint i)
{
  guint n = o->ors ? o->ors->len : 0;
  if (!i)
    return (NpCliOr){ 0 };
  return i <= n ? g_array_index (o->ors, NpCliOr, i - 1) : here (o);
}

const char *
np_cli_step (const NpCliOptions *o, guint i)
{
  NpCliOr from = begin_of (o, i), to = begin_of (o, i + 1);
  return from.steps < to.steps ? o->steps[to.steps - 1] : NULL;
}

/* -- The groups ------------------------------------------------------------ */

/* clang-format off */ /* tables */
static void
add_entries (GOptionContext *context, NpCliOptions *o, guint which, const GOptionEntry *extra)
{
  const GOptionEntry common[] = {
    { "decoder", 'd', 0, G_OPTION_ARG_STRING, &o->decoder, "Read inputs as this format (default: by content)",
      "DECODER[:KEY=VALUE,...]" },
    { "analyzer", 'a', 0, G_OPTION_ARG_STRING_ARRAY, &o->analyzers, "Analyze; may be given again",
      "ANALYZER[:KEY=VALUE,...]" },
    { "eager", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->eager, "Name kernels of graphs by this recording of their capture, or of a run without graphs; may be given again", "FILE" },
    { "annotations", 0, 0, G_OPTION_ARG_FILENAME, &o->annotations, "Name kernels of graphs by PyTorch's annotations of their nodes", "FILE" },
    { "no-eager", 0, 0, G_OPTION_ARG_NONE, &o->no_eager, "Look for no such recording beside the input", NULL },
    { "jobs", 'j', 0, G_OPTION_ARG_INT, &o->jobs, "Threads that decode (default: one a processor)", "N" },
    { "keep-going", 'k', 0, G_OPTION_ARG_NONE, &o->config->keep_going,
      "Skip damaged records and count them (exit status 3)", NULL },
    { "text-max", 0, 0, G_OPTION_ARG_STRING, &o->text_max, "Bytes of one text, which is cut there and said (default: 16M)", "SIZE" },
    { "call-limit", 0, 0, G_OPTION_ARG_INT, &o->config->call_limit, "How long a call of another's plugin may compute without progress (default: 10; 0: for ever)", "SECONDS" },
    { "no-progress", 0, 0, G_OPTION_ARG_NONE, &o->no_progress, "No progress line on a terminal", NULL },
    { "verbose", 'v', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, more_words,
      "Say more on stderr; twice: everything", NULL },
    { "quiet", 'q', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, fewer_words, "Say errors only", NULL },
    G_OPTION_ENTRY_NULL
  };
  const GOptionEntry sinks[] = {
    { "sink", 's', 0, G_OPTION_ARG_STRING_ARRAY, &o->sinks, "Write with this sink; may be given again",
      "SINK[:KEY=VALUE,...]" },
    { "config", 0, 0, G_OPTION_ARG_FILENAME, &o->config_file, "Read inputs, components and output from a JSON file", "FILE" },
    G_OPTION_ENTRY_NULL
  };
  const GOptionEntry output[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &o->config->output, "Where to write; - is stdout", "PATH" },
    G_OPTION_ENTRY_NULL
  };
  GOptionGroup *main_group = g_option_group_new ("nprof", "", "", o, NULL);
  if (extra)
    g_option_group_add_entries (main_group, extra);
  if (which & NP_CLI_SINKS)
    g_option_group_add_entries (main_group, sinks);
  if (which & NP_CLI_OUTPUT)
    g_option_group_add_entries (main_group, output);
  g_option_group_add_entries (main_group, common);
  const GOptionEntry inputs[] = {
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->inputs, NULL,
      which & NP_CLI_PAIR ? "BASE NEW" : which & NP_CLI_DEMANDS ? "INPUT DEMAND..." : which & NP_CLI_QUERY ? "INPUT... [QUERY]" : which & NP_CLI_NAME ? "[NAME] [INPUT...]" : which & NP_CLI_TOOL ? "TOOL [FILE...] [NAME=VALUE...]" : which & NP_CLI_VERB ? "[COMMAND] [NAME] [FILE...]" : "INPUT..." },
    G_OPTION_ENTRY_NULL
  };
  g_option_group_add_entries (main_group, inputs);
  g_option_context_set_main_group (context, main_group);

  const GOptionEntry selection[] = {
    { "from", 0, 0, G_OPTION_ARG_STRING, &o->from, "Rows that end at or after this time from the origin", "TIME" },
    { "to", 0, 0, G_OPTION_ARG_STRING, &o->to, "Rows that start at or before this time", "TIME" },
    { "step", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->steps, "Rows of these steps: 5, 3..7, last, 2nd", "A..B" },
    { "track", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->tracks, "Rows of tracks with this in their label, and below; may be given again", "PATTERN" },
    { "name", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->names, "Rows with this in their name (with *: a glob of all of it); may be given again", "PATTERN" },
    { "where", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->where, "Rows that meet this, such as \"category=compute and not duration<1ms\"; all that are given must hold", "CONDITION" },
    { "or", 0, G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, another, "Rows that fit what stands before it, or what stands behind it (but for times)", NULL },
    G_OPTION_ENTRY_NULL
  };
  if (which & NP_CLI_WHOLE)
    return;
  GOptionGroup *selection_group
    = g_option_group_new ("selection", "Selection (times: 1.5ms, 20us, 3s; facts of devices always stay):",
                          "Show the options that select rows", o, NULL);
  const GOptionEntry clip[] = {
    { "clip", 0, 0, G_OPTION_ARG_NONE, &o->config->selection.clip, "Count only the part inside of spans that cross --from or --to", NULL },
    G_OPTION_ENTRY_NULL
  };
  g_option_group_add_entries (selection_group, selection);
  if (which & NP_CLI_CLIP)
    g_option_group_add_entries (selection_group, clip);
  g_option_context_add_group (context, selection_group);
}

/* clang-format on */

/* -- Texts to configuration ------------------------------------------------ */

static gboolean
parse_specs (GPtrArray *specs, char **texts, GError **error)
{
  for (char **text = texts; text && *text; text++) {
    NpSpec *spec = np_spec_parse (*text, error);
    if (!spec)
      return FALSE;
    g_ptr_array_add (specs, spec);
  }
  return TRUE;
}

static GPtrArray *
to_array (char **texts, guint from, guint to)
{
  if (from == to)
    return NULL;
  GPtrArray *array = g_ptr_array_new_with_free_func (g_free);
  for (guint i = from; i < to; i++)
    g_ptr_array_add (array, g_strdup (texts[i]));
  return array;
}

static gboolean
parse_alternative (NpSelection *s, const NpCliOptions *o, guint i, GError **error)
{
  NpCliOr from = begin_of (o, i), to = begin_of (o, i + 1);
  const char *step = np_cli_step (o, i);
  s->tracks = to_array (o->tracks, from.tracks, to.tracks);
  s->names = to_array (o->names, from.names, to.names);
  s->where = to_array (o->where, from.where, to.where);
  return !step || np_parse_steps (step, s, error);
}

/* The first is the selection itself. */
static gboolean
parse_alternatives (NpSelection *s, const NpCliOptions *o, GError **error)
{
  guint n = o->ors ? o->ors->len : 0;
  for (guint i = 1; i <= n; i++) {
    NpSelection *one = g_new0 (NpSelection, 1);
    np_selection_add (s, one);
    if (!parse_alternative (one, o, i, error))
      return FALSE;
  }
  return parse_alternative (s, o, 0, error);
}

static gboolean
parse_selection (NpCliOptions *o, GError **error)
{
  NpSelection *s = &o->config->selection;
  if (o->from && !(s->has_from = np_parse_time (o->from, &s->from, error)))
    return FALSE;
  if (o->to && !(s->has_to = np_parse_time (o->to, &s->to, error)))
    return FALSE;
  o->config->needs_rows = TRUE;
  return parse_alternatives (s, o, error) && np_selection_check (s, error);
}

static gboolean
parse_text_max (const char *text, gsize *most, GError **error)
{
  guint64 bytes;
  if (!np_cli_read_size ("--text-max", text, &bytes, error))
    return FALSE;
  *most = (gsize) bytes;
  if (bytes >= NP_TEXT_LEAST && bytes <= NP_TEXT_MAX)
    return TRUE;
  return np_error_set (error, NP_EXIT_USAGE, "--text-max %s: expected 1K to 1G", text);
}

/* Returns the path for decoders, whose lists are joined by +; transfer full, NULL with an error. */
static char *
hint_path (const char *option, const char *path, GError **error)
{
  char *absolute = g_canonicalize_filename (path, NULL);
  if (!strchr (absolute, '+'))
    return absolute;
  np_error_set (error, NP_EXIT_USAGE, "--%s %s: a path with + in it: name a link to it", option,
                path);
  g_free (absolute);
  return NULL;
}

static void
set_hint (NpConfig *config, const char *key, const char *value)
{
  if (!config->hints)
    config->hints = np_spec_new ("*");
  np_spec_set (config->hints, key, value);
}

gboolean
np_cli_hints (const NpCliOptions *o, NpConfig *config, GError **error)
{
  g_autoptr (GString) eager = g_string_new (NULL);
  for (char **file = o->eager; file && *file; file++) {
    g_autofree char *path = hint_path ("eager", *file, error);
    if (!path)
      return FALSE;
    g_string_append_printf (eager, "%s%s", eager->len ? "+" : "", path);
  }
  if (eager->len && o->no_eager)
    return np_error_set (error, NP_EXIT_USAGE, "--eager and --no-eager: leave one of them out");
  if (eager->len)
    set_hint (config, "eager", eager->str);
  if (o->no_eager)
    set_hint (config, "companions", "no");
  if (o->annotations) {
    g_autofree char *path = g_canonicalize_filename (o->annotations, NULL);
    set_hint (config, "annotations", path);
  }
  return TRUE;
}

static gboolean
to_config (NpCliOptions *o, GError **error)
{
  NpConfig *config = o->config;
  if (o->jobs < 0 || o->jobs > 1024)
    return np_error_set (error, NP_EXIT_USAGE, "-j %d: expected 1 to 1024", o->jobs);
  config->jobs = (guint) o->jobs;
  if (config->call_limit < 0 || config->call_limit > 86400)
    return np_error_set (error, NP_EXIT_USAGE, "--call-limit %d: expected 0 to 86400",
                         config->call_limit);
  if (o->text_max && !parse_text_max (o->text_max, &config->text_most, error))
    return FALSE;
  for (char **input = o->inputs; input && *input; input++)
    g_ptr_array_add (config->inputs, g_strdup (*input));
  if (o->decoder && !(config->decoder = np_spec_parse (o->decoder, error)))
    return FALSE;
  if (!np_cli_hints (o, config, error))
    return FALSE;
  if (!parse_specs (config->analyzers, o->analyzers, error)
      || !parse_specs (config->sinks, o->sinks, error) || !parse_selection (o, error)
      || !np_config_read_environment (config, error))
    return FALSE;
  return !o->config_file || np_config_load (config, o->config_file, error);
}

/* Splits -j2 into -j 2, because GOption does not know values that are attached to short options. */
static GStrv
split_short (int argc, char **argv)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  gboolean ended = FALSE;
  for (int i = 0; i < argc; i++) {
    const char *word = argv[i];
    ended = ended || g_str_equal (word, "--");
    gboolean attached
        = !ended && word[0] == '-' && word[1] && strchr ("dasojn", word[1]) && word[2];
    if (attached) {
      g_autofree char *option = g_strndup (word, 2);
      g_strv_builder_add (words, option);
    }
    g_strv_builder_add (words, attached ? word + 2 : word);
  }
  return g_strv_builder_end (words);
}

char *
np_cli_shell_word (const char *word)
{
  static const char plain[] = G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-./+=:,@%";
  return *word && strspn (word, plain) == strlen (word) ? g_strdup (word) : g_shell_quote (word);
}

void
np_cli_tell (const char *message, const char *command)
{
  g_autofree char *shown = np_printable (message, -1);
  g_printerr ("nprof: error: %s (nprof %s --help tells more)\n", shown, command);
}

void
np_cli_tell_error (const GError *error, const char *command)
{
  if (error->code == NP_EXIT_USAGE) {
    np_cli_tell (error->message, command);
    return;
  }
  g_autofree char *shown = np_printable (error->message, -1);
  g_printerr ("nprof: error: %s\n", shown);
}

#define MOST_ROWS 1000000000 /* as sink text takes */

gboolean
np_cli_read_top (const char *text, guint *top, GError **error)
{
  guint64 rows;
  if (!text)
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 0, MOST_ROWS, &rows, NULL))
    return np_error_set (error, NP_EXIT_USAGE, "--top %s: expected 0 (all) or more, %d at most",
                         text, MOST_ROWS);
  *top = (guint) rows;
  return TRUE;
}

gboolean
np_cli_read_size (const char *option, const char *text, guint64 *bytes, GError **error)
{
  char *end = NULL;
  double number = g_ascii_strtod (text, &end);
  guint shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : *end == 'T' ? 40 : 0;
  if (end == text || !(number >= 0 && number < 1e15) || strlen (end) > (shift ? 1u : 0u))
    return np_error_set (error, NP_EXIT_USAGE, "%s %s: expected a size such as 500M or 20G", option,
                         text);
  *bytes = (guint64) (number * (double) (G_GUINT64_CONSTANT (1) << shift));
  return TRUE;
}

void
np_cli_warn (const NpCliOptions *o, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  NpLog *log = np_log_new (o->verbosity, STDERR_FILENO);
  np_log (log, NPROF_WARNING, "%s", text);
  np_log_free (log);
}

gboolean
np_cli_parse (NpCliOptions *o, guint which, const GOptionEntry *extra, const char *summary,
              const char *description, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autofree char *command = g_strdup_printf ("nprof %s", argv[0]);
  o->config = np_config_new ();
  o->verbosity = NPROF_WARNING;
  add_entries (context, o, which, extra);
  g_option_context_set_summary (context, summary);
  g_option_context_set_description (context, description);
  g_set_prgname (command); /* what "Usage:" shows */
  g_auto (GStrv) words = split_short (argc, argv);
  if ((g_option_context_parse_strv (context, &words, &error)
       || np_cli_suggest_option (context, &error))
      && to_config (o, &error))
    return TRUE;
  np_cli_tell (error->message, argv[0]);
  return FALSE;
}

NpRegistry *
np_cli_modules (NpCliOptions *o)
{
  g_autofree char *installed = np_installed_plugins ();
  if (!o->registry)
    o->registry = np_registry_new (installed);
  return o->registry;
}

char *
np_cli_spec_shown (NpCliOptions *o, guint kind, const char *text)
{
  g_autoptr (NpSpec) spec = text ? np_spec_parse (text, NULL) : NULL;
  const NpRegistryEntry *entry
      = spec ? np_registry_get (np_cli_modules (o), kind, spec->name, NULL) : NULL;
  return entry ? np_option_text_shown (entry->component, text) : g_strdup (text);
}

void
np_cli_begin_again (GPtrArray *inputs)
{
  for (guint i = 0; i < inputs->len; i++)
    if (np_input_once (inputs->pdata[i]))
      return;
  np_fence_begin_again (NP_WITHOUT);
}

int
np_cli_execute (NpCliOptions *o)
{
  NpLog *log = np_log_new (o->verbosity, STDERR_FILENO);
  o->config->progress = !o->no_progress && isatty (STDERR_FILENO);
  NpExit code = np_run (o->config, np_cli_modules (o), log, &np_cli_interrupt);
  np_log_free (log);
  return (int) code;
}
