/* SPDX-License-Identifier: Apache-2.0 */
/* run-inputs.c - finds the inputs of a run and the decoder of each: the one that the user
 * names, or the one with the highest bid. */

#include "run/run-inputs.h"
#include "plugin/probe.h"

#include <stdlib.h>
#include <string.h>

/* stdin and pipes cannot be read twice, so they are opened now. */
static gboolean
read_head (NpRun *run, NpRunInput *input, guint8 *head, gsize *len, guint64 *size, GError **error)
{
  if (!np_input_once (input->path))
    return np_input_head (input->path, head, len, size, error);
  if (!input->data)
    input->data = np_input_open_until (input->path, run->log, run->interrupt, error);
  if (!input->data)
    return FALSE;
  const void *data = np_input_data (input->data, size);
  *len = MIN (*size, NP_INPUT_HEAD);
  memcpy (head, data, *len);
  return TRUE;
}

/* listed: found in a folder, where a mere hint is not enough. */
static const struct nprof_component *
choose_decoder (NpRun *run, NpRunInput *input, gboolean listed, GError **error)
{
  if (input->spec) {
    const NpModule *module = np_modules_get (run->modules, NPROF_DECODER, input->spec->name, error);
    return module ? module->component : NULL;
  }
  g_autofree guint8 *head = g_malloc (NP_INPUT_HEAD);
  gsize len = NP_INPUT_HEAD;
  guint64 size = 0;
  if (!read_head (run, input, head, &len, &size, error))
    return NULL;
  const struct nprof_component *decoder
      = np_bids_choose (run->modules, input->path, head, len, size,
                        listed ? NP_BID_BY_NAME : NP_BID_ANY, error);
  if (decoder)
    input->spec = np_spec_new (decoder->name);
  return decoder;
}

static NpSpec *
copy_spec (const NpSpec *spec)
{
  if (!spec)
    return NULL;
  NpSpec *copy = np_spec_new (spec->name);
  for (guint i = 0; i < spec->keys->len; i++)
    np_spec_set (copy, g_ptr_array_index (spec->keys, i), g_ptr_array_index (spec->values, i));
  return copy;
}

static const char *const no_properties[] = { NULL };

static NpRunInput *
add_input (NpRun *run, const char *path, const char *label, const NpSpec *spec, gboolean listed,
           GError **error)
{
  NpRunInput *input = g_new0 (NpRunInput, 1);
  input->path = g_strdup (path);
  input->label = g_strdup (label);
  input->real_path = strcmp (path, "-") ? realpath (path, NULL) : NULL;
  input->spec = copy_spec (spec);
  input->properties = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (input->properties, NULL);
  input->origin = NPROF_NO_EPOCH;
  input->first = INT64_MAX;
  input->last = INT64_MIN;
  input->decoder = choose_decoder (run, input, listed, error);
  if (!input->decoder) {
    np_run_input_free (input);
    return NULL;
  }
  pthread_mutex_lock (&run->lock);
  guint number = run->inputs->len;
  nprof_str text = np_strings_intern (run->strings, label, strlen (label));
  input->info = (struct nprof_input_info){
    .size = sizeof input->info,
    .number = number,
    .label = text,
    .decoder = input->decoder->name,
    .root = np_tracks_root (run->tracks, number, text),
    .properties = no_properties,
  };
  g_ptr_array_add (run->inputs, input);
  pthread_mutex_unlock (&run->lock);
  return input;
}

NpRunInput *
np_run_add_input (NpRun *run, const char *path, const char *label, const NpSpec *spec,
                  GError **error)
{
  return add_input (run, path, label, spec, FALSE, error);
}

/* Files that were found in a folder and that no decoder knows are passed over. */
static gboolean
add_inputs (NpRun *run, GPtrArray *paths, GError **error)
{
  for (guint i = 0; i < paths->len; i++) {
    const NpInputPath *in = g_ptr_array_index (paths, i);
    g_autoptr (GError) cause = NULL;
    if (add_input (run, in->path, in->label, run->config->decoder, in->listed, &cause))
      continue;
    if (in->listed && cause->domain == NP_UNKNOWN_FORMAT)
      np_log (run->log, NPROF_INFO, "%s (passed over)", cause->message);
    else if (in->listed && run->config->keep_going) {
      np_log (run->log, NPROF_WARNING, "%s (passed over)", cause->message);
      atomic_fetch_add (&run->losses, 1);
    } else {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  }
  if (run->inputs->len > 0)
    return TRUE;
  g_set_error (error, NP_ERROR, NP_EXIT_INPUT,
               "%s: no profile found: name a file, or a decoder with -d",
               (const char *) g_ptr_array_index (run->config->inputs, 0));
  return FALSE;
}

gboolean
np_run_open_inputs (NpRun *run, GError **error)
{
  if (run->config->inputs->len == 0) {
    g_set_error_literal (error, NP_ERROR, NP_EXIT_USAGE,
                         "no input: name a file, a folder, or - for stdin (nprof help run)");
    return FALSE;
  }
  g_ptr_array_add (run->config->inputs, NULL);
  g_autoptr (GPtrArray) paths
      = np_inputs_expand ((const char *const *) run->config->inputs->pdata, run->log, error);
  g_ptr_array_set_size (run->config->inputs, (gint) run->config->inputs->len - 1);
  if (!paths)
    return FALSE;
  np_inputs_label (paths);
  return add_inputs (run, paths, error);
}

/* What can be read only once is opened now; its decoder finds it open. */
gboolean
np_run_digest_input (NpRun *run, NpRunInput *input, char *hex, GError **error)
{
  if (!np_input_once (input->path))
    return np_digest_file (input->path, hex, error);
  if (!input->data)
    input->data = np_input_open_until (input->path, run->log, run->interrupt, error);
  if (!input->data)
    return FALSE;
  guint64 len;
  const void *data = np_input_data (input->data, &len);
  np_digest_memory (data, len, hex);
  return TRUE;
}
