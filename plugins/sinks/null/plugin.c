/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the sink `null`: takes every row and table and writes nothing.  It times
 * decoders and analyzers alone, and is the smallest whole plugin: copy it to begin one. */

#include <nprof/plugin.h>

/* One per run, cleared by the core; options would be stored here. */
struct null_sink {
  char unused;
};

static nprof_status
null_open (void *self, const struct nprof_host *host)
{
  (void) self;
  (void) host; /* kept by a plugin that logs, fails or writes */
  return NPROF_OK;
}

static nprof_status
null_consume (void *self, const struct nprof_batch *batch)
{
  (void) self;
  (void) batch;
  return NPROF_OK;
}

static nprof_status
null_finish (void *self)
{
  (void) self;
  return NPROF_OK;
}

/* Members that are not set are NULL: no options, no tables, no attributes wanted. */
static const struct nprof_component null_sink = {
  .size = sizeof null_sink,
  .kind = NPROF_SINK,
  .name = "null",
  .summary = "writes nothing; for timing decoders and analyzers",
  .instance_size = sizeof (struct null_sink),
  .open = null_open,
  .consume = null_consume,
  .finish = null_finish,
};

NPROF_PLUGIN ("null", NPROF_VERSION, "Apache-2.0", &null_sink)
