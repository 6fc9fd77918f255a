/* SPDX-License-Identifier: Apache-2.0 */
/* links.c - when all is noted: which events of an arrow follow each other, which sample comes
 * before which, when a state changes, and which work of a GPU a number means. */
#include "perfetto.h"

#include <stdlib.h>

/* Returns the places 0 .. n - 1, which the caller sorts. */
static NpLargeArray *
places (guint32 n)
{
  NpLargeArray *order = np_large_array_new (sizeof (guint32));
  np_large_array_extend (order, n);
  for (guint32 i = 0; i < n; i++)
    g_array_index (order, guint32, i) = i;
  return order;
}

/* -- Arrows ------------------------------------------------------------------------------------ */

static int
compare_flows (gconstpointer pa, gconstpointer pb, gpointer user)
{
  const NpLargeArray *flows = user;
  const guint32 i = *(const guint32 *) pa, k = *(const guint32 *) pb;
  const PfFlow *a = &g_array_index (flows, PfFlow, i), *b = &g_array_index (flows, PfFlow, k);
  if (a->id != b->id)
    return a->id < b->id ? -1 : 1;
  if (a->time != b->time)
    return a->time < b->time ? -1 : 1;
  return (i > k) - (i < k);
}

/* An id may begin anew, so the number of an arrow is of both. */
static guint64
arrow_number (guint64 id, guint32 nth)
{
  const guint64 h = (id + nth * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15))
                    * G_GUINT64_CONSTANT (0xd6e8feb86659fd93);
  return h ? h : 1;
}

/* Links the events of one id, in order. */
static void
link_id (PfFlow **of, guint32 n)
{
  PfFlow *last = NULL; /* of the arrow that is open */
  guint32 arrows = 0;
  for (guint32 i = 0; i < n; i++) {
    PfFlow *flow = of[i];
    if (flow->how == FLOW_BEGINS_ANEW)
      last = NULL;
    if (!last && flow->how != FLOW_GOES_ON && flow->how != FLOW_BEGINS_ANEW)
      continue;
    if (!last)
      arrows++;
    else if (last->phase == PHASE_END)
      last->phase = PHASE_STEP;
    flow->number = arrow_number (flow->id, arrows);
    flow->phase = last ? PHASE_END : PHASE_BEGIN;
    last = flow->how == FLOW_ENDS ? NULL : flow;
  }
}

static void
link_flows (Perfetto *pf)
{
  const guint32 n = pf->flows->len;
  if (!n)
    return;
  g_autoptr (NpLargeArray) order = places (n);
  g_autoptr (GPtrArray) of = g_ptr_array_new ();
  qsort_r (order->data, n, sizeof (guint32), compare_flows, pf->flows);
  for (guint32 i = 0; i < n; i++) {
    PfFlow *flow = &g_array_index (pf->flows, PfFlow, g_array_index (order, guint32, i));
    if (of->len && ((PfFlow *) g_ptr_array_index (of, 0))->id != flow->id) {
      link_id ((PfFlow **) of->pdata, of->len);
      g_ptr_array_set_size (of, 0);
    }
    g_ptr_array_add (of, flow);
  }
  link_id ((PfFlow **) of->pdata, of->len);
}

/* -- Moments of tracks ------------------------------------------------------------------------- */

static int
compare_moments (gconstpointer pa, gconstpointer pb, gpointer user)
{
  const NpLargeArray *moments = user;
  const guint32 i = *(const guint32 *) pa, k = *(const guint32 *) pb;
  const PfMoment *a = &g_array_index (moments, PfMoment, i),
                 *b = &g_array_index (moments, PfMoment, k);
  if (a->track != b->track)
    return a->track < b->track ? -1 : 1;
  if (a->time != b->time)
    return a->time < b->time ? -1 : 1;
  return (i > k) - (i < k);
}

/* Gives each the time of the one before it on its track, or of the one behind it. */
static void
link_moments (NpLargeArray *moments, bool before)
{
  const guint32 n = moments->len;
  if (!n)
    return;
  g_autoptr (NpLargeArray) order = places (n);
  qsort_r (order->data, n, sizeof (guint32), compare_moments, moments);
  for (guint32 i = 1; i < n; i++) {
    PfMoment *a = &g_array_index (moments, PfMoment, g_array_index (order, guint32, i - 1)),
             *b = &g_array_index (moments, PfMoment, g_array_index (order, guint32, i));
    if (a->track == b->track && before)
      b->other = a->time;
    else if (a->track == b->track)
      a->other = b->time;
  }
}

/* -- Work of GPUs ------------------------------------------------------------------------------ */

static int
compare_stages (gconstpointer pa, gconstpointer pb)
{
  const PfStage *a = pa, *b = pb;
  if (a->id != b->id)
    return a->id < b->id ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

const PfStage *
pf_stage_of (const Perfetto *pf, guint64 id)
{
  guint32 low = 0, high = pf->n_references ? pf->stages->len : 0;
  while (low < high) {
    const guint32 middle = low + (high - low) / 2;
    if (g_array_index (pf->stages, PfStage, middle).id < id)
      low = middle + 1;
    else
      high = middle;
  }
  const bool found = pf->n_references && low < pf->stages->len
                     && g_array_index (pf->stages, PfStage, low).id == id;
  return found ? &g_array_index (pf->stages, PfStage, low) : NULL;
}

void
pf_link (Perfetto *pf)
{
  link_flows (pf);
  link_moments (pf->states, false);
  link_moments (pf->samples, true);
  if (pf->n_references && pf->stages->len)
    qsort (pf->stages->data, pf->stages->len, sizeof (PfStage), compare_stages);
}
