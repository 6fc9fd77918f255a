/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof diff: what changed between two profiles, or between several runs of two
 * programs. It runs the analyzers on each profile, compares device by device, says how it ends. */

#include "cli/command.h"
#include "console/collect-tables.h"
#include "console/file-ending.h"
#include "print.h"
#include "stored/baselines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* This mark stands between BASE... and NEW... among the inputs, where --against stands on the
 * command line. */
#define AGAINST "\001--against"

typedef struct {
  char *fail_over, *format, *by, *names, *top_text;
  gboolean strict, against, other_machine;
  guint top;
  double limit; /* NAN: none */
  NpDiffBy list;
  GPtrArray *base, *new; /* of char *         */
} Wishes;

/* -- What is asked for --------------------------------------------------------------------- */

static gboolean
fail_option (GError **error, const char *option, const char *value, const char *expected)
{
  return np_error_set (error, NP_EXIT_USAGE, "%s %s: expected %s", option, value, expected);
}

/* The limit is "5%" or "0.05".  A bare 5 is no 500 %: it would let everything pass. */
static gboolean
read_limit (Wishes *w, GError **error)
{
  char *end;
  w->limit = w->strict ? NP_DIFF_THRESHOLD : NAN;
  if (!w->fail_over)
    return TRUE;
  w->limit = g_ascii_strtod (w->fail_over, &end);
  gboolean percent = *end == '%';
  if (percent) {
    w->limit /= 100;
    end++;
  }
  if (end == w->fail_over || *end || !isfinite (w->limit) || w->limit < 0)
    return fail_option (error, "--fail-over", w->fail_over, "a share, such as 5% or 0.05");
  return percent || w->limit <= 1
         || fail_option (error, "--fail-over", w->fail_over,
                         "a share, which is 1 at 100%: write its %, such as 5%");
}

static gboolean
read_by (Wishes *w, GError **error)
{
  static const char *const names[] = { "kernels", "ops", "modules", "steps" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (!w->by || g_str_equal (w->by, names[i])) {
      w->list = (NpDiffBy) i;
      return TRUE;
    }
  return fail_option (error, "--by", w->by, "kernels, ops, modules or steps");
}

static gboolean
read_names (const Wishes *w, GError **error)
{
  return !w->names || g_str_equal (w->names, "short") || g_str_equal (w->names, "full")
         || fail_option (error, "--names", w->names, "short or full");
}

static gboolean
read_format (Wishes *w, const char *output, GError **error)
{
  static const NpFileEnding endings[] = { { ".txt", "text" },
                                          { ".md", "markdown" },
                                          { ".markdown", "markdown" },
                                          { ".json", "json" },
                                          { NULL, NULL } };
  static const char *const names[] = { "text", "plain", "markdown", "json", NULL };
  const char *format = NULL;
  if (!w->format && !np_format_of_ending (output, endings, &format, error))
    return FALSE;
  if (!w->format)
    w->format = g_strdup (format ? format : "text");
  return g_strv_contains (names, w->format)
         || fail_option (error, "--format", w->format, "text, markdown or json");
}

/* Programs get all lines. */
static gboolean
read_top (Wishes *w, GError **error)
{
  w->top = g_str_equal (w->format, "json") ? 0 : 20;
  return np_cli_read_top (w->top_text, &w->top, error);
}

static gboolean
split_inputs (Wishes *w, GPtrArray *inputs, GError **error)
{
  GPtrArray *side = w->base;
  for (guint i = 0; i < inputs->len; i++) {
    const char *input = g_ptr_array_index (inputs, i);
    if (g_str_equal (input, AGAINST))
      side = w->new;
    else
      g_ptr_array_add (side, g_strdup (input));
  }
  if (!w->against && w->base->len == 2)
    g_ptr_array_add (w->new, g_ptr_array_steal_index (w->base, 1));
  if (w->base->len && w->new->len && (w->against || w->base->len == 1))
    return TRUE;
  if (w->against)
    return np_error_set (
        error, NP_EXIT_USAGE,
        "--against: expected runs of the base before it, and runs to compare with them behind it");
  return np_error_set (
      error, NP_EXIT_USAGE,
      "expected two inputs, BASE and NEW; there %s %u (for several runs a side: BASE... "
      "--against NEW...)",
      inputs->len == 1 ? "is" : "are", inputs->len);
}

static gboolean
check (Wishes *w, const NpConfig *config, GError **error)
{
  return read_format (w, config->output, error) && read_top (w, error) && read_names (w, error)
         && read_by (w, error) && read_limit (w, error) && split_inputs (w, config->inputs, error);
}

/* -- Runs ---------------------------------------------------------------------------------- */

/* These are both sides, and how their runs ended. */
typedef struct {
  NpCliOptions *options;
  const Wishes *wishes;
  gboolean hosts;
  GHashTable *names; /* of all sides */
  guint64 gaps;
  NpExit status;     /* the worst of the runs */
  NpMachine machine; /* of the run read last  */
} Runs;

static gboolean
has_failed (NpExit status)
{
  return status != NP_EXIT_OK && status != NP_EXIT_LOSSES;
}

static void
want_analyzers (const Runs *runs, NpConfig *config)
{
  g_autoptr (GPtrArray) names
      = np_diff_analyzers (np_cli_modules (runs->options), runs->hosts, runs->wishes->list);
  g_ptr_array_set_size (config->analyzers, 0);
  for (guint i = 0; i < names->len; i++)
    g_ptr_array_add (config->analyzers, np_spec_parse (names->pdata[i], NULL));
}

/* Reads a profile in a run of its own, because profiles do not share an origin. */
static gboolean
read_profile (Runs *runs, const char *input, GPtrArray *to)
{
  NpConfig *config = runs->options->config;
  g_auto (NpCollected) collected = { 0 };
  g_ptr_array_set_size (config->inputs, 0);
  g_ptr_array_set_size (config->sinks, 0);
  g_ptr_array_add (config->inputs, g_strdup (input));
  want_analyzers (runs, config);
  np_cli_collect (runs->options, &collected);
  NpExit status = (NpExit) np_cli_execute (runs->options);
  runs->status = np_exit_worse (runs->status, status);
  if (has_failed (status))
    return FALSE;
  runs->gaps += collected.gaps;
  np_machine_clear (&runs->machine);
  np_machine_read_run (&runs->machine, collected.tables);
  np_diff_runs_add (to, collected.tables, runs->hosts, runs->names);
  return TRUE;
}

/* Returns what np_diff_runs_new holds of all; NULL: one failed. */
static GPtrArray *
read_runs (Runs *runs, const GPtrArray *inputs)
{
  g_autoptr (GPtrArray) all = np_diff_runs_new ();
  for (guint i = 0; i < inputs->len; i++)
    if (!read_profile (runs, inputs->pdata[i], all))
      return NULL;
  return g_steal_pointer (&all);
}

/* Returns the inputs, with stored profiles in place of baselines, which are chosen by the machine
 * of the new profile; NULL: one is not there. */
static GPtrArray *
base_inputs (const Runs *runs)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  for (guint i = 0; !error && i < runs->wishes->base->len; i++) {
    const char *input = runs->wishes->base->pdata[i], *name = np_baseline_name (input);
    g_ptr_array_add (inputs, name ? np_baseline_find (name, &runs->machine,
                                                      runs->wishes->other_machine, &error)
                                  : g_strdup (input));
  }
  if (!error)
    return g_steal_pointer (&inputs);
  np_cli_tell_error (error, "diff");
  return NULL;
}

static gboolean
has_baseline (const GPtrArray *inputs)
{
  for (guint i = 0; i < inputs->len; i++)
    if (np_baseline_name (inputs->pdata[i]))
      return TRUE;
  return FALSE;
}

/* What was read of both sides; NULL: of a side that failed. */
typedef struct {
  GPtrArray *base, *new;
} Both;

static void
both_clear (Both *both)
{
  g_clear_pointer (&both->base, g_ptr_array_unref);
  g_clear_pointer (&both->new, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Both, both_clear)

/* Reads the new side first where it chooses the base. */
static gboolean
read_both (Runs *runs, Both *both)
{
  const gboolean chooses = has_baseline (runs->wishes->base);
  if (chooses)
    both->new = read_runs (runs, runs->wishes->new);
  if (chooses && !both->new)
    return FALSE;
  g_autoptr (GPtrArray) inputs = base_inputs (runs);
  if (!inputs)
    runs->status = NP_EXIT_INPUT;
  NpSpec *decoder = chooses ? g_steal_pointer (&runs->options->config->decoder) : NULL;
  both->base = inputs ? read_runs (runs, inputs) : NULL;
  if (chooses)
    runs->options->config->decoder = decoder; /* which is not of the store */
  if (both->base && !chooses)
    both->new = read_runs (runs, runs->wishes->new);
  return both->base && both->new;
}

/* -- The end --------------------------------------------------------------------------------- */

/* Returns the name of the file in a folder. */
static const char *
file_name (const char *format)
{
  return g_str_equal (format, "json")       ? "diff.json"
         : g_str_equal (format, "markdown") ? "diff.md"
                                            : "diff.txt";
}

static char **
base_names (const GPtrArray *inputs)
{
  char **names = g_new0 (char *, inputs->len + 1);
  for (guint i = 0; i < inputs->len; i++)
    names[i] = np_baseline_name (inputs->pdata[i]) ? g_strdup (inputs->pdata[i])
                                                   : g_path_get_basename (inputs->pdata[i]);
  return names;
}

static NpExit
print (const Runs *runs, NpDiffReport *report)
{
  const Wishes *w = runs->wishes;
  g_auto (GStrv) base = base_names (w->base);
  g_auto (GStrv) new = base_names (w->new);
  report->base = (const char *const *) base;
  report->new = (const char *const *) new;
  g_autoptr (GString) text = g_str_equal (w->format, "json")
                                 ? np_diff_json (report)
                                 : np_diff_text (report, g_str_equal (w->format, "markdown"));
  int written = np_cli_write ("diff", runs->options->config, file_name (w->format), text);
  return np_exit_worse ((NpExit) report->status, (NpExit) written);
}

static NpExit
compare (Runs *runs, const Both *both)
{
  const Wishes *w = runs->wishes;
  g_auto (NpDiffReport) report = { .hosts = runs->hosts,
                                   .other_machine = w->other_machine,
                                   .fail_over = w->limit,
                                   .strict = w->strict,
                                   .gaps = runs->gaps,
                                   .by = w->list,
                                   .top = w->top,
                                   .full_names = g_strcmp0 (w->names, "full") == 0 };
  np_diff_report_fill (&report, both->base, both->new);
  return print (runs, &report);
}

/* Compares devices, or hosts where neither side has work of a device. */
static int
diff (NpCliOptions *o, const Wishes *w)
{
  g_autoptr (GHashTable) names = np_diff_names_new ();
  for (guint hosts = 0; hosts < 2; hosts++) {
    g_auto (Both) both = { 0 };
    Runs runs = { .options = o, .wishes = w, .hosts = hosts != 0, .names = names };
    const gboolean read = read_both (&runs, &both);
    np_machine_clear (&runs.machine);
    if (!read)
      return (int) runs.status;
    if (hosts || np_diff_runs_have_work (both.base) || np_diff_runs_have_work (both.new))
      return (int) np_exit_worse (compare (&runs, &both), runs.status);
  }
  return NP_EXIT_OK;
}

/* Marks where NEW... begin: GOption takes one value an option, and NEW... are the words behind
 * --against. */
static GStrv
mark_against (int argc, char **argv, Wishes *w)
{
  GStrv words = g_new0 (char *, (gsize) argc + 1);
  for (int i = 0; i < argc; i++) {
    gboolean is = g_str_equal (argv[i], "--against");
    w->against |= is;
    words[i] = g_strdup (is ? AGAINST : argv[i]);
  }
  return words;
}

static int
run (int argc, char **argv)
{
  g_auto (NpCliOptions) o = { 0 };
  Wishes w = { .base = g_ptr_array_new_with_free_func (g_free),
               .new = g_ptr_array_new_with_free_func (g_free) };
  g_autoptr (GError) error = NULL;
  gboolean unused = FALSE;
  const GOptionEntry extra[]
      = { { "against", 0, 0, G_OPTION_ARG_NONE, &unused,
            "Runs of the new program follow; those before it are of the base", NULL },
          { "fail-over", 0, 0, G_OPTION_ARG_STRING, &w.fail_over,
            "Exit status 6 when something is told to be slower by more", "SHARE" },
          { "strict", 0, 0, G_OPTION_ARG_NONE, &w.strict,
            "Exit status 6 also when something is inconclusive", NULL },
          { "other-machine", 0, 0, G_OPTION_ARG_NONE, &w.other_machine,
            "Give verdicts even where device, ranks or driver differ", NULL },
          { "by", 0, 0, G_OPTION_ARG_STRING, &w.by,
            "What is listed: kernels (default), ops, modules or steps", "WHAT" },
          { "top", 0, 0, G_OPTION_ARG_STRING, &w.top_text,
            "Lines that are shown; 0: all (default: 20)", "N" },
          { "names", 0, 0, G_OPTION_ARG_STRING, &w.names,
            "short or full names of C++ functions (default: short; full in json)", "HOW" },
          { "format", 0, 0, G_OPTION_ARG_STRING, &w.format,
            "text, markdown or json (default: by the ending of -o)", "FORMAT" },
          G_OPTION_ENTRY_NULL };
  g_auto (GStrv) words = mark_against (argc, argv, &w);
  if (!np_cli_parse (
          &o, NP_CLI_OUTPUT | NP_CLI_PAIR | NP_CLI_CLIP, extra,
          "Says what changed between two profiles, BASE and NEW, and what made the change.",
          "A kernel is compared at each of its places in a step; what places vary by from step\n"
          "to step is noise.  Verdicts are wrong in about one of a hundred pairs, at most;\n"
          "nprof-diff(1) states the rule.\n"
          "\n"
          "Examples:\n"
          "  nprof diff before.pt.trace.json.gz after.pt.trace.json.gz\n"
          "  nprof diff --fail-over 5% --format markdown BASE NEW\n"
          "  nprof diff baseline:main after.pt.trace.json.gz   (of nprof baseline save)\n"
          "  nprof diff base1.json base2.json base3.json --against new1.json new2.json new3.json",
          argc, words))
    return NP_EXIT_USAGE;
  int status = check (&w, o.config, &error) ? diff (&o, &w) : NP_EXIT_USAGE;
  if (error)
    np_cli_tell_error (error, "diff");
  g_ptr_array_unref (w.base);
  g_ptr_array_unref (w.new);
  g_free (w.fail_over);
  g_free (w.names);
  g_free (w.format);
  g_free (w.by);
  g_free (w.top_text);
  return status;
}

NP_COMMAND_RUNS (run)
