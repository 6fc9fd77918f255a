/* SPDX-License-Identifier: Apache-2.0 */
/* semaphores.c - draws an arrow from the instruction that raised a semaphore to the value
 * that another waits for to that one. A wait for S[n]>=v has the v-th instruction that raised S[n]
 * by one, by the order of their ends, where nothing else writes S[n].  Where transfers of one
 * engine alone raise it, it has the instruction with whose transfers they reach v, in the order in
 * which it began them.  All other waits are counted with what speaks against it. This is for
 * instructions whose predecessors no NEFF tells; where one does, these are among them
 * (predecessors.c). */
#include "file.h"

enum { MODE_EQUAL = 1, MODE_REACHED = 5, MODE_EVENT = 7, MODE_RAISE = 0x13, N_SEMAPHORES = 256 };

typedef struct {
  uint64_t at; /* the id of its row */
  int64_t start, end;
  nprof_track track;
} Place;

/* This began transfers, which raise a semaphore in all by so much. */
typedef struct {
  Place place; /* first, for by_end */
  uint8_t by;
} Issue;

typedef struct {
  Place place;
  int64_t until; /* when it waited no more */
  uint32_t value;
  uint8_t mode, id;
} Wait;

typedef struct {
  bool lost;                       /* instructions of the core were lost                  */
  GArray *raised[N_SEMAPHORES];    /* of Place; NULL: no instruction raised it            */
  GArray *issued[N_SEMAPHORES];    /* of Issue; NULL: no transfer raised it               */
  const char *other[N_SEMAPHORES]; /* why values do not count instructions; NULL: they do */
  GArray *waits;                   /* of Wait                                             */
} Core;

struct NtffSemaphores {
  GArray *cores; /* of Core, by graph */
};

static void
core_clear (gpointer data)
{
  Core *core = data;
  for (guint i = 0; i < N_SEMAPHORES; i++) {
    g_clear_pointer (&core->raised[i], g_array_unref);
    g_clear_pointer (&core->issued[i], g_array_unref);
  }
  g_clear_pointer (&core->waits, g_array_unref);
}

void
ntff_semaphores_free (NtffSemaphores *s)
{
  if (!s)
    return;
  g_array_unref (s->cores);
  g_free (s);
}

/* -- What instructions say -------------------------------------------------------------------- */

static Core *
core_of (NtffWalk *w, uint32_t graph)
{
  if (!w->semaphores) {
    w->semaphores = g_new0 (NtffSemaphores, 1);
    w->semaphores->cores = g_array_new (FALSE, TRUE, sizeof (Core));
    g_array_set_clear_func (w->semaphores->cores, core_clear);
    g_array_set_size (w->semaphores->cores, w->f->graphs->len);
  }
  Core *core = &g_array_index (w->semaphores->cores, Core, graph);
  if (!core->waits)
    core->waits = g_array_new (FALSE, FALSE, sizeof (Wait));
  return core;
}

static void
see_signal (Core *core, uint8_t mode, uint8_t id, const Place *place)
{
  if (mode == MODE_RAISE) {
    if (!core->raised[id])
      core->raised[id] = g_array_new (FALSE, FALSE, sizeof (Place));
    g_array_append_val (core->raised[id], *place);
  } else if (mode && mode != 0x11) /* an event is no semaphore */
    core->other[id] = "instructions lower or set it as well, so that its value counts no signals";
}

static void
see_issue (Core *core, uint8_t id, uint8_t by, const Place *place)
{
  const Issue issue = { *place, by };
  if (!core->issued[id])
    core->issued[id] = g_array_new (FALSE, FALSE, sizeof (Issue));
  else if (g_array_index (core->issued[id], Issue, 0).place.track != place->track)
    core->other[id] = "transfers of several engines raise it, whose order the file does not say";
  g_array_append_val (core->issued[id], issue);
}

static void
see_wait (Core *core, uint8_t mode, const uint8_t *code, const Place *place, int64_t until)
{
  Wait wait = { .place = *place, .until = until, .mode = mode, .id = code[1] };
  memcpy (&wait.value, code + 4, 4);
  wait.value = GUINT32_FROM_LE (wait.value);
  if (mode)
    g_array_append_val (core->waits, wait);
}

void
ntff_see_semaphores (NtffWalk *w, uint32_t graph, nprof_track track, const NtffInstruction *i,
                     bool tied)
{
  const uint8_t *code = i->code;
  Core *core = core_of (w, graph);
  Place place = { i->at, i->start, i->end, track };
  /* while it is under way; others before they begin */
  bool waits = code[0] == NTFF_OP_EVENT_SEMAPHORE;
  core->lost |= i->lost;
  see_wait (core, tied ? 0 : code[4], code + 4, &place, waits ? i->end : i->start);
  see_signal (core, code[6], code[7], &place);
  if (waits) {
    see_wait (core, tied ? 0 : code[32], code + 32, &place, i->end);
    see_signal (core, code[34], code[35], &place);
  }
  if (code[0] == NTFF_OP_DMA_DIRECT2D)
    see_issue (core, code[13], code[14], &place);
}

/* -- Arrows ------------------------------------------------------------------------------------ */

static int
by_end (gconstpointer a, gconstpointer b)
{
  const Place *x = a, *y = b;
  if (x->end != y->end)
    return x->end < y->end ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

/* Returns the instruction with whose transfers all before it raise the semaphore to a value; NULL:
 * none does. */
static const Place *
issue_of (const GArray *issued, uint32_t value)
{
  uint64_t sum = 0;
  for (guint i = 0; i < issued->len; i++) {
    const Issue *issue = &g_array_index (issued, Issue, i);
    if ((sum += issue->by) >= value)
      return &issue->place;
  }
  return NULL;
}

/* Finds the instruction that ended a wait.  Returns NULL, or why none is known. */
static const char *
signal_of (const Core *core, const NtffGraph *g, const Wait *wait, const Place **from)
{
  const GArray *raised = core->raised[wait->id], *issued = core->issued[wait->id];
  if (wait->mode == MODE_EVENT)
    return "it is for an event, which does not say how often it was set";
  if (wait->mode != MODE_EQUAL && wait->mode != MODE_REACHED)
    return "its mode is unknown";
  if (g->executions && g->executions->len > 1)
    return "the file has several executions, and nothing says where semaphores begin again";
  if (core->lost)
    return "instructions of its core were lost";
  if (core->other[wait->id])
    return core->other[wait->id];
  if (!wait->value)
    return "it is for 0, at which semaphores begin";
  if (raised && issued)
    return "instructions and transfers raise it, in an order that the file does not say";
  if (issued)
    *from = issue_of (issued, wait->value);
  else if (raised && raised->len >= wait->value)
    *from = &g_array_index (raised, Place, wait->value - 1);
  if (!*from)
    return "fewer instructions raise it: the rest are transfers";
  return (*from)->end > wait->until
             ? "it ended before so many instructions had raised it: transfers did"
             : NULL;
}

static nprof_status
end_row (const NtffWalk *w, const Wait *wait, const Place *place, uint64_t flow, nprof_str phase)
{
  Ntff *n = w->n;
  char name[32];
  g_snprintf (name, sizeof name, "semaphore %u", wait->id);
  nprof_status status = nprof_row (n->w, NPROF_FLOW, place->track, nprof_intern (n->host, name),
                                   place->start - w->origin, 0);
  if (status)
    return status;
  nprof_set_category (n->w, n->category_semaphore);
  nprof_set_flow (n->w, flow);
  nprof_set_parent (n->w, place->at);
  return nprof_attr_str (n->w, n->key_phase, phase);
}

static nprof_status
draw_core (const NtffWalk *w, Core *core, const NtffGraph *g, uint64_t *flow)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < N_SEMAPHORES; i++) {
    if (core->raised[i])
      g_array_sort (core->raised[i], by_end);
    if (core->issued[i])
      g_array_sort (core->issued[i], by_end);
  }
  for (guint i = 0; core->waits && i < core->waits->len && !status; i++) {
    const Wait *wait = &g_array_index (core->waits, Wait, i);
    const Place *from = NULL;
    const char *why = signal_of (core, g, wait, &from);
    if (why) {
      w->n->host->skip (w->n->host, "signal of a wait for a semaphore", wait->place.at, why);
      continue;
    }
    status = end_row (w, wait, from, ++*flow, w->n->phase_begin);
    status = status ? status : end_row (w, wait, &wait->place, *flow, w->n->phase_end);
  }
  return status;
}

nprof_status
ntff_draw_semaphores (NtffWalk *w)
{
  uint64_t flow = 0;
  nprof_status status = NPROF_OK;
  for (guint i = 0; w->semaphores && i < w->semaphores->cores->len && !status; i++)
    status = draw_core (w, &g_array_index (w->semaphores->cores, Core, i), ntff_graph (w->f, i),
                        &flow);
  return status;
}
