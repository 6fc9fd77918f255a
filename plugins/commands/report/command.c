/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof report: shows the tables that people want first, in the terminal. */

#include "cli/command.h"
#include "base/suggest.h"
#include "console/collect-tables.h"
#include "console/default-analyzers.h"
#include "console/file-ending.h"
#include "console/report-tables.h"
#include "console/screen.h"
#include "findings.h"
#include "summary.h"

#include <string.h>

/* A style is named after the analyzer whose tables it prints: furiosa-0.9 after furiosa. */
static gboolean
add_analyzers_of_style (NpConfig *config, NpRegistry *registry, const char *style)
{
  g_autofree char *name = g_strdup (style);
  for (char *end = name + strlen (name); end; end = strrchr (name, '-')) {
    *end = '\0';
    if (np_has_analyzer (registry, name)) {
      g_ptr_array_add (config->analyzers, np_spec_new (name));
      return TRUE;
    }
  }
  return FALSE;
}

/* -- What is printed, and how ----------------------------------------------- */

typedef struct {
  char *style, *top, *by, *format, *only, *names;
  gboolean full, tables, findings, passed_over;
  GStrv chosen; /* by --only; NULL: those of the page */
  GStrv words;  /* of the command line, as given */
} Asked;

static void
asked_clear (Asked *asked)
{
  g_free (asked->style);
  g_free (asked->top);
  g_free (asked->by);
  g_free (asked->format);
  g_free (asked->only);
  g_free (asked->names);
  g_strfreev (asked->chosen);
  g_strfreev (asked->words);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Asked, asked_clear)

#define ROWS_TO_SORT "50" /* of a table whose reader sorts it */

static const NpFileEnding endings[]
    = { { ".md", "markdown" }, { ".markdown", "markdown" }, { ".html", "html" },
        { ".htm", "html" },    { ".json", "json" },         { ".csv", "csv" },
        { ".xlsx", "xlsx" },   { ".txt", "plain" },         { NULL, NULL } };

static gboolean
is_by_shape (const Asked *asked)
{
  return g_strcmp0 (asked->by, "shape") == 0;
}

static gboolean
is_csv (const char *format)
{
  return g_strcmp0 (format, "csv") == 0 || (format && g_str_has_prefix (format, "csv:"));
}

static gboolean
check_format (const char *format, GError **error)
{
  static const char *const all[] = { "plain", "markdown", "html", "json", "csv", "xlsx", NULL };
  if (!format || is_csv (format) || g_strv_contains (all, format))
    return TRUE;
  g_autofree char *ending = g_strconcat (".", format, NULL);
  const char *near = np_suggest (format, all);
  for (const NpFileEnding *e = endings; !near && e->ending; e++)
    near = g_str_equal (e->ending, ending) ? e->format : NULL;
  g_autofree char *hint = np_suggestion (near);
  return np_error_set (error, NP_EXIT_USAGE,
                       "--format %s%s expected plain, markdown, html, json, csv or xlsx", format,
                       near ? hint : ":");
}

/* Returns the CSV sink with the options that the format gives it; a CSV file holds one table.
 * Transfer full, NULL with an error. */
static NpSpec *
csv_sink (const Asked *asked, const char *format, GError **error)
{
  const char *table = asked->chosen ? asked->chosen[0] : "operators";
  /* The other tables of a short name are left out. */
  if (asked->chosen && asked->chosen[1] && !g_str_has_suffix (asked->chosen[1], "?")) {
    np_error_set (error, NP_EXIT_USAGE,
                  "--only %s: a CSV file holds one table: name one, or write all as files of a "
                  "folder by nprof run -s csv -o FOLDER/",
                  asked->only);
    return NULL;
  }
  if (asked->top || (asked->by && !is_by_shape (asked))) {
    np_error_set (error, NP_EXIT_USAGE,
                  "--%s: a CSV file has all rows of its table in their order: leave it out",
                  asked->top ? "top" : "by");
    return NULL;
  }
  g_autoptr (NpSpec) spec = np_spec_parse (format, error);
  if (!spec)
    return NULL;
  if (g_ptr_array_find_with_equal_func (spec->keys, "table", g_str_equal, NULL)) {
    np_error_set (error, NP_EXIT_USAGE, "--format %s: --only TABLE names the table", format);
    return NULL;
  }
  np_spec_set (spec, "table", table);
  return g_steal_pointer (&spec);
}

/* Returns the sink of workbooks, with all rows of the tables; transfer full, NULL with an error. */
static NpSpec *
xlsx_sink (const Asked *asked, GError **error)
{
  if (asked->top || (asked->by && !is_by_shape (asked))) {
    np_error_set (
        error, NP_EXIT_USAGE,
        "--%s: a workbook has all rows of its tables, which it sorts itself: leave it out",
        asked->top ? "top" : "by");
    return NULL;
  }
  g_autofree char *tables = asked->chosen ? g_strjoinv ("+", asked->chosen) : NULL;
  NpSpec *spec = np_spec_new ("xlsx");
  np_spec_set (spec, "rows", "no");
  if (tables)
    np_spec_set (spec, "tables", tables);
  return spec;
}

/* Below the page they stand beside the operators by name. */
#define BY_SHAPE "+operator_shapes?"
/* Programs are given the rows that the summary's sentences are made of. */
#define EVIDENCE "+verdict?+verdict_parts?+bound?+critical?+step_breakdown?"

static void
set_tables (NpSpec *spec, const Asked *asked, const NpConfig *config, NpRegistry *registry,
            const char *format)
{
  g_autofree char *page = np_report_tables (config, registry, asked->full, asked->passed_over);
  g_autofree char *tables
      = asked->chosen ? g_strjoinv ("+", asked->chosen)
                      : g_strconcat (page, g_strcmp0 (format, "json") == 0 ? EVIDENCE : "",
                                     is_by_shape (asked) ? BY_SHAPE : "", NULL);
  np_spec_set (spec, "tables", tables);
  np_spec_set (spec, "brief", asked->full ? "no" : "yes");
  np_spec_set (spec, asked->chosen ? "only" : "rest", "yes");
  np_spec_set (spec, "short_names", g_strcmp0 (asked->names, "full") == 0 ? "no" : "yes");
}

/* Makes each shape a row of table kernels. */
static void
split_by_shape (const NpConfig *config)
{
  for (guint i = 0; i < config->analyzers->len; i++) {
    NpSpec *spec = g_ptr_array_index (config->analyzers, i);
    if (g_str_equal (spec->name, "operators"))
      np_spec_set (spec, "kernels", "shape");
  }
}

#define STYLE "report-" /* how the names of sinks begin that print as another tool does */

/* Checks that a sink prints so. */
static gboolean
check_style (const char *style, NpRegistry *registry, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const GPtrArray *all = np_registry_all (registry);
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *m = all->pdata[i];
    if (m->kind == NPROF_SINK && g_str_has_prefix (m->name, STYLE))
      g_ptr_array_add (names, m->name + strlen (STYLE));
  }
  g_ptr_array_add (names, NULL);
  const char *const *styles = (const char *const *) names->pdata;
  if (g_strv_contains (styles, style))
    return TRUE;
  g_autofree char *hint = np_suggestion (np_suggest (style, styles));
  g_autofree char *list = g_strjoinv (", ", (char **) names->pdata);
  return np_error_set (error, NP_EXIT_USAGE, "--style %s%s expected one of %s", style,
                       *hint ? hint : ":", list);
}

/* Puts what is shown of a spec in its place at the end of a word: "-adevice:..." or the spec
 * alone. */
static void
show_spec (NpCliOptions *o, guint kind, const char *text, char **word)
{
  g_autofree char *shown = np_cli_spec_shown (o, kind, text);
  if (!shown || !g_str_has_suffix (*word, text))
    return;
  char *with = g_strdup_printf ("%.*s%s", (int) (strlen (*word) - strlen (text)), *word, shown);
  g_free (*word);
  *word = with;
}

/* Returns the command as a shell takes it, transfer full: words are quoted where they need it, and
 * secrets are hidden. */
static char *
command_of (NpCliOptions *o, const GStrv words)
{
  GString *command = g_string_new ("nprof report");
  for (char **word = words + 1; *word; word++) {
    for (char **a = o->analyzers; a && *a; a++)
      show_spec (o, NPROF_ANALYZER, *a, word);
    show_spec (o, NPROF_DECODER, o->decoder, word);
    g_autofree char *taken = np_cli_shell_word (*word);
    g_string_append_printf (command, " %s", taken);
  }
  return g_string_free (command, FALSE);
}

/* Sets what a page for a browser has beside the tables. */
static void
set_page (NpSpec *spec, const Asked *asked, NpCliOptions *o)
{
  g_autofree char *command = command_of (o, asked->words);
  np_spec_set (spec, "command", command);
  if (!asked->top)
    np_spec_set (spec, "top", ROWS_TO_SORT);
}

/* Returns the sink, transfer full; NULL with an error. */
static NpSpec *
make_sink (const Asked *asked, NpCliOptions *o, GError **error)
{
  const NpConfig *config = o->config;
  NpRegistry *registry = np_cli_modules (o);
  const char *format = asked->format;
  if (!asked->style && !check_format (format, error))
    return NULL;
  if (!format && !asked->style && !np_format_of_ending (config->output, endings, &format, error))
    return NULL;
  if (!asked->style && !asked->tables && is_csv (format))
    return csv_sink (asked, format, error);
  if (!asked->style && !asked->tables && g_strcmp0 (format, "xlsx") == 0)
    return xlsx_sink (asked, error);
  if (asked->style && !check_style (asked->style, registry, error))
    return NULL;
  g_autofree char *style = asked->style ? g_strconcat (STYLE, asked->style, NULL) : NULL;
  NpSpec *spec = np_spec_new (style ? style : "text");
  if (asked->top)
    np_spec_set (spec, "top", asked->top);
  if (asked->by)
    np_spec_set (spec, "by", asked->by);
  if (format && !asked->tables)
    np_spec_set (spec, "format", format);
  if (!style && g_strcmp0 (format, "html") == 0)
    set_page (spec, asked, o);
  if (!style && asked->tables)
    np_spec_set (spec, "list", "yes");
  else if (!style)
    set_tables (spec, asked, config, registry, format);
  return spec;
}

/* Returns NULL when all are wanted. */
static const char *const *
long_tables_of (const Asked *asked)
{
  static const char *const none[] = { NULL };
  if (asked->full || asked->tables)
    return NULL;
  return asked->chosen ? (const char *const *) asked->chosen : none;
}

/* Returns the sink, which is the configuration's; NULL with an error. */
static NpSpec *
prepare (NpCliOptions *o, Asked *asked, GError **error)
{
  NpRegistry *registry = np_cli_modules (o);
  guint top;
  if (!np_cli_read_top (asked->top, &top, error))
    return NULL;
  if (!asked->names)
    asked->names = g_strdup (asked->full ? "full" : "short");
  if (strcmp (asked->names, "short") != 0 && strcmp (asked->names, "full") != 0) {
    np_error_set (error, NP_EXIT_USAGE, "--names %s: expected short or full", asked->names);
    return NULL;
  }
  if (!np_report_check_inputs (registry, o->config->inputs, error))
    return NULL;
  if (asked->only) {
    o->config->where = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    asked->chosen
        = np_report_only (registry, asked->only, is_by_shape (asked), o->config->where, error);
    if (!asked->chosen)
      return NULL;
  }
  if (!asked->style || !add_analyzers_of_style (o->config, registry, asked->style))
    np_add_default_analyzers (o->config, registry, long_tables_of (asked));
  for (guint i = 0; asked->chosen && asked->chosen[i]; i++)
    np_cli_want_table (o, asked->chosen[i]);
  if (is_by_shape (asked))
    split_by_shape (o->config);
  NpSpec *sink = make_sink (asked, o, error);
  if (!sink)
    return NULL;
  g_ptr_array_add (o->config->sinks, sink);
  if (!o->config->output)
    o->config->output = g_strdup ("-");
  return sink;
}

/* Reads the command line; FALSE: it is wrong, and that has been said. */
static gboolean
parse (NpCliOptions *o, Asked *asked, NpScreen *screen, int argc, char **argv)
{
  const GOptionEntry extra[]
      = { { "style", 0, 0, G_OPTION_ARG_STRING, &asked->style,
            "As the vendor's tool prints it: sink report-NAME", "NAME" },
          { "only", 0, 0, G_OPTION_ARG_STRING, &asked->only,
            "These tables alone; also ops, kernels, idle, steps, summary", "NAME,..." },
          { "tables", 0, 0, G_OPTION_ARG_NONE, &asked->tables,
            "List the tables of INPUT and how many rows they have; without it all there are",
            NULL },
          { "findings", 0, 0, G_OPTION_ARG_NONE, &asked->findings,
            "What stands out, most to gain first, as nprof view lists it", NULL },
          { "names", 0, 0, G_OPTION_ARG_STRING, &asked->names,
            "short or full names of C++ functions (default: short, with --full full)", "HOW" },
          { "full", 0, 0, G_OPTION_ARG_NONE, &asked->full, "All tables with all columns", NULL },
          { "top", 0, 0, G_OPTION_ARG_STRING, &asked->top, "Rows a table; 0: all", "N" },
          { "by", 0, 0, G_OPTION_ARG_STRING, &asked->by,
            "Column to sort by; shape: operators, and kernels, by the shapes of what they work on",
            "COLUMN" },
          { "format", 0, 0, G_OPTION_ARG_STRING, &asked->format,
            "plain, markdown, html, json, csv or xlsx; csv with its sink's options, as "
            "csv:excel=yes (default: by the ending of -o)",
            "FORMAT" },
          NP_SCREEN_ENTRIES (screen),
          G_OPTION_ENTRY_NULL };
  return np_cli_parse (
      o, NP_CLI_OUTPUT | NP_CLI_CLIP, extra, "Prints the tables that people want first.",
      "-a adds an analyzer to those of the page, or sets the options of one of them.\n"
      "\n"
      "Examples:\n"
      "  nprof report profile.xplane.pb\n"
      "  nprof report --only idle,steps FILE\n"
      "  nprof report --findings FILE\n"
      "  nprof report -o page.html FILE      for a browser; also .md .json .csv .xlsx .txt\n"
      "  nprof report -a device:gap=1000 FILE\n"
      "  nprof report --format markdown --top 5 FILE",
      argc, argv);
}

static gboolean
shapes_a_page (const Asked *asked, const NpCliOptions *o)
{
  return asked->style || asked->top || asked->by || asked->format || asked->only || asked->names
         || asked->full || asked->tables || o->config->output;
}

#ifdef NP_HAVE_SQLITE
/* Returns whether JSON is asked for, and nothing that only tables have: a program is told what
 * limits the run. */
static gboolean
is_summary (const Asked *asked, const NpCliOptions *o)
{
  const char *format = asked->format;
  if (asked->style || asked->top || asked->by || asked->only || asked->names || asked->full
      || asked->tables)
    return FALSE;
  if (!format && !np_format_of_ending (o->config->output, endings, &format, NULL))
    return FALSE;
  return g_strcmp0 (format, "json") == 0;
}
#endif

static int
list_findings (NpCliOptions *o, const Asked *asked)
{
  if (!shapes_a_page (asked, o))
    return np_report_findings (o);
  np_cli_tell ("--findings prints a list and no tables: leave out -o and the options of tables; "
               "nprof view has the list as JSON",
               "report");
  return NP_EXIT_USAGE;
}

static int
run (int argc, char **argv)
{
  g_auto (NpCliOptions) o = { 0 };
  g_auto (Asked) asked = { 0 };
  g_auto (NpScreen) screen = { 0 };
  g_autoptr (GError) error = NULL;
  asked.words = g_strdupv (argv);
  if (!parse (&o, &asked, &screen, argc, argv))
    return NP_EXIT_USAGE;
  np_cli_begin_again (o.config->inputs);
  if (asked.tables && (asked.full || asked.top || asked.by)) {
    np_cli_tell ("--tables lists tables and prints none: leave out --full, --top and --by",
                 "report");
    return NP_EXIT_USAGE;
  }
  if (asked.tables && o.config->inputs->len == 0) {
    np_report_list (np_cli_modules (&o));
    return NP_EXIT_OK;
  }
  if (asked.findings)
    return list_findings (&o, &asked);
#ifdef NP_HAVE_SQLITE
  if (is_summary (&asked, &o))
    return np_report_summary (&o);
#endif
  asked.passed_over = o.verbosity > NPROF_WARNING;
  NpSpec *sink = prepare (&o, &asked, &error);
  if (sink)
    return np_screen_execute (&screen, &o, g_str_equal (sink->name, "text") ? sink : NULL);
  np_cli_tell_error (error, "report");
  return error->code;
}

NP_COMMAND_RUNS (run)
