/* SPDX-License-Identifier: Apache-2.0 */
/* summary-words.c - writes the sentences of the first screen: what bounds a step, and what lessens
 * it. */

#include "summary-words.h"

#include "printable.h"
#include "recorder.h"

#include <nprof/sdk.h>
#include <nprof/units.h>
#include <string.h>

const char *
words_part (Part part)
{
  static const char *const words[PARTS]
      = { "whole",  "idle", "compute", "comm", "copies", "before the launch",
          "launch", "wait", "unlinked" };
  return words[part];
}

static const struct {
  const char *cause, *words;
} causes[] = {
  { "host", "no program" },
  { "launch", "after the launch" },
  { "wait", "wait for other work" },
  { "dma", "wait for a copy" },
  { "collective", "wait for a collective" },
  { "unlinked", "launch not in the file" },
};

static const char nothing_launched[] = "nothing launched";

const char *
words_cause (const Answers *a, const char *cause)
{
  if (a->launches && strcmp (cause, "host") == 0)
    return nothing_launched;
  for (gsize i = 0; i < G_N_ELEMENTS (causes); i++)
    if (strcmp (causes[i].cause, cause) == 0)
      return causes[i].words;
  return cause;
}

gboolean
words_are_cause (const char *words)
{
  for (gsize i = 0; i < G_N_ELEMENTS (causes); i++)
    if (strcmp (causes[i].words, words) == 0)
      return TRUE;
  return strcmp (words, nothing_launched) == 0;
}

/* -- Kinds of devices ----------------------------------------------------------------------------------- */

static const char *
device_noun (const Answers *a, const DeviceSteps *d)
{
  const char *label = d ? nprof_text (a->host, d->device) : "";
  if (strstr (label, "TPU"))
    return "TPU";
  if (strstr (label, "GPU"))
    return "GPU";
  return strstr (label, "Neuron") || g_str_has_prefix (label, "nc") ? "NeuronCore" : "device";
}

static const char *
verdict_of (const Answers *a)
{
  guint n, of;
  const Verdict *v = answers_verdict (a, &n, &of);
  return v ? nprof_text (a->host, v->verdict) : "";
}

/* Tells whether the call allocates memory, or sets up the device or its code: a program that runs on
 * does neither. */
static gboolean
sets_up (const char *name)
{
  static const char *const calls[]
      = { "Malloc",      "Free",      "HostAlloc",    "HostRegister", "MemAlloc",
          "MemFree",     "MemCreate", "StreamCreate", "EventCreate",  "ModuleLoad",
          "LibraryLoad", "CtxCreate", "Init" };
  gboolean runtime = g_str_has_prefix (name, "cuda") || g_str_has_prefix (name, "hip");
  const char *rest = name + (name[0] == 'h' ? 3 : runtime ? 4 : 2);
  for (gsize i = 0; (runtime || g_str_has_prefix (name, "cu")) && i < G_N_ELEMENTS (calls); i++)
    if (g_str_has_prefix (rest, calls[i]))
      return TRUE;
  return FALSE;
}

/* Tells whether at least half of the idle time lies in such calls. */
static gboolean
is_set_up (const Answers *a, const DeviceSteps *d)
{
  const StepSums *s = answers_steps (d);
  gint64 sum = 0;
  for (guint i = 0; i < s->places->len; i++) {
    const IdlePlace *p = &g_array_index (s->places, IdlePlace, i);
    sum += p->where && sets_up (nprof_text (a->host, p->where)) ? p->sum : 0;
  }
  return sum > 0 && 2 * sum >= s->part[PART_IDLE];
}

#define WORTH_A_WORD                                                                               \
  0.05 /* of a step; XProf calls it moderately bound by the input from there on */

gboolean
words_wait_for_data (const Answers *a, const DeviceSteps *d)
{
  guint n, of;
  const Verdict *v = answers_verdict (a, &n, &of);
  return v && v->evidence && strstr (v->evidence, "loads data")
         && answers_mean (d, PART_HOST) >= WORTH_A_WORD * answers_mean (d, PART_WINDOW);
}

#define LONG_GAP 1000000000 /* ps: no framework takes so long between two operators */

gboolean
words_are_silent (const Answers *a, const IdlePlace *p)
{
  const char *where = p->where ? nprof_text (a->host, p->where) : "";
  return strcmp (nprof_text (a->host, p->cause), "host") == 0
         && (!*where || strcmp (where, "(no span)") == 0);
}

/* Tells whether most of the idle time lies in long gaps of which nobody knows what the host did: no advice
 * is better than one that helps where launches are many. */
static gboolean
is_untold (const Answers *a, const DeviceSteps *d)
{
  const StepSums *s = answers_steps (d);
  gint64 sum = 0, gaps = 0;
  for (guint i = 0; i < s->places->len; i++) {
    const IdlePlace *p = &g_array_index (s->places, IdlePlace, i);
    gboolean silent = p->where && words_are_silent (a, p); /* behind all work nothing is launched */
    sum += silent ? p->sum : 0;
    gaps += silent ? p->gaps : 0;
  }
  return a->launches && 2 * sum > s->part[PART_IDLE] && sum >= LONG_GAP * gaps;
}

const char *
words_remedy (const Answers *a, const DeviceSteps *d)
{
  gboolean gpu = strcmp (device_noun (a, d), "GPU") == 0;
  const char *verdict = verdict_of (a);
  gboolean input = strcmp (verdict, "input") == 0;
  gboolean by_host = strcmp (verdict, "host") == 0 || strcmp (verdict, "launch") == 0;
  double host = answers_mean (d, PART_HOST) + answers_mean (d, PART_LAUNCH);
  if (input && !a->launches)
    return "";
  if (input
      || (words_wait_for_data (a, d)
          && 2 * answers_mean (d, PART_HOST) >= answers_mean (d, PART_IDLE)))
    return recorder_of (a) == RECORDER_TORCH ? "more DataLoader workers, prefetch"
                                             : "a faster input pipeline, prefetch";
  if (answers_mean (d, PART_UNLINKED) > answers_mean (d, PART_IDLE) / 2)
    return "";
  if (is_untold (a, d))
    return "";
  if (is_set_up (a, d))
    return "warm up first, allocate once";
  if (host < answers_mean (d, PART_WAIT) && !(by_host && a->launches))
    return a->launches ? "fewer waits between queues and kernels" : "transfers beside computing";
  return gpu ? recorder_idle_remedy (a) : "larger batch, fewer programs";
}

const char *
words_copy_remedy (const Answers *a, const DeviceSteps *d)
{
  if (strcmp (verdict_of (a), "input") == 0)
    return "a faster input pipeline, prefetch";
  return strcmp (device_noun (a, d), "GPU") == 0 ? recorder_copy_remedy (a)
                                                 : "prefetch, fewer copies between memories";
}

/* -- The headline ------------------------------------------------------------------------------------------ */

static void
add_steps (GString *text, const DeviceSteps *d)
{
  const StepSums *s = answers_steps (d);
  if (!d->named) {
    g_string_append (text, ", no steps in the file");
    return;
  }
  g_string_append_printf (text, ", %" G_GINT64_FORMAT " step%s", s->n, s->n == 1 ? "" : "s");
  if (d->cut.n)
    g_string_append_printf (text,
                            d->whole.n ? " and %" G_GINT64_FORMAT " cut" : ", cut by the profile",
                            d->cut.n);
}

/* Where no device has steps all of an input have the same window, and the first of them is the one
 * that idles least. */
static const char *
rank_word (const Answers *a, const DeviceSteps *d)
{
  for (guint i = 0; i < a->devices->len && !d->named; i++) {
    const DeviceSteps *other = g_ptr_array_index (a->devices, i);
    if (other != d && other->input == d->input)
      return "busiest";
  }
  return "slowest";
}

/* Writes the title, which names the device whose steps take longest; n_devices counts the rows of
 * table devices, those of all inputs. */
char *
words_headline (const Answers *a, guint n_devices)
{
  const DeviceSteps *d = answers_worst (a);
  GString *text = g_string_new ("Summary");
  if (!d)
    return g_string_free (text, FALSE);
  const char *label = nprof_text (a->host, d->device);
  g_autofree char *safe = printable_new (label, strlen (label));
  g_string_append_printf (text, " of %s", safe);
  if (n_devices > 1)
    g_string_append_printf (text, ", %s of %u", rank_word (a, d), n_devices);
  const InputRank *rank = answers_rank (a, d->input);
  if (rank)
    g_string_append_printf (text, ", rank %s", rank->rank);
  if (rank && rank->world)
    g_string_append_printf (text, " of %s", rank->world);
  const char *type = answers_device_type (a);
  if (type)
    g_string_append_printf (text, ", %s", type);
  add_steps (text, d);
  return g_string_free (text, FALSE);
}

/* -- The verdict --------------------------------------------------------------------------------------------- */

static struct nprof_figure_text
share_of (double part, double whole)
{
  return nprof_share (whole > 0 ? part / whole : 0);
}

static void
add_idle (GString *text, const Answers *a, const DeviceSteps *d, const char *what)
{
  double idle = answers_mean (d, PART_IDLE), window = answers_mean (d, PART_WINDOW);
  g_string_append_printf (text, ": the %s idles %s of %s", device_noun (a, d),
                          share_of (idle, window).text, what);
}

/* Adds what most of the idle time is; devices without launches are told by their programs. */
static void
add_before_launch (GString *text, const Answers *a, const DeviceSteps *d, double idle)
{
  double before = answers_mean (d, PART_HOST), after = answers_mean (d, PART_LAUNCH);
  if (a->launches)
    g_string_append_printf (text, "; %s of that is %s the launch",
                            share_of (MAX (before, after), idle).text,
                            before >= after ? "before" : "after");
  else
    g_string_append_printf (text, "; %s of that between programs", share_of (before, idle).text);
}

/* Adds why the host or its launches bound a step: they keep the device waiting.  Where that takes
 * less than the path gives them, the device has other work beside, and the path itself is the reason. */
static void
add_host (GString *text, const Answers *a, const Verdict *v, const DeviceSteps *d, const char *what)
{
  double window = answers_mean (d, PART_WINDOW), idle = answers_mean (d, PART_IDLE);
  double waits = answers_mean (d, PART_HOST) + answers_mean (d, PART_LAUNCH);
  if (2 * waits >= v->share * window) {
    add_idle (text, a, d, what);
    add_before_launch (text, a, d, idle);
    return;
  }
  g_string_append_printf (text, ": %s of the critical path; the %s idles %s of %s",
                          nprof_share (v->share).text, device_noun (a, d), share_of (idle, window).text,
                          what);
}

/* Adds what the device does while work waits that was launched. */
static void
add_meanwhile (GString *text, const Answers *a, const DeviceSteps *d, const char *what, double wait)
{
  double communicates = answers_mean (d, PART_COMMUNICATION), copies = answers_mean (d, PART_COPY);
  double window = answers_mean (d, PART_WINDOW);
  if (wait >= communicates && wait >= copies)
    g_string_append_printf (text, ": launched work waits: the %s idles so %s of %s",
                            device_noun (a, d), share_of (wait, window).text, what);
  else
    g_string_append_printf (text, ": launched work waits: %s of %s only %s",
                            share_of (MAX (communicates, copies), window).text, what,
                            communicates >= copies ? "communicates" : "copies");
}

/* Adds the wait of devices without launches, between the instructions of a program. */
static void
add_queue (GString *text, const Answers *a, const DeviceSteps *d, const char *what)
{
  double wait = answers_mean (d, PART_WAIT), window = answers_mean (d, PART_WINDOW);
  if (a->launches)
    add_meanwhile (text, a, d, what, wait);
  else
    g_string_append_printf (text, ": the %s waits %s of %s for data or for its own parts",
                            device_noun (a, d), share_of (wait, window).text, what);
}

/* Adds how input bounds: data is loaded on the host, or infeed brings it to a TPU. */
static void
add_input (GString *text, const Answers *a, const DeviceSteps *d, const char *what)
{
  if (a->launches) {
    add_idle (text, a, d, what);
    g_string_append (text, ", mostly while data is loaded");
    return;
  }
  double window = answers_mean (d, PART_WINDOW);
  g_string_append_printf (text, ": %s of %s copies while nothing computes, mostly infeed",
                          share_of (answers_mean (d, PART_COPY), window).text, what);
}

static void
add_reason (GString *text, const Answers *a, const Verdict *v, const DeviceSteps *d,
            const char *what)
{
  const char *verdict = nprof_text (a->host, v->verdict);
  double window = answers_mean (d, PART_WINDOW);
  if (strcmp (verdict, "host") == 0 || strcmp (verdict, "launch") == 0) {
    add_host (text, a, v, d, what);
  } else if (strcmp (verdict, "input") == 0) {
    add_input (text, a, d, what);
  } else if (strcmp (verdict, "compute") == 0) {
    g_string_append_printf (text, ": %s of %s computes",
                            share_of (answers_mean (d, PART_COMPUTE), window).text, what);
  } else if (strcmp (verdict, "memory-bandwidth") == 0) {
    g_string_append_printf (text, ": %s of %s computes, mostly at the limit of the memory",
                            share_of (answers_mean (d, PART_COMPUTE), window).text, what);
  } else if (strcmp (verdict, "communication") == 0) {
    g_string_append_printf (text, ": %s of %s communicates while nothing computes",
                            share_of (answers_mean (d, PART_COMMUNICATION), window).text, what);
  } else if (strcmp (verdict, "copy") == 0) {
    g_string_append_printf (text, ": %s of %s copies while nothing computes",
                            share_of (answers_mean (d, PART_COPY), window).text, what);
  } else if (strcmp (verdict, "queue") == 0) {
    add_queue (text, a, d, what);
  }
}

const char *
words_missing (const Verdict *v)
{
  static const struct {
    const char *evidence, *words;
  } known[] = {
    { "no instructions", "no instructions in the file; capture all engines" },
    { "no packets", "no packets of DMA in the file; capture DMA too" },
    { "nobody knows which", "nobody knows which instructions are work" },
    { "nobody knows how the clocks", "nobody knows how the clocks of its engines lie apart" },
  };
  for (gsize i = 0; v && v->evidence && i < G_N_ELEMENTS (known); i++)
    if (g_str_has_prefix (v->evidence, known[i].evidence))
      return known[i].words;
  return NULL;
}

static char *
unknown_text (const Answers *a, const Verdict *v)
{
  const char *evidence = v->evidence ? v->evidence : "";
  if (g_str_has_prefix (evidence, "most work"))
    return g_strdup (
        "BOUND BY: unknown: most work has no launch in the file; record all of the host");
  const char *missing = words_missing (v);
  if (missing)
    return g_strdup_printf ("BOUND BY: unknown: %s", missing);
  if (!g_str_has_prefix (evidence, "no launches"))
    return g_strdup ("BOUND BY: unknown: of too much time nobody knows what was waited for");
  return g_strconcat ("BOUND BY: unknown: no launches in the file; ",
                      recorder_option (a, OPTION_LAUNCHES), NULL);
}

static double
share_between (const DeviceSteps *d)
{
  gint64 all, between = answers_between (d, &all);
  return d->named && all > 0 ? (double) between / (double) all : 0;
}

gboolean
words_lie_between (const DeviceSteps *d)
{
  return share_between (d) >= 0.5;
}

static void
add_mixture (GString *text, const Answers *a, const Verdict *v)
{
  g_string_append_printf (text, ": no part of the critical path has half; the largest %s",
                          nprof_share (v->share).text);
  if (v->second)
    g_string_append_printf (text, ", %s %s", nprof_text (a->host, v->second),
                            nprof_share (v->second_share).text);
}

char *
words_verdict (const Answers *a, const Verdict *v)
{
  const DeviceSteps *d = answers_worst (a);
  if (!v || !d)
    return NULL;
  const char *verdict = nprof_text (a->host, v->verdict);
  if (!v->known)
    return unknown_text (a, v);
  g_autofree char *upper = g_ascii_strup (verdict, -1);
  GString *text = g_string_new (upper);
  if (strcmp (verdict, "mixed") == 0) {
    add_mixture (text, a, v);
    return g_string_free (text, FALSE);
  }
  g_string_append (text, "-BOUND");
  add_reason (text, a, v, d, d->named ? "a step" : "the span");
  if (words_lie_between (d))
    g_string_append_printf (text, "; %s of the time lies between steps",
                            nprof_share (share_between (d)).text);
  return g_string_free (text, FALSE);
}

/* Launches bound a step as well where the path says host: the evidence begins with what has most of it. */
static const char *
path_noun (const Answers *a, const Verdict *v)
{
  const char *verdict = nprof_text (a->host, v->verdict);
  if (strcmp (verdict, "launch") == 0)
    return v->evidence && g_str_has_prefix (v->evidence, "host ") ? "host" : verdict;
  if (strcmp (verdict, "input") == 0)
    return a->launches ? "host" : "copy";
  return strcmp (verdict, "memory-bandwidth") == 0 ? "compute" : verdict;
}

char *
words_path (const Answers *a, const Verdict *v, guint n, guint of)
{
  const char *verdict = path_noun (a, v);
  GString *text = g_string_new (strcmp (verdict, "mixed") == 0 ? "the largest part" : verdict);
  if (v->second && v->second_share >= .005)
    g_string_append_printf (text, ", %s %s", nprof_text (a->host, v->second),
                            nprof_share (v->second_share).text);
  if (of > 1)
    g_string_append_printf (text, "; in %u of %u steps", n, of);
  g_string_append (text, "  --only bound");
  return g_string_free (text, FALSE);
}
