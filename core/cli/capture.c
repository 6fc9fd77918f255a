/* SPDX-License-Identifier: Apache-2.0 */
/* capture.c - nprof capture: the command line. */

#include "cli/capture.h"
#include "base/error.h"

#include <string.h>
#include <unistd.h>

static void
asked_clear (NpCaptureAsked *a)
{
  np_cli_options_clear (&a->options);
  g_free (a->neff);
  g_free (a->session);
  g_free (a->libnrt);
  g_strfreev (a->words);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpCaptureAsked, asked_clear)

/* -- What it does not do ------------------------------------------------------------------ */

/* Options of the vendor's that we know and do not have: saying so is better than "unknown option". */
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
refuse (int argc, char **argv, GError **error)
{
  for (int i = 1; i < argc && strcmp (argv[i], "--"); i++) {
    const char *why = refusal (argv[i]);
    if (!why)
      continue;
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
                 "%s: nprof capture %s: neuron-profile capture knows it", argv[i], why);
    return FALSE;
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
      "\n"
      "No capture was ever run on a device: it is tested against a library that stands for libnrt.";

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
  g_set_error (error, NP_ERROR, NP_EXIT_USAGE, "%s %d: expected %d or more", option, number, least);
  return FALSE;
}

static gboolean
check (NpCaptureAsked *a, GError **error)
{
  if (!check_number ("--num-exec", a->num_exec, 1, error)
      || !check_number ("--profile-nth-exec", a->nth_exec, 1, error)
      || !check_number ("--vnc", a->vnc, 0, error)
      || !check_number ("--timeout", a->timeout, 1, error))
    return FALSE;
  a->neff = a->neff ? a->neff : g_strdup ("file.neff");
  a->session = a->session ? a->session : g_strdup ("profile.ntff");
  return TRUE;
}

static gboolean
parse (NpCaptureAsked *a, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[]
      = { { "neff", 'n', 0, G_OPTION_ARG_FILENAME, &a->neff,
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
          { "save-output-npy", 0, 0, G_OPTION_ARG_NONE, &a->save_output_npy,
            "The same, in NAME.npy", NULL },
          { "vnc", 0, 0, G_OPTION_ARG_INT, &a->vnc, "The (virtual) NeuronCore (default: 0)", "N" },
          { "libnrt", 0, 0, G_OPTION_ARG_FILENAME, &a->libnrt,
            "This libnrt, not the one that is installed", "PATH" },
          { "timeout", 0, 0, G_OPTION_ARG_INT, &a->timeout,
            "End a capture that takes longer (default: 600)", "SECONDS" },
          { "view", 0, 0, G_OPTION_ARG_NONE, &a->view, "Then look at it, as nprof view does",
            NULL },
          { "verbose", 'v', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, more_words,
            "Say more on stderr", NULL },
          { "quiet", 'q', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, fewer_words,
            "Say errors only", NULL },
          { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->words, NULL,
            "[NAME FILE.npy]..." },
          G_OPTION_ENTRY_NULL };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  GOptionGroup *group = g_option_group_new ("nprof", "", "", a, NULL);
  g_option_group_add_entries (group, entries);
  g_option_context_set_main_group (context, group);
  g_option_context_set_summary (context, "Records a profile: runs a NEFF on a device.");
  g_option_context_set_description (context, description);
  g_set_prgname ("nprof capture");
  return refuse (argc, argv, error) && g_option_context_parse (context, &argc, &argv, error)
         && check (a, error);
}

int
np_cli_capture (int argc, char **argv)
{
  g_auto (NpCaptureAsked) a = { .num_exec = 1, .nth_exec = 1, .timeout = 600 };
  g_autoptr (GError) error = NULL;
  a.options.config = np_config_new ();
  a.options.verbosity = NPROF_WARNING;
  if (!parse (&a, argc, argv, &error)) {
    np_cli_tell (error->message, "capture");
    return NP_EXIT_USAGE;
  }
  g_autoptr (GPtrArray) saved = g_ptr_array_new_with_free_func (g_free);
  NpLog *log = np_log_new (a.options.verbosity, STDERR_FILENO);
  const NpCapture capture = { log, &np_cli_interrupt, (guint) a.timeout, saved };
  int code = np_cli_capture_nrt (&a, &capture);
  np_log_free (log);
  return code;
}
