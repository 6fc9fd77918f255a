/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - makes the first screen of a report: what bounds a step, what it is made of, what
 * would be gained (summary-steps.c), what takes the time, how busy and how well used devices are
 * (summary-use.c); and why, where it is unknown.  views.c chooses rows and columns of the tables below
 * it, summary-words.c the sentences. */

#include "summary.h"

#include "answers-leading.h"
#include "printable.h"
#include "producers/inference.h"
#include "recorder.h"
#include "number.h"
#include "summary-lines.h"
#include "summary-words.h"
#include "system/short-names.h"

#include <math.h>
#include <nprof/sdk.h>
#include <nprof/units.h>
#include <string.h>

static const struct nprof_table summary_table = {
  .size = sizeof summary_table,
  .name = "summary",
  .title = "Summary",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_TEXT, "question", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "answer", "", ""),
                            NPROF_KEY_COLUMN (NPROF_TEXT, "of", "", "")),
};

/* -- Inference, and ranks that others wait for --------------------------------------------------------------- */

/* Adds which of several inputs the line before is of. */
static void
add_slowest_input (Table *to, const Answers *a)
{
  if (a->n_waiting < 2)
    return;
  g_autofree char *input
      = summary_name (a, nprof_text (a->host, a->requests.input), SUMMARY_INPUT);
  g_autofree char *where = g_strdup_printf ("%s, slowest of %u inputs", input, a->n_waiting);
  summary_add (to, "", "", where);
}

/* Adds whom the other ranks of a job wait for. */
static void
add_straggler (Table *to, const Straggler *s)
{
  if (!s->who || s->share < SUMMARY_SHOWN)
    return;
  g_autofree char *answer = summary_scaled (to, "1", s->share);
  g_autofree char *where = g_strdup_printf ("others wait for %s: %s  --only stragglers", s->who,
                                            s->cause ? s->cause : "nobody knows why");
  summary_add (to, "late", answer, where);
}

/* Adds what else is known of requests: how much of the wait is the queue's, and how fast tokens come. */
static void
add_rates (Table *to, const Waits *w)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (w->queue >= 0) {
    g_autofree char *queue = summary_scaled (to, "ps", (double) w->queue);
    g_string_append_printf (text, w->p50 >= 0 ? "queue %s of it" : "queue %s", queue);
  }
  if (w->tpot >= 0) {
    g_autofree char *tpot = summary_scaled (to, "ps", (double) w->tpot);
    g_string_append_printf (text, "%sTPOT %s", text->len ? "; " : "", tpot);
  }
  if (!isnan (w->tokens_per_s))
    g_string_append_printf (text, "%s%s tokens/s of these requests", text->len ? "; " : "",
                            nprof_count ((guint64) (w->tokens_per_s + 0.5)).text);
  if (text->len)
    summary_add (to, "", "", text->str);
}

/* Adds how long requests wait for their first token, or why nobody knows that. */
static void
add_requests (Table *to, const SummaryOf *of)
{
  const Waits *w = &of->answers->requests;
  if (!w->n) {
    if (of->answers->phases)
      summary_add (to, "TTFT", NULL, "no arrivals in the file: OpenTelemetry has them");
    return;
  }
  if (w->p50 < 0) {
    summary_add (to, "TTFT", NULL,
                 w->stated ? "the server's spans do not say when the first token came"
                           : "no request both arrives and is prefilled in the file");
    add_rates (to, w);
    return;
  }
  g_autofree char *median = summary_scaled (to, "ps", (double) w->p50);
  g_autofree char *p99 = summary_scaled (to, "ps", (double) w->p99);
  g_autofree char *n
      = w->told < w->n ? g_strdup_printf ("%" G_GINT64_FORMAT " of ", w->told) : NULL;
  g_autofree char *where
      = g_strdup_printf ("median; p99 %s; %s%" G_GINT64_FORMAT " request%s  --only requests", p99,
                         n ? n : "", w->n, w->n == 1 ? "" : "s");
  summary_add (to, "TTFT", median, where);
  add_rates (to, w);
  add_slowest_input (to, of->answers);
}

/* Adds which phases of inference the steps have. */
static void
add_phases (Table *to, const SummaryOf *of)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < PHASE_NONE; i++)
    if (of->answers->phases & 1u << i)
      g_string_append_printf (text, "%s%s", text->len ? ", " : "",
                              inference_phase_name ((Phase) i));
  if (!text->len)
    return;
  g_string_append (text, ": steps, tokens  --only phases");
  summary_add (to, "phases", "", text->str);
}

/* -- Lists of names and shares ------------------------------------------------------------------------------ */

/* A terminal of 80 has so many columns beside a question and its answer. */
#define ROOM 53
#define ROOM_OF_TIMES 50 /* "1,234.567 ms" */
#define LONGEST_NAME 36
#define LONGEST_DEVICE 16

#define SHORTEST_NAME 12
#define SHARE_ROOM 9 /* ", " and " 12.3 %" */

/* Lists the shares, largest first: as many as fit in `room`, with names that may be cut.  Transfer
 * full; NULL: there is none. */
static char *
list_text (const Answers *a, GArray *shares, guint most, guint room)
{
  g_autoptr (Names) names = names_new ();
  for (guint i = 0; i < shares->len; i++)
    names_add (names, g_array_index (shares, Share, i).name);
  GString *text = g_string_new (NULL);
  for (guint i = 0, used = 0; i < shares->len && i < most; i++) {
    const Share *s = &g_array_index (shares, Share, i);
    const char *called = *s->name ? names_short (names, s->name) : "(no name)";
    guint taken = used + (i ? SHARE_ROOM : 0);
    if (i && (taken + SHORTEST_NAME > room || s->value < SUMMARY_SHOWN / 2))
      break;
    if (i && words_are_cause (s->name) && taken + printable_width (s->name) > room)
      break; /* sentences are not cut */
    g_autofree char *cut = printable_short (called, MIN (LONGEST_NAME + a->more_room, room - taken)),
                    *whole = a->whole ? printable_new (called, strlen (called)) : NULL;
    g_autofree char *share = i ? g_strconcat (" ", nprof_share (s->value).text, NULL) : NULL;
    used += (i ? 2 + printable_width (share) : 0) + printable_width (cut);
    g_string_append_printf (text, "%s%s%s", i ? ", " : "", whole ? whole : cut, share ? share : "");
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

/* Adds shares; the answer is that of the first.  device: "", or "NAME: " of the one that all shares are of. */
static void
add_shares (Table *to, const Answers *a, const char *question, GArray *shares, const char *device,
            const char *only)
{
  g_array_sort (shares, by_share);
  guint named = a->whole ? MIN (printable_width (device), LONGEST_DEVICE) : printable_width (device);
  guint room = ROOM + a->more_room - 2 - (guint) strlen (only) - named;
  g_autofree char *list = list_text (a, shares, 4, room);
  if (!list)
    return;
  g_autofree char *share = summary_scaled (to, "1", g_array_index (shares, Share, 0).value);
  g_autofree char *where = g_strconcat (device, list, "  ", only, NULL);
  summary_add (to, question, share, where);
}

/* Adds where the host was while the device idled, or the cause. */
static void
add_idle (Table *to, const SummaryOf *of, const DeviceSteps *d)
{
  const StepSums *s = answers_steps (d);
  g_autoptr (GArray) shares = answers_shares_new ();
  if (summary_part (d, PART_IDLE) < SUMMARY_SHOWN)
    return;
  for (guint i = 0; i < s->places->len; i++) {
    const IdlePlace *p = &g_array_index (s->places, IdlePlace, i);
    const char *cause = nprof_text (of->answers->host, p->cause);
    const Share share = { g_strdup (p->where ? nprof_text (of->answers->host, p->where)
                                             : words_cause (of->answers, cause)),
                          (double) p->sum / (double) MAX (s->part[PART_IDLE], 1) };
    g_array_append_val (shares, share);
  }
  add_shares (to, of->answers, "idle in", shares, "", "--only idle");
}

/* Tables are of the busiest device.  Transfer full. */
static char *
busiest_device (const Answers *a, const Table *names)
{
  g_autofree char *label = summary_text (names, 0, "device");
  g_autofree char *cut = summary_name (a, label, LONGEST_DEVICE);
  return g_strconcat (cut, ": ", NULL);
}

/* Returns what leads the table that the page has of the busiest device; transfer full. */
static GArray *
shares_of_table (const Table *names, const char *column)
{
  GArray *shares = answers_shares_new ();
  for (guint r = 0; r < names->rows->len; r++) {
    Share share = { summary_text (names, r, column), summary_value (names, r, "share") };
    gboolean name = *share.name != '(' && strcmp (share.name, "-") != 0;
    if (isfinite (share.value) && share.value > 0 && name)
      g_array_append_val (shares, share);
    else
      g_free (share.name);
  }
  return shares;
}

/* Adds what takes most of the device that the summary is of; of one that the table says nothing of, what
 * does of the busiest device, which is named. */
static void
add_names (Table *to, const Answers *a, const char *question, const Table *names,
           const GArray *leading, const DeviceSteps *d, const char *column, const char *only)
{
  if (!names || !names->rows->len)
    return;
  GArray *own = d ? answers_leading_of (leading, d->input, d->device) : NULL;
  g_autoptr (GArray) shares = own && own->len ? g_array_ref (own) : shares_of_table (names, column);
  g_autofree char *device = shares == own || !d ? g_strdup ("") : busiest_device (a, names);
  add_shares (to, a, question, shares, device, only);
}

/* Returns how surely the kernels of replays have operators; transfer full. */
static char *
names_of_graphs (const Answers *a)
{
  const GraphWork *g = &a->graphs;
  const double named = g->busy > 0 ? g->named / g->busy : 0;
  if (!(named > 0))
    return g_strdup ("operators unknown: --eager FILE");
  const char *match = nprof_text (a->host, g->match);
  return named < 0.9995
             ? g_strdup_printf ("%s have operators  --only graphs", nprof_share (named).text)
             : g_strdup_printf ("operators %s  --only graphs", match);
}

/* Adds what replays of graphs take, and whether it is known what they run. */
static void
add_graphs (Table *to, const Answers *a)
{
  const GraphWork *g = &a->graphs;
  if (!g->n)
    return;
  g_autofree char *share = summary_scaled (to, "1", g->share), *names = names_of_graphs (a);
  g_autofree char *graphs
      = g->n > 1 ? g_strdup_printf ("%u graphs", g->n)
                 : g_strdup_printf ("%" G_GINT64_FORMAT " kernels", g->kernels);
  g_autofree char *where
      = g_strdup_printf ("%" G_GINT64_FORMAT " replay%s of %s, %s", g->replays,
                         g->replays == 1 ? "" : "s", graphs, names);
  summary_add (to, "graphs", share, where);
}

static void
add_operators (Table *to, const SummaryOf *of, const DeviceSteps *d)
{
  add_graphs (to, of->answers);
  const Answers *a = of->answers;
  add_names (to, a, "top operator", of->operators, a->operators, d, "operator", "--only ops");
  add_names (to, a, "top kernel", of->kernels, a->kernels, d, "kernel", "--only kernels");
}

static void
add_modules (Table *to, const SummaryOf *of)
{
  g_autoptr (GArray) shares = answers_shares_new ();
  double all = 0;
  for (guint i = 0; i < of->answers->classes->len; i++)
    all += g_array_index (of->answers->classes, Share, i).value;
  for (guint i = 0; i < of->answers->classes->len; i++) {
    const Share *s = &g_array_index (of->answers->classes, Share, i);
    const Share share = { g_strdup (s->name), s->value / MAX (all, 1) };
    g_array_append_val (shares, share);
  }
  const char *option = recorder_option (of->answers, OPTION_MODULES);
  if (shares->len) {
    add_shares (to, of->answers, "modules", shares, "", "--only modules");
  } else if (answers_announced (of->answers, "module_classes") && option) {
    g_autofree char *why = g_strconcat ("not in the file: ", option, NULL);
    summary_add (to, "modules", NULL, why);
  }
}

static void
add_path (Table *to, const SummaryOf *of)
{
  guint n, all;
  const Verdict *v = answers_verdict (of->answers, &n, &all);
  if (!v || !v->known)
    return;
  g_autofree char *share = summary_scaled (to, "1", v->share);
  g_autofree char *text = words_path (of->answers, v, n, all);
  summary_add (to, "critical path", share, text);
}

/* -- Devices -------------------------------------------------------------------------------------------------- */

static void
add_busy (Table *to, const SummaryOf *of)
{
  Range busy = summary_range (of->devices, "busy_ns", "span_ns");
  Range span = summary_range (of->devices, "span_ns", NULL);
  g_autofree char *answer = summary_range_text (to, &busy, "1"),
                  *times = summary_range_text (to, &span, "ps");
  g_autofree char *label = summary_text (of->devices, busy.at_least, "device");
  guint n = of->devices->rows->len;
  g_autofree char *who = n == 1 ? g_strdup (label) : g_strdup_printf ("%u devices", n);
  g_autofree char *least
      = answer && strstr (answer, " to ") ? g_strconcat ("; least: ", label, NULL) : g_strdup ("");
  g_autofree char *where
      = g_strdup_printf ("%s, of %s%s%s", who, times, least, answer ? "" : ": no work in the file");
  summary_add_range (to, "busy", answer, where);
}

/* Adds the losses of the device that misses most. */
static void
add_lost (Table *to, const SummaryOf *of)
{
  Range share = summary_range (of->devices, "lost_ns", "span_ns");
  g_autofree char *most = summary_scaled (to, "1", share.most);
  g_autofree char *label = summary_text (of->devices, share.at_most, "device");
  g_autofree char *where
      = g_strdup_printf ("of the span of %s: rows were lost there, so that it may be busy or idle",
                         label);
  if (share.n > 0 && share.most > 0)
    summary_add (to, "not recorded", most, where);
}

/* Adds the exposed communication of the devices where it shows most. */
static void
add_exposed (Table *to, const SummaryOf *of)
{
  Range share = summary_range (of->devices, "exposed_ns", "span_ns");
  Range time = summary_range (of->devices, "exposed_ns", NULL);
  if (!time.n) /* line `busy` says why */
    return;
  g_autofree char *answer = summary_range_text (to, &share, "1"),
                  *most = summary_range_text (to, &time, "ps");
  g_autofree char *where
      = time.most > 0
            ? g_strconcat (most, " of communication and copies while nothing computes", NULL)
            : g_strdup ("no communication or copy while nothing computes");
  summary_add_range (to, "exposed", answer, where);
}

/* Adds the inferences of Furiosa's profiler. */
static void
add_inferences (Table *to, const SummaryOf *of)
{
  double n = summary_value (of->inferences, 0, "Inference counts");
  if (!(n > 0))
    return;
  g_autofree char *median
      = summary_scaled (to, "ns", summary_value (of->inferences, 0, "Median latency (ns)"));
  g_autofree char *p99
      = summary_scaled (to, "ns", summary_value (of->inferences, 0, "99.0 percentile latency (ns)"));
  g_autofree char *where
      = g_strdup_printf ("median; p99 %s; %.0f inference%s", p99, n, n == 1 ? "" : "s");
  summary_add (to, "inference", median, where);
}

/* -- Hosts alone ----------------------------------------------------------------------------------------------- */

/* Transfer full; names and times belong to the table. */
static GArray *
times_of (GHashTable *times)
{
  GArray *shares = g_array_new (FALSE, FALSE, sizeof (Share));
  GHashTableIter iter;
  gpointer name, time;
  g_hash_table_iter_init (&iter, times);
  while (g_hash_table_iter_next (&iter, &name, &time)) {
    const Share share = { name, *(double *) time };
    g_array_append_val (shares, share);
  }
  g_array_sort (shares, by_share);
  return shares;
}

static void
add_times (Table *to, const Answers *a, const char *question, GHashTable *of)
{
  g_autoptr (GArray) times = times_of (of);
  for (guint i = 0; i < times->len && i < 3; i++) {
    const Share *s = &g_array_index (times, Share, i);
    g_autofree char *time = summary_scaled (to, "ps", s->value);
    g_autofree char *cut = summary_name (a, s->name, ROOM_OF_TIMES);
    if (s->value > 0)
      summary_add (to, i ? "" : question, time, cut);
  }
}

/* Adds what cannot be true in the file, before anything is concluded from it. */
static void
add_doubts (Table *to, const SummaryOf *of)
{
  for (guint i = 0; i < of->answers->doubts->len; i++)
    summary_add (to, i ? "" : "check", "", g_ptr_array_index (of->answers->doubts, i));
}

static void
add_hosts (Table *to, const SummaryOf *of)
{
  const gboolean asked = of->answers->no_kernels; /* for work of devices, which is missing */
  const char *option
      = of->answers->torch && !asked ? recorder_option (of->answers, OPTION_DEVICES) : NULL;
  g_autofree char *why
      = g_strconcat ("the profile holds work of hosts alone", option ? "; " : NULL, option, NULL);
  add_doubts (to, of);
  if (of->answers->job) /* calls of collectives, which devices did */
    summary_add (to, "details", "",
                 answers_have (of->answers, "hang") ? "--only hang" : "--only late_ranks");
  else
    summary_add (to, "devices", asked ? NULL : "none",
                 asked ? "what they did was not recorded" : why);
  summary_add_host_steps (to, &of->answers->host_steps);
  add_requests (to, of);
  add_times (to, of->answers, "longest", of->answers->threads);
  add_times (to, of->answers, "blocking", of->answers->blocking);
}

/* -- The summary ------------------------------------------------------------------------------------------------- */

static void
add_devices (Table *to, const SummaryOf *of, const Verdict *v)
{
  const DeviceSteps *d = answers_worst (of->answers);
  gboolean missing = words_missing (v) != NULL;
  add_doubts (to, of);
  add_inferences (to, of);
  if (d)
    summary_add_steps (to, of, d, missing);
  add_straggler (to, &of->answers->straggler);
  add_phases (to, of);
  add_requests (to, of);
  if (d && !missing)
    summary_add_gains (to, of, d);
  summary_add_hidden (to, of, d);
  if (d && !missing)
    add_idle (to, of, d);
  add_operators (to, of, d);
  add_modules (to, of);
  add_path (to, of);
  if (!d) {
    add_busy (to, of);
    add_exposed (to, of);
  }
  add_lost (to, of);
  summary_add_use (to, of, d);
  summary_add_findings (to, of, d);
  summary_add (to, "what changed", "", "nprof diff OLD NEW");
}

static void
set_text (char **to, char *text)
{
  g_free (*to);
  *to = text;
}

/* Some formats have no timeline. */
static const char *
why_no_spans (const char *decoder)
{
  if (g_strcmp0 (decoder, "pprof") == 0)
    return "sampled stacks, without a timeline  --only sample_places";
  if (g_strcmp0 (decoder, "memory-timeline") == 0)
    return "memory over time alone  --only memory_categories";
  return "nothing that took time was read; nprof info says what is in the file";
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
    add_devices (to, of, v);
  } else if (answers_have (of->answers, "latency") || of->answers->job) {
    to->lead = g_strdup (of->answers->job);
    add_hosts (to, of);
  } else if (g_strcmp0 (of->answers->decoder, "neff") != 0
             && answers_announced (of->answers, "latency")) {
    summary_add (to, "spans", "none", why_no_spans (of->answers->decoder));
  }
  set_text (&to->note, summary_more (of));
  if (to->rows->len > 0)
    return to;
  table_free (to);
  return NULL;
}
