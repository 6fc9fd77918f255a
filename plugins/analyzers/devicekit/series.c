/* SPDX-License-Identifier: Apache-2.0 */
/* series.c - keeps chunks in memory, and in a file once there are too many. */
#include "devicekit/series.h"

#include "system/room.h"

#include <errno.h>
#include <nprof/sdk.h>

enum { FIRST = 64, CHUNK_BYTES = 64 << 10 };

typedef struct {
  guint8 *data; /* NULL: in the file */
  guint64 at;   /* there             */
  guint n;      /* records           */
} AnChunk;

/* -- The file --------------------------------------------------------------------------------- */

void
an_store_init (AnStore *store, const struct nprof_host *host, gsize limit)
{
  *store = (AnStore){ .host = host, .limit = limit };
  g_mutex_init (&store->lock);
}

void
an_store_clear (AnStore *store)
{
  if (store->temp)
    store->temp->close (store->temp);
  store->temp = NULL;
  g_mutex_clear (&store->lock);
}

/* Returns whether something failed, and remembers `err` if it is the first. */
static gboolean
has_failed (AnStore *store, int err)
{
  if (err)
    g_atomic_int_compare_and_exchange (&store->failed, 0, err);
  return g_atomic_int_get (&store->failed) != 0;
}

nprof_status
an_store_check (const AnStore *store)
{
  if (!store->failed)
    return NPROF_OK;
  if (store->failed == ENOMEM)
    return nprof_fail (store->host, NPROF_E_NOMEM, "no memory for what devices did in steps");
  return nprof_fail (store->host, np_temp_status (store->failed),
                     "%s: cannot keep what devices did in a temporary file: %s: set TMPDIR to a "
                     "folder that has room",
                     store->temp ? store->temp->folder : "$TMPDIR", g_strerror (store->failed));
}

static void
write_chunk (AnStore *store, AnChunk *chunk, gsize len)
{
  if (!store->temp && !store->failed)
    store->temp = nprof_temp_file (store->host);
  if (!store->temp)
    has_failed (store, ENOMEM);
  else if (!has_failed (store, 0))
    has_failed (store, store->temp->write (store->temp, store->size, chunk->data, len));
  chunk->at = store->size;
  store->size += len;
  g_clear_pointer (&chunk->data, g_free);
}

static void
read_chunk (AnStore *store, const AnChunk *chunk, guint8 *to, gsize len)
{
  if (!has_failed (store, 0))
    has_failed (store, store->temp->read (store->temp, chunk->at, to, len));
}

/* -- Writing ---------------------------------------------------------------------------------- */

static void
chunk_clear (gpointer chunk)
{
  g_free (((AnChunk *) chunk)->data);
}

void
an_series_init (AnSeries *s, guint record)
{
  *s = (AnSeries){ .record = record };
  s->chunks = g_array_new (FALSE, FALSE, sizeof (AnChunk));
  g_array_set_clear_func (s->chunks, chunk_clear);
}

void
an_series_clear (AnSeries *s)
{
  g_clear_pointer (&s->chunks, g_array_unref);
  g_clear_pointer (&s->last, g_free);
}

static void
seal (AnSeries *s, AnStore *store)
{
  AnChunk chunk = { .data = g_steal_pointer (&s->last), .n = s->fill };
  gsize len = (gsize) s->fill * s->record;
  g_mutex_lock (&store->lock);
  if (store->used + len > store->limit)
    write_chunk (store, &chunk, len);
  else
    store->used += len;
  g_mutex_unlock (&store->lock);
  g_array_append_val (s->chunks, chunk);
  s->fill = s->room = 0;
}

void *
an_series_add_slow (AnSeries *s, AnStore *store)
{
  const guint most = CHUNK_BYTES / s->record;
  if (s->room == most)
    seal (s, store);
  s->room = s->room ? MIN (2 * s->room, most) : s->chunks->len ? most : FIRST;
  s->last = g_realloc (s->last, (gsize) s->room * s->record);
  return an_series_add (s, store);
}

/* -- Reading ---------------------------------------------------------------------------------- */

void
an_series_read (AnSeriesReader *r, const AnSeries *series, AnStore *store)
{
  *r = (AnSeriesReader){ .series = series, .store = store };
}

void
an_series_reader_clear (AnSeriesReader *r)
{
  g_clear_pointer (&r->buffer, g_free);
}

static void
open_chunk (AnSeriesReader *r, const AnChunk *chunk)
{
  r->n = chunk->n;
  r->data = chunk->data;
  if (chunk->data)
    return;
  if (!r->buffer)
    r->buffer = g_malloc (CHUNK_BYTES);
  read_chunk (r->store, chunk, r->buffer, (gsize) chunk->n * r->series->record);
  r->data = r->buffer;
}

gboolean
an_series_next_chunk (AnSeriesReader *r)
{
  const AnSeries *s = r->series;
  if (has_failed (r->store, 0) || r->chunk > s->chunks->len)
    return FALSE;
  r->at = 0;
  if (r->chunk < s->chunks->len) {
    open_chunk (r, &g_array_index (s->chunks, AnChunk, r->chunk));
  } else {
    r->n = s->fill;
    r->data = s->last;
  }
  r->chunk++;
  return !has_failed (r->store, 0) && r->n > 0;
}
