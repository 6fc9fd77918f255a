/* SPDX-License-Identifier: Apache-2.0 */
/* compare-job.c - the long work of comparing profiles: each is read once, and of it only what is
 * compared is kept. */

#include "ask-jobs.h"
#include "compare.h"

/* -- What is to be compared ------------------------------------------------------------------ */

typedef struct {
  NpRegistry *modules;
  GPtrArray *folders; /* of char *: the base, then each other profile */
  NpSelection window; /* of times alone                               */
  NpDiffBy by;
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;
  g_ptr_array_unref (work->folders);
  g_free (work);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Work, work_free)

/* Returns what makes the tables of a profile, transfer full. */
static NpAnalysis *
analysis_of (const Work *work, guint profile, gboolean hosts)
{
  NpAnalysis *analysis
      = np_diff_analysis (work->modules, work->folders->pdata[profile], hosts, work->by);
  analysis->selection = work->window;
  return analysis;
}

/* Selects the window of parameters t0 and t1, where they are given; FALSE: the reply says what is
 * wrong. */
static gboolean
select_window (NpAsk *ask, NpSelection *s)
{
  if (!np_ask_i64 (ask, "t0", G_MININT64, &s->from) || !np_ask_i64 (ask, "t1", G_MAXINT64, &s->to))
    return FALSE;
  s->has_from = s->from != G_MININT64;
  s->has_to = s->to != G_MAXINT64;
  s->clip = s->has_from || s->has_to;
  return s->from <= s->to
         || np_reply_fail (ask->reply, 400, "", "parameters t0 and t1: expected t0 <= t1");
}

/* -- Comparing ------------------------------------------------------------------------------- */

/* How it is done: whom to ask whether to stop, and what became of it. */
typedef struct {
  const Work *work;
  GHashTable *names;
  gboolean (*stop) (gpointer user);
  gpointer user;
  int *status;
  char **said;
} Doing;

/* Reads what is compared of a profile; its tables go.  NULL: *status and *said say why.  Transfer
 * full. */
static GPtrArray *
read_runs (const Doing *d, guint profile, gboolean hosts)
{
  g_autoptr (NpAnalysis) analysis = analysis_of (d->work, profile, hosts);
  g_clear_pointer (d->said, g_free);
  g_autoptr (NpTableStore) tables = np_analyze (analysis, d->stop, d->user, d->status, d->said);
  if (!tables)
    return NULL;
  GPtrArray *runs = np_diff_runs_new ();
  np_diff_runs_add (runs, tables, hosts, d->names);
  return runs;
}

static void
compared_free (gpointer data)
{
  NpCompared *compared = data;
  np_diff_report_clear (&compared->report);
  g_ptr_array_unref (compared->base);
  g_ptr_array_unref (compared->new);
  g_free (compared);
}

/* Compares devices, or hosts where neither profile has work of a device.  bases: what was read of
 * the base, by whether it is of hosts.  Transfer full. */
static NpCompared *
compare (const Doing *d, GPtrArray *bases[2], guint other)
{
  for (guint hosts = 0; hosts < 2; hosts++) {
    if (!bases[hosts] && !(bases[hosts] = read_runs (d, 0, hosts != 0)))
      return NULL;
    g_autoptr (GPtrArray) new = read_runs (d, other, hosts != 0);
    if (!new)
      return NULL;
    if (!hosts && !np_diff_runs_have_work (bases[hosts]) && !np_diff_runs_have_work (new))
      continue;
    NpCompared *c = g_new0 (NpCompared, 1);
    c->base = g_ptr_array_ref (bases[hosts]);
    c->new = g_steal_pointer (&new);
    c->report.hosts = hosts != 0;
    c->report.fail_over = NP_DIFF_THRESHOLD;
    np_diff_report_fill (&c->report, c->base, c->new);
    return c;
  }
  return NULL;
}

static gpointer
run (gpointer data, gboolean (*stop) (gpointer user), gpointer user, int *status, char **said)
{
  g_autoptr (GHashTable) names = np_diff_names_new ();
  const Doing d = { data, names, stop, user, status, said };
  g_autoptr (GPtrArray) diffs = g_ptr_array_new_with_free_func (compared_free);
  GPtrArray *bases[2] = { NULL };
  NpCompared *last = NULL;
  for (guint i = 1; i < d.work->folders->len && (last = compare (&d, bases, i)); i++)
    g_ptr_array_add (diffs, last);
  for (guint i = 0; i < G_N_ELEMENTS (bases); i++)
    g_clear_pointer (&bases[i], g_ptr_array_unref);
  return last ? g_steal_pointer (&diffs) : NULL;
}

/* -- Keeping --------------------------------------------------------------------------------- */

static gpointer
ref (gpointer diffs)
{
  return g_ptr_array_ref (diffs);
}

static void
unref (gpointer diffs)
{
  g_ptr_array_unref (diffs);
}

/* The base is counted once. */
static gsize
bytes_of (gconstpointer answer)
{
  const GPtrArray *diffs = answer;
  gsize bytes = 0;
  for (guint i = 0; i < diffs->len; i++) {
    const NpCompared *c = diffs->pdata[i];
    bytes += np_diff_runs_bytes (c->new) + np_diff_report_bytes (&c->report)
             + (i ? 0 : np_diff_runs_bytes (c->base));
  }
  return bytes;
}

GPtrArray *
np_compare_diffs (NpAsk *ask, const char *const *ids, NpDiffBy by)
{
  static const NpJobKind kind = { run, work_free, ref, unref, bytes_of };
  g_autoptr (Work) work = g_new0 (Work, 1);
  g_autoptr (GString) key = g_string_new ("diff");
  *work = (Work){ .modules = ask->view->modules,
                  .folders = g_ptr_array_new_with_free_func (g_free),
                  .by = by };
  if (!select_window (ask, &work->window))
    return NULL;
  for (guint i = 0; ids[i]; i++) {
    const NpProfile *profile = np_ask_hold (ask, ids[i]);
    if (!profile)
      return NULL;
    g_ptr_array_add (work->folders, g_build_filename (ask->view->config->store, ids[i], NULL));
    g_autoptr (NpAnalysis) analysis = analysis_of (work, i, FALSE);
    g_autofree char *own = np_analysis_key (analysis);
    g_string_append_printf (key, "\n%016" G_GINT64_MODIFIER "x\n%s", profile->meta->generation,
                            own);
  }
  g_autoptr (NpJob) job = np_job_do (ask, key->str, &kind, g_steal_pointer (&work), "nprof diff");
  return job ? g_ptr_array_ref (job->answer) : NULL;
}
