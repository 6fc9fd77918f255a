/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof check: exercises every rule of the contract on a plugin and says, a line a
 * rule, which ones it keeps. Its rules are a table, in rules.c. */

#include "check.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/install-paths.h"
#include "base/log.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "devices/device-rates.h"
#include "input/input.h"
#include "meaning.h"
#include "plugin/checked-files.h"
#include "plugin/component.h"
#include "server.h"
#include "system/json-writer.h"

#define MOST_SAMPLE (4u << 20) /* bytes: it is decoded some hundred times */

typedef struct {
  char *component; /* "decoder NAME", or "plugin" */
  const NpCheckRule *rule;
  NpCheckResult result;
  gboolean hidden; /* it was exercised for another rule, and is not told */
} Line;

typedef struct {
  gboolean json;
  double time_limit;
  char *meaning;      /* a profile, to be asked in place of a plugin; NULL: none */
  char **given;       /* KEY=VALUE */
  char *with;         /* a command that starts a server; NULL: none */
  guint64 used;       /* of `given`: some component has it */
  char *input, *rule; /* rule: the only one to exercise; NULL: all */
  char *again;        /* "decoder NAME": tries that one for a checked run, see check-again.c */
  char **rest;
  GArray *lines; /* of Line */
  guint n[NP_CHECK_UNTRIED + 1];
} Session;

/* -- Printing -------------------------------------------------------------- */

static void
print_line (const Line *line)
{
  static const char *const words[] = { "pass", "FAIL", "could not be tried" };
  g_auto (GStrv) found = g_strsplit (line->result.text ? line->result.text : "", "\n", -1);
  guint n = g_strv_length (found);
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_append_printf (text, "%s  %s: %s", words[line->result.verdict], line->component,
                          line->rule->name);
  if (n)
    g_string_append_printf (text, ": %s", found[0]);
  if (n > 1)
    g_string_append_printf (text, " (and %u more: --json)", n - 1);
  if (line->result.verdict == NP_CHECK_FAIL)
    g_string_append_printf (text, ": %s", line->result.mend);
  g_autofree char *shown = np_printable (text->str, -1);
  g_print ("%s\n", shown);
  fflush (stdout);
}

static void
add_line (NpJson *j, const Line *line)
{
  static const char *const words[] = { "pass", "fail", "could not be tried" };
  g_auto (GStrv) found = g_strsplit (line->result.text ? line->result.text : "", "\n", -1);
  np_json_object (j, NULL);
  np_json_text (j, "component", line->component);
  np_json_text (j, "rule", line->rule->name);
  np_json_text (j, "result", words[line->result.verdict]);
  np_json_array (j, "found");
  for (guint i = 0; found[i]; i++)
    np_json_text (j, NULL, found[i]);
  np_json_end_array (j);
  np_json_text (j, "mend", line->result.mend);
  np_json_end_object (j);
}

static void
print_json (const Session *s, const char *path)
{
  struct nprof_buf buf = { 0 };
  NpJson j = { .buf = &buf, .style = NP_JSON_INDENTED };
  np_json_object (&j, NULL);
  np_json_text (&j, "plugin", path);
  np_json_bool (&j, "passed", s->n[NP_CHECK_FAIL] == 0);
  np_json_array (&j, "rules");
  for (guint i = 0; i < s->lines->len; i++)
    if (!g_array_index (s->lines, Line, i).hidden)
      add_line (&j, &g_array_index (s->lines, Line, i));
  np_json_end_array (&j);
  np_json_end_object (&j);
  g_autoptr (GString) text = g_string_new (NULL);
  np_json_move (&buf, text);
  g_print ("%s\n", text->str);
}

/* -- Checking -------------------------------------------------------------- */

/* That rule is watched in all others, so they are exercised where it alone is asked for. */
static gboolean
is_fork_asked (const Session *s)
{
  return s->rule && strcmp (s->rule, np_check_fork.name) == 0;
}

static void
take_line (Session *s, const Line *line)
{
  g_array_append_vals (s->lines, line, 1);
  if (line->hidden)
    return;
  s->n[line->result.verdict]++;
  if (!s->json)
    print_line (line);
}

/* Returns FALSE when the user has interrupted it. */
static gboolean
check_rule (Session *s, NpCheck *check, const NpCheckRule *rule, const char *component)
{
  Line line = { g_strdup (component), rule, np_check_run (check, rule) };
  s->used |= check->report->used;
  if (line.result.forks)
    line.rule = &np_check_fork;
  const gboolean whole = !atomic_load (&np_cli_interrupt);
  line.hidden
      = !whole || (is_fork_asked (s) && !line.result.forks && strcmp (component, "plugin") != 0);
  take_line (s, &line);
  return whole;
}

/* Nothing of the component has forked, as far as it was tried. */
static void
end_fork (Session *s, const NpCheck *check, guint kind, const char *component)
{
  const gboolean tried = kind != NPROF_DECODER || check->sample;
  Line line = { .component = g_strdup (component), .rule = &np_check_fork };
  line.result.verdict = tried ? NP_CHECK_PASS : NP_CHECK_UNTRIED;
  line.result.text
      = tried ? NULL : g_strdup ("there is nothing to decode: --input FILE gives it a small file");
  take_line (s, &line);
}

/* Leaves the other rules out once a component hangs, forks or makes too much: it does in most
 * rules, and each would take its time.  What the rule `rows` finds, the others need not repeat. */
static gboolean
check_kind (Session *s, NpCheck *check, guint kind, const char *component)
{
  const char *stops = NULL;
  check->known = NULL;
  for (const NpCheckRule *rule = np_check_rules; !stops && rule->name; rule++) {
    if (!(rule->kinds & 1u << kind)
        || (s->rule && !is_fork_asked (s) && strcmp (s->rule, rule->name) != 0))
      continue;
    if (!check_rule (s, check, rule, component))
      return FALSE;
    const NpCheckResult *last = &g_array_index (s->lines, Line, s->lines->len - 1).result;
    stops = last->stops;
    if (stops && !s->json)
      g_print ("could not be tried  %s: all further rules: it %s\n", component, stops);
    if (rule->run == np_check_rows && last->verdict == NP_CHECK_FAIL)
      check->known = last->text;
  }
  if (!stops && (!s->rule || is_fork_asked (s)))
    end_fork (s, check, kind, component);
  return TRUE;
}

/* Reads the rates of devices, which each life of an analyzer asks for, before each rule has a
 * process of its own.  Those say what is wrong with them. */
static void
read_rates (void)
{
  g_autofree char *data = np_data_folder ();
  g_autofree char *folder = data ? g_build_filename (data, "devices", NULL) : NULL;
  NpDeviceRates *rates = np_device_rates_new ();
  if (folder)
    np_device_rates_read (rates, folder, NULL);
  np_device_rates_free (rates);
}

/* Asks again for what the rule `load` has found in the file, because each rule clears the
 * report. */
static gboolean
check_all (Session *s, NpCheck *check)
{
  if (!check_rule (s, check, &np_check_rules[0], "plugin"))
    return FALSE;
  const NpCheckReport known = *check->report;
  if (s->n[NP_CHECK_FAIL] && !known.n_components)
    return TRUE;
  const gboolean entry = !s->rule || strcmp (s->rule, np_check_rules[1].name) == 0;
  if (entry && !check_rule (s, check, &np_check_rules[1], "plugin"))
    return FALSE;
  for (guint i = 0; i < known.n_components; i++) {
    g_autofree char *component = g_strdup_printf ("%s %s", np_kind_name (known.components[i].kind),
                                                  known.components[i].name);
    check->number = i;
    if (!check_kind (s, check, known.components[i].kind, component))
      return FALSE;
  }
  return TRUE;
}

/* A run need not check a file of which all rules have passed, on a sample where it has a
 * decoder. */
static void
keep_passed (const Session *s, const NpCheck *check)
{
  g_autoptr (GError) error = NULL;
  gboolean decodes = FALSE;
  for (guint i = 0; i < s->lines->len; i++)
    decodes |= g_str_has_prefix (g_array_index (s->lines, Line, i).component, "decoder ");
  if (s->n[NP_CHECK_FAIL] || s->rule || (decodes && !s->input)
      || np_checked_files_add (NP_FILES_CHECKED, check->path, NULL, &error))
    return;
  g_autofree char *shown = np_printable (error->message, -1);
  g_printerr ("nprof: warning: that it passed cannot be kept: %s\n", shown);
}

#define MOST_AGAIN 10 /* s, as a run waits for it */

/* Tries one component of the file for a checked run. */
static int
check_again (const Session *s, NpCheck *check)
{
  g_auto (GStrv) asked = g_strsplit (s->again, " ", 2);
  alarm (MOST_AGAIN);
  np_check_run (check, &np_check_rules[0]);
  const NpCheckReport known = *check->report;
  for (guint i = 0; i < known.n_components; i++) {
    const guint kind = known.components[i].kind;
    if (strcmp (np_kind_name (kind), asked[0]) != 0
        || g_strcmp0 (known.components[i].name, asked[1]) != 0)
      continue;
    check->number = i;
    g_autofree char *found = np_check_again (check, kind);
    g_autofree char *shown = found ? np_printable (found, -1) : NULL;
    if (shown)
      g_print ("%s\n", shown);
    return found ? NP_EXIT_PLUGIN : NP_EXIT_OK;
  }
  return NP_EXIT_OK;
}

static int
check_plugin (Session *s, NpCheck *check)
{
  check->report = mmap (NULL, sizeof *check->report, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (check->report == MAP_FAILED) {
    g_printerr ("nprof: error: no memory for the check\n");
    return NP_EXIT_PLUGIN;
  }
  read_rates ();
  if (s->again)
    return check_again (s, check);
  gboolean whole = check_all (s, check);
  munmap (check->report, sizeof *check->report);
  if (!whole)
    return atomic_load (&np_cli_interrupt);
  keep_passed (s, check);
  g_autofree char *base = g_path_get_basename (check->path);
  if (s->json)
    print_json (s, check->path);
  else
    g_print ("%s: %u rules passed, %u failed, %u could not be tried\n", base, s->n[NP_CHECK_PASS],
             s->n[NP_CHECK_FAIL], s->n[NP_CHECK_UNTRIED]);
  return s->n[NP_CHECK_FAIL] ? NP_EXIT_PLUGIN : NP_EXIT_OK;
}

/* -- Options and the server that they name --------------------------------- */

static int
fail (NpExit code, const char *text)
{
  g_autofree char *shown = np_printable (text, -1);
  g_printerr ("nprof: error: %s\n", shown);
  return (int) code;
}

/* Puts the port in the place of {port} in each value. */
static void
put_port (char **given, const char *port)
{
  for (guint i = 0; given && given[i]; i++) {
    g_autoptr (GString) text = g_string_new (given[i]);
    g_string_replace (text, "{port}", port, 0);
    g_free (given[i]);
    given[i] = g_strdup (text->str);
  }
}

/* Returns the exit status, which that of the rules is but for an option that no component has. */
static int
check_with_options (Session *s, NpCheck *check)
{
  int code = check_plugin (s, check);
  if (s->again)
    return code;
  for (guint i = 0; code <= NP_EXIT_PLUGIN && s->given && s->given[i] && s->lines->len > 2; i++)
    if (!(s->used >> i & 1)) {
      g_autofree char *text = g_strdup_printf (
          "-o %s: no component of the plugin that could be tried has such an option", s->given[i]);
      return fail (NP_EXIT_USAGE, text);
    }
  return code;
}

static int
check_with_server (Session *s, NpCheck *check)
{
  g_autofree char *port = NULL, *problem = NULL;
  if (!s->with)
    return check_with_options (s, check);
  check->server = np_check_server_start (s->with, s->time_limit, &port, &problem);
  if (!check->server)
    return fail (NP_EXIT_USAGE, problem);
  put_port (s->given, port);
  check->given = s->given;
  int code = check_with_options (s, check);
  np_check_server_end (check->server);
  return code;
}

/* -- The command ----------------------------------------------------------- */

static gboolean
parse (Session *s, int argc, char **argv, GError **error)
{
  /* clang-format off */
  const GOptionEntry entries[] = {
    { "input", 'i', 0, G_OPTION_ARG_FILENAME, &s->input, "A small file that its decoder reads: it is cut, changed, and decoded under every failure", "FILE" },
    { "option", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &s->given, "An option for each component that has it; {port} is the port of --with", "KEY=VALUE" },
    { "with", 0, 0, G_OPTION_ARG_STRING, &s->with, "Starts a server for the sinks; its first line of output is the port", "COMMAND" },
    { "rule", 0, 0, G_OPTION_ARG_STRING, &s->rule, "Exercise only this rule, under a debugger for example", "NAME" },
    { "time-limit", 0, 0, G_OPTION_ARG_DOUBLE, &s->time_limit, "How long one call of the plugin may take (default 10)", "SECONDS" },
    { "meaning", 0, 0, G_OPTION_ARG_FILENAME, &s->meaning, "Say which answers this profile can have, and which keys the others lack", "PROFILE" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &s->json, "Print JSON", NULL },
    { "again", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &s->again, "", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &s->rest, NULL, "PLUGIN.so" },
    G_OPTION_ENTRY_NULL
  };
  /* clang-format on */
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_summary (
      context, "Exercises every rule of the contract on a plugin, each in a process of "
               "its own,\nand says which ones it breaks, where, and what to do.");
  g_option_context_set_description (
      context,
      "Examples:\n"
      "  nprof check build/mine.so\n"
      "  nprof check --input tests/small.trace build/mine.so\n"
      "  nprof check --with './server.py' -o port={port} build/mine.so\n"
      "  nprof check --meaning profile.json\n"
      "\n"
      "Exit status: 0 when no rule is broken, 5 when one is or the file cannot be loaded.");
  g_set_prgname ("nprof check"); /* what "Usage:" shows */
  return g_option_context_parse (context, &argc, &argv, error)
         || np_cli_suggest_option (context, error);
}

static int
check_with_sample (Session *s, NpCheck *check)
{
  g_autoptr (GError) error = NULL;
  NpLog *log = np_log_new (NPROF_WARNING, 2);
  const NpInputWait wait = { .interrupt = &np_cli_interrupt };
  g_autoptr (NpInput) input = np_input_open_until (s->input, log, &wait, NULL, &error);
  np_log_free (log);
  if (!input)
    return fail ((NpExit) error->code, error->message);
  guint64 len;
  check->sample = np_input_data (input, &len);
  check->n_sample = len;
  check->sample_path = s->input;
  if (len <= MOST_SAMPLE)
    return check_with_server (s, check);
  g_autofree char *text
      = g_strdup_printf ("--input %s has %" G_GUINT64_FORMAT
                         " bytes; it is decoded some hundred times: give a file of at "
                         "most %u",
                         s->input, len, MOST_SAMPLE);
  return fail (NP_EXIT_USAGE, text);
}

static void
session_clear (Session *s)
{
  for (guint i = 0; i < s->lines->len; i++) {
    g_free (g_array_index (s->lines, Line, i).component);
    g_free (g_array_index (s->lines, Line, i).result.text);
  }
  g_array_unref (s->lines);
  g_strfreev (s->rest);
  g_strfreev (s->given);
  g_free (s->with);
  g_free (s->input);
  g_free (s->meaning);
  g_free (s->rule);
  g_free (s->again);
}

/* Those of the file as a whole come first anyway, so that one of them alone is these. */
static gboolean
is_rule (const char *name)
{
  if (strcmp (np_check_fork.name, name) == 0)
    return TRUE;
  for (const NpCheckRule *rule = np_check_rules; rule->name; rule++)
    if (strcmp (rule->name, name) == 0)
      return TRUE;
  return FALSE;
}

static int
check_command (Session *s, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  if (!parse (s, argc, argv, &error)) {
    g_autofree char *text = g_strdup_printf ("%s (nprof check --help tells more)", error->message);
    return fail (NP_EXIT_USAGE, text);
  }
  if (s->meaning && !s->rest) {
    g_autofree char *installed = np_installed_plugins ();
    return np_cli_check_meaning (s->meaning, installed);
  }
  if (!s->rest || s->rest[1] || !(s->time_limit > 0 && s->time_limit <= 3600))
    return fail (NP_EXIT_USAGE,
                 "check takes one PLUGIN.so, and a --time-limit of up to 3600 seconds "
                 "(nprof check --help tells more)");
  for (guint i = 0; s->given && s->given[i]; i++)
    if (i == 64 || !strchr (s->given[i], '='))
      return fail (NP_EXIT_USAGE, "-o takes KEY=VALUE, 64 times at most");
  if (s->rule && !is_rule (s->rule)) {
    g_autofree char *text
        = g_strdup_printf ("no rule \"%s\" (nprof check PLUGIN.so names them all)", s->rule);
    return fail (NP_EXIT_USAGE, text);
  }
  if (!g_file_test (s->rest[0], G_FILE_TEST_EXISTS)) {
    g_autofree char *text
        = g_strdup_printf ("%s: there is no such file: check the name", s->rest[0]);
    return fail (NP_EXIT_USAGE, text);
  }
  g_autofree char *path = g_canonicalize_filename (s->rest[0], NULL);
  NpCheck check = { .path = path,
                    .sample_path = "",
                    .given = s->given,
                    .call_limit = (gint64) (s->time_limit * 1e6),
                    .interrupt = &np_cli_interrupt };
  return s->input ? check_with_sample (s, &check) : check_with_server (s, &check);
}

/* The sample is decoded some hundred times: glibc would give the memory of each time back to the
 * system, which clears it for the next, and that takes most of the time. */
static void
keep_freed_memory (void)
{
#ifdef M_TRIM_THRESHOLD
  mallopt (M_TRIM_THRESHOLD, 64 << 20);
#endif
}

static int
run (int argc, char **argv)
{
  keep_freed_memory ();
  Session s = { .time_limit = 10, .lines = g_array_new (FALSE, FALSE, sizeof (Line)) };
  int code = check_command (&s, argc, argv);
  session_clear (&s);
  return code;
}

NP_COMMAND_RUNS (run)
