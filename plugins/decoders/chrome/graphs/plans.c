/* SPDX-License-Identifier: Apache-2.0 */
/* plans.c - finds the captures of a file, which lie between the calls that begin and end one on a
 * thread; a file without any is a run without graphs, whose work follows its launches. */
#include "graphs.h"

#include <string.h>

#define MOST_CAPTURES 4096u

typedef struct {
  gint64 from, to; /* ps: between the calls */
} Window;

void
graph_plan_free (gpointer data)
{
  GraphPlan *plan = data;
  g_free (plan->label);
  g_free (plan->file);
  g_array_unref (plan->sites);
  g_array_unref (plan->keys);
  g_free (plan);
}

static const char *
name_of (const Chrome *c, const GraphEvent *e)
{
  return nprof_text (c->host, e->name);
}

static void
add_plan (GPtrArray *plans, const char *file, const char *label, bool is_run, GArray *sites)
{
  GraphPlan *plan = g_new0 (GraphPlan, 1);
  plan->label = g_strdup (label);
  plan->file = g_strdup (file);
  plan->is_run = is_run;
  plan->sites = g_array_ref (sites);
  plan->keys = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < sites->len; i++)
    g_array_append_val (plan->keys, g_array_index (sites, GraphSite, i).key);
  g_ptr_array_add (plans, plan);
}

static int
by_start (gconstpointer a, gconstpointer b)
{
  const GraphEvent *x = *(const GraphEvent *const *) a, *y = *(const GraphEvent *const *) b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x > y) - (x < y);
}

/* Returns pointers to the launches, by start; transfer full. */
static GPtrArray *
launches_of (const Chrome *c, GArray *events)
{
  GPtrArray *launches = g_ptr_array_new ();
  for (guint i = 0; i < events->len; i++) {
    GraphEvent *e = &g_array_index (events, GraphEvent, i);
    if (graph_is_launch (e, name_of (c, e)))
      g_ptr_array_add (launches, e);
  }
  g_ptr_array_sort (launches, by_start);
  return launches;
}

/* -- Captures ---------------------------------------------------------------------------------- */

/* What a file says of its captures, each by start. */
typedef struct {
  GPtrArray *begins, *ends, *ranges; /* of GraphEvent */
} Marks;

static void
marks_clear (Marks *marks)
{
  g_ptr_array_unref (marks->begins);
  g_ptr_array_unref (marks->ends);
  g_ptr_array_unref (marks->ranges);
}

static Marks
marks_of (const Chrome *c, GArray *events)
{
  const Marks marks = { g_ptr_array_new (), g_ptr_array_new (), g_ptr_array_new () };
  for (guint i = 0; i < events->len; i++) {
    GraphEvent *e = &g_array_index (events, GraphEvent, i);
    const char *name = name_of (c, e);
    if (e->kind == GRAPH_CALL && g_str_has_suffix (name, "StreamBeginCapture"))
      g_ptr_array_add (marks.begins, e);
    else if (e->kind == GRAPH_CALL && g_str_has_suffix (name, "StreamEndCapture"))
      g_ptr_array_add (marks.ends, e);
    else if (e->kind == GRAPH_RANGE && g_str_has_prefix (name, "capture_")
             && g_ascii_isdigit (name[strlen ("capture_")]))
      g_ptr_array_add (marks.ranges, e);
  }
  g_ptr_array_sort (marks.begins, by_start);
  g_ptr_array_sort (marks.ends, by_start);
  g_ptr_array_sort (marks.ranges, by_start);
  return marks;
}

/* Returns the start of the first call that ends a capture on the thread, from a moment on; -1:
 * none. */
static gint64
end_of (const Marks *marks, const GraphEvent *begin)
{
  for (guint i = 0; i < marks->ends->len; i++) {
    const GraphEvent *e = g_ptr_array_index (marks->ends, i);
    if (e->start >= begin->end && e->thread == begin->thread)
      return e->start;
  }
  return -1;
}

/* Returns the captures by their begin, of Window; transfer full. */
static GArray *
windows_of (const Chrome *c, const Marks *marks)
{
  GArray *windows = g_array_new (FALSE, FALSE, sizeof (Window));
  for (guint i = 0; i < MIN (marks->begins->len, MOST_CAPTURES); i++) {
    const GraphEvent *begin = g_ptr_array_index (marks->begins, i);
    const Window window = { begin->end, end_of (marks, begin) };
    if (window.to >= 0)
      g_array_append_val (windows, window);
  }
  if (marks->begins->len > MOST_CAPTURES)
    nprof_log (c->host, NPROF_WARNING, "%u captures of graphs: those behind %u are not looked at",
               marks->begins->len, MOST_CAPTURES);
  return windows;
}

/* Returns what the file calls the capture: a range "capture_N_MODE" around it. */
static const char *
range_around (const Chrome *c, const Marks *marks, const Window *window)
{
  for (guint i = 0; i < marks->ranges->len; i++) {
    const GraphEvent *e = g_ptr_array_index (marks->ranges, i);
    if (e->start <= window->from && window->to <= e->end)
      return name_of (c, e);
  }
  return "capture";
}

static bool
is_in_any (const GArray *windows, gint64 at)
{
  for (guint i = 0; i < windows->len; i++) {
    const Window *w = &g_array_index (windows, Window, i);
    if (w->from <= at && at <= w->to)
      return true;
  }
  return false;
}

static void
add_captures (Chrome *c, const char *label, GArray *events, const Marks *marks,
              const GArray *windows, GPtrArray *plans)
{
  g_autoptr (GPtrArray) launches = launches_of (c, events);
  g_autoptr (GHashTable) sites = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint i = 0; i < launches->len; i++)
    if (is_in_any (windows, ((const GraphEvent *) g_ptr_array_index (launches, i))->start))
      g_hash_table_insert (sites, g_ptr_array_index (launches, i), NULL);
  graph_sites (c, events, sites);
  for (guint w = 0; w < windows->len; w++) {
    const Window *window = &g_array_index (windows, Window, w);
    g_autoptr (GArray) of = g_array_new (FALSE, FALSE, sizeof (GraphSite));
    for (guint i = 0; i < launches->len; i++) {
      const GraphEvent *e = g_ptr_array_index (launches, i);
      const GraphSite *site = g_hash_table_lookup (sites, e);
      if (site && window->from <= e->start && e->start <= window->to)
        g_array_append_val (of, *site);
    }
    g_autofree char *name
        = g_strdup_printf ("%s:%s:%u", label, range_around (c, marks, window), w);
    if (of->len)
      add_plan (plans, label, name, false, of);
  }
}

/* -- Runs without graphs ----------------------------------------------------------------------- */

typedef struct {
  const GraphEvent *work, *launch;
} Launched;

static int
by_launch (gconstpointer a, gconstpointer b)
{
  const Launched *x = a, *y = b;
  int order = by_start (&x->launch, &y->launch);
  return order ? order : by_start (&x->work, &y->work);
}

/* Returns the work whose launch is in the file, by launch; of Launched; transfer full. */
static GArray *
launched_of (const Chrome *c, GArray *events)
{
  g_autoptr (GPtrArray) launches = launches_of (c, events);
  g_autoptr (GHashTable) by_id = g_hash_table_new (g_int64_hash, g_int64_equal);
  GArray *launched = g_array_new (FALSE, FALSE, sizeof (Launched));
  for (guint i = 0; i < launches->len; i++) {
    GraphEvent *e = g_ptr_array_index (launches, i);
    if (e->correlation)
      g_hash_table_insert (by_id, &e->correlation, e);
  }
  for (guint i = 0; i < events->len; i++) {
    const GraphEvent *e = &g_array_index (events, GraphEvent, i);
    const GraphEvent *launch
        = e->kind == GRAPH_WORK ? g_hash_table_lookup (by_id, &e->correlation) : NULL;
    if (launch)
      g_array_append_val (launched, ((Launched){ e, launch }));
  }
  g_array_sort (launched, by_launch);
  return launched;
}

static void
add_run (Chrome *c, const char *label, GArray *events, GPtrArray *plans)
{
  g_autoptr (GArray) launched = launched_of (c, events);
  g_autoptr (GHashTable) sites = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GArray) of = g_array_new (FALSE, FALSE, sizeof (GraphSite));
  for (guint i = 0; i < launched->len; i++)
    g_hash_table_insert (sites, (gpointer) g_array_index (launched, Launched, i).launch, NULL);
  graph_sites (c, events, sites);
  for (guint i = 0; i < launched->len; i++) {
    const Launched *l = &g_array_index (launched, Launched, i);
    const GraphSite *site = g_hash_table_lookup (sites, l->launch);
    if (!site)
      continue;
    GraphSite own = *site;
    own.kernel = l->work->name;
    own.key = graph_key (c, l->work->name);
    g_array_append_val (of, own);
  }
  g_autofree char *name = g_strconcat (label, ":run", NULL);
  if (of->len)
    add_plan (plans, label, name, true, of);
}

void
graph_plans (Chrome *c, const char *label, GArray *events, bool captures_only, GPtrArray *plans)
{
  Marks marks = marks_of (c, events);
  g_autoptr (GArray) windows = windows_of (c, &marks);
  if (windows->len)
    add_captures (c, label, events, &marks, windows, plans);
  marks_clear (&marks);
  if (!windows->len && !captures_only)
    add_run (c, label, events, plans);
}
