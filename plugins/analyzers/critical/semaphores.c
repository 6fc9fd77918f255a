/* SPDX-License-Identifier: Apache-2.0 */
/* semaphores.c - finds what each instruction of a NeuronCore waited for: which update of a
 * semaphore released it, and which instruction, or which transfer that an instruction began, made
 * the update. What the file does not tell stays unknown. The rule is nprof-analyzer-critical(7). */
#include "critical.h"
#include "devicekit/semaphore-word.h"

/* Records of updates lie within this time of the moment in which an instruction ends or is
 * released. source: 127 public profiles of Inferentia2 and Trainium2: at most 45 and 35 ns */
#define JITTER 100000 /* ps */

#define SEMAPHORE "semaphore " /* and its number: the name of an update */

static gboolean
holds (const AnSemaphoreWord *w, gint64 value)
{
  return w->what == '=' ? value == w->value : value >= w->value;
}

/* -- Updates of a semaphore -------------------------------------------------------------------- */

typedef struct {
  gint64 at, value;
  nprof_track track;
  guint raiser; /* number of an instruction; NOBODY: not known */
} Raise;

/* An instruction raises a semaphore when it is done. */
typedef struct {
  guint op;
  gint64 gives; /* the value, where the instruction itself tells; -1: it does not */
  gboolean used;
} Signal;

typedef struct {
  GArray *raises;    /* of Raise, by time                                     */
  GArray *signals;   /* of Signal, by the end of the instruction              */
  GArray *transfers; /* of guint: those that begin a transfer which raises it */
} Semaphore;

static void
semaphore_free (gpointer semaphore)
{
  Semaphore *s = semaphore;
  g_array_unref (s->raises);
  g_array_unref (s->signals);
  g_array_unref (s->transfers);
  g_free (s);
}

static Semaphore *
semaphore_of (GHashTable *all, guint id)
{
  Semaphore *s = g_hash_table_lookup (all, GUINT_TO_POINTER (id));
  if (s)
    return s;
  s = g_new (Semaphore, 1);
  *s = (Semaphore){ g_array_new (FALSE, FALSE, sizeof (Raise)),
                    g_array_new (FALSE, FALSE, sizeof (Signal)),
                    g_array_new (FALSE, FALSE, sizeof (guint)) };
  g_hash_table_insert (all, GUINT_TO_POINTER (id), s);
  return s;
}

static void
add_updates (const Critical *self, const Units *u, GHashTable *all)
{
  for (guint i = 0; i < u->updates->len; i++) {
    const Update *update = &g_array_index (u->updates, Update, i);
    const char *name = nprof_text (self->host, update->name);
    if (!g_str_has_prefix (name, SEMAPHORE))
      continue;
    const Raise raise = { update->at, update->value, update->track, NOBODY };
    guint id = (guint) strtoul (name + strlen (SEMAPHORE), NULL, 10);
    g_array_append_val (semaphore_of (all, id)->raises, raise);
  }
}

static void
add_transfers (GHashTable *all, const char *text, guint op)
{
  AnSemaphoreWord w;
  for (const char *p = text; (p = an_semaphore_word (p, &w));)
    g_array_append_val (semaphore_of (all, w.id)->transfers, op);
}

/* Returns what the semaphore has behind "S[2]==3 S[2]++"; -1: the instruction does not say. */
static gint64
gives (const char *waits, const AnSemaphoreWord *signal)
{
  AnSemaphoreWord w;
  for (const char *p = waits; signal->what == '+' && (p = an_semaphore_word (p, &w));)
    if (w.semaphore && w.id == signal->id && w.what == '=')
      return w.value + 1;
  return -1;
}

static void
add_signals (GHashTable *all, const char *text, const char *waits, guint op)
{
  AnSemaphoreWord w;
  for (const char *p = text; (p = an_semaphore_word (p, &w));) {
    const Signal signal = { op, gives (waits, &w), FALSE };
    if (w.semaphore)
      g_array_append_val (semaphore_of (all, w.id)->signals, signal);
  }
}

static int
by_end (gconstpointer a, gconstpointer b, gpointer user)
{
  guint i = ((const Signal *) a)->op, j = ((const Signal *) b)->op;
  gint64 x = op_at (user, i)->end, y = op_at (user, j)->end;
  return x != y ? (x < y ? -1 : 1) : i < j ? -1 : i > j;
}

static guint64
distance (gint64 a, gint64 b)
{
  return a > b ? (guint64) a - (guint64) b : (guint64) b - (guint64) a;
}

static gint64
less_jitter (gint64 at)
{
  return at < G_MININT64 + JITTER ? G_MININT64 : at - JITTER;
}

/* Returns the first signal of an instruction that ends at that time or later. */
static guint
signals_from (const Loaded *l, const Semaphore *s, gint64 at)
{
  guint low = 0, high = s->signals->len;
  while (low < high) {
    guint i = (low + high) / 2;
    if (op_at (l, g_array_index (s->signals, Signal, i).op)->end < at)
      low = i + 1;
    else
      high = i;
  }
  return low;
}

/* Gives an update the instruction that ends next to it and has not made another one.  The file says
 * which engine made it, or its core alone. */
static void
find_raiser (Critical *self, const Loaded *l, const Semaphore *s, Raise *r)
{
  gboolean any = an_place (self->places, r->track)->device == r->track;
  guint64 nearest = JITTER + 1;
  Signal *best = NULL;
  for (guint i = signals_from (l, s, less_jitter (r->at)); i < s->signals->len; i++) {
    Signal *signal = &g_array_index (s->signals, Signal, i);
    const Op *op = op_at (l, signal->op);
    if (op->end > r->at && distance (op->end, r->at) > JITTER)
      break;
    if (signal->used || (!any && op->queue != r->track)
        || (signal->gives >= 0 && signal->gives != r->value)
        || distance (op->end, r->at) >= nearest)
      continue;
    nearest = distance (op->end, r->at);
    best = signal;
  }
  if (!best)
    return;
  best->used = TRUE;
  r->raiser = best->op;
}

static void
find_raisers (Critical *self, const Loaded *l, Semaphore *s)
{
  g_array_sort_with_data (s->signals, by_end, (gpointer) l);
  for (guint i = 0; i < s->raises->len; i++)
    find_raiser (self, l, s, &g_array_index (s->raises, Raise, i));
}

static GHashTable *
semaphores_of (Critical *self, const Units *u)
{
  GHashTable *all = g_hash_table_new_full (NULL, NULL, NULL, semaphore_free);
  add_updates (self, u, all);
  for (guint i = 0; i < u->units->len; i++) {
    const Unit *unit = &g_array_index (u->units, Unit, i);
    add_signals (all, nprof_text (self->host, unit->signals), nprof_text (self->host, unit->waits),
                 i);
    add_transfers (all, nprof_text (self->host, unit->dma), i);
  }
  GHashTableIter iter;
  gpointer s;
  g_hash_table_iter_init (&iter, all);
  while (g_hash_table_iter_next (&iter, NULL, &s))
    find_raisers (self, u->loaded, s);
  return all;
}

/* -- Releases ---------------------------------------------------------------------------------- */

static guint
updates_until (const Semaphore *s, gint64 then)
{
  guint low = 0, high = s->raises->len;
  while (low < high) {
    guint i = (low + high) / 2;
    if (g_array_index (s->raises, Raise, i).at <= then)
      low = i + 1;
    else
      high = i;
  }
  return low;
}

/* Returns the update since which the semaphore had what the wait wants when it was over; NULL: the
 * file does not tell, as when updates were lost. */
static const Raise *
release_of (const Semaphore *s, const AnSemaphoreWord *w, gint64 over)
{
  const GArray *raises = s->raises;
  guint n = updates_until (s, over);
  while (n && !holds (w, g_array_index (raises, Raise, n - 1).value)
         && g_array_index (raises, Raise, n - 1).at > less_jitter (over))
    n--; /* others count on as soon as it is released */
  if (!n || !holds (w, g_array_index (raises, Raise, n - 1).value))
    return NULL;
  while (n > 1 && holds (w, g_array_index (raises, Raise, n - 2).value))
    n--;
  return &g_array_index (raises, Raise, n - 1);
}

typedef struct {
  Critical *self;
  Loaded *l;
  GHashTable *semaphores; /* of Semaphore, by id */
} Search;

static const Semaphore *
awaited (const Search *s, const AnSemaphoreWord *w)
{
  return w->semaphore && w->what ? g_hash_table_lookup (s->semaphores, GUINT_TO_POINTER (w->id))
                                 : NULL;
}

/* `over` is when the wait was over: the end of a row that waits, else the start of the
 * instruction. */
static const Raise *
released (const Search *s, const AnSemaphoreWord *w, gint64 over)
{
  const Semaphore *of = awaited (s, w);
  return of ? release_of (of, w, over) : NULL;
}

/* Lets no work of a queue begin later than what follows it there. */
static void
keep_order (Loaded *l)
{
  for (guint i = l->ops->len; i-- > 0;) {
    const Op *op = op_at (l, i);
    guint before = op->before ? op_numbered (l, op->before - 1) : NOBODY;
    if (before != NOBODY && op_at (l, before)->start > op->start)
      g_array_index (l->ops, Op, before).start = op->start;
  }
}

/* -- Who released it --------------------------------------------------------------------------- */

/* Returns the last instruction that began a transfer before then; NOBODY: none did. */
static guint
began_transfer (const Loaded *l, const Semaphore *s, gint64 then)
{
  for (guint i = s->transfers->len; i-- > 0;) {
    guint op = g_array_index (s->transfers, guint, i);
    if (op_at (l, op)->start <= then)
      return op;
  }
  return NOBODY;
}

/* Makes work of the transfer that an instruction began and that raised the semaphore then. */
static guint
transfer_made (const Search *s, guint began, gint64 until)
{
  Loaded *l = s->l;
  const Op *by = op_at (l, began);
  if (until <= by->end)
    return began;
  const Op op = { .start = by->end,
                  .end = until,
                  .call_start = G_MININT64,
                  .call_end = G_MININT64,
                  .name = by->name,
                  .category = s->self->dma,
                  .queue = by->queue,
                  .class = AN_MEMORY,
                  .shown = by->shown };
  guint number = l->ops->len;
  add_op (l, &op, g_array_index (l->numbers, guint32, number - 1) + 1);
  add_wait (l, number, began);
  return number;
}

/* -- Waits ------------------------------------------------------------------------------------- */

static void
set_unsure (const Search *s, guint op)
{
  g_hash_table_add (s->l->unsure, GUINT_TO_POINTER (op + 1));
}

/* This is one thing that an instruction waited for, and when it came. */
typedef struct {
  guint op;
  gint64 at;
  guint raiser, began; /* an instruction that raised, or began a transfer that did; NOBODY: none */
} Wait;

static void
find_waits (const Search *s, guint op, const char *text, GArray *waits)
{
  Op *to = &g_array_index (s->l->ops, Op, op);
  AnSemaphoreWord w;
  for (const char *p = text; (p = an_semaphore_word (p, &w));) {
    const Raise *r = released (s, &w, to->class == OP_WAITS ? to->end : to->start);
    if (!r) {
      set_unsure (s, op);
      to->start = to->class == OP_WAITS ? to->end : to->start;
      continue;
    }
    const Wait wait = { op, r->at, r->raiser, began_transfer (s->l, awaited (s, &w), r->at) };
    g_array_append_val (waits, wait);
  }
}

static int
by_release (gconstpointer a, gconstpointer b)
{
  const Wait *x = a, *y = b;
  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  return x->op < y->op ? -1 : x->op > y->op;
}

/* Moves the start of a row that waits to when it was released, but behind the start of what
 * released it and not beyond its own end. Other rows stay. */
static void
begin_wait (const Search *s, const Wait *w)
{
  Op *to = &g_array_index (s->l->ops, Op, w->op);
  if (to->class != OP_WAITS)
    return;
  gint64 start = MAX (to->start, w->at);
  if (w->raiser != NOBODY && op_at (s->l, w->raiser)->start < to->end)
    start = MAX (start, op_at (s->l, w->raiser)->start + 1);
  to->start = MIN (start, to->end);
}

/* What released it began before it, else the file contradicts itself. */
static gboolean
add_source (Loaded *l, guint op, guint source)
{
  const Op *to = op_at (l, op), *from = op_at (l, source);
  if (from->start > to->start || (from->start == to->start && source >= op))
    return FALSE;
  add_wait (l, op, source);
  return TRUE;
}

/* Returns whether the engine was there only after it was released. */
static gboolean
came_late (const Search *s, const Wait *w)
{
  const Op *op = op_at (s->l, w->op);
  return op->before && w->at <= MIN (op->before_end, op->start);
}

static void
add_release (const Search *s, const Wait *w)
{
  guint source = w->raiser;
  if (source == NOBODY && w->began != NOBODY)
    source = transfer_made (s, w->began, w->at);
  if ((source == NOBODY || !add_source (s->l, w->op, source)) && !came_late (s, w))
    set_unsure (s, w->op);
}

void
semaphores_find (Critical *self, const Units *u)
{
  g_autoptr (GHashTable) all = semaphores_of (self, u);
  g_autoptr (GArray) waits = g_array_new (FALSE, FALSE, sizeof (Wait));
  const Search s = { self, u->loaded, all };
  for (guint i = 0; i < u->units->len; i++)
    find_waits (&s, i, nprof_text (self->host, g_array_index (u->units, Unit, i).waits), waits);
  g_array_sort (waits, by_release);
  for (guint i = 0; i < waits->len; i++)
    begin_wait (&s, &g_array_index (waits, Wait, i));
  keep_order (s.l);
  for (guint i = 0; i < waits->len; i++)
    add_release (&s, &g_array_index (waits, Wait, i));
}
