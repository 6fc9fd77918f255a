/* SPDX-License-Identifier: Apache-2.0 */
/* embed.c - libnprof's own calls: a request becomes a run on a thread, whose rows and tables the
 * program takes one by one.  The sink at its end is reader.c's, Arrow is arrow-stream.c's. */

#include "embed/embed.h"
#include "arrow/rows.h"
#include "base/install-paths.h"
#include "base/parse-time.h"
#include "base/thread.h"
#include "pipeline/run.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ITEMS_AHEAD 4

const char *
nprof_version (void)
{
  return NPROF_VERSION;
}

/* -- The request ----------------------------------------------------------- */

static GPtrArray *
copy_list (const char *const *texts)
{
  if (!texts)
    return NULL;
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  for (; *texts; texts++)
    g_ptr_array_add (list, g_strdup (*texts));
  return list;
}

static gboolean
read_alternative (NpSelection *s, const struct nprof_request *r, GError **error)
{
  s->tracks = copy_list (r->tracks);
  s->names = copy_list (r->names);
  s->where = copy_list (r->where);
  return !r->step || np_parse_steps (r->step, s, error);
}

/* Reads what stands behind an --or of the command line; each is as large as its program knows. */
static gboolean
read_others (NpSelection *s, const struct nprof_request *const *others, GError **error)
{
  for (; others && *others; others++) {
    struct nprof_request r = { 0 };
    NpSelection *one = g_new0 (NpSelection, 1);
    np_selection_add (s, one);
    memcpy (&r, *others, MIN ((*others)->size, sizeof r));
    if (r.from || r.to || r.others)
      return np_error_set (error, NP_EXIT_USAGE,
                           "others: expected step, tracks, names and where; from and to are those "
                           "of the request itself");
    if (!read_alternative (one, &r, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_selection (NpSelection *s, const struct nprof_request *r, GError **error)
{
  if (r->from && !(s->has_from = np_parse_time (r->from, &s->from, error)))
    return FALSE;
  if (r->to && !(s->has_to = np_parse_time (r->to, &s->to, error)))
    return FALSE;
  return read_others (s, r->others, error) && read_alternative (s, r, error)
         && np_selection_check (s, error);
}

static gboolean
read_request (NpConfig *config, const struct nprof_request *r, GError **error)
{
  config->jobs = MIN (r->jobs, 1024);
  config->keep_going = r->keep_going != 0;
  for (const char *const *input = r->inputs; input && *input; input++)
    g_ptr_array_add (config->inputs, g_strdup (*input));
  if (r->decoder && !(config->decoder = np_spec_parse (r->decoder, error)))
    return FALSE;
  for (const char *const *text = r->analyzers; text && *text; text++) {
    NpSpec *spec = np_spec_parse (*text, error);
    if (!spec)
      return FALSE;
    g_ptr_array_add (config->analyzers, spec);
  }
  return read_selection (&config->selection, r, error)
         && np_config_read_environment (config, error);
}

/* Returns the attributes that are decoded for these columns; NULL: those of all columns. */
static char **
wants_of (const char *const *columns)
{
  GPtrArray *wants = g_ptr_array_new ();
  gboolean all = !columns || g_strv_contains (columns, "attributes");
  if (all)
    g_ptr_array_add (wants, g_strdup ("*"));
  for (; !all && *columns; columns++)
    if (!np_arrow_rows_is_base (*columns))
      g_ptr_array_add (wants, g_strdup (*columns));
  g_ptr_array_add (wants, NULL);
  return (char **) g_ptr_array_free (wants, FALSE);
}

/* -- The thread ------------------------------------------------------------ */

static void
end_run (nprof_run *run, NpExit status)
{
  pthread_mutex_lock (&run->lock);
  run->status = status;
  run->ended = TRUE;
  pthread_cond_broadcast (&run->changed);
  pthread_mutex_unlock (&run->lock);
  np_queue_close (run->queue);
}

static void *
run_main (void *user)
{
  nprof_run *run = user;
  g_autofree char *installed = np_installed_plugins ();
  run->registry = np_registry_new (installed);
  end_run (run, np_run (run->config, run->registry, run->log, &run->interrupt));
  return NULL;
}

/* Returns whether this process is a fork of the one that opened the run.  The thread stayed there:
 * nothing that it would do may be waited for. */
static gboolean
forked (const nprof_run *run)
{
  return run->pid != getpid ();
}

/* Lets the run end: the program holds no batch, and asks for none. */
static void
let_go (nprof_run *run)
{
  g_clear_pointer (&run->item, np_item_free);
  for (NpItem *item; (item = np_queue_pop (run->queue));)
    np_item_free (item);
  pthread_mutex_lock (&run->lock);
  run->drained = TRUE;
  pthread_cond_broadcast (&run->changed);
  pthread_mutex_unlock (&run->lock);
}

static void
run_free (nprof_run *run)
{
  np_queue_free (run->queue);
  np_table_store_free (run->kept);
  np_registry_free (run->registry);
  np_log_free (run->log);
  np_config_free (run->config);
  g_string_free (run->messages, TRUE);
  g_strfreev (run->columns);
  g_strfreev (run->wants);
  pthread_cond_destroy (&run->changed);
  pthread_mutex_destroy (&run->lock);
  if (run->log_fd >= 0)
    close (run->log_fd);
  g_free (run);
}

static nprof_run *
run_new (int level)
{
  nprof_run *run = g_new0 (nprof_run, 1);
  run->pid = getpid ();
  run->config = np_config_new ();
  run->log_fd = memfd_create ("nprof-log", MFD_CLOEXEC);
  run->log = np_log_new (CLAMP (level, NPROF_ERROR, NPROF_DEBUG), run->log_fd);
  run->messages = g_string_new (NULL);
  run->queue = np_queue_new (ITEMS_AHEAD, (GDestroyNotify) np_item_free);
  pthread_mutex_init (&run->lock, NULL);
  pthread_cond_init (&run->changed, NULL);
  return run;
}

nprof_run *
nprof_run_open (const struct nprof_request *given)
{
  struct nprof_request request = { 0 };
  memcpy (&request, given, MIN (given->size, sizeof request));
  nprof_run *run = run_new ((int) request.log_level);
  g_autoptr (GError) error = NULL;
  gboolean ok = read_request (run->config, &request, &error);
  if (!ok) {
    np_log (run->log, NPROF_ERROR, "%s", error->message);
    end_run (run, (NpExit) error->code);
    return run;
  }
  run->columns = g_strdupv ((char **) request.columns);
  run->wants = wants_of (request.columns);
  run->array_rows = request.array_rows;
  run->kept = request.keep_tables ? np_table_store_new (NULL) : NULL;
  np_reader_attach (run);
  if (np_thread_begin (&run->thread, run_main, run))
    return run;
  run_free (run);
  return NULL;
}

/* -- Looking --------------------------------------------------------------- */

static void
show_item (const NpItem *item, struct nprof_run_item *out)
{
  struct nprof_run_item shown = { .size = out->size };
  if (item->kind == NP_ITEM_BATCH) {
    shown.batch = &item->batch->view;
  } else {
    shown.table = item->chunk->table;
    shown.cells = item->chunk->cells;
    shown.n_rows = item->chunk->n_rows;
  }
  memcpy (out, &shown, MIN (out->size, sizeof shown));
}

int
nprof_run_next (nprof_run *run, struct nprof_run_item *out)
{
  if (forked (run))
    return -1;
  g_clear_pointer (&run->item, np_item_free);
  run->item = np_queue_pop (run->queue);
  if (run->item) {
    show_item (run->item, out);
    return 1;
  }
  pthread_mutex_lock (&run->lock);
  gboolean finished = run->finished;
  pthread_mutex_unlock (&run->lock);
  run->complete = finished;
  if (finished)
    return 0;
  let_go (run);
  pthread_mutex_lock (&run->lock);
  while (!run->ended) /* what went wrong is said at its end */
    pthread_cond_wait (&run->changed, &run->lock);
  pthread_mutex_unlock (&run->lock);
  return -1;
}

const struct nprof_host *
np_run_wait_host (nprof_run *run)
{
  pthread_mutex_lock (&run->lock);
  while (!run->host && !run->ended)
    pthread_cond_wait (&run->changed, &run->lock);
  const struct nprof_host *host = run->host;
  pthread_mutex_unlock (&run->lock);
  return host;
}

/* Returns NULL before the first rows, and after the end of a run that failed. */
static const struct nprof_host *
host_of (nprof_run *run)
{
  pthread_mutex_lock (&run->lock);
  const struct nprof_host *host = run->host;
  pthread_mutex_unlock (&run->lock);
  return host;
}

const char *
nprof_run_string (nprof_run *run, nprof_str str, size_t *len)
{
  size_t unused;
  const struct nprof_host *host = host_of (run);
  if (host)
    return host->string (host, str, len ? len : &unused);
  if (len)
    *len = 0;
  return NULL;
}

const struct nprof_track_info *
nprof_run_track (nprof_run *run, nprof_track track)
{
  const struct nprof_host *host = host_of (run);
  return host ? host->track_info (host, track) : NULL;
}

const struct nprof_input_info *
nprof_run_input (nprof_run *run, uint32_t number)
{
  const struct nprof_host *host = host_of (run);
  return host ? host->input (host, number) : NULL;
}

const struct nprof_attrs *
nprof_run_attrs (nprof_run *run, nprof_set set)
{
  const struct nprof_host *host = host_of (run);
  return host ? host->attr_set (host, set) : NULL;
}

const struct nprof_run_info *
nprof_run_about (nprof_run *run)
{
  const struct nprof_host *host = host_of (run);
  return host ? host->run (host) : NULL;
}

const struct nprof_column *const *
nprof_run_columns (nprof_run *run)
{
  const struct nprof_host *host = host_of (run);
  return host ? host->columns (host) : NULL;
}

const char *
nprof_run_messages (nprof_run *run)
{
  struct stat st;
  g_string_truncate (run->messages, 0);
  if (run->log_fd < 0 || fstat (run->log_fd, &st) || st.st_size <= 0)
    return run->messages->str;
  g_string_set_size (run->messages, (gsize) st.st_size);
  ssize_t n = pread (run->log_fd, run->messages->str, (size_t) st.st_size, 0);
  g_string_truncate (run->messages, (gsize) MAX (n, 0));
  return run->messages->str;
}

int
nprof_run_close (nprof_run *run)
{
  if (!run)
    return NP_EXIT_OK;
  if (forked (run)) /* its memory goes with the child */
    return NP_EXIT_INTERRUPTED;
  pthread_mutex_lock (&run->lock);
  if (!run->finished && !run->ended)
    atomic_store (&run->interrupt, NP_EXIT_INTERRUPTED);
  pthread_mutex_unlock (&run->lock);
  np_queue_close (run->queue);
  let_go (run);
  if (run->thread)
    pthread_join (run->thread, NULL);
  int status = (int) run->status;
  run_free (run);
  return status;
}
