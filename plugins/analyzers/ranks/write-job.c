/* SPDX-License-Identifier: Apache-2.0 */
/* write-job.c - the job in one row, and what its ranks differ by. */
#include "ranks.h"

#include "devicekit/cells.h"

#include <math.h>
#include <stddef.h>

/* Returns the numbers of the world that no rank has, transfer full. */
static char *
missing_text (const Whole *w, gint64 world)
{
  GString *text = g_string_new (NULL);
  gint64 next = 0;
  for (guint i = 0; i < w->job->ranks->len; i++) {
    gint64 number = w->numbers[w->ranks[i]];
    append_numbers (text, next, MIN (number, world) - 1);
    next = MAX (next, number + 1);
  }
  append_numbers (text, next, world - 1);
  return g_string_free (text, FALSE);
}

static bool
lacks_collectives (gconstpointer whole, guint32 rank)
{
  return is_incomplete (whole, rank);
}

/* Returns the rank that the others waited for most, of equal ones the first. */
static guint32
most_waited_for (const Whole *w)
{
  guint32 most = w->ranks[0];
  for (guint i = 1; i < w->job->ranks->len; i++)
    if (w->waits.of_rank[w->ranks[i]] > w->waits.of_rank[most])
      most = w->ranks[i];
  return most;
}

/* Returns who was late most and why, transfer full; NULL: of no collective that can be told. A job
 * whose ranks wait for others has somebody, also where no cause stands out, or little is waited. */
static char *
late_text (const Ranks *r, const Whole *w)
{
  g_autofree Culprit **order = culprits_in_order (w);
  for (guint i = 0; i < w->culprits->len; i++)
    if (order[i]->named)
      return g_strdup_printf ("%s: %s", nprof_text (r->host, who_text (w, order[i])),
                              cause_name (order[i]->cause));
  if (w->unexplained.time > (double) w->waits.all)
    return g_strdup_printf ("rank %" G_GINT64_FORMAT ": cause unknown",
                            w->numbers[w->unexplained.rank]);
  if (w->waits.all > 0)
    return g_strdup_printf ("rank %" G_GINT64_FORMAT ": cause unknown%s",
                            w->numbers[most_waited_for (w)],
                            w->waits.code ? "" : ", less than a tenth of the steps");
  bool told = false;
  for (guint i = 0; i < w->job->calls->len && !told; i++)
    told = w->verdicts[i].told && call_counts (w, i);
  return told ? g_strdup ("nobody") : NULL;
}

/* -- Utilisation ------------------------------------------------------------------------------- */

typedef struct {
  const Ranks *r;
  UseUnknown unknown;
} Why;

static bool
is_unknown (gconstpointer user, guint32 rank)
{
  const Why *why = user;
  Use use = rk_use_of (why->r, job_rank (&why->r->job, rank));
  return isnan (use.mfu) && use.unknown == why->unknown;
}

/* Returns of which ranks the use is unknown, transfer full; "": of none. */
static char *
unknown_text (const Ranks *r, const Whole *w, const char *missing)
{
  static const char *const words[UNKNOWNS] = { [NO_WORK] = "no work",
                                               [NO_FLOPS] = "no flops",
                                               [NO_PEAK] = "no peak rate",
                                               [ONE_NAME] = "devices of one name" };
  GString *text = g_string_new (r->uses ? NULL : "not analyzed: -a mfu does");
  for (UseUnknown i = 0; i < UNKNOWNS && r->uses; i++) {
    const Why why = { r, i };
    g_autofree char *numbers = numbers_text (w, is_unknown, &why);
    if (*numbers)
      g_string_append_printf (text, "%s%s: %s", text->len ? "; " : "", words[i], numbers);
  }
  if (*missing && r->uses)
    g_string_append_printf (text, "%smissing: %s", text->len ? "; " : "", missing);
  return g_string_free (text, FALSE);
}

/* Weights each rank by what it could do, and adds in the order of ranks, so that the sum does
 * not depend on the order in which they came. */
static double
mfu_of_job (const Ranks *r, const Whole *w)
{
  double done = 0, could = 0;
  for (guint i = 0; i < w->job->ranks->len; i++) {
    Use use = rk_use_of (r, job_rank (w->job, w->ranks[i]));
    done += use.mfu * use.could;
    could += use.could;
  }
  return could > 0 ? done / could : NAN;
}

/* Returns why it is unknown what the job would gain without a rank, transfer full; "": somebody
 * does. */
static char *
gain_unknown_text (const Whole *w, const char *missing)
{
  switch (w->gains.unknown) {
  case GAIN_ONE_RANK:
    return g_strdup ("one rank");
  case GAIN_MISSING:
    return g_strdup_printf ("missing: %s", missing);
  case GAIN_ROLES:
    return g_strdup_printf ("ranks do different work: %u roles", w->n_roles);
  case GAIN_HANDS_ON:
    return g_strdup ("ranks hand work on to each other, as stages of a pipeline do");
  case GAIN_NO_STEPS:
    return g_strdup ("no step that all ranks have");
  case GAIN_APART:
    return g_strdup_printf ("step %" G_GINT64_FORMAT
                            ": no matched collectives make all ranks wait for each other",
                            w->gains.step);
  default:
    return g_strdup ("");
  }
}

/* -- Rows -------------------------------------------------------------------------------------- */

static struct nprof_maybe_text
list_text (const char *text)
{
  return nprof_some_text (*text ? text : "none");
}

nprof_status
write_job (Ranks *r, const Whole *w, nprof_str input)
{
  gint64 world = world_of (w), violations = 0, checked = 0;
  g_autofree char *missing = missing_text (w, world), *late = late_text (r, w),
                  *incomplete = numbers_text (w, lacks_collectives, w),
                  *unknown = unknown_text (r, w, missing),
                  *gain_unknown = gain_unknown_text (w, missing);
  for (guint i = 0; i < w->job->group_keys.n; i++) {
    violations += w->groups[i].invalid;
    checked += w->groups[i].checked;
  }
  const struct job_row row = {
    .ranks = nprof_some_int (w->job->ranks->len),
    .expected = nprof_int_if (world, world),
    .missing = world ? list_text (missing) : nprof_some_text (NULL),
    .incomplete = list_text (incomplete),
    .late = nprof_some_text (late),
    .code = nprof_some_text (w->waits.code),
    .collectives = nprof_some_int ((gint64) w->waits.collectives),
    .waited_in = nprof_some_int ((gint64) w->waits.told),
    .end_spread = nprof_int_if (!isnan (w->end_spread_of_all),
                                isnan (w->end_spread_of_all) ? 0 : llround (w->end_spread_of_all)),
    .violations = nprof_some_int (violations),
    .checked = nprof_some_int (checked),
    .mfu = nprof_some_double (*unknown ? NAN : mfu_of_job (r, w)),
    .mfu_unknown = list_text (unknown),
    .gain_unknown = list_text (gain_unknown),
  };
  nprof_status status = r->host->table (r->host, &job_table);
  return status
             ? status
             : r->host->row (r->host, &job_table, job_cells (nprof_cell_str (input), &row).cells);
}

typedef struct {
  const char *name;
  size_t at; /* of Rank */
} Time;

static gint64
time_at (const Whole *w, guint i, const Time *time)
{
  return *(const gint64 *) ((const char *) job_rank (w->job, w->ranks[i]) + time->at);
}

/* If several ranks have the least or the most time, the row names the first of them. */
static nprof_status
write_time (Ranks *r, const Whole *w, nprof_str input, const Time *time)
{
  guint n = w->job->ranks->len, least = 0, most = 0;
  g_autofree double *values = g_new (double, n);
  for (guint i = 0; i < n; i++) {
    values[i] = (double) time_at (w, i, time);
    least = time_at (w, i, time) < time_at (w, least, time) ? i : least;
    most = time_at (w, i, time) > time_at (w, most, time) ? i : most;
  }
  const struct rank_spread_row row = {
    .time = nprof_any_str (nprof_intern (r->host, time->name)),
    .ranks = nprof_some_int (n),
    .min = nprof_some_int (time_at (w, least, time)),
    .min_rank = nprof_some_int (w->numbers[w->ranks[least]]),
    .p50 = whole_ps (nth_of (values, n, (n - 1) / 2)),
    .max = nprof_some_int (time_at (w, most, time)),
    .max_rank = nprof_some_int (w->numbers[w->ranks[most]]),
  };
  return r->host->row (r->host, &rank_spread_table,
                       rank_spread_cells (nprof_cell_str (input), &row).cells);
}

nprof_status
write_spread (Ranks *r, const Whole *w, nprof_str input)
{
  static const Time times[] = {
    { "exposed", offsetof (Rank, exposed) },
    { "compute", offsetof (Rank, compute) },
    { "communication", offsetof (Rank, communication) },
    { "idle", offsetof (Rank, idle) },
    { "busy", offsetof (Rank, busy) },
    { "span", offsetof (Rank, span) },
  };
  nprof_status status = r->host->table (r->host, &rank_spread_table);
  for (guint i = 0; i < G_N_ELEMENTS (times) && !status; i++)
    status = write_time (r, w, input, &times[i]);
  return status;
}
