/* SPDX-License-Identifier: Apache-2.0 */
/* analyze.c - runs analyzers over a part of a stored profile, on a thread that ends when nobody
 * waits for it any more. */
#include "stored/analyze.h"

#include "base/thread.h"
#include "base/wait.h"
#include "console/collect.h"
#include "console/default-analyzers.h"
#include "pipeline/run.h"
#include "stored/child.h"
#include "stored/only-profile.h"
#include "stored/remove.h"
#include "stored/stored-table.h"

#include <nprof/store-reader.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LOOK_US 50000 /* how often it is asked whether to stop */

NpAnalysis *
np_analysis_new (NpRegistry *registry, const char *profile)
{
  NpAnalysis *a = g_new0 (NpAnalysis, 1);
  a->registry = registry;
  a->profile = g_strdup (profile);
  a->analyzers = g_ptr_array_new_with_free_func (g_free);
  return a;
}

void
np_analysis_free (NpAnalysis *a)
{
  if (!a)
    return;
  np_selection_clear (&a->selection);
  g_ptr_array_unref (a->analyzers);
  g_clear_pointer (&a->tables, g_ptr_array_unref);
  g_free (a->profile);
  g_free (a);
}

void
np_analysis_clip (NpAnalysis *a, gint64 from, gint64 to)
{
  NpSelection *s = &a->selection;
  s->has_from = s->has_to = s->clip = TRUE;
  s->from = from;
  s->to = to;
}

/* Returns what the run is asked to do; NULL with an error.  The selection is the run's then. */
static NpConfig *
config_of (NpAnalysis *a, GError **error)
{
  g_autoptr (NpConfig) config = np_config_new ();
  config->decoder = np_spec_new ("store");
  config->selection = a->selection;
  a->selection = (NpSelection){ 0 };
  g_ptr_array_add (config->inputs, g_strdup (a->profile));
  for (guint i = 0; i < a->analyzers->len; i++) {
    NpSpec *spec = np_spec_parse (a->analyzers->pdata[i], error);
    if (!spec)
      return NULL;
    g_ptr_array_add (config->analyzers, spec);
  }
  if (!a->alone)
    np_add_default_analyzers (config, a->registry, NULL);
  return np_config_read_environment (config, error) ? g_steal_pointer (&config) : NULL;
}

/* -- In this process --------------------------------------------------------------------------- */

typedef struct {
  NpConfig *config;
  NpRegistry *registry;
  NpLog *log;
  atomic_int interrupt;
  pthread_mutex_t lock;
  pthread_cond_t ended;
  gboolean done;
  int status;
} Run;

static void *
run_main (void *user)
{
  Run *run = user;
  int status = (int) np_run (run->config, run->registry, run->log, &run->interrupt);
  pthread_mutex_lock (&run->lock);
  run->status = status;
  run->done = TRUE;
  pthread_cond_broadcast (&run->ended);
  pthread_mutex_unlock (&run->lock);
  return NULL;
}

static void
wait_for (Run *run, gboolean (*stop) (gpointer user), gpointer user)
{
  pthread_mutex_lock (&run->lock);
  while (!run->done) {
    np_cond_wait_until (&run->ended, &run->lock, g_get_monotonic_time () + LOOK_US);
    pthread_mutex_unlock (&run->lock);
    if (stop && stop (user))
      atomic_store (&run->interrupt, NP_EXIT_PIPE);
    pthread_mutex_lock (&run->lock);
  }
  pthread_mutex_unlock (&run->lock);
}

/* Returns what the file holds, transfer full. */
static char *
text_of (int fd)
{
  off_t size = lseek (fd, 0, SEEK_END);
  char *text = g_malloc0 ((gsize) MAX (size, 0) + 1);
  if (size > 0 && pread (fd, text, (gsize) size, 0) != size)
    *text = '\0';
  return text;
}

/* Returns the status of the run; *said: its errors. */
static int
run_here (const NpAnalysis *a, NpConfig *config, gboolean (*stop) (gpointer user), gpointer user,
          char **said)
{
  int fd = memfd_create ("nprof-log", MFD_CLOEXEC);
  Run run = { .config = config, .registry = a->registry, .log = np_log_new (NPROF_ERROR, fd) };
  pthread_t thread;
  pthread_mutex_init (&run.lock, NULL);
  np_cond_init (&run.ended);
  run.status = NP_EXIT_ROOM;
  if (np_thread_begin (&thread, run_main, &run)) {
    wait_for (&run, stop, user);
    pthread_join (thread, NULL);
  }
  pthread_cond_destroy (&run.ended);
  pthread_mutex_destroy (&run.lock);
  np_log_free (run.log);
  *said = text_of (fd);
  if (fd >= 0)
    close (fd);
  return run.status;
}

/* -- In a process of its own ------------------------------------------------------------------- */

/* Returns whether all analyzers are nprof's own. */
static gboolean
is_ours (const NpAnalysis *a, const NpConfig *config)
{
  for (guint i = 0; i < config->analyzers->len; i++) {
    const NpRegistryEntry *entry
        = np_registry_find (a->registry, NPROF_ANALYZER,
                            ((NpSpec *) config->analyzers->pdata[i])->name);
    if (entry && !entry->bundled)
      return FALSE;
  }
  return TRUE;
}

static void
add_option (GPtrArray *words, const char *option, char *value)
{
  g_ptr_array_add (words, g_strdup (option));
  g_ptr_array_add (words, value);
}

/* The option once for each value. `values` may be NULL. */
static void
add_option_each (GPtrArray *words, const char *option, const GPtrArray *values)
{
  for (guint i = 0; values && i < values->len; i++)
    add_option (words, option, g_strdup (values->pdata[i]));
}

/* Adds the options of a command line that selects the same. */
static void
add_selection (GPtrArray *words, const NpSelection *s)
{
  const NpSelection *one;
  if (s->has_from)
    add_option (words, "--from", g_strdup_printf ("%" G_GINT64_FORMAT "ps", s->from));
  if (s->has_to)
    add_option (words, "--to", g_strdup_printf ("%" G_GINT64_FORMAT "ps", s->to));
  if (s->clip)
    g_ptr_array_add (words, g_strdup ("--clip"));
  for (guint i = 0; (one = np_selection_alternative (s, i)); i++) {
    if (i)
      g_ptr_array_add (words, g_strdup ("--or"));
    if (one->has_step)
      add_option (words, "--step",
                  g_strdup_printf ("%" G_GINT64_FORMAT "..%" G_GINT64_FORMAT, one->step_first,
                                   one->step_last));
    add_option_each (words, "--track", one->tracks);
    add_option_each (words, "--where", one->where);
  }
}

char *
np_analysis_key (const NpAnalysis *a)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (words, g_strdup (a->profile));
  g_ptr_array_add (words, g_strdup (a->alone ? "alone" : "report"));
  add_option_each (words, "-a", a->analyzers);
  add_option_each (words, "--only", a->tables);
  add_selection (words, &a->selection);
  g_ptr_array_add (words, NULL);
  return g_strjoinv ("\n", (char **) words->pdata);
}

/* Copies the tables of the one profile in the store; FALSE: there is none that can be read. */
static gboolean
take_stored (NpTableStore *tables, const char *folder)
{
  char why[700];
  struct nprof_query query;
  g_autofree char *name = np_only_profile (folder), *path = g_build_filename (folder, name, NULL);
  struct nprof_store *store = name ? nprof_store_open (path, why, sizeof why) : NULL;
  if (!store)
    return FALSE;
  gboolean good = nprof_query_init (&query, store);
  for (guint32 k = 0; good && k < nprof_store_n (store, NPROF_STORE_S_TABLES); k++) {
    g_autoptr (NpTable) table = np_stored_table_new (store, &query, k);
    if ((good = table != NULL))
      np_table_store_copy (tables, table);
  }
  nprof_query_clear (&query);
  good = good && !nprof_store_damage (store, why, sizeof why);
  nprof_store_close (store);
  return good;
}

/* Returns the analyzer as option -a takes it, with the options that were asked for. */
static const char *
words_of (const NpAnalysis *a, const NpSpec *spec)
{
  const gsize n = strlen (spec->name);
  for (guint i = 0; i < a->analyzers->len; i++) {
    const char *asked = a->analyzers->pdata[i];
    if (!strncmp (asked, spec->name, n) && (!asked[n] || asked[n] == ':'))
      return asked;
  }
  return spec->name;
}

/* Returns the status of a process that stores the part of the profile, with its tables. */
static int
run_apart (const NpAnalysis *a, const NpConfig *config, NpTableStore *tables,
           gboolean (*stop) (gpointer user), gpointer user, char **said)
{
  g_autofree char *folder = g_dir_make_tmp ("nprof-part-XXXXXX", NULL);
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  if (!folder) {
    *said = g_strdup ("nprof: error: set TMPDIR to a folder with room");
    return NP_EXIT_ROOM;
  }
  g_ptr_array_add (words, g_strdup ("run"));
  g_ptr_array_add (words, g_strdup ("--no-progress"));
  add_option (words, "-s", g_strdup_printf ("store:folder=%s,tell=no", folder));
  for (guint i = 0; i < config->analyzers->len; i++) /* in the order of the run */
    add_option (words, "-a", g_strdup (words_of (a, config->analyzers->pdata[i])));
  add_selection (words, &config->selection);
  add_option (words, "--", g_strdup (a->profile));
  g_ptr_array_add (words, NULL);
  int status = np_child_run ((const char *const *) words->pdata, NULL, NULL, said, stop, user);
  if ((status == NP_EXIT_OK || status == NP_EXIT_LOSSES) && !take_stored (tables, folder))
    status = NP_EXIT_ROOM;
  np_remove_folder (folder);
  return status;
}

NpTableStore *
np_analyze (NpAnalysis *a, gboolean (*stop) (gpointer user), gpointer user, int *status,
            char **said)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NpConfig) config = config_of (a, &error);
  g_auto (NpCollected) collected = { 0 };
  if (!config) {
    *status = error->code;
    *said = g_strdup_printf ("nprof: error: %s", error->message);
    return NULL;
  }
  g_autofree const char **names = a->tables ? g_new0 (const char *, a->tables->len + 1) : NULL;
  for (guint i = 0; names && i < a->tables->len; i++)
    names[i] = a->tables->pdata[i];
  np_collect (&collected, names, config);
  *status = a->apart || !is_ours (a, config)
                ? run_apart (a, config, collected.tables, stop, user, said)
                : run_here (a, config, stop, user, said);
  return *status == NP_EXIT_OK || *status == NP_EXIT_LOSSES ? g_steal_pointer (&collected.tables)
                                                            : NULL;
}
