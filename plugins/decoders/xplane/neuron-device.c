/* SPDX-License-Identifier: Apache-2.0 */
/* neuron-device.c - tells what a timeline of torch-neuronx says of its device.  Processes tell
 * execution, control and data transfer apart; their threads show the same time once by operators of
 * HLO, once by those of the framework, and once by modules, so that rows of one of these levels are
 * the work. source: seed guides, operator timeline (processes, "HLO Ops", "Framework Ops") */
#include "neuron.h"

/* The last level that a process has is its work; the overview sums up the other processes, but for
 * the setup of the runtime, which it alone has. */
typedef enum { OVERVIEW, BY_MODULE, BY_FRAMEWORK, BY_HLO } Level;

typedef struct {
  nprof_str pid, label;
  nprof_str category; /* of its work                          */
  bool known;         /* its name tells what its rows are     */
  guint levels;       /* bit a level: some thread has spans of it */
  nprof_track track;
} Process;

typedef struct {
  guint64 key;
  Process *process;
  nprof_str tid, label;
  Level level;
  bool spans;
  NeuronPlace place;
} Thread;

typedef struct {
  int64_t start, end;
  Thread *thread;
  nprof_str name, framework;
} Span;

struct _NeuronDevice {
  const struct nprof_host *host;
  nprof_track track;
  bool device, settled;
  GHashTable *processes, *threads; /* pid -> Process; key -> Thread */
  GArray *spans;                   /* of Span                       */
};

NeuronDevice *
neuron_device_new (const struct nprof_host *host, nprof_track track, bool device)
{
  NeuronDevice *d = g_new0 (NeuronDevice, 1);
  *d = (NeuronDevice){ .host = host, .track = track, .device = device };
  d->processes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  d->threads = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  d->spans = g_array_new (FALSE, FALSE, sizeof (Span));
  return d;
}

void
neuron_device_free (NeuronDevice *d)
{
  if (!d)
    return;
  g_hash_table_unref (d->processes);
  g_hash_table_unref (d->threads);
  g_array_unref (d->spans);
  g_free (d);
}

static Process *
process_of (NeuronDevice *d, nprof_str pid)
{
  Process *process = g_hash_table_lookup (d->processes, GUINT_TO_POINTER (pid));
  if (process)
    return process;
  process = g_new0 (Process, 1);
  process->pid = pid;
  g_hash_table_insert (d->processes, GUINT_TO_POINTER (pid), process);
  return process;
}

static Thread *
thread_of (NeuronDevice *d, nprof_str pid, nprof_str tid)
{
  guint64 key = (guint64) pid << 32 | tid;
  Thread *thread = g_hash_table_lookup (d->threads, &key);
  if (thread)
    return thread;
  thread = g_new0 (Thread, 1);
  *thread = (Thread){ .key = key, .process = process_of (d, pid), .tid = tid };
  g_hash_table_insert (d->threads, &thread->key, thread);
  return thread;
}

void
neuron_device_label (NeuronDevice *d, nprof_str pid, nprof_str tid, nprof_str label)
{
  if (tid)
    thread_of (d, pid, tid)->label = label;
  else
    process_of (d, pid)->label = label;
}

void
neuron_device_span (NeuronDevice *d, const NeuronSpan *span)
{
  Thread *thread = thread_of (d, span->pid, span->tid);
  thread->spans = true;
  const Span own = { span->start, span->end, thread, span->name, 0 };
  g_array_append_val (d->spans, own);
}

/* -- What rows are ---------------------------------------------------------------------- */

static bool
mentions (const char *text, const char *word)
{
  g_autofree char *lower = g_ascii_strdown (text, -1);
  return strstr (lower, word) != NULL;
}

/* The categories are the words of the guides. */
static void
look_at_process (NeuronDevice *d, Process *process)
{
  static const char *const categories[] = { "data transfer", "control" };
  const char *label = nprof_text (d->host, process->label ? process->label : process->pid);
  const char *category = "compute";
  process->known = mentions (label, "overview") || mentions (label, "execution");
  for (gsize i = 0; i < G_N_ELEMENTS (categories); i++)
    if (mentions (label, categories[i])) {
      category = categories[i];
      process->known = true;
      break;
    }
  process->category = nprof_intern (d->host, category);
}

static Level
level_of (const NeuronDevice *d, const Thread *thread)
{
  const char *label = nprof_text (d->host, thread->label ? thread->label : thread->tid);
  const char *process = nprof_text (d->host, thread->process->label ? thread->process->label
                                                                    : thread->process->pid);
  if (mentions (process, "overview"))
    return OVERVIEW;
  if (g_ascii_strcasecmp (label, "HLO Ops") == 0)
    return BY_HLO;
  return g_ascii_strcasecmp (label, "Framework Ops") == 0 ? BY_FRAMEWORK : BY_MODULE;
}

/* Returns whether a thread is work; in a process whose name tells nothing, only threads whose names
 * do are. */
static bool
is_work (const Thread *thread)
{
  if (thread->level == OVERVIEW || thread->process->levels >> (thread->level + 1))
    return false;
  return thread->level != BY_MODULE || thread->process->known;
}

static void
look_at_thread (NeuronDevice *d, Thread *thread)
{
  const char *label = nprof_text (d->host, thread->label ? thread->label : thread->tid);
  if (thread->level == OVERVIEW && mentions (label, "setup"))
    thread->place.category = nprof_intern (d->host, "setup");
  if (!is_work (thread))
    return;
  thread->place.category = thread->process->category;
  thread->place.hlo = thread->level == BY_HLO;
  thread->place.framework = thread->level == BY_FRAMEWORK;
}

/* -- Which operator of the framework an operator of HLO belongs to ----------------------- */

static const Span *
span_at (const NeuronDevice *d, guint n)
{
  return &g_array_index (d->spans, Span, n);
}

/* Sorts process by process, by start, holders before what they hold. */
static int
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const NeuronDevice *d = user;
  guint i = *(const guint *) a, j = *(const guint *) b;
  const Span *x = span_at (d, i), *y = span_at (d, j);
  if (x->thread->process != y->thread->process)
    return x->thread->process->pid < y->thread->process->pid ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  bool p = x->thread->place.hlo, q = y->thread->place.hlo;
  if (p != q)
    return p ? 1 : -1;
  if (x->end != y->end)
    return x->end > y->end ? -1 : 1;
  return (i > j) - (i < j);
}

static GArray *
in_order (NeuronDevice *d)
{
  GArray *order = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < d->spans->len; i++) {
    const Span *span = span_at (d, i);
    if (span->thread->place.hlo || span->thread->level == BY_FRAMEWORK)
      g_array_append_val (order, i);
  }
  g_array_sort_with_data (order, compare, d);
  return order;
}

/* Returns the last operator that ends no earlier than span; NULL: none.  `open` holds operators of
 * the framework that began before, in that order and with falling ends: one that a later one
 * outlives is not needed, since the later one counts. */
static const Span *
holder (const NeuronDevice *d, const GArray *open, const Span *span)
{
  guint low = 0, high = open->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (span_at (d, g_array_index (open, guint, middle))->end >= span->end)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? span_at (d, g_array_index (open, guint, low - 1)) : NULL;
}

static void
push (const NeuronDevice *d, GArray *open, guint n)
{
  while (open->len
         && span_at (d, g_array_index (open, guint, open->len - 1))->end <= span_at (d, n)->end)
    g_array_set_size (open, open->len - 1);
  g_array_append_val (open, n);
}

static void
find_framework (NeuronDevice *d)
{
  g_autoptr (GArray) order = in_order (d), open = g_array_new (FALSE, FALSE, sizeof (guint));
  const Process *process = NULL;
  for (guint i = 0; i < order->len; i++) {
    guint n = g_array_index (order, guint, i);
    Span *span = &g_array_index (d->spans, Span, n);
    if (span->thread->process != process)
      g_array_set_size (open, 0);
    process = span->thread->process;
    if (!span->thread->place.hlo) {
      push (d, open, n);
      continue;
    }
    const Span *around = holder (d, open, span);
    span->framework = around ? around->name : 0;
  }
}

static void
settle_work (NeuronDevice *d)
{
  GHashTableIter at;
  gpointer value;
  d->settled = true;
  if (!d->device)
    return;
  g_hash_table_iter_init (&at, d->processes);
  while (g_hash_table_iter_next (&at, NULL, &value))
    look_at_process (d, value);
  g_hash_table_iter_init (&at, d->threads);
  while (g_hash_table_iter_next (&at, NULL, &value)) {
    Thread *thread = value;
    thread->level = level_of (d, thread);
    thread->process->levels |= thread->spans ? 1u << thread->level : 0;
  }
  g_hash_table_iter_init (&at, d->threads);
  while (g_hash_table_iter_next (&at, NULL, &value))
    look_at_thread (d, value);
  find_framework (d);
}

/* -- Tracks ------------------------------------------------------------------------------ */

static nprof_track
process_track (NeuronDevice *d, Process *process)
{
  if (!process->track && !process->pid && !d->device)
    process->track = d->track;
  if (!process->track)
    process->track = d->host->track (d->host, d->track, NPROF_TRACK_PROCESS,
                                     process->pid ? process->pid : nprof_intern (d->host, "-"),
                                     process->label, 0);
  return process->track;
}

/* Returns the thread's track; rows directly on the track of a device would be its work. */
static nprof_track
thread_track (NeuronDevice *d, Thread *thread)
{
  nprof_track process = process_track (d, thread->process);
  if (!process || (!thread->tid && !thread->place.category))
    return process;
  uint32_t kind = !thread->place.category   ? NPROF_TRACK_THREAD
                  : thread->level == OVERVIEW ? NPROF_TRACK_ASYNC /* beside the work, no operator */
                                              : NPROF_TRACK_ENGINE;
  return d->host->track (d->host, process, kind,
                         thread->tid ? thread->tid : nprof_intern (d->host, "-"), thread->label, 0);
}

const NeuronPlace *
neuron_device_place (NeuronDevice *d, nprof_str pid, nprof_str tid)
{
  if (!d->settled)
    settle_work (d);
  Thread *thread = thread_of (d, pid, tid);
  if (!thread->place.track)
    thread->place.track = thread_track (d, thread);
  return thread->place.track ? &thread->place : NULL;
}

nprof_str
neuron_device_framework (NeuronDevice *d, uint32_t n)
{
  const Span *span = n < d->spans->len ? span_at (d, n) : NULL;
  if (!span)
    return 0;
  return span->thread->place.framework ? span->name : span->framework;
}
