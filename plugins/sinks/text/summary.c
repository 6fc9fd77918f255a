/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - the first screen of a report: what bounds a step, what it is made of, what would be gained, what
 * takes the time, how busy and how well used devices are; and why, where it is unknown.  Rows and columns of the
 * tables below it are views.c's matter, the sentences summary-words.c's. */

#include "summary.h"

#include "names.h"
#include "printable.h"
#include "scale.h"
#include "summary-words.h"

#include <math.h>
#include <nprof/sdk.h>
#include <string.h>

static const struct nprof_table summary_table = {
  .size = sizeof summary_table,
  .name = "summary",
  .title = "Summary",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_TEXT, "question", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "answer", "", ""),
                            NPROF_KEY_COLUMN (NPROF_TEXT, "of", "", "")),
};

/* -- Values ------------------------------------------------------------------------------------ */

static const struct nprof_cell *
cell (const Table *table, guint row, const char *column)
{
  static const struct nprof_cell none = { .type = NPROF_NULL };
  int c = table && row < table->rows->len ? table_column (table, column) : -1;
  return c < 0 ? &none : &((const Row *) g_ptr_array_index (table->rows, row))->cells[c];
}

/* NAN: unknown. */
static double
value (const Table *table, guint row, const char *column)
{
  const struct nprof_cell *c = cell (table, row, column);
  return c->type == NPROF_INT64 ? (double) c->v.i : c->type == NPROF_DOUBLE ? c->v.f : NAN;
}

/* Transfer full. */
static char *
text (const Table *table, guint row, const char *column)
{
  const struct nprof_cell *c = cell (table, row, column);
  gsize len;
  if (c->type == NPROF_NULL)
    return g_strdup ("-");
  const char *found = cell_text (table->host, c, &len);
  return g_strndup (found, len);
}

/* Transfer full. */
static char *
scaled (Table *to, const char *unit, double number)
{
  Scale scale = scale_choose (unit, fabs (number));
  return isfinite (number) ? scale_double (&scale, number, &to->rounded) : g_strdup ("unknown");
}

/* answer "": the line says it all; NULL: unknown. */
static void
add (Table *to, const char *question, const char *answer, const char *of)
{
  const struct nprof_run_info *run = to->host->run (to->host);
  const struct nprof_input_info *input = run->n_inputs == 1 ? to->host->input (to->host, 0) : NULL;
  const struct nprof_cell cells[]
      = { input ? nprof_cell_str (input->label) : nprof_cell_null (), nprof_cell_text (question),
          answer ? nprof_cell_text (answer) : nprof_cell_null (), nprof_cell_text (of) };
  table_add (to, cells); /* no memory for a line: the tables say it too */
}

typedef struct {
  double least, most;
  guint at_least, at_most, n;
} Range;

/* Of part / whole, whole NULL: of part alone, in all rows where it is known. */
static Range
range_of (const Table *table, const char *part, const char *whole)
{
  Range range = { INFINITY, -INFINITY, 0, 0, 0 };
  for (guint r = 0; table && r < table->rows->len; r++) {
    double v = value (table, r, part) / (whole ? value (table, r, whole) : 1);
    if (!isfinite (v))
      continue;
    if (v < range.least)
      range.least = v, range.at_least = r;
    if (v > range.most)
      range.most = v, range.at_most = r;
    range.n++;
  }
  return range;
}

/* Several devices: the answer is the least, and what follows says until where. */
static void
add_range (Table *to, const char *question, const char *range, const char *of)
{
  const char *until = range ? strstr (range, " to ") : NULL;
  if (!until) {
    add (to, question, range, of);
    return;
  }
  g_autofree char *least = g_strndup (range, (gsize) (until - range));
  g_autofree char *where = g_strdup_printf ("%s; %s", until + 1, of);
  add (to, question, least, where);
}

/* "98.1 %", "97.0 % to 98.1 %"; NULL: unknown.  Transfer full. */
static char *
range_text (Table *to, const Range *range, const char *unit)
{
  if (range->n == 0)
    return NULL;
  g_autofree char *least = scaled (to, unit, range->least), *most = scaled (to, unit, range->most);
  return g_str_equal (least, most) ? g_steal_pointer (&most)
                                   : g_strdup_printf ("%s to %s", least, most);
}

/* -- Steps: what they are made of, and what would be gained ------------------------------------------- */

#define SHOWN 0.01     /* of a step: less is not worth a line */
#define MANY_TIMES 100 /* faster: how much more nobody believes */

static double
part_of (const DeviceSteps *d, Part part)
{
  double window = answers_mean (d, PART_WINDOW);
  return window > 0 ? answers_mean (d, part) / window : 0;
}

/* "idle 169.9, compute 38.7": the largest first, in the unit of the whole.  Transfer full. */
static char *
parts_text (const DeviceSteps *d, const Scale *scale)
{
  Part parts[] = { PART_IDLE, PART_COMPUTE, PART_COMMUNICATION, PART_COPY };
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    for (guint k = i; k > 0 && answers_mean (d, parts[k]) > answers_mean (d, parts[k - 1]); k--) {
      Part part = parts[k];
      parts[k] = parts[k - 1];
      parts[k - 1] = part;
    }
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    double mean = answers_mean (d, parts[i]) / (double) scale->factor;
    if (mean <= 0)
      continue;
    g_string_append_printf (text, mean < .05 ? "%s%s <0.1" : "%s%s %.1f", text->len ? ", " : "",
                            words_part (parts[i]), mean);
  }
  return g_string_free (text, FALSE);
}

static void
add_step (Table *to, const DeviceSteps *d)
{
  Scale scale = scale_choose ("ps", answers_mean (d, PART_WINDOW));
  scale.decimals = scale.factor > 1 ? 1 : 0;
  g_autofree char *mean = scale_double (&scale, answers_mean (d, PART_WINDOW), &to->rounded);
  g_autofree char *parts = parts_text (d, &scale);
  add (to, d->named ? "step" : "span", mean, parts);
  const StepSums *s = answers_steps (d);
  if (s->n < 2)
    return;
  g_autofree char *least = scale_double (&scale, (double) s->least, &to->rounded);
  g_autofree char *most = scale_double (&scale, (double) s->most, &to->rounded);
  g_autofree char *where
      = g_strdup_printf ("%s to %s, %" G_GINT64_FORMAT " steps", least, most, s->n);
  add (to, "", "", where);
}

typedef struct {
  Part part;
  const char *question;
} Gain;

static char *
hidden_text (const SummaryOf *of)
{
  gint64 overlap = 0, exposed = 0;
  const Collective *top = NULL;
  for (guint i = 0; i < of->answers->collectives->len; i++) {
    const Collective *c = &g_array_index (of->answers->collectives, Collective, i);
    overlap += c->overlap;
    exposed += c->exposed;
    top = !top || c->bytes > top->bytes ? c : top;
  }
  if (!top || overlap + exposed <= 0)
    return g_strdup ("overlap it with computing");
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, "%.0f %% is hidden; %s",
                          100.0 * (double) overlap / (double) (overlap + exposed),
                          nprof_text (of->answers->host, top->kind));
  if (top->bytes >= 0)
    g_string_append_printf (text, " %.1f MB", (double) top->bytes / 1e6);
  if (isfinite (top->busbw))
    g_string_append_printf (text, ": %.1f GB/s (bus)", top->busbw / 1e9);
  return g_string_free (text, FALSE);
}

static char *
gain_text (const SummaryOf *of, const DeviceSteps *d, const Gain *gain, double left)
{
  if (gain->part == PART_COMMUNICATION)
    return hidden_text (of);
  if (gain->part == PART_COPY)
    return g_strdup (words_copy_remedy (of->answers, d));
  double window = answers_mean (d, PART_WINDOW);
  const char *remedy = words_remedy (of->answers, d);
  gboolean most = left * MANY_TIMES < window;
  g_autofree char *times
      = most ? g_strdup ("more than 100 x") : g_strdup_printf ("%.1f x", window / left);
  return g_strdup_printf ("%s faster%s%s", times, *remedy ? ": " : "", remedy);
}

/* What each would leave of a step; most time at stake first. */
static void
add_gains (Table *to, const SummaryOf *of, const DeviceSteps *d)
{
  Gain gains[] = { { PART_IDLE, "if no idle" },
                   { PART_COMMUNICATION, "if comm hidden" },
                   { PART_COPY, "if copies hid" } };
  for (guint i = 0; i < G_N_ELEMENTS (gains); i++)
    for (guint k = i; k > 0 && part_of (d, gains[k].part) > part_of (d, gains[k - 1].part); k--) {
      Gain gain = gains[k];
      gains[k] = gains[k - 1];
      gains[k - 1] = gain;
    }
  Scale scale = scale_choose ("ps", answers_mean (d, PART_WINDOW));
  scale.decimals = scale.factor > 1 ? 1 : 0;
  for (guint i = 0; i < G_N_ELEMENTS (gains); i++) {
    double left = answers_mean (d, PART_WINDOW) - answers_mean (d, gains[i].part);
    if (part_of (d, gains[i].part) < SHOWN)
      continue;
    g_autofree char *answer = scale_double (&scale, left, &to->rounded);
    g_autofree char *text = gain_text (of, d, &gains[i], left);
    add (to, gains[i].question, answer, text);
  }
}

/* -- Lists of names and shares ------------------------------------------------------------------------------ */

/* Columns that a terminal of 80 has beside a question and its answer. */
#define ROOM 53
#define ROOM_OF_TIMES 50 /* "1,234.567 ms" */
#define LONGEST_NAME 36

#define SHORTEST_NAME 12
#define SHARE_ROOM 7 /* ", " and " 12 %" */

/* Safe for a terminal, and no longer than that; transfer full. */
static char *
short_name (Names *names, const char *name, guint longest)
{
  const char *shorter = names_short (names, name);
  g_autofree char *safe = printable_new (shorter, strlen (shorter));
  return printable_width (safe) > longest ? printable_cut (safe, longest) : g_steal_pointer (&safe);
}

/* Of the shares, largest first: as many as fit in `room`.  Transfer full; NULL: there is none. */
static char *
list_text (GArray *shares, guint most, guint room)
{
  g_autoptr (Names) names = names_new ();
  for (guint i = 0; i < shares->len; i++)
    names_add (names, g_array_index (shares, Share, i).name);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < shares->len && i < most; i++) {
    const Share *s = &g_array_index (shares, Share, i);
    guint taken = printable_width (text->str) + (i ? SHARE_ROOM : 0);
    if (i && (taken + SHORTEST_NAME > room || s->value < SHOWN / 2))
      break;
    g_autofree char *name = short_name (names, s->name, MIN (LONGEST_NAME, room - taken));
    g_string_append_printf (text, i ? ", %s %.0f %%" : "%s", name, 100 * s->value);
  }
  return g_string_free (text, text->len == 0);
}

static int
by_share (gconstpointer a, gconstpointer b)
{
  const Share *x = a, *y = b;
  if (x->value != y->value)
    return x->value > y->value ? -1 : 1;
  return strcmp (x->name, y->name);
}

static void
share_clear (gpointer share)
{
  g_free (((Share *) share)->name);
}

static GArray *
shares_new (void)
{
  GArray *shares = g_array_new (FALSE, FALSE, sizeof (Share));
  g_array_set_clear_func (shares, share_clear);
  return shares;
}

/* The answer is the share of the first. */
static void
add_shares (Table *to, const char *question, GArray *shares, const char *only)
{
  g_array_sort (shares, by_share);
  g_autofree char *list = list_text (shares, 4, ROOM - 2 - (guint) strlen (only));
  if (!list)
    return;
  g_autofree char *share = scaled (to, "1", g_array_index (shares, Share, 0).value);
  g_autofree char *where = g_strconcat (list, "  ", only, NULL);
  add (to, question, share, where);
}

/* Where the host was while the device idled, or the cause. */
static void
add_idle (Table *to, const SummaryOf *of, const DeviceSteps *d)
{
  const StepSums *s = answers_steps (d);
  g_autoptr (GArray) shares = shares_new ();
  if (part_of (d, PART_IDLE) < SHOWN)
    return;
  for (guint i = 0; i < s->places->len; i++) {
    const IdlePlace *p = &g_array_index (s->places, IdlePlace, i);
    const char *cause = nprof_text (of->answers->host, p->cause);
    const Share share
        = { g_strdup (p->where ? nprof_text (of->answers->host, p->where) : words_cause (cause)),
            (double) p->sum / (double) MAX (s->part[PART_IDLE], 1) };
    g_array_append_val (shares, share);
  }
  add_shares (to, "idle in", shares, "--only idle");
}

static void
add_names (Table *to, const char *question, const Table *names, const char *column,
           const char *only)
{
  g_autoptr (GArray) shares = shares_new ();
  for (guint r = 0; names && r < names->rows->len; r++) {
    Share share = { text (names, r, column), value (names, r, "share") };
    gboolean name = *share.name != '(' && strcmp (share.name, "-") != 0;
    if (isfinite (share.value) && share.value > 0 && name)
      g_array_append_val (shares, share);
    else
      g_free (share.name);
  }
  add_shares (to, question, shares, only);
}

static void
add_operators (Table *to, const SummaryOf *of)
{
  add_names (to, "top operator", of->operators, "operator", "--only ops");
  add_names (to, "top kernel", of->kernels, "kernel", "--only kernels");
}

static void
add_modules (Table *to, const SummaryOf *of)
{
  g_autoptr (GArray) shares = shares_new ();
  for (guint i = 0; i < of->answers->classes->len; i++) {
    const Share *s = &g_array_index (of->answers->classes, Share, i);
    const Share share = { g_strdup (s->name), s->value };
    g_array_append_val (shares, share);
  }
  if (shares->len)
    add_shares (to, "modules", shares, "--only modules");
  else if (answers_announced (of->answers, "module_classes")
           && g_strcmp0 (of->answers->decoder, "chrome") == 0)
    add (to, "modules", NULL, "not in the file: with_stack=True would tell");
}

static void
add_path (Table *to, const SummaryOf *of)
{
  guint n, all;
  const Verdict *v = answers_verdict (of->answers, &n, &all);
  if (!v || !v->known)
    return;
  g_autofree char *share = scaled (to, "1", v->share);
  g_autofree char *text = words_path (of->answers, v, n, all);
  add (to, "critical path", share, text);
}

/* -- Devices -------------------------------------------------------------------------------------------------- */

static void
add_busy (Table *to, const SummaryOf *of)
{
  Range busy = range_of (of->devices, "busy_ns", "span_ns");
  Range span = range_of (of->devices, "span_ns", NULL);
  g_autofree char *answer = range_text (to, &busy, "1"), *times = range_text (to, &span, "ps");
  g_autofree char *label = text (of->devices, busy.at_least, "device");
  guint n = of->devices->rows->len;
  g_autofree char *who = n == 1 ? g_strdup (label) : g_strdup_printf ("%u devices", n);
  g_autofree char *least
      = answer && strstr (answer, " to ") ? g_strconcat ("; least: ", label, NULL) : g_strdup ("");
  g_autofree char *where = g_strdup_printf ("%s, of %s%s", who, times, least);
  add_range (to, "busy", answer, where);
}

/* Of the device that misses most. */
static void
add_lost (Table *to, const SummaryOf *of)
{
  Range share = range_of (of->devices, "lost_ns", "span_ns");
  g_autofree char *most = scaled (to, "1", share.most);
  g_autofree char *label = text (of->devices, share.at_most, "device");
  g_autofree char *where
      = g_strdup_printf ("of the span of %s: rows were lost there, so that it may be busy or idle",
                         label);
  if (share.n > 0 && share.most > 0)
    add (to, "not recorded", most, where);
}

/* Why MFU is unknown, and what mends it. */
static const char *
mfu_reason (const SummaryOf *of)
{
  gboolean flops = range_of (of->mfu, "flops", NULL).n > 0;
  gboolean peak = range_of (of->mfu, "peak_flops", NULL).n > 0;
  if (!of->mfu || of->mfu->rows->len == 0)
    return "the analyzer mfu is not in this run";
  if (!flops && !peak)
    return "the file states no flops, and no peak rate of the device is known";
  return flops ? "no peak rate of the device is known: -a device:peak_flops=N -a mfu:peak_flops=N"
               : "no flops in the file, and no shapes; PyTorch: record_shapes=True";
}

/* Of the rows of table mfu that are of that; n 0: it is not known. */
static Range
mfu_of (const SummaryOf *of, const char *operator)
{
  Range range = { .least = G_MAXDOUBLE, .most = -G_MAXDOUBLE };
  for (guint i = 0; of->mfu && i < of->mfu->rows->len; i++) {
    g_autofree char *is = text (of->mfu, i, "operator");
    double mfu = value (of->mfu, i, "mfu");
    if (!g_str_equal (is, operator) || isnan (mfu))
      continue;
    range.least = MIN (range.least, mfu);
    range.most = MAX (range.most, mfu);
    range.n++;
  }
  return range;
}

/* Where rows of devices state no flops, shapes may tell them. */
static void
add_mfu_by_shapes (Table *to, const SummaryOf *of)
{
  Range steps = mfu_of (of, "(steps)"), all = mfu_of (of, "(total)");
  g_autofree char *answer = range_text (to, steps.n ? &steps : &all, "1");
  g_autofree char *source = answer ? text (of->mfu, 0, "flops_source") : NULL;
  if (!answer)
    add (to, "MFU", NULL, mfu_reason (of));
  else if (strstr (source, "at least"))
    add_range (to, "MFU", answer, "at least, by shapes: some calls do not tell theirs  --only mfu");
  else
    add_range (to, "MFU", answer,
               steps.n ? "of the steps, by shapes  --only mfu" : "by shapes  --only mfu");
}

static void
add_mfu (Table *to, const SummaryOf *of)
{
  Range mfu = range_of (of->devices, "mfu", NULL), hfu = range_of (of->devices, "hfu", NULL);
  g_autofree char *answer = range_text (to, &mfu, "1"), *hardware = range_text (to, &hfu, "1");
  if (!answer) {
    add_mfu_by_shapes (to, of);
    return;
  }
  g_autofree char *where = g_strdup_printf ("idle time included; HFU %s", hardware);
  add_range (to, "MFU", answer, hardware ? where : "idle time included");
}

static void
add_mbu (Table *to, const SummaryOf *of)
{
  Range mbu = range_of (of->devices, "mbu", NULL);
  g_autofree char *answer = range_text (to, &mbu, "1");
  if (answer)
    add_range (to, "MBU", answer, "bytes of the main memory, idle time included");
}

/* Of the devices whose communication shows most. */
static void
add_exposed (Table *to, const SummaryOf *of)
{
  Range share = range_of (of->devices, "exposed_ns", "span_ns");
  Range time = range_of (of->devices, "exposed_ns", NULL);
  g_autofree char *answer = range_text (to, &share, "1"), *most = range_text (to, &time, "ps");
  g_autofree char *where
      = time.most > 0
            ? g_strconcat (most, " of communication and copies while nothing computes", NULL)
            : g_strdup ("no communication or copy while nothing computes");
  add_range (to, "exposed", answer, where);
}

/* -- Memory, findings ------------------------------------------------------------------------------------- */

#define NEARLY_FULL 0.95 /* of the capacity            */
#define LEAKS 0.01       /* of the peak, in each step  */

static gboolean
memory_is_a_finding (const Answers *a, gint64 steps)
{
  double peak = (double) MAX (a->memory_peak, 1);
  gboolean full = a->memory_capacity > 0
                  && (double) a->memory_peak >= NEARLY_FULL * (double) a->memory_capacity;
  gboolean leaks = steps > 0 && (double) MAX (a->memory_leaked, 0) / (double) steps > LEAKS * peak;
  return full || leaks;
}

static void
add_memory (Table *to, const SummaryOf *of)
{
  const Answers *a = of->answers;
  if (a->memory_peak < 0 && answers_have (a, "memory")) {
    add (to, "memory", NULL, "the file states no totals  --only memory");
    return;
  }
  if (a->memory_peak < 0) {
    if (answers_announced (a, "memory") && g_strcmp0 (a->decoder, "chrome") == 0)
      add (to, "memory", NULL, "not in the file: profile_memory=True would tell");
    return;
  }
  g_autofree char *peak = scaled (to, "byte", (double) a->memory_peak);
  g_autofree char *of_all
      = a->memory_capacity > 0 ? scaled (to, "byte", (double) a->memory_capacity) : NULL;
  g_autofree char *where
      = g_strdup_printf ("at most%s%s%s%s  --only memory", of_all ? " of " : "",
                         of_all ? of_all : "", a->memory_holder ? "; most of it by " : "",
                         a->memory_holder ? a->memory_holder : "");
  add (to, "memory", peak, where);
}

/* What was looked for and not found; what could not be looked at is unknown above. */
static void
add_no_findings (Table *to, const SummaryOf *of, const DeviceSteps *d)
{
  guint n, all;
  const Verdict *v = answers_verdict (of->answers, &n, &all);
  const char *verdict = v ? nprof_text (of->answers->host, v->verdict) : "";
  g_autoptr (GString) none = g_string_new (NULL);
  gint64 steps = d ? answers_steps (d)->n : 0;
  gboolean launched = answers_have (of->answers, "queue_length");
  if (v && v->known && launched && strcmp (verdict, "input") != 0)
    g_string_append (none, "input");
  if (v && v->known && launched && strcmp (verdict, "launch") != 0)
    g_string_append_printf (none, "%slaunch", none->len ? ", " : "");
  if (d && part_of (d, PART_COMMUNICATION) < SHOWN)
    g_string_append_printf (none, "%scommunication", none->len ? ", " : "");
  if (of->answers->memory_peak >= 0 && !memory_is_a_finding (of->answers, steps))
    g_string_append_printf (none, "%smemory", none->len ? ", " : "");
  if (none->len)
    add (to, "no finding", "", none->str);
}

#define MORE_ROOM 60 /* columns for names of tables, behind "More: --only" */

static char *
more_text (const SummaryOf *of)
{
  static const struct {
    const char *name, *table;
  } tables[] = { { "steps", "step_breakdown" }, { "ops", "operators" },
                 { "modules", "modules" },      { "kernels", "kernels" },
                 { "idle", "idle_causes" },     { "collectives", "collectives" },
                 { "memory", "memory" },        { "phases", "phases" },
                 { "what_if", "bound" },        { "mfu", "mfu" },
                 { "bound", "bound" },          { "queue_length", "queue_length" } };
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    if (answers_have (of->answers, tables[i].table)
        && names->len + strlen (tables[i].name) < MORE_ROOM)
      g_string_append_printf (names, "%s%s", names->len ? "," : "", tables[i].name);
  return names->len
             ? g_strdup_printf ("More: --only %s  What changed: nprof diff OLD NEW", names->str)
             : g_strdup ("");
}

/* Of Furiosa's profiler. */
static void
add_inferences (Table *to, const SummaryOf *of)
{
  double n = value (of->inferences, 0, "Inference counts");
  if (!(n > 0))
    return;
  Scale scale = scale_choose ("ns", value (of->inferences, 0, "Median latency (ns)"));
  g_autofree char *median
      = scale_double (&scale, value (of->inferences, 0, "Median latency (ns)"), &to->rounded);
  g_autofree char *p99
      = scale_double (&scale, value (of->inferences, 0, "99.0 percentile latency (ns)"),
                      &to->rounded);
  g_autofree char *where
      = g_strdup_printf ("median; p99 %s; %.0f inference%s", p99, n, n == 1 ? "" : "s");
  add (to, "inference", median, where);
}

/* -- Hosts alone ----------------------------------------------------------------------------------------------- */

static void
add_times (Table *to, const char *question, GArray *times)
{
  g_array_sort (times, by_share);
  for (guint i = 0; i < times->len && i < 3; i++) {
    const Share *s = &g_array_index (times, Share, i);
    g_autofree char *time = scaled (to, "ps", s->value);
    g_autofree char *safe = printable_new (s->name, strlen (s->name));
    g_autofree char *cut = printable_width (safe) > ROOM_OF_TIMES
                               ? printable_cut (safe, ROOM_OF_TIMES)
                               : g_strdup (safe);
    if (s->value > 0)
      add (to, i ? "" : question, time, cut);
  }
}

static void
add_hosts (Table *to, const SummaryOf *of)
{
  add (to, "devices", "none", "the profile holds work of hosts alone");
  add_times (to, "longest", of->answers->threads);
  add_times (to, "blocking", of->answers->blocking);
}

/* -- The summary ------------------------------------------------------------------------------------------------- */

static void
add_devices (Table *to, const SummaryOf *of)
{
  const DeviceSteps *d = answers_worst (of->answers);
  add_inferences (to, of);
  if (d) {
    add_step (to, d);
    add_gains (to, of, d);
    add_idle (to, of, d);
  }
  add_operators (to, of);
  add_modules (to, of);
  add_path (to, of);
  if (!d) {
    add_busy (to, of);
    add_exposed (to, of);
  }
  add_lost (to, of);
  add_mfu (to, of);
  add_mbu (to, of);
  add_memory (to, of);
  add_no_findings (to, of, d);
}

static void
set_text (char **to, char *text)
{
  g_free (*to);
  *to = text;
}

Table *
summary_new (const struct nprof_host *host, const SummaryOf *of)
{
  Table *to = table_new (host, &summary_table, 0, NULL);
  to->single = to->bare = TRUE;
  if (of->devices && of->devices->rows->len > 0) {
    guint n, all;
    const Verdict *v = answers_verdict (of->answers, &n, &all);
    set_text (&to->title, words_headline (of->answers, of->devices->rows->len));
    to->lead = words_verdict (of->answers, v);
    add_devices (to, of);
  } else if (answers_have (of->answers, "latency")) {
    add_hosts (to, of);
  } else if (g_strcmp0 (of->answers->decoder, "neff") != 0
             && answers_announced (of->answers, "latency")) {
    add (to, "spans", "none", "nothing that took time is in the file; nprof info says what is");
  }
  set_text (&to->note, more_text (of));
  if (to->rows->len > 0)
    return to;
  table_free (to);
  return NULL;
}
