/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof gate: a profile against limits, for CI. */

#include "cli/command.h"
#include "console/collect-tables.h"
#include "console/default-analyzers.h"
#include "console/file-ending.h"
#include "gate/demands.h"
#include "gate/print.h"
#include "stored/baselines.h"

#include <string.h>

/* Returns the first of the words that is a file, where the one in the place of the input is none;
 * NULL: the input is where it should be. */
static const char *
misplaced_input (const GPtrArray *words)
{
  if (!words->len || !strpbrk (words->pdata[0], "<>=!")
      || g_file_test (words->pdata[0], G_FILE_TEST_EXISTS))
    return NULL;
  for (guint i = 1; i < words->len; i++)
    if (g_file_test (words->pdata[i], G_FILE_TEST_EXISTS))
      return words->pdata[i];
  return NULL;
}

/* Takes the words after the input, which are the demands.  NULL: one of them could not be read. */
static GPtrArray *
take_demands (NpCliOptions *o, const char *baseline, GError **error)
{
  NpConfig *config = o->config;
  const char *input = misplaced_input (config->inputs);
  if (input) {
    np_error_set (error, NP_EXIT_USAGE, "\"%s\" is where the INPUT should be: nprof gate %s \"%s\"",
                  (const char *) config->inputs->pdata[0], input,
                  (const char *) config->inputs->pdata[0]);
    return NULL;
  }
  if (config->inputs->len < 2) {
    np_error_set (error, NP_EXIT_USAGE,
                  "expected an INPUT and at least one demand, such as \"p99('*') < 2ms\"");
    return NULL;
  }
  GPtrArray *exprs
      = np_gate_demands (np_cli_modules (o), (const char *const *) config->inputs->pdata + 1,
                         config->inputs->len - 1, baseline, error);
  if (exprs)
    g_ptr_array_set_size (config->inputs, 1);
  return exprs;
}

static void
collect_for (NpCliOptions *o, const GPtrArray *exprs, NpCollected *collected)
{
  g_autoptr (GPtrArray) names = np_gate_want (o->config, np_cli_modules (o), exprs);
  np_collect (collected, (const char *const *) names->pdata, o->config);
}

/* Returns the name of the file in a folder. */
static const char *
file_name (const char *format)
{
  return g_str_equal (format, "junit")      ? "gate.xml"
         : g_str_equal (format, "markdown") ? "gate.md"
         : g_str_equal (format, "json")     ? "gate.json"
                                            : "gate.txt";
}

/* What is asked for beside the shared options. */
typedef struct {
  char *format, *undecided, *baseline;
} Wishes;

static void
wishes_clear (Wishes *w)
{
  g_free (w->format);
  g_free (w->undecided);
  g_free (w->baseline);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Wishes, wishes_clear)

static gboolean
has_failed (int status)
{
  return status != NP_EXIT_OK && status != NP_EXIT_LOSSES;
}

static GPtrArray *
judge (NpCliOptions *o, const GPtrArray *exprs, const NpCollected *collected, int status,
       const GPtrArray *base, GError **error)
{
  g_autoptr (GPtrArray) names = np_table_names (np_cli_modules (o), collected->tables);
  const NpGateRun run = { collected->tables, (const char *const *) names->pdata, collected->gaps,
                          status == NP_EXIT_LOSSES };
  return np_gate_judge (exprs, &run, base, error);
}

/* Returns what the baseline has where the demands are held against it, in a run of its own; NULL:
 * *status says why not, an error was set or printed. */
static GPtrArray *
judge_baseline (NpCliOptions *o, const char *name, const GPtrArray *exprs, const NpTableStore *ours,
                int *status, GError **error)
{
  g_auto (NpMachine) machine = { 0 };
  g_auto (NpCollected) collected = { 0 };
  np_machine_read_run (&machine, ours);
  char *path = np_baseline_find (name, &machine, FALSE, error);
  *status = NP_EXIT_INPUT;
  if (!path)
    return NULL;
  g_autofree char *input = g_steal_pointer (&o->config->inputs->pdata[0]);
  o->config->inputs->pdata[0] = path;
  g_ptr_array_set_size (o->config->sinks, 0);
  np_cli_take_analyzers (o);
  collect_for (o, exprs, &collected);
  NpSpec *decoder = g_steal_pointer (&o->config->decoder); /* it is of INPUT, not of the store */
  *status = np_cli_execute (o);
  o->config->decoder = decoder;
  g_free (o->config->inputs->pdata[0]);
  o->config->inputs->pdata[0] = g_steal_pointer (&input);
  if (has_failed (*status))
    return NULL;
  GPtrArray *base = judge (o, exprs, &collected, *status, NULL, error);
  *status = base ? *status : NP_EXIT_USAGE;
  return base;
}

/* Judges a run that ended well; otherwise the status of the run counts. */
static int
judge_run (NpCliOptions *o, GPtrArray *exprs, const Wishes *w, const char *format, GError **error)
{
  g_auto (NpCollected) collected = { 0 };
  collect_for (o, exprs, &collected);
  int status = np_cli_execute (o), of_base = NP_EXIT_OK;
  if (has_failed (status))
    return status;
  g_autoptr (GPtrArray) held = np_gate_of_baseline (exprs);
  g_autoptr (GPtrArray) base
      = held->len ? judge_baseline (o, w->baseline, held, collected.tables, &of_base, error) : NULL;
  if (held->len && !base)
    return of_base;
  g_autoptr (GPtrArray) verdicts = judge (o, exprs, &collected, status, base, error);
  if (!verdicts)
    return NP_EXIT_USAGE;
  g_autofree char *input = g_path_get_basename (g_ptr_array_index (o->config->inputs, 0));
  g_autoptr (GString) text = np_gate_print (verdicts, format, input);
  const gboolean undecided_ok = !g_strcmp0 (w->undecided, "ok");
  status = (int) np_exit_worse ((NpExit) status, (NpExit) np_gate_status (verdicts, undecided_ok));
  int written = np_cli_write ("gate", o->config, file_name (format), text);
  return (int) np_exit_worse ((NpExit) status, (NpExit) written);
}

/* Returns NULL with an error. */
static const char *
find_format (const char *asked, const char *output, GError **error)
{
  static const NpFileEnding endings[]
      = { { ".txt", "text" },  { ".md", "markdown" }, { ".markdown", "markdown" },
          { ".json", "json" }, { ".xml", "junit" },   { NULL, NULL } };
  static const char *const names[] = { "text", "markdown", "junit", "json", NULL };
  const char *format = asked;
  if (!asked && !np_format_of_ending (output, endings, &format, error))
    return NULL;
  if (!format)
    return "text";
  if (g_strv_contains (names, format))
    return format;
  np_error_set (error, NP_EXIT_USAGE, "--format %s: expected text, markdown, junit or json",
                format);
  return NULL;
}

static int
run (int argc, char **argv)
{
  g_auto (NpCliOptions) o = { 0 };
  g_auto (Wishes) w = { 0 };
  g_autoptr (GError) error = NULL;
  const GOptionEntry extra[]
      = { { "baseline", 0, 0, G_OPTION_ARG_STRING, &w.baseline,
            "What demands with the word baseline are held against", "NAME" },
          { "format", 0, 0, G_OPTION_ARG_STRING, &w.format,
            "text, markdown, junit or json (default: by the ending of -o)", "FORMAT" },
          { "undecided", 0, 0, G_OPTION_ARG_STRING, &w.undecided,
            "ok: what is undecided does not fail; fail (default)", "HOW" },
          G_OPTION_ENTRY_NULL };
  if (!np_cli_parse (
          &o, NP_CLI_OUTPUT | NP_CLI_DEMANDS | NP_CLI_CLIP, extra,
          "Holds a profile against limits: INPUT DEMAND...",
          "A demand is VALUE OP NUMBER[UNIT]; every row that it names must meet it.  No match, "
          "an\nunknown value or missing events leave it undecided.  Exit status: 0 all met, 6 "
          "not.\n"
          "\n"
          "Examples:\n"
          "  nprof gate FILE \"p99('attention*') <= 2ms\" \"mfu >= 40%\"\n"
          "  nprof gate FILE \"max('*', track='/device:TPU:0') < 10ms\"\n"
          "  nprof gate FILE \"step < 230ms\" \"idle.host < 10%\" \"bound != input\"\n"
          "  nprof gate FILE \"ops['aten::linear'].share < 30%\" \"memory < 5GB\"\n"
          "  nprof gate --baseline main FILE \"step <= baseline + 5%\"\n"
          "  nprof gate -o gate.xml FILE \"steps.duration_ns['cut=0'] < 1s\"\n"
          "\n"
          "Values: calls (or count) total share min mean median p90 p95 p97 p99 p99.9 max of a "
          "name "
          "(table\nlatency) or of step, TABLE.COLUMN['KEY=GLOB',...],\n"
          "ops|kernels|copies|modules|collectives['GLOB'].COLUMN; of each device: busy compute "
          "idle\n"
          "idle.host|launch|wait|unlinked exposed exposed.communication|copy, means over its "
          "steps;\nstep, step.mean of its periods; step.no_idle|comm_hidden|copies_hid, between, "
          "between.time;\nmfu hfu mbu, devices.busy|idle, hidden, overlap, memory, "
          "tpot, ttft,\ntokens_per_s; bound == or != host, input, compute, comm ...\nUnits: ps ns "
          "us ms s min, B kB MB GB TB "
          "KiB MiB GiB, %; a time needs one, a share above 1 too.",
          argc, argv))
    return NP_EXIT_USAGE;
  const char *as = find_format (w.format, o.config->output, &error);
  const char *how = w.undecided ? w.undecided : "fail";
  if (!error && !g_str_equal (how, "ok") && !g_str_equal (how, "fail"))
    np_error_set (&error, NP_EXIT_USAGE, "--undecided %s: expected ok or fail", how);
  g_autoptr (GPtrArray) exprs = error ? NULL : take_demands (&o, w.baseline, &error);
  int status = exprs ? judge_run (&o, exprs, &w, as, &error) : NP_EXIT_USAGE;
  if (error)
    np_cli_tell_error (error, "gate");
  return status;
}

NP_COMMAND_RUNS (run)
