/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - reads the message of an NTFF of version 4, 5 or 6: cores, clocks, code, queues, and
 * where the arrays of notifications lie.  format: ntff.md, "Container" and "Clocks" */
#include "file.h"

/* -- Clocks ---------------------------------------------------------------------------------- */

bool
ntff_time (const NtffClock *clock, uint64_t ticks, int64_t *ps)
{
  __int128 ahead = (__int128) ticks - clock->reference, product;
  if (__builtin_mul_overflow (ahead, (__int128) clock->actual, &product))
    return false;
  __int128 time = product / clock->nominal;
  time -= product < 0 && product % clock->nominal; /* down */
  *ps = (int64_t) time;
  return time == *ps && *ps > INT64_MIN / 4 && *ps < INT64_MAX / 4;
}

static void
read_clocks (NtffGraph *g, const uint8_t *data, uint64_t from, uint64_t to)
{
  /* The fields of DVE and POOL are not in the order of the engines' numbers. */
  static const int by_field[] = { -1,        NTFF_PE, NTFF_ACT,          NTFF_DVE,
                                  NTFF_POOL, NTFF_SP, NTFF_CLOCK_EVENTS, NTFF_CLOCK_THROTTLE };
  NeuronWire w;
  while (neuron_wire_next (data, &from, to, &w)) {
    if (w.wire != 2 || w.number > 8)
      continue;
    NtffClock clock
        = { neuron_wire_int (data, w.from, w.to, 1), neuron_wire_int (data, w.from, w.to, 2),
            neuron_wire_int (data, w.from, w.to, 3), true };
    clock.known
        = clock.nominal && clock.actual && clock.nominal < 1u << 31 && clock.actual < 1u << 31;
    if (w.number == 8)
      g_array_append_val (g->dma_clocks, clock);
    else
      g->clocks[by_field[w.number]] = clock;
  }
}

static bool
clocks_are_known (const NtffGraph *g)
{
  bool known = g->dma_clocks->len > 0;
  for (guint i = 0; i < NTFF_CLOCKS; i++)
    known &= g->clocks[i].known;
  for (guint i = 0; i < g->dma_clocks->len; i++)
    known &= g_array_index (g->dma_clocks, NtffClock, i).known;
  return known;
}

static bool
is_ps (const NtffClock *clock)
{
  return clock->reference == 0 && clock->nominal == clock->actual;
}

/* -- A graph ---------------------------------------------------------------------------------- */

typedef struct {
  Ntff *n;
  NtffFile *f;
  const uint8_t *data;
  uint64_t len, bad; /* bad: the byte that `why` is about */
  const char *why;   /* the first thing that does not fit; NULL: all does */
} Reader;

static void
misfit (Reader *r, uint64_t at, const char *why)
{
  if (r->why)
    return;
  r->why = why;
  r->bad = at;
}

/* Finds the bytes base + offset, of that size, which the field at byte `from` names. */
static bool
points (Reader *r, uint64_t from, uint64_t offset, uint64_t size, uint64_t *at)
{
  if (offset > r->len - r->f->base || size > r->len - r->f->base - offset) {
    misfit (r, from, "what lies behind the message ends behind the file");
    return false;
  }
  *at = r->f->base + offset;
  return true;
}

static void
read_code (Reader *r, NtffGraph *g, uint64_t from, uint64_t to)
{
  NtffCode code = { .address = neuron_wire_int (r->data, from, to, 2) };
  uint64_t begin = from, engine = neuron_wire_int (r->data, from, to, 1),
           size = neuron_wire_int (r->data, from, to, 8);
  NeuronWire w;
  while (neuron_wire_next (r->data, &from, to, &w))
    if (w.number == 3 && w.wire == 2) {
      code.at = w.from;
      code.size = w.to - w.from;
    } else if (w.number == 7 && w.wire == 0 && size) {
      if (!points (r, begin, w.value, size, &code.at))
        return;
      code.size = size;
    }
  if (size && !code.size && !points (r, begin, 0, size, &code.at))
    return;
  if (size)
    code.size = size;
  if (engine < NTFF_ENGINES)
    g->code[engine] = code;
}

static void
read_part (Reader *r, uint32_t graph, uint64_t from, uint64_t to)
{
  NtffPart part = { .graph = graph, .kind = (uint32_t) neuron_wire_int (r->data, from, to, 1) };
  uint64_t offset = neuron_wire_int (r->data, from, to, 5),
           size = neuron_wire_int (r->data, from, to, 6);
  if (size == 0 || !points (r, from, offset, size, &part.at))
    return;
  part.n = size / NTFF_RECORD;
  if (size % NTFF_RECORD)
    misfit (r, from, "an array of notifications is no whole number of records of 16 bytes");
  g_array_append_val (r->f->parts, part);
}

static nprof_str
text_of (Reader *r, uint64_t from, uint64_t to)
{
  return r->n->host->intern (r->n->host, (const char *) r->data + from, to - from);
}

static void
read_queue (Reader *r, NtffGraph *g, uint64_t from, uint64_t to)
{
  NtffQueue q = { .engine = (uint32_t) neuron_wire_int (r->data, from, to, 1),
                  .queue = (uint32_t) neuron_wire_int (r->data, from, to, 2),
                  .type = (uint32_t) neuron_wire_int (r->data, from, to, 3) };
  NeuronWire w;
  while (neuron_wire_next (r->data, &from, to, &w))
    if (w.number == 4 && w.wire == 2)
      q.name = text_of (r, w.from, w.to);
  g_array_append_val (g->queues, q);
}

static void
read_memory (Reader *r, NtffGraph *g, uint64_t from, uint64_t to)
{
  NtffMemory m = { .bytes = neuron_wire_int (r->data, from, to, 2) };
  NeuronWire w;
  while (neuron_wire_next (r->data, &from, to, &w))
    if (w.number == 3 && w.wire == 2)
      m.use = text_of (r, w.from, w.to);
  g_array_append_val (g->memory, m);
}

/* Returns the first engine of a core; they are numbered over those of the whole device. */
static uint64_t
engine_base (const NtffGraph *g)
{
  uint64_t least = UINT64_MAX;
  for (guint i = 0; i < g->queues->len; i++)
    least = MIN (least, g_array_index (g->queues, NtffQueue, i).engine);
  return g->queues->len ? least / 32 * 32 : 0;
}

static void
read_graph (Reader *r, uint64_t from, uint64_t to)
{
  NtffGraph g = { .device = neuron_wire_int (r->data, from, to, 2),
                  .number = neuron_wire_int (r->data, from, to, 3),
                  .total = neuron_wire_int (r->data, from, to, 14),
                  .dma_clocks = g_array_new (FALSE, FALSE, sizeof (NtffClock)),
                  .queues = g_array_new (FALSE, FALSE, sizeof (NtffQueue)),
                  .memory = g_array_new (FALSE, FALSE, sizeof (NtffMemory)) };
  uint32_t number = r->f->graphs->len;
  uint64_t begin = from;
  NeuronWire w;
  while (neuron_wire_next (r->data, &from, to, &w)) {
    if (w.wire != 2)
      continue;
    if (w.number == 1)
      g.name = text_of (r, w.from, w.to);
    else if (w.number == 4)
      read_code (r, &g, w.from, w.to);
    else if (w.number == 6)
      read_part (r, number, w.from, w.to);
    else if (w.number == 7)
      read_queue (r, &g, w.from, w.to);
    else if (w.number == 11)
      read_memory (r, &g, w.from, w.to);
    else if (w.number == 10)
      read_clocks (&g, r->data, w.from, w.to);
  }
  g.engine_base = engine_base (&g);
  if (!clocks_are_known (&g))
    misfit (r, begin, "the clocks of a core are not all stated");
  g_array_append_val (r->f->graphs, g);
}

/* Reads 4 node, 4.4 device, 4.4.1 graph on one core. */
static void
read_node (Reader *r, uint64_t from, uint64_t to, unsigned depth)
{
  static const uint32_t next[] = { 4, 1 };
  NeuronWire w;
  while (neuron_wire_next (r->data, &from, to, &w)) {
    if (w.number != next[depth] || w.wire != 2)
      continue;
    if (depth == 1)
      read_graph (r, w.from, w.to);
    else
      read_node (r, w.from, w.to, depth + 1);
  }
}

/* -- The whole -------------------------------------------------------------------------------- */

static void
take_uuid (NtffFile *f, const uint8_t *data, const NeuronWire *w)
{
  f->uuid_len = MIN (16, w->to - w->from);
  memcpy (f->uuid, data + w->from, f->uuid_len);
}

static void
read_execution (Reader *r, uint64_t from, uint64_t to)
{
  uint64_t start = neuron_wire_int (r->data, from, to, 2),
           end = neuron_wire_int (r->data, from, to, 3);
  NeuronWire w;
  if (end > start && end < INT64_MAX / 4 && !r->f->has_window) {
    r->f->has_window = true;
    r->f->from = start;
    r->f->to = end;
  }
  while (neuron_wire_next (r->data, &from, to, &w))
    if (w.number == 1 && w.wire == 2
        && w.to - w.from == 16) /* whole, where field 2 is a C string */
      take_uuid (r->f, r->data, &w);
}

/* Returns the graph of a core; 0: none has that number. */
static uint32_t
graph_of (const NtffFile *f, uint64_t number)
{
  for (guint i = 0; i < f->graphs->len; i++)
    if (ntff_graph (f, i)->number == number)
      return i;
  return 0;
}

/* Reads graphs before the fields that name them by their numbers. */
static void
read_top (Reader *r, bool graphs)
{
  uint64_t at = NTFF_HEADER;
  NeuronWire w;
  while (neuron_wire_next (r->data, &at, r->f->base, &w)) {
    if (w.wire != 2)
      continue;
    if (graphs && w.number == 4)
      read_node (r, w.from, w.to, 0);
    else if (!graphs && w.number == 1) {
      r->f->neff_at = w.from;
      r->f->neff_len = w.to - w.from;
    } else if (!graphs && w.number == 2 && !r->f->uuid_len)
      take_uuid (r->f, r->data, &w);
    else if (!graphs && w.number == 15)
      read_execution (r, w.from, w.to);
    else if (!graphs && w.number == 16)
      read_part (r, graph_of (r->f, neuron_wire_int (r->data, w.from, w.to, 7)), w.from, w.to);
  }
}

static bool
one_clock (const NtffFile *f)
{
  for (guint g = 0; g < f->graphs->len; g++)
    for (guint i = 0; i < NTFF_CLOCKS; i++)
      if (!is_ps (&ntff_graph (f, g)->clocks[i]))
        return false;
  return true;
}

static bool
is_known (unsigned version)
{
  return version >= 4 && version <= 6;
}

/* Finds the message that the header states. */
static void
read_header (Reader *r)
{
  uint64_t size = 0;
  if (r->len < NTFF_HEADER + 16) {
    misfit (r, r->len, "the file ends within its header of 128 bytes, or behind it");
    return;
  }
  memcpy (&size, r->data + 1, 8);
  size = GUINT64_FROM_LE (size);
  if (!is_known (r->data[0]))
    misfit (r, 0, "only versions 4, 5 and 6 are known");
  else if (size > r->len - NTFF_HEADER)
    misfit (r, 1, "its header says that the message ends behind the file");
  else if (size == 0 || !neuron_wire_whole (r->data, NTFF_HEADER, NTFF_HEADER + size))
    misfit (r, NTFF_HEADER, "no message of the size that byte 1 states lies behind the header");
  r->f->base = NTFF_HEADER + size;
}

static void
read_message (Reader *r)
{
  read_top (r, true);
  if (r->f->graphs->len == 0) {
    misfit (r, NTFF_HEADER, "the message names no core (field 4.4.1)");
    return;
  }
  read_top (r, false);
  if (r->f->parts->len == 0)
    misfit (r, NTFF_HEADER, "the message names no array of notifications (field 4.4.1.6 or 16)");
  r->f->one_clock = one_clock (r->f);
}

nprof_status
ntff_read (Ntff *n, NtffFile *f, const uint8_t *data, uint64_t len)
{
  Reader r = { .n = n, .f = f, .data = data, .len = len };
  g_autofree char *version = len ? g_strdup_printf ("%u", data[0]) : g_strdup ("unknown");
  f->graphs = g_array_new (FALSE, FALSE, sizeof (NtffGraph));
  f->parts = g_array_new (FALSE, FALSE, sizeof (NtffPart));
  read_header (&r);
  if (!r.why)
    read_message (&r);
  if (!r.why)
    return NPROF_OK;
  return nprof_fail (n->host, NPROF_E_FORMAT,
                     "byte %" G_GUINT64_FORMAT ": NTFF version %s is not read: %s; %stake what the "
                     "vendor's own tool makes of it: neuron-profile view --output-format json",
                     r.bad, version, r.why,
                     len == 0 || is_known (data[0]) ? "copy the file again if it was cut, or "
                                                    : "");
}

void
ntff_clear (NtffFile *f)
{
  for (guint i = 0; f->graphs && i < f->graphs->len; i++) {
    g_array_unref (ntff_graph (f, i)->dma_clocks);
    g_array_unref (ntff_graph (f, i)->queues);
    g_array_unref (ntff_graph (f, i)->memory);
    g_clear_pointer (&ntff_graph (f, i)->executions, g_array_unref);
  }
  g_clear_pointer (&f->graphs, g_array_unref);
  g_clear_pointer (&f->parts, g_array_unref);
}
