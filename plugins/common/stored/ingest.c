/* SPDX-License-Identifier: Apache-2.0 */
/* ingest.c - one pass from inputs to a stored profile: decoder, default analyzers, sink store. */

#include "stored/ingest.h"
#include "console/default-analyzers.h"
#include "run/run-inputs.h"
#include "stored/database.h"
#include "stored/evict.h"
#include "stored/keeping.h"
#include "stored/kept.h"

#include <fcntl.h>
#include <nprof/store-reader.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void
np_ingest_profile_free (NpIngestProfile *p)
{
  if (!p)
    return;
  g_ptr_array_unref (p->paths);
  g_free (p);
}

/* Returns a configuration of these inputs alone, with the options of the command. */
static NpConfig *
config_of (const NpIngest *ingest, const GPtrArray *paths)
{
  NpConfig *config = np_config_like (ingest->options->config);
  for (guint i = 0; i < paths->len; i++)
    g_ptr_array_add (config->inputs, g_strdup (paths->pdata[i]));
  if (ingest->options->decoder)
    config->decoder = np_spec_parse (ingest->options->decoder, NULL);
  np_cli_hints (ingest->options, config, NULL);
  for (char **a = ingest->options->analyzers; a && *a; a++)
    g_ptr_array_add (config->analyzers, np_spec_parse (*a, NULL));
  return config;
}

/* -- Which one ------------------------------------------------------------------- */

/* Sets the id that the sink gives the profile, by the digests of the inputs. */
static gboolean
identify (NpRun *run, char *id, GError **error)
{
  char hex[NP_DIGEST_HEX + 1];
  g_autoptr (GChecksum) all = g_checksum_new (G_CHECKSUM_SHA1);
  for (guint i = 0; i < run->inputs->len; i++) {
    if (!np_run_digest_input (run, g_ptr_array_index (run->inputs, i), hex, error))
      return FALSE;
    g_checksum_update (all, (const guchar *) hex, NP_DIGEST_HEX);
  }
  g_snprintf (id, NP_PROFILE_ID, "n_%s", run->inputs->len == 1 ? hex : g_checksum_get_string (all));
  return TRUE;
}

/* Compares by its size and time where it lay, else by its whole content. */
static gboolean
same_input (struct nprof_store *store, const struct nprof_store_input *in, const NpRunInput *input)
{
  size_t len;
  guint64 content;
  struct stat st;
  const char *path = nprof_store_string (store, in->path, &len);
  if (in->flags & NPROF_STORE_NO_PATH || !in->content || !input->real_path
      || stat (input->real_path, &st) || (guint64) st.st_size != in->size)
    return FALSE;
  gint64 mtime = (gint64) st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
  return (mtime == in->mtime_ns && !strcmp (path, input->real_path))
         || (!nprof_store_content (input->real_path, &st, &content) && content == in->content);
}

static gboolean
same_texts (char **texts, const GPtrArray *known)
{
  guint n = texts ? g_strv_length (texts) : 0;
  gboolean same = n == known->len;
  for (guint i = 0; same && i < n; i++)
    same = !strcmp (texts[i], known->pdata[i]);
  return same;
}

/* Transfer full. */
static char **
kept_analyzers (const NpIngest *ingest)
{
  g_autoptr (GStrvBuilder) kept = g_strv_builder_new ();
  for (char **a = ingest->options->analyzers; a && *a; a++) {
    g_autofree char *one = np_cli_spec_shown (ingest->options, NPROF_ANALYZER, *a);
    g_strv_builder_add (kept, one);
  }
  return g_strv_builder_end (kept);
}

/* A profile that was stored with files of other folders is read again only for the sake of
 * folders. */
static gboolean
same_options (const NpIngest *ingest, const char *id)
{
  g_autoptr (NpAbout) about = np_about_read (ingest->store, id);
  g_auto (GStrv) analyzers = kept_analyzers (ingest);
  NpCliOptions *o = ingest->options;
  g_autofree char *decoder = np_cli_spec_shown (o, NPROF_DECODER, o->decoder);
  return about->added && !g_strcmp0 (about->decoder, decoder)
         && same_texts (analyzers, about->analyzers)
         && (!ingest->sources || same_texts (ingest->sources, about->sources));
}

static gboolean
is_here (const NpIngest *ingest, NpRun *run, const char *id)
{
  char why[600];
  g_autofree char *path = g_build_filename (ingest->store, id, NULL);
  /* which recordings of graphs a stored profile was joined with, nobody keeps */
  gboolean fresh = ingest->force || ingest->options->config->hints;
  struct nprof_store *store = fresh ? NULL : nprof_store_open (path, why, sizeof why);
  if (!store)
    return FALSE;
  gboolean same = nprof_store_n (store, NPROF_STORE_S_INPUTS) == run->inputs->len
                  && same_options (ingest, id);
  for (guint i = 0; same && i < run->inputs->len; i++) {
    const struct nprof_store_input *in = nprof_store_input_at (store, i);
    same = in && same_input (store, in, g_ptr_array_index (run->inputs, i));
  }
  nprof_store_close (store);
  return same;
}

NpIngestProfile *
np_ingest_plan (const NpIngest *ingest, GPtrArray *paths, GError **error)
{
  g_autoptr (NpIngestProfile) profile = g_new0 (NpIngestProfile, 1);
  g_autoptr (NpConfig) config = config_of (ingest, paths);
  NpLog *log = np_log_new (NPROF_ERROR, STDERR_FILENO);
  NpRun run = { .config = config,
                .registry = np_cli_modules (ingest->options),
                .log = log,
                .interrupt = &np_cli_interrupt };
  profile->paths = g_ptr_array_ref (paths);
  np_run_init (&run);
  gboolean good = np_run_open_inputs (&run, error) && identify (&run, profile->id, error);
  profile->here = good && is_here (ingest, &run, profile->id);
  np_run_clear (&run);
  np_log_free (log);
  return good ? g_steal_pointer (&profile) : NULL;
}

/* -- The run ----------------------------------------------------------------------- */

static void
add_sinks (const NpIngest *ingest, NpConfig *config)
{
  NpSpec *store = np_spec_new ("store");
  np_spec_set (store, "folder", ingest->store);
  np_spec_set (store, "keep", "no");
  np_spec_set (store, "progress", "yes");
  g_autofree char *sources = ingest->sources ? g_strjoinv (":", ingest->sources) : NULL;
  if (sources)
    np_spec_set (store, "source", sources);
  np_spec_set (store, "tell", "no"); /* the command says it */
  g_ptr_array_add (config->sinks, store);
}

/* Returns the name of a run that TensorBoard shows, which the profile keeps. */
static char *
run_name (const NpIngestProfile *profile)
{
  g_autofree char *path
      = profile->paths->len == 1 ? g_canonicalize_filename (profile->paths->pdata[0], NULL) : NULL;
  g_autofree char *folder = path ? g_path_get_dirname (path) : NULL;
  gboolean is_run = folder && np_holds_runs (folder) && g_file_test (path, G_FILE_TEST_IS_DIR);
  return is_run ? g_path_get_basename (path) : NULL;
}

static void
put_texts (GPtrArray *to, char **texts)
{
  g_ptr_array_set_size (to, 0);
  for (; texts && *texts; texts++)
    g_ptr_array_add (to, g_strdup (*texts));
}

/* Sets where the files lie; of an upload their names. */
static void
put_inputs (const NpIngest *ingest, NpAbout *about, const GPtrArray *paths)
{
  g_ptr_array_set_size (about->inputs, 0);
  for (guint i = 0; i < paths->len; i++) {
    g_autofree char *path = g_canonicalize_filename (paths->pdata[i], NULL);
    gboolean sent = np_is_upload (ingest->store, path);
    g_ptr_array_add (about->inputs, sent || !g_file_test (path, G_FILE_TEST_EXISTS)
                                        ? g_path_get_basename (paths->pdata[i])
                                        : g_steal_pointer (&path));
  }
}

static void
remember (const NpIngest *ingest, const NpIngestProfile *profile)
{
  const char *id = profile->id;
  g_autoptr (GError) error = NULL;
  int lock = np_keeping_begin (ingest->store, &error);
  if (lock < 0) {
    g_printerr ("nprof: warning: %s\n", error->message);
    return;
  }
  g_autoptr (NpAbout) about = np_about_read (ingest->store, id);
  if (!about->added)
    about->added = g_get_real_time () / 1000;
  if (!about->name)
    about->name = run_name (profile);
  g_free (about->decoder);
  about->decoder = np_cli_spec_shown (ingest->options, NPROF_DECODER, ingest->options->decoder);
  g_auto (GStrv) analyzers = kept_analyzers (ingest);
  put_texts (about->analyzers, analyzers);
  put_texts (about->sources, ingest->sources);
  put_inputs (ingest, about, profile->paths);
  if (!np_about_write (ingest->store, id, about, &error))
    g_printerr ("nprof: warning: %s\n", error->message);
  np_keeping_end (lock);
}

/* Takes back what was written of a profile that did not come; what people wrote of it stays. */
static void
forget (const NpIngest *ingest, const char *id)
{
  g_autofree char *path = np_kept_path (ingest->store, id, "about.json");
  int lock = np_keeping_begin (ingest->store, NULL);
  g_autoptr (NpAbout) about = np_about_read (ingest->store, id);
  about->added = 0;
  if (about->name || about->tags->len || about->star || about->baseline)
    np_about_write (ingest->store, id, about, NULL);
  else if (!unlink (path)) {
    g_autofree char *folder = g_path_get_dirname (path);
    rmdir (folder); /* of which something else may still be kept */
  }
  np_keeping_end (lock);
}

static void
tell_progress (gpointer path, const NpProgressNow *now)
{
  np_kept_tell_progress (path, now);
}

/* Adds an analyzer that reports have only when they are asked for it; decoder: NULL, or of whose
 * inputs alone. */
static void
add_analyzer (NpConfig *config, NpRegistry *registry, const char *name, const char *decoder)
{
  for (guint i = 0; i < config->analyzers->len; i++)
    if (!strcmp (((const NpSpec *) config->analyzers->pdata[i])->name, name))
      return;
  if (!np_has_analyzer (registry, name))
    return;
  NpSpec *spec = np_spec_new (name);
  spec->only_for = decoder ? g_strsplit (decoder, ";", -1) : NULL;
  g_ptr_array_add (config->analyzers, spec);
}

int
np_ingest_run (const NpIngest *ingest, const NpIngestProfile *profile)
{
  g_autoptr (GError) full = NULL;
  NpCliOptions *o = ingest->options;
  if (!np_evict (ingest->store, ingest->store_max, profile->id, &full)) {
    g_printerr ("nprof: error: %s\n", full->message);
    return full->code;
  }
  g_autoptr (NpConfig) config = config_of (ingest, profile->paths);
  NpLog *log = np_log_new (o->verbosity, STDERR_FILENO);
  np_add_default_analyzers (config, np_cli_modules (o), NULL);
  /* The page shows times below the modules that PyTorch calls when they ran; of other formats rows
   * state their layers. */
  add_analyzer (config, np_cli_modules (o), "modules", "chrome");
  add_analyzer (config, np_cli_modules (o), "answers", NULL);
  config->team_answers = TRUE;
  add_sinks (ingest, config);
  g_autofree char *path = g_build_filename (ingest->store, profile->id, NULL);
  gboolean first = !g_file_test (path, G_FILE_TEST_EXISTS);
  if (first) /* nobody sees the profile without it */
    remember (ingest, profile);
  config->progress = !o->no_progress && isatty (STDERR_FILENO);
  g_autofree char *told = np_kept_path (ingest->store, profile->id, NP_KEPT_PROGRESS);
  config->listener = (NpProgressListener){ tell_progress, told };
  NpExit code = np_run (config, np_cli_modules (o), log, &np_cli_interrupt);
  unlink (told);
  np_log_free (log);
  if (code == NP_EXIT_OK || code == NP_EXIT_LOSSES) {
    if (!first) /* until now it was that of the profile that lay there */
      remember (ingest, profile);
    np_evict (ingest->store, ingest->store_max, profile->id,
              NULL); /* it is refused the next time */
  } else if (first) {
    forget (ingest, profile->id);
  }
  return (int) code;
}

/* -- The database ------------------------------------------------------------------- */

static NpSpec *
database_sink (const NpIngest *ingest, const char *id)
{
  NpSpec *influx = np_spec_new ("influx");
  np_spec_set (influx, "url", ingest->endpoint);
  np_spec_set (influx, "bucket", id);
  np_spec_set (influx, "id", id);
  if (ingest->org)
    np_spec_set (influx, "org", ingest->org);
  if (ingest->force)
    np_spec_set (influx, "force", "yes");
  return influx;
}

/* Runs with the messages in a file first, because here it is no error that the profile exists
 * already. */
static int
run_quietly (NpConfig *config, NpCliOptions *o, char **said)
{
  int fd = memfd_create ("log", MFD_CLOEXEC);
  NpLog *log = np_log_new (o->verbosity, fd < 0 ? STDERR_FILENO : fd);
  NpExit code = np_run (config, np_cli_modules (o), log, &np_cli_interrupt);
  np_log_free (log);
  off_t len = fd < 0 ? 0 : lseek (fd, 0, SEEK_END);
  *said = g_malloc0 ((gsize) len + 1);
  if (len > 0 && pread (fd, *said, (gsize) len, 0) < 0)
    **said = '\0';
  if (fd >= 0)
    close (fd);
  return (int) code;
}

/* Writes what was stored: the files of the profile are not read for it once more. */
int
np_ingest_database (const NpIngest *ingest, const NpIngestProfile *profile)
{
  NpCliOptions *o = ingest->options;
  g_autofree char *said = NULL;
  g_autoptr (GPtrArray) stored = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (stored, g_build_filename (ingest->store, profile->id, NULL));
  g_autoptr (NpConfig) config = config_of (ingest, stored);
  g_clear_pointer (&config->decoder, np_spec_free);
  np_add_default_analyzers (config, np_cli_modules (o), NULL);
  g_ptr_array_add (config->sinks, database_sink (ingest, profile->id));
  int code = run_quietly (config, o, &said);
  if (code == NP_EXIT_SINK && strstr (said, "exists already"))
    return NP_EXIT_OK;
  g_printerr ("%s", said);
  g_autofree char *advice = code == NP_EXIT_SINK ? np_database_advice (said) : NULL;
  if (advice)
    g_printerr ("%s", advice);
  return code;
}
