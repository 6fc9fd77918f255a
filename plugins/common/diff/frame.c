/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c - compares the machines of two recordings, the periods of their devices, tokens a
 * second, and the peaks of their memory, by tables facts, inputs, verdict, verdict_parts, phases,
 * requests and memory. */

#include "diff/frame.h"
#include "diff/student.h"
#include "stored/machine.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

/* Of a wrong verdict, for all devices together. */
#define ALPHA 0.008

/* -- One profile ------------------------------------------------------------------------------- */

enum { DEVICE, DEVICES, RANKS, DRIVER, RUNTIME, FACTS };
static const char *const fact_names[FACTS] = { "device", "devices", "ranks", "driver", "runtime" };

/* Where recorders of several makers state it. */
static const struct {
  guint fact;
  const char *property;
} properties[] = {
  { RANKS, "world_size" },
  { DRIVER, "cuda_driver_version" },
  { DRIVER, "hip_driver_version" },
  { RUNTIME, "cuda_runtime_version" },
  { RUNTIME, "hip_runtime_version" },
};

/* Of all windows that count. */
typedef struct {
  const char *name; /* interned */
  double sum;       /* ps       */
} Part;

typedef struct {
  char *input, *device, *base;
  guint n;
  double mean, median, deviation; /* ps; deviation NAN: there is one */
  gboolean slowest;
  GArray *parts; /* of Part */
} Periods;

typedef struct {
  char *allocator;
  double peak, reserved; /* bytes; NAN: unknown */
} Memory;

typedef struct {
  char *device, *of;
  double tokens; /* a second */
} Rate;

struct NpDiffFrame {
  char *facts[FACTS]; /* NULL: unknown */
  GArray *periods;    /* of Periods    */
  GArray *rates;      /* of Rate       */
  GArray *memory;     /* of Memory     */
};

static const char *
text (const NpTable *table, guint row, const char *column)
{
  return np_table_text (table, row, np_table_column (table, column));
}

static double
number (const NpTable *table, guint row, const char *column)
{
  const struct nprof_cell c = np_table_cell (table, row, np_table_column (table, column));
  return c.type == NPROF_INT64 ? (double) c.v.i : c.type == NPROF_DOUBLE ? c.v.f : (double) NAN;
}

static void
read_properties (NpDiffFrame *f, const NpTable *table)
{
  for (guint i = 0; table && i < table->n_rows; i++) {
    const struct nprof_cell c = np_table_cell (table, i, np_table_column (table, "properties"));
    g_autofree char *json = c.type == NPROF_JSON ? g_strndup (c.v.text, c.len) : NULL;
    g_autoptr (JsonNode) node = json ? json_from_string (json, NULL) : NULL;
    JsonObject *object = node && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
    for (guint p = 0; object && p < G_N_ELEMENTS (properties); p++) {
      const char *value
          = json_object_get_string_member_with_default (object, properties[p].property, NULL);
      char **fact = &f->facts[properties[p].fact];
      if (value && !*fact)
        *fact = g_strdup (value);
    }
  }
}

static void
periods_clear (gpointer periods)
{
  Periods *p = periods;
  g_free (p->input);
  g_free (p->device);
  g_free (p->base);
  g_array_unref (p->parts);
}

static void
memory_clear (gpointer memory)
{
  g_free (((Memory *) memory)->allocator);
}

static void
rate_clear (gpointer rate)
{
  g_free (((Rate *) rate)->device);
  g_free (((Rate *) rate)->of);
}

static void
read_machine (NpDiffFrame *f, const NpTableStore *store)
{
  NpMachine m;
  np_machine_read_run (&m, store);
  f->facts[DEVICE] = m.kinds;
  f->facts[DEVICES] = m.devices ? g_strdup_printf ("%u", m.devices) : NULL;
}

/* The length of a span says when recording began and ended, no more. */
static void
read_periods (NpDiffFrame *f, const NpTable *table)
{
  for (guint i = 0; table && i < table->n_rows; i++) {
    const char *device = text (table, i, "device"), *base = text (table, i, "base");
    const double n = number (table, i, "windows");
    if (!device || !base || g_str_equal (base, "span") || !(n > 0))
      continue;
    const Periods p = { .input = g_strdup (text (table, i, "input")),
                        .device = g_strdup (device),
                        .base = g_strdup (base),
                        .n = (guint) n,
                        .mean = number (table, i, "window_ns") / n,
                        .median = number (table, i, "median_ns"),
                        .deviation = number (table, i, "deviation_ns"),
                        .slowest = number (table, i, "place") == 1,
                        .parts = g_array_new (FALSE, FALSE, sizeof (Part)) };
    g_array_append_val (f->periods, p);
  }
}

/* The table has a row for short gaps and one for long ones: they are one part. */
static void
add_part (const Periods *p, const char *name, double sum)
{
  for (guint i = 0; i < p->parts->len; i++) {
    Part *part = &g_array_index (p->parts, Part, i);
    if (g_str_equal (part->name, name)) {
      part->sum += sum;
      return;
    }
  }
  const Part part = { g_intern_string (name), sum };
  g_array_append_val (p->parts, part);
}

static void
read_parts (NpDiffFrame *f, const NpTable *table)
{
  for (guint i = 0; table && i < table->n_rows; i++) {
    const char *input = text (table, i, "input"), *device = text (table, i, "device"),
               *part = text (table, i, "part");
    const double sum = number (table, i, "duration_ns");
    for (guint k = 0; part && sum > 0 && k < f->periods->len; k++) {
      const Periods *p = &g_array_index (f->periods, Periods, k);
      if (!g_strcmp0 (p->input, input) && !g_strcmp0 (p->device, device))
        add_part (p, part, sum);
    }
  }
}

static void
read_memory (NpDiffFrame *f, const NpTable *table)
{
  for (guint i = 0; table && i < table->n_rows; i++) {
    const char *allocator = text (table, i, "allocator");
    const Memory m = { g_strdup (allocator ? allocator : ""), number (table, i, "peak_bytes"),
                       number (table, i, "peak_reserved_bytes") };
    g_array_append_val (f->memory, m);
  }
}

/* Reads rows that know their tokens a second; where the table has no phases, they are of all. */
static void
read_rates (NpDiffFrame *f, const NpTable *table)
{
  const gboolean phases = table && np_table_column (table, "phase") >= 0;
  for (guint i = 0; table && i < table->n_rows; i++) {
    const char *device = phases ? text (table, i, "device") : NULL,
               *of = phases ? text (table, i, "phase") : table->schema->name;
    const Rate r
        = { g_strdup (device ? device : ""), g_strdup (of), number (table, i, "tokens_per_s") };
    if (of && r.tokens > 0)
      g_array_append_val (f->rates, r);
    else
      rate_clear ((gpointer) &r);
  }
}

static const struct {
  const char *table;
  void (*read) (NpDiffFrame *f, const NpTable *table);
} parts[]
    = { { "inputs", read_properties }, { "verdict", read_periods }, { "verdict_parts", read_parts },
        { "phases", read_rates },      { "requests", read_rates },  { "memory", read_memory } };

const char *
np_diff_frame_table (guint k)
{
  return k < G_N_ELEMENTS (parts) ? parts[k].table : NULL;
}

NpDiffFrame *
np_diff_frame_read (const NpTableStore *store)
{
  NpDiffFrame *f = g_new0 (NpDiffFrame, 1);
  f->periods = g_array_new (FALSE, FALSE, sizeof (Periods));
  f->rates = g_array_new (FALSE, FALSE, sizeof (Rate));
  f->memory = g_array_new (FALSE, FALSE, sizeof (Memory));
  g_array_set_clear_func (f->periods, periods_clear);
  g_array_set_clear_func (f->rates, rate_clear);
  g_array_set_clear_func (f->memory, memory_clear);
  read_machine (f, store);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    parts[i].read (f, np_table_store_find (store, parts[i].table));
  return f;
}

void
np_diff_frame_free (NpDiffFrame *f)
{
  if (!f)
    return;
  for (guint i = 0; i < FACTS; i++)
    g_free (f->facts[i]);
  g_array_unref (f->periods);
  g_array_unref (f->rates);
  g_array_unref (f->memory);
  g_free (f);
}

/* -- Two profiles ------------------------------------------------------------------------------ */

static void
fact_clear (gpointer fact)
{
  g_free (((NpDiffFact *) fact)->base);
  g_free (((NpDiffFact *) fact)->new);
}

static void
both_memory_clear (gpointer memory)
{
  g_free (((NpDiffMemory *) memory)->allocator);
}

static void
compare_facts (NpDiffFrames *to, const NpDiffFrame *base, const NpDiffFrame *new)
{
  for (guint i = 0; i < FACTS; i++) {
    if (!base->facts[i] || !new->facts[i] || g_str_equal (base->facts[i], new->facts[i]))
      continue;
    const NpDiffFact fact = { fact_names[i], g_strdup (base->facts[i]), g_strdup (new->facts[i]) };
    g_array_append_val (to->facts, fact);
  }
}

/* Returns the square of the relative standard error of the mean. */
static double
error_of (const Periods *p)
{
  const double error = p->deviation / p->mean;
  return error * error / p->n;
}

/* Welch's test of the means.  Devices of one profile run their periods together: the chance of a
 * wrong verdict is not one for each. */
static void
judge (NpDiffPeriod *p, const Periods *base, const Periods *new, const NpDiffLimits *limits)
{
  p->interval = (double) NAN;
  p->verdict = NP_DIFF_NOT_TOLD;
  if (base->n < 2 || new->n < 2)
    return;
  const double a = error_of (base), b = error_of (new), error = sqrt (a + b);
  const double df = error > 0 ? (a + b) * (a + b) / (a * a / (base->n - 1) + b * b / (new->n - 1))
                              : base->n + new->n - 2.0;
  const double change = new->mean == base->mean ? 0 : log (new->mean / base->mean);
  p->interval = exp (change) * np_student_quantile (0.05, df) * error;
  const gboolean sure = fabs (change) > error * np_student_quantile (ALPHA, df);
  if (sure && fabs (p->delta) >= limits->floor && (p->delta > 0) == (change > 0))
    p->verdict = change > 0 ? NP_DIFF_SLOWER : NP_DIFF_FASTER;
  else if (change == 0 || fabs (expm1 (change)) + p->interval <= limits->threshold)
    p->verdict = NP_DIFF_SAME;
}

/* Returns the device of the new profile that one of the base is compared with. */
static const char *
counterpart (const GPtrArray *comparisons, const char *device)
{
  for (guint i = 0; i < comparisons->len; i++) {
    const NpDiffComparison *c = comparisons->pdata[i];
    if (g_str_equal (c->base->device, device))
      return c->new->device;
  }
  return device;
}

static const Periods *
periods_like (const NpDiffFrame *f, const char *device, guint number)
{
  for (guint i = 0; i < f->periods->len; i++)
    if (g_str_equal (g_array_index (f->periods, Periods, i).device, device))
      return &g_array_index (f->periods, Periods, i);
  return number < f->periods->len ? &g_array_index (f->periods, Periods, number) : NULL;
}

/* Steps that a host announces are one kind, whether one alone or several. */
static gboolean
of_one_kind (const Periods *a, const Periods *b)
{
  return g_str_equal (a->base, b->base)
         || (g_str_has_prefix (a->base, "step") && g_str_has_prefix (b->base, "step"))
         || (g_str_has_prefix (a->base, "phase") && g_str_has_prefix (b->base, "phase"));
}

/* Returns where a part ends in a mean period, when those before it and it take `sum` in all. */
static double
end_in_mean (double sum, guint n)
{
  return floor (sum / n + 0.5);
}

static double
part_sum (const Periods *p, const char *name)
{
  for (guint i = 0; i < p->parts->len; i++)
    if (g_array_index (p->parts, Part, i).name == name)
      return g_array_index (p->parts, Part, i).sum;
  return 0;
}

/* Returns the parts of both, of NpDiffPart, in the order of a, then those that b alone has. */
static GArray *
compare_parts (const Periods *a, const Periods *b)
{
  GArray *to = g_array_new (FALSE, FALSE, sizeof (NpDiffPart));
  double base = 0, new = 0;
  for (guint i = 0; i < a->parts->len + b->parts->len; i++) {
    const gboolean own = i < a->parts->len;
    const char *name = own ? g_array_index (a->parts, Part, i).name
                           : g_array_index (b->parts, Part, i - a->parts->len).name;
    if (!own && part_sum (a, name) > 0)
      continue;
    const double base_end = base + part_sum (a, name), new_end = new + part_sum (b, name);
    const NpDiffPart part = { name, end_in_mean (base_end, a->n) - end_in_mean (base, a->n),
                              end_in_mean (new_end, b->n) - end_in_mean (new, b->n) };
    g_array_append_val (to, part);
    base = base_end;
    new = new_end;
  }
  return to;
}

static void
period_clear (gpointer period)
{
  g_array_unref (((NpDiffPeriod *) period)->parts);
}

static void
compare_periods (NpDiffFrames *to, const NpDiffFrame *base, const NpDiffFrame *new,
                 const GPtrArray *comparisons, const NpDiffLimits *limits, gboolean judges)
{
  for (guint i = 0; i < base->periods->len; i++) {
    const Periods *a = &g_array_index (base->periods, Periods, i),
                  *b = periods_like (new, counterpart (comparisons, a->device), i);
    if (!b || !of_one_kind (a, b) || a->median <= 0 || a->mean <= 0 || b->mean <= 0)
      continue;
    NpDiffPeriod p = { .device = a->device,
                       .new_device = b->device,
                       .base_of = a->base,
                       .new_of = b->base,
                       .base_n = a->n,
                       .new_n = b->n,
                       .base_median = a->median,
                       .new_median = b->median,
                       .base_mean = a->mean,
                       .new_mean = b->mean,
                       .delta = b->median / a->median - 1,
                       .interval = (double) NAN,
                       .verdict = NP_DIFF_NOT_TOLD,
                       .slowest = b->slowest,
                       .parts = compare_parts (a, b) };
    if (judges)
      judge (&p, a, b, limits);
    g_array_append_val (to->periods, p);
  }
}

/* Returns that of the same device, else that of the only device with such a phase. */
static const Rate *
rate_like (const NpDiffFrame *f, const Rate *like)
{
  const Rate *one = NULL;
  guint n = 0;
  for (guint i = 0; i < f->rates->len; i++) {
    const Rate *r = &g_array_index (f->rates, Rate, i);
    if (!g_str_equal (r->of, like->of))
      continue;
    if (g_str_equal (r->device, like->device))
      return r;
    one = r;
    n++;
  }
  return n == 1 ? one : NULL;
}

static void
compare_rates (NpDiffFrames *to, const NpDiffFrame *base, const NpDiffFrame *new)
{
  for (guint i = 0; i < base->rates->len; i++) {
    const Rate *a = &g_array_index (base->rates, Rate, i), *b = rate_like (new, a);
    if (!b || !rate_like (base, b))
      continue;
    const NpDiffRate r = { a->device, a->of, a->tokens, b->tokens };
    g_array_append_val (to->rates, r);
  }
}

static void
add_memory (NpDiffFrames *to, const char *allocator, const char *what, double base, double new)
{
  const NpDiffMemory m = { g_strdup (allocator), what, base, new };
  g_array_append_val (to->memory, m);
}

static void
compare_memory (NpDiffFrames *to, const NpDiffFrame *base, const NpDiffFrame *new)
{
  for (guint i = 0; i < base->memory->len; i++)
    for (guint k = 0; k < new->memory->len; k++) {
      const Memory *a = &g_array_index (base->memory, Memory, i),
                   *b = &g_array_index (new->memory, Memory, k);
      if (!g_str_equal (a->allocator, b->allocator))
        continue;
      if (!isnan (a->peak) && !isnan (b->peak))
        add_memory (to, a->allocator, "peak", a->peak, b->peak);
      if (!isnan (a->reserved) && !isnan (b->reserved))
        add_memory (to, a->allocator, "reserved", a->reserved, b->reserved);
    }
}

NpDiffFrames *
np_diff_frames_new (const NpDiffFrame *base, const NpDiffFrame *new, const GPtrArray *comparisons,
                    const NpDiffLimits *limits, gboolean other_machine)
{
  NpDiffFrames *to = g_new0 (NpDiffFrames, 1);
  to->facts = g_array_new (FALSE, FALSE, sizeof (NpDiffFact));
  to->periods = g_array_new (FALSE, FALSE, sizeof (NpDiffPeriod));
  to->rates = g_array_new (FALSE, FALSE, sizeof (NpDiffRate));
  to->memory = g_array_new (FALSE, FALSE, sizeof (NpDiffMemory));
  g_array_set_clear_func (to->facts, fact_clear);
  g_array_set_clear_func (to->periods, period_clear);
  g_array_set_clear_func (to->memory, both_memory_clear);
  compare_facts (to, base, new);
  to->judged = other_machine || !to->facts->len;
  compare_periods (to, base, new, comparisons, limits, to->judged);
  compare_rates (to, base, new);
  compare_memory (to, base, new);
  return to;
}

void
np_diff_frames_free (NpDiffFrames *frames)
{
  if (!frames)
    return;
  g_array_unref (frames->facts);
  g_array_unref (frames->periods);
  g_array_unref (frames->rates);
  g_array_unref (frames->memory);
  g_free (frames);
}

const NpDiffPeriod *
np_diff_frames_period (const NpDiffFrames *frames, const char *device)
{
  for (guint i = 0; frames && i < frames->periods->len; i++) {
    const NpDiffPeriod *p = &g_array_index (frames->periods, NpDiffPeriod, i);
    if (g_str_equal (p->device, device))
      return p;
  }
  return NULL;
}
