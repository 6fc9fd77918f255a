/* SPDX-License-Identifier: Apache-2.0 */
/* graphs.c - joins the replays of a run with the captures that tell what they are, before its
 * events are decoded, and states the outcome on their rows. One launch of a graph runs hundreds of
 * kernels, all with its correlation id. sources: Kineto, output_json.cpp; hipGraphLaunch and
 * cudaGraphLaunch */
#include "join.h"

#include "profile/product-names.h"

#include <string.h>

static void
distinct_clear (gpointer data)
{
  Distinct *d = data;
  g_free (d->keys);
  g_free (d->streams);
}

static void
plan_fit_clear (gpointer data)
{
  graph_fit_clear (&((PlanFit *) data)->fit);
}

void
ch_graphs_free (ChGraphs *g)
{
  if (!g)
    return;
  g_ptr_array_unref (g->plans);
  np_large_array_free (g->rows);
  g_array_unref (g->replays);
  g_array_unref (g->distinct);
  g_array_unref (g->fits);
  g_hash_table_unref (g->names);
  g_free (g);
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
  GArray *replays = j->graphs->replays;
  for (guint i = 0; i < j->events->len; i++) {
    GraphEvent *e = &g_array_index (j->events, GraphEvent, i);
    const GraphCall *call
        = e->kind == GRAPH_WORK && e->correlation ? call_of (calls, e->correlation) : NULL;
    if (!call)
      continue;
    e->correlation = call->number;
    e->name = graph_key (j->c, e->name);
    g_array_append_val (j->work, i);
  }
  if (!work_is_sorted (j))
    g_array_sort_with_data (j->work, by_replay, j->events);
  for (guint i = 0; i < j->work->len; i++) {
    if (!i || event_at (j, i - 1)->correlation != event_at (j, i)->correlation)
      g_array_append_val (replays, ((Replay){ .from = i, .fit = NO_FIT }));
    g_array_index (replays, Replay, replays->len - 1).n++;
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
  GArray *all = j->graphs->fits;
  for (guint i = 0; i < fits->len; i++) {
    GraphFit *fit = &g_array_index (fits, GraphFit, i);
    if (fit->edits > *best) {
      graph_fit_clear (fit);
      continue;
    }
    if (fit->edits < *best) { /* those so far are forgotten */
      g_array_set_size (all, d->first);
      *best = fit->edits;
    }
    g_array_append_val (all, ((PlanFit){ plan, *fit }));
  }
}

static guint
count_ambiguous (const ChGraphs *g, const Distinct *d)
{
  guint n = 0;
  for (guint k = 0; d->n_fits > 1 && k < d->n; k++) {
    const PlanFit *first = &g_array_index (g->fits, PlanFit, d->first);
    guint i = 1;
    while (i < d->n_fits
           && operator_at (g, first->plan, first->fit.place[k])
                  == operator_at (g, first[i].plan, first[i].fit.place[k]))
      i++;
    n += i < d->n_fits;
  }
  return n;
}

/* Returns the series of files of which more than one fits; 0: there is none. */
static nprof_str
contested (const ChGraphs *g, const Distinct *d)
{
  for (guint i = 1; i < d->n_fits; i++) {
    const PlanFit *fit = &g_array_index (g->fits, PlanFit, d->first);
    const GraphPlan *one = plan_at (g, fit[0].plan), *other = plan_at (g, fit[i].plan);
    if (one->series && one->series == other->series && strcmp (one->file, other->file) != 0)
      return one->series;
  }
  return 0;
}

/* Of recordings of several starts of a server that fit alike the newest counts, whose plans come
 * last; where they give a kernel different operators, none. */
static void
choose_start (Join *j, Distinct *d)
{
  ChGraphs *g = j->graphs;
  const nprof_str series = contested (g, d);
  if (!series)
    return;
  const guint last = d->first + d->n_fits - 1;
  const char *file
      = d->ambiguous ? NULL : plan_at (g, g_array_index (g->fits, PlanFit, last).plan)->file;
  g_hash_table_insert (j->chosen, GUINT_TO_POINTER (series), (gpointer) file);
  for (guint i = last + 1; i-- > d->first;)
    if (!file || strcmp (plan_at (g, g_array_index (g->fits, PlanFit, i).plan)->file, file) != 0)
      g_array_remove_index (g->fits, i);
  d->n_fits = g->fits->len - d->first;
}

static void
match (Join *j, Distinct *d)
{
  const GraphReplayKeys replay = { d->keys, d->streams, d->n };
  guint best = G_MAXUINT;
  d->first = j->graphs->fits->len;
  for (guint i = 0; i < j->graphs->plans->len; i++) {
    const GraphPlan *plan = plan_at (j->graphs, i);
    const GraphPlanKeys keys
        = { (const guint32 *) (gpointer) plan->keys->data, plan->keys->len, plan->is_run };
    const Asking asking = { j, plan };
    g_autoptr (GArray) fits = g_array_new (FALSE, FALSE, sizeof (GraphFit));
    graph_fits (&keys, &replay, agrees, &asking, fits);
    take_best (j, fits, i, &best, d);
  }
  d->n_fits = j->graphs->fits->len - d->first;
  d->ambiguous = count_ambiguous (j->graphs, d);
  choose_start (j, d);
}

static Distinct
read_distinct (const Join *j, const Replay *r)
{
  const Distinct d = { .keys = g_new (guint32, r->n), .streams = g_new (guint32, r->n), .n = r->n };
  for (guint k = 0; k < r->n; k++) {
    d.keys[k] = event_at (j, r->from + k)->name;
    d.streams[k] = event_at (j, r->from + k)->thread;
  }
  return d;
}

static guint
distinct_hash (gconstpointer data)
{
  const Distinct *d = data;
  guint64 hash = ch_hash (0, (const char *) d->keys, d->n * sizeof *d->keys);
  hash = ch_hash (hash, (const char *) d->streams, d->n * sizeof *d->streams);
  return (guint) (hash ^ hash >> 32);
}

static gboolean
distinct_equal (gconstpointer a, gconstpointer b)
{
  const Distinct *x = a, *y = b;
  const gsize bytes = x->n * sizeof *x->keys;
  return x->n == y->n && memcmp (x->keys, y->keys, bytes) == 0
         && memcmp (x->streams, y->streams, bytes) == 0;
}

/* Returns the number of what the replay is; each distinct one is matched once.  `known`: of
 * Distinct, which lend their keys and streams. */
static guint
distinct_of (Join *j, GHashTable *known, const Replay *r)
{
  Distinct d = read_distinct (j, r);
  gpointer number;
  if (g_hash_table_lookup_extended (known, &d, NULL, &number)) {
    distinct_clear (&d);
    return GPOINTER_TO_UINT (number);
  }
  match (j, &d);
  g_array_append_val (j->graphs->distinct, d);
  const guint last = j->graphs->distinct->len - 1;
  g_hash_table_insert (known, g_memdup2 (&d, sizeof d), GUINT_TO_POINTER (last));
  return last;
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
      NameSite *name = g_hash_table_lookup (j->graphs->names, GUINT_TO_POINTER (site->key));
      if (!name)
        g_hash_table_insert (j->graphs->names, GUINT_TO_POINTER (site->key),
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
add_rows (Join *j, const Replay *r)
{
  for (guint at = r->from; at < r->from + r->n; at++)
    g_array_index (j->graphs->rows, Row, at) = (Row){ event_at (j, at)->at, at, region_of (j, at) };
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
note_lost (Join *j, const Replay *replay)
{
  const PlanFit *fit = fit_of (j->graphs, replay);
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
  g_autoptr (GHashTable) known
      = g_hash_table_new_full (distinct_hash, distinct_equal, g_free, NULL);
  ChGraphs *g = j->graphs;
  note_names (j);
  np_large_array_extend (g->rows, j->work->len);
  for (guint r = 0; r < g->replays->len; r++) {
    Replay *replay = &g_array_index (g->replays, Replay, r);
    replay->distinct = distinct_of (j, known, replay);
    Distinct *d = &g_array_index (g->distinct, Distinct, replay->distinct);
    j->ambiguous += d->ambiguous;
    if (d->n_fits)
      replay->fit = d->first + d->turn++ % d->n_fits;
    g_autofree char *unknown = g_strdup_printf (GRAPH_UNKNOWN "%u)", replay->n);
    replay->unknown = nprof_intern (j->c->host, unknown);
    add_rows (j, replay);
    note_lost (j, replay);
  }
  if (!rows_are_sorted (g->rows))
    qsort (g->rows->data, g->rows->len, sizeof (Row), by_place);
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
  g->replays = g_array_new (FALSE, FALSE, sizeof (Replay));
  g->distinct = g_array_new (FALSE, FALSE, sizeof (Distinct));
  g_array_set_clear_func (g->distinct, distinct_clear);
  g->fits = g_array_new (FALSE, FALSE, sizeof (PlanFit));
  g_array_set_clear_func (g->fits, plan_fit_clear);
  g->names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
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
  g_array_unref (j->work);
  graph_families_free (j->families);
  g_hash_table_unref (j->chosen);
  g_clear_pointer (&j->regions, g_hash_table_unref);
}

/* Lets go of what it read of the file, piece by piece. */
static bool
holds_captures (Chrome *c)
{
  static const char call[] = "StreamBeginCapture";
  for (const char *p = c->events, *to; p < c->events_end; p = to) {
    to = p + MIN (CH_REPORT, c->events_end - p);
    const char *end = to + MIN ((gsize) (c->events_end - to), sizeof call - 2);
    if (memmem (p, (size_t) (end - p), call, sizeof call - 1))
      return true;
    if (c->host->progress (c->host, ch_at (c, p), ch_at (c, to)))
      return false;
  }
  return false;
}

static bool
is_given (const Chrome *c)
{
  return c->eager && *c->eager;
}

static void
say_no_graphs (const Chrome *c)
{
  if (is_given (c))
    nprof_log (c->host, NPROF_WARNING,
               "--eager %s is not read: it names kernels of graphs, and the file has no launch of "
               "a graph",
               *c->eager);
}

static nprof_status
join_run (Join *j)
{
  Chrome *c = j->c;
  const bool captures = holds_captures (c);
  g_autoptr (GArray) events = graph_events (c, c->events, c->events_end, c->zero, captures);
  j->events = events;
  find_replays (j);
  if (!j->graphs->replays->len) {
    say_no_graphs (c);
    return NPROF_OK;
  }
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
  status = graph_tell (j);
  if (!status)
    status = graph_lost_write (j->lost, c);
  graph_lost_free (j->lost);
  return status;
}

nprof_status
ch_graphs_find (Chrome *c)
{
  if (!is_given (c) && !c->host->wanted (c->host, GRAPH_KEY_OPERATOR))
    return NPROF_OK;
  if (!g_atomic_int_get (&c->has_graphs)) {
    say_no_graphs (c);
    return NPROF_OK;
  }
  c->graphs = graphs_new (c->host);
  c->want_any = true;
  Join join = { .c = c,
                .graphs = c->graphs,
                .work = g_array_new (FALSE, FALSE, sizeof (guint)),
                .chosen = g_hash_table_new (NULL, NULL) };
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

/* What a kernel of a replay states. */
typedef struct {
  const Replay *replay;
  const GraphSite *site; /* NULL: no launch is known */
  GraphMatch match;
  nprof_str region;
} Stated;

static const Replay *
replay_of (const ChGraphs *g, guint32 work)
{
  guint low = 0, high = g->replays->len; /* the last that begins there or before */
  while (high - low > 1) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (g->replays, Replay, middle).from <= work)
      low = middle;
    else
      high = middle;
  }
  return &g_array_index (g->replays, Replay, low);
}

static Stated
stated_by (const ChGraphs *g, const Row *row)
{
  Stated said = { .replay = replay_of (g, row->work), .match = GRAPH_NONE, .region = row->region };
  const guint k = row->work - said.replay->from;
  const PlanFit *fit = fit_of (g, said.replay);
  const guint32 key = g_array_index (g->distinct, Distinct, said.replay->distinct).keys[k];
  const NameSite *name = g_hash_table_lookup (g->names, GUINT_TO_POINTER (key));
  if (fit && is_placed (g, fit, k)) {
    said.site = site_at (g, fit->plan, fit->fit.place[k]);
    said.match = fit->fit.match;
  } else if (name && name->operator) {
    said.site = site_at (g, name->plan, name->place);
    said.match = GRAPH_NAME;
  } else if (row->region)
    said.match = GRAPH_NODE;
  return said;
}

static nprof_status
add_text (ChPart *part, nprof_str key, nprof_str text)
{
  return text && !ch_has_attr (part->w, key) ? nprof_attr_str (part->w, key, text) : NPROF_OK;
}

static gint64
number_of (const ChGraphs *g, const Stated *said)
{
  return said->replay - &g_array_index (g->replays, Replay, 0);
}

/* Kernels of one call of an operator share a number, which differs from replay to replay. */
static uint64_t
call_of_site (const ChGraphs *g, const Stated *said)
{
  return ((uint64_t) number_of (g, said) + 1) << 32 | said->site->call;
}

static nprof_status
add_site (ChPart *part, const Stated *said)
{
  const ChGraphs *g = part->c->graphs;
  const GraphSite *site = said->site;
  nprof_status status = add_text (part, g->key_layer, said->region ? said->region : site->layer);
  if (!status)
    status = add_text (part, g->key_source, site->source);
  if (!status)
    status = add_text (part, g->key_arguments, site->arguments);
  if (!status && site->operator)
    status = nprof_attr_uint (part->w, g->key_call, call_of_site (g, said));
  return status;
}

nprof_status
ch_graph_attrs (ChPart *part, const TeEvent *event)
{
  const ChGraphs *g = part->c->graphs;
  const Row *row = ch_side (part, event) == CH_DEVICE ? row_of (g, event->at) : NULL;
  if (!row)
    return NPROF_OK;
  const Stated said = stated_by (g, row);
  /* A launch that lay in no operator is of none. */
  const bool has_operator = said.site && said.site->operator;
  nprof_status status
      = nprof_attr_str (part->w, g->key_operator,
                        has_operator ? said.site->operator: said.replay->unknown);
  if (!status)
    status = nprof_attr_str (part->w, g->key_match, g->matches[said.match]);
  if (!status)
    status = nprof_attr_int (part->w, g->key_replay, number_of (g, &said));
  if (!status && !said.site)
    status = add_text (part, g->key_layer, said.region);
  return status || !said.site ? status : add_site (part, &said);
}
