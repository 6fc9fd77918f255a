/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof ask: one question of a program, as JSON or as text; the tools of nprof mcp. */
#include "print.h"

#include "agent/agent.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "console/collect-tables.h"
#include "console/default-analyzers.h"
#include "stored/only-profile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* -- A profile for the cache ------------------------------------------------------------------- */

/* Reads the inputs into the folder, unless another process has done so meanwhile. */
static int
read_into (NpCliOptions *o, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "lock", NULL);
  int lock = open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock < 0 || flock (lock, LOCK_EX))
    return NP_EXIT_ROOM;
  NpSpec *store = np_spec_new ("store");
  np_spec_set (store, "folder", folder);
  np_spec_set (store, "tell", "no");
  g_ptr_array_add (o->config->sinks, store);
  np_add_default_analyzers (o->config, np_cli_modules (o), NULL);
  np_cli_want_table (o, "findings");
  g_autofree char *there = np_only_profile (folder);
  int status = there ? NP_EXIT_OK : np_cli_execute (o);
  close (lock);
  return status;
}

/* -- The question ------------------------------------------------------------------------------ */

typedef struct {
  gboolean json, list;
  char *into, *schema;
  NpCliOptions options;
} Asked;

static void
asked_clear (Asked *a)
{
  g_free (a->into);
  g_free (a->schema);
  np_cli_options_clear (&a->options);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Asked, asked_clear)

/* Says what a word without = lacks: it may be the value of what the tool needs. */
static char *
no_pair (const NpTool *tool, const char *word)
{
  for (const NpArg *arg = tool->args; arg->name; arg++)
    if (arg->required && arg->type != NP_ARG_ID && strcmp (arg->name, "path"))
      return g_strdup_printf ("%s: expected NAME=VALUE: did you mean %s=%s?", word, arg->name,
                              word);
  return g_strdup_printf ("%s: expected NAME=VALUE", word);
}

/* Reads NAME=VALUE. */
static void
take_word (NpCall *call, const char *word)
{
  g_auto (GStrv) parts = g_strsplit (word, "=", 2);
  g_autoptr (GPtrArray) nearest = NULL;
  g_autofree char *problem = parts[0] && parts[1] ? np_args_set_word (call->tool, &call->args,
                                                                      parts[0], parts[1], &nearest)
                                                  : no_pair (call->tool, word);
  np_call_fail_argument (call, problem, nearest);
}

/* Returns whether the word gives an argument of the tool, and is no file. */
static gboolean
is_pair (const NpTool *tool, const char *word)
{
  g_auto (GStrv) parts = g_strsplit (word, "=", 2);
  if (!parts[0] || !parts[1] || g_file_test (word, G_FILE_TEST_EXISTS))
    return FALSE;
  for (const NpArg *arg = tool->args; arg->name; arg++)
    if (!strcmp (arg->name, parts[0]))
      return TRUE;
  return FALSE;
}

/* Puts arguments behind the files, in whichever order they were typed. */
static void
put_files_first (const NpTool *tool, GPtrArray *words)
{
  for (guint i = 1, left = words->len; left > 1; left--)
    if (is_pair (tool, words->pdata[i]))
      g_ptr_array_add (words, g_ptr_array_steal_index (words, i));
    else
      i++;
}

/* Opens the file that a call is about, and gives its id to the call. */
static void
take_file (NpCall *call, char **id, const char *file)
{
  g_autoptr (NpCall) open = np_call_new (np_tool_find ("open"), call->agent);
  open->args.path = g_strdup (file);
  np_call_run (open);
  if (open->error.code)
    np_call_fail (call, open->error.code, "%s: %s", file, open->error.text);
  else if (open->reason)
    np_call_fail (call, "timeout", "the file is still being read");
  else
    *id = g_strdup (open->id);
}

/* Returns how many words name files: two of diff. */
static guint
take_files (NpCall *call, const GPtrArray *words)
{
  gboolean two = !strcmp (call->tool->name, "diff");
  if (!strcmp (call->tool->name, "open")) {
    call->args.path = words->len > 1 ? g_strdup (words->pdata[1]) : NULL;
    return 1;
  }
  for (guint i = 0; i < 1u + two; i++) {
    char **id = !two ? &call->args.id : i ? &call->args.other : &call->args.base;
    if (words->len > 1 + i)
      take_file (call, id, words->pdata[1 + i]);
    else
      np_call_fail (call, "bad_argument", "tool %s takes %s", call->tool->name,
                    two ? "two, BASE and NEW" : "a FILE");
  }
  return 1 + two;
}

static int
status_of (const NpCall *call)
{
  static const char *const unreadable[]
      = { "unreadable", "outside_roots", "not_found", "too_large", "timeout", NULL };
  if (!call->error.code)
    return NP_EXIT_OK;
  return g_strv_contains (unreadable, call->error.code) ? NP_EXIT_INPUT
         : !strcmp (call->error.code, "internal")       ? NP_EXIT_ROOM
                                                        : NP_EXIT_USAGE;
}

static int
unknown_tool (const char *name)
{
  g_autofree char *list = g_strjoinv (", ", (char **) np_tool_names ());
  g_autofree char *hint = np_suggestion (np_suggest (name, np_tool_names ()));
  g_autofree char *text = g_strdup_printf ("there is no tool %s%s expected one of %s", name,
                                           *hint ? hint : ":", list);
  np_cli_tell (text, "ask");
  return NP_EXIT_USAGE;
}

/* The file stands where the tool should. */
static int
tool_behind (const char *file, const char *tool)
{
  g_autofree char *text
      = g_strdup_printf ("%s is where the tool should be: nprof ask %s %s", file, tool, file);
  np_cli_tell (text, "ask");
  return NP_EXIT_USAGE;
}

/* Returns the argument that an error is about, as it was typed: an answer has no words that a
 * profile could have written, and this is printed to who typed it. Transfer full. */
static char *
given (const NpCall *call)
{
  const NpArgs *args = &call->args;
  g_autofree char *columns = args->columns ? g_strjoinv (",", args->columns) : g_strdup ("");
  g_autofree char *text = g_strcmp0 (call->error.code, "unknown_table") == 0 && args->name
                              ? g_strdup_printf ("name=%s: ", args->name)
                          : g_strcmp0 (call->error.code, "unknown_column") != 0 ? g_strdup ("")
                          : args->sort && !*columns ? g_strdup_printf ("sort=%s: ", args->sort)
                                                    : g_strdup_printf ("columns=%s: ", columns);
  return np_printable (text, -1);
}

static int
answer (const Asked *a, NpAgent *agent)
{
  GPtrArray *words = a->options.config->inputs;
  const NpTool *tool = np_tool_find (words->pdata[0]);
  if (!tool && words->len > 1 && np_tool_find (words->pdata[1]))
    return tool_behind (words->pdata[0], words->pdata[1]);
  if (!tool)
    return unknown_tool (words->pdata[0]);
  put_files_first (tool, words);
  g_autoptr (NpCall) call = np_call_new (tool, agent);
  guint files = take_files (call, words);
  for (guint i = 1 + files; i < words->len; i++)
    take_word (call, words->pdata[i]);
  np_call_run (call);
  g_autofree char *typed = given (call), *text = np_call_take (call);
  if (a->json)
    g_print ("%s\n", text);
  else
    np_ask_print (text, typed);
  return status_of (call);
}

/* Prints the JSON Schema of a tool's answers, or of `summary`, the data of verdict. */
static int
print_schema (const char *name)
{
  const NpTool *tool = np_tool_find (name);
  gboolean summary = !strcmp (name, "summary");
  if (!tool && !summary)
    return unknown_tool (name);
  g_autofree char *text = tool ? np_tool_schema (tool) : np_summary_schema ();
  g_print ("%s", text);
  return NP_EXIT_OK;
}

static int
print_list (void)
{
  g_autofree char *text = np_tools_markdown ();
  g_print ("%s", text);
  return NP_EXIT_OK;
}

static char *
description (void)
{
  GString *text = g_string_new ("Tools:\n");
  for (const NpTool *tool = np_tools; tool->name; tool++) {
    g_string_append_printf (text, "  %-8s  %s\n           ", tool->name, tool->title);
    for (const NpArg *arg = tool->args; arg->name; arg++)
      if (arg->type != NP_ARG_ID && strcmp (arg->name, "path"))
        g_string_append_printf (text, arg->required ? " %s=" : " [%s=]", arg->name);
    g_string_append_c (text, '\n');
  }
  g_string_append (text, "\nExamples:\n"
                         "  nprof ask verdict FILE\n"
                         "  nprof ask table FILE name=kernels sort=-total_ps limit=5 --json\n"
                         "  nprof ask sql FILE query='select count(*) from slice'");
  return g_string_free (text, FALSE);
}

static int
run (int argc, char **argv)
{
  g_auto (Asked) a = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *text = description ();
  const GOptionEntry extra[]
      = { { "json", 0, 0, G_OPTION_ARG_NONE, &a.json, "The answer as programs get it", NULL },
          { "schema", 0, 0, G_OPTION_ARG_STRING, &a.schema,
            "Print the JSON Schema of answers of TOOL, or of summary", "TOOL" },
          { "list", 0, 0, G_OPTION_ARG_NONE, &a.list, "Print the tools as Markdown", NULL },
          { "into", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &a.into, "", NULL },
          G_OPTION_ENTRY_NULL };
  if (!np_cli_parse (&a.options, NP_CLI_WHOLE | NP_CLI_TOOL, extra,
                     "Asks a profile as programs do, one question a call.", text, argc, argv))
    return NP_EXIT_USAGE;
  if (a.into)
    return read_into (&a.options, a.into);
  if (a.schema)
    return print_schema (a.schema);
  if (a.list)
    return print_list ();
  if (!a.options.config->inputs->len)
    return unknown_tool ("given");
  NpAgent *agent = np_agent_new (NULL, &error);
  int status = answer (&a, agent);
  np_agent_free (agent);
  return status;
}

NP_COMMAND_RUNS (run)
