/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - the sink of a run inside of another program: it queues what comes, and stays until the
 * program lets go, because strings and tracks live as long as the run. */

#include "embed/embed.h"

#include <nprof/sdk.h>

typedef struct {
  nprof_run *run;
} Reader;

static nprof_status
reader_open (void *self, const struct nprof_host *host)
{
  Reader *reader = self;
  nprof_run *run = reader->run = (nprof_run *) host->extension (host, NP_CALLER);
  pthread_mutex_lock (&run->lock);
  run->host = host;
  pthread_cond_broadcast (&run->changed);
  pthread_mutex_unlock (&run->lock);
  return NPROF_OK;
}

/* Takes the item.  The program may have closed the run meanwhile. */
static nprof_status
push (nprof_run *run, NpItem *item)
{
  if (np_queue_push (run->queue, item))
    return NPROF_OK;
  np_item_free (item);
  return NPROF_CANCELLED;
}

static nprof_status
reader_consume (void *self, const struct nprof_batch *batch)
{
  return push (((Reader *) self)->run, np_item_batch (np_batch_ref (np_batch_of (batch))));
}

/* The cells are only lent, so a copy is queued. */
static nprof_status
reader_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
              uint32_t n_rows)
{
  nprof_run *run = ((Reader *) self)->run;
  if (run->kept)
    np_table_store_add (run->kept, run->host, table, cells, n_rows);
  NpChunk *chunk = np_chunk_new (table);
  guint n_columns = np_table_columns (table);
  for (uint32_t i = 0; i < n_rows; i++) {
    g_autofree char *problem = NULL;
    nprof_status status = np_chunk_add (chunk, cells + (gsize) i * n_columns, &problem);
    if (status) {
      np_chunk_unref (chunk);
      return nprof_fail (run->host, status, "%s", problem ? problem : "no memory for rows");
    }
  }
  np_chunk_seal (chunk);
  return push (run, np_item_chunk (chunk));
}

/* Says that no more rows come, and waits until the program holds no batch any more and, after a run
 * that went well, needs no handle. */
static void
wait_for_program (nprof_run *run, gboolean finished)
{
  pthread_mutex_lock (&run->lock);
  run->finished = finished; /* before the program can see that the queue is closed */
  pthread_mutex_unlock (&run->lock);
  np_queue_close (run->queue);
  pthread_mutex_lock (&run->lock);
  while (!run->drained)
    pthread_cond_wait (&run->changed, &run->lock);
  run->host = NULL;
  pthread_mutex_unlock (&run->lock);
}

static nprof_status
reader_finish (void *self)
{
  wait_for_program (((Reader *) self)->run, TRUE);
  return NPROF_OK;
}

static void
reader_abort (void *self)
{
  wait_for_program (((Reader *) self)->run, FALSE);
}

static const struct nprof_component reader_component = {
  .size = sizeof reader_component,
  .kind = NPROF_SINK,
  .name = "reader",
  .summary = "hands rows and tables to the program that asked for them",
  .instance_size = sizeof (Reader),
  .open = reader_open,
  .consume = reader_consume,
  .table = reader_table,
  .finish = reader_finish,
  .abort = reader_abort,
};

void
np_reader_attach (nprof_run *run)
{
  run->reader = reader_component;
  run->reader.wants = (const char *const *) run->wants;
  np_config_add_own (run->config, &run->reader, run);
}
