/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof answers: lists the rules of what stands out, explains one, checks them all, and
 * says what they cost. */
#include "asked.h"

#include "base/install-paths.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "run/answer-folders.h"

#include <string.h>

typedef struct {
  NpCliOptions options;
  char *folder; /* of more answers */
  gboolean check, cost;
  GPtrArray *answers; /* of NpAnswer */
  guint problems;     /* that were told */
} Asked;

static void
asked_clear (Asked *a)
{
  np_cli_options_clear (&a->options);
  g_free (a->folder);
  g_clear_pointer (&a->answers, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Asked, asked_clear)

static void
tell (gpointer user, const char *problem)
{
  Asked *a = user;
  g_autofree char *safe = np_printable (problem, -1);
  g_printerr ("nprof: error: %s\n", safe);
  a->problems++;
}

static void
read_all (Asked *a)
{
  g_autofree char *data = np_data_folder ();
  g_autoptr (GPtrArray) folders = np_answer_folders (np_cli_modules (&a->options), data, TRUE);
  a->answers = g_ptr_array_new_with_free_func ((GDestroyNotify) np_answer_free);
  for (guint i = 0; i < folders->len; i++) {
    const NpAnswerFolder *folder = folders->pdata[i];
    np_answers_read (a->answers, folder->path, folder->prefix, tell, a);
  }
  if (a->folder && !g_file_test (a->folder, G_FILE_TEST_IS_DIR)) {
    g_autofree char *text = g_strdup_printf ("--answers %s: there is no such folder", a->folder);
    tell (a, text);
  } else if (a->folder) {
    np_answers_read (a->answers, a->folder, "team.", tell, a);
  }
}

/* -- The list ---------------------------------------------------------------------------------- */

static void
list (const Asked *a)
{
  for (guint i = 0; i < a->answers->len; i++) {
    const NpAnswer *answer = a->answers->pdata[i];
    g_autofree char *folder = g_path_get_dirname (answer->path),
                    *subject = g_path_get_basename (folder),
                    *safe = np_printable (answer->summary, -1);
    g_print ("%-14s  %-8s  %s\n", answer->name, subject, safe);
  }
}

/* -- One of them ------------------------------------------------------------------------------- */

static void
line (const char *what, const char *text)
{
  g_autofree char *safe = np_printable (text, -1);
  if (*text)
    g_print ("%-6s  %s\n", what, safe);
}

static void
explain (const NpAnswer *answer)
{
  line (answer->name, answer->summary);
  line ("when", answer->threshold ? answer->threshold : "");
  line (answer->kind == NP_ANSWER_ABILITY ? "asks" : "line", answer->label ? answer->label : "");
  line ("says", answer->say.said);
  line ("record", answer->record.said ? answer->record.said : "");
  line ("proof", answer->detail.said ? answer->detail.said : "");
  line ("if", answer->condition.said ? answer->condition.said : "");
  line ("try", answer->advice.said ? answer->advice.said : "");
  line ("stake", answer->source);
  line ("note", answer->note->str);
  for (guint i = 0; i < answer->needs->len; i++) {
    const NpAnswerNeed *need = answer->needs->pdata[i];
    g_autofree char *columns = g_strjoinv (" ", need->columns);
    g_autofree char *text = g_strdup_printf ("%s: %s%s", need->table, columns,
                                             need->may_lack ? " (if it is there)" : "");
    line ("reads", text);
  }
  g_print ("%-6s  nprof report --only %s\n", "table",
           answer->kind == NP_ANSWER_LINE      ? "summary"
           : answer->kind == NP_ANSWER_ABILITY ? "abilities"
                                               : answer->table);
  if (*answer->place)
    g_print ("%-6s  nprof view, widget %s\n", "page", answer->place);
  line ("file", answer->path);
}

/* Returns NULL where there is no SQLite, which has been told. */
static NpAsking *
open_asking (Asked *a, NpAnswerTables *tables)
{
  g_autofree char *problem = NULL;
  NpAsking *asking = np_asking_new (tables, NULL, NULL, &problem);
  if (!asking)
    tell (a, problem);
  return asking;
}

static void
show_rows (Asked *a, NpAnswerTables *tables, const NpAnswer *answer)
{
  g_auto (NpAnswerSaid) said = { 0 };
  g_autoptr (NpAsking) asking = open_asking (a, tables);
  if (!asking)
    return;
  np_answer_say (asking, tables, answer, &said);
  if (said.problem) {
    tell (a, said.problem);
    return;
  }
  if (!said.asked)
    g_print ("\nunknown: no analyzer of the report makes a table that it reads; rank= in "
             "NAME.plugin has one take part, nprof-plugin(3)\n");
  if (np_answer_tables_lack_rows (tables, answer))
    g_ptr_array_set_size (said.text, 0);
  if (said.asked && !said.text->len)
    g_print ("\nnothing: no row is so\n");
  for (guint i = 0; i < said.text->len; i++) {
    g_autofree char *safe = np_printable (said.text->pdata[i], -1);
    g_print ("%s%s\n", i ? "" : "\n", safe);
  }
}

/* -- All of them ------------------------------------------------------------------------------- */

static void
print_costs (Asked *a, NpAnswerTables *tables)
{
  g_autoptr (NpAsking) asking = open_asking (a, tables);
  if (!asking)
    return;
  g_print ("%-14s  %12s  %6s\n", "answer", "steps", "things");
  for (guint i = 0; i < a->answers->len; i++) {
    g_auto (NpAnswerSaid) said = { 0 };
    const NpAnswer *answer = a->answers->pdata[i];
    np_answer_say (asking, tables, answer, &said);
    if (said.problem)
      tell (a, said.problem);
    else if (said.asked)
      g_print ("%-14s  %12" G_GINT64_FORMAT "  %6u\n", answer->name, said.steps, said.text->len);
  }
}

static gboolean
same_texts (const GPtrArray *one, const GPtrArray *other)
{
  gboolean same = one->len == other->len;
  for (guint i = 0; same && i < one->len; i++)
    same = !strcmp (one->pdata[i], other->pdata[i]);
  return same;
}

/* Asks in both orders: what a statement leaves open must not be seen. */
static void
check_answer (Asked *a, NpAnswerTables *tables, NpAsking *asking, NpAsking *reversed,
              const NpAnswer *answer)
{
  g_auto (NpAnswerSaid) said = { 0 }, again = { 0 };
  np_answer_say (asking, tables, answer, &said);
  np_answer_say (reversed, tables, answer, &again);
  if (said.problem || again.problem) {
    tell (a, said.problem ? said.problem : again.problem);
  } else if (!same_texts (said.text, again.text)) {
    g_autofree char *text
        = g_strdup_printf ("%s:%u: its order is not total: end `order by` in rowid", answer->path,
                           answer->line);
    tell (a, text);
  }
}

static void
check_all (Asked *a, NpAnswerTables *tables)
{
  g_autoptr (NpAsking) asking = open_asking (a, tables);
  g_autoptr (NpAsking) reversed = asking ? open_asking (a, tables) : NULL;
  if (!reversed)
    return;
  np_asking_reverse (reversed);
  for (guint i = 0; i < a->answers->len; i++)
    check_answer (a, tables, asking, reversed, a->answers->pdata[i]);
}

/* Checks what can be seen without an input: the columns are those that components declare. */
static void
check_declared (Asked *a)
{
  NpAnswerTables *declared = np_answers_declared (&a->options, a->answers);
  for (guint i = 0; i < a->answers->len; i++) {
    g_autofree char *division = np_answer_division (declared, a->answers->pdata[i]);
    if (division)
      tell (a, division);
  }
  check_all (a, declared);
  np_answer_tables_free (declared);
}

static void
tell_good (const Asked *a)
{
  if (!a->problems)
    g_print ("%u answers are right\n", a->answers->len);
}

/* -- The command ------------------------------------------------------------------------------- */

/* Takes the name before the inputs; NULL with an error said: there is no such answer. */
static const NpAnswer *
take_name (Asked *a)
{
  GPtrArray *inputs = a->options.config->inputs;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const NpAnswer *answer = np_answers_find (a->answers, inputs->pdata[0]);
  if (answer) {
    g_ptr_array_remove_index (inputs, 0);
    return answer;
  }
  for (guint i = 0; i < a->answers->len; i++)
    g_ptr_array_add (names, ((const NpAnswer *) a->answers->pdata[i])->name);
  g_ptr_array_add (names, NULL);
  const char *near = np_suggest (inputs->pdata[0], (const char **) names->pdata);
  g_autofree char *text = g_strdup_printf ("there is no answer %s%s%s: nprof answers lists them",
                                           (const char *) inputs->pdata[0],
                                           near ? ", did you mean " : "", near ? near : "");
  np_cli_tell (text, "answers");
  return NULL;
}

static int
status_of (const Asked *a)
{
  return a->problems ? NP_EXIT_USAGE : NP_EXIT_OK;
}

/* Lists, explains one, or checks what the components declare: no input is read. */
static int
answer_of_none (Asked *a, const NpAnswer *one)
{
  if (one) {
    explain (one);
  } else if (a->check) {
    check_declared (a);
    tell_good (a);
  } else {
    list (a);
  }
  return status_of (a);
}

static int
answer_of_inputs (Asked *a, const NpAnswer *one)
{
  NpAnswerTables *tables;
  int status = np_answers_of_inputs (&a->options, a->answers, &tables);
  if (status == NP_EXIT_OK || status == NP_EXIT_LOSSES) {
    if (one) {
      explain (one);
      show_rows (a, tables, one);
    } else if (a->check) {
      check_declared (a);
      check_all (a, tables);
      tell_good (a);
    } else {
      print_costs (a, tables);
    }
    status = a->problems ? NP_EXIT_USAGE : status;
  }
  np_answer_tables_free (tables);
  return status;
}

static gboolean
parse (Asked *a, int argc, char **argv)
{
  const GOptionEntry extra[]
      = { { "answers", 0, 0, G_OPTION_ARG_FILENAME, &a->folder,
            "Also the answers SUBJECT/NAME.sql below this folder", "DIR" },
          { "check", 0, 0, G_OPTION_ARG_NONE, &a->check,
            "Whether each is right, and gives the same in any order of rows", NULL },
          { "cost", 0, 0, G_OPTION_ARG_NONE, &a->cost,
            "How many steps of SQLite each takes of INPUT", NULL },
          G_OPTION_ENTRY_NULL };
  return np_cli_parse (&a->options, NP_CLI_CLIP | NP_CLI_NAME, extra,
                       "Lists the rules of what stands out, and explains them.",
                       "Examples:\n"
                       "  nprof answers\n"
                       "  nprof answers exposed FILE\n"
                       "  nprof answers --answers mine --check FILE\n"
                       "  nprof answers --cost FILE",
                       argc, argv);
}

static int
run (int argc, char **argv)
{
  g_auto (Asked) a = { 0 };
  if (!parse (&a, argc, argv))
    return NP_EXIT_USAGE;
  const GPtrArray *inputs = a.options.config->inputs;
  const NpAnswer *one = NULL;
  read_all (&a);
  if (a.cost && (a.check || !inputs->len)) {
    np_cli_tell ("--cost needs an INPUT, and no --check", "answers");
    return NP_EXIT_USAGE;
  }
  if (inputs->len && !a.check && !a.cost && !(one = take_name (&a)))
    return NP_EXIT_USAGE;
  return inputs->len ? answer_of_inputs (&a, one) : answer_of_none (&a, one);
}

NP_COMMAND_RUNS (run)
