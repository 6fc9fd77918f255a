/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c - decides which steps count: the best source of each device, steps that the profile cut
 * at its ends, and how far apart devices end the same step. */
#include "steps.h"

/* -- Order ------------------------------------------------------------------------------ */

static int
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const Steps *self = user;
  const Step *x = a, *y = b;
  const guint32 *p = an_key_table_key (&self->series_keys, x->series),
                *q = an_key_table_key (&self->series_keys, y->series);
  const struct nprof_host *h = self->host;
  if (p[S_DEVICE] != q[S_DEVICE])
    return st_place_compare (h, p[S_DEVICE], q[S_DEVICE]);
  if (p[S_SOURCE] != q[S_SOURCE])
    return p[S_SOURCE] < q[S_SOURCE] ? -1 : 1;
  int order = x->series == y->series
                  ? 0
                  : strcmp (nprof_text (h, p[S_PROGRAM]), nprof_text (h, q[S_PROGRAM]));
  if (order)
    return order;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->name == y->name ? 0 : strcmp (nprof_text (h, x->name), nprof_text (h, y->name));
}

static void
sort (Steps *self)
{
  g_array_sort_with_data (self->steps, compare, self);
  for (guint i = 0; i < self->steps->len; i++) {
    Step *step = step_at (self, i);
    Series *series = series_at (self, step->series);
    if (!series->n)
      series->first = i;
    step->ordinal = series->n++;
  }
}

/* -- Which are shown -------------------------------------------------------------------- */

static uint32_t
input_of (const Steps *self, const guint32 *key)
{
  return self->host->track_info (self->host, key[S_DEVICE])->input;
}

/* Returns whether a source is better: executions of programs where the device has no steps;
 * annotations where the input has neither. */
static bool
better (const Steps *self, const guint32 *than, const guint32 *key)
{
  if (key[S_SOURCE] >= than[S_SOURCE])
    return false;
  return than[S_SOURCE] == STEP_NOTE ? input_of (self, key) == input_of (self, than)
                                     : key[S_DEVICE] == than[S_DEVICE];
}

static bool
is_host (const Steps *self, const guint32 *key)
{
  return an_place (self->places, key[S_DEVICE])->role == AN_HOST;
}

/* Returns whether a series repeats a host's annotations on a device; AMD's do so around a single
 * kernel. */
static bool
is_shadow (const Steps *self, const guint32 *than, const guint32 *key)
{
  bool notes = key[S_SOURCE] == STEP_NOTE && than[S_SOURCE] == STEP_NOTE;
  return notes && is_host (self, than) && !is_host (self, key)
         && input_of (self, key) == input_of (self, than);
}

static void
choose (Steps *self)
{
  const AnKeyTable *keys = &self->series_keys;
  for (guint i = 0; i < keys->n; i++) {
    bool shown = true;
    for (guint j = 0; j < keys->n && shown; j++)
      shown = !better (self, an_key_table_key (keys, i), an_key_table_key (keys, j))
              && !is_shadow (self, an_key_table_key (keys, j), an_key_table_key (keys, i));
    series_at (self, i)->shown = shown;
  }
}

/* -- Cut steps -------------------------------------------------------------------------- */

/* Finds cut steps (xplane.md 6.5): the first and the last, when shorter than half of the median;
 * those that have no end.  XProf counts cut steps as if they were whole, or as 0. */
static void
find_cut (Steps *self, Series *series)
{
  Dist d = { 0 };
  for (guint i = 0; i < series->n; i++) {
    const Step *step = step_at (self, series->first + i);
    if (step->ended)
      dist_add (&d, step->end - step->start);
  }
  gint64 median = d.count ? dist_percentile (&d, 500, false) : 0;
  for (guint i = 0; i < series->n; i++) {
    Step *step = step_at (self, series->first + i);
    bool at_end = i == 0 || i == series->n - 1;
    step->cut = !step->ended || (at_end && step->end - step->start < median - median / 2);
    series->cut += step->cut;
  }
  dist_clear (&d);
}

/* -- Skew ------------------------------------------------------------------------------- */

/* These words make the same step on several devices.  Executions of a program are told by their
 * order: run_id is each device's own count in the profiles seen. */
enum { M_INPUT, M_SOURCE, M_NAME, M_ORDINAL, M_WORDS };

typedef struct {
  guint n, count;     /* devices; steps in the first one's series */
  bool whole;         /* all have an end, and as many steps       */
  gint64 begin[2];    /* first and last start                     */
  gint64 first, last; /* ends                                     */
  gint64 shortest, longest;
} Match;

static guint
match_of (const Steps *self, AnKeyTable *keys, const Step *step)
{
  const guint32 *series = an_key_table_key (&self->series_keys, step->series);
  const guint32 key[M_WORDS] = { input_of (self, series), series[S_SOURCE], step->name,
                                 series[S_SOURCE] == STEP_MODULE ? step->ordinal : 0 };
  return an_key_table_get (keys, key);
}

static void
add_match (const Steps *self, Match *match, const Step *step)
{
  bool module = an_key_table_key (&self->series_keys, step->series)[S_SOURCE] == STEP_MODULE;
  guint count = module ? series_at (self, step->series)->n : 0;
  gint64 duration = step->end - step->start;
  if (!match->n++)
    *match = (Match){ .n = 1,
                      .count = count,
                      .whole = step->ended,
                      .begin = { step->start, step->start },
                      .first = step->end,
                      .last = step->end,
                      .shortest = duration,
                      .longest = duration };
  match->whole &= step->ended && match->count == count;
  match->begin[0] = MIN (match->begin[0], step->start);
  match->begin[1] = MAX (match->begin[1], step->start);
  match->first = MIN (match->first, step->end);
  match->last = MAX (match->last, step->end);
  match->shortest = MIN (match->shortest, duration);
  match->longest = MAX (match->longest, duration);
}

/* Returns why the ends of the devices say nothing of how they run the step together; NULL: they do.
 * A device that has little to do ends long before the others, and waits for nobody. */
static const char *
why_no_skew (const Match *match)
{
  if (match->n < 2)
    return "one device alone has the step";
  if (!match->whole)
    return "not all devices have the step whole";
  if (match->shortest < match->longest / 10 + (match->longest % 10 != 0))
    return "one device does nearly nothing in the step";
  if (match->last - match->first > match->shortest)
    return "devices end the step further apart than the shortest takes";
  return NULL;
}

static void
find_skew (Steps *self)
{
  AnKeyTable keys;
  an_key_table_init (&keys, M_WORDS);
  g_autoptr (GArray) matches = g_array_new (FALSE, TRUE, sizeof (Match));
  for (guint i = 0; i < self->steps->len; i++) {
    const Step *step = step_at (self, i);
    /* Annotations of a host and of its devices do not mean the same time. */
    if (an_key_table_key (&self->series_keys, step->series)[S_SOURCE] == STEP_NOTE)
      continue;
    guint number = match_of (self, &keys, step);
    if (number == matches->len)
      g_array_set_size (matches, number + 1);
    add_match (self, &g_array_index (matches, Match, number), step);
  }
  for (guint i = 0; i < self->steps->len; i++) {
    Step *step = step_at (self, i);
    step->no_skew = "an annotation says when a step ends on the host, not on its devices";
    if (an_key_table_key (&self->series_keys, step->series)[S_SOURCE] == STEP_NOTE)
      continue;
    const Match *match = &g_array_index (matches, Match, match_of (self, &keys, step));
    step->no_skew = why_no_skew (match);
    step->skew = match->last - match->first;
    step->begin_skew = match->begin[1] - match->begin[0];
    step->late = step->end - match->first;
  }
  an_key_table_clear (&keys);
}

/* Tells hosts what is known of their steps, whose numbers are those before sorting. */
static void
tell_hosts (Steps *self)
{
  g_autofree bool *cut = g_new0 (bool, self->steps->len + 1);
  for (guint i = 0; i < self->steps->len; i++)
    cut[step_at (self, i)->number] = step_at (self, i)->cut;
  for (guint i = 0; i < self->host_steps->len; i++)
    host_step_at (self, i)->cut = cut[host_step_at (self, i)->step];
}

void
judge (Steps *self)
{
  sort (self);
  choose (self);
  for (guint i = 0; i < self->series->len; i++)
    find_cut (self, series_at (self, i));
  find_skew (self);
  tell_hosts (self);
}
