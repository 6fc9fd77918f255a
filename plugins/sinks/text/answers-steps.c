/* SPDX-License-Identifier: Apache-2.0 */
/* answers-steps.c - sums over the steps of each device, and the verdicts on them: which device counts,
 * and which verdict is its own. */

#include "answers-steps.h"

#include <math.h>

/* -- Steps --------------------------------------------------------------------------------------------------- */

static void
sums_init (StepSums *s)
{
  s->least = G_MAXINT64;
  s->places = g_array_new (FALSE, FALSE, sizeof (IdlePlace));
}

void
answers_device_free (gpointer data)
{
  DeviceSteps *d = data;
  g_array_unref (d->whole.places);
  g_array_unref (d->cut.places);
  g_hash_table_unref (d->cut_names);
  g_free (d);
}

static DeviceSteps *
device_of (Answers *a, const Reader *r)
{
  nprof_str input = word (r, "input"), device = word (r, "device");
  for (guint i = 0; i < a->devices->len; i++) {
    DeviceSteps *d = g_ptr_array_index (a->devices, i);
    if (d->input == input && d->device == device)
      return d;
  }
  DeviceSteps *d = g_new0 (DeviceSteps, 1);
  d->input = input;
  d->device = device;
  d->first = G_MAXINT64;
  d->last = G_MININT64;
  d->cut_names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  sums_init (&d->whole);
  sums_init (&d->cut);
  g_ptr_array_add (a->devices, d);
  return d;
}

static void
take_length (StepSums *s, gint64 start, gint64 length)
{
  s->least = MIN (s->least, length);
  if (length > s->most || s->n == 1)
    s->slowest = start;
  s->most = MAX (s->most, length);
}

void
answers_take_breakdown (Answers *a, const Reader *r)
{
  static const char *const columns[PARTS]
      = { "window_ns",       "idle_ns",      "compute_ns",     "exposed_communication_ns",
          "exposed_copy_ns", "idle_host_ns", "idle_launch_ns", "idle_wait_ns",
          "idle_unlinked_ns" };
  DeviceSteps *d = device_of (a, r);
  char *step = text (r, "step");
  const struct nprof_cell *cut = cell (r, "cut");
  gboolean is_cut = cut->type == NPROF_BOOL && cut->v.u;
  StepSums *s = is_cut ? &d->cut : &d->whole;
  d->named |= step != NULL;
  s->n++;
  for (guint i = 0; i < PARTS; i++)
    s->part[i] += MAX (number (r, columns[i]), 0);
  s->unsure |= number (r, "idle_ns") < 0;
  gint64 start = number (r, "start_ns"), length = number (r, "window_ns");
  take_length (s, start, length);
  d->first = MIN (d->first, start);
  d->last = MAX (d->last, start + length);
  if (is_cut && step)
    g_hash_table_add (d->cut_names, g_steal_pointer (&step));
  g_free (step);
}

void
answers_take_cause (Answers *a, const Reader *r)
{
  DeviceSteps *d = device_of (a, r);
  g_autofree char *step = text (r, "step");
  StepSums *s = step && g_hash_table_contains (d->cut_names, step) ? &d->cut : &d->whole;
  const IdlePlace row = { word (r, "cause"), word (r, "where"), MAX (number (r, "duration_ns"), 0),
                          MAX (number (r, "gaps"), 0) };
  for (guint i = 0; i < s->places->len; i++) {
    IdlePlace *p = &g_array_index (s->places, IdlePlace, i);
    if (p->cause == row.cause && p->where == row.where) {
      p->sum += row.sum;
      p->gaps += row.gaps;
      return;
    }
  }
  g_array_append_val (s->places, row);
}

const StepSums *
answers_steps (const DeviceSteps *device)
{
  return device->whole.n ? &device->whole : &device->cut;
}

/* Windows do not overlap. */
gint64
answers_between (const DeviceSteps *device, gint64 *of)
{
  *of = device->last - device->first;
  return *of - device->whole.part[PART_WINDOW] - device->cut.part[PART_WINDOW];
}

double
answers_mean (const DeviceSteps *device, Part part)
{
  const StepSums *s = answers_steps (device);
  return s->n ? (double) s->part[part] / (double) s->n : 0;
}

/* A device without steps counts all its time as one, so it is never worse than a device with steps.
 * Devices of one process have the same steps: the others wait for the one that idles least. */
static gboolean
is_worse (const DeviceSteps *d, const DeviceSteps *than)
{
  if (d->named != than->named)
    return d->named;
  double window = answers_mean (d, PART_WINDOW), other = answers_mean (than, PART_WINDOW);
  if (window != other)
    return window > other;
  return answers_mean (d, PART_IDLE) < answers_mean (than, PART_IDLE);
}

const DeviceSteps *
answers_worst (const Answers *a)
{
  const DeviceSteps *worst = NULL;
  for (guint i = 0; i < a->devices->len; i++) {
    const DeviceSteps *d = g_ptr_array_index (a->devices, i);
    if (answers_steps (d)->n && (!worst || is_worse (d, worst)))
      worst = d;
  }
  return worst;
}

/* -- Verdicts ------------------------------------------------------------------------------------------------- */

void
answers_verdict_clear (gpointer verdict)
{
  g_free (((Verdict *) verdict)->evidence);
}

void
answers_take_bound (Answers *a, const Reader *r)
{
  const Verdict v = { .input = word (r, "input"),
                      .process = word (r, "process"),
                      .verdict = word (r, "verdict"),
                      .second = word (r, "second"),
                      .share = ratio (r, "share"),
                      .second_share = ratio (r, "second_share"),
                      .known = !isnan (ratio (r, "share")),
                      .evidence = text (r, "evidence") };
  g_array_append_val (a->verdicts, v);
}

void
answers_take_walked (Answers *a, const Reader *r)
{
  const Walked w = { .input = word (r, "input"),
                     .process = word (r, "process"),
                     .start = number (r, "start_ns"),
                     .duration = number (r, "duration_ns") };
  g_array_append_val (a->walked, w);
}

static gboolean
has_verdicts (const Answers *a, const DeviceSteps *d)
{
  for (guint i = 0; i < a->verdicts->len; i++) {
    const Verdict *v = &g_array_index (a->verdicts, Verdict, i);
    if (v->input == d->input && v->process == d->device)
      return TRUE;
  }
  return FALSE;
}

/* Returns whose verdicts are those of the device: its own, else those of the process that announces
 * its steps, as the slowest step of each process is walked.  0: nobody knows, as without steps. */
static nprof_str
whose_verdicts (const Answers *a, const DeviceSteps *d)
{
  const StepSums *s = answers_steps (d);
  if (has_verdicts (a, d))
    return d->device;
  for (guint i = 0; d->named && i < a->walked->len; i++) {
    const Walked *w = &g_array_index (a->walked, Walked, i);
    if (w->input == d->input && w->start == s->slowest && w->duration == s->most)
      return w->process;
  }
  return 0;
}

/* Returns how many of the verdicts have the word. */
static guint
count_word (const GPtrArray *verdicts, nprof_str word)
{
  guint n = 0;
  for (guint i = 0; i < verdicts->len; i++)
    n += ((const Verdict *) verdicts->pdata[i])->verdict == word;
  return n;
}

/* Returns the first of the word that most have; NULL: there is none. */
static const Verdict *
most_often (const GPtrArray *verdicts, guint *n)
{
  const Verdict *best = NULL;
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL); /* words: few, of many steps */
  *n = 0;
  for (guint i = 0; i < verdicts->len; i++) {
    const Verdict *v = verdicts->pdata[i];
    gboolean is_new = g_hash_table_add (seen, GUINT_TO_POINTER (v->verdict));
    guint alike = is_new ? count_word (verdicts, v->verdict) : 0;
    if (alike > *n) {
      best = v;
      *n = alike;
    }
  }
  return best;
}

static int
compare_shares (gconstpointer a, gconstpointer b)
{
  const Verdict *x = *(const Verdict *const *) a, *y = *(const Verdict *const *) b;
  return (x->share > y->share) - (x->share < y->share);
}

/* Returns the one in the middle of those that have the word, of an even number the lower one: the
 * first step is seldom like the others. */
static const Verdict *
in_the_middle (const GPtrArray *verdicts, nprof_str word)
{
  g_autoptr (GPtrArray) alike = g_ptr_array_new ();
  for (guint i = 0; i < verdicts->len; i++)
    if (((const Verdict *) verdicts->pdata[i])->verdict == word)
      g_ptr_array_add (alike, verdicts->pdata[i]);
  g_ptr_array_sort (alike, compare_shares);
  return alike->pdata[(alike->len - 1) / 2];
}

/* Verdicts of devices that are not shown, and of processes that gave the one that is no work, say
 * nothing of it. */
const Verdict *
answers_verdict (const Answers *a, guint *n, guint *of)
{
  g_autoptr (GPtrArray) mine = g_ptr_array_new ();
  const DeviceSteps *worst = answers_worst (a);
  nprof_str whose = worst ? whose_verdicts (a, worst) : 0;
  for (guint i = 0; i < a->verdicts->len; i++) {
    Verdict *v = &g_array_index (a->verdicts, Verdict, i);
    if (!worst || (v->input == worst->input && (!whose || v->process == whose)))
      g_ptr_array_add (mine, v);
  }
  const Verdict *first = most_often (mine, n);
  *of = mine->len;
  return first && first->known ? in_the_middle (mine, first->verdict) : first;
}
