/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof gate: a profile against limits, for CI. */

#include "base/log.h"
#include "cli/command.h"
#include "console/collect-tables.h"
#include "console/default-analyzers.h"
#include "console/file-ending.h"
#include "console/report-tables.h"
#include "plugin/component.h"
#include "print.h"
#include "rows.h"
#include "values.h"

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

/* Returns the short names of demands; those of nprof's own analyzers come first. */
static GPtrArray *
values_of (NpRegistry *registry)
{
  GPtrArray *values = np_gate_values_new ();
  g_autoptr (GPtrArray) parts = np_report_naming_parts (registry);
  for (guint i = 0; i < parts->len; i++) {
    GHashTableIter iter;
    gpointer name, what;
    g_hash_table_iter_init (&iter, ((const NpReportPart *) parts->pdata[i])->values);
    while (g_hash_table_iter_next (&iter, &name, &what)) {
      g_autofree char *why = NULL; /* warn_of_value says it where the name is asked for */
      np_gate_values_add (values, name, what, &why);
    }
  }
  return values;
}

/* Returns whether a demand begins with that name. */
static gboolean
begins_with (const char *demand, const char *name)
{
  while (g_ascii_isspace (*demand))
    demand++;
  if (g_str_has_prefix (demand, "any(") || g_str_has_prefix (demand, "all("))
    demand += strlen ("any(");
  if (!g_str_has_prefix (demand, name))
    return FALSE;
  const char after = demand[strlen (name)];
  return !g_ascii_isalnum (after) && after != '_' && after != '.';
}

/* Says which NAME.plugin says the name of a demand in another shape, and what is wrong with it. */
static void
warn_of_value (NpRegistry *registry, const char *demand)
{
  const GPtrArray *all = np_registry_all (registry);
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *e = all->pdata[i];
    GHashTableIter iter;
    gpointer name, what;
    if (!e->report || e->problem)
      continue;
    g_hash_table_iter_init (&iter, e->report->values);
    while (g_hash_table_iter_next (&iter, &name, &what)) {
      g_autofree char *why = NULL;
      g_autoptr (NpDemandValue) value = np_demand_value_read (name, what, &why);
      if (value || !begins_with (demand, name))
        continue;
      g_autofree char *shown = np_printable (why, -1);
      g_printerr ("nprof: warning: %.*s.plugin: [analyzer %s]: %s\n",
                  (int) (strlen (e->file) - strlen (".so")), e->file, e->name, shown);
    }
  }
}

/* Says what to write for the name of a table alone; else the parser has said what is wrong. */
static void
say_form (NpCliOptions *o, const char *text, const GPtrArray *values, GError **error)
{
  g_autofree char *name = np_gate_bare_name (text, values);
  g_autofree char *table = name ? np_report_first_table (np_cli_modules (o), name) : NULL;
  const struct nprof_table *schema = table ? np_report_table (np_cli_modules (o), table) : NULL;
  g_autofree char *form = schema ? np_gate_form (schema, name) : NULL;
  if (!form)
    return;
  g_clear_error (error);
  g_set_error (error, NP_ERROR, NP_EXIT_USAGE, "\"%s\": %s is a table: expected %s", text, name,
               form);
}

/* Takes the words after the input, which are the demands.  NULL: one of them could not be read. */
static GPtrArray *
take_exprs (NpCliOptions *o, GError **error)
{
  NpConfig *config = o->config;
  g_autoptr (GPtrArray) exprs = g_ptr_array_new_with_free_func ((GDestroyNotify) np_gate_expr_free);
  g_autoptr (GPtrArray) values = values_of (np_cli_modules (o));
  const char *input = misplaced_input (config->inputs);
  if (input) {
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
                 "\"%s\" is where the INPUT should be: nprof gate %s \"%s\"",
                 (const char *) config->inputs->pdata[0], input,
                 (const char *) config->inputs->pdata[0]);
    return NULL;
  }
  for (guint i = 1; i < config->inputs->len; i++) {
    const char *text = g_ptr_array_index (config->inputs, i);
    NpGateExpr *expr = np_gate_parse (text, values, error);
    if (!expr) {
      warn_of_value (np_cli_modules (o), text);
      say_form (o, text, values, error);
      return NULL;
    }
    g_ptr_array_add (exprs, expr);
  }
  if (!exprs->len) {
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
                 "expected an INPUT and at least one demand, such as \"p99('*') < 2ms\"");
    return NULL;
  }
  g_ptr_array_set_size (config->inputs, 1);
  return g_steal_pointer (&exprs);
}

/* Finds the tables of short names. A misspelt table is wrong use and nothing to be undecided, which
 * --undecided=ok would let pass. */
static gboolean
find_tables (NpCliOptions *o, const GPtrArray *exprs, GError **error)
{
  for (guint i = 0; i < exprs->len; i++) {
    NpGateExpr *expr = g_ptr_array_index (exprs, i);
    g_autofree char *name = expr->of_list ? g_steal_pointer (&expr->table) : NULL;
    if (name)
      expr->table = np_report_first_table (np_cli_modules (o), name);
    if (!np_report_check_table (np_cli_modules (o), expr->table, error)) {
      warn_of_value (np_cli_modules (o), expr->text);
      g_prefix_error (error, "\"%s\": ", expr->text);
      return FALSE;
    }
  }
  return TRUE;
}

/* Adds the analyzers of a table, and those of the tables that they read, as a report runs them. */
static void
want (NpCliOptions *o, GHashTable *wanted, const char *table)
{
  if (!g_hash_table_add (wanted, g_strdup (table)))
    return;
  g_autoptr (GPtrArray) all = np_registry_of_kind (np_cli_modules (o), NPROF_ANALYZER);
  for (guint i = 0; i < all->len; i++) {
    const struct nprof_component *c = ((const NpRegistryEntry *) all->pdata[i])->component;
    const char *const *reads = np_component_has_table (c, table) ? c->table_wants : NULL;
    for (; reads && *reads; reads++) {
      g_autofree char *read = g_strndup (*reads, strcspn (*reads, "?"));
      want (o, wanted, read);
    }
  }
  np_cli_want_table (o, table);
}

static void
collect_for (NpCliOptions *o, const GPtrArray *exprs, NpCollected *collected)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GHashTable) wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_ptr_array_add (names, (gpointer) "abilities"); /* why rows are not there */
  g_ptr_array_add (names, (gpointer) "verdict");   /* of which machine it is */
  g_ptr_array_add (names, (gpointer) "facts");
  for (guint i = 0; i < exprs->len; i++) {
    const NpGateExpr *expr = g_ptr_array_index (exprs, i);
    g_ptr_array_add (names, expr->table);
    if (expr->of_devices)
      g_ptr_array_add (names, (gpointer) "devices");
  }
  for (guint i = 0; i < names->len; i++)
    want (o, wanted, names->pdata[i]);
  np_order_analyzers (o->config, np_cli_modules (o));
  g_ptr_array_add (names, NULL);
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

/* Returns the demands whose limit is a value of the baseline. */
static GPtrArray *
of_baseline (const GPtrArray *exprs)
{
  GPtrArray *some = g_ptr_array_new ();
  for (guint i = 0; i < exprs->len; i++)
    if (((const NpGateExpr *) exprs->pdata[i])->of_base > 0)
      g_ptr_array_add (some, exprs->pdata[i]);
  return some;
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
  g_autoptr (GPtrArray) tables = np_cli_tables (o, collected.tables);
  GPtrArray *base = np_gate_judge (exprs, &collected, (const char *const *) tables->pdata,
                                   *status == NP_EXIT_LOSSES, NULL, error);
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
  g_autoptr (GPtrArray) held = of_baseline (exprs);
  g_autoptr (GPtrArray) base
      = held->len ? judge_baseline (o, w->baseline, held, collected.tables, &of_base, error) : NULL;
  if (held->len && !base)
    return of_base;
  g_autoptr (GPtrArray) tables = np_cli_tables (o, collected.tables);
  g_autoptr (GPtrArray) verdicts
      = np_gate_judge (exprs, &collected, (const char *const *) tables->pdata,
                       status == NP_EXIT_LOSSES, base, error);
  if (!verdicts)
    return NP_EXIT_USAGE;
  g_autofree char *input = g_path_get_basename (g_ptr_array_index (o->config->inputs, 0));
  g_autoptr (GString) text = np_gate_print (verdicts, format, input);
  const gboolean undecided_ok = !g_strcmp0 (w->undecided, "ok");
  status = (int) np_exit_worse ((NpExit) status, (NpExit) np_gate_status (verdicts, undecided_ok));
  int written = np_cli_write ("gate", o->config, file_name (format), text);
  return (int) np_exit_worse ((NpExit) status, (NpExit) written);
}

/* A baseline without a demand that names it, and such a demand without a baseline, are wrong
 * use. */
static gboolean
check_baseline (const Wishes *w, const GPtrArray *exprs, GError **error)
{
  g_autoptr (GPtrArray) held = of_baseline (exprs);
  if (!w->baseline == !held->len)
    return TRUE;
  if (w->baseline)
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
                 "--baseline %s: no demand is held against it: write \"step <= baseline + 5%%\"",
                 w->baseline);
  else
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
                 "\"%s\": which baseline is not said: give --baseline NAME; nprof baseline lists "
                 "them",
                 ((const NpGateExpr *) held->pdata[0])->text);
  return FALSE;
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
  g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
               "--format %s: expected text, markdown, junit or json", format);
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
    g_set_error (&error, NP_ERROR, NP_EXIT_USAGE, "--undecided %s: expected ok or fail", how);
  g_autoptr (GPtrArray) exprs = error ? NULL : take_exprs (&o, &error);
  gboolean there = exprs && check_baseline (&w, exprs, &error) && find_tables (&o, exprs, &error);
  int status = there ? judge_run (&o, exprs, &w, as, &error) : NP_EXIT_USAGE;
  if (error)
    np_cli_tell_error (error, "gate");
  return status;
}

NP_COMMAND_RUNS (run)
