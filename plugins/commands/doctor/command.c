/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof doctor: what a recording can tell, what it cannot, and the option with which it
 * could, by table abilities. */
#include "cli/command.h"
#include "console/collect-tables.h"
#include "console/default-analyzers.h"
#include "system/json-writer.h"

/* -- Cells ------------------------------------------------------------------------------------- */

static const char *
cell (const NpTable *table, guint64 row, const char *column)
{
  return np_table_text (table, row, np_table_column (table, column));
}

/* The command with the inputs in place of FILE, as a shell takes it; transfer full. */
static char *
command_of (const NpTable *table, guint64 row, const NpConfig *config)
{
  const char *command = cell (table, row, "command");
  if (!command)
    return NULL;
  g_autoptr (GString) inputs = g_string_new (NULL);
  for (guint i = 0; i < config->inputs->len; i++) {
    g_autofree char *word = np_cli_shell_word (config->inputs->pdata[i]);
    g_string_append_printf (inputs, "%s%s", i ? " " : "", word);
  }
  GString *text = g_string_new (command);
  g_string_replace (text, "FILE", inputs->str, 1);
  return g_string_free (text, FALSE);
}

/* -- For people -------------------------------------------------------------------------------- */

#define COLUMNS "%-22s  %-6s  %s\n"

static void
print_line (const char *head, const char *able, const char *text)
{
  g_autofree char *safe = np_printable (text, -1);
  g_print (COLUMNS, head, able, safe);
}

/* Returns whether two rows say the same, of whichever input. */
static gboolean
is_alike (const NpTable *table, guint64 a, guint64 b)
{
  static const char *const columns[] = { "question", "able", "why", "record" };
  for (guint k = 0; k < G_N_ELEMENTS (columns); k++)
    if (g_strcmp0 (cell (table, a, columns[k]), cell (table, b, columns[k])))
      return FALSE;
  return TRUE;
}

/* Returns why, and of which inputs where others have another reason; NULL: none; transfer full. */
static char *
why_of (const NpTable *table, guint64 row)
{
  const char *why = cell (table, row, "why"), *before = " (";
  g_autoptr (GString) text = g_string_new (why);
  gboolean differs = FALSE;
  for (guint64 other = 0; other < table->n_rows; other++) {
    const gboolean alike = is_alike (table, row, other);
    differs |= !alike
               && !g_strcmp0 (cell (table, row, "question"), cell (table, other, "question"));
    if (!alike || !cell (table, other, "input"))
      continue;
    g_string_append_printf (text, "%s%s", before, cell (table, other, "input"));
    before = ", ";
  }
  if (!why || !differs || text->len == strlen (why))
    return g_strdup (why);
  g_string_append_c (text, ')');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
print_row (const NpTable *table, guint64 row, const NpConfig *config)
{
  g_autofree char *command = command_of (table, row, config), *why = why_of (table, row),
                  *head = np_printable (cell (table, row, "head"), -1);
  const char *able = cell (table, row, "able");
  const char *lines[] = { why, cell (table, row, "record"), command };
  gboolean begun = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    if (lines[i]) {
      print_line (begun ? "" : head, begun ? "" : able, lines[i]);
      begun = TRUE;
    }
  if (!begun)
    print_line (head, able, "");
}

/* Returns whether a row before it says the same, of another input. */
static gboolean
is_said (const NpTable *table, guint64 row)
{
  for (guint64 before = 0; before < row; before++)
    if (is_alike (table, row, before))
      return TRUE;
  return FALSE;
}

static void
print_all (const NpTable *table, const NpConfig *config)
{
  g_print (COLUMNS, "question", "known", "why, what to record, what shows it");
  for (guint64 row = 0; row < table->n_rows; row++)
    if (!is_said (table, row))
      print_row (table, row, config);
}

/* -- For programs ------------------------------------------------------------------------------ */

static void
put_row (NpJson *j, const NpTable *table, guint64 row, const NpConfig *config)
{
  static const char *const texts[]
      = { "input", "question", "head", "able", "code", "why", "record" };
  g_autofree char *command = command_of (table, row, config);
  const char *tables = cell (table, row, "tables");
  g_auto (GStrv) names = g_strsplit (tables ? tables : "", " ", -1);
  np_json_object (j, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (cell (table, row, texts[i]))
      np_json_text (j, texts[i], cell (table, row, texts[i]));
  np_json_array (j, "tables");
  for (char **name = names; *name; name++)
    np_json_text (j, NULL, *name);
  np_json_end_array (j);
  if (command)
    np_json_text (j, "command", command);
  np_json_end_object (j);
}

static void
print_json (const NpTable *table, const NpConfig *config)
{
  struct nprof_buf buf = { 0 };
  NpJson j = { .buf = &buf, .style = NP_JSON_INDENTED };
  np_json_object (&j, NULL);
  np_json_text (&j, "schema", "nprof.doctor/1");
  np_json_array (&j, "abilities");
  for (guint64 row = 0; row < table->n_rows; row++)
    put_row (&j, table, row, config);
  np_json_end_array (&j);
  np_json_end_object (&j);
  g_autofree char *text = np_json_take (&buf);
  g_print ("%s\n", text);
}

/* -- The command ------------------------------------------------------------------------------- */

static int
examine (NpCliOptions *o, gboolean json)
{
  static const char *const names[] = { "abilities", NULL };
  g_auto (NpCollected) collected = { 0 };
  np_add_default_analyzers (o->config, np_cli_modules (o), NULL);
  np_cli_want_table (o, names[0]);
  /* Of analyzers that take no part unasked. */
  np_cli_want_table (o, "source");
  np_cli_want_table (o, "ranks");
  o->config->team_answers = TRUE;
  np_collect (&collected, names, o->config);
  const int status = np_cli_execute (o);
  const NpTable *table = np_table_store_find (collected.tables, names[0]);
  if (status != NP_EXIT_OK && status != NP_EXIT_LOSSES)
    return status;
  if (!table) {
    np_cli_tell ("the analyzer answers, which knows it, did not run", "doctor");
    return NP_EXIT_PLUGIN;
  }
  if (json)
    print_json (table, o->config);
  else
    print_all (table, o->config);
  return status;
}

static int
run (int argc, char **argv)
{
  g_auto (NpCliOptions) options = { 0 };
  gboolean json = FALSE;
  const GOptionEntry extra[]
      = { { "json", 0, 0, G_OPTION_ARG_NONE, &json, "As JSON", NULL }, G_OPTION_ENTRY_NULL };
  if (!np_cli_parse (&options, NP_CLI_WHOLE, extra,
                     "Says what a recording can tell, what it cannot, and what to record for it.",
                     "Examples:\n"
                     "  nprof doctor FILE\n"
                     "  nprof doctor RANK0 RANK1\n"
                     "  nprof doctor --json FILE",
                     argc, argv))
    return NP_EXIT_USAGE;
  return examine (&options, json);
}

NP_COMMAND_RUNS (run)
