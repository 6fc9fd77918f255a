/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof diff: what changed between two profiles, or between several runs of two
 * programs. It runs the analyzers on each profile, compares device by device, says how it ends. */

#include "cli/command.h"
#include "console/collect-tables.h"
#include "console/file-ending.h"
#include "print.h"
#include "read.h"
#include "stored/baselines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* This mark stands between BASE... and NEW... among the inputs, where --against stands on the
 * command line. */
#define AGAINST "\001--against"

/* Devices with less work than this, beside the first one's, are judged, but have no part in the
 * chance of a wrong verdict. */
#define LITTLE 0.01

/* Rows of a period differ by less. */
#define LIKE_WORK 1.25

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
  g_set_error (error, NP_ERROR, NP_EXIT_USAGE, "%s %s: expected %s", option, value, expected);
  return FALSE;
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
    g_set_error_literal (
        error, NP_ERROR, NP_EXIT_USAGE,
        "--against: expected runs of the base before it, and runs to compare with them behind it");
  else
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
                 "expected two inputs, BASE and NEW; there %s %u (for several runs a side: BASE... "
                 "--against NEW...)",
                 inputs->len == 1 ? "is" : "are", inputs->len);
  return FALSE;
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
  guint64 gaps;
  NpExit status;     /* the worst of the runs */
  NpMachine machine; /* of the run read last  */
} Runs;

static gboolean
has_failed (NpExit status)
{
  return status != NP_EXIT_OK && status != NP_EXIT_LOSSES;
}

/* The analyzer of steps comes before the samples, because it says which of them the profile cut. */
static void
want_analyzers (const Runs *runs, NpConfig *config)
{
  g_ptr_array_set_size (config->analyzers, 0);
  np_cli_want_table (runs->options, np_diff_steps_table (runs->hosts));
  for (guint k = 0; np_diff_frame_table (k); k++)
    np_cli_want_table (runs->options, np_diff_frame_table (k));
  if (!runs->hosts)
    np_cli_want_table (runs->options, "closed_gaps");
  NpSpec *samples = np_spec_new ("samples");
  np_spec_set (samples, "of", runs->hosts ? "host" : "device");
  np_spec_set (samples, "modules", runs->wishes->list == NP_DIFF_BY_MODULES ? "yes" : "no");
  g_ptr_array_add (config->analyzers, samples);
}

/* Reads a profile in a run of its own, because profiles do not share an origin, and adds its
 * NpDiffFrame.  Returns NpDiffSide; NULL: it failed. */
static GPtrArray *
read_profile (Runs *runs, const char *input, GPtrArray *frames)
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
    return NULL;
  runs->gaps += collected.gaps;
  np_machine_clear (&runs->machine);
  np_machine_read_run (&runs->machine, collected.tables);
  g_ptr_array_add (frames, np_diff_frame_read (collected.tables));
  return np_diff_read (collected.tables, runs->hosts);
}

/* Returns a GPtrArray of NpDiffSide for each run; NULL: one failed. */
static GPtrArray *
read_runs (Runs *runs, const GPtrArray *inputs, GPtrArray *frames)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < inputs->len; i++) {
    GPtrArray *sides = read_profile (runs, inputs->pdata[i], frames);
    if (!sides)
      return NULL;
    g_ptr_array_add (all, sides);
  }
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
  GPtrArray *base, *new;               /* of runs, as read_runs returns them */
  GPtrArray *base_frames, *new_frames; /* of NpDiffFrame, by run             */
} Both;

static void
both_clear (Both *both)
{
  g_clear_pointer (&both->base, g_ptr_array_unref);
  g_clear_pointer (&both->new, g_ptr_array_unref);
  g_clear_pointer (&both->base_frames, g_ptr_array_unref);
  g_clear_pointer (&both->new_frames, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Both, both_clear)

/* Reads the new side first where it chooses the base. */
static gboolean
read_both (Runs *runs, Both *both)
{
  const gboolean chooses = has_baseline (runs->wishes->base);
  both->base_frames = g_ptr_array_new_with_free_func ((GDestroyNotify) np_diff_frame_free);
  both->new_frames = g_ptr_array_new_with_free_func ((GDestroyNotify) np_diff_frame_free);
  if (chooses)
    both->new = read_runs (runs, runs->wishes->new, both->new_frames);
  if (chooses && !both->new)
    return FALSE;
  g_autoptr (GPtrArray) inputs = base_inputs (runs);
  if (!inputs)
    runs->status = NP_EXIT_INPUT;
  NpSpec *decoder = chooses ? g_steal_pointer (&runs->options->config->decoder) : NULL;
  both->base = inputs ? read_runs (runs, inputs, both->base_frames) : NULL;
  if (chooses)
    runs->options->config->decoder = decoder; /* which is not of the store */
  if (both->base && !chooses)
    both->new = read_runs (runs, runs->wishes->new, both->new_frames);
  return both->base && both->new;
}

/* -- Devices --------------------------------------------------------------------------------- */

/* Returns the device with that label, else the one that stands there; NULL: neither. */
static NpDiffSide *
device_like (const GPtrArray *sides, const NpDiffSide *like, guint number)
{
  for (guint i = 0; i < sides->len; i++) {
    NpDiffSide *side = g_ptr_array_index (sides, i);
    if (g_str_equal (side->device, like->device))
      return side;
  }
  return number < sides->len ? g_ptr_array_index (sides, number) : NULL;
}

/* Returns the devices of one side, several runs joined to one.  Transfer full. */
static GPtrArray *
join_runs (GPtrArray *runs, gboolean several)
{
  GPtrArray *first = g_ptr_array_index (runs, 0);
  if (!several)
    return g_ptr_array_ref (first);
  GPtrArray *joined = g_ptr_array_new_with_free_func ((GDestroyNotify) np_diff_side_free);
  for (guint i = 0; i < first->len; i++) {
    g_autoptr (GPtrArray) of_runs = g_ptr_array_new ();
    for (guint r = 0; r < runs->len; r++) {
      NpDiffSide *side = device_like (g_ptr_array_index (runs, r), g_ptr_array_index (first, i), i);
      if (side)
        g_ptr_array_add (of_runs, side);
    }
    g_ptr_array_add (joined,
                     np_diff_side_of_runs ((NpDiffSide *const *) of_runs->pdata, of_runs->len));
  }
  return joined;
}

static void
note_alone (GPtrArray *alone, const char *side, const char *device)
{
  g_ptr_array_add (alone, g_strdup_printf ("%s, only in the %s profile", device, side));
}

/* Finds for each device of base the one of new, by label, then by order.  The array holds
 * NpDiffSide or NULL, by base. */
static GPtrArray *
match_devices (const GPtrArray *base, const GPtrArray *new, GPtrArray *alone)
{
  GPtrArray *matched = g_ptr_array_new ();
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
  g_ptr_array_set_size (matched, (int) base->len);
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < base->len; i++) {
      const NpDiffSide *side = g_ptr_array_index (base, i);
      for (guint n = 0; n < new->len && !matched->pdata[i]; n++) {
        NpDiffSide *other = g_ptr_array_index (new, n);
        if (!g_hash_table_contains (used, other)
            && (pass || g_str_equal (side->device, other->device))) {
          matched->pdata[i] = other;
          g_hash_table_add (used, other);
        }
      }
    }
  for (guint i = 0; i < base->len; i++)
    if (!matched->pdata[i])
      note_alone (alone, "base", ((NpDiffSide *) g_ptr_array_index (base, i))->device);
  for (guint n = 0; n < new->len; n++)
    if (!g_hash_table_contains (used, g_ptr_array_index (new, n)))
      note_alone (alone, "new", ((NpDiffSide *) g_ptr_array_index (new, n))->device);
  return matched;
}

static guint
count_large (const GPtrArray *base)
{
  guint n = 0;
  for (guint i = 0; i < base->len; i++)
    n += ((NpDiffSide *) base->pdata[i])->work >= LITTLE * ((NpDiffSide *) base->pdata[0])->work;
  return MAX (n, 1);
}

static GPtrArray *
compare_devices (const GPtrArray *base, const GPtrArray *new, NpDiffLimits *limits,
                 GPtrArray *alone)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) np_diff_comparison_free);
  g_autoptr (GPtrArray) matched = match_devices (base, new, alone);
  limits->parts = count_large (base);
  for (guint i = 0; i < base->len; i++)
    if (matched->pdata[i])
      g_ptr_array_add (all,
                       np_diff_compare (g_ptr_array_index (base, i), matched->pdata[i], limits));
  g_ptr_array_add (alone, NULL);
  return all;
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

/* Fails when a change is told and over the limit, and when nothing was compared, as of a profile
 * that was recorded in vain, or nothing can be judged, as of two machines; with --strict also when
 * something cannot be told. */
static NpExit
status_of (const NpDiffReport *report)
{
  gboolean untold = report->gaps > 0 || report->alone[0];
  if (isnan (report->fail_over))
    return NP_EXIT_OK;
  if (!report->comparisons->len)
    return NP_EXIT_GATE;
  if (report->frames && !report->frames->judged)
    return NP_EXIT_GATE;
  for (guint i = 0; i < report->comparisons->len && !untold; i++) {
    g_autofree char *text
        = np_diff_untold_text (report, g_ptr_array_index (report->comparisons, i));
    untold = text != NULL;
  }
  return report->over || (report->strict && untold) ? NP_EXIT_GATE : NP_EXIT_OK;
}

static guint
count_over (const NpDiffReport *report, const NpDiffComparison *c)
{
  const NpDiffPeriod *p = np_diff_period_of (report, c);
  return np_diff_count_over (c, &report->limits)
         + (p && p->verdict == NP_DIFF_SLOWER && p->delta > report->limits.threshold);
}

static NpExit
print (const Runs *runs, NpDiffReport *report)
{
  const Wishes *w = runs->wishes;
  g_auto (GStrv) base = base_names (w->base);
  g_auto (GStrv) new = base_names (w->new);
  report->base = (const char *const *) base;
  report->new = (const char *const *) new;
  for (guint i = 0; i < report->comparisons->len; i++)
    report->over += count_over (report, g_ptr_array_index (report->comparisons, i));
  report->status = (int) status_of (report);
  g_autoptr (GString) text = g_str_equal (w->format, "json")
                                 ? np_diff_json (report)
                                 : np_diff_text (report, g_str_equal (w->format, "markdown"));
  int written = np_cli_write ("diff", runs->options->config, file_name (w->format), text);
  return np_exit_worse ((NpExit) report->status, (NpExit) written);
}

/* Periods that repeat other work are none that could be compared: then counts of rows differ. */
static void
keep_periods_of_like_work (const NpDiffFrames *frames, const GPtrArray *comparisons)
{
  for (guint i = 0; frames && i < frames->periods->len; i++) {
    NpDiffPeriod *p = &g_array_index (frames->periods, NpDiffPeriod, i);
    for (guint k = 0; k < comparisons->len && g_str_equal (p->base_of, "period"); k++) {
      const NpDiffComparison *c = g_ptr_array_index (comparisons, k);
      const double base = (double) c->base->rows / p->base_n,
                   new = (double) c->new->rows / p->new_n;
      if (g_str_equal (c->base->device, p->device)
          && (base > LIKE_WORK * new || new > LIKE_WORK *base))
        p->verdict = NP_DIFF_NOT_TOLD;
    }
  }
}

static NpExit
compare (Runs *runs, const Both *both)
{
  const Wishes *w = runs->wishes;
  gboolean several = both->base->len > 1 || both->new->len > 1;
  g_autoptr (GPtrArray) base = join_runs (both->base, several),
                        new = join_runs (both->new, several);
  g_autoptr (GPtrArray) alone = g_ptr_array_new_with_free_func (g_free);
  NpDiffLimits limits = { .threshold = isnan (w->limit) ? NP_DIFF_THRESHOLD : w->limit };
  limits.floor = fmin (NP_DIFF_FLOOR, limits.threshold);
  g_autoptr (GPtrArray) comparisons = compare_devices (base, new, &limits, alone);
  g_autoptr (NpDiffFrames) frames
      = several ? NULL
                : np_diff_frames_new (both->base_frames->pdata[0], both->new_frames->pdata[0],
                                      comparisons, &limits, w->other_machine);
  for (guint i = 0; frames && !frames->judged && i < comparisons->len; i++)
    np_diff_forget_verdicts (comparisons->pdata[i]);
  keep_periods_of_like_work (frames, comparisons);
  NpDiffReport report = { .hosts = runs->hosts,
                          .comparisons = comparisons,
                          .frames = frames,
                          .other_machine = w->other_machine,
                          .alone = (const char *const *) alone->pdata,
                          .limits = limits,
                          .by = w->list,
                          .top = w->top,
                          .fail_over = w->limit,
                          .strict = w->strict,
                          .full_names = g_strcmp0 (w->names, "full") == 0,
                          .gaps = runs->gaps };
  return print (runs, &report);
}

static gboolean
is_empty (const GPtrArray *runs)
{
  for (guint i = 0; i < runs->len; i++)
    if (((GPtrArray *) g_ptr_array_index (runs, i))->len)
      return FALSE;
  return TRUE;
}

/* Compares devices, or hosts where neither side has work of a device. */
static int
diff (NpCliOptions *o, const Wishes *w)
{
  for (guint hosts = 0; hosts < 2; hosts++) {
    g_auto (Both) both = { 0 };
    Runs runs = { .options = o, .wishes = w, .hosts = hosts != 0 };
    const gboolean read = read_both (&runs, &both);
    np_machine_clear (&runs.machine);
    if (!read)
      return (int) runs.status;
    if (hosts || !is_empty (both.base) || !is_empty (both.new))
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
