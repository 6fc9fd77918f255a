/* SPDX-License-Identifier: Apache-2.0 */
/* engines.c - adds up how long each engine of a logical core of Neuron and its DMA worked in an
 * execution, and concludes from the one that worked longest: they work side by side. */
#include "verdict.h"

#include <math.h>
#include <nprof/keys.h>
#include <nprof/units.h>
#include <string.h>

typedef enum { TENSOR, SCALAR, VECTOR, GPSIMD, DMA, COMM, ENGINES } Engine;

/* The engine `sync` is none of them: it only waits and starts. */
static const struct {
  const char *name; /* as rows have it, and in column `second` */
  const char *code, *word;
} engines[ENGINES] = {
  [TENSOR] = { "tensor", "compute.tensor", "tensor engine" },
  [SCALAR] = { "scalar", "compute.scalar", "scalar engine" },
  [VECTOR] = { "vector", "compute.vector", "vector engine" },
  [GPSIMD] = { "gpsimd", "compute.gpsimd", "GPSIMD engine" },
  [DMA] = { "dma", "data", "DMA" },
  [COMM] = { "cc-core", "comm", "collectives" },
};

const char *const st_engine_keys[] = { NPROF_KEY_ENGINE, "left_out", NULL };
enum { AT_ENGINE, AT_LEFT_OUT };

/* Times are those in which at least one row was under way; rows come by start. */
struct _LogicalCore {
  guint64 instructions, n_executions;
  gint64 time[ENGINES], until[ENGINES];
  gint64 executions, last_execution; /* time of all; until when */
  gint64 first, last;                /* of all rows             */
};

/* -- Rows -------------------------------------------------------------------------------------- */

static void
cover (gint64 *time, gint64 *until, gint64 start, gint64 end)
{
  *time += MAX (0, end - MAX (start, *until));
  *until = MAX (*until, end);
}

static LogicalCore *
logical_core_of (Device *d)
{
  if (d->logical)
    return d->logical;
  d->logical = g_new0 (LogicalCore, 1);
  *d->logical = (LogicalCore){ .last_execution = G_MININT64, .first = G_MAXINT64 };
  d->logical->last = G_MININT64;
  for (Engine e = 0; e < ENGINES; e++)
    d->logical->until[e] = G_MININT64;
  return d->logical;
}

/* Returns ENGINES for rows of none. */
static Engine
engine_of (Steps *self, const struct nprof_batch *batch, uint32_t i)
{
  struct nprof_reader *r = &self->engine;
  nprof_reader_row (r, batch, i);
  const struct nprof_field *left_out = &r->field[AT_LEFT_OUT];
  if (batch->category[i] == self->dma_category)
    return left_out->type == NPROF_BOOL && left_out->value.u ? ENGINES : DMA;
  const nprof_str name = nprof_reader_str (r, AT_ENGINE);
  for (Engine e = 0; e < ENGINES && name; e++)
    if (g_str_equal (engines[e].name, nprof_text (self->host, name)))
      return e;
  return ENGINES;
}

void
st_engine_row (Steps *self, Device *d, const struct nprof_batch *batch, uint32_t i)
{
  const Engine engine = engine_of (self, batch, i);
  const gint64 start = nprof_cut (&self->clip, batch->start[i]),
               end = nprof_cut (&self->clip, batch->start[i] + batch->duration[i]);
  if (engine == ENGINES)
    return;
  LogicalCore *core = logical_core_of (d);
  core->instructions += engine < DMA;
  core->first = MIN (core->first, start);
  core->last = MAX (core->last, end);
  cover (&core->time[engine], &core->until[engine], start, end);
}

void
st_engine_execution (Steps *self, Device *d, gint64 start, gint64 end)
{
  LogicalCore *core = logical_core_of (d);
  core->n_executions += start >= core->last_execution;
  cover (&core->executions, &core->last_execution, nprof_cut (&self->clip, start),
         nprof_cut (&self->clip, end));
}

/* -- Conclusion -------------------------------------------------------------------------------- */

gboolean
st_engines_decide (const Device *d, const Sums *sums)
{
  const LogicalCore *core = d->logical;
  if (!core || !core->instructions)
    return FALSE;
  return !core->n_executions
         || 2 * (DistSum) core->executions * sums->windows
                > (DistSum) sums->all * core->n_executions;
}

/* Returns which has most time, but for one; ENGINES: none has any. */
static Engine
longest (const gint64 *times, Engine but)
{
  Engine best = ENGINES;
  for (Engine e = 0; e < ENGINES; e++)
    if (e != but && times[e] > (best == ENGINES ? 0 : times[best]))
      best = e;
  return best;
}

/* Names them from the one that worked longest on. */
static char *
sentence_of (const LogicalCore *core, gint64 all, gboolean waits)
{
  gint64 left[ENGINES];
  GString *text = g_string_new (waits ? "no engine works a third of the execution; " : NULL);
  g_string_append (text, "at work:");
  for (Engine e = 0; e < ENGINES; e++)
    left[e] = core->time[e];
  for (Engine n = 0, e; n < ENGINES; n++) {
    e = longest (left, ENGINES);
    if (e == ENGINES)
      break;
    g_string_append_printf (text, "%s %s %s", n ? "," : "", engines[e].word,
                            nprof_share ((double) left[e] / (double) all).text);
    left[e] = 0;
  }
  g_string_append_printf (text, " of the execution of %s", nprof_time ((double) all).text);
  return g_string_free (text, FALSE);
}

Verdict
st_conclude_engines (const Device *d)
{
  const LogicalCore *core = d->logical;
  const gint64 all = core->executions ? core->executions : core->last - core->first;
  const Engine first = longest (core->time, ENGINES), second = longest (core->time, first);
  const gboolean none = first == ENGINES || all <= 0 || !core->time[DMA];
  const gboolean waits = !none && 3 * (DistSum) core->time[first] < all;
  Verdict v = { .share = (double) NAN, .second_share = (double) NAN };
  if (none) {
    v.code = g_strdup ("undetermined.not_recorded");
    v.sentence = g_strdup ("rows of its engines or of its DMA are not in the file");
    return v;
  }
  v.code = g_strdup (waits ? "undetermined.latency" : engines[first].code);
  v.engine = engines[first].name;
  v.share = (double) core->time[first] / (double) all;
  v.sentence = sentence_of (core, all, waits);
  if (second == ENGINES)
    return v;
  v.second = engines[second].name;
  v.second_share = (double) core->time[second] / (double) all;
  return v;
}

const char *
st_engine_action (const Device *d, Part part)
{
  return part == PART_COPY && longest (d->logical->time, ENGINES) == DMA ? "fuse, layout" : NULL;
}
