/* SPDX-License-Identifier: Apache-2.0 */
/* links.c - reads once through all events for what rows of devices refer to, wherever it stands:
 * arrows to them, calls of CANN, operators of PyTorch around launches, steps, and which tasks are
 * parts of collectives. */
#include "layers.h"

#include "producers/ascend-flops.h"
#include "producers/nested.h"
#include "producers/pytorch.h"

/* An operator, with the shapes of its inputs, if the file has them. */
typedef struct {
  Nested span;
  TeValue name, shapes;
} Operator;

typedef struct {
  int64_t id;
  AjSpot at;
  bool torch; /* an arrow from PyTorch, else from CANN */
} Arrow;

typedef struct {
  AscendJson *a;
  TeScan scan;
  Ids begins, ends;    /* of Arrow         */
  GHashTable *threads; /* AjSpot of pid and tid -> NpLargeArray of Operator */
  ChNames *names;
  AjSplit *split;
  ChId derived; /* the process of the vendor's own track */
} Reading;

guint
aj_spot_hash (gconstpointer spot)
{
  const AjSpot *s = spot;
  const uint64_t h = ((uint64_t) s->start * UINT64_C (0x9e3779b97f4a7c15) ^ (uint64_t) s->tid)
                         * UINT64_C (0xa0761d6478bd642f)
                     ^ (uint64_t) s->pid;
  return (guint) (h ^ h >> 32);
}

gboolean
aj_spot_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (AjSpot)) == 0;
}

/* -- Events ------------------------------------------------------------------------------------ */

static bool
spot_of (Reading *r, const TeEvent *event, AjSpot *spot)
{
  const ChId pid = ch_id (r->names, event, TE_PID), tid = ch_id (r->names, event, TE_TID);
  spot->pid = pid.v;
  spot->tid = tid.v;
  return te_has (event, TE_TS) && event->ts.state <= TE_ROUNDED
         && te_time_ps (&event->ts, r->a->chrome.zero, &spot->start);
}

static void
take_arrow (Reading *r, const TeEvent *event)
{
  const TeValue *category = &event->value[TE_CAT], *id = &event->value[TE_ID];
  if (!te_has (event, TE_ID) || !te_has (event, TE_CAT))
    return;
  const bool torch = te_text_is (category, "async_npu");
  Arrow arrow = { .torch = torch };
  if ((!torch && !te_text_is (category, "HostToDevice")) || !spot_of (r, event, &arrow.at))
    return;
  arrow.id = (int64_t) ch_hash (torch, id->p, id->len);
  *(Arrow *) ids_add (event->ph == 's' ? &r->begins : &r->ends, arrow.id) = arrow;
}

static bool
end_of (const TeEvent *event, int64_t start, int64_t *end)
{
  int64_t lasts = 0;
  return te_has (event, TE_DUR) && event->dur.state <= TE_ROUNDED
         && te_time_ps (&event->dur, 0, &lasts) && lasts >= 0
         && !__builtin_add_overflow (start, lasts, end);
}

static void
take_operator (Reading *r, const TeEvent *event)
{
  const TeValue *name = &event->value[TE_NAME];
  AjSpot spot;
  StepTime step;
  Operator o = { 0 };
  if (!te_has (event, TE_NAME) || name->kind != TE_TEXT || !spot_of (r, event, &spot)
      || !end_of (event, spot.start, &o.span.end))
    return;
  g_hash_table_add (r->a->hosts, g_memdup2 (&spot.pid, sizeof spot.pid));
  if (pytorch_step_of_name (name->p, name->len, &step.number)) {
    step.start = spot.start;
    step.end = o.span.end;
    g_array_append_val (r->a->steps, step);
    return;
  }
  o.name = *name;
  o.span.start = spot.start;
  if (!ch_member_of_args (r->a->chrome.scanner, event, "Input Dims", &o.shapes))
    o.shapes = (TeValue){ 0 };
  spot.start = 0;
  NpLargeArray *list = g_hash_table_lookup (r->threads, &spot);
  if (!list) {
    list = np_large_array_new (sizeof (Operator));
    g_hash_table_insert (r->threads, g_memdup2 (&spot, sizeof spot), list);
  }
  np_large_array_extend (list, list->len + 1);
  g_array_index (list, Operator, list->len - 1) = o;
}

static void
take_call (Reading *r, const TeEvent *event)
{
  TeValue level;
  AjSpot spot;
  if (!ch_member_of_args (r->a->chrome.scanner, event, "level", &level))
    return;
  const bool acl = te_text_is (&level, "acl");
  AjCall call = { .connection = aj_number (&r->a->chrome, event, "connection_id"), .acl = acl };
  if ((!acl && !te_text_is (&level, "node")) || call.connection < 0 || !spot_of (r, event, &spot))
    return;
  call.start = spot.start;
  *(AjCall *) ids_add (&r->a->calls, call.connection) = call;
}

/* Keeps of each connection the first call of a node, else of AscendCL. */
static void
merge_calls (gpointer into, gconstpointer other)
{
  AjCall *call = into;
  const AjCall *next = other;
  if (next->acl < call->acl || (next->acl == call->acl && next->start < call->start))
    *call = *next;
}

static void
take_plane (Reading *r, const TeEvent *event)
{
  const Chrome *c = &r->a->chrome;
  TeValue type;
  if (!ch_member_of_args (c->scanner, event, "task type", &type))
    return;
  const AjSpot key = { aj_number (c, event, "stream id"), aj_number (c, event, "task id"),
                       aj_number (c, event, "context id") };
  g_hash_table_add (r->a->planes, g_memdup2 (&key, sizeof key));
}

/* Keeps what the split of steps rests on. */
static void
take_row (Reading *r, const TeEvent *event, AjLayer layer)
{
  const TeValue *name = &event->value[TE_NAME];
  const ChId pid = ch_id (r->names, event, TE_PID);
  AjSpot spot;
  int64_t end;
  if (!te_has (event, TE_NAME) || name->kind != TE_TEXT || !spot_of (r, event, &spot)
      || !end_of (event, spot.start, &end))
    return;
  if (layer == LAYER_DERIVED) {
    r->derived = pid;
    aj_split_overlap (r->split, name, spot.start, end);
    return;
  }
  static const char receive[] = "hcom_receive";
  const bool receives = layer == LAYER_COLLECTIVES && name->len >= strlen (receive)
                        && memcmp (name->p, receive, strlen (receive)) == 0
                        && aj_holds_wholes (&r->a->chrome, pid, ch_id (r->names, event, TE_TID));
  aj_split_row (r->split, &spot, end, receives);
}

static void
take_clock (Reading *r, const TeEvent *event)
{
  if (te_has (event, TE_NAME) && te_text_is (&event->value[TE_NAME], "AI Core Freq"))
    ascend_chip_clock (&r->a->chip, aj_number (&r->a->chrome, event, "MHz"));
}

static void
take_event (Reading *r, const TeEvent *event)
{
  if (event->ph == 'C')
    take_clock (r, event);
  if (event->ph == 's' || event->ph == 'f')
    take_arrow (r, event);
  if (event->ph != 'X')
    return;
  const AjLayer layer = aj_layer (&r->a->chrome, ch_id (r->names, event, TE_PID));
  if (layer != LAYER_HOST && layer != LAYER_COUNTERS)
    take_row (r, event, layer);
  if (layer == LAYER_COLLECTIVES)
    take_plane (r, event);
  else if (layer == LAYER_HOST && !te_has (event, TE_CAT))
    take_call (r, event);
  else if (layer == LAYER_HOST && te_text_is (&event->value[TE_CAT], "cpu_op"))
    take_operator (r, event);
}

/* Events that cannot be read are skipped here: the part that they are in says so. */
static void
read_events (Reading *r)
{
  const Chrome *c = &r->a->chrome;
  const char *p = c->events;
  TeEvent event;
  while ((p = te_space (p, c->events_end)) < c->events_end) {
    if (*p == ',') {
      p++;
      continue;
    }
    const char *next = *p == '{' ? c->scanner->event (&r->scan, p, &event) : NULL;
    if (next)
      take_event (r, &event);
    p = next ? next : ch_resync (&r->scan, p + 1, c->events_end);
  }
}

/* -- Joining ----------------------------------------------------------------------------------- */

static int
by_spot (gconstpointer a, gconstpointer b)
{
  const AjSpot *x = &((const AjLink *) a)->spot, *y = &((const AjLink *) b)->spot;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->pid != y->pid)
    return x->pid < y->pid ? -1 : 1;
  return (x->tid > y->tid) - (x->tid < y->tid);
}

const AjLink *
aj_link (const AscendJson *a, const AjSpot *spot)
{
  const AjLink key = { .spot = *spot };
  return a->links->len ? bsearch (&key, a->links->data, a->links->len, sizeof (AjLink), by_spot)
                       : NULL;
}

/* Makes one link of all at a spot: the last launch and operator, the first shapes. */
static void
join_links (NpLargeArray *links)
{
  guint n = 0;
  np_large_array_sort (links, by_spot);
  for (guint i = 0; i < links->len; i++) {
    const AjLink *next = &g_array_index (links, AjLink, i);
    AjLink *last = n ? &g_array_index (links, AjLink, n - 1) : NULL;
    if (!last || by_spot (last, next) != 0) {
      g_array_index (links, AjLink, n++) = *next;
      continue;
    }
    last->launch = next->launch.start != INT64_MIN ? next->launch : last->launch;
    last->operation = next->operation ? next->operation : last->operation;
    last->shapes = last->shapes ? last->shapes : next->shapes;
  }
  links->len = n;
}

static void
add_link (AscendJson *a, const AjLink *link)
{
  np_large_array_extend (a->links, a->links->len + 1);
  g_array_index (a->links, AjLink, a->links->len - 1) = *link;
}

/* Returns the text of an operator's shapes where it has several inputs; 0: it has not. */
static nprof_str
telling_shapes (Reading *r, const TeValue *shapes)
{
  if (shapes->kind != TE_TEXT)
    return 0;
  const nprof_str text = ch_name (r->names, shapes);
  return ascend_shapes_tell (nprof_text (r->a->chrome.host, text)) ? text : 0;
}

/* Returns the last that begins an arrow of that id; NULL: none does. */
static const Arrow *
begin_of (Reading *r, int64_t id)
{
  const Arrow *begin = ids_find (&r->begins, id), *end = ids_at (&r->begins, ids_len (&r->begins));
  while (begin && begin + 1 < end && begin[1].id == id)
    begin++;
  return begin;
}

static void
join_arrow (Reading *r, const Arrow *end)
{
  const Arrow *begin = begin_of (r, end->id);
  if (!begin)
    return;
  AjLink link = { .spot = end->at, .launch = { .start = INT64_MIN } };
  if (!begin->torch) {
    link.launch = begin->at;
    add_link (r->a, &link);
    return;
  }
  aj_split_arrow (r->split, begin->at.start, &end->at);
  const AjSpot thread = { begin->at.pid, begin->at.tid, 0 };
  const NpLargeArray *list = g_hash_table_lookup (r->threads, &thread);
  const Nested *o = list ? nested_at (list, begin->at.start) : NULL;
  if (o)
    link.operation = ch_name (r->names, &((const Operator *) o)->name);
  for (; o && !link.shapes; o = nested_around (list, o))
    link.shapes = telling_shapes (r, &((const Operator *) o)->shapes);
  add_link (r->a, &link);
}

nprof_status
aj_links_find (AscendJson *a)
{
  Chrome *c = &a->chrome;
  TeControls controls = { 0 };
  GHashTableIter iter;
  gpointer list;
  Reading r = { .a = a, .names = &c->names };
  r.scan = (TeScan){ .controls = &controls,
                     .with = c->scanner,
                     .shapes = c->scanner->shapes_new (),
                     .end = c->events_end };
  if (!r.scan.shapes)
    return nprof_fail (c->host, NPROF_E_NOMEM, "no memory for the shapes of events");
  ids_init (&r.begins, sizeof (Arrow));
  ids_init (&r.ends, sizeof (Arrow));
  r.threads = g_hash_table_new_full (aj_spot_hash, aj_spot_equal, g_free,
                                     (GDestroyNotify) np_large_array_free);
  r.split = aj_split_new ();
  read_events (&r);
  g_hash_table_iter_init (&iter, r.threads);
  while (g_hash_table_iter_next (&iter, NULL, &list))
    nested_settle (list);
  ids_join (&a->calls, merge_calls);
  ids_settle (&r.begins);
  for (guint i = 0; i < ids_len (&r.ends); i++)
    join_arrow (&r, ids_at (&r.ends, i));
  join_links (a->links);
  step_times_sort (a->steps);
  aj_split_steps (r.split, a->steps, aj_device_label (c->host, aj_device_of (a, r.derived)),
                  &a->split);
  aj_split_free (r.split);
  g_hash_table_unref (r.threads);
  ids_clear (&r.ends);
  ids_clear (&r.begins);
  free (r.scan.shapes);
  return NPROF_OK;
}
