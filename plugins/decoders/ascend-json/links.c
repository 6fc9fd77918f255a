/* SPDX-License-Identifier: Apache-2.0 */
/* links.c - reads once through all events for what rows of devices refer to, wherever it stands:
 * arrows to them, calls of CANN, operators of PyTorch around launches, steps, and which tasks are
 * parts of collectives. */
#include "layers.h"

#include "producers/pytorch.h"

/* An operator, and the one that was open when it began. */
typedef struct {
  int64_t start, end;
  TeValue name;
  gint64 parent; /* -1: none */
} Operator;

typedef struct {
  uint64_t id;
  AjSpot at;
  bool torch; /* an arrow from PyTorch, else from CANN */
} Arrow;

typedef struct {
  AscendJson *a;
  TeScan scan;
  GHashTable *begins;  /* Arrow, by its id */
  GArray *ends;        /* of Arrow         */
  GHashTable *threads; /* AjSpot of pid and tid -> GArray of Operator */
  ChNames *names;
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
  arrow.id = ch_hash (torch, id->p, id->len);
  if (event->ph == 's')
    g_hash_table_replace (r->begins, g_memdup2 (&arrow.id, sizeof arrow.id),
                          g_memdup2 (&arrow, sizeof arrow));
  else
    g_array_append_val (r->ends, arrow);
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
  Operator o = { .parent = -1 };
  if (!te_has (event, TE_NAME) || name->kind != TE_TEXT || !spot_of (r, event, &spot)
      || !end_of (event, spot.start, &o.end))
    return;
  g_hash_table_add (r->a->hosts, g_memdup2 (&spot.pid, sizeof spot.pid));
  if (pytorch_step_of_name (name->p, name->len, &step.number)) {
    step.start = spot.start;
    step.end = o.end;
    g_array_append_val (r->a->steps, step);
    return;
  }
  o.name = *name;
  o.start = spot.start;
  spot.start = 0;
  GArray *list = g_hash_table_lookup (r->threads, &spot);
  if (!list) {
    list = g_array_new (FALSE, FALSE, sizeof (Operator));
    g_hash_table_insert (r->threads, g_memdup2 (&spot, sizeof spot), list);
  }
  g_array_append_val (list, o);
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
  const AjCall *known = g_hash_table_lookup (r->a->calls, &call.connection);
  if (known && (known->acl < acl || (known->acl == acl && known->start <= call.start)))
    return;
  AjCall *kept = g_memdup2 (&call, sizeof call);
  g_hash_table_replace (r->a->calls, &kept->connection, kept);
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

static void
take_event (Reading *r, const TeEvent *event)
{
  if (event->ph == 's' || event->ph == 'f')
    take_arrow (r, event);
  if (event->ph != 'X')
    return;
  const AjLayer layer = aj_layer (&r->a->chrome, ch_id (r->names, event, TE_PID));
  if (layer == LAYER_COLLECTIVES)
    take_plane (r, event);
  else if (layer == LAYER_HOST && !te_has (event, TE_CAT))
    take_call (r, event);
  else if (layer == LAYER_HOST && te_text_is (&event->value[TE_CAT], "cpu_op"))
    take_operator (r, event);
}

/* Events that cannot be read are passed over here: the part that they are in says so. */
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
by_start (gconstpointer a, gconstpointer b)
{
  const Operator *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->end < y->end) - (x->end > y->end);
}

/* Sorts operators of a thread, and gives each the one that was open when it began. */
static void
nest (GArray *list)
{
  gint64 open = -1;
  g_array_sort (list, by_start);
  for (guint i = 0; i < list->len; i++) {
    Operator *o = &g_array_index (list, Operator, i);
    while (open >= 0 && g_array_index (list, Operator, open).end < o->start)
      open = g_array_index (list, Operator, open).parent;
    o->parent = open;
    open = i;
  }
}

/* Returns the innermost operator at that moment; NULL: none. */
static const Operator *
operator_at (const GArray *list, int64_t at)
{
  guint from = 0, to = list->len;
  while (from < to) {
    const guint middle = from + (to - from) / 2;
    if (g_array_index (list, Operator, middle).start <= at)
      from = middle + 1;
    else
      to = middle;
  }
  for (gint64 i = (gint64) from - 1; i >= 0; i = g_array_index (list, Operator, i).parent)
    if (g_array_index (list, Operator, i).end >= at)
      return &g_array_index (list, Operator, i);
  return NULL;
}

static AjLink *
link_at (AscendJson *a, const AjSpot *spot)
{
  AjLink *link = g_hash_table_lookup (a->links, spot);
  if (link)
    return link;
  link = g_new0 (AjLink, 1);
  link->spot = *spot;
  link->launch.start = INT64_MIN;
  g_hash_table_insert (a->links, &link->spot, link);
  return link;
}

static void
join_arrow (Reading *r, const Arrow *end)
{
  const Arrow *begin = g_hash_table_lookup (r->begins, &end->id);
  if (!begin)
    return;
  AjLink *link = link_at (r->a, &end->at);
  if (!begin->torch) {
    link->launch = begin->at;
    return;
  }
  const AjSpot thread = { begin->at.pid, begin->at.tid, 0 };
  const GArray *list = g_hash_table_lookup (r->threads, &thread);
  const Operator *o = list ? operator_at (list, begin->at.start) : NULL;
  if (o)
    link->operation = ch_name (r->names, &o->name);
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
                     .with = c->scanner, .shapes = c->scanner->shapes_new (),
                     .end = c->events_end };
  if (!r.scan.shapes)
    return nprof_fail (c->host, NPROF_E_NOMEM, "no memory for the shapes of events");
  r.begins = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  r.ends = g_array_new (FALSE, FALSE, sizeof (Arrow));
  r.threads = g_hash_table_new_full (aj_spot_hash, aj_spot_equal, g_free,
                                     (GDestroyNotify) g_array_unref);
  read_events (&r);
  g_hash_table_iter_init (&iter, r.threads);
  while (g_hash_table_iter_next (&iter, NULL, &list))
    nest (list);
  for (guint i = 0; i < r.ends->len; i++)
    join_arrow (&r, &g_array_index (r.ends, Arrow, i));
  step_times_sort (a->steps);
  g_hash_table_unref (r.threads);
  g_array_unref (r.ends);
  g_hash_table_unref (r.begins);
  free (r.scan.shapes);
  return NPROF_OK;
}
