/* SPDX-License-Identifier: Apache-2.0 */
/* diff.c - nprof diff: two profiles, operator by operator, with a verdict. */

#include "cli/answers-run.h"
#include "cli/diff-print.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  char *fail_over, *format;
  int top;
  double limit; /* NAN: none */
} Wishes;

static gboolean
wrong (GError **error, const char *option, const char *value, const char *expected)
{
  g_set_error (error, NP_ERROR, NP_EXIT_USAGE, "%s %s: expected %s", option, value, expected);
  return FALSE;
}

/* "5%" or "0.05" */
static gboolean
read_limit (Wishes *w, GError **error)
{
  char *end;
  w->limit = NAN;
  if (!w->fail_over)
    return TRUE;
  w->limit = g_ascii_strtod (w->fail_over, &end);
  if (*end == '%') {
    w->limit /= 100;
    end++;
  }
  return (end > w->fail_over && !*end && isfinite (w->limit) && w->limit >= 0)
         || wrong (error, "--fail-over", w->fail_over, "a share, such as 5% or 0.05");
}

static gboolean
check (Wishes *w, const NpConfig *config, GError **error)
{
  g_autofree char *number = g_strdup_printf ("%d", w->top);
  if (!w->format)
    w->format = g_strdup ("plain");
  if (!g_str_equal (w->format, "plain") && !g_str_equal (w->format, "markdown")
      && !g_str_equal (w->format, "json"))
    return wrong (error, "--format", w->format, "plain, markdown or json");
  if (w->top < 0)
    return wrong (error, "--top", number, "0 (all) or more");
  if (config->inputs->len != 2) {
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE, "expected two inputs, BASE and NEW; there %s %u",
                 config->inputs->len == 1 ? "is" : "are", config->inputs->len);
    return FALSE;
  }
  return read_limit (w, error);
}

/* Each profile is a run of its own: they do not share an origin.  Takes the input's text. */
static int
sample (NpCliOptions *o, NpSampler *sampler, char *input)
{
  g_ptr_array_set_size (o->config->inputs, 0);
  g_ptr_array_set_size (o->config->sinks, 0);
  g_ptr_array_add (o->config->inputs, input);
  np_sampler_attach (sampler, o->config);
  return np_cli_execute (o);
}

static gboolean
is_empty (const NpSample *sample)
{
  return g_hash_table_size (sample->by_name) == 0;
}

/* In a folder. */
static const char *
file_name (const char *format)
{
  return g_str_equal (format, "json")       ? "diff.json"
         : g_str_equal (format, "markdown") ? "diff.md"
                                            : "diff.txt";
}

static int
print (NpCliOptions *o, const Wishes *w, NpDiff *diff)
{
  g_autoptr (GArray) differences = np_diff_judge (diff->of_base, diff->of_new);
  diff->differences = differences;
  diff->top = (guint) w->top;
  diff->limit = w->limit;
  int status = NP_EXIT_OK;
  for (guint i = 0; !isnan (w->limit) && i < differences->len; i++)
    if (np_diff_fails (&g_array_index (differences, NpDifference, i), w->limit))
      status = NP_EXIT_GATE;
  if (!isnan (w->limit) && (differences->len == 0 || diff->of_base->gaps || diff->of_new->gaps))
    status = NP_EXIT_GATE;
  g_autoptr (GString) text = np_diff_print (diff, w->format);
  int written = np_cli_write ("diff", o->config->output, file_name (w->format), text);
  return (int) np_exit_worse ((NpExit) status, (NpExit) written);
}

static gboolean
has_failed (int status)
{
  return status != NP_EXIT_OK && status != NP_EXIT_LOSSES;
}

static int
compare (NpCliOptions *o, const Wishes *w)
{
  g_autoptr (NpSampler) base = np_sampler_new ();
  g_autoptr (NpSampler) new = np_sampler_new ();
  g_autofree char *base_name = g_path_get_basename (g_ptr_array_index (o->config->inputs, 0));
  g_autofree char *new_name = g_path_get_basename (g_ptr_array_index (o->config->inputs, 1));
  char *second = g_strdup (g_ptr_array_index (o->config->inputs, 1));
  int of_base = sample (o, base, g_strdup (g_ptr_array_index (o->config->inputs, 0)));
  if (has_failed (of_base)) {
    g_free (second);
    return of_base;
  }
  int of_new = sample (o, new, second);
  if (has_failed (of_new))
    return of_new;
  gboolean device
      = !is_empty (np_sampler_get (base, TRUE)) || !is_empty (np_sampler_get (new, TRUE));
  NpDiff diff = { .base = base_name,
                  .new = new_name,
                  .device = device,
                  .of_base = np_sampler_get (base, device),
                  .of_new = np_sampler_get (new, device) };
  int status = print (o, w, &diff);
  if (!isnan (w->limit) && (of_base || of_new)) /* what was lost may have become slower */
    status = (int) np_exit_worse ((NpExit) status, NP_EXIT_GATE);
  return (int) np_exit_worse ((NpExit) status, np_exit_worse ((NpExit) of_base, (NpExit) of_new));
}

int
np_cli_diff (int argc, char **argv)
{
  g_auto (NpCliOptions) o = { 0 };
  Wishes w = { .top = 20 };
  g_autoptr (GError) error = NULL;
  const GOptionEntry extra[]
      = { { "fail-over", 0, 0, G_OPTION_ARG_STRING, &w.fail_over,
            "Exit status 6 when a median grew by more", "SHARE" },
          { "top", 0, 0, G_OPTION_ARG_INT, &w.top, "Operators that are shown; 0: all (default: 20)",
            "N" },
          { "format", 0, 0, G_OPTION_ARG_STRING, &w.format, "plain, markdown or json", "FORMAT" },
          G_OPTION_ENTRY_NULL };
  if (!np_cli_parse (
          &o, NP_CLI_OUTPUT | NP_CLI_PAIR, extra,
          "Compares two profiles, BASE and NEW, operator by operator.",
          "Operators are slower or faster when Mann and Whitney's test says so (p < 0.01) "
          "and\ntheir medians differ by more than 2 % and 3 MADs; fewer than 5 durations "
          "are\ninconclusive, which fails --fail-over.\n"
          "\n"
          "Examples:\n"
          "  nprof diff before.xplane.pb after.xplane.pb\n"
          "  nprof diff --fail-over 5% --format markdown BASE NEW",
          argc, argv))
    return NP_EXIT_USAGE;
  int status = check (&w, o.config, &error) ? compare (&o, &w) : NP_EXIT_USAGE;
  if (error)
    np_cli_tell (error->message, "diff");
  g_free (w.fail_over);
  g_free (w.format);
  return status;
}
