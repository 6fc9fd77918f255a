/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - what is known of the whole job, as rows of tables. */
#include "ranks.h"

#include "devicekit/cells.h"

#include <math.h>
#include <nprof/units.h>

/* -- Ranks ------------------------------------------------------------------------------------- */

static struct nprof_maybe_text
some_text (const Ranks *r, nprof_str text)
{
  return nprof_text_if (text, nprof_text (r->host, text));
}

bool
is_incomplete (const Whole *w, guint32 number)
{
  const Rank *rank = job_rank (w->job, number);
  return (rank->bare && w->job->group_keys.n > 1) || rank->outside;
}

/* Returns how many steps of the rank touch the window. */
static guint
count_steps (const Whole *w, const Rank *rank)
{
  guint n = 0;
  for (guint i = 0; i < rank->steps->len; i++) {
    const RankStep *s = &g_array_index (rank->steps, RankStep, i);
    n += nprof_touches (&w->clip, s->start, s->end);
  }
  return n;
}

static double
gain_of (const Gains *gains, guint32 rank)
{
  return (double) gains->of_rank[rank] / (double) gains->steps;
}

static nprof_status
write_rank (Ranks *r, const Whole *w, nprof_str input, guint32 number)
{
  const Rank *rank = job_rank (w->job, number);
  g_autofree char *role = g_strdup_printf ("role %u", w->roles[number]);
  const char *state = is_incomplete (w, number) ? "incomplete" : "complete";
  const Gains *gains = &w->gains;
  bool known = gains->unknown == GAIN_KNOWN;
  double mfu = rk_use_of (r, rank).mfu;
  const struct ranks_row row = {
    .rank = nprof_some_int (w->numbers[number]),
    .host = some_text (r, rank->host),
    .device = some_text (r, rank->device),
    .role = nprof_some_text (role),
    .file = some_text (r, rank->input),
    .steps = nprof_some_int (count_steps (w, rank)),
    .span = nprof_some_int (rank->span),
    .busy = nprof_some_int (rank->busy),
    .compute = nprof_some_int (rank->compute),
    .communication = nprof_some_int (rank->communication),
    .exposed = nprof_some_int (rank->exposed),
    .idle = nprof_some_int (rank->idle),
    .mfu = nprof_some_double (mfu),
    .representative = nprof_some_bool (w->representative[w->roles[number]] == number),
    .state = nprof_any_str (nprof_intern (r->host, state)),
    .last = nprof_some_int ((gint64) w->waits.last[number]),
    .waited = sum_if (true, w->waits.of_rank[number]),
    .gain = sum_if (known, gains->of_rank[number]),
    .gain_share
    = nprof_double_if (known && gains->steps, known && gains->steps ? gain_of (gains, number) : 0),
  };
  return r->host->row (r->host, &ranks_table, ranks_cells (nprof_cell_str (input), &row).cells);
}

#define MOST_MISSING 1024 /* at least */

static nprof_status
write_missing (Ranks *r, nprof_str input, gint64 number)
{
  const struct ranks_row row = {
    .rank = nprof_some_int (number),
    .state = nprof_some_str (nprof_intern (r->host, "missing")),
  };
  return r->host->row (r->host, &ranks_table, ranks_cells (nprof_cell_str (input), &row).cells);
}

gint64
world_of (const Whole *w)
{
  gint64 world = 0;
  for (guint i = 0; i < w->job->ranks->len; i++)
    world = MAX (world, job_rank (w->job, i)->world);
  return world;
}

/* Ranks that are not there, as many as may have a row: a profile can claim any number. */
typedef struct {
  gint64 rows, without; /* rows that are left; those that got none */
} Missing;

static nprof_status
write_all_missing (Ranks *r, nprof_str input, gint64 from, gint64 to, Missing *missing)
{
  nprof_status status = NPROF_OK;
  for (; from < to && missing->rows && !status; from++, missing->rows--)
    status = write_missing (r, input, from);
  missing->without += MAX (0, to - from);
  return status;
}

static nprof_status
write_ranks (Ranks *r, const Whole *w, nprof_str input)
{
  nprof_status status = r->host->table (r->host, &ranks_table);
  gint64 next = 0, world = world_of (w);
  Missing missing = { .rows = MAX (MOST_MISSING, w->job->ranks->len) };
  for (guint i = 0; i < w->job->ranks->len && !status; i++) {
    gint64 number = w->numbers[w->ranks[i]];
    status = write_all_missing (r, input, next, MIN (number, world), &missing);
    if (!status)
      status = write_rank (r, w, input, w->ranks[i]);
    next = MAX (next, number + 1);
  }
  if (next < world && !status) {
    status = write_all_missing (r, input, next, world - 1, &missing);
    status = status ? status : write_missing (r, input, world - 1); /* tells how many there are */
  }
  if (missing.without)
    nprof_log (r->host, NPROF_WARNING,
               "%" G_GINT64_FORMAT " ranks more are missing of the %" G_GINT64_FORMAT
               " that the profiles speak of: they have no row in table ranks",
               missing.without, world);
  return status;
}

/* -- Stragglers -------------------------------------------------------------------------------- */

static nprof_status
write_straggler (Ranks *r, const Whole *w, nprof_str input, const Culprit *c)
{
  const struct stragglers_row row = {
    .who = some_text (r, who_text (w, c)),
    .cause = nprof_any_str (nprof_intern (r->host, cause_name (c->cause))),
    .collectives = nprof_some_int ((gint64) c->collectives),
    .last = nprof_some_int ((gint64) c->last),
    .late = sum_if (true, c->late),
    .held = sum_if (true, c->most_of_group),
    .cost = sum_if (true, c->cost),
    .gain = sum_if (true, c->gain),
    .steps = nprof_some_int (g_hash_table_size (c->steps)),
    .share = nprof_double_if (w->step_time, (double) c->most_of_group / w->step_time),
  };
  return r->host->row (r->host, &stragglers_table,
                       stragglers_cells (nprof_cell_str (input), &row).cells);
}

static nprof_status
write_stragglers (Ranks *r, const Whole *w, nprof_str input)
{
  nprof_status status = r->host->table (r->host, &stragglers_table);
  g_autofree Culprit **order = culprits_in_order (w);
  guint others = 0;
  DistSum late = 0;
  for (guint i = 0; i < w->culprits->len && !status; i++)
    if (order[i]->named)
      status = write_straggler (r, w, input, order[i]);
    else {
      others++;
      late += order[i]->late;
    }
  if (others)
    nprof_log (r->host, NPROF_INFO,
               "ranks waited %s for others, spread over %u causes, as noise is: none of them "
               "is named",
               nprof_time ((double) late).text, others);
  return status;
}

/* -- Groups ------------------------------------------------------------------------------------ */

static nprof_status
write_group (Ranks *r, const Whole *w, nprof_str input, guint32 group)
{
  const GroupSum *g = &w->groups[group];
  const guint32 *key = group_key (w->job, group);
  g_autofree char *name = group_text (w->job, group);
  const char *called = nprof_text (r->host, key[G_LABEL]),
             *members = nprof_text (r->host, key[G_MEMBERS]);
  g_autofree char *label = g_strconcat (called, *called && *members ? " " : "", members, NULL);
  const struct groups_row row = {
    .group = nprof_any_str (nprof_intern (r->host, name)),
    .label = nprof_some_text (*label ? label : name),
    .size = nprof_int_if (g->size, g->size),
    .seen = nprof_some_int (g->seen),
    .collectives = nprof_some_int (g->collectives),
    .complete = nprof_some_int (g->complete),
    .invalid = nprof_some_int (g->invalid),
    .transfer = sum_if (true, g->transfer),
    .late = sum_if (true, g->late),
    .exposed = sum_if (true, g->exposed),
  };
  return r->host->row (r->host, &groups_table, groups_cells (nprof_cell_str (input), &row).cells);
}

static nprof_status
write_groups (Ranks *r, const Whole *w, nprof_str input)
{
  nprof_status status = r->host->table (r->host, &groups_table);
  guint n = w->job->group_keys.n;
  g_autofree guint32 *sorted = job_sorted (w->job, n, job_compare_groups);
  for (guint i = 0; i < n && !status; i++)
    if (w->groups[sorted[i]].collectives)
      status = write_group (r, w, input, sorted[i]);
  return status;
}

/* -- Clocks ------------------------------------------------------------------------------------ */

typedef struct {
  const Whole *whole;
  guint clock;
} OnClock;

static bool
is_on_clock (gconstpointer user, guint32 rank)
{
  const OnClock *on = user;
  return job_rank (on->whole->job, rank)->clock == on->clock;
}

static struct nprof_maybe_int
time_if (bool known, double ps)
{
  bool fits = isfinite (ps) && fabs (ps) < 9e18;
  return nprof_int_if (known && fits, fits ? llround (ps) : 0);
}

static nprof_status
write_clock (Ranks *r, const Whole *w, nprof_str input, guint number)
{
  const Clock *clock = &g_array_index (w->clocks, Clock, number);
  const Rank *rank = job_rank (w->job, clock->rank);
  g_autofree char *own = g_strdup_printf ("rank %" G_GINT64_FORMAT, w->numbers[clock->rank]);
  const OnClock on = { w, number };
  g_autofree char *ranks = numbers_text (w, is_on_clock, &on);
  bool tied = clock->used > 0;
  const struct clocks_row row = {
    .clock = nprof_any_str (rank->host ? rank->host : nprof_intern (r->host, own)),
    .ranks = nprof_some_text (ranks),
    .offset = time_if (tied, -clock->offset),
    .at_unix_ns = nprof_int_if (tied, w->epoch + (gint64) (w->middle / 1000)),
    .drift_ppm = nprof_double_if (tied && clock->drift != 0, -clock->drift * 1e6),
    .low = time_if (tied, -clock->offset - clock->high),
    .high = time_if (tied, -clock->offset - clock->low),
    .collectives = nprof_some_int (clock->used),
    .spread = time_if (tied, clock->spread),
    .component = nprof_some_int (clock->component),
  };
  return r->host->row (r->host, &clocks_table, clocks_cells (nprof_cell_str (input), &row).cells);
}

static nprof_status
write_clocks (Ranks *r, const Whole *w, nprof_str input)
{
  nprof_status status = r->host->table (r->host, &clocks_table);
  for (guint i = 0; i < w->clocks->len && !status; i++)
    status = write_clock (r, w, input, i);
  return status;
}

/* -- All --------------------------------------------------------------------------------------- */

static void
tell_uncounted (Ranks *r)
{
  guint64 bare = 0, outside = 0;
  gint64 time = 0;
  for (guint i = 0; i < r->job.ranks->len; i++) {
    bare += job_rank (&r->job, i)->bare;
    time += job_rank (&r->job, i)->bare_ps;
    outside += job_rank (&r->job, i)->outside;
  }
  if (bare && r->job.group_keys.n > 1)
    nprof_log (r->host, NPROF_WARNING,
               "collectives without fields: %" G_GUINT64_FORMAT ", %s: they name no group, and "
               "are matched with none",
               bare, nprof_time ((double) time).text);
  else if (bare)
    nprof_log (r->host, NPROF_INFO,
               "no collective names its group: they are matched by their number in the capture, as "
               "long as all ranks have the same");
  if (outside)
    nprof_log (r->host, NPROF_INFO,
               "%" G_GUINT64_FORMAT
               " collectives were launched in no whole step and have no number, lack their start "
               "or end, or list several groups of ranks and nobody says which rank theirs is: "
               "nobody can match them",
               outside);
}

/* Profiles that neither say which rank they are nor share a collective are no job. */
static bool
is_job (const Ranks *r)
{
  bool any = false;
  for (guint i = 0; i < r->job.ranks->len; i++)
    any |= job_rank (&r->job, i)->number != NO_RANK;
  for (guint i = 0; i < r->job.calls->len && r->job.ranks->len > 1; i++)
    any |= job_call (&r->job, i)->n > 1;
  return any;
}

/* With two profiles of one rank it is unknown which collectives belong to which. */
static bool
has_twins (const Ranks *r, const Whole *w)
{
  for (guint i = 1; i < r->job.ranks->len; i++) {
    const Rank *a = job_rank (&r->job, w->ranks[i - 1]), *b = job_rank (&r->job, w->ranks[i]);
    if (a->number == NO_RANK || a->number != b->number)
      continue;
    nprof_log (r->host, NPROF_WARNING,
               "rank %" G_GINT64_FORMAT " is in %s and in %s: nothing is said of the job; name the "
               "profiles of one job, each rank once",
               a->number, nprof_text (r->host, a->input), nprof_text (r->host, b->input));
    return true;
  }
  return false;
}

static nprof_status
write_none (Ranks *r)
{
  static const struct nprof_table *const tables[] = { &job_table,
                                                      &stragglers_table,
                                                      &rank_spread_table,
                                                      &ranks_table,
                                                      &clocks_table,
                                                      &groups_table,
                                                      &rank_steps_table,
                                                      &step_skew_table,
                                                      &rank_operators_table,
                                                      &job_collectives_table };
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < G_N_ELEMENTS (tables) && !status; i++)
    status = r->host->table (r->host, tables[i]);
  return status;
}

nprof_status
rk_write (Ranks *r)
{
  static nprof_status (*const write[]) (Ranks *, const Whole *, nprof_str)
      = { write_job,    write_stragglers, write_spread, write_ranks,    write_clocks,
          write_groups, write_calls,      write_steps,  write_operators };
  nprof_status status = NPROF_OK;
  nprof_str input = nprof_intern (r->host, r->label);
  if (!is_job (r))
    return write_none (r);
  Whole *w = whole_new (&r->job, &r->clip);
  bool twins = has_twins (r, w);
  if (twins)
    status = write_none (r);
  else
    tell_uncounted (r);
  for (guint i = twins ? G_N_ELEMENTS (write) : 0; i < G_N_ELEMENTS (write) && !status; i++)
    status = write[i](r, w, input);
  whole_free (w);
  return status;
}
