/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof capture: the command line. */

#include "command.h"
#include "base/error.h"
#include "cli/command.h"

#include <string.h>
#include <unistd.h>

#define NOT_GIVEN G_MININT
#define XLA_MS 2000
#define KINETO_MS 500

static void
asked_clear (NpCaptureAsked *a)
{
  np_cli_options_clear (&a->options);
  g_free (a->neff);
  g_free (a->session);
  g_free (a->libnrt);
  g_free (a->xla);
  g_free (a->output);
  g_strfreev (a->words);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpCaptureAsked, asked_clear)

/* -- What it does not do ------------------------------------------------------------------ */

/* Options of the vendor's that we know and do not have: saying so is better than "unknown
 * option". */
static const char *
refusal (const char *word)
{
  static const char *const several[]
      = { "-r", "-i", "--collectives-", "--single-io", "--multi-input", "--io-from" };
  static const char *const system[] = { "--capture-systrace", "--system-trace", "--systrace" };
  for (guint i = 0; i < G_N_ELEMENTS (several); i++)
    if (g_str_has_prefix (word, several[i]) && (several[i][1] == '-' || !word[2]))
      return "runs one worker with inputs of its own, for several have never been tested";
  for (guint i = 0; i < G_N_ELEMENTS (system); i++)
    if (g_str_has_prefix (word, system[i]))
      return "records what the device does, not the system's trace";
  return NULL;
}

static gboolean
check_words (int argc, char **argv, GError **error)
{
  for (int i = 1; i < argc && strcmp (argv[i], "--"); i++) {
    const char *why = refusal (argv[i]);
    if (!why)
      continue;
    return np_error_set (error, NP_EXIT_USAGE,
                         "%s: nprof capture %s: neuron-profile capture knows it", argv[i], why);
  }
  return TRUE;
}

/* -- The command line ----------------------------------------------------------------------- */

static const char description[]
    = "Inputs that are given no file are zeros, which may make inf or NaN of the results: give\n"
      "files of numpy.save, or --ignore-exec-errors.  libnrt is part of the package\n"
      "aws-neuronx-runtime-lib.\n"
      "\n"
      "Examples:\n"
      "  nprof capture -n file.neff -s profile.ntff\n"
      "  nprof capture -n file.neff IN1 x.npy IN2 y.npy\n"
      "  nprof capture -n file.neff --profile-nth-exec 2     without what the first one starts up\n"
      "  nprof capture -n file.neff --view                   and look at it\n"
      "  nprof capture --xla localhost:9012 -o logs          JAX, TensorFlow, PyTorch/XLA\n"
      "  nprof capture --kineto 4711 --ms 500                PyTorch with KINETO_USE_DAEMON=1\n"
      "\n"
      "None of these was ever run on a device or against the real programs: they are tested\n"
      "against what stands for libnrt, for the profiler's server and for libkineto.";

static gboolean
more_words (const char *name, const char *value, gpointer data, GError **error)
{
  (void) name, (void) value, (void) error;
  NpCliOptions *o = &((NpCaptureAsked *) data)->options;
  o->verbosity = MIN (o->verbosity + 1, NPROF_DEBUG);
  return TRUE;
}

static gboolean
fewer_words (const char *name, const char *value, gpointer data, GError **error)
{
  (void) name, (void) value, (void) error;
  ((NpCaptureAsked *) data)->options.verbosity = NPROF_ERROR;
  return TRUE;
}

static gboolean
check_number (const char *option, int number, int least, GError **error)
{
  if (number >= least)
    return TRUE;
  return np_error_set (error, NP_EXIT_USAGE, "%s %d: expected %d or more", option, number, least);
}

/* HOST:PORT or [ADDRESS]:PORT, and nothing that would be more than that in a URL. */
static gboolean
check_address (NpCaptureAsked *a, GError **error)
{
  if (g_str_has_prefix (a->xla, "grpc://"))
    memmove (a->xla, a->xla + 7, strlen (a->xla + 7) + 1);
  if (g_regex_match_simple ("^([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\]):[0-9]{1,5}$", a->xla, 0, 0))
    return TRUE;
  return np_error_set (error, NP_EXIT_USAGE, "--xla %s: expected HOST:PORT, such as localhost:9012",
                       a->xla);
}

static gboolean
asks_more (const NpCaptureAsked *a)
{
  const NpKinetoMore *more = &a->more;
  return more->shapes || more->memory || more->stack || more->flops || more->modules;
}

/* A program that runs already takes none of what is for a NEFF. */
static gboolean
check_running (NpCaptureAsked *a, GError **error)
{
  const char *option = a->xla ? "--xla" : "--kineto";
  gboolean of_neff = a->neff || a->session || a->words || a->libnrt || a->vnc || a->num_exec != 1
                     || a->nth_exec != 1 || a->ignore_exec_errors || a->dge_notifs || a->save_output
                     || a->save_output_npy;
  if (of_neff || (a->xla && a->kineto != NOT_GIVEN))
    return np_error_set (error, NP_EXIT_USAGE,
                         "%s takes --ms, --output, --timeout and --view%s, and nothing else",
                         option, a->xla ? "" : ", and what it records beside times");
  if (a->xla && asks_more (a))
    return np_error_set (error, NP_EXIT_USAGE,
                         "--record-shapes, --profile-memory, --with-stack, --with-flops and "
                         "--with-modules belong to --kineto: XLA's profiler has no such options");
  if (a->ms == NOT_GIVEN)
    a->ms = a->xla ? XLA_MS : KINETO_MS;
  if (!check_number ("--ms", a->ms, 1, error))
    return FALSE;
  if (a->ms / 1000 >= a->timeout)
    return np_error_set (error, NP_EXIT_USAGE, "--ms %d: longer than --timeout %d allows", a->ms,
                         a->timeout);
  return !a->xla || check_address (a, error);
}

/* Returns whether a word is of the command that starts a program, as `python train.py`. */
static gboolean
is_of_program (const char *word)
{
  static const char *const launchers[]
      = { "torchrun", "accelerate", "deepspeed", "mpirun", "srun" };
  g_autofree char *name = g_path_get_basename (word);
  for (guint i = 0; i < G_N_ELEMENTS (launchers); i++)
    if (!strcmp (name, launchers[i]))
      return TRUE;
  return g_str_has_prefix (name, "python") || g_str_has_suffix (name, ".py")
         || g_str_has_suffix (name, ".sh");
}

static gboolean
check_inputs (const NpCaptureAsked *a, GError **error)
{
  if (!a->words || !is_of_program (a->words[0]))
    return TRUE;
  return np_error_set (
      error, NP_EXIT_USAGE,
      "%s: nprof capture starts no program: start it yourself, and name its process by "
      "--kineto PID (PyTorch with KINETO_USE_DAEMON=1) or its server by --xla HOST:PORT",
      a->words[0]);
}

static gboolean
check_neff (NpCaptureAsked *a, GError **error)
{
  if (a->ms != NOT_GIVEN || a->output)
    return np_error_set (error, NP_EXIT_USAGE, "%s belongs to --xla and --kineto",
                         a->output ? "--output" : "--ms");
  if (asks_more (a))
    return np_error_set (error, NP_EXIT_USAGE,
                         "--record-shapes, --profile-memory, --with-stack, --with-flops and "
                         "--with-modules belong to --kineto");
  a->neff = a->neff ? a->neff : g_strdup ("file.neff");
  a->session = a->session ? a->session : g_strdup ("profile.ntff");
  return check_inputs (a, error) && check_number ("--num-exec", a->num_exec, 1, error)
         && check_number ("--profile-nth-exec", a->nth_exec, 1, error)
         && check_number ("--vnc", a->vnc, 0, error);
}

static gboolean
check (NpCaptureAsked *a, GError **error)
{
  gboolean kineto = a->kineto != NOT_GIVEN;
  if (!check_number ("--timeout", a->timeout, 1, error)
      || (kineto && !check_number ("--kineto", a->kineto, 1, error)))
    return FALSE;
  return a->xla || kineto ? check_running (a, error) : check_neff (a, error);
}

static gboolean
parse (NpCaptureAsked *a, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "neff", 'n', 0, G_OPTION_ARG_FILENAME, &a->neff,
      "The compiled model to run (default: file.neff)", "FILE" },
    { "session-file", 's', 0, G_OPTION_ARG_FILENAME, &a->session,
      "The profile (default: profile.ntff)", "FILE" },
    { "num-exec", 0, 0, G_OPTION_ARG_INT, &a->num_exec, "Run it so often (default: 1)", "N" },
    { "profile-nth-exec", 0, 0, G_OPTION_ARG_INT, &a->nth_exec,
      "Profile every Nth run; with several runs into profile_exec_N.ntff (default: 1)", "N" },
    { "ignore-exec-errors", 0, 0, G_OPTION_ARG_NONE, &a->ignore_exec_errors,
      "Go on when a run fails (exit status 3)", NULL },
    { "enable-dge-notifs", 0, 0, G_OPTION_ARG_NONE, &a->dge_notifs,
      "Record DMA that the device itself begins", NULL },
    { "save-output", 0, 0, G_OPTION_ARG_NONE, &a->save_output,
      "Keep the bytes of outputs too, in NAME.bin beside the profile", NULL },
    { "save-output-npy", 0, 0, G_OPTION_ARG_NONE, &a->save_output_npy, "The same, in NAME.npy",
      NULL },
    { "vnc", 0, 0, G_OPTION_ARG_INT, &a->vnc, "The (virtual) NeuronCore (default: 0)", "N" },
    { "libnrt", 0, 0, G_OPTION_ARG_FILENAME, &a->libnrt,
      "This libnrt, not the one that is installed", "PATH" },
    { "xla", 0, 0, G_OPTION_ARG_STRING, &a->xla, "No NEFF: ask the profiler of an XLA program",
      "HOST:PORT" },
    { "kineto", 0, 0, G_OPTION_ARG_INT, &a->kineto, "No NEFF: ask a PyTorch process", "PID" },
    { "record-shapes", 0, 0, G_OPTION_ARG_NONE, &a->more.shapes,
      "Of --kineto: the shapes and types of inputs", NULL },
    { "profile-memory", 0, 0, G_OPTION_ARG_NONE, &a->more.memory,
      "Of --kineto: each allocation of memory", NULL },
    { "with-stack", 0, 0, G_OPTION_ARG_NONE, &a->more.stack,
      "Of --kineto: the Python stack, which makes the program slower", NULL },
    { "with-flops", 0, 0, G_OPTION_ARG_NONE, &a->more.flops,
      "Of --kineto: flops of operators as PyTorch reckons them", NULL },
    { "with-modules", 0, 0, G_OPTION_ARG_NONE, &a->more.modules,
      "Of --kineto: the modules of TorchScript around operators", NULL },
    { "ms", 0, 0, G_OPTION_ARG_INT, &a->ms, "Of these two: record so long (default: 2000, 500)",
      "N" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &a->output,
      "Of --xla: the log folder (default: .); of --kineto: the file (default: trace_PID.json)",
      "PATH" },
    { "timeout", 0, 0, G_OPTION_ARG_INT, &a->timeout,
      "End a capture that takes longer (default: 600)", "SECONDS" },
    { "view", 0, 0, G_OPTION_ARG_NONE, &a->view, "Then look at it, as nprof view does", NULL },
    { "verbose", 'v', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, more_words, "Say more on stderr",
      NULL },
    { "quiet", 'q', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, fewer_words, "Say errors only",
      NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->words, NULL,
      "[NAME FILE.npy]..." },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  GOptionGroup *group = g_option_group_new ("nprof", "", "", a, NULL);
  g_option_group_add_entries (group, entries);
  g_option_context_set_main_group (context, group);
  g_option_context_set_summary (
      context, "Records a profile: runs a NEFF on a device, or asks a program that runs.");
  g_option_context_set_description (context, description);
  g_set_prgname ("nprof capture");
  return check_words (argc, argv, error)
         && (g_option_context_parse (context, &argc, &argv, error)
             || np_cli_suggest_option (context, error))
         && check (a, error);
}

/* -- What comes of it ------------------------------------------------------------------------- */

int
np_cli_capture_offer (const NpCaptureAsked *a, const char *const *words)
{
  g_autoptr (GPtrArray) view = g_ptr_array_new ();
  g_autoptr (GString) shown = g_string_new ("To look at it: nprof view");
  g_ptr_array_add (view, (gpointer) "view");
  for (guint i = 0; words[i]; i++) {
    g_autofree char *word = np_cli_shell_word (words[i]);
    g_string_append_printf (shown, " %s", word);
    g_ptr_array_add (view, (gpointer) words[i]);
  }
  g_ptr_array_add (view, NULL);
  if (a->view)
    return np_cli_command ((int) view->len - 1, (char **) view->pdata);
  g_print ("%s\n", shown->str);
  return NP_EXIT_OK;
}

/* A program that runs already. */
static int
ask_running (const NpCaptureAsked *a, const NpCapture *capture)
{
  int code = a->xla ? np_capture_xla (capture, a->xla, (guint) a->ms, a->output ? a->output : ".")
                    : np_capture_kineto (capture, a->kineto, (guint) a->ms, &a->more, a->output);
  if (code != NP_EXIT_OK && code != NP_EXIT_LOSSES)
    return code;
  g_ptr_array_add (capture->saved, NULL);
  int offered = np_cli_capture_offer (a, (const char *const *) capture->saved->pdata);
  return (int) np_exit_worse ((NpExit) code, (NpExit) offered);
}

static int
run (int argc, char **argv)
{
  g_auto (NpCaptureAsked) a
      = { .num_exec = 1, .nth_exec = 1, .kineto = NOT_GIVEN, .ms = NOT_GIVEN, .timeout = 600 };
  g_autoptr (GError) error = NULL;
  a.options.config = np_config_new ();
  a.options.verbosity = NPROF_WARNING;
  if (!parse (&a, argc, argv, &error)) {
    np_cli_tell (error->message, "capture");
    return NP_EXIT_USAGE;
  }
  g_autoptr (GPtrArray) saved = g_ptr_array_new_with_free_func (g_free);
  NpLog *log = np_log_new (a.options.verbosity, STDERR_FILENO);
  const NpCapture capture
      = { log, &np_cli_interrupt, (guint) a.timeout, saved, a.options.config->read };
  int code = a.xla || a.kineto != NOT_GIVEN ? ask_running (&a, &capture)
                                            : np_cli_capture_nrt (&a, &capture);
  np_log_free (log);
  return code;
}

NP_COMMAND_RUNS (run)
