/* SPDX-License-Identifier: Apache-2.0 */
/* trtexec.c - reads what trtexec --exportProfile writes: how often all layers ran, then the sum of
 * each.  shape: sampleReporting.cpp of TensorRT */
#include "layers.h"

/* Reads {"count" : N} or a layer; returns what is wrong. */
static const char *
read_layer (Layers *self, struct nprof_pull *p, LtLayer *l, gint64 *count)
{
  bool counts = false;
  int64_t number;
  *l = lt_layer (0);
  while (nprof_pull_next (p)) {
    if (nprof_pull_is (p, "name"))
      l->name = lt_text (self, p);
    else if (p->kind != NPROF_PULL_NUMBER)
      continue;
    else if (nprof_pull_is (p, "timeMs"))
      l->total = lt_time (p->text.at, p->text.len, 9);
    else if (nprof_pull_is (p, "averageMs"))
      l->average = lt_time (p->text.at, p->text.len, 9);
    else if (nprof_pull_is (p, "medianMs"))
      l->median = lt_time (p->text.at, p->text.len, 9);
    else if (nprof_pull_is (p, "count")
             && nprof_read_decimal (p->text.at, p->text.len, 1, &number)) {
      *count = number;
      counts = true;
    }
  }
  if (counts && !l->name)
    return NULL;
  return !l->name ? "it has no name" : l->total == LT_NONE ? "its timeMs is no time" : NULL;
}

static nprof_status
take_layer (Layers *self, struct nprof_pull *p, gint64 *count)
{
  const uint64_t at = nprof_pull_at (p);
  LtLayer l;
  if (!nprof_pull_enter (p, NPROF_PULL_OBJECT))
    return lt_damage (self, at, "it is no object");
  const char *why = read_layer (self, p, &l, count);
  if (p->why)
    return NPROF_OK; /* said by who called */
  if (why)
    return lt_damage (self, at, why);
  l.calls = *count;
  if (l.name)
    g_array_append_val (self->layers, l);
  return NPROF_OK;
}

nprof_status
lt_trtexec (Layers *self)
{
  struct nprof_pull p = nprof_pull (self->data, self->len);
  gint64 count = LT_NONE;
  nprof_status status = NPROF_OK;
  if (lt_has_queries (self->data, self->len))
    return lt_queries (self);
  if (nprof_pull_next (&p) && nprof_pull_enter (&p, NPROF_PULL_ARRAY))
    while (!status && nprof_pull_next (&p))
      status = take_layer (self, &p, &count);
  if (!status && !nprof_pull_end (&p))
    status = lt_damage (self, nprof_pull_at (&p), p.why);
  return status ? status : lt_write (self);
}
