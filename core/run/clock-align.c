/* SPDX-License-Identifier: Apache-2.0 */
/* clock-align.c - brings the inputs of a run onto one clock, and corrects clocks that are known to
 * differ.  The run's origin is that of the first input that has one, unless rows with times came
 * before it; an input with times but without an epoch starts at time 0, with a warning. */

#include "run/clock-align.h"

#define PS_PER_NS 1000
#define MAX_PS (INT64_C (106) * 86400 * 1000000000000) /* 106 days: what int64 ps can hold */
#define TOO_FAR INT64_MAX                              /* no multiple of 1000, so no shift */

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

#define DAY_NS (INT64_C (86400) * 1000000000)

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

/* An input that only states facts, as a compiled model does, takes no origin from those behind it. */
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

/* -- Clocks of other hosts ----------------------------------------------------------------------- */

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

/* Finds the clock of an input before its first row that has a time. */
static gboolean
find_clock (NpRun *run, NpRunInput *input, GError **error)
{
  g_autofree char *name = clock_name (input);
  input->clock = name ? g_hash_table_lookup (run->config->clocks, name) : NULL;
  if (!input->clock)
    g_set_error (error, NP_ERROR, NP_EXIT_INPUT,
                 "%s: its clock is %s, and --clocks has none of that name: name the clocks of the "
                 "job that it is of",
                 input->path, name ? name : "not known (no host_name, no rank)");
  else if (input->clock->known && input->origin == NPROF_NO_EPOCH)
    g_set_error (error, NP_ERROR, NP_EXIT_INPUT,
                 "%s: it has no absolute times, which --clocks could correct: leave --clocks out",
                 input->path);
  else if (!input->clock->known)
    np_log (run->log, NPROF_WARNING,
            "%s: no collective ties the clock %s to others: its times stay as they are",
            input->path, name);
  return input->clock && (!input->clock->known || input->origin != NPROF_NO_EPOCH);
}

/* Returns how much later than the common clock its clock says it is, at a time since its origin. */
static gint64
ahead (const NpRunInput *input, gint64 at)
{
  const NpClock *clock = input->clock;
  double passed = (double) ((__int128) input->origin - clock->at_unix_ns) * 1000 + (double) at;
  return (gint64) (clock->offset + clock->drift * passed);
}

/* A span begins and ends when the common clock says so; one moment stays one. */
static void
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
    start[i] -= before;
  }
}

static gboolean
shift_times (NpRun *run, NpRunInput *input, NpBatch *batch, GError **error)
{
  batch->sum.known = FALSE;
  for (guint i = 0; i < batch->view.n_rows; i++) {
    gint64 *start = &batch->writer.start[i];
    if (batch->view.kind[i] == NPROF_FACT)
      continue;
    if (input->shift != TOO_FAR && !__builtin_add_overflow (*start, input->shift, start)
        && *start <= MAX_PS && *start >= -MAX_PS)
      continue;
    g_set_error (error, NP_ERROR, NP_EXIT_INPUT,
                 "%s: row %" G_GUINT64_FORMAT
                 " (\"%s\") lies more than 106 days from the origin of "
                 "the first input: give inputs of one time together",
                 input->path, input->decoded + i,
                 np_strings_get (run->strings, batch->view.name[i], NULL));
    return FALSE;
  }
  return TRUE;
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
  if (input->clock && input->clock->known)
    correct_times (input, batch);
  if (input->shift && !shift_times (run, input, batch, error))
    return FALSE;
  input->decoded += batch->view.n_rows;
  return TRUE;
}
