/* SPDX-License-Identifier: Apache-2.0 */
/* series.h - records that are written one after the other and read again in that order, however
 * many: those beyond a limit of memory lie in a temporary file. */
#ifndef AN_SERIES_H
#define AN_SERIES_H

#include <glib.h>
#include <nprof/draft/temp-file.h>
#include <nprof/plugin.h>

/* Many series share the limit and the file.  Several threads may use a store at once, each with
 * readers of its own, and with series of its own that it adds to. */
typedef struct {
  const struct nprof_host *host;
  GMutex lock;       /* of all below                                                           */
  gsize limit, used; /* bytes of full chunks in memory                                       */
  struct nprof_temp *temp; /* NULL: no file yet                                             */
  guint64 size;      /* of the file                                                          */
  gint failed;       /* errno of the first thing that failed; all that follows does nothing    */
} AnStore;

/* The limit is for all series of an analyzer; the blocks being filled come on top, at most 64 KiB
 * each. */
#define AN_STORE_BYTES (1u << 20) /* three analyzers of a report have a store */

void an_store_init (AnStore *store, const struct nprof_host *host, gsize limit);
void an_store_clear (AnStore *store);
/* Returns NPROF_OK, or says why not. */
nprof_status an_store_check (const AnStore *store);

typedef struct {
  guint record;      /* bytes of one                          */
  guint64 n;
  guint8 *last;      /* the chunk that is being filled        */
  guint fill, room;  /* records in it, and that it has room for */
  GArray *chunks;    /* of AnChunk: full ones                 */
} AnSeries;

void an_series_init (AnSeries *series, guint record);
void an_series_clear (AnSeries *series);
/* Returns room for a record; good until the next one. */
void *an_series_add_slow (AnSeries *series, AnStore *store);
static inline void *
an_series_add (AnSeries *series, AnStore *store)
{
  if (series->fill == series->room)
    return an_series_add_slow (series, store);
  series->n++;
  return series->last + (gsize) series->fill++ * series->record;
}

typedef struct {
  const AnSeries *series;
  AnStore *store;
  guint chunk, at;    /* the next record                            */
  guint n;            /* records of the chunk                       */
  const guint8 *data; /* of the chunk                               */
  guint8 *buffer;     /* of a chunk that lies in the file           */
} AnSeriesReader;

void an_series_read (AnSeriesReader *reader, const AnSeries *series, AnStore *store);
void an_series_reader_clear (AnSeriesReader *reader);
gboolean an_series_next_chunk (AnSeriesReader *reader);
/* Returns the next record, good until the next call; NULL: no more, or the store has failed. */
static inline const void *
an_series_next (AnSeriesReader *r)
{
  if (r->at == r->n && !an_series_next_chunk (r))
    return NULL;
  return r->data + (gsize) r->at++ * r->series->record;
}

#endif
