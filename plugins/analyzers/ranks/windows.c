/* SPDX-License-Identifier: Apache-2.0 */
/* windows.c - how a device spent the time before each of its collectives: from the end of the last
 * one that computing waited for, computing, in other collectives, in copies, for its host, or idle
 * although its work was launched. */
#include "ranks.h"

#include <string.h>

#define LOOK_BACK 200u /* collectives in which the one beside a window is looked for */

/* ps that each kind had taken when the piece begins. */
typedef struct {
  gint64 start, before[SEGS];
  guint32 seg;
} Spent;

typedef struct {
  gint64 start, end;
} Gap;

/* -- Which collectives are waited for ---------------------------------------------------------- */

/* Then by start. */
static int
kernels_by_launch (gconstpointer pa, gconstpointer pb)
{
  const Kernel *a = pa, *b = pb;
  if (a->launch != b->launch)
    return a->launch < b->launch ? -1 : 1;
  return a->start < b->start ? -1 : a->start > b->start;
}

/* The first that is launched behind it; NULL: none. */
static const Kernel *
next_kernel (const GArray *launched, gint64 launch)
{
  guint low = 0, high = launched->len;
  while (low < high) {
    guint middle = (low + high) / 2;
    if (g_array_index (launched, Kernel, middle).launch <= launch)
      low = middle + 1;
    else
      high = middle;
  }
  return low < launched->len ? &g_array_index (launched, Kernel, low) : NULL;
}

#define SLACK 1000000 /* ps: clocks of a device are no finer */

/* Does what is launched next wait for it?  What the host launched behind its end says nothing. */
static gint
vote (const Seen *seen, const Kernel *next)
{
  if (!next)
    return 0;
  if (next->start < seen->end - SLACK)
    return -1;
  return !next->launched || next->launch < seen->end;
}

/* A class of collectives is waited for when most of them end before what is launched next computes:
 * one alone may end so by chance, while the host is late. */
static void
mark_waited (const Device *d)
{
  AnKeyTable classes;
  g_autoptr (GArray) launched = g_array_copy (d->kernels);
  g_autoptr (GArray) votes = g_array_new (FALSE, TRUE, sizeof (gint));
  g_autofree guint *class = g_new (guint, d->seen->len + 1);
  g_array_sort (launched, kernels_by_launch);
  an_key_table_init (&classes, 1 + S_WORDS);
  for (guint i = 0; i < d->seen->len; i++) {
    const Seen *seen = &g_array_index (d->seen, Seen, i);
    guint32 key[1 + S_WORDS] = { seen->group };
    memcpy (key + 1, seen->signature, sizeof seen->signature);
    class[i] = an_key_table_get (&classes, key);
    if (class[i] == votes->len)
      g_array_set_size (votes, class[i] + 1);
    g_array_index (votes, gint, class[i]) += vote (seen, next_kernel (launched, seen->launch));
  }
  for (guint i = 0; i < d->seen->len; i++)
    g_array_index (d->seen, Seen, i).waited = g_array_index (votes, gint, class[i]) >= 0;
  an_key_table_clear (&classes);
}

static int
by_end (gconstpointer pa, gconstpointer pb)
{
  const Wait *a = pa, *b = pb;
  if (a->end != b->end)
    return a->end < b->end ? -1 : 1;
  return a->seen < b->seen ? -1 : a->seen > b->seen;
}

static GArray *
find_waits (const Device *d)
{
  GArray *waits = g_array_new (FALSE, FALSE, sizeof (Wait));
  mark_waited (d);
  for (guint i = 0; i < d->seen->len; i++) {
    const Seen *seen = &g_array_index (d->seen, Seen, i);
    const Wait wait = { seen->end, i };
    if (seen->waited)
      g_array_append_val (waits, wait);
  }
  g_array_sort (waits, by_end);
  return waits;
}

/* Returns how many of them ended by then. */
static guint
waits_until (const GArray *waits, gint64 at)
{
  guint low = 0, high = waits->len;
  while (low < high) {
    guint middle = (low + high) / 2;
    if (g_array_index (waits, Wait, middle).end <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* -- How time is spent ------------------------------------------------------------------------- */

/* From the end of what it computed and waited for until the host launched what it computes next. */
static GArray *
host_gaps (const Device *d, const GArray *waits)
{
  GArray *gaps = g_array_new (FALSE, FALSE, sizeof (Gap));
  gint64 computed = G_MININT64;
  for (guint i = 0; i < d->kernels->len; i++) {
    const Kernel *k = &g_array_index (d->kernels, Kernel, i);
    guint n = waits_until (waits, k->start);
    gint64 ready = n ? MAX (computed, g_array_index (waits, Wait, n - 1).end) : computed;
    const Gap gap = { ready, MIN (k->launch, k->start) };
    if (i && k->launched && gap.start < gap.end)
      g_array_append_val (gaps, gap);
    computed = MAX (computed, k->end);
  }
  return gaps;
}

/* Returns what the time of a piece is counted as.  The upper AN_SWEEP_CLASSES bits are of work that
 * runs apart, beside other work: it may be a collective or a copy, but only work that does not run
 * apart counts as computing.  Waits and setup are no work, as in the sums of a rank. */
static guint
seg_of (guint32 classes)
{
  guint32 all = classes | classes >> AN_SWEEP_CLASSES;
  if (classes >> AN_COMPUTE & 1)
    return SEG_COMPUTE;
  if (all >> AN_COMMUNICATION & 1)
    return SEG_COLLECTIVE;
  return all >> AN_MEMORY & 1 ? SEG_COPY : SEG_IDLE;
}

static void
spend (GArray *spent, gint64 start, gint64 end, guint seg)
{
  Spent next = { .start = start, .seg = seg };
  if (spent->len) {
    const Spent *last = &g_array_index (spent, Spent, spent->len - 1);
    memcpy (next.before, last->before, sizeof next.before);
    next.before[last->seg] += start - last->start;
  }
  g_array_append_val (spent, next);
  next.before[seg] += end - start;
  next.start = end;
  next.seg = SEG_IDLE; /* nothing is under way until the next piece */
  g_array_append_val (spent, next);
}

/* While the host is late, that is why time passes, whatever is under way beside computing. */
static void
spend_piece (GArray *spent, const Piece *piece, const GArray *gaps, guint *gap)
{
  guint seg = seg_of (piece->classes);
  gint64 at = piece->start;
  while (*gap < gaps->len && g_array_index (gaps, Gap, *gap).end <= at)
    (*gap)++;
  for (guint i = *gap; seg != SEG_COMPUTE && i < gaps->len; i++) {
    const Gap *g = &g_array_index (gaps, Gap, i);
    if (g->start >= piece->end)
      break;
    gint64 from = MAX (g->start, at), to = MIN (g->end, piece->end);
    if (at < from)
      spend (spent, at, from, seg);
    spend (spent, from, to, SEG_HOST);
    at = to;
  }
  if (at < piece->end)
    spend (spent, at, piece->end, seg);
}

Past *
past_new (const Device *d)
{
  Past *past = g_new0 (Past, 1);
  past->waits = find_waits (d);
  past->spent = g_array_new (FALSE, FALSE, sizeof (Spent));
  g_autoptr (GArray) gaps = host_gaps (d, past->waits);
  guint gap = 0;
  for (guint i = 0; i < d->pieces->len; i++) {
    const Piece *piece = &g_array_index (d->pieces, Piece, i);
    const Piece idle = { i ? piece[-1].end : piece->start, piece->start, 0 };
    if (idle.start < idle.end)
      spend_piece (past->spent, &idle, gaps, &gap);
    spend_piece (past->spent, piece, gaps, &gap);
  }
  return past;
}

void
past_free (Past *past)
{
  g_array_unref (past->waits);
  g_array_unref (past->spent);
  g_free (past);
}

static gint64
spent_until (const Past *past, guint seg, gint64 at)
{
  guint low = 0, high = past->spent->len;
  while (low < high) {
    guint middle = (low + high) / 2;
    if (g_array_index (past->spent, Spent, middle).start <= at)
      low = middle + 1;
    else
      high = middle;
  }
  if (!low)
    return 0;
  const Spent *s = &g_array_index (past->spent, Spent, low - 1);
  return s->before[seg] + (s->seg == seg ? at - s->start : 0);
}

gint64
past_spent (const Past *past, guint seg, gint64 from, gint64 to)
{
  return to > from ? spent_until (past, seg, to) - spent_until (past, seg, from) : 0;
}

/* -- Windows ----------------------------------------------------------------------------------- */

typedef struct {
  guint32 group, seen;
  gint64 exposed;
} Beside;

/* Returns the group of the window of which most is exposed, by its last collective: the queue
 * behind a slow transfer is spread over several. */
static guint
longest_beside (const Device *d, const Past *past, guint seen, gint64 from)
{
  const Seen *own = &g_array_index (d->seen, Seen, seen);
  Beside groups[8];
  guint n = 0, best = 0;
  for (guint i = seen; i > 0 && i + LOOK_BACK > seen; i--) {
    const Seen *other = &g_array_index (d->seen, Seen, i - 1);
    gint64 a = MAX (other->start, from), b = MIN (other->end, own->start);
    gint64 exposed = b > a ? b - a - past_spent (past, SEG_COMPUTE, a, b) : 0;
    guint k = 0;
    while (k < n && groups[k].group != other->group)
      k++;
    if (exposed <= 0 || k == G_N_ELEMENTS (groups))
      continue;
    if (k == n)
      groups[n++] = (Beside){ other->group, i - 1, 0 };
    groups[k].exposed += exposed;
  }
  for (guint k = 1; k < n; k++)
    if (groups[k].exposed > groups[best].exposed)
      best = k;
  return n ? groups[best].seen + 1 : 0;
}

static guint32
call_of (const Device *d, guint seen)
{
  return seen ? g_array_index (d->seen, Seen, seen - 1).call : 0;
}

void
find_window (const Device *d, const Past *past, guint seen, Window *window)
{
  const Seen *own = &g_array_index (d->seen, Seen, seen);
  guint n = waits_until (past->waits, own->start);
  *window = (Window){ 0 };
  while (n && g_array_index (past->waits, Wait, n - 1).seen == seen)
    n--; /* of no duration */
  if (!n)
    return;
  const Wait *last = &g_array_index (past->waits, Wait, n - 1);
  gint64 rest = own->start - last->end;
  for (guint i = 0; i < SEG_IDLE; i++)
    rest -= window->seg[i] = past_spent (past, i, last->end, own->start);
  window->seg[SEG_IDLE] = rest;
  window->before = call_of (d, last->seen + 1);
  if (window->seg[SEG_COLLECTIVE] > 0)
    window->beside = call_of (d, longest_beside (d, past, seen, last->end));
  window->has = 1;
}
