/* SPDX-License-Identifier: Apache-2.0 */
/* sanity-rules.c - judges the rows of one input: launches and their work, clocks, ranks in one
 * file. */
#include "devicekit/sanity-rules.h"

#include <stdlib.h>
#include <string.h>

#define MS G_GINT64_CONSTANT (1000000000) /* ps */
#define SECOND (1000 * MS)
#define TEN_MINUTES (600 * SECOND)
#define ROWS_OF_WRITER 1000000u /* writers stop at multiples of it */

void
an_sanity_input_init (AnSanityInput *in, uint32_t input)
{
  *in = (AnSanityInput){ .input = input,
                         .first = G_MAXINT64,
                         .last = G_MININT64,
                         .work = np_large_array_new (sizeof (AnSanityWork)),
                         .calls = np_large_array_new (sizeof (AnSanityCall)),
                         .steps = g_array_new (FALSE, FALSE, sizeof (AnSanityStep)) };
}

void
an_sanity_input_clear (AnSanityInput *in)
{
  np_large_array_free (in->work);
  np_large_array_free (in->calls);
  g_clear_pointer (&in->steps, g_array_unref);
  *in = (AnSanityInput){ .input = in->input };
}

/* source: names of CUDA's and HIP's runtimes and drivers, and of PyTorch's for XPU and MTIA */
guint
an_call_is (const char *name)
{
  static const char *const vendors[] = { "cuda", "hip", "cu", "xpu", "mtia" };
  static const char *const launches[]
      = { "launch", "extlaunch", "modulelaunch", "hccmodulelaunch", "extmodulelaunch" };
  guint is = g_str_has_prefix (name, "hip")  ? AN_CALL_HIP
             : g_str_has_prefix (name, "cu") ? AN_CALL_CUDA
                                             : 0;
  if (is && strstr (name, "StreamBeginCapture"))
    return is | AN_CALL_BEGINS_CAPTURE;
  if (is && strstr (name, "StreamEndCapture"))
    return is | AN_CALL_ENDS_CAPTURE;
  for (gsize i = 0; i < G_N_ELEMENTS (vendors); i++)
    if (g_ascii_strncasecmp (name, vendors[i], strlen (vendors[i])) == 0) {
      name += strlen (vendors[i]);
      break;
    }
  name += *name == '_';
  if (g_ascii_strncasecmp (name, "graphlaunch", 11) == 0)
    return is | AN_CALL_LAUNCHES | AN_CALL_GRAPH;
  for (gsize i = 0; i < G_N_ELEMENTS (launches); i++)
    if (g_ascii_strncasecmp (name, launches[i], strlen (launches[i])) == 0)
      return is | AN_CALL_LAUNCHES;
  return is;
}

/* -- Which call launched what ------------------------------------------------------------------ */

/* It finds the first call of an id; launches go before others. */
typedef struct {
  const AnSanityInput *in;
  guint32 *slot; /* 1 + number of a call; 0: free */
  gsize mask, bytes;
  guint64 twice; /* ids that two launches have */
} Calls;

static AnSanityCall *
call_at (const AnSanityInput *in, guint i)
{
  return &g_array_index (in->calls, AnSanityCall, i);
}

static AnSanityWork *
work_at (const AnSanityInput *in, guint i)
{
  return &g_array_index (in->work, AnSanityWork, i);
}

/* Returns the slot of an id, or the free one that it would take. */
static guint32 *
slot_of (const Calls *c, guint64 id)
{
  gsize i = (gsize) (id * 0x9e3779b97f4a7c15u >> 20) & c->mask;
  while (c->slot[i] && call_at (c->in, c->slot[i] - 1)->correlation != id)
    i = (i + 1) & c->mask;
  return &c->slot[i];
}

static bool
lies_in (const AnSanityCall *a, const AnSanityCall *b)
{
  return a->thread == b->thread && b->start <= a->start && a->end <= b->end;
}

/* A call of the driver within one of the runtime is the same launch. */
static void
add_same (Calls *c, guint32 *slot, guint32 number)
{
  AnSanityCall *first = call_at (c->in, *slot - 1), *call = call_at (c->in, number);
  const bool both = first->is & call->is & AN_CALL_LAUNCHES;
  if (both && !lies_in (call, first) && !lies_in (first, call))
    c->twice++;
  if ((call->is & AN_CALL_LAUNCHES && !(first->is & AN_CALL_LAUNCHES))
      || (both && call->start < first->start)) {
    call->next = *slot - 1;
    *slot = number + 1;
    return;
  }
  call->next = first->next;
  first->next = number;
}

static void
index_calls (Calls *c, const AnSanityInput *in)
{
  gsize slots = 16;
  while (slots < 2 * (gsize) in->calls->len)
    slots *= 2;
  *c = (Calls){ .in = in, .mask = slots - 1, .bytes = slots * sizeof *c->slot };
  c->slot = np_large_grow (NULL, 0, c->bytes);
  for (guint32 i = 0; i < in->calls->len; i++) {
    if (!call_at (in, i)->correlation)
      continue;
    guint32 *slot = slot_of (c, call_at (in, i)->correlation);
    if (*slot)
      add_same (c, slot, i);
    else
      *slot = i + 1;
  }
  for (guint i = 0; i < in->work->len; i++) {
    AnSanityWork *w = work_at (in, i);
    const guint32 call = w->queue && w->correlation ? *slot_of (c, w->correlation) : 0;
    if (!call)
      continue;
    w->call = call - 1;
    call_at (in, w->call)->n_work++;
  }
}

/* -- Captures ---------------------------------------------------------------------------------- */

static bool
is_in_capture (const AnSanityCall *call)
{
  return call->is & (AN_CALL_BEGINS_CAPTURE | AN_CALL_ENDS_CAPTURE)
         || (call->is & AN_CALL_LAUNCHES && !(call->is & AN_CALL_GRAPH));
}

static int
by_thread_and_time (gconstpointer a, gconstpointer b)
{
  const AnSanityCall *x = *(AnSanityCall *const *) a, *y = *(AnSanityCall *const *) b;
  if (x->thread != y->thread)
    return x->thread < y->thread ? -1 : 1;
  return x->start != y->start ? (x->start < y->start ? -1 : 1) : (x > y) - (x < y);
}

/* Finds launches between the begin and the end of a capture of their thread. */
static void
find_captured (const AnSanityInput *in)
{
  bool any = false;
  for (guint i = 0; i < in->calls->len && !any; i++)
    any = call_at (in, i)->is & AN_CALL_BEGINS_CAPTURE;
  if (!any)
    return;
  g_autoptr (GPtrArray) calls = g_ptr_array_new ();
  for (guint i = 0; i < in->calls->len; i++)
    if (is_in_capture (call_at (in, i)))
      g_ptr_array_add (calls, call_at (in, i));
  g_ptr_array_sort (calls, by_thread_and_time);
  bool capturing = false;
  for (guint i = 0; i < calls->len; i++) {
    AnSanityCall *call = g_ptr_array_index (calls, i);
    if (i && ((AnSanityCall *) g_ptr_array_index (calls, i - 1))->thread != call->thread)
      capturing = false;
    if (call->is & AN_CALL_LAUNCHES)
      call->captured = capturing;
    else
      capturing = call->is & AN_CALL_BEGINS_CAPTURE;
  }
}

/* -- Rules ------------------------------------------------------------------------------------- */

static void
fire (const AnSanityInput *in, const AnSanityTold *told, AnSanityFinding finding)
{
  finding.input = in->input;
  told->found (told->user, &finding);
}

static bool
launches_one (const AnSanityCall *call)
{
  return call->is & AN_CALL_LAUNCHES && !(call->is & AN_CALL_GRAPH);
}

/* Counts ids of two launches, and work that shares the launch of one kernel. */
static void
judge_ids (const AnSanityInput *in, const AnSanityTold *told, const Calls *calls, bool merged)
{
  guint64 launches = 0, shared = 0, linked = 0;
  for (guint i = 0; i < in->calls->len; i++) {
    const AnSanityCall *call = call_at (in, i);
    launches += (call->is & AN_CALL_LAUNCHES) != 0;
    linked += call->n_work;
    if (launches_one (call) && call->n_work > 1)
      shared += call->n_work;
  }
  if (merged)
    return;
  if (calls->twice)
    fire (in, told,
          (AnSanityFinding){ .rule = AN_SANITY_CORRELATION_TWICE,
                             .rows = calls->twice,
                             .of = launches,
                             .unknown = calls->twice * 20 > launches ? AN_UNKNOWN_OPERATOR : 0 });
  if (shared * 100 > linked)
    fire (in, told,
          (AnSanityFinding){ .rule = AN_SANITY_CORRELATION_SHARED,
                             .rows = shared,
                             .of = linked,
                             .unknown = shared * 20 > linked ? AN_UNKNOWN_OPERATOR : 0 });
}

/* How far the rows that begin before their launch are ahead of it. */
typedef struct {
  guint64 linked, early, big, far; /* big: > 1 ms; far: > 1 s */
  gint64 worst, worst_small;
} Early;

static Early
find_early (const AnSanityInput *in)
{
  Early e = { 0 };
  for (guint i = 0; i < in->work->len; i++) {
    const AnSanityWork *w = work_at (in, i);
    if (w->call == AN_SANITY_NONE)
      continue;
    const gint64 ahead = call_at (in, w->call)->start - w->start;
    e.linked++;
    e.early += ahead > 0;
    e.big += ahead > MS;
    e.far += ahead > SECOND;
    e.worst = MAX (e.worst, ahead);
    if (ahead <= MS)
      e.worst_small = MAX (e.worst_small, ahead);
  }
  return e;
}

static void
leave_out (const AnSanityInput *in, const AnSanityTold *told, AnSanityWork *w)
{
  (void) in;
  told->mark (told->user, w, (AnSanityMark){ true, w->end });
  w->queue = 0; /* no rule looks at it again */
}

static void
leave_out_early (const AnSanityInput *in, const AnSanityTold *told)
{
  for (guint i = 0; i < in->work->len; i++) {
    AnSanityWork *w = work_at (in, i);
    if (w->call != AN_SANITY_NONE && call_at (in, w->call)->start - w->start > MS)
      leave_out (in, told, w);
  }
}

/* More than 2 % by 1 ms to 1 s are a clock that drifts, not rows of another one. */
static bool
clocks_differ (const Early *e)
{
  const guint64 near = e->big - e->far;
  return (50 * near > e->linked && near > 1) || (2 * e->early >= e->linked && e->linked >= 4);
}

static void
judge_launches (const AnSanityInput *in, const AnSanityTold *told)
{
  const Early e = find_early (in);
  if (!e.early)
    return;
  if (clocks_differ (&e)) {
    fire (in, told,
          (AnSanityFinding){ .rule = AN_SANITY_CLOCKS_DIFFER,
                             .rows = e.early,
                             .of = e.linked,
                             .worst = e.worst,
                             .unknown = AN_UNKNOWN_CAUSE | AN_UNKNOWN_PATH | AN_UNKNOWN_DELAY });
    return;
  }
  if (e.big) {
    fire (in, told,
          (AnSanityFinding){ .rule = AN_SANITY_OTHER_CLOCK,
                             .rows = e.big,
                             .of = e.linked,
                             .worst = e.worst,
                             .left_out = e.big });
    leave_out_early (in, told);
  }
  if (e.early > e.big)
    fire (in, told,
          (AnSanityFinding){ .rule = AN_SANITY_BEFORE_LAUNCH,
                             .rows = e.early - e.big,
                             .of = e.linked,
                             .worst = e.worst_small });
}

/* Returns how far the work lies off all rows of the host, at least ten minutes; 0: it does not. */
static gint64
is_far (const AnSanityInput *in, const AnSanityWork *w)
{
  if (!w->queue || in->first > in->last)
    return 0;
  if (in->first > w->end && (guint64) in->first - (guint64) w->end > TEN_MINUTES)
    return in->first - w->end;
  if (w->start > in->last && (guint64) w->start - (guint64) in->last > TEN_MINUTES)
    return w->start - in->last;
  return 0;
}

static void
judge_clocks (const AnSanityInput *in, const AnSanityTold *told)
{
  guint64 far = 0;
  gint64 worst = 0;
  for (guint i = 0; i < in->work->len; i++) {
    const gint64 off = is_far (in, work_at (in, i));
    far += off != 0;
    worst = MAX (worst, off);
  }
  if (!far)
    return;
  AnSanityFinding finding = { .rows = far, .of = in->work->len, .worst = worst };
  if (far * 2 >= in->work->len) {
    finding.rule = AN_SANITY_CLOCKS_DIFFER;
    finding.unknown = AN_UNKNOWN_CAUSE | AN_UNKNOWN_PATH | AN_UNKNOWN_DELAY | AN_UNKNOWN_STEP;
    fire (in, told, finding);
    return;
  }
  finding.rule = AN_SANITY_OTHER_CLOCK;
  finding.left_out = far;
  fire (in, told, finding);
  for (guint i = 0; i < in->work->len; i++)
    if (is_far (in, work_at (in, i)))
      leave_out (in, told, work_at (in, i));
}

/* Launches, and those of them whose work is not in the file. */
typedef struct {
  guint64 all, graphs, lost_graphs;
  guint64 lost; /* of kernels, between the first and the last launch that has work */
} Launches;

static bool
has_work (const Calls *calls, const AnSanityCall *call)
{
  const guint32 first = call->correlation ? *slot_of (calls, call->correlation) : 0;
  return first && call_at (calls->in, first - 1)->n_work;
}

static Launches
count_launches (const AnSanityInput *in, const Calls *calls)
{
  Launches n = { 0 };
  gint64 first = G_MAXINT64, last = G_MININT64;
  for (guint i = 0; i < in->work->len; i++) {
    const AnSanityWork *w = work_at (in, i);
    if (w->call == AN_SANITY_NONE)
      continue;
    first = MIN (first, call_at (in, w->call)->start);
    last = MAX (last, call_at (in, w->call)->start);
  }
  for (guint i = 0; i < in->calls->len; i++) {
    const AnSanityCall *call = call_at (in, i);
    if (!(call->is & AN_CALL_LAUNCHES) || call->captured)
      continue;
    const bool lost = !has_work (calls, call);
    n.all++;
    n.graphs += (call->is & AN_CALL_GRAPH) != 0;
    n.lost_graphs += lost && call->is & AN_CALL_GRAPH;
    n.lost += lost && launches_one (call) && call->start > first && call->start < last;
  }
  return n;
}

static void
judge_lost (const AnSanityInput *in, const AnSanityTold *told, const Calls *calls)
{
  const Launches n = count_launches (in, calls);
  if (n.all && !in->work->len) {
    fire (in, told,
          (AnSanityFinding){ .rule = AN_SANITY_NO_KERNELS,
                             .rows = n.all,
                             .unknown = AN_UNKNOWN_DEVICE | AN_UNKNOWN_STEP | AN_UNKNOWN_BUSY
                                        | AN_UNKNOWN_CAUSE | AN_UNKNOWN_PATH });
    return;
  }
  if (n.lost > 5 && 50 * n.lost > n.all)
    fire (in, told,
          (AnSanityFinding){ .rule = AN_SANITY_LOST_KERNELS,
                             .rows = n.lost,
                             .of = n.all,
                             .unknown = AN_UNKNOWN_BUSY });
  if (n.graphs && 2 * n.lost_graphs >= n.graphs)
    fire (in, told,
          (AnSanityFinding){ .rule = AN_SANITY_GRAPHS_OPAQUE,
                             .rows = n.lost_graphs,
                             .of = n.graphs,
                             .unknown = AN_UNKNOWN_DEVICE | AN_UNKNOWN_BUSY | AN_UNKNOWN_CAUSE
                                        | AN_UNKNOWN_PATH });
}

/* -- Ranks ------------------------------------------------------------------------------------- */

static int
by_name (gconstpointer a, gconstpointer b)
{
  const AnSanityStep *x = a, *y = b;
  if (x->name != y->name)
    return x->name < y->name ? -1 : 1;
  return x->start != y->start ? (x->start < y->start ? -1 : 1) : 0;
}

/* Returns whether one step is announced by two threads at one time. */
static bool
has_step_twice (const AnSanityInput *in)
{
  g_array_sort (in->steps, by_name);
  for (guint i = 1; i < in->steps->len; i++) {
    const AnSanityStep *a = &g_array_index (in->steps, AnSanityStep, i - 1), *b = a + 1;
    if (a->name == b->name && a->thread != b->thread && b->start < a->end)
      return true;
  }
  return false;
}

static bool
judge_ranks (const AnSanityInput *in, const AnSanityTold *told, const Calls *calls)
{
  if (!calls->twice || !has_step_twice (in))
    return false;
  fire (in, told,
        (AnSanityFinding){ .rule = AN_SANITY_MERGED_RANKS,
                           .rows = 2, /* at least */
                           .unknown = AN_UNKNOWN_STEP | AN_UNKNOWN_CAUSE | AN_UNKNOWN_OPERATOR });
  return true;
}

/* -- All --------------------------------------------------------------------------------------- */

/* Streams are in order: those of CUPTI. */
static bool
has_streams (const AnSanityInput *in)
{
  guint is = 0;
  for (guint i = 0; i < in->calls->len && i < 5000; i++)
    is |= call_at (in, i)->is;
  return is & AN_CALL_CUDA && !(is & AN_CALL_HIP);
}

void
an_sanity_judge (AnSanityInput *in, const AnSanityTold *told)
{
  if (!in->work)
    return;
  Calls calls;
  an_sanity_twice (in, told);
  index_calls (&calls, in);
  find_captured (in);
  const bool merged = judge_ranks (in, told, &calls);
  judge_ids (in, told, &calls, merged);
  judge_launches (in, told);
  judge_clocks (in, told);
  if (!merged) /* rows of several ranks lie on each */
    an_sanity_overlap (in, told, has_streams (in));
  judge_lost (in, told, &calls);
  if (in->n_rows && in->n_rows % ROWS_OF_WRITER == 0)
    fire (in, told, (AnSanityFinding){ .rule = AN_SANITY_ROW_LIMIT, .rows = in->n_rows });
  np_large_free (calls.slot, calls.bytes);
}
