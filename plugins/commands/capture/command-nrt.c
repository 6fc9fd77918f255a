/* SPDX-License-Identifier: Apache-2.0 */
/* command-nrt.c - a NEFF that is run for its profile: what is read and checked before libnrt is
 * touched. */

#include "base/error.h"
#include "command.h"

#include <string.h>

static void
input_free (gpointer data)
{
  NpNrtInput *input = data;
  g_free (input->name);
  g_free (input->path);
  g_free (input->file);
  g_free (input);
}

/* -- Inputs ---------------------------------------------------------------------------- */

static gboolean
is_given (const GPtrArray *inputs, const char *name)
{
  for (guint i = 0; i < inputs->len; i++)
    if (!strcmp (((const NpNrtInput *) inputs->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

static gboolean
read_input (GPtrArray *inputs, const char *name, const char *path, GError **error)
{
  char *file = NULL;
  gsize len;
  if (is_given (inputs, name))
    return np_error_set (error, NP_EXIT_USAGE, "input %s is given twice", name);
  if (!g_file_get_contents (path, &file, &len, error)) {
    (*error)->code = NP_EXIT_USAGE;
    return FALSE;
  }
  NpNrtInput *input = g_new0 (NpNrtInput, 1);
  input->name = g_strdup (name);
  input->path = g_strdup (path);
  input->file = (guint8 *) file;
  g_ptr_array_add (inputs, input);
  return np_npy_parse (input->file, len, path, &input->npy, error);
}

static GPtrArray *
read_inputs (char **words, GError **error)
{
  guint n = words ? g_strv_length (words) : 0;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (input_free);
  if (n % 2) {
    np_error_set (error, NP_EXIT_USAGE, "inputs come in pairs, NAME FILE.npy: %s has no file",
                  words[n - 1]);
    return NULL;
  }
  for (guint i = 0; i < n; i += 2)
    if (!read_input (inputs, words[i], words[i + 1], error))
      return NULL;
  return g_steal_pointer (&inputs);
}

/* -- What comes of it -------------------------------------------------------------------- */

static gboolean
is_folder (const char *session, NpLog *log)
{
  if (!g_file_test (session, G_FILE_TEST_IS_DIR))
    return FALSE;
  np_log (log, NPROF_ERROR, "--session-file %s: this is a folder, expected the name of a file",
          session);
  return TRUE;
}

/* Remembers what is read, before anything runs. */
static gboolean
would_replace (const NpCaptureAsked *a, const NpCapture *capture)
{
  g_autoptr (GError) error = NULL;
  np_read_files_add (capture->read, a->neff);
  for (char **word = a->words; word && *word; word += 2)
    np_read_files_add (capture->read, word[1]);
  if (np_read_files_spare (capture->read, a->session, &error))
    return FALSE;
  np_log (capture->log, NPROF_ERROR, "%s", error->message);
  return TRUE;
}

static int
run (NpCaptureAsked *a, const NpCapture *capture, NpNrtJob *job)
{
  if (is_folder (a->session, capture->log) || would_replace (a, capture))
    return NP_EXIT_USAGE;
  int code = np_capture_nrt (capture, a->session, job);
  if (code != NP_EXIT_OK && code != NP_EXIT_LOSSES)
    return code;
  const char *last = capture->saved->pdata[capture->saved->len - 1];
  const char *const words[] = { "-n", a->neff, "-s", last, NULL };
  return (int) np_exit_worse ((NpExit) code, (NpExit) np_cli_capture_offer (a, words));
}

int
np_cli_capture_nrt (NpCaptureAsked *a, const NpCapture *capture)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *neff = NULL;
  gsize size = 0;
  g_autoptr (GPtrArray) inputs = read_inputs (a->words, &error);
  if (!inputs) {
    np_log (capture->log, NPROF_ERROR, "%s", error->message);
    return NP_EXIT_USAGE;
  }
  if (!g_file_get_contents (a->neff, &neff, &size, &error)) {
    np_log (capture->log, NPROF_ERROR, "%s%s", error->message,
            ": expected the compiled model, -n FILE.neff");
    return NP_EXIT_INPUT;
  }
  g_autoptr (GArray) tensors = np_nrt_tensors_new ();
  int code = np_cli_capture_neff (a, capture->log, a->neff, (const guint8 *) neff, size, tensors);
  NpNrtJob job = { .neff = (const guint8 *) neff,
                   .neff_size = size,
                   .neff_tensors = tensors,
                   .inputs = inputs,
                   .library = a->libnrt,
                   .vnc = a->vnc,
                   .num_exec = (guint) a->num_exec,
                   .nth_exec = (guint) a->nth_exec,
                   .ignore_exec_errors = a->ignore_exec_errors,
                   .dge_notifs = a->dge_notifs,
                   .save = a->save_output_npy ? NP_SAVE_NPY
                           : a->save_output   ? NP_SAVE_RAW
                                              : NP_SAVE_NONE };
  return code == NP_EXIT_OK ? run (a, capture, &job) : code;
}
