/* SPDX-License-Identifier: Apache-2.0 */
/* run-inputs.c - finds the inputs of a run and the decoder of each: the one that the user
 * names, or the one with the highest bid. */

#include "run/run-inputs.h"
#include "base/fence.h"
#include "foreign/nsys-report.h"
#include "plugin/probe.h"
#include "run/instance.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Says and counts once that a compressed file was cut off, however often it is opened; refuses it
 * without --keep-going. */
static gboolean
take_cut (NpRun *run, NpRunInput *input, const GError *cut, GError **error)
{
  if (!run->config->keep_going) {
    np_error_set (error, NP_EXIT_INPUT, "%s; --keep-going reads what comes before", cut->message);
    g_clear_pointer (&input->data, np_input_free);
    return FALSE;
  }
  if (!input->cut) {
    atomic_fetch_add (&run->losses, 1);
    atomic_fetch_add (&input->unread, 1);
    np_log (run->log, NPROF_WARNING, "%s", cut->message);
  }
  input->cut = TRUE;
  return TRUE;
}

typedef struct {
  NpRun *run;
  const NpRunInput *input;
} Opening;

static void
tell_opened (gpointer user, guint64 taken, guint64 size, guint64 made)
{
  const Opening *opening = user;
  np_progress_unpack (opening->run->progress, opening->input->label, taken, size, made);
}

gboolean
np_run_open_input (NpRun *run, NpRunInput *input, GError **error)
{
  if (input->data)
    return TRUE;
  g_autoptr (GError) cut = NULL;
  Opening opening = { run, input };
  const NpInputWait wait = { run->interrupt, tell_opened, &opening };
  input->data = np_input_open_until (input->path, run->log, &wait, &cut, error);
  return input->data && (!cut || take_cut (run, input, cut, error));
}

/* stdin and pipes cannot be read twice, so they are opened now. */
static gboolean
read_head (NpRun *run, NpRunInput *input, guint8 *head, gsize *len, guint64 *size, GError **error)
{
  if (!np_input_once (input->path))
    return np_input_head (input->path, head, len, size, error);
  if (!np_run_open_input (run, input, error))
    return FALSE;
  const void *data = np_input_data (input->data, size);
  *len = MIN (*size, *len);
  memcpy (head, data, *len);
  return TRUE;
}

/* Returns whether all that was read is the beginning of a JSON object, whose first member may be
 * that long. */
static gboolean
is_long_object (const guint8 *head, gsize len, gsize most)
{
  gsize at = len >= 3 && !memcmp (head, "\xef\xbb\xbf", 3) ? 3 : 0;
  while (at < len && g_ascii_isspace (head[at]))
    at++;
  return len == most && at < len && head[at] == '{';
}

/* Asks the decoders by at most so many bytes; *longer: more of them may tell. */
static const struct nprof_component *
probe (NpRun *run, NpRunInput *input, gsize most, int least, gboolean *longer, GError **error)
{
  g_autofree guint8 *head = g_malloc (most);
  gsize len = most;
  guint64 size = 0;
  *longer = FALSE;
  if (!read_head (run, input, head, &len, &size, error))
    return NULL;
  *longer = is_long_object (head, len, most);
  g_autofree char *bids = NULL;
  gboolean tie;
  const struct nprof_component *decoder
      = np_probe_decoders (run->registry, input->path, head, len, size, least, &bids, &tie, error);
  if (!decoder)
    np_log (run->log, NPROF_INFO, "%s: what the decoders bid: %s", input->path, bids);
  if (tie)
    np_log (run->log, NPROF_INFO,
            "%s: several decoders are equally sure (%s): %s reads it, which is the first in the "
            "search path; -d names another",
            input->path, bids, decoder->name);
  return decoder;
}

void
np_run_name_decoder (NpRun *run, NpRunInput *input, nprof_status status, GError **error)
{
  gboolean longer;
  if (!run->config->decoder || status != NPROF_E_FORMAT || np_strings_lost (run->strings))
    return; /* nobody named it, or another cause */
  const struct nprof_component *sure
      = probe (run, input, NP_INPUT_HEAD, NP_SCORE_BY_NAME, &longer, NULL);
  if (!sure || g_str_equal (sure->name, input->decoder->name))
    return;
  g_autofree char *text
      = g_strdup_printf ("%s: it looks like a file of decoder %s: leave out -d %s",
                         (*error)->message, sure->name, input->decoder->name);
  g_clear_error (error);
  np_error_set (error, NP_EXIT_INPUT, "%s", text);
}

/* `listed` means that it was found in a folder, where a mere hint is not enough. */
static const struct nprof_component *
choose_decoder (NpRun *run, NpRunInput *input, gboolean listed, GError **error)
{
  if (input->spec) {
    const NpRegistryEntry *module
        = np_registry_get (run->registry, NPROF_DECODER, input->spec->name, error);
    return module ? module->component : NULL;
  }
  const int least = listed ? NP_SCORE_BY_NAME : NP_SCORE_ANY;
  g_autoptr (GError) unknown = NULL;
  gboolean longer;
  const struct nprof_component *decoder
      = probe (run, input, NP_INPUT_HEAD, least, &longer, &unknown);
  if (!decoder && longer && unknown->domain == NP_UNKNOWN_FORMAT)
    decoder = probe (run, input, NP_INPUT_FAR, least, &longer, NULL);
  if (decoder)
    input->spec = np_spec_new_unasked (decoder->name);
  else
    g_propagate_error (error, g_steal_pointer (&unknown));
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
input_new (const char *path, const char *label, const NpSpec *spec)
{
  NpRunInput *input = g_new0 (NpRunInput, 1);
  input->path = g_strdup (path);
  input->label = g_strdup (label);
  input->real_path = strcmp (path, "-") ? realpath (path, NULL) : NULL;
  input->file = strcmp (path, "-") ? g_path_get_basename (path) : NULL;
  input->spec = copy_spec (spec);
  input->properties = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (input->properties, NULL);
  input->origin = NPROF_NO_EPOCH;
  input->first = INT64_MAX;
  input->last = INT64_MIN;
  return input;
}

/* -- What the content of an input declares ---------------------------------- */

static gboolean
ask_decoder (NpRun *run, NpRunInput *input, GError **error)
{
  struct nprof_declaration said = { .size = sizeof said };
  g_autoptr (NpInstance) instance
      = np_instance_new (run, input->decoder, input->spec, input, NULL, (NpFeed){ 0 }, error);
  if (!instance)
    return FALSE;
  guint64 len;
  const void *data = np_input_data (input->data, &len);
  instance->declaring = TRUE;
  nprof_status status = np_instance_open (instance);
  if (!status)
    status = NP_CALL (input->decoder, declare, instance->self, data, len, &said);
  if (status) {
    GError *why = np_instance_take_error (instance, status);
    np_run_name_decoder (run, input, status, &why);
    g_propagate_error (error, why);
    return FALSE;
  }
  input->declared = np_declared_new (&said);
  g_ptr_array_add (run->declared, input->declared);
  return TRUE;
}

/* Asks the decoder which attributes, tables and profiles the content has; the run owns the answer,
 * and all inputs of one file share it. An input that can be read only once stays open, and so does
 * the first, which may be long to inflate. */
static gboolean
read_declaration (NpRun *run, NpRunInput *input, GError **error)
{
  if (!input->decoder->declare)
    return TRUE;
  input->info.size = sizeof input->info;
  input->info.label = np_strings_intern (run->strings, input->label, strlen (input->label));
  input->info.file = input->file;
  if (!np_run_open_input (run, input, error) || !ask_decoder (run, input, error))
    return FALSE;
  const gboolean once = np_input_once (input->path);
  if (!once && run->inputs->len)
    g_clear_pointer (&input->data, np_input_free); /* many inputs are not all open at once */
  else if (once && input->declared->profiles->len > 1)
    return np_error_set (
        error, NP_EXIT_INPUT,
        "%s: it holds %u profiles, for which it is read as often: save it as a file first",
        input->path, input->declared->profiles->len);
  return TRUE;
}

static gboolean
is_label (NpRun *run, const char *label)
{
  for (guint i = 0; i < run->inputs->len; i++)
    if (!strcmp (((NpRunInput *) g_ptr_array_index (run->inputs, i))->label, label))
      return TRUE;
  return FALSE;
}

/* The label is the one that the content states, unless another input has it already. */
static void
rename_input (NpRun *run, NpRunInput *input, const struct nprof_profile *profile, gboolean one)
{
  char *label = g_strdup (profile->label);
  if (is_label (run, label)) {
    g_free (label);
    label = one ? g_strdup (input->label) : g_strconcat (input->label, "/", profile->label, NULL);
  }
  g_free (input->label);
  input->label = label;
}

/* Returns when a file was last changed, in s; 0: it is a pipe, or changed at a time that 32 bits do
 * not hold. */
static guint32
last_changed (const char *path)
{
  struct stat st;
  gboolean is_known = !stat (path, &st) && (S_ISREG (st.st_mode) || S_ISDIR (st.st_mode));
  return is_known && st.st_mtime > 0 && st.st_mtime <= G_MAXUINT32 ? (guint32) st.st_mtime : 0;
}

static void
enter_input (NpRun *run, NpRunInput *input, guint profile)
{
  const NpDeclared *declared = input->declared;
  const struct nprof_profile *p = declared ? g_ptr_array_index (declared->profiles, profile) : NULL;
  pthread_mutex_lock (&run->lock);
  if (p && p->label && *p->label)
    rename_input (run, input, p, declared->profiles->len == 1);
  input->mixed = p ? p->number : 0;
  guint number = run->inputs->len;
  nprof_str text = np_strings_intern (run->strings, input->label, strlen (input->label));
  input->info = (struct nprof_input_info){
    .size = sizeof input->info,
    .number = number,
    .label = text,
    .decoder = p && p->decoder ? p->decoder : input->decoder->name,
    .root = np_tracks_root (run->tracks, number, text),
    .properties = no_properties,
    .profile = profile,
    .modified = p && p->modified ? p->modified : last_changed (input->path),
    .file = input->file,
  };
  g_ptr_array_add (run->inputs, input);
  pthread_mutex_unlock (&run->lock);
}

static void
enter_all (NpRun *run, NpRunInput *input)
{
  g_autofree char *label = g_strdup (input->label);
  enter_input (run, input, 0);
  for (guint k = 1; input->declared && k < input->declared->profiles->len; k++) {
    NpRunInput *next = input_new (input->path, label, input->spec);
    next->decoder = input->decoder;
    next->declared = input->declared;
    enter_input (run, next, k);
  }
}

/* Gives the decoder what the run says to all; what the user said to this decoder stays. */
static void
take_hints (const NpRun *run, NpRunInput *input)
{
  const NpSpec *hints = run->config->hints;
  for (guint i = 0; hints && i < hints->keys->len; i++) {
    const char *key = g_ptr_array_index (hints->keys, i);
    if (!np_option_find (input->decoder, key))
      np_log (run->log, NPROF_WARNING, "%s: decoder %s has no option %s: it is not used",
              input->path, input->decoder->name, key);
    else if (!g_ptr_array_find_with_equal_func (input->spec->keys, key, g_str_equal, NULL))
      np_spec_set (input->spec, key, g_ptr_array_index (hints->values, i));
  }
}

/* Has a report of Nsight Systems exported, and reads the database in its place; it stays called
 * after the report. */
static gboolean
export_report (NpRun *run, NpRunInput *input, GError **error)
{
  const gboolean wanted = !input->spec || !strcmp (input->spec->name, "nsys");
  if (!wanted || run->config->no_export || np_input_once (input->path)
      || !np_is_nsys_report (input->path))
    return TRUE;
  char *exported = np_nsys_export (input->path, run->log, run->interrupt, error);
  if (!exported)
    return FALSE;
  g_free (input->path);
  input->path = exported;
  return TRUE;
}

/* Returns TRUE also for a file that was found in a folder and is a part of another input. */
static gboolean
add_input (NpRun *run, const char *path, const char *label, const NpSpec *spec, gboolean listed,
           GError **error)
{
  NpRunInput *input = input_new (path, label, spec);
  if (export_report (run, input, error))
    input->decoder = choose_decoder (run, input, listed, error);
  if (input->decoder)
    take_hints (run, input);
  if (!input->decoder || !read_declaration (run, input, error)) {
    np_run_input_free (input);
    return FALSE;
  }
  if (listed && input->declared && input->declared->is_part) {
    np_log (run->log, NPROF_INFO, "%s: a part of the profile of its folder", path);
    np_run_input_free (input);
    return TRUE;
  }
  enter_all (run, input);
  return TRUE;
}

gboolean
np_run_add_input (NpRun *run, const char *path, const char *label, const NpSpec *spec,
                  GError **error)
{
  return add_input (run, path, label, spec, FALSE, error);
}

/* Says of a folder without a recording of its own where those lie that were read: whoever named a
 * folder of sources learns it, and TensorBoard has its own place for them. */
static void
tell_depth (NpRun *run, const char *folder)
{
  const char *first = NULL;
  g_autofree char *child = g_build_filename (folder, "x", NULL); /* as paths below it begin */
  gsize prefix = strlen (child) - 1;
  guint below = 0;
  for (guint i = 0; i < run->inputs->len; i++) {
    const NpRunInput *input = g_ptr_array_index (run->inputs, i);
    if (strncmp (input->path, child, prefix) != 0)
      continue;
    if (!strchr (input->path + prefix, '/') || strstr (input->path, "plugins/profile/")
        || g_str_has_prefix (input->path + prefix, "inputs/")) /* of a kept profile */
      return;
    first = first ? first : input->path;
    below++;
  }
  if (below)
    np_log (run->log, NPROF_NOTICE,
            "%s: no recording lies in this folder itself: read %u below it, %s%s", folder, below,
            below > 1 ? "first " : "", first);
}

/* Skips files that were found in a folder and that no decoder knows. */
static gboolean
add_inputs (NpRun *run, GPtrArray *paths, GError **error)
{
  for (guint i = 0; i < paths->len; i++) {
    const NpInputPath *in = g_ptr_array_index (paths, i);
    const gboolean listed = in->listed || run->config->listed;
    g_autoptr (GError) cause = NULL;
    if (add_input (run, in->path, in->label, run->config->decoder, listed, &cause))
      continue;
    if (listed && cause->domain == NP_UNKNOWN_FORMAT)
      np_log (run->log, NPROF_INFO, "%s (skipped)", cause->message);
    else if (listed && run->config->keep_going) {
      np_log (run->log, NPROF_WARNING, "%s (skipped)", cause->message);
      atomic_fetch_add (&run->losses, 1);
    } else {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  }
  for (guint i = 0; i < run->config->inputs->len; i++)
    tell_depth (run, g_ptr_array_index (run->config->inputs, i));
  if (run->inputs->len > 0 || run->config->listed)
    return TRUE;
  return np_error_set (
      error, NP_EXIT_INPUT,
      "%s: no profile found (%u %s looked at): name a file, or a decoder with -d; logs of "
      "Neuron need aws-neuronx-tools and a framework of release 2.6 or newer",
      (const char *) g_ptr_array_index (run->config->inputs, 0), paths->len,
      paths->len == 1 ? "file" : "files");
}

static const char *
file_of (const GPtrArray *values)
{
  for (guint i = 0; values && i < values->len; i++)
    if (g_file_test (values->pdata[i], G_FILE_TEST_EXISTS))
      return values->pdata[i];
  return NULL;
}

/* Says as well which file an option took for its value: nprof report --name FILE. */
static void
tell_no_input (const NpConfig *config, GError **error)
{
  const char *taken = file_of (config->selection.names);
  if (!taken)
    taken = file_of (config->selection.tracks);
  if (!taken && config->output && g_file_test (config->output, G_FILE_TEST_IS_REGULAR))
    taken = config->output;
  g_autofree char *hint
      = taken ? g_strdup_printf ("; %s is the value of the option before it", taken) : NULL;
  np_error_set (error, NP_EXIT_USAGE, "no input: name a file, a folder, or - for stdin%s",
                hint ? hint : "");
}

gboolean
np_run_open_inputs (NpRun *run, GError **error)
{
  if (run->config->inputs->len == 0) {
    tell_no_input (run->config, error);
    return FALSE;
  }
  g_ptr_array_add (run->config->inputs, NULL);
  g_autoptr (GPtrArray) paths
      = np_inputs_expand ((const char *const *) run->config->inputs->pdata, run->log, error);
  g_ptr_array_set_size (run->config->inputs, (gint) run->config->inputs->len - 1);
  if (!paths)
    return FALSE;
  np_inputs_label (paths);
  if (run->config->label && paths->len == 1) {
    NpInputPath *only = g_ptr_array_index (paths, 0);
    g_free (only->label);
    only->label = g_strdup (run->config->label);
  }
  gboolean ok = add_inputs (run, paths, error);
  run->n_given = run->inputs->len;
  return ok;
}

/* An input that can be read only once is opened now, and its decoder finds it open. */
gboolean
np_run_digest_input (NpRun *run, NpRunInput *input, char *hex, GError **error)
{
  if (!np_input_once (input->path))
    return np_digest_file (input->path, hex, error);
  if (!np_run_open_input (run, input, error))
    return FALSE;
  guint64 len;
  const void *data = np_input_data (input->data, &len);
  np_digest_memory (data, len, hex);
  return TRUE;
}
