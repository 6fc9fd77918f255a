/* SPDX-License-Identifier: Apache-2.0 */
/* verdicts.c - chooses the windows of each device that a verdict is of, periods where there are
 * some, and judges it by them. */
#include "verdict.h"

#include "producers/meaning.h"

#include <nprof/units.h>

static void
recompiled_clear (gpointer recompiled)
{
  g_free (((Recompiled *) recompiled)->step);
}

void
st_judged_free (gpointer judged)
{
  Judged *j = judged;
  if (!j)
    return;
  st_sums_clear (&j->sums);
  st_verdict_clear (&j->verdict);
  g_free (j->note);
  g_array_unref (j->periods);
  g_array_unref (j->windows);
  g_array_unref (j->recompiled);
  g_free (j);
}

/* -- Windows ----------------------------------------------------------------------------------- */

typedef struct {
  const char *base;
  GArray *windows; /* of Window, which borrow their names */
  gint64 lag;
  bool repeats;  /* periods of names that repeat: the file does not state them */
  gint64 around; /* of those: what the device did before and behind them is not judged */
  guint64 rows;
  bool passes_over; /* earlier ones, at which the run does not look */
} Chosen;

/* No work is asked for of these windows. */
static const Begun unasked = { 0 };

static void
add_window (Chosen *c, const Window *of, gint64 start, gint64 end)
{
  const Window w = { .name = of ? of->name : NULL,
                     .start = start,
                     .end = end,
                     .of = of,
                     .thread = of ? of->thread : 0,
                     .shown = true,
                     .begun = &unasked };
  g_array_append_val (c->windows, w);
}

static const Window *
window_at (const GArray *windows, guint i)
{
  return &g_array_index (windows, Window, i);
}

/* Returns whether the run looks at the time: a row of it is selected, or it shares some with the
 * window at whose edges sums are cut. */
static bool
is_looked_at (const Steps *self, gint64 start, gint64 end, const Begun *begun)
{
  if (self->clip.cuts)
    return nprof_cut (&self->clip, end) > nprof_cut (&self->clip, start);
  return !self->any_hidden || !begun || begun->shown;
}

/* Returns from the first to the last work that is selected; where sums are cut, within these edges,
 * and with the programs around it, as table devices has it. */
static Range
looked_at (const Steps *self, const Device *d)
{
  const struct nprof_window *clip = &self->clip;
  const Reach *work = &d->shown, *around = clip->cuts && d->around.n ? &d->around : work;
  return (Range){ nprof_cut (clip, MIN (work->first, around->first)),
                  nprof_cut (clip, MAX (work->last, around->last)) };
}

static gint64
length_of (const Range *r)
{
  return r->end - r->start;
}

static gint64
overlap_of (const Range *a, const Range *b)
{
  return MAX (0, MIN (a->end, b->end) - MAX (a->start, b->start));
}

static const Reach *
reach_of (const Begun *begun)
{
  return begun->lasting.n ? &begun->lasting : &begun->all;
}

/* One step alone has no period: its window is an upper bound of it. */
static void
choose_one (Chosen *c, const Steps *self, const GArray *windows, const Begun *begun)
{
  for (guint i = 0; i < windows->len; i++) {
    const Window *w = window_at (windows, i);
    const Reach *r = reach_of (&begun[i]);
    const gint64 end = MAX (r->last, w->host_end);
    if (!r->n || !is_looked_at (self, w->start, end, &begun[i]))
      continue;
    c->base = "step1";
    add_window (c, w, w->start, end);
    return;
  }
}

static void
choose_steps (Chosen *c, const Steps *self, const GArray *windows, const Period *periods,
              const Begun *begun)
{
  c->base = "step";
  for (guint i = 0; i < windows->len; i++) {
    const Period *p = &periods[i];
    c->rows += begun[i].rows;
    if (!p->known)
      continue;
    if (!is_looked_at (self, p->start, p->end, &begun[i]))
      c->passes_over |= !c->windows->len;
    else if (p->lag)
      c->lag = p->end - p->start;
    else
      add_window (c, window_at (windows, i), p->start, p->end);
  }
  if (!c->windows->len)
    choose_one (c, self, windows, begun);
}

/* Returns the work that begins in each window, for where no launch lies in one. */
static Begun *
begun_by_time (Steps *self, Device *d, const GArray *windows)
{
  Begun *begun = g_new0 (Begun, windows->len + 1);
  guint at = 0;
  AnSeriesReader reader;
  an_series_read (&reader, &d->work, &self->store);
  for (const Work *w; (w = an_series_next (&reader));) {
    while (at < windows->len && window_at (windows, at)->end <= w->start)
      at++;
    if (at == windows->len || w->start < window_at (windows, at)->start)
      continue;
    begun[at].rows++;
    st_reach (&begun[at].all, w->start, w->end);
    if (w->lasting)
      st_reach (&begun[at].lasting, w->start, w->end);
  }
  an_series_reader_clear (&reader);
  return begun;
}

static void
choose_by_time (Chosen *c, Steps *self, Device *d, const GArray *windows)
{
  g_autofree Begun *begun = begun_by_time (self, d, windows);
  g_autofree Period *periods = g_new0 (Period, windows->len + 1);
  st_find_periods (begun, windows, periods);
  choose_steps (c, self, windows, periods, begun);
}

static bool
is_all_selected (const Steps *self, const Window *w)
{
  return nprof_cut (&self->clip, w->start) == w->start && nprof_cut (&self->clip, w->end) == w->end
         && w->begun->shown == w->begun->rows;
}

/* Steps of a device itself, or executions of its program, from end to end; of one that the
 * profile cut the end is unknown.  One alone counts where the device is busy in it for more than
 * half of its busy time: rows may be many and short. */
static void
choose_own (Chosen *c, const Steps *self, const Device *d, const GArray *windows)
{
  const Window *only = windows->len == 1 ? window_at (windows, 0) : NULL;
  c->base = only ? "step1" : "period";
  for (guint i = 0; i < windows->len; i++)
    c->rows += window_at (windows, i)->begun->rows;
  if (only && !only->cut && 2 * (DistSum) only->begun->own > d->busy
      && is_all_selected (self, only))
    add_window (c, only, only->start, only->end);
  for (guint i = 1; windows->len > 2 && i < windows->len; i++) {
    const Window *w = window_at (windows, i);
    const gint64 start = window_at (windows, i - 1)->end;
    if (w->cut)
      continue;
    if (is_looked_at (self, start, w->end, w->begun))
      add_window (c, w, start, w->end);
    else
      c->passes_over |= !c->windows->len;
  }
}

static void
add_iteration (Chosen *c, const Steps *self, const AnServerStep *it, gint64 start, gint64 end)
{
  add_window (c, NULL, start, end);
  Window *w = &g_array_index (c->windows, Window, c->windows->len - 1);
  w->name = (char *) nprof_text (self->host, it->name);
  w->thread = it->thread;
}

/* One step of a server alone, from its first work on: its annotation may begin long before. */
static void
choose_one_iteration (Chosen *c, const Steps *self, const GArray *iterations, const Begun *begun)
{
  for (guint i = 0; i < iterations->len; i++) {
    const gint64 start = begun[i].all.first, end = reach_of (&begun[i])->last;
    if (!begun[i].all.n || end <= start || !is_looked_at (self, start, end, &begun[i]))
      continue;
    c->base = "phase1";
    c->lag = -1;
    add_iteration (c, self, &g_array_index (iterations, AnServerStep, i), start, end);
    return;
  }
}

/* Steps of a server, each from the end of the work of the one before. */
static void
choose_iterations (Chosen *c, Steps *self, Device *d)
{
  g_autofree Begun *begun = NULL;
  const GArray *iterations = st_iterations_of (self, d, &begun);
  bool any = false;
  gint64 end = 0;
  c->base = "phase";
  for (guint i = 0; i < iterations->len; i++) {
    const Begun *b = &begun[i];
    const gint64 start = any ? end : b->all.first, last = reach_of (b)->last;
    if (!b->all.n || last <= start)
      continue;
    c->rows += b->rows;
    if (!is_looked_at (self, start, last, b))
      c->passes_over |= !c->windows->len;
    else if (!any)
      c->lag = last - start;
    else
      add_iteration (c, self, &g_array_index (iterations, AnServerStep, i), start, last);
    any = true;
    end = last;
  }
  if (!c->windows->len)
    choose_one_iteration (c, self, iterations, begun);
}

#define MOST 0.8 /* of the rows of a device are in its periods */

static bool
holds_most (Steps *self, Device *d, const Range *range)
{
  guint64 rows = 0, all = 0;
  AnSeriesReader reader;
  an_series_read (&reader, &d->work, &self->store);
  for (const Work *w; (w = an_series_next (&reader)); all++)
    rows += w->start >= range->start && w->start < range->end;
  an_series_reader_clear (&reader);
  return (double) rows >= MOST * (double) all;
}

/* Periods are those of the run where they fill most of it; on a device of which no launch is known,
 * where they hold most of its rows: why it idled around them, as before a loop begins, is
 * unknown. */
static void
choose_repeats (Chosen *c, Steps *self, Device *d)
{
  const bool alone = !d->n_linked && d->n_launchable;
  g_autoptr (GArray) found = st_find_repeats (self, d, alone ? MOST : 1);
  if (!found || !found->len)
    return;
  const Range all
      = { g_array_index (found, Range, 0).start, g_array_index (found, Range, found->len - 1).end };
  const Range span = looked_at (self, d);
  const bool fills = 10 * (DistSum) (all.end - all.start) >= 8 * (DistSum) (d->end - d->first);
  if (!fills && (!alone || !holds_most (self, d, &all)))
    return;
  c->around = fills ? 0 : length_of (&span) - overlap_of (&span, &all);
  c->base = "period";
  c->repeats = true;
  for (guint i = 0; i < found->len; i++) {
    const Range *r = &g_array_index (found, Range, i);
    if (is_looked_at (self, r->start, r->end, NULL) && overlap_of (&span, r))
      add_window (c, NULL, r->start, r->end);
  }
}

/* Returns whether a window at whose edges sums are cut has a fifth of its time elsewhere. */
static bool
leaves_much (const Steps *self, const Range *span, const GArray *windows)
{
  const struct nprof_window *clip = &self->clip;
  gint64 sum = 0, all = length_of (span);
  for (guint i = 0; i < windows->len; i++)
    sum += nprof_cut (clip, window_at (windows, i)->end)
           - nprof_cut (clip, window_at (windows, i)->start);
  return clip->cuts && 10 * (DistSum) sum < 8 * (DistSum) all;
}

static void
choose_span (Chosen *c, const Range *span)
{
  g_array_set_size (c->windows, 0);
  c->base = "span";
  c->around = 0;
  add_window (c, NULL, span->start, span->end);
}

static Chosen
choose_windows (Steps *self, Device *d, const GArray *windows, const Period *periods,
                const Begun *begun)
{
  Chosen c = { .windows = g_array_new (FALSE, FALSE, sizeof (Window)), .lag = -1 };
  const Range span = looked_at (self, d);
  if (windows->len && window_at (windows, 0)->begun)
    choose_own (&c, self, d, windows);
  else if (windows->len && window_at (windows, 0)->has_host)
    choose_steps (&c, self, windows, periods, begun);
  if (!c.windows->len && windows->len && window_at (windows, 0)->has_host
      && !g_hash_table_size (d->processes))
    choose_by_time (&c, self, d, windows);
  if (!c.windows->len && windows->len && window_at (windows, 0)->whole)
    choose_iterations (&c, self, d);
  if (!c.windows->len)
    choose_repeats (&c, self, d);
  if (!c.windows->len || leaves_much (self, &span, c.windows))
    choose_span (&c, &span);
  return c;
}

/* -- Periods that are left out ----------------------------------------------------------------- */

static int
by_value (gconstpointer a, gconstpointer b)
{
  const gint64 *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

static GArray *
lengths_of (const GArray *windows)
{
  GArray *lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < windows->len; i++) {
    const gint64 length = window_at (windows, i)->end - window_at (windows, i)->start;
    g_array_append_val (lengths, length);
  }
  return lengths;
}

static GArray *
ranges_of (const GArray *windows)
{
  GArray *ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  for (guint i = 0; i < windows->len; i++) {
    const Range range = { window_at (windows, i)->start, window_at (windows, i)->end };
    g_array_append_val (ranges, range);
  }
  return ranges;
}

/* Of an even number the mean of the middle two, rounded half up. */
static gint64
median_of (const GArray *windows)
{
  const guint n = windows->len;
  g_autoptr (GArray) lengths = lengths_of (windows);
  g_array_sort (lengths, by_value);
  const gint64 low = g_array_index (lengths, gint64, (n - 1) / 2),
               high = g_array_index (lengths, gint64, n / 2);
  return low + (high - low + 1) / 2;
}

/* Returns the standard deviation; < 0: there is one window. */
static gint64
deviation_of (const GArray *windows)
{
  const guint n = windows->len;
  double sum = 0, squares = 0;
  for (guint i = 0; i < n; i++)
    sum += (double) (window_at (windows, i)->end - window_at (windows, i)->start);
  for (guint i = 0; i < n; i++) {
    const gint64 length = window_at (windows, i)->end - window_at (windows, i)->start;
    const double away = (double) length - sum / n;
    squares += away * away;
  }
  return n > 1 ? (gint64) llround (sqrt (squares / (n - 1))) : -1;
}

/* Takes out those longer than three times the median, where they are at most a fifth, and returns
 * them. */
static GArray *
take_long (GArray *windows)
{
  const gint64 median = median_of (windows);
  const gint64 most = median > G_MAXINT64 / 3 ? G_MAXINT64 : 3 * median;
  GArray *out = g_array_new (FALSE, FALSE, sizeof (Window));
  for (guint i = 0; i < windows->len; i++)
    if (window_at (windows, i)->end - window_at (windows, i)->start > most)
      g_array_append_vals (out, window_at (windows, i), 1);
  if (!out->len || 5 * out->len > windows->len) {
    g_array_set_size (out, 0);
    return out;
  }
  guint n = 0;
  for (guint i = 0; i < windows->len; i++)
    if (window_at (windows, i)->end - window_at (windows, i)->start <= most)
      g_array_index (windows, Window, n++) = *window_at (windows, i);
  g_array_set_size (windows, n);
  return out;
}

/* Returns whether windows, by start, hold no more than half of the busy time since the first of
 * them began, or less than a quarter of all, as what came before may be a warm-up; or are less
 * than a tenth of the span and hold less than nine tenths of all busy time. */
static bool
cover_little (Steps *self, Device *d, const Range *span, const GArray *windows)
{
  const gint64 first = window_at (windows, 0)->start;
  gint64 reach = span->start, length = 0;
  DistSum inside = 0, since = 0, all = 0;
  AnSeriesReader reader;
  an_series_read (&reader, &d->work, &self->store);
  guint at = 0;
  for (const Work *w; (w = an_series_next (&reader));) {
    const Range busy = { MAX (w->start, reach), MIN (w->end, span->end) };
    if (busy.end <= busy.start)
      continue;
    reach = busy.end;
    all += length_of (&busy);
    since += MAX (0, busy.end - MAX (busy.start, first));
    while (at < windows->len && window_at (windows, at)->end <= busy.start)
      at++;
    for (guint i = at; i < windows->len && window_at (windows, i)->start < busy.end; i++) {
      const Range window = { window_at (windows, i)->start, window_at (windows, i)->end };
      inside += overlap_of (&busy, &window);
    }
  }
  an_series_reader_clear (&reader);
  for (guint i = 0; i < windows->len; i++) {
    const Range window = { window_at (windows, i)->start, window_at (windows, i)->end };
    length += overlap_of (span, &window);
  }
  return 2 * inside <= since || 4 * inside < all
         || (10 * (DistSum) length < length_of (span) && 10 * inside < 9 * all);
}

/* Says how much of the run is not judged, and `left_out` (transfer full), what else is not. */
static char *
note_around (const Range *span, gint64 around, char *left_out)
{
  if (!around)
    return left_out;
  g_autofree char *other = left_out;
  return g_strdup_printf ("%s of %s lie before and behind the periods, and are not judged%s%s",
                          nprof_time ((double) around).text,
                          nprof_time ((double) length_of (span)).text, other ? "; " : "",
                          other ? other : "");
}

/* Says how many were left out and how long they took, and what the host did in them. */
static char *
note_of (Steps *self, Device *d, const GArray *out, guint of)
{
  gint64 longest = 0, all = 0;
  Sums sums = st_sum_windows (self, d, out, FALSE);
  Part most = PARTS;
  for (guint i = 0; i < out->len; i++) {
    const gint64 length = window_at (out, i)->end - window_at (out, i)->start;
    longest = MAX (longest, length);
    all += length;
  }
  for (Part i = PART_INPUT; i < PARTS; i++)
    if (sums.of[i] > 0 && (most == PARTS || sums.of[i] > sums.of[most]))
      most = i;
  const Spent there = most == PARTS ? (Spent){ 0 } : st_sums_most (&sums, most, GAPS_ALL);
  const nprof_str name = there.length > sums.of[there.part] - there.length ? there.name : 0;
  char *note = g_strdup_printf ("%u of %u periods took %s%s%s%s%s%s%s%s: left out", out->len, of,
                                out->len > 1 ? "together " : "", nprof_time ((double) all).text,
                                out->len > 1 ? ", the longest " : "",
                                out->len > 1 ? nprof_time ((double) longest).text : "",
                                name ? " (" : "",
                                name && most == PART_FIRST_USE ? "first use: "
                                : name && most == PART_CAPTURE ? "capture: "
                                                               : "",
                                name ? nprof_text (self->host, name) : "", name ? ")" : "");
  st_sums_clear (&sums);
  return note;
}

/* -- What computes ----------------------------------------------------------------------------- */

static const char *const of_products[] = { "gemm", "moe gemm", "convolution", NULL };

/* Returns which share of what the memory can the bytes of operators are, where they are known for
 * half of that time; else 0. */
static double
use_of_memory (const Device *d, gint64 memory)
{
  gint64 time = 0, bytes = 0;
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, d->moved);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    const Moved *m = value;
    time += m->copies ? 0 : m->time;
    bytes += m->copies ? 0 : m->bytes;
  }
  return d->peak.bandwidth > 0 && time > 0 && 2 * (DistSum) time >= memory
             ? 1e12 * (double) bytes / (d->peak.bandwidth * (double) time)
             : 0;
}

/* XLA compiles all that runs on its devices. */
static bool
is_of_xla (const Steps *self, const Device *d)
{
  return g_str_has_prefix (nprof_text (self->host, d->label), "/device:");
}

/* Finds the kind of computing; one needs half of it, and names that are known for three fifths. */
static void
find_kind (const Steps *self, const Device *d, Case *c)
{
  gint64 all = 0, products = 0, memory = 0, attention = 0, other = 0, fused = 0, unfused = 0;
  for (guint i = 0; i < d->computed->len; i++) {
    const Computed *computed = &g_array_index (d->computed, Computed, i);
    const gint64 t = computed->time, compiled = computed->compiled;
    const char *name = nprof_text (self->host, *an_key_table_key (&d->computed_names, i)),
               *family = an_family (self->families, name);
    const bool is_fused = g_str_equal (family, "fused");
    all += t;
    products += g_strv_contains (of_products, family) ? t : 0;
    memory += an_family_is_of_memory (family) ? t : 0;
    attention += g_str_equal (family, "attention") ? t : 0;
    other += g_str_equal (family, "other") ? t : 0;
    fused += is_fused ? t : compiled;
    unfused += an_family_can_be_fused (family) && !strstr (name, "multi_tensor_apply")
                   ? t - compiled
                   : 0;
  }
  c->compiled = 10 * (DistSum) fused >= all || is_of_xla (self, d);
  c->unfused = all && !c->compiled ? (double) unfused / (double) all : 0;
  if (!all || 10 * (DistSum) other > 4 * (DistSum) all)
    c->kind = "compute";
  else if (2 * (DistSum) products >= all)
    c->kind = "compute.gemm";
  else if (2 * (DistSum) memory >= all) {
    c->of_memory = (double) memory / (double) all;
    c->use_of_memory = use_of_memory (d, memory);
    c->kind = 2 * c->use_of_memory >= 1 ? "compute.bandwidth" : "compute.memory";
  } else if (2 * (DistSum) attention >= all)
    c->kind = "compute.attention";
  else
    c->kind = 2 * (DistSum) (products + attention) >= all ? "compute.gemm" : "compute.mixed";
}

/* -- Judging ----------------------------------------------------------------------------------- */

guint
st_unknown_of (const Steps *self, guint32 input, const char **rule)
{
  guint unknown = 0;
  *rule = NULL;
  for (guint i = 0; i < self->findings->len; i++) {
    const AnSanityFinding *f = &g_array_index (self->findings, AnSanityFinding, i);
    if (f->input != input)
      continue;
    unknown |= f->unknown;
    if (f->unknown & AN_UNKNOWN_DEVICE)
      *rule = f->rule == AN_SANITY_GRAPHS_OPAQUE ? "graphs_opaque" : "no_kernels";
  }
  return unknown;
}

/* Returns what compiled in each of the steps but the first; windows may have it at their head. */
static GArray *
recompiled_in (const Steps *self, const Device *d, const Chosen *c)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Recompiled));
  g_autofree Compiling *found = g_new0 (Compiling, c->windows->len + 1);
  g_array_set_clear_func (all, recompiled_clear);
  if (!g_str_equal (c->base, "span"))
    st_find_compiling (self, d->input, c->windows, found);
  for (guint i = c->lag < 0 && !c->passes_over; i < c->windows->len; i++) {
    const Recompiled one = { g_strdup (window_at (c->windows, i)->name), found[i] };
    if (found[i].time)
      g_array_append_val (all, one);
    else
      g_free (one.step);
  }
  return all;
}

/* Says of the windows that steps are looked at in what of each the verdict is of. */
static void
tell_counted (const Steps *self, GArray *windows, const GArray *chosen)
{
  for (guint i = 0; i < chosen->len; i++) {
    const Window *w = window_at (chosen, i);
    if (w->of)
      g_array_index (windows, Window, w->of - window_at (windows, 0)).counted
          = nprof_cut (&self->clip, w->end) - nprof_cut (&self->clip, w->start);
  }
}

void
st_judge_windows (Steps *self, Device *d, GArray *windows, const Period *periods,
                  const Begun *begun)
{
  Chosen c = choose_windows (self, d, windows, periods, begun);
  if (d->judged && d->judged->rows >= c.rows) { /* another process has more of the device */
    g_array_unref (c.windows);
    return;
  }
  const guint n = c.windows->len;
  Judged *j = g_new0 (Judged, 1);
  Case of = { .rows = d->shown.n, .host = self->host };
  find_kind (self, d, &of);
  of.unknown = st_unknown_of (self, d->input, &of.rule);
  GArray *recompiled = recompiled_in (self, d, &c);
  const Range span = looked_at (self, d);
  g_autoptr (GArray) out = take_long (c.windows);
  if (c.repeats && cover_little (self, d, &span, c.windows)) {
    choose_span (&c, &span);
    g_array_set_size (recompiled, 0);
    g_array_set_size (out, 0);
  }
  *j = (Judged){ .base = c.base,
                 .left_out = out->len,
                 .median = median_of (c.windows),
                 .deviation = deviation_of (c.windows),
                 .lag = c.lag,
                 .kind = of.kind,
                 .of_memory = of.of_memory,
                 .use_of_memory = of.use_of_memory,
                 .unfused = of.unfused,
                 .compiled = of.compiled,
                 .rows = c.rows,
                 .periods = lengths_of (c.windows),
                 .windows = ranges_of (c.windows),
                 .recompiled = recompiled,
                 .drift = st_find_drift (self, d),
                 .sums = st_sum_windows (self, d, c.windows, of.unknown & AN_UNKNOWN_CAUSE) };
  of.sums = &j->sums;
  j->by_engines = st_engines_decide (d, &j->sums);
  j->verdict = j->by_engines ? st_conclude_engines (d) : st_conclude (&of);
  j->note = note_around (&span, c.around, out->len ? note_of (self, d, out, n) : NULL);
  tell_counted (self, windows, c.windows);
  g_array_unref (c.windows);
  st_judged_free (d->judged);
  d->judged = j;
}
