/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof sweep: runs of one program that differ in numbers, side by side. */

#include "cli/command.h"
#include "base/error.h"
#include "console/collect-tables.h"
#include "console/default-analyzers.h"
#include "console/file-ending.h"
#include "sweep.h"

#include <math.h>
#include <string.h>

typedef struct {
  NpCliOptions options;
  char *by, *values_file, *format;
  NpSweepValues *values; /* NULL: none */
  NpSweep sweep;
} Asked;

static void
asked_clear (Asked *a)
{
  np_cli_options_clear (&a->options);
  g_free (a->by);
  g_free (a->values_file);
  g_free (a->format);
  g_clear_pointer (&a->values, np_sweep_values_free);
  g_clear_pointer (&a->sweep.runs, g_ptr_array_unref);
  g_strfreev (a->sweep.by);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Asked, asked_clear)

/* -- What is asked for ------------------------------------------------------------------------- */

static gboolean
read_by (Asked *a, GError **error)
{
  NpSweep *s = &a->sweep;
  s->by = g_strsplit (a->by ? a->by : "", ",", -1);
  s->n_by = g_strv_length (s->by);
  gboolean good = s->n_by > 0 && s->n_by <= NP_SWEEP_KEYS;
  for (guint k = 0; k < s->n_by && good; k++) {
    good = *g_strstrip (s->by[k]) != '\0';
    for (guint other = 0; other < k && good; other++)
      good = strcmp (s->by[k], s->by[other]) != 0;
  }
  if (!good)
    np_error_set (error, NP_EXIT_USAGE,
                  "--by %s: expected 1 to %d different keys between commas, such as batch,length",
                  a->by ? a->by : "is missing", NP_SWEEP_KEYS);
  return good;
}

static gboolean
read_format (Asked *a, GError **error)
{
  static const NpFileEnding endings[] = { { ".txt", "text" },
                                          { ".md", "markdown" },
                                          { ".markdown", "markdown" },
                                          { ".json", "json" },
                                          { NULL, NULL } };
  static const char *const names[] = { "text", "markdown", "json", NULL };
  const char *format = NULL;
  if (!a->format && !np_format_of_ending (a->options.config->output, endings, &format, error))
    return FALSE;
  if (!a->format)
    a->format = g_strdup (format ? format : "text");
  if (g_strv_contains (names, a->format))
    return TRUE;
  return np_error_set (error, NP_EXIT_USAGE, "--format %s: expected text, markdown or json",
                       a->format);
}

static gboolean
read_values (Asked *a, GError **error)
{
  if (!a->values_file)
    return TRUE;
  g_autoptr (GPtrArray) alone = g_ptr_array_new ();
  a->values = np_sweep_values_read (a->values_file, error);
  if (!a->values || !np_sweep_values_fit (a->values, a->options.config->inputs, alone, error))
    return FALSE;
  for (guint i = 0; i < alone->len; i++) {
    const NpSweepValuesLine *line = alone->pdata[i];
    np_cli_warn (&a->options, "--values %s: line %u: %s is no input", a->values_file, line->number,
                 line->file);
  }
  return TRUE;
}

/* -- Runs -------------------------------------------------------------------------------------- */

/* Reads a profile in a run of its own, as a report would; returns an NpExit. */
static int
read_run (Asked *a, const char *input)
{
  static const char *const names[] = { "summary", "abilities", "inputs", NULL };
  NpCliOptions *o = &a->options;
  g_auto (NpCollected) collected = { 0 };
  g_ptr_array_set_size (o->config->inputs, 0);
  g_ptr_array_set_size (o->config->sinks, 0);
  np_cli_take_analyzers (o);
  g_ptr_array_add (o->config->inputs, g_strdup (input));
  np_add_default_analyzers (o->config, np_cli_modules (o), NULL);
  np_cli_want_table (o, names[0]);
  o->config->team_answers = TRUE;
  np_collect (&collected, names, o->config);
  const int status = np_cli_execute (o);
  if (status != NP_EXIT_OK && status != NP_EXIT_LOSSES)
    return status;
  NpSweepRun *run = np_sweep_run_new (input);
  np_sweep_read (run, collected.tables);
  for (guint k = 0; k < a->sweep.n_by; k++)
    run->keys[k] = np_sweep_key (a->sweep.by[k], a->values, input, collected.tables);
  g_ptr_array_add (a->sweep.runs, run);
  return status;
}

static int
compare_numbers (double a, double b)
{
  return isnan (a) - isnan (b) + (a > b) - (a < b);
}

static int
by_keys (gconstpointer a, gconstpointer b)
{
  const NpSweepRun *x = *(NpSweepRun *const *) a, *y = *(NpSweepRun *const *) b;
  int order = 0;
  for (guint k = 0; k < NP_SWEEP_KEYS && !order; k++)
    order = compare_numbers (x->keys[k].value, y->keys[k].value);
  return order ? order : strcmp (x->label, y->label);
}

static int
sweep (Asked *a)
{
  NpConfig *config = a->options.config;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < config->inputs->len; i++)
    g_ptr_array_add (inputs, g_strdup (config->inputs->pdata[i]));
  a->sweep.runs = g_ptr_array_new_with_free_func ((GDestroyNotify) np_sweep_run_free);
  NpExit status = NP_EXIT_OK;
  for (guint i = 0; i < inputs->len; i++) {
    const int one = read_run (a, inputs->pdata[i]);
    if (one != NP_EXIT_OK && one != NP_EXIT_LOSSES)
      return one;
    status = np_exit_worse (status, (NpExit) one);
  }
  g_ptr_array_sort (a->sweep.runs, by_keys);
  const gboolean markdown = g_str_equal (a->format, "markdown");
  g_autoptr (GString) text = g_str_equal (a->format, "json") ? np_sweep_json (&a->sweep)
                                                             : np_sweep_text (&a->sweep, markdown);
  const char *name = g_str_equal (a->format, "json") ? "sweep.json"
                     : markdown                      ? "sweep.md"
                                                     : "sweep.txt";
  return (int) np_exit_worse (status, (NpExit) np_cli_write ("sweep", config, name, text));
}

static int
run (int argc, char **argv)
{
  g_auto (Asked) a = { 0 };
  g_autoptr (GError) error = NULL;
  const GOptionEntry extra[]
      = { { "by", 0, 0, G_OPTION_ARG_STRING, &a.by, "The numbers in which the runs differ",
            "KEY,..." },
          { "values", 0, 0, G_OPTION_ARG_FILENAME, &a.values_file,
            "Their values: lines of file, KEY, ... between tabs, the heads first", "FILE" },
          { "format", 0, 0, G_OPTION_ARG_STRING, &a.format,
            "text, markdown or json (default: by the ending of -o)", "FORMAT" },
          G_OPTION_ENTRY_NULL };
  if (!np_cli_parse (
          &a.options, NP_CLI_OUTPUT | NP_CLI_CLIP, extra,
          "Shows runs of one program that differ in numbers, such as batch and length.",
          "A number is that of --values, of KEY8, KEY=8, KEY_8 or KEY-8 in the name of a "
          "file or its\nfolders, or of a property of that name.\n"
          "\n"
          "Examples:\n"
          "  nprof sweep --by batch traces/batch*.json.gz\n"
          "  nprof sweep --by batch,length runs/*/trace.json.gz\n"
          "  nprof sweep --by batch --values runs.tsv --format markdown *.xplane.pb",
          argc, argv))
    return NP_EXIT_USAGE;
  if (!a.options.config->inputs->len)
    return np_cli_execute (&a.options); /* which says so */
  const gboolean good
      = read_by (&a, &error) && read_format (&a, &error) && read_values (&a, &error);
  if (!good)
    np_cli_tell_error (error, "sweep");
  return good ? sweep (&a) : error->code;
}

NP_COMMAND_RUNS (run)
