/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - nprof report: the tables that people want first, in the terminal. */

#include "cli/cli.h"

#include <string.h>

/* fusion last: latency would count its spans beside those that they are made of. */
static const char *const default_analyzers[]
    = { "device", "operators", "mfu", "steps", "latency", "fusion" };

/* What vendors' own tools print, where the input is theirs. */
static const struct {
  const char *analyzer, *decoder;
} vendors_analyzers[] = { { "furiosa", "furiosa" }, { "neuron", "ntff" } };

/* Of the analyzers that come with nprof; those without rows are not missed. */
static const char *const known_tables[]
    = { "devices",         "categories", "operators",      "layers",        "fusions",
        "fusion_members",  "mfu",        "steps",          "latency",       "gaps",
        "furiosa_summary", "inferences", "npu_executions", "npu_operators", "external_operators",
        "neuron_summary" };

static gboolean
has_analyzer (NpModules *modules, const char *name)
{
  GPtrArray *all = np_modules_all (modules);
  for (guint i = 0; i < all->len; i++) {
    const NpModule *module = g_ptr_array_index (all, i);
    if (module->kind == NPROF_ANALYZER && !module->problem && g_str_equal (module->name, name))
      return TRUE;
  }
  return FALSE;
}

/* What the user asked of it, with its options; NULL: nothing.  Transfer full. */
static NpSpec *
take_asked (GPtrArray *asked, const char *name)
{
  for (guint i = 0; i < asked->len; i++)
    if (g_str_equal (((NpSpec *) g_ptr_array_index (asked, i))->name, name))
      return g_ptr_array_steal_index (asked, i);
  return NULL;
}

static void
add_default (NpConfig *config, NpModules *modules, GPtrArray *asked, const char *name,
             const char *only_for)
{
  NpSpec *spec = take_asked (asked, name);
  if (!spec && has_analyzer (modules, name)) {
    spec = np_spec_new (name);
    spec->only_for = g_strdup (only_for);
  }
  if (spec)
    g_ptr_array_add (config->analyzers, spec);
}

/* What was asked for joins them, at the end, or with its options in its place among them. */
static void
add_default_analyzers (NpConfig *config, NpModules *modules)
{
  g_autoptr (GPtrArray) asked = g_steal_pointer (&config->analyzers);
  config->analyzers = g_ptr_array_new_with_free_func ((GDestroyNotify) np_spec_free);
  for (guint i = 0; i < G_N_ELEMENTS (default_analyzers); i++)
    add_default (config, modules, asked, default_analyzers[i], NULL);
  for (guint i = 0; i < G_N_ELEMENTS (vendors_analyzers); i++)
    add_default (config, modules, asked, vendors_analyzers[i].analyzer,
                 vendors_analyzers[i].decoder);
  while (asked->len)
    g_ptr_array_add (config->analyzers, g_ptr_array_steal_index (asked, 0));
}

/* A style is named after the analyzer whose tables it prints: furiosa-0.9 after furiosa. */
static gboolean
add_analyzers_of_style (NpConfig *config, NpModules *modules, const char *style)
{
  g_autofree char *name = g_strdup (style);
  for (char *end = name + strlen (name); end; end = strrchr (name, '-')) {
    *end = '\0';
    if (has_analyzer (modules, name)) {
      g_ptr_array_add (config->analyzers, np_spec_new (name));
      return TRUE;
    }
  }
  return FALSE;
}

/* Of each step or queue: named below the page, not printed, unless all is wanted. */
static gboolean
is_detail (const char *table)
{
  static const char *const details[]
      = { "step_breakdown", "idle_causes", "queue_idle", "launches", "queue_length" };
  for (guint i = 0; i < G_N_ELEMENTS (details); i++)
    if (g_str_equal (details[i], table))
      return TRUE;
  return FALSE;
}

/* An analyzer that cannot be opened is an error that the run reports. */
static void
append_tables_of (GString *names, NpModules *modules, const NpSpec *analyzer)
{
  const NpModule *module = np_modules_get (modules, NPROF_ANALYZER, analyzer->name, NULL);
  const struct nprof_table *const *table = module ? module->component->tables : NULL;
  for (; table && *table; table++)
    if (!is_detail ((*table)->name))
      g_string_append_printf (names, "+%s?", (*table)->name);
}

/* What decoders make is named below the page, not printed, unless all is wanted.  Transfer full. */
static char *
choose_tables (const NpConfig *config, NpModules *modules, gboolean full)
{
  GString *names = g_string_new ("inputs");
  for (guint i = 0; i < G_N_ELEMENTS (known_tables); i++)
    g_string_append_printf (names, "+%s?", known_tables[i]);
  for (guint i = 0; i < config->analyzers->len; i++)
    append_tables_of (names, modules, g_ptr_array_index (config->analyzers, i));
  g_string_append (names, full ? "+facts?+skipped?+*?" : "+facts?+skipped?");
  return g_string_free (names, FALSE);
}

int
np_cli_report (int argc, char **argv)
{
  g_auto (NpCliOptions) o = { 0 };
  gboolean full = FALSE;
  g_autofree char *style = NULL, *top = NULL, *by = NULL, *format = NULL;
  const GOptionEntry extra[]
      = { { "style", 0, 0, G_OPTION_ARG_STRING, &style,
            "As the vendor's tool prints it: sink report-NAME", "NAME" },
          { "full", 0, 0, G_OPTION_ARG_NONE, &full, "All tables with all columns", NULL },
          { "top", 0, 0, G_OPTION_ARG_STRING, &top, "Rows a table; 0: all", "N" },
          { "by", 0, 0, G_OPTION_ARG_STRING, &by, "Column to sort by", "COLUMN" },
          { "format", 0, 0, G_OPTION_ARG_STRING, &format, "plain, markdown or json", "FORMAT" },
          G_OPTION_ENTRY_NULL };
  if (!np_cli_parse (&o, NP_CLI_OUTPUT, extra, "Prints the tables that people want first.",
                     "-a adds an analyzer to those of the page, or sets the options of one of "
                     "them.\n"
                     "\n"
                     "Examples:\n"
                     "  nprof report profile.xplane.pb\n"
                     "  nprof report -a device:gap=1000 FILE\n"
                     "  nprof report --format markdown --top 5 FILE",
                     argc, argv))
    return NP_EXIT_USAGE;
  g_autofree char *sink = style ? g_strdup_printf ("report-%s", style) : g_strdup ("text");
  NpSpec *spec = np_spec_new (sink);
  if (top)
    np_spec_set (spec, "top", top);
  if (by)
    np_spec_set (spec, "by", by);
  if (format)
    np_spec_set (spec, "format", format);
  NpModules *modules = np_cli_modules (&o);
  if (!style || !add_analyzers_of_style (o.config, modules, style))
    add_default_analyzers (o.config, modules);
  if (!style) {
    g_autofree char *tables = choose_tables (o.config, modules, full);
    np_spec_set (spec, "tables", tables);
    np_spec_set (spec, "rest", "yes");
    np_spec_set (spec, "brief", full ? "no" : "yes");
  }
  g_ptr_array_add (o.config->sinks, spec);
  if (!o.config->output)
    o.config->output = g_strdup ("-");
  return np_cli_execute (&o);
}
