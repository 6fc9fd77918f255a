/* SPDX-License-Identifier: Apache-2.0 */
/* clock-align.c - brings the inputs of a run onto one clock, and corrects clocks that are known to
 * differ.  The run's origin is that of the first input that has one, unless rows with times came
 * before it; an input with times but without an epoch starts at time 0, with a warning.
 *
 * Rows of a run lie so close that the difference of any two times of theirs is an int64 of ps; a
 * run with others is refused here, so nobody who subtracts times has to look. */

#include "run/clock-align.h"

#define PS_PER_NS 1000
#define NS_PER_S 1000000000
#define DAY_NS (INT64_C (86400) * NS_PER_S)
#define DAY_PS (DAY_NS * PS_PER_NS)
#define MAX_PS (106 * DAY_PS) /* 106 days: what int64 ps can hold */
#define TOO_FAR INT64_MAX     /* no multiple of 1000, so no shift */

/* Warns in one line, however many inputs there are. */
static void
warn_once (NpRun *run, const char *path)
{
  if (run->unaligned)
    return;
  run->unaligned = TRUE;
  np_log (
      run->log, NPROF_WARNING,
      "%s: it has no absolute times, others have: all such inputs start at time 0, which may be "
      "wrong by any amount",
      path);
}

/* Profiles of one job are of one time; those of two runs have no time in common. */
static void
warn_far_apart (NpRun *run, const NpRunInput *input, gint64 apart)
{
  if (run->far_apart || (apart < DAY_NS && apart > -DAY_NS))
    return;
  run->far_apart = TRUE;
  np_log (run->log, NPROF_WARNING,
          "%s: it was recorded %" G_GINT64_FORMAT
          " days %s %s: as one run their times say little of each other; nprof diff compares runs",
          input->path, ABS (apart / DAY_NS), apart > 0 ? "after" : "before", run->origin_of);
}

/* An input that only states facts, as a compiled model does, takes no origin from those behind
 * it. */
void
np_align_input (NpRun *self, NpRunInput *input)
{
  struct nprof_run_info *run = &self->info;
  if (input->aligned)
    return;
  input->aligned = TRUE;
  if (input->origin == NPROF_NO_EPOCH)
    return; /* its first row with a time may have something to say */
  if (run->origin_unix_ns == NPROF_NO_EPOCH) {
    if (self->without_epoch) {
      warn_once (self, self->without_epoch);
      return;
    }
    run->origin_unix_ns = input->origin;
    self->origin_of = input->path;
    return;
  }
  gint64 apart;
  if (__builtin_sub_overflow (input->origin, run->origin_unix_ns, &apart)
      || __builtin_mul_overflow (apart, PS_PER_NS, &input->shift))
    input->shift = TOO_FAR; /* each row fails in shift_times */
  else
    warn_far_apart (self, input, apart);
}

static gboolean
has_times (const struct nprof_batch *batch)
{
  guint i = 0;
  while (i < batch->n_rows && (batch->kind[i] == NPROF_FACT || batch->kind[i] == NPROF_GAP))
    i++;
  return i < batch->n_rows;
}

/* Says of an input without an epoch that it could not be brought onto the clock of the others. */
static void
see_times (NpRun *run, const NpRunInput *input, const struct nprof_batch *batch)
{
  if (input->origin != NPROF_NO_EPOCH || run->unaligned || !has_times (batch))
    return;
  if (run->info.origin_unix_ns != NPROF_NO_EPOCH)
    warn_once (run, input->path);
  else if (!run->without_epoch)
    run->without_epoch = input->path;
}

/* -- Clocks of other hosts --------------------------------------------------------------------- */

static const char *
property (const NpRunInput *input, const char *key)
{
  for (guint i = 0; i + 1 < input->properties->len && input->properties->pdata[i]; i += 2)
    if (g_str_equal (input->properties->pdata[i], key))
      return input->properties->pdata[i + 1];
  return NULL;
}

/* Returns the name of its clock as the analyzer ranks calls it: its host, else its rank, which the
 * profile says, or the name of its file.  Transfer full; NULL: nobody says. */
static char *
clock_name (const NpRunInput *input)
{
  const char *host = property (input, "host_name"), *rank = property (input, "rank");
  if (host || rank)
    return host ? g_strdup (host) : g_strdup_printf ("rank %s", rank);
  g_autoptr (GRegex) regex = g_regex_new ("rank[ _.-]*0*([0-9]+)", G_REGEX_CASELESS, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  if (!g_regex_match (regex, input->file ? input->file : input->label, 0, &match))
    return NULL;
  g_autofree char *number = g_match_info_fetch (match, 1);
  return g_strdup_printf ("rank %s", number);
}

/* Offset and drift of a clock are of the time in which it was compared with others. */
static gboolean
is_of_its_time (const NpRunInput *input)
{
  gint64 apart;
  return !__builtin_sub_overflow (input->origin, input->clock->at_unix_ns, &apart)
         && apart <= MAX_PS / PS_PER_NS && apart >= -MAX_PS / PS_PER_NS;
}

/* Finds the clock of an input before its first row that has a time. */
static gboolean
find_clock (NpRun *run, NpRunInput *input, GError **error)
{
  g_autofree char *name = clock_name (input);
  input->clock = name ? g_hash_table_lookup (run->config->clocks, name) : NULL;
  if (input->clock && !input->clock->known) {
    np_log (run->log, NPROF_WARNING,
            "%s: no collective ties the clock %s to others: its times stay as they are",
            input->path, name);
    return TRUE;
  }
  if (!input->clock)
    np_error_set (error, NP_EXIT_INPUT,
                  "%s: its clock is %s, and --clocks has none of that name: name the clocks of the "
                  "job that it is of",
                  input->path, name ? name : "not known (no host_name, no rank)");
  else if (input->origin == NPROF_NO_EPOCH)
    np_error_set (error, NP_EXIT_INPUT,
                  "%s: it has no absolute times, which --clocks could correct: leave --clocks out",
                  input->path);
  else if (!is_of_its_time (input))
    np_error_set (error, NP_EXIT_INPUT,
                  "%s: at_unix_ns of its clock, %s, is more than 106 days from its times: name the "
                  "clocks of the job that it is of",
                  input->path, name);
  else
    return TRUE;
  return FALSE;
}

/* Returns how much later than the common clock its clock says it is, at a time since its origin. */
static gint64
ahead (const NpRunInput *input, gint64 at)
{
  const NpClock *clock = input->clock;
  double passed = (double) (input->origin - clock->at_unix_ns) * PS_PER_NS + (double) at;
  return (gint64) (clock->offset + clock->drift * passed);
}

/* Moves the start of a row; returns whether it and the end still are int64. */
static gboolean
move (gint64 *start, gint64 duration, gint64 by)
{
  gint64 end;
  return !__builtin_add_overflow (*start, by, start)
         && !__builtin_add_overflow (*start, duration, &end);
}

/* A span begins and ends when the common clock says so; one moment stays one. Returns the first row
 * of which no int64 says when that is, or the number of rows. */
static guint
correct_times (const NpRunInput *input, NpBatch *batch)
{
  batch->sum.known = FALSE;
  gint64 *start = batch->writer.start, *duration = batch->writer.duration;
  for (guint i = 0; i < batch->view.n_rows; i++) {
    gint64 before = ahead (input, start[i]);
    if (batch->view.kind[i] == NPROF_FACT)
      continue;
    if (duration[i] > 0)
      duration[i] -= ahead (input, start[i] + duration[i]) - before;
    if (!move (&start[i], duration[i], -before))
      return i;
  }
  return batch->view.n_rows;
}

/* Returns as correct_times. */
static guint
shift_times (const NpRunInput *input, NpBatch *batch)
{
  batch->sum.known = FALSE;
  for (guint i = 0; i < batch->view.n_rows; i++)
    if (batch->view.kind[i] != NPROF_FACT
        && (input->shift == TOO_FAR
            || !move (&batch->writer.start[i], batch->view.duration[i], input->shift)))
      return i;
  return batch->view.n_rows;
}

/* -- How far apart times may be ---------------------------------------------------------------- */

/* Returns when that is, as people say it (transfer full). */
static char *
say_time (const NpRun *run, gint64 at)
{
  gint64 origin = run->info.origin_unix_ns;
  if (origin == NPROF_NO_EPOCH)
    return g_strdup_printf ("%" G_GINT64_FORMAT " days from time 0", at / DAY_PS);
  g_autoptr (GDateTime) time
      = g_date_time_new_from_unix_utc (origin / NS_PER_S + at / PS_PER_NS / NS_PER_S);
  return g_date_time_format_iso8601 (time);
}

static gboolean
is_near (NpTimes times)
{
  return times.first >= -MAX_PS && times.last <= MAX_PS;
}

/* Widens the time of the run by these; returns whether all differences of times are still int64. */
static gboolean
widen (NpRunSpan *span, const char *path, NpTimes times)
{
  if (times.first > times.last)
    return TRUE;
  if (times.first < span->first) {
    span->first = times.first;
    span->first_of = path;
  }
  if (times.last > span->last) {
    span->last = times.last;
    span->last_of = path;
  }
  gint64 length;
  return is_near (times) && !__builtin_sub_overflow (span->last, span->first, &length);
}

static NpTimes
row_times (const struct nprof_batch *batch, guint i)
{
  if (batch->kind[i] == NPROF_FACT || batch->kind[i] == NPROF_GAP)
    return (NpTimes){ INT64_MAX, INT64_MIN, 0 };
  return (NpTimes){ batch->start[i], batch->start[i] + MAX (batch->duration[i], 0), 0 };
}

static gboolean
refuse_far (const NpRun *run, const NpRunInput *input, const struct nprof_batch *batch, guint i,
            GError **error)
{
  return np_error_set (error, NP_EXIT_INPUT,
                       "%s: row %" G_GUINT64_FORMAT
                       " (\"%s\") lies more than 106 days from the origin of "
                       "the first input: give inputs of one time together",
                       input->path, input->decoded + i,
                       np_strings_get (run->strings, batch->name[i], NULL));
}

static gboolean
refuse_long (const NpRun *run, const NpRunInput *input, const struct nprof_batch *batch, guint i,
             const NpRunSpan *span, GError **error)
{
  g_autofree char *first = say_time (run, span->first), *last = say_time (run, span->last);
  gboolean one = span->first_of == span->last_of;
  return np_error_set (error, NP_EXIT_INPUT,
                       "%s: row %" G_GUINT64_FORMAT
                       " (\"%s\") and another lie more than 106 days apart: "
                       "%s begins at %s, %s ends at %s: %s",
                       input->path, input->decoded + i,
                       np_strings_get (run->strings, batch->name[i], NULL), span->first_of, first,
                       one ? "it" : span->last_of, last,
                       one ? "is a time of the file wrong?" : "give inputs of one time together");
}

static gboolean
see_span (NpRun *run, const NpRunInput *input, const NpBatch *batch, GError **error)
{
  NpTimes times = batch->sum.known ? batch->sum.times : np_times_of (&batch->view);
  NpRunSpan span = run->span;
  if (widen (&span, input->path, times)) {
    run->span = span;
    return TRUE;
  }
  guint i = 0;
  span = run->span;
  while (widen (&span, input->path, row_times (&batch->view, i)))
    i++;
  return is_near (row_times (&batch->view, i))
             ? refuse_long (run, input, &batch->view, i, &span, error)
             : refuse_far (run, input, &batch->view, i, error);
}

/* Makes flow ids, which are unique within an input, unique in the run.  Those of the profiles of
 * one file were mixed by their numbers there when they were written, so only the difference is left
 * to do. */
static void
mix_flows (NpRunInput *input, NpBatch *batch)
{
  guint64 salt = input->info.number * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)
                 ^ input->mixed * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  if (!batch->view.flow || !salt)
    return;
  for (guint i = 0; i < batch->view.n_rows; i++)
    if (batch->writer.flow[i] && batch->writer.flow[i] != salt)
      batch->writer.flow[i] ^= salt;
}

void
np_align_seen (NpRunInput *input, const struct nprof_batch *batch)
{
  const NpBatchSum *sum = &np_batch_of (batch)->sum;
  const NpTimes times = sum->known ? sum->times : np_times_of (batch);
  input->rows += batch->n_rows;
  input->unclosed += times.unclosed;
  input->first = MIN (input->first, times.first);
  input->last = MAX (input->last, times.last);
}

gboolean
np_align_batch (NpRun *run, NpRunInput *input, NpBatch *batch, GError **error)
{
  np_align_input (run, input);
  see_times (run, input, &batch->view);
  mix_flows (input, batch);
  if (run->config->clocks && !input->clock && has_times (&batch->view)
      && !find_clock (run, input, error))
    return FALSE;
  guint moved = batch->view.n_rows;
  if (input->clock && input->clock->known)
    moved = correct_times (input, batch);
  if (input->shift && moved == batch->view.n_rows)
    moved = shift_times (input, batch);
  if (moved < batch->view.n_rows)
    return refuse_far (run, input, &batch->view, moved, error);
  if (!see_span (run, input, batch, error))
    return FALSE;
  input->decoded += batch->view.n_rows;
  return TRUE;
}
