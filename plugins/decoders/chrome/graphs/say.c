/* SPDX-License-Identifier: Apache-2.0 */
/* say.c - says by which recordings the replays of a run are known and how surely, and which fit
 * nothing: as messages, as properties of the input, and as table graph_captures. */
#include "captures.h"
#include "join.h"

#include <string.h>

NPROF_TABLE (graph_captures, "Captures of graphs",
             "Recordings that were tried on replays of graphs. One that fits none is not used, "
             "but for kernels whose name has one operator alone.",
             GRAPH_CAPTURES)

/* A capture and the replays of as many kernels that it fits. */
typedef struct {
  guint plan, kernels;
  guint64 replays;
  guint edits, named;
  GraphMatch match; /* the least sure */
} Use;

/* The largest replay that nothing fits, and the capture of a file that is nearest to it. */
typedef struct {
  guint plan, tried; /* of the file's captures */
  guint difference;  /* of the first kernel, from 0 */
  guint named;       /* kernels whose name has one operator */
} Misfit;

/* -- Which are used ---------------------------------------------------------------------------- */

/* Returns whether kernel k of a replay has an operator by the plan that fits, or by its name. */
static bool
is_named (const ChGraphs *g, const Distinct *d, const PlanFit *fit, guint k)
{
  const NameSite *name = g_hash_table_lookup (g->names, GUINT_TO_POINTER (d->keys[k]));
  return fit && is_placed (g, fit, k) ? operator_at (g, fit->plan, fit->fit.place[k]) != 0
                                      : name && name->operator;
}

static guint
count_named (const ChGraphs *g, const Distinct *d, const PlanFit *fit)
{
  guint n = 0;
  for (guint k = 0; k < d->n; k++)
    n += is_named (g, d, fit, k);
  return n;
}

typedef struct {
  GArray *uses;           /* of Use, as their first replays come */
  guint64 named, kernels; /* of all replays */
} Uses;

static void
uses_clear (Uses *all)
{
  g_clear_pointer (&all->uses, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Uses, uses_clear)

static Use *
use_of (GArray *uses, guint plan, guint kernels)
{
  for (guint i = 0; i < uses->len; i++) {
    Use *use = &g_array_index (uses, Use, i);
    if (use->plan == plan && use->kernels == kernels)
      return use;
  }
  const Use use = { .plan = plan, .kernels = kernels, .named = G_MAXUINT, .match = GRAPH_EXACT };
  g_array_append_val (uses, use);
  return &g_array_index (uses, Use, uses->len - 1);
}

/* Adds all replays of one kind that a plan fits; NULL: none does. */
static void
add_use (const ChGraphs *g, Uses *all, const Distinct *d, const PlanFit *fit, guint64 replays)
{
  const guint named = count_named (g, d, fit);
  all->named += named * replays;
  all->kernels += d->n * replays;
  if (!fit)
    return;
  Use *use = use_of (all->uses, fit->plan, d->n);
  use->replays += replays;
  use->edits = MAX (use->edits, fit->fit.edits);
  use->named = MIN (use->named, named);
  use->match = MIN (use->match, fit->fit.match);
}

static Uses
find_uses (const ChGraphs *g)
{
  Uses all = { .uses = g_array_new (FALSE, FALSE, sizeof (Use)) };
  g_autofree guint64 *by_fit = g_new0 (guint64, g->fits->len + 1),
                     *without = g_new0 (guint64, g->distinct->len + 1);
  for (guint i = 0; i < g->replays->len; i++) {
    const Replay *r = &g_array_index (g->replays, Replay, i);
    ++*(r->fit == NO_FIT ? &without[r->distinct] : &by_fit[r->fit]);
  }
  for (guint i = 0; i < g->distinct->len; i++) {
    const Distinct *d = &g_array_index (g->distinct, Distinct, i);
    for (guint f = d->first; f < d->first + d->n_fits; f++)
      if (by_fit[f])
        add_use (g, &all, d, &g_array_index (g->fits, PlanFit, f), by_fit[f]);
    if (without[i])
      add_use (g, &all, d, NULL, without[i]);
  }
  return all;
}

static bool
is_used (const ChGraphs *g, guint plan)
{
  for (guint i = 0; i < g->fits->len; i++)
    if (g_array_index (g->fits, PlanFit, i).plan == plan)
      return true;
  return false;
}

/* -- Which fit nothing ------------------------------------------------------------------------- */

static bool
is_contested (const Join *j, guint plan)
{
  const nprof_str series = plan_at (j->graphs, plan)->series;
  return series && g_hash_table_contains (j->chosen, GUINT_TO_POINTER (series));
}

/* Returns the largest replay that nothing fits; NULL: all have a plan. */
static const Distinct *
largest_without (const ChGraphs *g)
{
  const Distinct *largest = NULL;
  for (guint i = 0; i < g->distinct->len; i++) {
    const Distinct *d = &g_array_index (g->distinct, Distinct, i);
    if (!d->n_fits && (!largest || d->n > largest->n))
      largest = d;
  }
  return largest;
}

/* Returns the number of the first kernel that is none of the plan's, and its name there. */
static guint
first_difference (const Distinct *d, const GraphPlan *plan)
{
  guint k = 0;
  while (k < d->n && k < plan->keys->len && g_array_index (plan->keys, guint32, k) == d->keys[k])
    k++;
  return k;
}

static guint
apart (const Distinct *d, const GraphPlan *plan)
{
  return MAX (d->n, plan->keys->len) - MIN (d->n, plan->keys->len);
}

/* Returns how many kernels have the operator that all launches of their name have, of the plan. */
static guint
count_by_name (const ChGraphs *g, const Distinct *d, guint plan)
{
  guint n = 0;
  for (guint k = 0; k < d->n; k++) {
    const NameSite *name = g_hash_table_lookup (g->names, GUINT_TO_POINTER (d->keys[k]));
    n += name && name->operator&& name->plan == plan;
  }
  return n;
}

/* Takes the plan where it follows the replay further than those of its file so far, or as far and
 * is nearer in length. */
static void
add_misfit (const ChGraphs *g, GArray *misfits, const Distinct *d, guint plan)
{
  const GraphPlan *of = plan_at (g, plan);
  const Misfit found = { plan, 1, first_difference (d, of), count_by_name (g, d, plan) };
  Misfit *last = misfits->len ? &g_array_index (misfits, Misfit, misfits->len - 1) : NULL;
  if (!last || strcmp (plan_at (g, last->plan)->file, of->file) != 0) {
    g_array_append_val (misfits, found);
    return;
  }
  const guint tried = last->tried + 1, named = last->named + found.named;
  if (found.difference > last->difference
      || (found.difference == last->difference
          && apart (d, of) < apart (d, plan_at (g, last->plan))))
    *last = found;
  last->tried = tried;
  last->named = named;
}

/* Returns the nearest capture of each file, of those that fit nothing; of Misfit; transfer full. */
static GArray *
find_misfits (const Join *j, const Distinct *without)
{
  GArray *misfits = g_array_new (FALSE, FALSE, sizeof (Misfit));
  for (guint p = 0; without && p < j->graphs->plans->len; p++)
    if (!is_used (j->graphs, p) && !is_contested (j, p))
      add_misfit (j->graphs, misfits, without, p);
  return misfits;
}

static const char *
name_or (const struct nprof_host *h, nprof_str name, bool there)
{
  return !there ? "nothing" : name ? nprof_text (h, name) : "a kernel without a name";
}

static const char *
replayed_at (const Join *j, const Distinct *d, guint k)
{
  const bool there = k < d->n;
  return name_or (j->c->host, there ? d->keys[k] : 0, there);
}

static const char *
captured_at (const Join *j, guint plan, guint k)
{
  const GArray *keys = plan_at (j->graphs, plan)->keys;
  const bool there = k < keys->len;
  return name_or (j->c->host, there ? g_array_index (keys, guint32, k) : 0, there);
}

/* -- Messages ---------------------------------------------------------------------------------- */

static void
say_misfit (const Join *j, const Distinct *d, const Misfit *m)
{
  const GraphPlan *plan = plan_at (j->graphs, m->plan);
  g_autofree char *by_name
      = g_strdup_printf ("gives %u of %u kernels an operator by their names alone", m->named, d->n);
  g_autofree char *others
      = m->tried < 2
            ? g_strdup ("")
            : g_strdup_printf ("; %u other captures of the file are further off", m->tried - 1);
  nprof_log (j->c->host, NPROF_WARNING,
             "%s fits no replay and %s: a replay of %u kernels against %u launches; the "
             "first difference is number %u: %.200s, the recording has %.200s%s",
             plan->label, m->named ? by_name : "is not used", d->n, plan->keys->len,
             m->difference + 1, replayed_at (j, d, m->difference),
             captured_at (j, m->plan, m->difference), others);
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

/* Names all files of a series, and which of them is used. */
static void
say_series (const Join *j, nprof_str series, const char *used)
{
  g_autoptr (GString) files = g_string_new (NULL);
  const char *last = NULL;
  for (guint p = 0; p < j->graphs->plans->len; p++) {
    const GraphPlan *plan = plan_at (j->graphs, p);
    if (plan->series != series || !g_strcmp0 (last, plan->file))
      continue;
    last = plan->file;
    g_string_append_printf (files, "%s%s", files->len ? ", " : "", last);
  }
  if (used)
    nprof_log (j->c->host, NPROF_INFO, "%s fit alike: %s is used", files->str, used);
  else
    nprof_log (j->c->host, NPROF_WARNING,
               "%s fit alike and give kernels different operators: none is used; name the one of "
               "this run by --eager FILE",
               files->str);
}

static void
say_contested (const Join *j)
{
  nprof_str said = 0;
  for (guint p = 0; p < j->graphs->plans->len; p++)
    if (is_contested (j, p) && plan_at (j->graphs, p)->series != said) {
      said = plan_at (j->graphs, p)->series;
      say_series (j, said, g_hash_table_lookup (j->chosen, GUINT_TO_POINTER (said)));
    }
}

static void
say (const Join *j, const Uses *all, const Distinct *without, const GArray *misfits)
{
  say_regions (j);
  say_contested (j);
  for (guint i = 0; i < all->uses->len; i++) {
    const Use *use = &g_array_index (all->uses, Use, i);
    nprof_log (j->c->host, NPROF_INFO, "graph kernels are named by %s (%s); --no-eager leaves it",
               plan_at (j->graphs, use->plan)->label, graph_match_word (use->match));
  }
  for (guint i = 0; i < misfits->len; i++)
    say_misfit (j, without, &g_array_index (misfits, Misfit, i));
}

/* -- Properties -------------------------------------------------------------------------------- */

/* Returns what `of` says of each file that names kernels, each once; NULL: none does; transfer
 * full. */
static char *
list_files (const Join *j, const char *(*of) (const Join *j, const GraphPlan *plan))
{
  g_autoptr (GString) files = g_string_new (NULL);
  const char *last = NULL;
  for (guint p = 0; p < j->graphs->plans->len; p++) {
    const GraphPlan *plan = plan_at (j->graphs, p);
    if (!is_used (j->graphs, p) || !g_strcmp0 (plan->file, last))
      continue;
    last = plan->file;
    g_string_append_printf (files, "%s%s", files->len ? ", " : "", of (j, plan));
  }
  return last ? g_string_free (g_steal_pointer (&files), FALSE) : NULL;
}

static const char *
file_of (const Join *j, const GraphPlan *plan)
{
  (void) j;
  return plan->file;
}

static const char *
digest_of (const Join *j, const GraphPlan *plan)
{
  return plan->digest ? nprof_text (j->c->host, plan->digest) : "of the input";
}

/* Text NULL: nothing is said. */
static nprof_status
tell (const Join *j, const char *key, const char *text)
{
  return text ? j->c->host->property (j->c->host, key, text) : NPROF_OK;
}

static nprof_status
tell_used (const Join *j, const Uses *all)
{
  g_autofree char *files = list_files (j, file_of), *digests = list_files (j, digest_of),
                  *named = g_strdup_printf ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT,
                                            all->named, all->kernels);
  GraphMatch match = GRAPH_EXACT;
  guint edits = 0;
  for (guint i = 0; i < all->uses->len; i++) {
    match = MIN (match, g_array_index (all->uses, Use, i).match);
    edits = MAX (edits, g_array_index (all->uses, Use, i).edits);
  }
  g_autofree char *most = g_strdup_printf ("%u", edits);
  nprof_status status = tell (j, "eager", files);
  if (!status)
    status = tell (j, "eager_sha1", digests);
  if (!status && files)
    status = tell (j, "graphs.match", graph_match_word (match));
  if (!status && files)
    status = tell (j, "graphs.edits", most);
  return status ? status : tell (j, "graphs.named", j->graphs->plans->len ? named : NULL);
}

static nprof_status
tell_ambiguous (const Join *j)
{
  g_autofree char *kernels = g_strdup_printf ("%" G_GUINT64_FORMAT, j->ambiguous);
  return tell (j, "graphs.ambiguous", j->ambiguous ? kernels : NULL);
}

/* -- The table --------------------------------------------------------------------------------- */

static nprof_status
write_row (const Join *j, guint number, struct graph_captures_row row)
{
  const struct nprof_host *h = j->c->host;
  const GraphPlan *plan = plan_at (j->graphs, number);
  g_autofree char *graph
      = g_strdup_printf (GRAPH_UNKNOWN "%" G_GINT64_FORMAT ")", row.kernels.value);
  row.capture = nprof_any_str (nprof_intern (h, plan->label));
  row.graph = nprof_any_str (nprof_intern (h, graph));
  row.launches = nprof_some_int (plan->keys->len);
  row.file = nprof_any_str (nprof_intern (h, plan->file));
  row.digest = nprof_some_str (plan->digest);
  return h->row (h, &graph_captures_table,
                 graph_captures_cells (nprof_cell_str (j->c->input->label), &row).cells);
}

static nprof_status
write_use (const Join *j, const Use *use)
{
  return write_row (j, use->plan,
                    (struct graph_captures_row){ .match
                                                 = nprof_any_str (j->graphs->matches[use->match]),
                                                 .replays = nprof_some_int ((gint64) use->replays),
                                                 .kernels = nprof_some_int (use->kernels),
                                                 .edits = nprof_some_int (use->edits),
                                                 .named = nprof_some_int (use->named) });
}

static nprof_status
write_misfit (const Join *j, const Distinct *d, const Misfit *m)
{
  const struct nprof_host *h = j->c->host;
  const GraphMatch match = m->named ? GRAPH_NAME : GRAPH_NONE;
  return write_row (
      j, m->plan,
      (struct graph_captures_row){
          .match = nprof_any_str (j->graphs->matches[match]),
          .replays = nprof_some_int (0),
          .kernels = nprof_some_int (d->n),
          .named = nprof_some_int (m->named),
          .difference = nprof_some_int (m->difference + 1),
          .replayed = nprof_any_str (nprof_intern (h, replayed_at (j, d, m->difference))),
          .captured = nprof_any_str (nprof_intern (h, captured_at (j, m->plan, m->difference))) });
}

nprof_status
graph_tell (const Join *j)
{
  const Distinct *without = largest_without (j->graphs);
  g_autoptr (GArray) misfits = find_misfits (j, without);
  g_auto (Uses) all = find_uses (j->graphs);
  say (j, &all, without, misfits);
  nprof_status status = tell_used (j, &all);
  if (!status)
    status = tell_ambiguous (j);
  if (!status)
    status = j->c->host->table (j->c->host, &graph_captures_table);
  for (guint i = 0; i < all.uses->len && !status; i++)
    status = write_use (j, &g_array_index (all.uses, Use, i));
  for (guint i = 0; i < misfits->len && !status; i++)
    status = write_misfit (j, without, &g_array_index (misfits, Misfit, i));
  return status;
}
