/* SPDX-License-Identifier: Apache-2.0 */
/* line.c - gives the rows of a track and one origin to lanes: spans by containment, as
 * nprof/sweep.h defines it, the others by their type. */
#include "parts.h"

#include <nprof/sweep.h>

#include <stdlib.h>
#include <string.h>

#define UNCLOSED_LANES 16

struct store_line *
store_writer_line (struct store_writer *w, uint32_t track, uint32_t input, uint32_t origin,
                   bool nests)
{
  struct store_line *line = calloc (1, sizeof *line);
  if (!line
      || !store_room (&w->fault, &w->lines, &w->max_lines, w->n_lines + 1, sizeof *w->lines)) {
    store_fail (&w->fault, NPROF_E_NOMEM, "no memory for track %u", track);
    free (line);
    return NULL;
  }
  line->track = track;
  line->input = input;
  line->origin = origin;
  line->nests = nests;
  line->spans = (struct store_unit){ .line = line, .type = NPROF_STORE_LANE_SPAN };
  w->lines[w->n_lines++] = line;
  return line;
}

/* -- Which lanes are free: their ends, a heap of those, and a bitmap ------------------
 *
 * The end of a lane's last span says whether the lane is free, which answers for the lane that a
 * span tries first: most often it is that one. The heap finds the first free one of many. It has a
 * lane once, by an end that may be old: the lane's own one counts when the old one has come. */

static void
heap_up (struct store_open *heap, size_t at)
{
  for (size_t up; at && heap[up = (at - 1) / 2].end > heap[at].end; at = up) {
    struct store_open x = heap[at];
    heap[at] = heap[up];
    heap[up] = x;
  }
}

static void
heap_down (struct store_open *heap, size_t n)
{
  for (size_t at = 0, down; (down = 2 * at + 1) < n; at = down) {
    down += down + 1 < n && heap[down + 1].end < heap[down].end;
    if (heap[at].end <= heap[down].end)
      return;
    struct store_open x = heap[at];
    heap[at] = heap[down];
    heap[down] = x;
  }
}

static void
release (struct store_line *line, int64_t start)
{
  while (line->n_busy && line->busy[0].end <= start) {
    uint32_t lane = line->busy[0].lane;
    if (line->ends[lane] > start) {
      line->busy[0].end = line->ends[lane];
    } else {
      line->free[lane / 64] |= 1ull << (lane % 64);
      line->busy[0] = line->busy[--line->n_busy];
    }
    heap_down (line->busy, line->n_busy);
  }
}

/* Returns the first lane at or after `from` that is free at `start`; n_lanes: none is. */
static size_t
first_free (struct store_line *line, size_t from, int64_t start)
{
  if (from < line->n_lanes && line->ends[from] <= start)
    return from;
  release (line, start);
  size_t n = line->n_lanes, words = (n + 63) / 64;
  for (size_t i = from / 64; i < words; i++) {
    uint64_t bits = line->free[i];
    if (i == from / 64)
      bits &= ~0ull << (from % 64);
    if (bits)
      return i * 64 + (size_t) __builtin_ctzll (bits);
  }
  return n;
}

static void
occupy (struct store_line *line, uint32_t lane, int64_t end)
{
  uint64_t *word = line->free + lane / 64, bit = 1ull << (lane % 64);
  line->ends[lane] = end;
  if (!(*word & bit))
    return; /* the heap has it */
  *word &= ~bit;
  line->busy[line->n_busy] = (struct store_open){ end, lane };
  heap_up (line->busy, line->n_busy++);
}

static bool
add_lane (struct store_writer *w, struct store_unit *unit)
{
  struct store_line *line = unit->line;
  size_t words = line->max_free;
  if (!store_room (&w->fault, &line->lanes, &line->max_lanes, line->n_lanes + 1,
                   sizeof *line->lanes)
      || !store_room (&w->fault, &line->free, &line->max_free, line->n_lanes / 64 + 1,
                      sizeof *line->free)
      || !store_room (&w->fault, &line->ends, &line->max_ends, line->n_lanes + 1,
                      sizeof *line->ends)
      || !store_room (&w->fault, &line->busy, &line->max_busy, line->n_lanes + 1,
                      sizeof *line->busy)
      || !store_room (&w->fault, &line->open, &line->max_open, line->n_lanes + 1,
                      sizeof *line->open))
    return false;
  memset (line->free + words, 0, (line->max_free - words) * sizeof *line->free);
  struct store_lane *lane = store_lane_new (w, line, unit->type, (uint32_t) line->n_lanes, 0);
  if (!lane)
    return false;
  line->free[line->n_lanes / 64] |= 1ull << (line->n_lanes % 64);
  line->lanes[line->n_lanes++] = lane;
  return true;
}

/* -- Spans -------------------------------------------------------------------------- */

static bool
place_span (struct store_writer *w, struct store_unit *unit, const struct store_row *row)
{
  struct store_line *line = unit->line;
  int64_t end = row->start + row->duration;
  while (line->n_open && line->open[line->n_open - 1].end < end)
    line->n_open--;
  const struct store_open *parent = line->n_open ? line->open + line->n_open - 1 : NULL;
  size_t lane = first_free (line, parent ? parent->lane + 1 : 0, row->start);
  if (lane == line->n_lanes && !add_lane (w, unit))
    return false;
  parent = line->n_open ? line->open + line->n_open - 1 : NULL; /* it may have moved */
  if (!store_lane_put (w, line->lanes[lane], row, parent ? (uint32_t) lane - parent->lane : 0))
    return false;
  if (parent) {
    struct store_lane *above = line->lanes[parent->lane];
    struct store_pending *around = above->rows + above->n - 1;
    around->child += nprof_sweep_behind (row->start, end, &around->covered);
  }
  if (line->nests)
    line->open[line->n_open++] = (struct store_open){ end, (uint32_t) lane };
  occupy (line, (uint32_t) lane, end);
  return true;
}

static bool
place_unclosed (struct store_writer *w, struct store_line *line, const struct store_row *row)
{
  uint32_t i = line->n_unclosed < UNCLOSED_LANES ? line->n_unclosed++ : UNCLOSED_LANES - 1;
  if (!line->unclosed[i])
    line->unclosed[i] = store_lane_new (w, line, NPROF_STORE_LANE_UNCLOSED, i, 0);
  return line->unclosed[i] && store_lane_put (w, line->unclosed[i], row, 0);
}

bool
store_line_place (struct store_writer *w, struct store_unit *unit, const struct store_row *row)
{
  if (unit->type == NPROF_STORE_LANE_SPAN)
    return row->duration < 0 ? place_unclosed (w, unit->line, row) : place_span (w, unit, row);
  if (!unit->lane)
    unit->lane = store_lane_new (w, unit->line, unit->type, 0, unit->label);
  return unit->lane && store_lane_put (w, unit->lane, row, 0);
}

/* -- Starting anew -------------------------------------------------------------------- */

static bool
take_back (struct store_writer *w, struct store_lane **lane,
           bool (*fn) (void *user, const struct store_row *row), void *user)
{
  if (!*lane)
    return true;
  if (!store_lane_each (w, *lane, fn, user))
    return false;
  (*lane)->dead = true;
  store_lane_free (*lane);
  *lane = NULL;
  return true;
}

bool
store_line_restart (struct store_writer *w, struct store_unit *unit,
                    bool (*fn) (void *user, const struct store_row *row), void *user)
{
  struct store_line *line = unit->line;
  if (unit->type != NPROF_STORE_LANE_SPAN)
    return take_back (w, &unit->lane, fn, user);
  for (size_t i = 0; i < line->n_lanes; i++)
    if (!take_back (w, line->lanes + i, fn, user))
      return false;
  for (size_t i = 0; i < UNCLOSED_LANES; i++)
    if (!take_back (w, line->unclosed + i, fn, user))
      return false;
  line->n_lanes = line->n_open = line->n_busy = 0;
  line->n_unclosed = 0;
  if (line->max_free)
    memset (line->free, 0, line->max_free * sizeof *line->free);
  return true;
}

/* -- Rows as they come ------------------------------------------------------------------ */

static uint32_t
type_of (uint32_t kind)
{
  static const uint8_t types[]
      = { NPROF_STORE_LANE_SPAN, NPROF_STORE_LANE_INSTANT, NPROF_STORE_LANE_COUNTER,
          NPROF_STORE_LANE_FLOW, NPROF_STORE_LANE_FACT,    NPROF_STORE_LANE_GAP };
  return kind < sizeof types ? types[kind] : NPROF_STORE_LANE_TYPES;
}

static struct store_unit *
unit_new (struct store_writer *w, struct store_line *line, uint32_t type, uint32_t label)
{
  struct store_unit *unit = calloc (1, sizeof *unit);
  if (!unit) {
    store_fail (&w->fault, NPROF_E_NOMEM, "no memory for track %u", line->track);
    return NULL;
  }
  unit->line = line;
  unit->type = type;
  unit->label = label;
  return unit;
}

static struct store_unit *
counter_of (struct store_writer *w, struct store_line *line, uint32_t label)
{
  uint64_t key
      = ((uint64_t) line->track << 40 ^ (uint64_t) line->origin << 32) * NPROF_STORE_P2 + label;
  for (;; key++) { /* two may share a key */
    uint32_t fresh = (uint32_t) w->n_counters;
    uint32_t at = store_map_add (&w->counter_of, key, fresh, &w->fault);
    if (at == UINT32_MAX)
      return NULL;
    if (at != fresh) {
      if (w->counters[at]->line == line && w->counters[at]->label == label)
        return w->counters[at];
      continue;
    }
    if (!store_room (&w->fault, &w->counters, &w->max_counters, w->n_counters + 1,
                     sizeof *w->counters))
      return NULL;
    w->counters[w->n_counters] = unit_new (w, line, NPROF_STORE_LANE_COUNTER, label);
    return w->counters[w->n_counters] ? w->counters[w->n_counters++] : NULL;
  }
}

static struct store_unit *
unit_of (struct store_writer *w, struct store_line *line, uint32_t type, uint32_t label)
{
  if (type == NPROF_STORE_LANE_SPAN)
    return &line->spans;
  if (type == NPROF_STORE_LANE_COUNTER)
    return counter_of (w, line, label);
  if (!line->others[type])
    line->others[type] = unit_new (w, line, type, 0);
  return line->others[type];
}

/* Returns whether the row comes in order: start ascending; of equal starts the longer span first,
 * one without an end last. */
static bool
in_order (const struct store_unit *unit, const struct store_row *row)
{
  if (!unit->any || row->start > unit->start)
    return true;
  if (row->start < unit->start || unit->type != NPROF_STORE_LANE_SPAN)
    return row->start == unit->start;
  return row->duration < 0 || (unit->duration >= 0 && row->duration <= unit->duration);
}

bool
store_writer_row (struct store_writer *w, struct store_line *line, const struct store_row *row)
{
  uint32_t type = type_of (row->kind);
  if (w->fault.status)
    return false;
  if (type == NPROF_STORE_LANE_TYPES)
    return store_fail (&w->fault, NPROF_E_CONTRACT, "the store has no lanes for rows of kind %u",
                       row->kind);
  struct store_unit *unit = unit_of (w, line, type, row->label);
  if (!unit)
    return false;
  w->meta.rows++;
  w->meta.unclosed += type == NPROF_STORE_LANE_SPAN && row->duration < 0;
  if (unit->number)
    return store_sort_put (w, unit, row);
  if (type != NPROF_STORE_LANE_FACT && !in_order (unit, row))
    return store_sort_unit (w, unit) && store_sort_put (w, unit, row);
  unit->start = row->start;
  unit->duration = row->duration;
  unit->any = true;
  return store_line_place (w, unit, row);
}
