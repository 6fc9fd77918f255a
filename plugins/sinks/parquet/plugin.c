/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - sink parquet: rows as events.parquet, each table as NAME.parquet.  This file has
 * options and life; events.c and tables.c fill in columns, the files named pq_ write them. */
#include "events.h"
#include "tables.h"

#define TABLE_BYTES (2u << 20) /* row groups of tables, of which many are open */
#define MAX_THREADS 8          /* a row group has no more columns that take long */

struct parquet_sink {
  int32_t compression, order;
  int64_t level, threads;
  uint64_t row_group;
  const char *partition;

  struct pq_works works;
  struct events events;
  struct tables tables;
};

static struct pq_text
text_of (const void *user, uint32_t ref)
{
  const struct nprof_host *host = user;
  size_t len;
  const char *text = host->string (host, ref, &len);
  return (struct pq_text){ text, (uint32_t) len };
}

static unsigned
count_threads (const struct parquet_sink *self, const struct nprof_host *host)
{
  const struct nprof_run_info *run = host->run (host);
  unsigned jobs = NPROF_KNOWS (run, jobs) ? run->jobs : 1;
  return MIN (self->threads ? (unsigned) self->threads : jobs, MAX_THREADS);
}

static nprof_status
parquet_open (void *data, const struct nprof_host *host)
{
  struct parquet_sink *self = data;
  const struct pq_texts texts = { text_of, host, attrs_put_value };
  const char *why = pq_codec_problem (self->compression, (int) self->level);
  if (why)
    return nprof_fail (host, NPROF_E_OPTION, "compression and level=%d: %s", (int) self->level,
                       why);
  if (!pq_works_init (&self->works, count_threads (self, host), self->compression,
                      (int) self->level, texts))
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for its threads");
  self->tables = (struct tables){
    .host = host, .works = &self->works, .codec = self->compression, .limit = TABLE_BYTES
  };
  tables_open (&self->tables);
  self->events.host = host;
  self->events.by_track = self->order == 1;
  self->events.partition = (struct partition){ .host = host,
                                               .works = &self->works,
                                               .key = *self->partition ? self->partition : NULL,
                                               .codec = self->compression,
                                               .limit = self->row_group };
  return events_open (&self->events);
}

static nprof_status
parquet_consume (void *data, const struct nprof_batch *batch)
{
  struct parquet_sink *self = data;
  return events_consume (&self->events, batch);
}

static nprof_status
parquet_table (void *data, const struct nprof_table *table, const struct nprof_cell *cells,
               uint32_t n_rows)
{
  struct parquet_sink *self = data;
  return tables_rows (&self->tables, table, cells, n_rows);
}

static nprof_status
parquet_finish (void *data)
{
  struct parquet_sink *self = data;
  nprof_status status = events_finish (&self->events);
  return status == NPROF_OK ? tables_finish (&self->tables) : status;
}

static void
parquet_close (void *data)
{
  struct parquet_sink *self = data;
  events_clear (&self->events);
  tables_clear (&self->tables);
  pq_works_clear (&self->works);
}

/* clang-format off */
static const struct nprof_component parquet = {
  .size = sizeof parquet,
  .kind = NPROF_SINK,
  .name = "parquet",
  .summary = "Parquet files for DuckDB, pandas, Polars and Spark, one a table",
  .options = NPROF_OPTIONS (
      NPROF_CHOICE_OPTION (struct parquet_sink, compression, "compression", PQ_CODEC_PRESET,
                           "zstd|snappy|gzip|lz4|none", "codec of the pages"),
      NPROF_INT_OPTION (struct parquet_sink, level, "level", "0", "0..19",
                        "of zstd (1 to 19) or gzip (1 to 9); 0: 1 of zstd, 6 of gzip"),
      NPROF_SIZE_OPTION (struct parquet_sink, row_group, "row_group", "8M", "64k..16M",
                         "bytes in memory after which a row group ends"),
      NPROF_STRING_OPTION (struct parquet_sink, partition, "partition", "",
                           "a property of the inputs: events/KEY=VALUE/part-0.parquet"),
      NPROF_CHOICE_OPTION (struct parquet_sink, order, "order", "input", "input|track",
                           "rows as decoded, or track by track in order of start"),
      NPROF_INT_OPTION (struct parquet_sink, threads, "threads", "0", "0..8",
                        "that encode; 0: as many as -j; the files are the same")),
  .wants = (const char *const[]){ "*", NULL },
  .order_option = "order",
  .flags = NPROF_SINK_FOLDER,
  .instance_size = sizeof (struct parquet_sink),
  .open = parquet_open,
  .consume = parquet_consume,
  .table = parquet_table,
  .finish = parquet_finish,
  .close = parquet_close,
};
/* clang-format on */

NPROF_PLUGIN ("parquet", NPROF_VERSION, "Apache-2.0", &parquet)
