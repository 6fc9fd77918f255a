/* SPDX-License-Identifier: Apache-2.0 */
/* summary-findings.c - lines of the first screen that say who holds the memory, what was looked for and not
 * found, and what nobody can tell from this file. */

#include "summary-lines.h"

#include "recorder.h"
#include "summary-words.h"

#include <nprof/sdk.h>
#include <nprof/units.h>
#include <string.h>

/* -- Memory, findings ------------------------------------------------------------------------------------- */

#define NEARLY_FULL 0.95 /* of the capacity            */
#define LEAKS 0.01       /* of the peak, in each step  */

/* How full a memory is of which nobody knows the size, nobody knows. */
#define NO_CAPACITY "memory: how much the device has is not in the file"

/* Returns what is found of the memory, transfer full; NULL: nothing. */
static char *
memory_finding (Table *to, const Answers *a, const DeviceSteps *d)
{
  double peak = (double) MAX (a->memory_peak, 1), capacity = (double) a->memory_capacity;
  double leaked = d ? (double) MAX (a->memory_leaked, 0) / (double) answers_steps (d)->n : 0;
  if (capacity > 0 && peak >= NEARLY_FULL * capacity)
    return g_strdup_printf ("memory: %s of what the device has",
                            nprof_share (peak / capacity).text);
  if (leaked <= LEAKS * peak)
    return NULL;
  g_autofree char *bytes = summary_scaled (to, "byte", leaked);
  return g_strdup_printf ("memory: %s%s allocated and not freed", bytes, d->named ? " a step" : "");
}

#define HOLDERS 2         /* that the first screen names */
#define LEAST_HELD 0.005  /* of the peak                 */
#define LONGEST_HOLDER 24 /* columns                 */

/* Returns the largest holder of that memory that has fewer bytes than `after`, or as many and comes
 * behind it; NULL: none. */
static const Holder *
next_holder (const GArray *holders, MemoryOf memory, const Holder *after)
{
  const Holder *best = NULL;
  for (guint i = 0; i < holders->len; i++) {
    const Holder *h = &g_array_index (holders, Holder, i);
    gboolean later = !after || h->bytes < after->bytes || (h->bytes == after->bytes && h > after);
    if (is_memory_of (h->of, memory) && later && (!best || h->bytes > best->bytes))
      best = h;
  }
  return best;
}

/* Returns "; (before the recording) 48.2 %, aten::mm 9.1 %" of `all` bytes; transfer full. */
static char *
holders_text (const Answers *a, const GArray *holders, MemoryOf memory, gint64 all)
{
  GString *text = g_string_new (NULL);
  const Holder *h = NULL;
  for (guint i = 0; i < HOLDERS && (h = next_holder (holders, memory, h)); i++) {
    double share = (double) h->bytes / (double) MAX (all, 1);
    if (share < LEAST_HELD)
      break;
    g_autofree char *cut = summary_name (a, h->name, LONGEST_HOLDER);
    g_string_append_printf (text, "%s%s %s", i ? ", " : "; ", cut, nprof_share (share).text);
  }
  return g_string_free (text, FALSE);
}

static gint64
held_by (const GArray *held, MemoryOf core)
{
  gint64 sum = 0;
  for (guint i = 0; i < held->len; i++)
    if (is_memory_of (g_array_index (held, Holder, i).of, core))
      sum += g_array_index (held, Holder, i).bytes;
  return sum;
}

/* Adds what is held of the core that holds most; the file does not say when. */
static void
add_held (Table *to, const Answers *a)
{
  MemoryOf most = g_array_index (a->held, Holder, 0).of;
  for (guint i = 1; i < a->held->len; i++) {
    MemoryOf core = g_array_index (a->held, Holder, i).of;
    most = held_by (a->held, core) > held_by (a->held, most) ? core : most;
  }
  gint64 bytes = held_by (a->held, most);
  g_autofree char *answer = summary_scaled (to, "byte", (double) bytes);
  g_autofree char *uses = holders_text (a, a->held, most, bytes);
  g_autofree char *where = g_strconcat ("held", uses, "  --only memory", NULL);
  summary_add (to, "memory", answer, where);
}

static void
add_no_memory (Table *to, const Answers *a)
{
  const char *option = recorder_option (a, OPTION_MEMORY);
  gboolean torch = recorder_of (a) == RECORDER_TORCH;
  g_autofree char *why = option ? g_strconcat ("not in the file: ", option, NULL)
                                : g_strconcat ("no ", torch ? "allocations" : "rows of allocators",
                                               " in the file", NULL);
  if (answers_announced (a, "memory"))
    summary_add (to, "memory", NULL, why);
}

static void
add_memory (Table *to, const SummaryOf *of)
{
  const Answers *a = of->answers;
  if (a->memory_peak < 0 && a->held->len) {
    add_held (to, a);
    return;
  }
  if (a->memory_peak < 0 && answers_have (a, "memory")) {
    summary_add (to, "memory", NULL, "the file states no totals  --only memory");
    return;
  }
  if (a->memory_peak < 0) {
    add_no_memory (to, a);
    return;
  }
  g_autofree char *peak = summary_scaled (to, "byte", (double) a->memory_peak);
  g_autofree char *of_all
      = a->memory_capacity > 0 ? summary_scaled (to, "byte", (double) a->memory_capacity) : NULL;
  g_autofree char *holders = holders_text (a, a->holders, a->memory, a->memory_peak);
  g_autofree char *where
      = g_strdup_printf ("at most%s%s%s  --only memory", of_all ? " of " : "", of_all ? of_all : "",
                         *holders ? holders : "; who holds it is not in the file");
  summary_add (to, "memory", peak, where);
}

/* -- What was not found, and what nobody can tell ---------------------------------------------------------- */

/* A word is none of these where the rows that it needs are missing. */
typedef struct {
  GString *none, *unknown;
} Words;

static void
say (GString *to, const char *word)
{
  g_string_append_printf (to, "%s%s", to->len ? ", " : "", word);
}

/* Says that for most of the time that the device waited for the host nobody knows where that
 * was. */
static gboolean
host_is_silent (const Answers *a, const DeviceSteps *d)
{
  const StepSums *s = answers_steps (d);
  gint64 silent = 0;
  for (guint i = 0; i < s->places->len; i++) {
    const IdlePlace *p = &g_array_index (s->places, IdlePlace, i);
    silent += words_are_silent (a, p) ? p->sum : 0;
  }
  return 2 * silent > s->part[PART_HOST];
}

/* Returns the reason with the option that would mend it, if there is one; transfer full. */
static char *
with_option (const char *reason, const char *option)
{
  return option ? g_strconcat (reason, "; ", option, NULL) : g_strdup (reason);
}

#define NO_LAUNCHES "no launches in the file"
#define NO_SPANS "no span of the host says what it did"
#define MOST_UNLINKED "most of it has no launch in the file; record all of the host"

/* A device waits for its host only if the verdict says so. */
static gboolean
rests_on_host (const char *verdict)
{
  static const char *const words[] = { "host", "launch", "mixed" };
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strcmp (words[i], verdict) == 0)
      return TRUE;
  return FALSE;
}

/* Returns why nobody can judge what a device waits for; transfer full. */
static char *
why_unjudged (const Answers *a, const Verdict *v)
{
  const char *missing = words_missing (v);
  if (missing)
    return g_strdup (missing);
  return v->known || !v->evidence || g_str_has_prefix (v->evidence, "no launches")
             ? with_option (NO_LAUNCHES, recorder_option (a, OPTION_LAUNCHES))
             : g_strdup (MOST_UNLINKED);
}

/* Returns why a word is unknown, transfer full; NULL: none is. */
static char *
judge_host (const Answers *a, const DeviceSteps *d, Words *words)
{
  guint n, all;
  char *why = NULL;
  const Verdict *v = answers_verdict (a, &n, &all);
  const char *verdict = v ? nprof_text (a->host, v->verdict) : "";
  const char *others = strcmp (verdict, "input") == 0 ? "launch" : "input, launch";
  if (!v || !d)
    return NULL;
  if (words_lie_between (d)) {
    say (words->unknown, others);
    return g_strdup ("most of the time lies between steps, where nobody looks for it");
  }
  if (v->known && !a->launches && 2 * summary_part (d, PART_IDLE) < 1) {
    say (words->none, others); /* a device that works does not wait for its host */
    return NULL;
  }
  if (!v->known || !a->launches) {
    say (words->unknown, others);
    return why_unjudged (a, v);
  }
  if (rests_on_host (verdict) && host_is_silent (a, d)) {
    say (words->unknown, "input");
    why = with_option (NO_SPANS, recorder_option (a, OPTION_SPANS));
  } else if (strcmp (verdict, "input") != 0 && !words_wait_for_data (a, d)) {
    say (words->none, "input");
  }
  if (strcmp (verdict, "launch") != 0 && 2 * summary_part (d, PART_LAUNCH) < 1)
    say (words->none, "launch");
  return why;
}

/* Adds that a device waits for its input, where something else has more of a step. */
static void
add_input (Table *to, const Answers *a, const DeviceSteps *d)
{
  guint n, all;
  const Verdict *v = answers_verdict (a, &n, &all);
  if (!v || !d || strcmp (nprof_text (a->host, v->verdict), "input") == 0
      || !words_wait_for_data (a, d))
    return;
  double share = answers_mean (d, PART_HOST) / answers_mean (d, PART_WINDOW);
  g_autofree char *text
      = g_strdup_printf ("input: %s of %s waits for the host, mostly while data is loaded",
                         nprof_share (share).text, d->named ? "a step" : "the span");
  summary_add (to, "finding", "", text);
}

/* Adds what was looked for and not found, and what could not be looked at. */
static void
add_words (Table *to, const SummaryOf *of, const DeviceSteps *d)
{
  g_autoptr (GString) none = g_string_new (NULL), unknown = g_string_new (NULL);
  Words words = { none, unknown };
  g_autofree char *why = judge_host (of->answers, d, &words);
  if (d && of->answers->collectives->len == 0
      && summary_part (d, PART_COMMUNICATION) < SUMMARY_SHOWN)
    say (none, "communication");
  g_autofree char *found
      = of->answers->memory_peak >= 0 ? memory_finding (to, of->answers, d) : NULL;
  gboolean fine = of->answers->memory_peak >= 0 && !found;
  if (fine && of->answers->memory_capacity > 0)
    say (none, "memory");
  g_autofree char *cannot = g_strdup_printf ("%s: %s", unknown->str, why ? why : "");
  add_input (to, of->answers, d);
  if (found)
    summary_add (to, "finding", "", found);
  if (none->len)
    summary_add (to, "no finding", "", none->str);
  if (unknown->len)
    summary_add (to, "can't tell", "", cannot);
  if (fine && of->answers->memory_capacity <= 0)
    summary_add (to, unknown->len ? "" : "can't tell", "", NO_CAPACITY);
}

void
summary_add_findings (Table *to, const SummaryOf *of, const DeviceSteps *d)
{
  add_memory (to, of);
  add_words (to, of, d);
}

/* -- Where more is --------------------------------------------------------------------------------------------- */

#define MORE_ROOM 64 /* columns for names of tables, behind "More: --only" */

/* Tables without rows in this run are named where their analyzer is not part of every report. */
char *
summary_more (const SummaryOf *of)
{
  static const struct {
    const char *name, *table, *or_table;
  } tables[] = { { "idle", "idle_causes" },
                 { "ops", "operators" },
                 { "kernels", "kernels" },
                 { "modules", "operators" },
                 { "what_if", "launches", "critical" },
                 { "mfu", "mfu" },
                 { "collectives", "collectives" },
                 { "memory", "memory", "neuron_memory" },
                 { "bound", "bound" },
                 { "steps", "step_breakdown" } };
  g_autoptr (GString) names = g_string_new (of->answers->phases ? "phases" : NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    if ((answers_have (of->answers, tables[i].table)
         || (tables[i].or_table && answers_have (of->answers, tables[i].or_table)))
        && names->len + strlen (tables[i].name) < MORE_ROOM)
      g_string_append_printf (names, "%s%s", names->len ? "," : "", tables[i].name);
  return names->len ? g_strdup_printf ("More: --only %s", names->str) : g_strdup ("");
}
