/* SPDX-License-Identifier: Apache-2.0 */
/* clocks.c - brings times of all clocks onto that of the trace.  Snapshots say what several clocks
 * read at one moment; a time goes over as few of them as there is a way.  format: perfetto.md 3 */
#include "perfetto.h"

enum { ID_UNIX = 1, ID_BOOT = 6, ID_FILE = 11 };
enum { MOST_HOPS = 4, MOST_CLOCKS = 256 }; /* the second also of kinds of snapshots */

typedef struct {
  guint32 machine, sequence, id; /* sequence: of ids 64 to 127; else 0 */
} ClockKey;

/* What two clocks read at one moment. */
typedef struct {
  gint64 from, to;
} Pair;

typedef struct {
  ClockKey key;
  gint64 unit; /* ns */
  bool adds, backwards, reachable;
  GPtrArray *way; /* of GArray of Pair, by `from` */
} Clock;

typedef struct {
  guint32 clock; /* its place */
  gint64 ns;
} Reading;

/* Snapshots of the same clocks, one behind the other. */
typedef struct {
  GArray *clocks;   /* of guint32 */
  GArray *readings; /* of gint64: those of a snapshot after the other */
} Kind;

struct PfClocks {
  GPtrArray *clocks;
  GHashTable *by_key; /* place + 1 */
  GPtrArray *kinds;
  guint32 primary; /* 0: none is stated */
};

/* -- Life -------------------------------------------------------------------------------------- */

static guint
key_hash (gconstpointer p)
{
  const ClockKey *k = p;
  return (k->machine * 31 + k->sequence) * 131 + k->id;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (ClockKey)) == 0;
}

static void
clock_free (gpointer data)
{
  Clock *clock = data;
  g_clear_pointer (&clock->way, g_ptr_array_unref);
  g_free (clock);
}

static void
kind_free (gpointer data)
{
  Kind *kind = data;
  g_array_unref (kind->clocks);
  g_array_unref (kind->readings);
  g_free (kind);
}

PfClocks *
pf_clocks_new (void)
{
  PfClocks *self = g_new0 (PfClocks, 1);
  self->clocks = g_ptr_array_new_with_free_func (clock_free);
  self->by_key = g_hash_table_new (key_hash, key_equal);
  self->kinds = g_ptr_array_new_with_free_func (kind_free);
  return self;
}

void
pf_clocks_free (PfClocks *self)
{
  if (!self)
    return;
  g_hash_table_unref (self->by_key);
  g_ptr_array_unref (self->clocks);
  g_ptr_array_unref (self->kinds);
  g_free (self);
}

static bool
is_of_sequence (guint32 id)
{
  return id >= 64 && id < 128;
}

static ClockKey
key_of (const PfState *state, guint32 id)
{
  return (ClockKey){ state->machine, is_of_sequence (id) ? state->number : 0, id };
}

static Clock *
find_clock (const PfClocks *self, const ClockKey *key, guint32 *place)
{
  const guint at = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_key, key));
  if (place)
    *place = at - 1;
  return at ? g_ptr_array_index (self->clocks, at - 1) : NULL;
}

static Clock *
add_clock (PfClocks *self, const ClockKey *key, guint32 *place)
{
  Clock *clock = find_clock (self, key, place);
  if (clock)
    return clock;
  clock = g_new0 (Clock, 1);
  clock->key = *key;
  *place = self->clocks->len;
  g_ptr_array_add (self->clocks, clock);
  g_hash_table_insert (self->by_key, &clock->key, GUINT_TO_POINTER (self->clocks->len));
  return clock;
}

/* -- Snapshots --------------------------------------------------------------------------------- */

static void
set_delta (PfState *state, guint32 id, gint64 unit, gint64 now)
{
  guint i = 0;
  while (i < state->n_deltas && state->deltas[i].id != id)
    i++;
  if (i == PF_DELTAS)
    return;
  state->deltas[i] = (PfDelta){ id, unit, now };
  state->n_deltas = MAX (state->n_deltas, i + 1);
}

static bool
same_clocks (const Kind *kind, const GArray *readings)
{
  if (kind->clocks->len != readings->len)
    return false;
  for (guint i = 0; i < readings->len; i++)
    if (g_array_index (kind->clocks, guint32, i) != g_array_index (readings, Reading, i).clock)
      return false;
  return true;
}

static Kind *
kind_of (PfClocks *self, const GArray *readings)
{
  for (guint i = self->kinds->len; i-- > 0;)
    if (same_clocks (g_ptr_array_index (self->kinds, i), readings))
      return g_ptr_array_index (self->kinds, i);
  Kind *kind = g_new0 (Kind, 1);
  kind->clocks = g_array_new (FALSE, FALSE, sizeof (guint32));
  kind->readings = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < readings->len; i++)
    g_array_append_val (kind->clocks, g_array_index (readings, Reading, i).clock);
  g_ptr_array_add (self->kinds, kind);
  return kind;
}

static int
by_clock (gconstpointer a, gconstpointer b)
{
  const Reading *x = a, *y = b;
  return (x->clock > y->clock) - (x->clock < y->clock);
}

/* A clock that went back says of a reading not when it was: it leads to others only where no other
 * way does. */
static void
note_backwards (PfClocks *self, const Kind *kind, const GArray *readings)
{
  const guint n = readings->len;
  if (kind->readings->len < n)
    return;
  for (guint i = 0; i < n; i++) {
    const Reading *r = &g_array_index (readings, Reading, i);
    const gint64 last = g_array_index (kind->readings, gint64, kind->readings->len - n + i);
    Clock *clock = g_ptr_array_index (self->clocks, r->clock);
    clock->backwards |= r->ns < last;
  }
}

static void
keep_snapshot (PfClocks *self, GArray *readings)
{
  g_array_sort (readings, by_clock);
  if (self->kinds->len >= MOST_CLOCKS)
    return;
  Kind *kind = kind_of (self, readings);
  note_backwards (self, kind, readings);
  for (guint i = 0; i < readings->len; i++)
    g_array_append_val (kind->readings, g_array_index (readings, Reading, i).ns);
}

/* Reads one clock of a snapshot; false: nothing can be said of it. */
static bool
read_clock (PfWalk *w, PfState *state, PbSpan body, bool learn, GArray *readings)
{
  const guint32 id = (guint32) pf_number (body, 1, 0);
  const gint64 unit = MAX ((gint64) pf_number (body, 4, 1), 1);
  const bool adds = pf_number (body, 3, 0);
  gint64 ns;
  if (__builtin_mul_overflow ((gint64) pf_number (body, 2, 0), unit, &ns)
      || (adds && !is_of_sequence (id)))
    return false;
  if (adds)
    set_delta (state, id, unit, ns);
  if (!learn)
    return true;
  if (w->pf->clocks->clocks->len >= MOST_CLOCKS)
    return false;
  Reading reading = { .ns = ns };
  const ClockKey key = key_of (state, id);
  Clock *clock = add_clock (w->pf->clocks, &key, &reading.clock);
  if (!clock->unit) {
    clock->unit = unit;
    clock->adds = adds;
  }
  g_array_append_val (readings, reading);
  return true;
}

void
pf_snapshot (PfWalk *w, PfState *state, PbSpan body, bool learn)
{
  g_autoptr (GArray) readings = g_array_new (FALSE, FALSE, sizeof (Reading));
  PfClocks *self = w->pf->clocks;
  const guint32 primary = (guint32) pf_number (body, 2, 0);
  bool boot = false, file = false;
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    if (f.tag != PB_BYTES (1))
      continue;
    const guint64 id = pf_number (f.span, 1, 0);
    boot |= id == ID_BOOT;
    file |= id == ID_FILE;
    if (!read_clock (w, state, f.span, learn, readings) && learn)
      w->host->skip (
          w->host, "clock of a snapshot", pf_byte (w->pf, 0),
          "it adds up though it is of all sequences, is beyond what times can say, or there "
          "are more than 256");
  }
  if (!learn)
    return;
  if (primary)
    self->primary = primary;
  else if (boot && !file)
    self->primary = ID_BOOT;
  w->pf->has_snapshots = true;
  keep_snapshot (self, readings);
}

/* -- Ways -------------------------------------------------------------------------------------- */

static int
by_from (gconstpointer a, gconstpointer b)
{
  const Pair *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

static GArray *
pairs_of (const Kind *kind, guint from, guint to)
{
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (Pair));
  for (guint i = 0; i < kind->readings->len; i += kind->clocks->len) {
    const Pair pair = { g_array_index (kind->readings, gint64, i + from),
                        g_array_index (kind->readings, gint64, i + to) };
    g_array_append_val (pairs, pair);
  }
  g_array_sort (pairs, by_from);
  return pairs;
}

/* A clock that was reached: by which kind of snapshot, and from which clock. */
typedef struct {
  guint32 clock, before; /* before: place in the list; PF_NONE: none */
  guint kind, from, to, hops;
} Reached;

static bool
was_reached (const GArray *list, guint32 clock)
{
  for (guint i = 0; i < list->len; i++)
    if (g_array_index (list, Reached, i).clock == clock)
      return true;
  return false;
}

static void
reach_by (const Kind *kind, guint number, guint32 at, GArray *list)
{
  const Reached here = g_array_index (list, Reached, at);
  guint from = 0;
  while (from < kind->clocks->len && g_array_index (kind->clocks, guint32, from) != here.clock)
    from++;
  for (guint to = 0; from < kind->clocks->len && to < kind->clocks->len; to++) {
    const Reached next
        = { g_array_index (kind->clocks, guint32, to), at, number, from, to, here.hops + 1 };
    if (!was_reached (list, next.clock))
      g_array_append_val (list, next);
  }
}

static void
take_way (const PfClocks *self, Clock *clock, const GArray *list, guint32 at)
{
  clock->reachable = true;
  for (;;) {
    const Reached *r = &g_array_index (list, Reached, at);
    if (r->before == PF_NONE)
      return;
    const Kind *kind = g_ptr_array_index (self->kinds, r->kind);
    g_ptr_array_insert (clock->way, 0, pairs_of (kind, r->from, r->to));
    at = r->before;
  }
}

/* Finds the fewest hops from a clock to another one; `any` also over clocks that went back. */
static void
find_way_over (const PfClocks *self, Clock *clock, guint32 place, const ClockKey *to, bool any)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (Reached));
  const Reached first = { place, PF_NONE, 0, 0, 0, 0 };
  g_array_append_val (list, first);
  for (guint32 i = 0; i < list->len; i++) {
    const Reached here = g_array_index (list, Reached, i);
    const Clock *at = g_ptr_array_index (self->clocks, here.clock);
    if (key_equal (&at->key, to)) {
      take_way (self, clock, list, i);
      return;
    }
    for (guint k = 0; k < self->kinds->len && here.hops < MOST_HOPS && (any || !at->backwards); k++)
      reach_by (g_ptr_array_index (self->kinds, k), k, i, list);
  }
}

static void
find_way (const PfClocks *self, Clock *clock, guint32 place, const ClockKey *to)
{
  find_way_over (self, clock, place, to, false);
  if (!clock->reachable)
    find_way_over (self, clock, place, to, true);
}

static guint32
target (const PfClocks *self)
{
  return self->primary ? self->primary : ID_BOOT;
}

void
pf_clocks_settle (Perfetto *pf)
{
  PfClocks *self = pf->clocks;
  const ClockKey to = { .id = target (self) };
  for (guint32 i = 0; i < self->clocks->len; i++) {
    Clock *clock = g_ptr_array_index (self->clocks, i);
    clock->way = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
    find_way (self, clock, i, &to);
  }
}

/* -- Conversion -------------------------------------------------------------------------------- */

/* Goes by the last pair that is not behind, else the first. */
static gint64
hop (const GArray *pairs, gint64 ns)
{
  guint low = 0, high = pairs->len;
  gint64 apart, to;
  while (low < high) {
    const guint middle = low + (high - low) / 2;
    if (g_array_index (pairs, Pair, middle).from <= ns)
      low = middle + 1;
    else
      high = middle;
  }
  const Pair *pair = &g_array_index (pairs, Pair, low ? low - 1 : 0);
  return __builtin_sub_overflow (ns, pair->from, &apart)
                 || __builtin_add_overflow (pair->to, apart, &to)
             ? PF_NO_TIME
             : to;
}

static gint64
go (const Clock *clock, gint64 ns)
{
  if (!clock || !clock->reachable)
    return PF_NO_TIME;
  for (guint i = 0; i < clock->way->len && ns != PF_NO_TIME; i++)
    ns = hop (g_ptr_array_index (clock->way, i), ns);
  return ns;
}

gint64
pf_to_trace (const Perfetto *pf, const PfState *state, guint32 id, gint64 ns)
{
  const PfClocks *self = pf->clocks;
  if (!id || id == target (self) || (!self->kinds->len && !is_of_sequence (id)))
    return ns;
  const ClockKey key = key_of (state, id);
  return go (find_clock (self, &key, NULL), ns);
}

static PfDelta *
delta_of (PfState *state, guint32 id)
{
  for (guint i = 0; i < state->n_deltas; i++)
    if (state->deltas[i].id == id)
      return &state->deltas[i];
  return NULL;
}

static gint64
packet_time (PfWalk *w, PfPacket *k)
{
  PfState *state = k->state;
  const PfDefaults *defaults = g_ptr_array_index (w->pf->defaults, state->defaults);
  gint64 ns;
  const guint32 id = k->clock ? k->clock : defaults->clock;
  PfDelta *delta = is_of_sequence (id) ? delta_of (state, id) : NULL;
  if (delta) {
    if ((k->flags & FLAG_NEEDS_STATE) && !state->valid)
      return PF_NO_TIME;
    if (__builtin_mul_overflow ((gint64) k->time, delta->unit, &ns)
        || __builtin_add_overflow (delta->now, ns, &ns))
      return PF_NO_TIME;
    delta->now = ns;
    k->adds = true;
    return pf_to_trace (w->pf, state, id, ns);
  }
  const ClockKey key = key_of (state, id);
  const Clock *clock = id && id != ID_BOOT ? find_clock (w->pf->clocks, &key, NULL) : NULL;
  if (__builtin_mul_overflow ((gint64) k->time, clock && clock->unit ? clock->unit : 1, &ns))
    return PF_NO_TIME;
  return pf_to_trace (w->pf, state, id, ns);
}

gint64
pf_packet_time (PfWalk *w, PfPacket *k)
{
  const gint64 ns = packet_time (w, k);
  if (ns != PF_NO_TIME)
    k->state->last = ns;
  return ns;
}

/* -- Unix time --------------------------------------------------------------------------------- */

bool
pf_unix (const Perfetto *pf, gint64 ns, gint64 *unix_ns)
{
  const PfClocks *self = pf->clocks;
  const ClockKey from = { .id = target (self) }, to = { .id = ID_UNIX };
  guint32 place;
  if (from.id == ID_UNIX) {
    *unix_ns = ns;
    return true;
  }
  Clock *clock = find_clock (self, &from, &place);
  if (!clock)
    return false;
  Clock way = { .way = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref) };
  find_way (self, &way, place, &to);
  *unix_ns = go (&way, ns);
  g_ptr_array_unref (way.way);
  return way.reachable && *unix_ns != PF_NO_TIME;
}
