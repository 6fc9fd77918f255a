/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - nprof COMMAND: finds the command, and turns the signals that end a run into a
 * flag that every stage looks at. */

#include "base/fence.h"
#include "base/signals.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "cli/cli.h"
#include "cli/command.h"

#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>

typedef struct {
  const char *name, *summary, *package; /* that has its module; NULL: it is in the program */
} Command;

static const Command commands[] = {
  { "run", "decode, analyze, and write with sinks", NULL },
  { "report", "the tables people want first, in the terminal", "nprof" },
  { "info", "what is in a file: format, origin, tracks, counts, time range", "nprof" },
  { "diff", "what changed between two profiles, with a verdict", "nprof" },
  { "view", "profiles in a browser: timeline, search, tables", "nprof" },
  { "baseline", "profiles that others are held against: save, list, remove", "nprof" },
  { "profiles", "the stored profiles: list, remove, rename, tag", "nprof" },
  { "capture", "records a profile: of a NEFF, an XLA program, a PyTorch process", "nprof" },
  { "flame", "stacks for viewers of flame graphs", "nprof" },
  { "map", "each rank of a job by itself, on any machine, to a small state", "nprof" },
  { "reduce", "the states of all ranks: who was late, by how much and why", "nprof" },
  { "gate", "a profile against limits, for CI", "nprof" },
  { "sweep", "runs that differ in batch, length, ...: table, maps, the knee", "nprof" },
  { "doctor", "what a recording can tell, what not, and what to record for it", "nprof" },
  { "sql", "asks profiles in SQL, in the tables of Perfetto and nsys too", "nprof" },
  { "answers", "the rules of what stands out: list, explain, check, cost", "nprof" },
  { "mcp", "the same questions as a server of the Model Context Protocol", "nprof" },
  { "ask", "one question of a program, answered as JSON with limits", "nprof" },
  { "plugins", "what is loaded, from where, with its options and attributes", "nprof" },
  { "check", "exercise every rule of the contract on a plugin", "nprof" },
  { "new", "the project of a new plugin, which builds and passes its tests", "nprof" },
};

/* What people type who come from other tools. */
static const NpSynonym synonyms[] = {
  { "compare", "diff" },     { "convert", "run" },        { "export", "run" },
  { "decode", "run" },       { "stats", "report" },       { "summary", "report" },
  { "analyze", "report" },   { "show", "report" },        { "top", "report --only ops" },
  { "kernels", "report --only kernels" },                 { "inspect", "info" },
  { "serve", "view" },       { "ui", "view" },            { "trace", "view" },
  { "query", "sql" },        { "record", "capture" },     { "profile", "capture" },
  { "list", "profiles" },    { "ls", "profiles" },        { "flamegraph", "flame" },
  { "assert", "gate" },      { "validate", "check" },     { "init", "new" },
  { "verdict", "report --only verdict" },                 { "open", "view" },
  { "ops", "report --only ops" },                         { "watch", "view" },
  { "show-session", "info" },                             { "analyse", "report" },
};

/* A signal handler can reach nothing but globals. */
atomic_int np_cli_interrupt;

static void
on_signal (int number)
{
  atomic_store (&np_cli_interrupt, number == SIGINT ? NP_EXIT_INTERRUPTED : NP_EXIT_TERMINATED);
}

/* Without this glibc takes large blocks from the heap too once the first was freed, up to 32 MB,
 * and then small blocks keep them from being given back.  Blocks of the size of a batch are reused
 * anyway. */
static void
give_large_blocks_back (void)
{
#ifdef M_MMAP_THRESHOLD
  mallopt (M_MMAP_THRESHOLD, 1 << 20);
#endif
}

static int
run (const Command *command, int argc, char **argv)
{
  return command->package ? np_command_run (command->name, command->package, argc, argv)
                          : np_cli_run (argc, argv);
}

static const Command *
find_command (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (commands[i].name, name))
      return &commands[i];
  return NULL;
}

int
np_cli_command (int argc, char **argv)
{
  return run (find_command (argv[0]), argc, argv);
}

/* Returns whether the word is no command, but a profile, a folder or an option of the report. */
static gboolean
begins_report (const char *word)
{
  return *word == '-' || strpbrk (word, "./") || g_file_test (word, G_FILE_TEST_EXISTS);
}

static void
print_help (void)
{
  g_print ("Usage: nprof COMMAND [OPTION...] INPUT...\n"
           "       nprof FILE   the same as nprof report FILE\n"
           "\n"
           "Reads the profiles of AI accelerators and writes them where people work.\n"
           "\n"
           "Commands:\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (!commands[i].package || np_command_is_here (commands[i].name))
      g_print ("  %-9s %s\n", commands[i].name, commands[i].summary);
  g_print ("\n"
           "Start here:\n"
           "  nprof info FILE                          what is in it\n"
           "  nprof report FILE                        the first answers\n"
           "  nprof run -o out FILE                    spreadsheets in out/\n"
           "  nprof run -s chrome -o trace.json FILE   for Perfetto and chrome://tracing\n"
           "\n"
           "nprof COMMAND --help teaches a command, nprof plugins lists formats and sinks,\n"
           "nprof --version says which nprof this is.\n");
}

static int
unknown_command (const char *name)
{
  const char *names[G_N_ELEMENTS (commands) + 1] = { NULL };
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    names[i] = commands[i].name;
  static const char *const options[] = { "version", "help", NULL };
  const char *ours = np_synonym (name, synonyms, G_N_ELEMENTS (synonyms));
  const char *near = ours ? ours : np_suggest (name, names);
  if (!near && np_suggest (name, options))
    near = g_str_equal (np_suggest (name, options), "version") ? "--version" : "--help";
  g_autofree char *shown = np_printable (name, -1);
  g_autofree char *hint = np_suggestion (near);
  g_printerr ("nprof: error: no command \"%s\"%s (nprof help lists them)\n", shown, hint);
  return NP_EXIT_USAGE;
}

static int
help (int argc, char **argv)
{
  const Command *command = argc > 1 ? find_command (argv[1]) : NULL;
  if (argc > 1 && !command)
    return unknown_command (argv[1]);
  if (!command) {
    print_help ();
    return NP_EXIT_OK;
  }
  char *args[] = { argv[1], (char *) "--help", NULL };
  return run (command, 2, args);
}

/* Returns the option of the program itself that a lone word was meant to be; NULL: none. */
static const char *
near_option (int argc, const char *word)
{
  static const char *const ours[] = { "--help", "--version", NULL };
  return argc == 2 && g_str_has_prefix (word, "--") ? np_suggest (word, ours) : NULL;
}

int
main (int argc, char **argv)
{
  setlocale (LC_CTYPE, ""); /* messages of the system; numbers stay in the C locale */
  np_terminal_begin ();
  const char *name = argc > 1 ? argv[1] : "help";
  if (g_str_equal (name, "--version") || g_str_equal (name, "version")) {
    np_cli_print_version ();
    return NP_EXIT_OK;
  }
  if (g_str_equal (name, "--help") || g_str_equal (name, "-h") || g_str_equal (name, "help"))
    return help (argc - 1, argv + 1);
  const Command *command = find_command (name);
  if (!command && !begins_report (name))
    return unknown_command (name);
  const char *option = command ? NULL : near_option (argc, name);
  if (option) {
    g_autofree char *shown = np_printable (name, -1), *hint = np_suggestion (option);
    g_printerr ("nprof: error: unknown option %s%s\n", shown, hint);
    return NP_EXIT_USAGE;
  }
  np_signals_catch (on_signal);
  np_fence_arm (NP_EXIT_PLUGIN, argv);
  give_large_blocks_back ();
  if (command)
    return run (command, argc - 1, argv + 1);
  argv[0] = (char *) "report";
  return run (find_command ("report"), argc, argv);
}
