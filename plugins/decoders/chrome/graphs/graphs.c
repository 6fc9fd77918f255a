/* SPDX-License-Identifier: Apache-2.0 */
/* graphs.c - joins the replays of a run with the captures that tell what they are, before its
 * events are decoded, and states the outcome on their rows. One launch of a graph runs hundreds of
 * kernels, all with its correlation id. sources: Kineto, output_json.cpp; hipGraphLaunch and
 * cudaGraphLaunch */
#include "graphs.h"

#include "agree.h"
#include "lost.h"
#include "profile/product-names.h"
#include "system/large.h"

#include <string.h>

#define MOST_PLANS ((1u << 28) - 1)

/* What a kernel of a replay states. */
typedef struct {
  const char *at;        /* its event, which tells it                            */
  guint32 replay, place; /* place GRAPH_NO_PLACE: no launch is known             */
  guint32 plan : 28;
  guint32 match : 4; /* GraphMatch */
  nprof_str region;  /* by the annotation of its node; 0: none */
} Row;

/* One launch of a graph. */
typedef struct {
  guint from, n; /* of its kernels */
} Replay;

/* What a distinct replay is, found once: by names and streams. */
typedef struct {
  guint from, n; /* kernels of the first that is so */
  guint first, n_fits, turn;
} Distinct;

typedef struct {
  guint plan;
  GraphFit fit;
} PlanFit;

struct ChGraphs {
  GPtrArray *plans;   /* of GraphPlan */
  NpLargeArray *rows; /* of Row, by `at` */
  GArray *sizes;      /* of nprof_str, by replay: what an unknown operator of it is called */
  nprof_str key_operator, key_match, key_replay, key_call, key_layer, key_source, key_arguments;
  nprof_str matches[N_GRAPH_MATCHES];
};

typedef struct {
  Chrome *c;
  ChGraphs *graphs;
  GArray *events; /* of GraphEvent: of the run; correlation of work of replays: which one, from 1 */
  GArray *work;    /* of guint: events of all replays, one after the other, by start */
  GArray *replays; /* of Replay */
  guint32 *keys, *streams; /* by work */
  GArray *distinct;        /* of Distinct */
  GArray *fits;            /* of PlanFit */
  GHashTable *names;       /* name -> NameSite */
  GHashTable *regions;     /* node -> name; NULL: no annotations */
  guint n_regions;         /* work that has one */
  GraphFamilies *families; /* NULL: nobody asked yet */
  GraphLost *lost;
} Join;

/* Where a name stands in the plans: `operator` 0: there are several. */
typedef struct {
  guint plan, place;
  nprof_str operator;
} NameSite;

void
ch_graphs_free (ChGraphs *g)
{
  if (!g)
    return;
  g_ptr_array_unref (g->plans);
  np_large_array_free (g->rows);
  g_array_unref (g->sizes);
  g_free (g);
}

static GraphPlan *
plan_at (const ChGraphs *g, guint plan)
{
  return g_ptr_array_index (g->plans, plan);
}

static const GraphSite *
site_at (const ChGraphs *g, guint plan, guint place)
{
  return &g_array_index (plan_at (g, plan)->sites, GraphSite, place);
}

/* -- Replays of the run ------------------------------------------------------------------------ */

typedef struct {
  guint64 correlation;
  gint64 start;
  guint number; /* by start */
} GraphCall;

static int
by_start (gconstpointer a, gconstpointer b)
{
  const GraphCall *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

static int
by_correlation (gconstpointer a, gconstpointer b)
{
  const GraphCall *x = a, *y = b;
  if (x->correlation != y->correlation)
    return x->correlation < y->correlation ? -1 : 1;
  return (x->start > y->start) - (x->start < y->start);
}

static const GraphCall *
call_of (const GArray *calls, guint64 correlation)
{
  const GraphCall wanted = { correlation, G_MININT64, 0 };
  guint low = 0, high = calls->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (by_correlation (&g_array_index (calls, GraphCall, middle), &wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == calls->len || g_array_index (calls, GraphCall, low).correlation != correlation)
    return NULL;
  return &g_array_index (calls, GraphCall, low);
}

/* Returns the launches of graphs, by correlation; transfer full. */
static GArray *
calls_of (const Join *j)
{
  GArray *calls = g_array_new (FALSE, FALSE, sizeof (GraphCall));
  for (guint i = 0; i < j->events->len; i++) {
    const GraphEvent *e = &g_array_index (j->events, GraphEvent, i);
    if (e->correlation && graph_is_replay (e, nprof_text (j->c->host, e->name)))
      g_array_append_val (calls, ((GraphCall){ e->correlation, e->start, 0 }));
  }
  g_array_sort (calls, by_start);
  for (guint i = 0; i < calls->len; i++)
    g_array_index (calls, GraphCall, i).number = i + 1;
  g_array_sort (calls, by_correlation);
  return calls;
}

static const GraphEvent *
event_at (const Join *j, guint at)
{
  return &g_array_index (j->events, GraphEvent, g_array_index (j->work, guint, at));
}

/* Sorts by replay, then by start, then as they stand in the file. */
static int
by_replay (gconstpointer a, gconstpointer b, gpointer user)
{
  const GArray *events = user;
  const GraphEvent *x = &g_array_index (events, GraphEvent, *(const guint *) a),
                   *y = &g_array_index (events, GraphEvent, *(const guint *) b);
  if (x->correlation != y->correlation)
    return x->correlation < y->correlation ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

/* Most files have it in order, and sorting needs as much memory again. */
static bool
work_is_sorted (const Join *j)
{
  for (guint i = 1; i < j->work->len; i++)
    if (by_replay (&g_array_index (j->work, guint, i - 1), &g_array_index (j->work, guint, i),
                   j->events)
        > 0)
      return false;
  return true;
}

static void
find_replays (Join *j)
{
  g_autoptr (GArray) calls = calls_of (j);
  for (guint i = 0; i < j->events->len; i++) {
    GraphEvent *e = &g_array_index (j->events, GraphEvent, i);
    const GraphCall *call
        = e->kind == GRAPH_WORK && e->correlation ? call_of (calls, e->correlation) : NULL;
    if (!call)
      continue;
    e->correlation = call->number;
    g_array_append_val (j->work, i);
  }
  if (!work_is_sorted (j))
    g_array_sort_with_data (j->work, by_replay, j->events);
  for (guint i = 0; i < j->work->len; i++) {
    if (!i || event_at (j, i - 1)->correlation != event_at (j, i)->correlation)
      g_array_append_val (j->replays, ((Replay){ i, 0 }));
    g_array_index (j->replays, Replay, j->replays->len - 1).n++;
  }
}

static void
number_work (Join *j)
{
  j->keys = g_new (guint32, j->work->len + 1);
  j->streams = g_new (guint32, j->work->len + 1);
  for (guint i = 0; i < j->work->len; i++) {
    const GraphEvent *e = event_at (j, i);
    j->keys[i] = graph_key (j->c, e->name);
    j->streams[i] = e->thread;
  }
}

/* -- Matching ---------------------------------------------------------------------------------- */

typedef struct {
  Join *join;
  const GraphPlan *plan;
} Asking;

/* Returns whether at most 2 % of what both sides say surely contradicts. */
static bool
agrees (gconstpointer user, const GraphReplayKeys *replay)
{
  const Asking *asking = user;
  Join *j = asking->join;
  const struct nprof_host *h = j->c->host;
  guint known = 0, apart = 0;
  if (!j->families)
    j->families = graph_families_new ();
  for (guint k = 0; k < replay->n; k++) {
    const GraphSite *site = &g_array_index (asking->plan->sites, GraphSite, k);
    const char *kernel = nprof_text (h, replay->keys[k]);
    const char *is = graph_family_of_kernel (j->families, kernel);
    const char *said
        = graph_family_of_operator (j->families, nprof_text (h, site->operator), kernel);
    known += is && said;
    apart += is && said && strcmp (is, said) != 0;
  }
  return apart * 50 <= known;
}

static void
take_best (Join *j, const GArray *fits, guint plan, guint *best, Distinct *d)
{
  for (guint i = 0; i < fits->len; i++) {
    GraphFit *fit = &g_array_index (fits, GraphFit, i);
    if (fit->edits > *best) {
      graph_fit_clear (fit);
      continue;
    }
    if (fit->edits < *best) { /* those so far are forgotten */
      for (guint k = d->first; k < j->fits->len; k++)
        graph_fit_clear (&g_array_index (j->fits, PlanFit, k).fit);
      g_array_set_size (j->fits, d->first);
      *best = fit->edits;
    }
    g_array_append_val (j->fits, ((PlanFit){ plan, *fit }));
  }
}

static void
match (Join *j, Distinct *d)
{
  const GraphReplayKeys replay = { j->keys + d->from, j->streams + d->from, d->n };
  guint best = G_MAXUINT;
  d->first = j->fits->len;
  for (guint i = 0; i < j->graphs->plans->len; i++) {
    const GraphPlan *plan = plan_at (j->graphs, i);
    const GraphPlanKeys keys
        = { (const guint32 *) (gpointer) plan->keys->data, plan->keys->len, plan->is_run };
    const Asking asking = { j, plan };
    g_autoptr (GArray) fits = g_array_new (FALSE, FALSE, sizeof (GraphFit));
    graph_fits (&keys, &replay, agrees, &asking, fits);
    take_best (j, fits, i, &best, d);
  }
  d->n_fits = j->fits->len - d->first;
}

static guint64
hash_of (const Join *j, const Replay *r)
{
  guint64 hash = ch_hash (0, (const char *) (j->keys + r->from), r->n * sizeof *j->keys);
  return ch_hash (hash, (const char *) (j->streams + r->from), r->n * sizeof *j->streams);
}

static bool
is_equal (const Join *j, const Distinct *d, const Replay *r)
{
  const gsize bytes = r->n * sizeof *j->keys;
  return d->n == r->n && memcmp (j->keys + d->from, j->keys + r->from, bytes) == 0
         && memcmp (j->streams + d->from, j->streams + r->from, bytes) == 0;
}

/* Returns what the replay is; each distinct one is matched once. */
static Distinct *
distinct_of (Join *j, GHashTable *known, const Replay *r)
{
  guint64 hash = hash_of (j, r);
  for (guint number; (number = GPOINTER_TO_UINT (g_hash_table_lookup (known, &hash))); hash++)
    if (is_equal (j, &g_array_index (j->distinct, Distinct, number - 1), r))
      return &g_array_index (j->distinct, Distinct, number - 1);
  Distinct d = { .from = r->from, .n = r->n };
  match (j, &d);
  g_array_append_val (j->distinct, d);
  g_hash_table_insert (known, g_memdup2 (&hash, sizeof hash), GUINT_TO_POINTER (j->distinct->len));
  return &g_array_index (j->distinct, Distinct, j->distinct->len - 1);
}

/* -- By name alone ----------------------------------------------------------------------------- */

static void
note_names (Join *j)
{
  const guint32 copy = nprof_intern (j->c->host, "Memcpy"),
                set = nprof_intern (j->c->host, "Memset");
  for (guint p = 0; p < j->graphs->plans->len; p++)
    for (guint i = 0; i < plan_at (j->graphs, p)->sites->len; i++) {
      const GraphSite *site = site_at (j->graphs, p, i);
      if (!site->key || site->key == copy || site->key == set)
        continue;
      NameSite *name = g_hash_table_lookup (j->names, GUINT_TO_POINTER (site->key));
      if (!name)
        g_hash_table_insert (j->names, GUINT_TO_POINTER (site->key),
                             g_memdup2 (&(NameSite){ p, i, site->operator}, sizeof *name));
      else if (name->operator!= site->operator)
        name->operator= 0;
    }
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* Returns what the node of the work is called in the user's annotations; 0: nothing. */
static nprof_str
region_of (Join *j, guint at)
{
  if (!j->regions)
    return 0;
  const guint64 node = graph_node (j->c, event_at (j, at));
  const nprof_str region = GPOINTER_TO_UINT (g_hash_table_lookup (j->regions, &node));
  j->n_regions += region != 0;
  return region;
}

static void
add_row (Join *j, const Replay *r, guint replay, guint number, const PlanFit *fit)
{
  const guint at = r->from + number;
  Row row = { .at = event_at (j, at)->at,
              .replay = replay,
              .place = GRAPH_NO_PLACE };
  const guint32 place = fit ? fit->fit.place[number] : GRAPH_NO_PLACE;
  const NameSite *name = g_hash_table_lookup (j->names, GUINT_TO_POINTER (j->keys[at]));
  if (place != GRAPH_NO_PLACE) {
    row.plan = fit->plan & MOST_PLANS;
    row.place = place;
    row.match = fit->fit.match & 0xf;
  } else if (name && name->operator) {
    row.plan = name->plan & MOST_PLANS;
    row.place = name->place;
    row.match = GRAPH_NAME;
  }
  row.region = region_of (j, at);
  if (row.region && row.match == GRAPH_NONE)
    row.match = GRAPH_NODE;
  g_array_index (j->graphs->rows, Row, at) = row;
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

static bool
rows_are_sorted (const NpLargeArray *rows)
{
  for (guint i = 1; i < rows->len; i++)
    if (by_place (&g_array_index (rows, Row, i - 1), &g_array_index (rows, Row, i)) > 0)
      return false;
  return true;
}

/* Notes the launches that an aligned replay does not show. */
static void
note_lost (Join *j, const Replay *replay, const PlanFit *fit)
{
  if (!fit || fit->fit.match != GRAPH_ALIGNED || !fit->fit.edits
      || plan_at (j->graphs, fit->plan)->is_run)
    return;
  g_autofree const GraphEvent **work = g_new (const GraphEvent *, replay->n);
  for (guint k = 0; k < replay->n; k++)
    work[k] = event_at (j, replay->from + k);
  graph_lost_add (j->lost, plan_at (j->graphs, fit->plan), work, fit->fit.place, replay->n);
}

/* Of plans that fit equally, as the pieces of a model do, each replay takes the next one. */
static void
join_all (Join *j)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  note_names (j);
  np_large_array_extend (j->graphs->rows, j->work->len);
  for (guint r = 0; r < j->replays->len; r++) {
    const Replay *replay = &g_array_index (j->replays, Replay, r);
    Distinct *d = distinct_of (j, known, replay);
    const PlanFit *fit
        = d->n_fits ? &g_array_index (j->fits, PlanFit, d->first + d->turn++ % d->n_fits) : NULL;
    g_autofree char *unknown = g_strdup_printf (GRAPH_UNKNOWN "%u)", replay->n);
    g_array_append_val (j->graphs->sizes, ((nprof_str){ nprof_intern (j->c->host, unknown) }));
    for (guint k = 0; k < replay->n; k++)
      add_row (j, replay, r, k, fit);
    note_lost (j, replay, fit);
  }
  if (!rows_are_sorted (j->graphs->rows))
    qsort (j->graphs->rows->data, j->graphs->rows->len, sizeof (Row), by_place);
}

/* -- What is said ------------------------------------------------------------------------------ */

/* Returns the number of the first kernel that is none of the plan's, and its name there. */
static guint
first_difference (const Join *j, const Distinct *d, const GraphPlan *plan)
{
  guint k = 0;
  while (k < d->n && k < plan->keys->len
         && g_array_index (plan->keys, guint32, k) == j->keys[d->from + k])
    k++;
  return k;
}

static const char *
name_or (const struct nprof_host *h, nprof_str name, bool there)
{
  return !there ? "nothing" : name ? nprof_text (h, name) : "a kernel without a name";
}

static void
say_misfit (const Join *j, const Distinct *d, const GraphPlan *plan)
{
  const struct nprof_host *h = j->c->host;
  const guint k = first_difference (j, d, plan);
  const bool in_plan = k < plan->keys->len, in_replay = k < d->n;
  nprof_log (h, NPROF_WARNING,
             "%s fits no replay and is not used: a replay of %u kernels against %u launches; the "
             "first difference is number %u: %.200s, the recording has %.200s",
             plan->label, d->n, plan->keys->len, k + 1,
             name_or (h, in_replay ? j->keys[d->from + k] : 0, in_replay),
             name_or (h, in_plan ? g_array_index (plan->keys, guint32, k) : 0, in_plan));
}

static bool
is_used (const Join *j, guint plan)
{
  for (guint i = 0; i < j->fits->len; i++)
    if (g_array_index (j->fits, PlanFit, i).plan == plan)
      return true;
  return false;
}

/* Returns the largest replay that nothing fits; NULL: all have a plan. */
static const Distinct *
largest_without (const Join *j)
{
  const Distinct *largest = NULL;
  for (guint i = 0; i < j->distinct->len; i++) {
    const Distinct *d = &g_array_index (j->distinct, Distinct, i);
    if (!d->n_fits && (!largest || d->n > largest->n))
      largest = d;
  }
  return largest;
}

/* Ids are of a run: a file that names hardly any node is of another one. */
static void
say_regions (const Join *j)
{
  if (j->regions && (guint64) j->n_regions * 100 < j->work->len)
    nprof_log (j->c->host, NPROF_WARNING,
               "%s: %u of %u graph kernels have one of its nodes: it is of another run",
               j->c->annotations, j->n_regions, j->work->len);
}

static void
say (const Join *j)
{
  say_regions (j);
  const Distinct *without = largest_without (j);
  for (guint p = 0; p < j->graphs->plans->len; p++)
    if (is_used (j, p))
      nprof_log (j->c->host, NPROF_INFO, "graph kernels are named by %s; --no-eager leaves it",
                 plan_at (j->graphs, p)->label);
    else if (without)
      say_misfit (j, without, plan_at (j->graphs, p));
}

/* -- Life -------------------------------------------------------------------------------------- */

void
ch_graphs_note (Chrome *c, const char *from, const char *to)
{
  static const char word[] = "GraphLaunch";
  const char *start = from - MIN ((gsize) (from - c->data), sizeof word);
  for (const char *p = start; (p = c->scanner->three (p, to, "Gra")); p++)
    if (c->end - p >= (ptrdiff_t) sizeof word && !memcmp (p, word, sizeof word - 1)) {
      g_atomic_int_set (&c->has_graphs, 1);
      return;
    }
}

static ChGraphs *
graphs_new (const struct nprof_host *h)
{
  ChGraphs *g = g_new0 (ChGraphs, 1);
  g->plans = g_ptr_array_new_with_free_func (graph_plan_free);
  g->rows = np_large_array_new (sizeof (Row));
  g->sizes = g_array_new (FALSE, FALSE, sizeof (nprof_str));
  g->key_operator = nprof_intern (h, GRAPH_KEY_OPERATOR);
  g->key_match = nprof_intern (h, GRAPH_KEY_MATCH);
  g->key_replay = nprof_intern (h, GRAPH_KEY_REPLAY);
  g->key_call = nprof_intern (h, GRAPH_KEY_CALL);
  g->key_layer = nprof_intern (h, NPROF_KEY_LAYER);
  g->key_source = nprof_intern (h, NPROF_KEY_SOURCE);
  g->key_arguments = nprof_intern (h, KEY_ARGUMENTS);
  for (guint i = 0; i < N_GRAPH_MATCHES; i++)
    g->matches[i] = nprof_intern (h, graph_match_word ((GraphMatch) i));
  return g;
}

static void
join_clear (Join *j)
{
  for (guint i = 0; i < j->fits->len; i++)
    graph_fit_clear (&g_array_index (j->fits, PlanFit, i).fit);
  g_array_unref (j->fits);
  g_array_unref (j->work);
  g_array_unref (j->replays);
  g_array_unref (j->distinct);
  g_hash_table_unref (j->names);
  graph_families_free (j->families);
  g_clear_pointer (&j->regions, g_hash_table_unref);
  g_free (j->keys);
  g_free (j->streams);
}

static nprof_status
join_run (Join *j)
{
  Chrome *c = j->c;
  const bool captures
      = memmem (c->events, (size_t) (c->events_end - c->events), "StreamBeginCapture", 18) != NULL;
  g_autoptr (GArray) events = graph_events (c, c->events, c->events_end, c->zero, captures);
  j->events = events;
  find_replays (j);
  if (!j->replays->len)
    return NPROF_OK;
  number_work (j);
  if (captures)
    graph_plans (c, "self", events, true, j->graphs->plans);
  nprof_status status = graph_companions (c, j->graphs->plans);
  if (status)
    return status;
  if (*c->annotations) {
    j->regions = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    status = graph_annotations (c, j->regions);
  }
  if (status)
    return status;
  j->lost = graph_lost_new (events);
  join_all (j);
  say (j);
  status = graph_lost_write (j->lost, c);
  graph_lost_free (j->lost);
  return status;
}

nprof_status
ch_graphs_find (Chrome *c)
{
  if (!g_atomic_int_get (&c->has_graphs) || !c->host->wanted (c->host, GRAPH_KEY_OPERATOR))
    return NPROF_OK;
  c->graphs = graphs_new (c->host);
  c->want_any = true;
  Join join = { .c = c,
                .graphs = c->graphs,
                .work = g_array_new (FALSE, FALSE, sizeof (guint)),
                .replays = g_array_new (FALSE, FALSE, sizeof (Replay)),
                .distinct = g_array_new (FALSE, FALSE, sizeof (Distinct)),
                .fits = g_array_new (FALSE, FALSE, sizeof (PlanFit)),
                .names = g_hash_table_new_full (NULL, NULL, NULL, g_free) };
  nprof_status status = join_run (&join);
  join_clear (&join);
  return status;
}

/* -- Rows of the run --------------------------------------------------------------------------- */

static const Row *
row_of (const ChGraphs *g, const char *at)
{
  guint low = 0, high = g->rows->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (g->rows, Row, middle).at < at)
      low = middle + 1;
    else
      high = middle;
  }
  const Row *row = low < g->rows->len ? &g_array_index (g->rows, Row, low) : NULL;
  return row && row->at == at ? row : NULL;
}

static nprof_status
add_text (ChPart *part, nprof_str key, nprof_str text)
{
  return text && !ch_has_attr (part->w, key) ? nprof_attr_str (part->w, key, text) : NPROF_OK;
}

/* Kernels of one call of an operator share a number, which differs from replay to replay. */
static uint64_t
call_of_site (const Row *row, const GraphSite *site)
{
  return ((uint64_t) row->replay + 1) << 32 | site->call;
}

static nprof_status
add_site (ChPart *part, const Row *row, const GraphSite *site)
{
  const ChGraphs *g = part->c->graphs;
  nprof_status status = add_text (part, g->key_layer, row->region ? row->region : site->layer);
  if (!status)
    status = add_text (part, g->key_source, site->source);
  if (!status)
    status = add_text (part, g->key_arguments, site->arguments);
  if (!status && site->operator)
    status = nprof_attr_uint (part->w, g->key_call, call_of_site (row, site));
  return status;
}

/* Returns what the operator is called; a launch that lay in none is of none. */
static nprof_str
operator_of_row (const ChGraphs *g, const Row *row, const GraphSite *site)
{
  if (site && site->operator)
    return site->operator;
  return g_array_index (g->sizes, nprof_str, row->replay);
}

nprof_status
ch_graph_attrs (ChPart *part, const TeEvent *event)
{
  const ChGraphs *g = part->c->graphs;
  const Row *row = ch_side (part, event) == CH_DEVICE ? row_of (g, event->at) : NULL;
  if (!row)
    return NPROF_OK;
  const GraphSite *site = row->place == GRAPH_NO_PLACE ? NULL : site_at (g, row->plan, row->place);
  nprof_status status
      = nprof_attr_str (part->w, g->key_operator, operator_of_row (g, row, site));
  if (!status)
    status = nprof_attr_str (part->w, g->key_match, g->matches[row->match]);
  if (!status)
    status = nprof_attr_int (part->w, g->key_replay, row->replay);
  if (!status && !site)
    status = add_text (part, g->key_layer, row->region);
  return status || !site ? status : add_site (part, row, site);
}
