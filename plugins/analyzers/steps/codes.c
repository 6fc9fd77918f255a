/* SPDX-License-Identifier: Apache-2.0 */
/* codes.c - concludes from the parts of windows: which one leads, or that it is unknown, and the
 * words for that.  The tables here are the only ones of codes, groups and words. */
#include "verdict.h"

#include <math.h>
#include <nprof/units.h>
#include <string.h>

#define FEW_ROWS 10

/* -- Words ------------------------------------------------------------------------------------- */

/* clang-format off */
static const PartWords parts[PARTS] = {
  [PART_COMPUTE] = { "compute", "COMPUTE-BOUND", NULL, NULL },
  [PART_COMM] = { "comm", "COMMUNICATION-BOUND", "overlap", "if it ran beside compute" },
  [PART_BUBBLE] = { "bubble", "PIPELINE BUBBLE", "microbatches, schedule", NULL },
  [PART_COPY] = { "copy", "COPY-BOUND", "keep_on_device, overlap_host",
                  "if copies ran beside compute" },
  [PART_CONTROL] = { "control", "CONTROL-BOUND", NULL, NULL },
  [PART_LOST] = { "undetermined", "UNDETERMINED", "record_more", NULL },
  [PART_INPUT] = { "input", "INPUT-BOUND", "num_workers, pin_memory",
                   "if loading ran beside compute" },
  [PART_PREPROCESS] = { "preprocess", "INPUT-BOUND", "move_preprocess, num_workers",
                        "if it ran beside compute" },
  [PART_ALLOC] = { "alloc", "ALLOCATION-BOUND", "caching_allocator",
                   "without allocations in the loop" },
  [PART_CAPTURE] = { "capture", "WARM-UP", "warm_up", NULL },
  [PART_FIRST_USE] = { "first_use", "WARM-UP", "warm_up", NULL },
  [PART_STALL] = { "stall", "CPU-STARVED", "host_cpu", "if the host ran" },
  [PART_HOST] = { "host", "HOST-BOUND", NULL, NULL },
  [PART_LAUNCH] = { "host", "HOST-BOUND", NULL, NULL },
  [PART_SYNC] = { "host", "HOST-BOUND", "avoid_sync", "without calls that block" },
  [PART_WAIT] = { "wait", "QUEUE-BOUND", "schedule", "without gaps in queued work" },
  [PART_UNRECORDED] = { "undetermined", "UNDETERMINED", "record_more", NULL },
  [PART_OPAQUE] = { "undetermined", "UNDETERMINED", "record_more", NULL },
  [PART_PROFILER] = { "undetermined", "UNDETERMINED", "record_more", NULL },
  [PART_UNLINKED] = { "undetermined", "UNDETERMINED", "record_more", NULL },
};

/* What a code begins with, where it is no part alone. */
static const struct {
  const char *code, *group, *word;
} codes[] = {
  { "undetermined.", "undetermined", "UNDETERMINED" },
  { "mixed:", "mixed", "MIXED" },
  { "compute.gemm", "compute", "COMPUTE-BOUND (GEMM)" },
  { "compute.attention", "compute", "COMPUTE-BOUND (attention)" },
  { "compute.memory", "compute", "MEMORY-BOUND" },
  { "compute.bandwidth", "compute", "MEMORY-BANDWIDTH-BOUND" },
  { "compute", "compute", "COMPUTE-BOUND" },
  { "data", "data", "DATA-BOUND" },
};
/* clang-format on */

const PartWords *
st_part_words (Part part)
{
  return &parts[part];
}

static const PartWords *
words_of_code (const char *code)
{
  for (guint i = 0; i < PARTS; i++)
    if (g_str_equal (window_part (i)->name, code))
      return &parts[i];
  return NULL;
}

const char *
st_group_of (const char *code)
{
  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    if (g_str_has_prefix (code, codes[i].code))
      return codes[i].group;
  return words_of_code (code)->group;
}

const char *
st_word_of (const char *code)
{
  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    if (g_str_has_prefix (code, codes[i].code))
      return codes[i].word;
  return words_of_code (code)->word;
}

/* -- Which part leads -------------------------------------------------------------------------- */

typedef struct {
  gint64 of[PARTS], all;
} Shares;

static Part
largest (const Shares *s, Part but)
{
  Part best = PARTS;
  for (Part i = 0; i < PARTS; i++)
    if (i != but && s->of[i] > 0 && (best == PARTS || s->of[i] > s->of[best]))
      best = i;
  return best;
}

/* Returns whether in most of the window graphs are captured, or code is loaded in few of the
 * periods: then it is a warm-up. */
static gboolean
is_warm_up (const Sums *s)
{
  return 2 * ((DistSum) s->of[PART_FIRST_USE] + s->of[PART_CAPTURE]) >= s->all
         && !(s->windows >= 3 && 2 * s->loading > s->windows);
}

/* Launches and calls that block are the host's time, and so is code that is loaded again and
 * again. */
static void
lump_host (Shares *shares, const Sums *sums)
{
  gint64 *of = shares->of;
  of[PART_HOST] += of[PART_LAUNCH] + of[PART_SYNC];
  of[PART_LAUNCH] = of[PART_SYNC] = 0;
  if (2 * (DistSum) of[PART_FIRST_USE] >= shares->all && !is_warm_up (sums)) {
    of[PART_HOST] += of[PART_FIRST_USE];
    of[PART_FIRST_USE] = 0;
  }
}

/* These go without that a kernel is touched. */
static gboolean
goes_alone (Part part)
{
  return part == PART_INPUT || part == PART_PREPROCESS || part == PART_ALLOC || part == PART_STALL;
}

static Leads
leads_of (Shares shares, const Sums *sums)
{
  lump_host (&shares, sums);
  const Part a = largest (&shares, PARTS), b = largest (&shares, a);
  const DistSum all = shares.all, x = a == PARTS ? 0 : shares.of[a],
                y = b == PARTS ? 0 : shares.of[b];
  const double share = all > 0 ? (double) x / (double) all : 0,
               second = all > 0 ? (double) y / (double) all : 0;
  if (a == PARTS || all <= 0)
    return (Leads){ PARTS, PARTS, FALSE, 0, 0 };
  if (a == PART_COMPUTE && b != PARTS && 4 * y >= all && b != PART_UNLINKED
      && b != PART_UNRECORDED) {
    if (goes_alone (b) && 2 * y >= x)
      return (Leads){ b, a, FALSE, second, share };
    return (Leads){ a, b, TRUE, share, second };
  }
  const gboolean leads = (2 * x >= all && 4 * y < all) || (20 * x >= 7 * all && 2 * x >= 3 * y);
  return (Leads){ a, b, !leads, share, second };
}

/* -- What is left out before ------------------------------------------------------------------- */

/* Returns whether one gap carries most of the idle time, and a tenth of all. */
static gboolean
one_gap_carries (const Sums *s)
{
  gint64 idle = 0;
  for (Part i = PART_INPUT; i < PARTS; i++)
    idle += s->of[i];
  idle += s->of[PART_BUBBLE];
  return s->gaps > 1 && 2 * (DistSum) s->longest.length > idle
         && 10 * (DistSum) s->longest.length > s->all;
}

/* Returns what is known of the windows: nothing of the time in which rows are missing. */
static Shares
shares_of (const Sums *s)
{
  Shares shares = { .all = s->all - s->of[PART_LOST] };
  memcpy (shares.of, s->of, sizeof shares.of);
  shares.of[PART_LOST] = 0;
  return shares;
}

/* Returns what is judged: without waits for work that is not in the file, and without one long gap
 * of first use or a capture, or whose cause is unknown. */
static Shares
judged_shares (const Sums *s)
{
  Shares shares = shares_of (s);
  const Part part = s->longest.part;
  if (10 * (DistSum) s->of[PART_UNRECORDED] >= s->all) {
    shares.all -= shares.of[PART_UNRECORDED];
    shares.of[PART_UNRECORDED] = 0;
  }
  if (one_gap_carries (s)
      && (part == PART_CAPTURE || part == PART_FIRST_USE || part == PART_UNLINKED)) {
    const gint64 gap = MIN (shares.of[part], s->longest.length);
    shares.of[part] -= gap;
    shares.all -= gap;
  }
  return shares;
}

/* -- Codes ------------------------------------------------------------------------------------- */

static const char *
name_of (const Case *c, Part part)
{
  return part == PART_COMPUTE ? c->kind : window_part (part)->name;
}

static char *
code_of_leads (const Case *c, const Leads *l)
{
  if (l->first == PARTS)
    return g_strdup ("undetermined.empty");
  if (!l->mixed)
    return g_strdup (name_of (c, l->first));
  if (l->second == PARTS)
    return g_strdup_printf ("mixed:%s", name_of (c, l->first));
  return g_strdup_printf ("mixed:%s+%s", name_of (c, l->first), name_of (c, l->second));
}

static gboolean
is_idle (Part part)
{
  return part == PART_BUBBLE || (part >= PART_INPUT && part < PARTS);
}

static gboolean
works (Part part)
{
  return part < PARTS && !is_idle (part);
}

/* Returns why it is unknown; NULL: the leads say it.  The order is that of the page. */
static const char *
why_undetermined (const Case *c, const Leads *l)
{
  const Sums *s = c->sums;
  if (s->all <= 0)
    return NULL;
  if (4 * (DistSum) s->of[PART_LOST] >= s->all) /* of as much another part could lead */
    return "undetermined.lost_rows";
  if (2 * (DistSum) s->of[PART_UNRECORDED] > s->all)
    return "undetermined.unrecorded_wait";
  if ((c->unknown & AN_UNKNOWN_CAUSE) && is_idle (l->first))
    return "undetermined.clocks";
  if (is_warm_up (s))
    return s->of[PART_CAPTURE] > s->of[PART_FIRST_USE] ? "capture"
           : c->rows < FEW_ROWS                        ? "undetermined.few_rows"
                                                       : "first_use";
  if (4 * (DistSum) s->of[PART_OPAQUE] > s->all)
    return "undetermined.graphs_opaque";
  if (3 * (DistSum) s->of[PART_PROFILER] >= s->all)
    return "undetermined.profiler";
  if (l->first == PART_UNLINKED || (l->mixed && 3 * (DistSum) s->of[PART_UNLINKED] > s->all))
    return "undetermined.no_launches";
  if (c->rows < FEW_ROWS && !works (l->first) && !(l->mixed && works (l->second)))
    return "undetermined.few_rows";
  return NULL;
}

/* -- Sentences --------------------------------------------------------------------------------- */

G_GNUC_PRINTF (2, 3)
static void
say (GString *text, const char *format, ...)
{
  va_list args;
  if (text->len)
    g_string_append (text, "; ");
  va_start (args, format);
  g_string_append_vprintf (text, format, args);
  va_end (args);
}

/* Says what one gap does to all, and what leads without it. The name is quoted, so that who cuts
 * long names knows where it ends. */
static void
say_gap (GString *text, const Case *c, const Leads *with, const Leads *without)
{
  const LongGap *g = &c->sums->longest;
  gint64 idle = 0;
  for (Part i = 0; i < PARTS; i++)
    idle += is_idle (i) ? c->sums->of[i] : 0;
  /* No launch is late where nothing follows. */
  const gboolean has_cause = g->before || g->part != PART_HOST;
  if (one_gap_carries (c->sums))
    say (text, "one gap of %s (%s%sbefore %s%s%s) is %s of the idle time",
         nprof_time ((double) g->length).text, has_cause ? window_part (g->part)->said : "",
         has_cause ? ", " : "", g->before ? "\"" : "",
         g->before ? nprof_text (c->host, g->before) : "the end", g->before ? "\"" : "",
         nprof_share ((double) g->length / (double) MAX (idle, 1)).text);
  if (with->first == without->first || with->first == PARTS || without->first == PARTS)
    return;
  say (text, "without it %s of the rest is %s", nprof_share (without->share).text,
       window_part (without->first)->said);
}

static void
say_reason (GString *text, const Case *c, const char *code, const Leads *l)
{
  const Sums *s = c->sums;
  if (100 * (DistSum) s->of[PART_LOST] >= s->all && s->of[PART_LOST])
    say (text, "%s of %s are not judged: rows may be missing there",
         nprof_time ((double) s->of[PART_LOST]).text, nprof_time ((double) s->all).text);
  if (g_str_equal (code, "undetermined.unrecorded_wait") && l->first != PARTS
      && !strstr (text->str, "of the rest"))
    say (text, "waiting for work that was not recorded: %s of %s; %s of the rest is %s",
         nprof_time ((double) s->of[PART_UNRECORDED]).text, nprof_time ((double) s->all).text,
         nprof_share (l->share).text, window_part (l->first)->said);
  if (g_str_equal (code, "undetermined.clocks"))
    say (text, "the clocks of host and device differ: causes are unknown");
  if (g_str_equal (code, "undetermined.graphs_opaque"))
    say (text, "graphs are recorded as one: --cuda-graph-trace=node");
  if (g_str_equal (code, "undetermined.profiler"))
    say (text, "%s of %s under the profiler's own rows",
         nprof_time ((double) s->of[PART_PROFILER]).text, nprof_time ((double) s->all).text);
  if (g_str_equal (code, "undetermined.no_launches"))
    say (text, "the launches are not in the file: record the host's calls of the runtime");
  if (g_str_equal (code, "capture"))
    say (text, "graphs are captured for %s: record later steps, which replay them",
         nprof_time ((double) s->of[PART_CAPTURE]).text);
  if (g_str_equal (code, "undetermined.few_rows"))
    say (text, "%" G_GUINT64_FORMAT " device row%s: too few to judge what they wait for", c->rows,
         c->rows == 1 ? "" : "s");
}

/* The share beside the verdict is that of all computing. */
static void
say_memory (GString *text, const Case *c)
{
  say (text, "%s of computing is kernels that move memory", nprof_share (c->of_memory).text);
  if (c->use_of_memory > 0)
    g_string_append_printf (text, ", whose operators reach %s of its peak",
                            nprof_share (c->use_of_memory).text);
}

Verdict
st_conclude (const Case *c)
{
  if (c->rule)
    return (Verdict){ .code = g_strconcat ("undetermined.", c->rule, NULL),
                      .share = (double) NAN,
                      .second_share = (double) NAN };
  const Leads all = leads_of (shares_of (c->sums), c->sums),
              leads = leads_of (judged_shares (c->sums), c->sums);
  const char *why = why_undetermined (c, &leads);
  Verdict v = { .code = why ? g_strdup (why) : code_of_leads (c, &leads),
                .share = leads.first == PARTS ? (double) NAN : leads.share,
                .second = leads.second == PARTS ? NULL : window_part (leads.second)->name,
                .second_share = leads.second == PARTS ? (double) NAN : leads.second_share };
  GString *text = g_string_new (NULL);
  say_gap (text, c, &all, &leads);
  say_reason (text, c, v.code, &leads);
  if (c->of_memory > 0 && strstr (v.code, c->kind))
    say_memory (text, c);
  v.sentence = g_string_free (text, text->len == 0);
  return v;
}

void
st_verdict_clear (Verdict *v)
{
  g_free (v->code);
  g_free (v->sentence);
}
