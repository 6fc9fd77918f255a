/* SPDX-License-Identifier: Apache-2.0 */
/* engines.c - adds up how long each engine of a logical core of Neuron and its DMA worked in an
 * execution, and concludes from the one that worked longest: they work side by side. */
#include "verdict.h"

#include <math.h>
#include <nprof/keys.h>
#include <nprof/units.h>
#include <string.h>

/* The engine `sync` is none of them: it only waits and starts. */
static const struct {
  const char *name; /* as rows have it, and in column `second` */
  const char *code, *word;
} engines[ST_ENGINES] = {
  [ST_TENSOR] = { "tensor", "compute.tensor", "tensor engine" },
  [ST_SCALAR] = { "scalar", "compute.scalar", "scalar engine" },
  [ST_VECTOR] = { "vector", "compute.vector", "vector engine" },
  [ST_GPSIMD] = { "gpsimd", "compute.gpsimd", "GPSIMD engine" },
  [ST_DMA] = { "dma", "data", "DMA" },
  [ST_COMM] = { "cc-core", "comm", "collectives" },
};

const char *const st_engine_keys[] = { NPROF_KEY_ENGINE, "left_out", NULL };
enum { AT_ENGINE, AT_LEFT_OUT };

/* Times are those in which at least one row was under way; rows come by start. */
struct _LogicalCore {
  guint64 instructions;
  gint64 time[ST_ENGINES], until[ST_ENGINES];
  GArray *executions; /* of Range  */
  gint64 first, last; /* of all rows */
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
  *d->logical = (LogicalCore){ .first = G_MAXINT64, .last = G_MININT64 };
  d->logical->executions = g_array_new (FALSE, FALSE, sizeof (Range));
  for (StEngine e = 0; e < ST_ENGINES; e++)
    d->logical->until[e] = G_MININT64;
  return d->logical;
}

StEngine
st_engine_of (Steps *self, const struct nprof_batch *batch, uint32_t i)
{
  struct nprof_reader *r = &self->engine;
  nprof_reader_row (r, batch, i);
  const struct nprof_field *left_out = &r->field[AT_LEFT_OUT];
  if (batch->category[i] == self->dma_category)
    return left_out->type == NPROF_BOOL && left_out->value.u ? ST_ENGINES : ST_DMA;
  const nprof_str name = nprof_reader_str (r, AT_ENGINE);
  for (StEngine e = 0; e < ST_ENGINES && name; e++)
    if (g_str_equal (engines[e].name, nprof_text (self->host, name)))
      return e;
  return ST_ENGINES;
}

void
st_engine_row (Steps *self, Device *d, StEngine engine, gint64 start, gint64 end)
{
  LogicalCore *core = logical_core_of (d);
  start = nprof_cut (&self->clip, start);
  end = nprof_cut (&self->clip, end);
  core->instructions += engine < ST_DMA;
  core->first = MIN (core->first, start);
  core->last = MAX (core->last, end);
  cover (&core->time[engine], &core->until[engine], start, end);
}

void
st_engine_execution (Device *d, gint64 start, gint64 end)
{
  const Range execution = { start, end };
  g_array_append_val (logical_core_of (d)->executions, execution);
}

void
st_logical_core_free (LogicalCore *core)
{
  if (core)
    g_array_unref (core->executions);
  g_free (core);
}

/* -- Conclusion -------------------------------------------------------------------------------- */

typedef struct {
  guint64 n;
  gint64 time; /* in which at least one was under way */
} Executions;

/* Of an execution that a selection crosses the part counts in which selected work lies. */
static Executions
executions_of (const Device *d)
{
  const GArray *all = d->logical->executions;
  const bool cut = d->steps->any_hidden && !d->steps->clip.cuts;
  Executions e = { 0 };
  gint64 until = G_MININT64;
  for (guint i = 0; i < all->len; i++) {
    const Range *r = &g_array_index (all, Range, i);
    const gint64 start = cut ? MAX (r->start, d->shown.first) : r->start,
                 end = cut ? MIN (r->end, d->shown.last) : r->end;
    if (cut && end <= start)
      continue;
    e.n += start >= until;
    cover (&e.time, &until, nprof_cut (&d->steps->clip, start), nprof_cut (&d->steps->clip, end));
  }
  return e;
}

gboolean
st_engines_decide (const Device *d, const Sums *sums)
{
  const LogicalCore *core = d->logical;
  if (!core || !core->instructions)
    return FALSE;
  const Executions e = executions_of (d);
  return !e.n || 2 * (DistSum) e.time * sums->windows > (DistSum) sums->all * e.n;
}

/* Returns which has most time, but for one; ST_ENGINES: none has any. */
static StEngine
longest (const gint64 *times, StEngine but)
{
  StEngine best = ST_ENGINES;
  for (StEngine e = 0; e < ST_ENGINES; e++)
    if (e != but && times[e] > (best == ST_ENGINES ? 0 : times[best]))
      best = e;
  return best;
}

/* Names them from the one that worked longest on. */
static char *
sentence_of (const LogicalCore *core, gint64 all, gboolean waits)
{
  gint64 left[ST_ENGINES];
  GString *text = g_string_new (waits ? "no engine works a third of the execution; " : NULL);
  g_string_append (text, "at work:");
  for (StEngine e = 0; e < ST_ENGINES; e++)
    left[e] = core->time[e];
  for (StEngine n = 0, e; n < ST_ENGINES; n++) {
    e = longest (left, ST_ENGINES);
    if (e == ST_ENGINES)
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
  const gint64 executions = executions_of (d).time,
               all = executions ? executions : core->last - core->first;
  const StEngine first = longest (core->time, ST_ENGINES), second = longest (core->time, first);
  const gboolean none = first == ST_ENGINES || all <= 0 || !core->time[ST_DMA];
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
  if (second == ST_ENGINES)
    return v;
  v.second = engines[second].name;
  v.second_share = (double) core->time[second] / (double) all;
  return v;
}

const char *
st_engine_action (const Device *d, Part part)
{
  return part == PART_COPY && longest (d->logical->time, ST_ENGINES) == ST_DMA ? "fuse, layout"
                                                                               : NULL;
}
