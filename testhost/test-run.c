/* SPDX-License-Identifier: Apache-2.0 */
/* test-run.c - makes and ends a test run, and keeps what is said in it; host.c has the calls that a
 * component may make. */

#include "test-run.h"
#include "base/install-paths.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_BROKEN 50u

/* -- Shared ---------------------------------------------------------------- */

static Shared *
shared_new (const NprofTestConfig *config, const struct nprof_component *component)
{
  Shared *shared = g_new0 (Shared, 1);
  shared->refs = 1;
  shared->strings = np_strings_new ();
  shared->tracks = np_tracks_new ();
  shared->sets = np_attrsets_new ();
  guint rows = config->rows ? config->rows : NP_BATCH_ROWS;
  shared->pool = np_pool_new (rows, 4);
  if (config->guarded)
    np_pool_guard (shared->pool);
  shared->columns = np_columns_new (shared->strings);
  np_columns_declare (shared->columns, config->attributes);
  np_columns_declare (shared->columns, component->attributes);
  static const char *const all[] = { "*", NULL };
  static const char *const no_properties[] = { NULL };
  np_columns_want (shared->columns, config->wanted ? config->wanted : all);
  np_columns_want_of_rows (shared->columns, config->row_wants);
  shared->device_rates = np_device_rates_new ();
  shared->log = np_log_new (NPROF_ERROR, STDERR_FILENO);
  shared->facts = np_facts_new (shared->strings, shared->tracks, shared->log);

  if (component->kind == NPROF_DECODER) /* so that a number that is guessed is another input's */
    np_tracks_root (shared->tracks, 1, np_strings_intern (shared->strings, "another input", 13));
  const char *label = config->label ? config->label : "input";
  nprof_str name = np_strings_intern (shared->strings, label, strlen (label));
  shared->input = (struct nprof_input_info){
    .size = sizeof shared->input,
    .root = np_tracks_root (shared->tracks, 0, name),
    .label = name,
    .properties = config->properties ? config->properties : no_properties,
    .decoder = component->kind == NPROF_DECODER ? component->name : "test",
  };
  shared->info = (struct nprof_run_info){
    .size = sizeof shared->info,
    .n_inputs = 1,
    .generator = "nprof test",
    .jobs = config->threads ? config->threads : 1,
    .model = NPROF_MODEL,
    .origin_unix_ns = config->origin ? config->origin : NPROF_NO_EPOCH,
    .first = G_MAXINT64,
    .last = G_MININT64,
  };
  return shared;
}

static void
shared_unref (Shared *shared)
{
  if (--shared->refs)
    return;
  np_columns_free (shared->columns);
  np_facts_free (shared->facts);
  np_device_rates_free (shared->device_rates);
  np_log_free (shared->log);
  if (np_pool_out (shared->pool) == 0) /* else the component still holds some, which was said */
    np_pool_free (shared->pool);
  np_attrsets_free (shared->sets);
  np_tracks_free (shared->tracks);
  np_strings_free (shared->strings);
  g_free (shared);
}

/* -- Life ------------------------------------------------------------------ */

static void
rows_free (gpointer p)
{
  Rows *rows = p;
  g_ptr_array_unref (rows->cells);
  g_free (rows);
}

/* Makes an instance of the options as people type them, in cleared memory of exactly
 * instance_size. */
static void
make_instance (NprofTestState *test, const char *options)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strdup_printf ("%s%s%s", test->component.name,
                                           options && *options ? ":" : "", options ? options : "");
  g_autoptr (NpSpec) spec = np_spec_parse (text, &error);
  test->self = calloc (1, test->component.instance_size);
  test->option_text = g_string_chunk_new (256);
  if (!spec || !np_options_apply (&test->component, spec, test->self, test->option_text, &error)) {
    test->run.usage = state_text (test, error->message, strlen (error->message));
    test->run.status = NPROF_E_OPTION;
  }
}

NprofTestState *
state_new (const struct nprof_component *component, const char *options,
           const NprofTestConfig *config)
{
  static const NprofTestConfig usual;
  NprofTestState *test = g_new0 (NprofTestState, 1);
  test->config = config ? *config : usual;
  config = &test->config;
  test->run.test = test;
  test->run.origin = NPROF_NO_EPOCH;
  memcpy (&test->component, component, MIN (component->size, sizeof *component));
  test->shared = config->into ? config->into->test->shared : shared_new (config, component);
  if (config->into)
    test->shared->refs++;
  pthread_mutex_init (&test->lock, NULL);
  test->skipped = g_array_new (FALSE, FALSE, sizeof (NprofTestLoss));
  test->damage = g_array_new (FALSE, FALSE, sizeof (NprofTestLoss));
  test->log = g_ptr_array_new ();
  test->broken = g_ptr_array_new ();
  test->properties = g_ptr_array_new ();
  test->rows = g_array_new (FALSE, FALSE, sizeof (NprofTestRow));
  test->shown = g_array_new (FALSE, FALSE, sizeof (NprofTestTable));
  test->tables = g_ptr_array_new_with_free_func (rows_free);
  test->paths = g_ptr_array_new_with_free_func (g_free);
  files_init (test);
  test->data_folder = config->data_folder ? g_strdup (config->data_folder) : np_data_folder ();
  make_instance (test, options);
  test->host = host_new (test, FALSE, FALSE);
  return test;
}

void
nprof_test_run_free (NprofTestRun *run)
{
  if (!run)
    return;
  NprofTestState *test = run->test;
  state_close (test);
  host_free (test->host);
  host_free (test->feed);
  np_sorter_free (test->order);
  free (test->self);
  g_string_chunk_free (test->option_text);
  g_array_unref (test->skipped);
  g_array_unref (test->damage);
  g_ptr_array_unref (test->log);
  g_ptr_array_unref (test->broken);
  g_ptr_array_unref (test->properties);
  g_array_unref (test->rows);
  g_array_unref (test->shown);
  g_ptr_array_unref (test->tables);
  g_clear_pointer (&test->declared, np_declared_free);
  g_ptr_array_unref (test->paths);
  files_free (test);
  g_free (test->data_folder);
  np_arena_clear (&test->text);
  pthread_mutex_destroy (&test->lock);
  shared_unref (test->shared);
  g_free (test);
}

nprof_status
state_open (NprofTestState *test)
{
  if (test->run.status)
    return test->run.status;
  test->opened = test->opening = TRUE;
  nprof_status status = NPROF_OK;
  if (test->component.open)
    status = CALL (test, test->host, "open", test->component.open (test->self, &test->host->host));
  test->opening = FALSE;
  return state_returned (test, test->host, "open", status);
}

/* Calls close once, whenever open was called. */
void
state_close (NprofTestState *test)
{
  if (test->opened && test->component.close) {
    call_begin (test, test->host, "close");
    test->component.close (test->self);
    call_end (test, test->host, NPROF_OK);
  }
  if (test->opened && test->batches_held > 0)
    state_broke (test, "%d batches are still held after close: batch_unref was not called",
                 test->batches_held);
  test->opened = FALSE;
}

/* -- What is said ---------------------------------------------------------- */

static const char *
keep_text (NprofTestState *test, const char *text, gsize len)
{
  char *copy = np_arena_alloc (&test->text, len + 1);
  g_assert_nonnull (copy);
  memcpy (copy, text, len);
  copy[len] = '\0';
  return copy;
}

const char *
state_text (NprofTestState *test, const char *text, gsize len)
{
  pthread_mutex_lock (&test->lock);
  const char *copy = keep_text (test, text, len);
  pthread_mutex_unlock (&test->lock);
  return copy;
}

void
state_say (NprofTestState *test, GPtrArray *list, char *line)
{
  pthread_mutex_lock (&test->lock);
  g_ptr_array_add (list, (gpointer) keep_text (test, line, strlen (line)));
  pthread_mutex_unlock (&test->lock);
  g_free (line);
}

void
state_broke (NprofTestState *test, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *said = g_strdup_vprintf (format, args);
  va_end (args);
  const char *call = call_now (test);
  g_autofree char *line = call && !strstr (said, call) ? g_strdup_printf ("%s, in %s", said, call)
                                                       : g_steal_pointer (&said);
  pthread_mutex_lock (&test->lock);
  GPtrArray *broken = test->broken;
  if (broken->len < MOST_BROKEN
      && !g_ptr_array_find_with_equal_func (broken, line, g_str_equal, NULL))
    g_ptr_array_add (broken, (gpointer) keep_text (test, line, strlen (line)));
  pthread_mutex_unlock (&test->lock);
}

nprof_status
state_returned (NprofTestState *test, Host *host, const char *call, nprof_status status)
{
  if (status > NPROF_OK || status < NPROF_CANCELLED)
    state_broke (test, "%s returned %d, which is no status", call, status);
  if (status == NPROF_OK && host->refused)
    state_broke (test, "%s returned NPROF_OK although a call of the host had returned %d", call,
                 host->refused);
  if (host->refused == NPROF_CANCELLED && status && status != NPROF_CANCELLED)
    state_broke (test, "%s returned %d although the run was cancelled", call, status);
  if (status == NPROF_CANCELLED && host->refused != NPROF_CANCELLED)
    state_broke (test, "%s returned NPROF_CANCELLED, but nobody cancelled", call);
  if (status && !host->refused && !host->said)
    state_broke (test, "%s failed with %d and did not say why (host->fail)", call, status);
  if (status && !test->run.status)
    test->run.status = status;
  return status;
}

static int
compare_losses (gconstpointer pa, gconstpointer pb)
{
  const NprofTestLoss *a = pa, *b = pb;
  int order = strcmp (a->what, b->what);
  return order ? order : g_strcmp0 (a->reason, b->reason);
}

static void
show_tables (NprofTestState *test)
{
  g_array_set_size (test->shown, 0);
  for (guint i = 0; i < test->tables->len; i++) {
    Rows *rows = g_ptr_array_index (test->tables, i);
    guint columns = np_table_columns (rows->table);
    NprofTestTable table
        = { rows->table, rows->cells->len / columns, columns, (const char **) rows->cells->pdata };
    g_array_append_val (test->shown, table);
  }
}

void
state_publish (NprofTestState *test)
{
  NprofTestRun *run = &test->run;
  g_array_sort (test->skipped, compare_losses);
  show_tables (test);
  run->rows = (const NprofTestRow *) (void *) test->rows->data;
  run->n_rows = test->rows->len;
  run->tables = (const NprofTestTable *) (void *) test->shown->data;
  run->n_tables = test->shown->len;
  run->skipped = (const NprofTestLoss *) (void *) test->skipped->data;
  run->n_skipped = test->skipped->len;
  run->damage = (const NprofTestLoss *) (void *) test->damage->data;
  run->n_damage = test->damage->len;
  run->log = (const char *const *) test->log->pdata;
  run->n_log = test->log->len;
  run->broken = (const char *const *) test->broken->pdata;
  run->n_broken = test->broken->len;
  run->properties = (const char *const *) test->properties->pdata;
  run->n_properties = test->properties->len / 2;
}
