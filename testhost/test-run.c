/* SPDX-License-Identifier: Apache-2.0 */
/* test-run.c - makes and ends a test run, and keeps what is said in it; the calls that a
 * component may make are in host.c. */

#include "test-run.h"
#include "base/install-paths.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BROKEN 50u

/* -- Shared ---------------------------------------------------------------- */

static Shared *
shared_new (const NpTestConfig *config, const struct nprof_component *component)
{
  Shared *shared = g_new0 (Shared, 1);
  shared->refs = 1;
  shared->strings = np_strings_new ();
  shared->tracks = np_tracks_new ();
  shared->sets = np_attrsets_new ();
  guint rows = config->rows ? config->rows : NP_BATCH_ROWS;
  shared->pool = config->guarded ? np_pool_new_guarded (rows) : np_pool_new (rows, 4);
  shared->columns = np_columns_new (shared->strings);
  np_columns_declare (shared->columns, config->attributes);
  np_columns_declare (shared->columns, component->attributes);
  static const char *const all[] = { "*", NULL };
  static const char *const no_properties[] = { NULL };
  np_columns_want (shared->columns, config->wanted ? config->wanted : all);

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

/* The options as people type them, into cleared memory of exactly instance_size. */
static void
make_instance (NpTestWorld *world, const char *options)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strdup_printf ("%s%s%s", world->component.name,
                                           options && *options ? ":" : "", options ? options : "");
  g_autoptr (NpSpec) spec = np_spec_parse (text, &error);
  world->self = calloc (1, world->component.instance_size);
  world->option_text = g_string_chunk_new (256);
  if (!spec
      || !np_options_apply (&world->component, spec, world->self, world->option_text, &error)) {
    world->run.usage = world_text (world, error->message, strlen (error->message));
    world->run.status = NPROF_E_OPTION;
  }
}

NpTestWorld *
world_new (const struct nprof_component *component, const char *options, const NpTestConfig *config)
{
  static const NpTestConfig usual;
  NpTestWorld *world = g_new0 (NpTestWorld, 1);
  world->config = config ? *config : usual;
  config = &world->config;
  world->run.world = world;
  world->run.origin = NPROF_NO_EPOCH;
  memcpy (&world->component, component, MIN (component->size, sizeof *component));
  world->shared = config->into ? config->into->world->shared : shared_new (config, component);
  if (config->into)
    world->shared->refs++;
  pthread_mutex_init (&world->lock, NULL);
  world->skipped = g_array_new (FALSE, FALSE, sizeof (NpTestLoss));
  world->damage = g_array_new (FALSE, FALSE, sizeof (NpTestLoss));
  world->log = g_ptr_array_new ();
  world->broken = g_ptr_array_new ();
  world->properties = g_ptr_array_new ();
  world->rows = g_array_new (FALSE, FALSE, sizeof (NpTestRow));
  world->shown = g_array_new (FALSE, FALSE, sizeof (NpTestTable));
  world->tables = g_ptr_array_new_with_free_func (rows_free);
  world->paths = g_ptr_array_new_with_free_func (g_free);
  files_init (world);
  world->data_folder = config->data_folder ? g_strdup (config->data_folder) : np_data_folder ();
  make_instance (world, options);
  world->host = host_new (world, FALSE, FALSE);
  return world;
}

void
np_test_run_free (NpTestRun *run)
{
  if (!run)
    return;
  NpTestWorld *world = run->world;
  world_close (world);
  host_free (world->host);
  host_free (world->feed);
  np_sorter_free (world->order);
  free (world->self);
  g_string_chunk_free (world->option_text);
  g_array_unref (world->skipped);
  g_array_unref (world->damage);
  g_ptr_array_unref (world->log);
  g_ptr_array_unref (world->broken);
  g_ptr_array_unref (world->properties);
  g_array_unref (world->rows);
  g_array_unref (world->shown);
  g_ptr_array_unref (world->tables);
  g_clear_pointer (&world->declared, np_declared_free);
  g_ptr_array_unref (world->paths);
  files_free (world);
  g_free (world->data_folder);
  np_arena_clear (&world->text);
  pthread_mutex_destroy (&world->lock);
  shared_unref (world->shared);
  g_free (world);
}

nprof_status
world_open (NpTestWorld *world)
{
  if (world->run.status)
    return world->run.status;
  world->opened = world->opening = TRUE;
  nprof_status status = NPROF_OK;
  if (world->component.open)
    status = CALL (world, world->host, "open",
                   world->component.open (world->self, &world->host->host));
  world->opening = FALSE;
  return world_returned (world, world->host, "open", status);
}

/* Once, whenever open was called. */
void
world_close (NpTestWorld *world)
{
  if (world->opened && world->component.close) {
    call_begin (world, world->host, "close");
    world->component.close (world->self);
    call_end (world, world->host, NPROF_OK);
  }
  if (world->opened && world->batches_held > 0)
    world_broke (world, "%d batches are still held after close: batch_unref was not called",
                 world->batches_held);
  world->opened = FALSE;
}

/* -- What is said ---------------------------------------------------------- */

static const char *
keep (NpTestWorld *world, const char *text, gsize len)
{
  char *copy = np_arena_alloc (&world->text, len + 1);
  g_assert_nonnull (copy);
  memcpy (copy, text, len);
  copy[len] = '\0';
  return copy;
}

const char *
world_text (NpTestWorld *world, const char *text, gsize len)
{
  pthread_mutex_lock (&world->lock);
  const char *copy = keep (world, text, len);
  pthread_mutex_unlock (&world->lock);
  return copy;
}

void
world_say (NpTestWorld *world, GPtrArray *list, char *line)
{
  pthread_mutex_lock (&world->lock);
  g_ptr_array_add (list, (gpointer) keep (world, line, strlen (line)));
  pthread_mutex_unlock (&world->lock);
  g_free (line);
}

void
world_broke (NpTestWorld *world, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *line = g_strdup_vprintf (format, args);
  va_end (args);
  pthread_mutex_lock (&world->lock);
  GPtrArray *broken = world->broken;
  if (broken->len < MOST_BROKEN
      && !g_ptr_array_find_with_equal_func (broken, line, g_str_equal, NULL))
    g_ptr_array_add (broken, (gpointer) keep (world, line, strlen (line)));
  pthread_mutex_unlock (&world->lock);
}

nprof_status
world_returned (NpTestWorld *world, Host *host, const char *call, nprof_status status)
{
  if (status > NPROF_OK || status < NPROF_CANCELLED)
    world_broke (world, "%s returned %d, which is no status", call, status);
  if (status == NPROF_OK && host->refused)
    world_broke (world, "%s returned NPROF_OK although a call of the host had returned %d", call,
                 host->refused);
  if (host->refused == NPROF_CANCELLED && status && status != NPROF_CANCELLED)
    world_broke (world, "%s returned %d although the run was cancelled", call, status);
  if (status == NPROF_CANCELLED && host->refused != NPROF_CANCELLED)
    world_broke (world, "%s returned NPROF_CANCELLED, but nobody cancelled", call);
  if (status && !host->refused && !host->said)
    world_broke (world, "%s failed with %d and did not say why (host->fail)", call, status);
  if (status && !world->run.status)
    world->run.status = status;
  return status;
}

static int
compare_losses (gconstpointer pa, gconstpointer pb)
{
  const NpTestLoss *a = pa, *b = pb;
  int order = strcmp (a->what, b->what);
  return order ? order : g_strcmp0 (a->reason, b->reason);
}

static void
show_tables (NpTestWorld *world)
{
  g_array_set_size (world->shown, 0);
  for (guint i = 0; i < world->tables->len; i++) {
    Rows *rows = g_ptr_array_index (world->tables, i);
    guint columns = np_table_columns (rows->table);
    NpTestTable table
        = { rows->table, rows->cells->len / columns, columns, (const char **) rows->cells->pdata };
    g_array_append_val (world->shown, table);
  }
}

void
world_publish (NpTestWorld *world)
{
  NpTestRun *run = &world->run;
  g_array_sort (world->skipped, compare_losses);
  show_tables (world);
  run->rows = (const NpTestRow *) (void *) world->rows->data;
  run->n_rows = world->rows->len;
  run->tables = (const NpTestTable *) (void *) world->shown->data;
  run->n_tables = world->shown->len;
  run->skipped = (const NpTestLoss *) (void *) world->skipped->data;
  run->n_skipped = world->skipped->len;
  run->damage = (const NpTestLoss *) (void *) world->damage->data;
  run->n_damage = world->damage->len;
  run->log = (const char *const *) world->log->pdata;
  run->n_log = world->log->len;
  run->broken = (const char *const *) world->broken->pdata;
  run->n_broken = world->broken->len;
  run->properties = (const char *const *) world->properties->pdata;
  run->n_properties = world->properties->len / 2;
}
