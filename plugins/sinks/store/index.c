/* SPDX-License-Identifier: Apache-2.0 */
/* index.c - writes the end of a store: lanes in the order of drawing, tracks, and the file
 * `index`. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* -- Sections ----------------------------------------------------------------------- */

static const uint8_t sizes[] = NPROF_STORE_SECTION_SIZES;

bool
store_writer_section (struct store_writer *w, uint32_t section, const void *data, size_t n)
{
  size_t bytes = n * sizes[section];
  free (w->given[section].data);
  w->given[section].n = n;
  w->given[section].data = malloc (bytes + 1);
  if (!w->given[section].data)
    return store_fail (&w->fault, NPROF_E_NOMEM, "no memory for %zu bytes of the index", bytes);
  if (bytes)
    memcpy (w->given[section].data, data, bytes);
  return true;
}

static bool
put_section (struct store_writer *w, uint32_t section, const void *data, size_t n)
{
  static const char zeros[8];
  struct store_out *out = &w->out[NPROF_STORE_F_INDEX];
  size_t bytes = n * sizes[section];
  w->meta.section[section] = (struct nprof_store_section){ out->at, n };
  return store_out_put (out, data, bytes, &w->fault)
         && store_out_put (out, zeros, (8 - bytes % 8) % 8, &w->fault);
}

/* -- Lanes and tracks ---------------------------------------------------------------- */

static int
by_drawing (const void *a, const void *b)
{
  const struct nprof_store_lane *x = a, *y = b;
  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  if (x->type != y->type)
    return x->type < y->type ? -1 : 1;
  if (x->origin != y->origin)
    return x->origin < y->origin ? -1 : 1;
  if (x->depth != y->depth)
    return x->depth < y->depth ? -1 : 1;
  return (x->serial > y->serial) - (x->serial < y->serial);
}

static bool
sort_lanes (struct store_writer *w)
{
  w->index = malloc ((w->n_lanes + 1) * sizeof *w->index);
  w->lane_of = malloc ((w->n_lanes + 1) * sizeof *w->lane_of);
  if (!w->index || !w->lane_of)
    return store_fail (&w->fault, NPROF_E_NOMEM, "no memory for %zu lanes", w->n_lanes);
  for (size_t i = 0; i < w->n_lanes; i++) {
    w->lane_of[i] = UINT32_MAX;
    if (!w->lanes[i]->dead && w->lanes[i]->d.rows)
      w->index[w->n_index++] = w->lanes[i]->d;
  }
  if (w->n_index)
    qsort (w->index, w->n_index, sizeof *w->index, by_drawing);
  for (uint32_t i = 0; i < w->n_index; i++)
    w->lane_of[w->index[i].serial] = i;
  return true;
}

static void
widen (int64_t *first, int64_t *last, const struct nprof_store_lane *lane)
{
  *first = lane->first < *first ? lane->first : *first;
  *last = lane->last > *last ? lane->last : *last;
}

/* Settles tracks; lanes follow each other by track, and tracks are by number.  Differences of
 * times are int64 in all that reads stores. */
static bool
settle_tracks (struct store_writer *w)
{
  struct nprof_store_track *tracks = w->given[NPROF_STORE_S_TRACKS].data;
  size_t n = w->given[NPROF_STORE_S_TRACKS].n;
  uint32_t lane = 0;
  w->meta.first = INT64_MAX;
  w->meta.last = INT64_MIN;
  for (size_t i = 0; i < n; i++) {
    struct nprof_store_track *t = tracks + i;
    t->first = INT64_MAX;
    t->last = INT64_MIN;
    while (lane < w->n_index && w->index[lane].track < t->number)
      lane++;
    t->lane = lane;
    t->n_lanes = 0;
    t->rows = 0;
    for (; lane < w->n_index && w->index[lane].track == t->number; lane++, t->n_lanes++) {
      t->rows += w->index[lane].rows;
      if (w->index[lane].type != NPROF_STORE_LANE_FACT)
        widen (&t->first, &t->last, w->index + lane);
    }
    w->meta.first = t->first < w->meta.first ? t->first : w->meta.first;
    w->meta.last = t->last > w->meta.last ? t->last : w->meta.last;
  }
  int64_t length;
  return w->meta.first > w->meta.last
         || !__builtin_sub_overflow (w->meta.last, w->meta.first, &length)
         || store_fail (&w->fault, NPROF_E_FORMAT,
                        "rows lie more than 106 days apart, which is the longest that a store "
                        "holds: is a time of the file wrong?");
}

static bool
put_names (struct store_writer *w)
{
  const struct store_names *names = &w->names;
  return put_section (w, NPROF_STORE_S_STRING_AT, names->string_at, names->n_strings + 1)
         && put_section (w, NPROF_STORE_S_LABELS, names->labels, names->n_labels)
         && put_section (w, NPROF_STORE_S_LANES, w->index, w->n_index)
         && put_section (w, NPROF_STORE_S_SERIALS, w->lane_of, w->n_lanes)
         && put_section (w, NPROF_STORE_S_KEYS, names->keys, names->n_keys)
         && put_section (w, NPROF_STORE_S_SHAPES, names->shapes, names->n_shapes)
         && put_section (w, NPROF_STORE_S_SHAPE_KEYS, names->shape_keys, names->n_shape_keys)
         && put_section (w, NPROF_STORE_S_SETS, names->sets, names->n_sets)
         && put_section (w, NPROF_STORE_S_SET_VALUES, names->set_values, names->n_set_values);
}

bool
store_index_finish (struct store_writer *w)
{
  if (!store_sort_finish (w))
    return false;
  for (size_t i = 0; i < w->n_lanes; i++)
    if (!w->lanes[i]->dead && !store_lane_end (w, w->lanes[i]))
      return false;
  if (!sort_lanes (w) || !settle_tracks (w))
    return false;
  if (!store_lists_finish (w) || !store_links_finish (w) || !store_tables_finish (w)
      || !put_names (w))
    return false;
  for (uint32_t s = 0; s < NPROF_STORE_SECTIONS; s++)
    if (!w->meta.section[s].n && s != NPROF_STORE_S_OVER
        && !put_section (w, s, w->given[s].data ? w->given[s].data : "", w->given[s].n))
      return false;
  return true;
}

/* Writes the picture's section last, because the picture needs a store that can be asked. */
bool
store_index_over (struct store_writer *w, const struct nprof_store_span *spans, size_t n)
{
  return put_section (w, NPROF_STORE_S_OVER, spans, n);
}
