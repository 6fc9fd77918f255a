/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer `latency`: its options, its table, its life. */
#include "latency.h"

NPROF_TABLE (latency, "Latency", "durations of spans that have an end in the file", LATENCY)

/* clang-format off */
static const struct nprof_option *const options[] = {
  NPROF_CHOICE_OPTION (Latency, by, "by", "name", "name|track|process|step|inference",
                       "what makes a row"),
  NPROF_CHOICE_OPTION (Latency, method, "method", "linear", "linear|nearest",
                       "percentiles between two durations, or the nearest one"),
  NPROF_SIZE_OPTION (Latency, memory, "memory", "32M", "4k..64G",
                     "for durations; beyond it, histograms of 0.1% error"),
  NULL,
};
/* clang-format on */

static const struct nprof_table *const tables[] = { &latency_table, NULL };

static nprof_status
latency_open (void *instance, const struct nprof_host *host)
{
  Latency *self = instance;
  self->host = host;
  self->places = an_places_new (host);
  self->window = nprof_window_of (host);
  an_key_table_init (&self->place_keys, P_WORDS);
  self->place = g_array_new (FALSE, TRUE, sizeof (Place));
  self->place_of = g_array_new (FALSE, TRUE, sizeof (guint));
  self->gaps = g_array_new (FALSE, TRUE, sizeof (guint64));
  groups_init (&self->groups, self->memory);
  self->step = nprof_intern (host, "step");
  self->inference = nprof_intern (host, "Inference"); /* of Furiosa: furiosa.md 1.3 */
  return NPROF_OK;
}

static nprof_status
latency_consume (void *instance, const struct nprof_batch *batch)
{
  rows_consume (instance, batch);
  return NPROF_OK;
}

static nprof_status
latency_finish (void *instance)
{
  Latency *self = instance;
  if (self->unended)
    nprof_log (self->host, NPROF_WARNING,
               "spans without an end in the file: %" G_GUINT64_FORMAT
               "; they are left out of latency",
               self->unended);
  return write_table (self);
}

static void
latency_close (void *instance)
{
  Latency *self = instance;
  an_places_free (self->places);
  groups_clear (&self->groups);
  an_key_table_clear (&self->place_keys);
  g_clear_pointer (&self->place, g_array_unref);
  g_clear_pointer (&self->place_of, g_array_unref);
  g_clear_pointer (&self->gaps, g_array_unref);
  g_clear_pointer (&self->gaps_below, g_array_unref);
}

static const struct nprof_component component = {
  .size = sizeof component,
  .kind = NPROF_ANALYZER,
  .name = "latency",
  .summary = "percentiles of durations by name and track, step or inference",
  .wants = (const char *const[]){ NPROF_KEY_WORK, NULL },
  .options = options,
  .tables = tables,
  .flags = NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Latency),
  .open = latency_open,
  .consume = latency_consume,
  .finish = latency_finish,
  .close = latency_close,
  .save = state_save,
  .merge = state_merge,
};

NPROF_PLUGIN ("latency", NPROF_VERSION, "Apache-2.0", &component)
