/* SPDX-License-Identifier: Apache-2.0 */
/* verdict-tables.c - writes tables verdict, verdict_parts, verdict_windows, unsteady and moved of
 * the devices that were judged. */
#include "verdict.h"

#include <math.h>
#include <nprof/table.h>
#include <nprof/units.h>
#include <string.h>

#define NPROF_MEMBER_FACTOR struct nprof_maybe_double
#define NPROF_COLUMN_FACTOR(m, help) NPROF_VALUE_COLUMN (NPROF_DOUBLE, #m, "", help)
#define NPROF_MEMBER_RATE struct nprof_maybe_double
#define NPROF_COLUMN_RATE(m, help) NPROF_VALUE_COLUMN (NPROF_DOUBLE, #m, "byte/s", help)
#define NPROF_MEMBER_WORD struct nprof_maybe_text
#define NPROF_COLUMN_WORD(m, help) NPROF_KEY_COLUMN (NPROF_TEXT, #m, "", help)

/* clang-format off */
#define VERDICT(C)                                                                                 \
  C (KEY, device, "device or core; unknown: no row is of one")                                     \
  C (COUNT, place, "1: of what the first screen is; steps come before spans, then the longest")   \
  C (TEXT, code, "what leads: a part, compute.KIND, mixed:A+B, data, or undetermined.REASON")      \
  C (TEXT, group, "the code without its kind, as gates have it")                                   \
  C (TEXT, word, "the same for people, whatever the MFU: of decode see table summary")             \
  C (TEXT, base,                                                                                   \
     "of what: step, phase (step of a server; step1, phase1: one alone), period (of a device "     \
     "without steps), span")                                                                       \
  C (COUNT, windows, "of that base that count")                                                    \
  C (COUNT, left_out, "periods longer than three times the median, where they are few")            \
  C (PS, window, "sum of the windows that count")                                                  \
  C (PS, worth,                                                                                    \
     "what takes less is worth no finding of kernels: a hundredth of the windows, a tenth where "  \
     "the device idles for three quarters of them")                                                \
  C (PS, median, "of the windows that count")                                                      \
  C (PS, deviation, "standard deviation of them, where there are two or more")                     \
  C (PS, lag, "the first one, which holds what the device still had to do: it does not count")     \
  C (RATIO, share, "of the part or the engine that leads, of what is judged")                      \
  C (TEXT, engine, "of a NeuronCore: the engine that worked longest, or dma")                      \
  C (TEXT, second, "the part or the engine behind it")                                             \
  C (RATIO, second_share, "of that")                                                               \
  C (RATIO, moving_share, "of computing: kernels that move memory, where they are half of it")     \
  C (RATIO, bandwidth_share, "of the memory's peak: what the bytes of their operators reach")      \
  C (NOTE, sentence, "what else must be said, or why it is unknown")
#define VERDICT_PARTS(C)                                                                           \
  C (KEY, device, "device or core")                                                                \
  C (WORD, part, "what it did, or why it idled")                                                   \
  C (WORD, gaps, "of idle time that is a host's: short (less than 1 ms) or long")                  \
  C (PS, duration, "sum over the windows that count")                                              \
  C (RATIO, share, "of these windows")                                                             \
  C (TEXT, place, "the call, span or kernel with the largest share of it")                         \
  C (PS, place_time, "of the duration, spent there")                                               \
  C (FACTOR, gain, "how many times faster it is without it: see certainty")                        \
  C (TEXT, condition, "under which that gain comes")                                               \
  C (TEXT, certainty, "of that gain: lower_bound; upper_bound beside work; modelled (compute)")    \
  C (TEXT, action, "what reaches it")
#define UNSTEADY(C)                                                                                \
  C (KEY, device, "device or core")                                                                \
  C (WORD, code,                                                                                   \
     "recompile: a step compiled that is not the first; gc: garbage was collected; drift: "        \
     "kernels become slower")                                                                      \
  C (WORD, step, "in which; unknown: in those that count")                                         \
  C (COUNT, times, "how often")                                                                    \
  C (PS, duration,                                                                                 \
     "of the span that compiled; of idle time in which garbage was collected; of kernels that "    \
     "become slower")                                                                              \
  C (TEXT, place, "the span that compiled, or the kernel that has most of the time")               \
  C (NOTE, sentence, "the same in words")
#define VERDICT_WINDOWS(C)                                                                         \
  C (KEY, device, "device or core")                                                                \
  C (COUNT, window, "its number among those of the device, from 1")                                \
  C (PS, start, "of the window")                                                                   \
  C (PS, duration, "how long it is")
#define MOVED(C)                                                                                   \
  C (KEY, device, "device or core")                                                                \
  C (KEY, name, "of the operator whose shapes are in the file, or of the copy")                    \
  C (WORD, kind, "operator or copy")                                                               \
  C (COUNT, calls, "of the operator, or copies")                                                   \
  C (PS, duration, "sum over the work that it launched, or of the copies")                         \
  C (BYTES, bytes, "every input read once, the result written once; of copies what the file says") \
  C (RATE, rate, "bytes / duration")                                                               \
  C (TEXT, link, "that the bytes go over: memory, host, devices; unknown: nothing tells it")       \
  C (RATE, peak, "of that link, one way, or of the memory, which a copy reads and writes")         \
  C (RATIO, share, "of the peak; of operators above 1: of a cache, or counted too high")
/* clang-format on */

NPROF_TABLE_ROW (unsteady, UNSTEADY)
NPROF_TABLE (unsteady, "What makes periods unsteady", "It is never a verdict.", UNSTEADY)
NPROF_TABLE_ROW (moved, MOVED)
NPROF_TABLE (moved, "Bytes moved", "By operators with shapes, and by copies.", MOVED)
NPROF_TABLE_ROW (verdict_windows, VERDICT_WINDOWS)
NPROF_TABLE (verdict_windows, "Windows of the verdict", "Those that count, by start.",
             VERDICT_WINDOWS)
NPROF_TABLE_ROW (verdict, VERDICT)
NPROF_TABLE (verdict, "Verdict", "One a device, from its parts: never from one event.", VERDICT)
NPROF_TABLE_ROW (verdict_parts, VERDICT_PARTS)
NPROF_TABLE (verdict_parts, "Parts of the verdict", "They add up to the windows that count.",
             VERDICT_PARTS)

/* -- Verdicts ------------------------------------------------------------------------------------ */

static struct nprof_cell
input_cell (const Steps *self, guint32 input)
{
  return nprof_cell_str (self->host->input (self->host, input)->label);
}

static bool
is_told (const Steps *self, const Device *d)
{
  return d->judged && !d->unsure && (!self->any_hidden || d->shown.n);
}

const GArray *
st_periods_of (const Steps *self, const Device *d)
{
  return is_told (self, d) && g_str_equal (d->judged->base, "step") ? d->judged->periods : NULL;
}

static gint64
idle_of (const Sums *s)
{
  gint64 idle = s->all;
  for (Part i = PART_COMPUTE; i < PART_INPUT; i++)
    idle -= i == PART_BUBBLE ? 0 : s->of[i];
  return idle;
}

/* Returns what kernels must take to be worth a finding: nothing much is gained of the little that
 * works where a device idles for three quarters of the time or more. What is not recorded may have
 * been work. */
static gint64
worth_of (const Sums *s)
{
  const gint64 idle = idle_of (s) - s->of[PART_OPAQUE] - s->of[PART_UNRECORDED];
  const gint64 of = idle >= s->all - s->all / 4 ? 10 : 100;
  return s->all / of + (s->all % of > 0);
}

/* Returns whether the first screen is rather of that one than of the other. Others wait for the one
 * whose steps take longest, of these for the one that idles least; spans say less than steps, and
 * there the one that works most is of interest. */
static bool
leads_before (const Judged *a, const Judged *b)
{
  const bool span = g_str_equal (a->base, "span"), other = g_str_equal (b->base, "span");
  if (span != other)
    return other;
  const gint64 length = span ? a->sums.all - idle_of (&a->sums) : a->median,
               than = span ? b->sums.all - idle_of (&b->sums) : b->median;
  return length != than ? length > than : idle_of (&a->sums) < idle_of (&b->sums);
}

static gint
by_lead (gconstpointer a, gconstpointer b)
{
  const Device *const *x = a, *const *y = b;
  return leads_before ((*x)->judged, (*y)->judged)   ? -1
         : leads_before ((*y)->judged, (*x)->judged) ? 1
                                                     : 0;
}

/* Gives each device its place; the order of devices, which the sort keeps, decides between
 * equals. */
static void
place_devices (Steps *self)
{
  g_autoptr (GPtrArray) told = g_ptr_array_new ();
  for (guint i = 0; i < self->devices->len; i++)
    if (is_told (self, g_ptr_array_index (self->devices, i)))
      g_ptr_array_add (told, g_ptr_array_index (self->devices, i));
  g_ptr_array_sort (told, by_lead);
  for (guint i = 0; i < told->len; i++)
    ((const Device *) g_ptr_array_index (told, i))->judged->place = i + 1;
}

static nprof_status
write_verdict (Steps *self, const Device *d)
{
  const Judged *j = d->judged;
  const char *sentence = j->verdict.sentence;
  g_autofree char *both
      = sentence && j->note ? g_strdup_printf ("%s; %s", sentence, j->note) : NULL;
  const struct verdict_row row = {
    .device = nprof_some_str (d->label),
    .place = nprof_some_int (j->place),
    .code = nprof_some_text (j->verdict.code),
    .group = nprof_some_text (st_group_of (j->verdict.code)),
    .word = nprof_some_text (st_word_of (j->verdict.code)),
    .base = nprof_some_text (j->base),
    .windows = nprof_some_int (j->sums.windows),
    .left_out = nprof_some_int (j->left_out),
    .window = nprof_some_int (j->sums.all),
    .worth = nprof_some_int (worth_of (&j->sums)),
    .median = nprof_some_int (j->median),
    .deviation = nprof_int_if (j->deviation >= 0, j->deviation),
    .lag = nprof_int_if (j->lag >= 0, j->lag),
    .share = nprof_some_double (j->verdict.share),
    .engine = nprof_some_text (j->verdict.engine),
    .second = nprof_some_text (j->verdict.second),
    .second_share = nprof_some_double (j->verdict.second_share),
    .moving_share = nprof_double_if (j->of_memory > 0, j->of_memory),
    .bandwidth_share = nprof_double_if (j->use_of_memory > 0, j->use_of_memory),
    .sentence = nprof_some_text (both       ? both
                                 : sentence ? sentence
                                            : j->note),
  };
  return an_rows_add (&self->rows, &verdict_table,
                      verdict_cells (input_cell (self, d->input), &row).cells);
}

/* Returns whether a device of the input has steps or executions of programs. */
static bool
has_executions (const Steps *self, guint32 input)
{
  for (guint i = 0; i < self->series_keys.n; i++) {
    const AnPlace *place
        = an_place (self->places, an_key_table_key (&self->series_keys, i)[S_DEVICE]);
    if (place->device && place->input == input && series_at (self, i)->n)
      return true;
  }
  return false;
}

typedef struct {
  const char *reason, *sentence;
} Silence;

/* Returns why nothing is known of any device of the input; the order is that of what is told. */
static Silence
why_silent (const Steps *self, guint32 input)
{
  const char *rule;
  st_unknown_of (self, input, &rule);
  if (st_is_cut_off (self, input))
    return (Silence){ "lost_rows", "the file is cut off, and what is left has no row of a device" };
  if (rule)
    return (Silence){ rule, "something was launched, and no row is of a device: its records are "
                            "missing" };
  if (has_executions (self, input))
    return (Silence){ "not_recorded",
                      "executions of a device are in the file, and nothing of the work within "
                      "them" };
  if (g_array_index (self->inputs, InputSeen, input).works)
    return (Silence){ "cpu_only", "no device activity recorded: nothing was launched, or its "
                                  "records are missing" };
  return (Silence){ "device_not_labelled", "no row says that it ran on a device" };
}

/* Says what is known of an input without work of a device. */
static nprof_status
write_without_device (Steps *self, guint32 input)
{
  const Silence silence = why_silent (self, input);
  g_autofree char *code = g_strconcat ("undetermined.", silence.reason, NULL);
  const struct verdict_row row = {
    .code = nprof_some_text (code),
    .group = nprof_some_text (st_group_of (code)),
    .word = nprof_some_text (st_word_of (code)),
    .sentence = nprof_some_text (silence.sentence),
  };
  return an_rows_add (&self->rows, &verdict_table,
                      verdict_cells (input_cell (self, input), &row).cells);
}

/* -- Parts ------------------------------------------------------------------------------------- */

typedef struct {
  gint64 time;
  const char *action;
  char *condition; /* NULL: there is no gain */
} Reached;

static const char *
action_of_host (const Device *d, bool is_long)
{
  if (is_long)
    return "keep_on_device, overlap_host";
  if (2 * d->by_graphs >= d->launched)
    return "async_schedule, sample_on_device";
  return d->judged->compiled ? "device_graph, larger_batch" : "device_graph, compile, larger_batch";
}

/* Two thirds of the time of kernels that move memory go where each chain of them becomes one: an
 * estimate, as no other gain is. */
static Reached
reached_of_compute (const Judged *j)
{
  static const char fuse[] = "fuse, "; /* what a compiler has done already */
  static const struct {
    const char *kind, *action;
  } actions[] = {
    { "compute.gemm", "shapes, precision" },
    { "compute.attention", "precision, shapes" },
    { "compute.memory", "fuse, layout" },
    { "compute.bandwidth", "fuse, precision" },
    { "compute", "precision" },
  };
  guint i = 0;
  while (!g_str_has_prefix (j->kind, actions[i].kind))
    i++;
  const char *action = actions[i].action;
  const gboolean fuses = g_str_has_prefix (action, fuse);
  if (!fuses || j->compiled)
    return (Reached){ .action = fuses ? action + strlen (fuse) : action };
  const double reached = 2.0 / 3 * j->unfused * (double) j->sums.of[PART_COMPUTE];
  return (Reached){ (gint64) llround (reached), action,
                    g_strdup ("if each chain became one kernel") };
}

/* What the action on a part of a host reaches: launches go with it. */
static Reached
reached_of_host (const Steps *self, const Device *d, bool is_long, nprof_str name)
{
  const Sums *s = &d->judged->sums;
  gint64 time = 0;
  for (Part i = PART_HOST; i <= PART_LAUNCH; i++)
    time += is_long ? s->in_long[i] : s->of[i] - s->in_long[i];
  const char *what = name ? nprof_text (self->host, name) : "the host";
  return (Reached){ time, action_of_host (d, is_long),
                    is_long ? g_strdup_printf ("if %s ran beside the device", what)
                            : g_strdup ("if launches cost nothing") };
}

static Reached
reached_of (const Steps *self, const Device *d, Part part, bool is_long, nprof_str name)
{
  const Sums *s = &d->judged->sums;
  const PartWords *words = st_part_words (part);
  if (d->judged->by_engines) /* they work side by side: it is unknown what goes without one */
    return (Reached){ s->of[part], st_engine_action (d, part), NULL };
  if (part == PART_COMPUTE)
    return reached_of_compute (d->judged);
  if (part == PART_HOST)
    return reached_of_host (self, d, is_long, name);
  const bool hides = s->of[part] <= s->of[PART_COMPUTE];
  const gint64 time = part == PART_COMM && !hides ? s->of[PART_COMPUTE] : s->of[part];
  const char *condition = part == PART_COPY && !hides ? "without these copies" : words->condition;
  return (Reached){ time, words->action, g_strdup (condition) };
}

/* Returns the gain; NAN: less than 1.02, or the device works for less than a hundredth, or
 * would. */
static double
gain_of (const Reached *r, const Sums *s)
{
  const gint64 left = s->all - r->time;
  gint64 work = 0;
  for (Part i = 0; i < PARTS; i++)
    work += g_str_has_prefix (window_part (i)->look, "idle") ? 0 : s->of[i];
  if (!r->condition || 50 * (DistSum) r->time < s->all || 100 * (DistSum) MIN (left, work) < s->all)
    return (double) NAN;
  return (double) s->all / (double) left;
}

/* What runs beside other work hides its own time at most, and less where it takes longer than that
 * work. What is gone lets later launches come earlier, too. */
static const char *
certainty_of (Part part, const char *condition)
{
  if (part == PART_COMPUTE)
    return "modelled";
  return g_str_has_suffix (condition, " beside compute")
                 || g_str_has_suffix (condition, " beside the device")
             ? "upper_bound"
             : "lower_bound";
}

static nprof_status
write_part (Steps *self, const Device *d, Part part, const char *gaps, gint64 time)
{
  const Sums *s = &d->judged->sums;
  const bool is_long = gaps && g_str_equal (gaps, "long");
  const Spent there = st_sums_most (s, part, !gaps ? GAPS_ALL : is_long ? GAPS_LONG : GAPS_SHORT);
  if (!time)
    return NPROF_OK;
  const Reached reached
      = reached_of (self, d, part, is_long, there.length >= time - time / 10 ? there.name : 0);
  const double gain = gain_of (&reached, s);
  const struct verdict_parts_row row = {
    .device = nprof_some_str (d->label),
    .part = nprof_some_text (window_part (part)->name),
    .gaps = nprof_some_text (gaps),
    .duration = nprof_some_int (time),
    .share = nprof_some_double (s->all ? (double) time / (double) s->all : (double) NAN),
    .place = nprof_some_text (there.name ? nprof_text (self->host, there.name) : NULL),
    .place_time = nprof_int_if (there.name != 0, there.length),
    .gain = nprof_some_double (gain),
    .condition = nprof_some_text (isnan (gain) ? NULL : reached.condition),
    .certainty = nprof_some_text (isnan (gain) ? NULL : certainty_of (part, reached.condition)),
    .action = nprof_some_text (reached.action),
  };
  nprof_status status = an_rows_add (&self->rows, &verdict_parts_table,
                                     verdict_parts_cells (input_cell (self, d->input), &row).cells);
  g_free (reached.condition);
  return status;
}

static nprof_status
write_parts_of (Steps *self, const Device *d)
{
  const Sums *s = &d->judged->sums;
  nprof_status status = NPROF_OK;
  for (Part i = 0; i < PARTS && status == NPROF_OK; i++) {
    if (i != PART_HOST && i != PART_LAUNCH) {
      status = write_part (self, d, i, NULL, s->of[i]);
      continue;
    }
    status = write_part (self, d, i, "short", s->of[i] - s->in_long[i]);
    if (status == NPROF_OK)
      status = write_part (self, d, i, "long", s->in_long[i]);
  }
  return status;
}

static nprof_status
write_windows (Steps *self, const Device *d)
{
  const GArray *windows = d->judged->windows;
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < windows->len && status == NPROF_OK; i++) {
    const Range *w = &g_array_index (windows, Range, i);
    const struct verdict_windows_row row = {
      .device = nprof_some_str (d->label),
      .window = nprof_some_int (i + 1),
      .start = nprof_some_int (w->start),
      .duration = nprof_some_int (w->end - w->start),
    };
    status = an_rows_add (&self->rows, &verdict_windows_table,
                          verdict_windows_cells (input_cell (self, d->input), &row).cells);
  }
  return status;
}

/* -- What makes periods unsteady --------------------------------------------------------------- */

static nprof_status
write_unsteady_row (Steps *self, const Device *d, const struct unsteady_row *of)
{
  struct unsteady_row row = *of;
  row.device = nprof_some_str (d->label);
  return an_rows_add (&self->rows, &unsteady_table,
                      unsteady_cells (input_cell (self, d->input), &row).cells);
}

static nprof_status
write_recompiled (Steps *self, const Device *d, const Recompiled *r)
{
  const char *name = nprof_text (self->host, r->what.name);
  g_autofree char *sentence
      = g_strdup_printf ("%s compiled for %s (%s)", r->step ? r->step : "a period",
                         nprof_time ((double) r->what.time).text, name);
  return write_unsteady_row (self, d,
                             &(struct unsteady_row){
                                 .code = nprof_some_text ("recompile"),
                                 .step = nprof_some_text (r->step),
                                 .times = nprof_some_int (1),
                                 .duration = nprof_some_int (r->what.time),
                                 .place = nprof_some_text (name),
                                 .sentence = nprof_some_text (sentence),
                             });
}

static nprof_status
write_drift (Steps *self, const Device *d)
{
  const Drift *drift = &d->judged->drift;
  if (!drift->kernels)
    return NPROF_OK;
  g_autofree char *sentence
      = g_strdup_printf ("kernels run %s slower late in the run: clocks or temperature",
                         nprof_share (drift->slower).text);
  return write_unsteady_row (self, d,
                             &(struct unsteady_row){
                                 .code = nprof_some_text ("drift"),
                                 .times = nprof_some_int (drift->kernels),
                                 .duration = nprof_some_int (drift->time),
                                 .place = nprof_some_text (nprof_text (self->host, drift->name)),
                                 .sentence = nprof_some_text (sentence),
                             });
}

static nprof_status
write_unsteady (Steps *self, const Device *d)
{
  const Judged *j = d->judged;
  nprof_status status = write_drift (self, d);
  for (guint i = 0; i < j->recompiled->len && status == NPROF_OK; i++)
    status = write_recompiled (self, d, &g_array_index (j->recompiled, Recompiled, i));
  if (status != NPROF_OK || !j->sums.pauses)
    return status;
  g_autofree char *sentence
      = g_strdup_printf ("%u pauses of the collector of garbage, %s of idle time", j->sums.pauses,
                         nprof_time ((double) j->sums.paused).text);
  return write_unsteady_row (self, d,
                             &(struct unsteady_row){
                                 .code = nprof_some_text ("gc"),
                                 .times = nprof_some_int (j->sums.pauses),
                                 .duration = nprof_some_int (j->sums.paused),
                                 .sentence = nprof_some_text (sentence),
                             });
}

/* -- Bytes ------------------------------------------------------------------------------------- */

typedef struct {
  nprof_str name;
  const Moved *moved;
} MovedRow;

static int
by_time (gconstpointer a, gconstpointer b, gpointer user)
{
  const struct nprof_host *h = user;
  const MovedRow *x = a, *y = b;
  if (x->moved->time != y->moved->time)
    return x->moved->time > y->moved->time ? -1 : 1;
  return strcmp (nprof_text (h, x->name), nprof_text (h, y->name));
}

/* What bytes go over. */
typedef struct {
  const char *name; /* NULL: unknown          */
  double peak;      /* byte/s; NAN: unknown   */
  bool is_memory;
} Link;

static guint
devices_of (const Steps *self, guint32 input)
{
  guint n = 0;
  for (guint i = 0; i < self->devices->len; i++)
    n += ((const Device *) g_ptr_array_index (self->devices, i))->input == input;
  return n;
}

/* Of several devices a copy from device to device may be one between two of them, which some
 * producers call the same, and a bridge of two devices may be missing: both are unknown. */
static Link
link_of (const Steps *self, const Device *d, const MovedRow *of)
{
  const AnPeak *p = &d->peak;
  const Link unknown = { .peak = NAN }, memory = { "memory", p->bandwidth, true };
  if (!of->moved->copies)
    return memory;
  switch (meaning_copy_link (nprof_text (self->host, of->name))) {
  case OVER_HOST:
    return (Link){ "host", p->host_link, false };
  case OVER_MEMORY:
    return devices_of (self, d->input) == 1 ? memory : unknown;
  case OVER_PEERS:
    return (Link){ "devices", p->link_group > 2 ? p->link : (double) NAN, false };
  default:
    return unknown;
  }
}

static nprof_status
write_moved_row (Steps *self, const Device *d, const MovedRow *of)
{
  const Moved *m = of->moved;
  const double rate = m->time ? 1e12 * (double) m->bytes / (double) m->time : (double) NAN;
  const Link link = link_of (self, d, of);
  const double share = (m->copies && link.is_memory ? 2 : 1) * rate / link.peak;
  const struct moved_row row = {
    .device = nprof_some_str (d->label),
    .name = nprof_some_str (of->name),
    .kind = nprof_some_text (m->copies ? "copy" : "operator"),
    .calls = nprof_some_int ((gint64) m->calls),
    .duration = nprof_some_int (m->time),
    .bytes = nprof_some_int (m->bytes),
    .rate = nprof_some_double (rate),
    .link = nprof_some_text (link.name),
    .peak = nprof_some_double (link.peak),
    .share = nprof_some_double (share),
  };
  return an_rows_add (&self->rows, &moved_table,
                      moved_cells (input_cell (self, d->input), &row).cells);
}

static nprof_status
write_moved (Steps *self, const Device *d)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (MovedRow));
  GHashTableIter iter;
  gpointer name, value;
  g_hash_table_iter_init (&iter, d->moved);
  while (g_hash_table_iter_next (&iter, &name, &value)) {
    const MovedRow row = { GPOINTER_TO_UINT (name), value };
    g_array_append_val (rows, row);
  }
  g_array_sort_with_data (rows, by_time, (gpointer) self->host);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < rows->len && status == NPROF_OK; i++)
    status = write_moved_row (self, d, &g_array_index (rows, MovedRow, i));
  return status;
}

static bool
has_device (const Steps *self, guint32 input)
{
  for (guint i = 0; i < self->devices->len; i++) {
    const Device *d = g_ptr_array_index (self->devices, i);
    if (d->input == input && d->n_work)
      return true;
  }
  return false;
}

/* Writes a table of what is known of each device. */
static nprof_status
write_of_devices (Steps *self, const struct nprof_table *table,
                  nprof_status (*write) (Steps *, const Device *))
{
  nprof_status status = self->host->table (self->host, table);
  for (guint i = 0; i < self->devices->len && status == NPROF_OK; i++) {
    const Device *d = g_ptr_array_index (self->devices, i);
    if (is_told (self, d))
      status = write (self, d);
  }
  return status;
}

nprof_status
write_verdicts (Steps *self)
{
  const struct {
    const struct nprof_table *table;
    nprof_status (*write) (Steps *, const Device *);
  } beside[] = { { &verdict_parts_table, write_parts_of },
                 { &verdict_windows_table, write_windows },
                 { &unsteady_table, write_unsteady },
                 { &moved_table, write_moved } };
  place_devices (self);
  nprof_status status = write_of_devices (self, &verdict_table, write_verdict);
  for (guint32 i = 0; i < self->inputs->len && status == NPROF_OK; i++)
    if (g_array_index (self->inputs, InputSeen, i).spans && !has_device (self, i))
      status = write_without_device (self, i);
  for (guint i = 0; i < G_N_ELEMENTS (beside) && status == NPROF_OK; i++)
    status = write_of_devices (self, beside[i].table, beside[i].write);
  return status;
}
