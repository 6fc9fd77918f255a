/* SPDX-License-Identifier: Apache-2.0 */
/* extensions.c - tells which component made rows and tables, and where inputs lie, for components
 * that keep or find whole profiles; and what analyzers share. */

#include "run/extensions.h"

#include "base/temp-file.h"
#include "plugin/component.h"
#include "plugin/extension-ids.h"
#include "run/answer-folders.h"
#include "run/declared.h"
#include "run/instance.h"
#include "run/run-inputs.h"
#include "run/sibling.h"

#include <nprof/keys.h>
#include <string.h>

/* -- Origins --------------------------------------------------------------- */

/* Returns "mfu:peak=1e12,by=step", kept for the run with its other texts. */
static const char *
origin_name (const struct nprof_host *host, uint32_t origin)
{
  NpRun *run = np_instance_of (host)->run;
  if (!origin)
    return "";
  if (!run->analyzers || origin > run->analyzers->len)
    return NULL;
  const NpChosen *one = &g_array_index (run->analyzers, NpChosen, origin - 1);
  g_autofree char *text = np_option_spec_shown (one->component, one->spec);
  nprof_str kept = np_strings_intern (run->strings, text, strlen (text));
  return np_strings_get (run->strings, kept, NULL);
}

static uint32_t
origin_of_table (const struct nprof_host *host, const char *table)
{
  NpRun *run = np_instance_of (host)->run;
  NpRunInput *input;
  for (guint i = 0; (input = np_run_input (run, i)); i++)
    if (np_component_has_table (input->decoder, table)
        || (input->declared && np_declared_table (input->declared, table)))
      return 0;
  for (guint i = 0; run->analyzers && i < run->analyzers->len; i++)
    if (np_component_has_table (g_array_index (run->analyzers, NpChosen, i).component, table))
      return i + 1;
  return NPROF_ORIGIN_CORE;
}

static uint32_t
n_decoded (const struct nprof_host *host)
{
  return np_instance_of (host)->run->n_decoded;
}

/* -- Inputs ---------------------------------------------------------------- */

static const char *
input_path (const struct nprof_host *host, uint32_t number)
{
  NpInstance *self = np_instance_of (host);
  NpRunInput *input = self->declaring ? self->input : np_run_input (self->run, number);
  return input && input->real_path && !np_input_once (input->path) ? input->real_path : NULL;
}

static nprof_status
input_stated (const struct nprof_host *host, uint64_t bytes)
{
  NpInstance *self = np_instance_of (host);
  if (!self->input)
    return np_instance_fail (self, NPROF_E_CONTRACT, "only a decoder says how long its input is");
  self->input->bytes = bytes;
  return NPROF_OK;
}

static void
input_skipped (const struct nprof_host *host, const char *what, uint64_t n, uint64_t at,
               const char *reason)
{
  NpInstance *self = np_instance_of (host);
  np_skipped_add_many (self->run->skipped, self->input ? self->input->info.number : 0, what, n, at,
                       reason);
}

static nprof_status
find_device (const struct nprof_host *host, const char *folder, const char *device_type,
             const struct nprof_device **device)
{
  return np_device_rates_answer (np_instance_of (host)->run->device_rates, host,
                                 np_instance_of (host)->run->data_folder, folder, device_type,
                                 device);
}

/* -- The window ------------------------------------------------------------ */

/* An analyzer that asks cuts its sums; the run tells the user of the others. */
static bool
clip_window (const struct nprof_host *host, int64_t *from, int64_t *to)
{
  NpInstance *self = np_instance_of (host);
  const NpSelection *s = &self->run->config->selection;
  self->clips = TRUE;
  if (!s->clip)
    return false;
  *from = s->has_from ? s->from : G_MININT64;
  *to = s->has_to ? s->to : G_MAXINT64;
  return true;
}

/* -- Answers --------------------------------------------------------------- */

/* They are looked for when somebody asks: most runs have no answers. */
static const GPtrArray *
answer_folders (NpRun *run)
{
  if (!run->answer_folders)
    run->answer_folders
        = np_answer_folders (run->registry, run->data_folder, run->config->team_answers);
  return run->answer_folders;
}

static const char *
folder_of_answers (const struct nprof_host *host, uint32_t k, const char **prefix)
{
  const GPtrArray *folders = answer_folders (np_instance_of (host)->run);
  if (k >= folders->len)
    return NULL;
  const NpAnswerFolder *folder = folders->pdata[k];
  *prefix = folder->prefix;
  return folder->path;
}

/* -- The page --------------------------------------------------------------- */

static const char *
view_says (const struct nprof_host *host, uint32_t k, const char *key)
{
  const GPtrArray *views = np_registry_views (np_instance_of (host)->run->registry);
  const NpTableView *view = k < views->len ? views->pdata[k] : NULL;
  if (!view || g_str_equal (key, "table"))
    return view ? view->table : NULL;
  return g_hash_table_lookup (view->says, key);
}

/* What nprof's own analyzers say comes first. */
static const char *const *
tables_of_picture (const struct nprof_host *host, const char *name)
{
  const GPtrArray *all = np_registry_all (np_instance_of (host)->run->registry);
  const char *const *tables = NULL;
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *e = all->pdata[i];
    const char *const *found
        = e->report && !e->problem ? g_hash_table_lookup (e->report->pictures, name) : NULL;
    if (found && (!tables || e->bundled))
      tables = found;
  }
  return tables;
}

/* -- What rows mean --------------------------------------------------------- */

static nprof_status
follow_meaning (const struct nprof_host *host, const struct nprof_meaning_rule *rule)
{
  NpInstance *self = np_instance_of (host);
  if (self->component->kind != NPROF_DECODER || self->batch || self->meanings)
    return np_instance_fail (self, NPROF_E_CONTRACT,
                             "a decoder follows a rule of what rows mean once, before its rows");
  if (np_columns_wanted (self->run->columns, NPROF_KEY_WORK))
    self->meanings = np_meanings_new (self->run, host, rule);
  return NPROF_OK;
}

/* -- Notes ------------------------------------------------------------------ */

static nprof_status
want_notes (const struct nprof_host *host, const struct nprof_note_maker *maker)
{
  NpInstance *self = np_instance_of (host);
  if (self->component->kind != NPROF_ANALYZER || !self->opening || self->note)
    return np_instance_fail (self, NPROF_E_CONTRACT, "an analyzer wants notes once, from open");
  self->note = np_note_makers_add (self->run->note_makers, maker, host);
  if (self->note)
    return NPROF_OK;
  g_autofree char *why
      = g_strdup_printf ("notes \"%s\" of another analyzer are of another size", maker->name);
  return np_instance_fail (self, NPROF_E_CONTRACT, why);
}

static const void *
notes_of (const struct nprof_host *host, const struct nprof_batch *batch)
{
  const NpInstance *self = np_instance_of (host);
  if (!self->note)
    return NULL;
  const char *notes = np_batch_of (batch)->notes;
  return notes + np_note_makers_get (self->run->note_makers, self->note - 1)->at;
}

/* -- Digests, temporary files ----------------------------------------------- */

static nprof_status
digest_of (const struct nprof_host *host, uint32_t number, char hex[41])
{
  NpInstance *self = np_instance_of (host);
  NpRunInput *input = np_run_input (self->run, number);
  GError *error = NULL;
  if (self->component->kind != NPROF_SINK || !self->opening) /* later others read the inputs */
    return np_instance_fail (self, NPROF_E_CONTRACT, "digest is for sinks, from open only");
  if (!input)
    return np_instance_fail (self, NPROF_E_CONTRACT, "there is no input of that number");
  if (np_run_digest_input (self->run, input, hex, &error))
    return NPROF_OK;
  np_instance_adopt_error (self, error);
  return NPROF_E_IO;
}

static struct nprof_temp *
make_temp (const struct nprof_host *host)
{
  (void) host;
  return np_temp_new ();
}

const void *
np_extension (const char *id)
{
  static const struct nprof_answers answers = { sizeof answers, 0, folder_of_answers };
  static const struct nprof_clip clip = { sizeof clip, 0, clip_window };
  static const struct nprof_devices devices = { sizeof devices, 0, find_device };
  static const struct nprof_digest digest = { sizeof digest, 0, digest_of };
  static const struct nprof_input_file input_file
      = { sizeof input_file, 0, input_path, input_stated, input_skipped };
  static const struct nprof_meaning meaning = { sizeof meaning, 0, follow_meaning };
  static const struct nprof_notes notes = { sizeof notes, 0, want_notes, notes_of };
  static const struct nprof_origins origins
      = { sizeof origins, 0, origin_name, origin_of_table, n_decoded };
  static const struct nprof_page page = { sizeof page, 0, view_says, tables_of_picture };
  static const struct nprof_sibling_head sibling_head
      = { sizeof sibling_head, 0, np_sibling_head, np_siblings_within, np_sibling_digest };
  static const struct nprof_temp_files temp_files = { sizeof temp_files, 0, make_temp };
#define ENTRY(id, extension) { id, &extension },
  static const struct {
    const char *id;
    const void *extension;
  } all[] = { NP_EXTENSIONS (ENTRY) };
#undef ENTRY
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (strcmp (id, all[i].id) == 0)
      return all[i].extension;
  return NULL;
}
