/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - keeps layers until all are known, and writes each with its share of the time. */
#include "layers.h"

NPROF_TABLE (layer_times, "Time by layer", "sums without a timeline.", LAYER_TIMES)

LtLayer
lt_layer (nprof_str name)
{
  return (LtLayer){ .name = name,
                    .calls = LT_NONE,
                    .total = LT_NONE,
                    .average = LT_NONE,
                    .median = LT_NONE,
                    .cpu = LT_NONE,
                    .flops = NAN,
                    .bytes = NAN };
}

gint64
lt_time (const char *text, size_t len, int places)
{
  int64_t ps;
  const bool ok = nprof_read_scaled (text, len, places, &ps) <= NPROF_DECIMAL_ROUNDED && ps >= 0;
  return ok ? ps : LT_NONE;
}

nprof_str
lt_text (Layers *self, const struct nprof_pull *p)
{
  if (p->kind != NPROF_PULL_STRING)
    return 0;
  self->text.len = 0;
  nprof_pull_put (&self->text, &p->text);
  return self->host->intern (self->host, self->text.len ? self->text.data : "", self->text.len);
}

nprof_status
lt_damage (Layers *self, uint64_t at, const char *why)
{
  if (self->text.failed)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for a name");
  return nprof_damage (self->host, at, "layer %u cannot be read: %s; export the file again",
                       self->layers->len, why);
}

static gint64
time_of (const LtLayer *l)
{
  return l->total != LT_NONE ? l->total : l->average;
}

static struct nprof_maybe_int
known (gint64 number)
{
  return nprof_int_if (number != LT_NONE, number);
}

/* A number that JSON has as 1.5e+12. */
static struct nprof_maybe_int
whole (double number)
{
  const bool fits = number >= 0 && number < 9e18;
  return nprof_int_if (fits, fits ? (gint64) number : 0);
}

static nprof_status
put (const Layers *self, const LtLayer *l, double all)
{
  const gint64 time = time_of (l);
  const struct layer_times_row row = {
    .layer = nprof_some_str (l->name),
    .scope = nprof_any_str (l->scope),
    .type = nprof_any_str (l->type),
    .device = nprof_any_str (l->device),
    .calls = known (l->calls),
    .total = known (l->total),
    .average = known (l->average),
    .median = known (l->median),
    .cpu = known (l->cpu),
    .share = nprof_double_if (!l->around && time != LT_NONE && all > 0, (double) time / all),
    .flops = whole (l->flops),
    .bytes = whole (l->bytes),
  };
  return self->host->row (self->host, &layer_times_table,
                          layer_times_cells (nprof_cell_own_input (self->host), &row).cells);
}

nprof_status
lt_write (Layers *self)
{
  nprof_status status = NPROF_OK;
  double all = 0;
  for (guint i = 0; i < self->layers->len; i++) {
    const LtLayer *l = &g_array_index (self->layers, LtLayer, i);
    if (!l->around && time_of (l) != LT_NONE)
      all += (double) time_of (l);
  }
  for (guint i = 0; i < self->layers->len && !status; i++)
    status = put (self, &g_array_index (self->layers, LtLayer, i), all);
  return status;
}
