/* SPDX-License-Identifier: Apache-2.0 */
/* launch-links.c - one pass over the spans of hosts: a stack of open spans for each thread, the
 * steps of each process, and who waits for which launch. */
#include "devicekit/launch-links.h"

#include "devicekit/bytes.h"

#include <nprof/keys.h>
#include <nprof/sdk.h>

/* What a category of a host's spans is here.  Ranges of NVTX and roctx say what work was for, as
 * operators do: Nsight attributes kernels to them, too.
 * source: Kineto's activity types (output_json.cpp); those of 2021 in capitals */
enum { OTHER = 1, OPERATOR, CALL, FRAME };
static const struct {
  const char *category;
  guint8 is;
} known[] = {
  { "cpu_op", OPERATOR },   { "Operator", OPERATOR }, { "cuda_runtime", CALL },
  { "Runtime", CALL },      { "cuda_driver", CALL },  { "hip_runtime", CALL },
  { "mtia_runtime", CALL }, { "xpu_runtime", CALL },  { "nvtx", OPERATOR },
  { "roctx", OPERATOR },
};

/* A span of a host that waits until all spans that begin with it are there: rows that begin at one
 * time come as decoded, but the longer one contains the shorter. */
typedef struct {
  gint64 start, end;
  nprof_track thread;
  nprof_str name;
  guint64 correlation; /* 0: launches nothing */
  uint32_t input;
  guint32 number; /* in the order of rows */
  guint8 is;      /* STEP comes first, MODULE next */
  bool hidden;
} Span;
enum { STEP = 0, MODULE = FRAME };

#define MODULE_NAME "nn.Module: " /* source: torch.profiler with with_stack=True */

typedef struct {
  gint64 end;
  nprof_str operator; /* innermost up to here; 0: none */
} Open;

typedef struct {
  nprof_track process;
  GArray *open;    /* of Open, the innermost last */
  GArray *modules; /* of Open: `operator` is the path of modules */
} Thread;

typedef struct {
  GArray *steps; /* of AnHostStep */
  guint first;   /* the first that has not ended */
} Process;

struct _AnLinks {
  const struct nprof_host *host;
  AnPlaces *places;
  AnLinked linked;
  gpointer user;
  nprof_str key_correlation;
  GByteArray *categories; /* by handle: 0 not looked at, else OTHER, OPERATOR, CALL, FRAME */
  GByteArray *modules;    /* by handle of a name: 0 not looked at, 1 no module, 2 a module; NULL:
                             nobody asked for them */
  GArray *group;          /* of Span: all that began last                           */
  GHashTable *threads;    /* track -> Thread                                        */
  GHashTable *processes;  /* track -> Process                                       */
  AnLaunchTable launches;
  bool followed;       /* work has come behind the last span of a host           */
  GHashTable *waiting; /* AnLaunchKey -> GArray of row numbers                           */
};

/* -- Life ------------------------------------------------------------------------------- */

static void
thread_free (gpointer data)
{
  g_array_unref (((Thread *) data)->open);
  g_array_unref (((Thread *) data)->modules);
  g_free (data);
}

static void
process_free (gpointer data)
{
  g_array_unref (((Process *) data)->steps);
  g_free (data);
}

AnLinks *
an_links_new (const struct nprof_host *host, AnPlaces *places, AnLinked linked, gpointer user)
{
  AnLinks *l = g_new0 (AnLinks, 1);
  l->host = host;
  l->places = places;
  l->linked = linked;
  l->user = user;
  l->key_correlation = nprof_intern (host, NPROF_KEY_CORRELATION_ID);
  l->categories = g_byte_array_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    *an_byte_of (l->categories, nprof_intern (host, known[i].category)) = known[i].is;
  l->group = g_array_new (FALSE, FALSE, sizeof (Span));
  l->threads = g_hash_table_new_full (NULL, NULL, NULL, thread_free);
  l->processes = g_hash_table_new_full (NULL, NULL, NULL, process_free);
  l->waiting = g_hash_table_new_full (an_launch_key_hash, an_launch_key_equal, g_free,
                                      (GDestroyNotify) g_array_unref);
  return l;
}

void
an_links_want_modules (AnLinks *l)
{
  l->modules = g_byte_array_new ();
  *an_byte_of (l->categories, nprof_intern (l->host, "python_function")) = FRAME;
}

void
an_links_free (AnLinks *l)
{
  if (!l)
    return;
  g_clear_pointer (&l->modules, g_byte_array_unref);
  g_byte_array_unref (l->categories);
  g_array_unref (l->group);
  g_hash_table_unref (l->threads);
  g_hash_table_unref (l->processes);
  an_launch_table_clear (&l->launches);
  g_hash_table_unref (l->waiting);
  g_free (l);
}

static Thread *
thread_of (AnLinks *l, nprof_track track)
{
  Thread *thread = g_hash_table_lookup (l->threads, GUINT_TO_POINTER (track));
  if (thread)
    return thread;
  thread = g_new0 (Thread, 1);
  nprof_track process = l->host->track_info (l->host, track)->process;
  thread->process = process ? process : track;
  thread->open = g_array_new (FALSE, FALSE, sizeof (Open));
  thread->modules = g_array_new (FALSE, FALSE, sizeof (Open));
  g_hash_table_insert (l->threads, GUINT_TO_POINTER (track), thread);
  return thread;
}

static Process *
process_of (AnLinks *l, nprof_track track)
{
  Process *process = g_hash_table_lookup (l->processes, GUINT_TO_POINTER (track));
  if (process)
    return process;
  process = g_new0 (Process, 1);
  process->steps = g_array_new (FALSE, FALSE, sizeof (AnHostStep));
  g_hash_table_insert (l->processes, GUINT_TO_POINTER (track), process);
  return process;
}

const GArray *
an_links_steps (const AnLinks *l, nprof_track track)
{
  const Process *process = g_hash_table_lookup (l->processes, GUINT_TO_POINTER (track));
  return process ? process->steps : NULL;
}

/* -- Launches --------------------------------------------------------------------------- */

/* Launches of before the last work are not forgotten while work that begins before them may
 * still come; behind work that was followed by a host's row, none does. */
static void
forget_old (AnLinks *l)
{
  l->followed = false;
  an_launch_table_age (&l->launches);
}

/* When several calls have one id, the first counts. */
static void
add_launch (AnLinks *l, const Span *span, const AnLaunchSite *launch)
{
  const AnLaunchKey key = { span->correlation, span->input };
  if (an_launch_table_find (&l->launches, &key))
    return;
  an_launch_table_add (&l->launches, &key, launch);
  const GArray *rows
      = g_hash_table_size (l->waiting) ? g_hash_table_lookup (l->waiting, &key) : NULL;
  for (guint i = 0; rows && i < rows->len; i++)
    l->linked (l->user, g_array_index (rows, guint, i), launch);
  if (rows)
    g_hash_table_remove (l->waiting, &key);
}

static guint32
step_at (Process *process, gint64 at)
{
  const GArray *steps = process->steps;
  while (process->first < steps->len && g_array_index (steps, AnHostStep, process->first).end <= at)
    process->first++;
  for (guint i = process->first; i < steps->len; i++) {
    const AnHostStep *step = &g_array_index (steps, AnHostStep, i);
    if (step->start <= at && at < step->end)
      return i + 1;
  }
  return 0;
}

/* -- Spans of hosts ---------------------------------------------------------------------- */

static void
add_step (AnLinks *l, const Span *span)
{
  Process *process = process_of (l, thread_of (l, span->thread)->process);
  const AnHostStep step = { span->name, span->start, span->end, span->hidden };
  g_array_append_val (process->steps, step);
}

/* Pops what does not contain a span that ends then; what is innermost of the rest, 0: none. */
static nprof_str
innermost (GArray *open, gint64 end)
{
  while (open->len && g_array_index (open, Open, open->len - 1).end < end)
    g_array_set_size (open, open->len - 1);
  return open->len ? g_array_index (open, Open, open->len - 1).operator: 0;
}

static void
add_module (AnLinks *l, const Span *span)
{
  GArray *modules = thread_of (l, span->thread)->modules;
  nprof_str outer = innermost (modules, span->end);
  Open top = { span->end, span->name };
  if (outer) {
    g_autofree char *path
        = g_strconcat (nprof_text (l->host, outer), "/", nprof_text (l->host, span->name), NULL);
    top.operator= nprof_intern (l->host, path);
  }
  g_array_append_val (modules, top);
}

static void
add_span (AnLinks *l, const Span *span)
{
  Thread *thread = thread_of (l, span->thread);
  GArray *open = thread->open;
  nprof_str outer = innermost (open, span->end);
  const Open top = { span->end, span->is == OPERATOR ? span->name : outer };
  g_array_append_val (open, top);
  if (span->is != CALL || !span->correlation)
    return;
  const AnLaunchSite launch = { .start = span->start,
                                .thread = span->thread,
                                .process = thread->process,
                                .operator= outer,
                                .module = innermost (thread->modules, span->end),
                                .step = step_at (process_of (l, thread->process), span->start) };
  add_launch (l, span, &launch);
}

static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const Span *x = a, *y = b;
  if ((x->is == STEP) != (y->is == STEP))
    return x->is == STEP ? -1 : 1;
  if ((x->is == MODULE) != (y->is == MODULE))
    return x->is == MODULE ? -1 : 1;
  if (x->end != y->end)
    return x->end > y->end ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

static void
take_group (AnLinks *l)
{
  if (l->group->len > 1)
    g_array_sort (l->group, compare_spans);
  for (guint i = 0; i < l->group->len; i++) {
    const Span *span = &g_array_index (l->group, Span, i);
    if (span->is == STEP)
      add_step (l, span);
    else if (span->is == MODULE)
      add_module (l, span);
    else
      add_span (l, span);
  }
  g_array_set_size (l->group, 0);
}

guint64
an_links_correlation (const AnLinks *l, const struct nprof_batch *batch, uint32_t i)
{
  if (!batch->attr_at)
    return 0;
  for (uint32_t j = batch->attr_at[i]; j < batch->attr_at[i + 1]; j++)
    if (batch->attr_key[j] == l->key_correlation && batch->attr_type[j] == NPROF_UINT64)
      return batch->attr_value[j].u;
  return 0;
}

static guint8
category_is (const AnLinks *l, nprof_str category)
{
  guint8 is = category < l->categories->len ? l->categories->data[category] : 0;
  return is ? is : OTHER;
}

static bool
is_module (const AnLinks *l, nprof_str name)
{
  guint8 *seen = an_byte_of (l->modules, name);
  if (!*seen)
    *seen = g_str_has_prefix (nprof_text (l->host, name), MODULE_NAME) ? 2 : 1;
  return *seen == 2;
}

/* A span with a correlation id that is no operator is a call, whatever its category. */
static guint8
kind_of (const AnLinks *l, const struct nprof_batch *batch, uint32_t i, guint64 *correlation)
{
  guint8 is = category_is (l, batch->category[i]);
  if (is == FRAME)
    return is_module (l, batch->name[i]) ? MODULE : OTHER;
  *correlation = is == OPERATOR ? 0 : an_links_correlation (l, batch, i);
  return *correlation ? CALL : is;
}

void
an_links_host (AnLinks *l, const AnPlace *place, const struct nprof_batch *batch, uint32_t i)
{
  guint64 correlation = 0;
  guint8 is = STEP;
  if (!an_is_step (l->places, batch->name[i]))
    is = kind_of (l, batch, i, &correlation);
  if (is == OTHER || batch->duration[i] < 0)
    return;
  if (l->followed)
    forget_old (l);
  const Span span = { .start = batch->start[i],
                      .end = batch->start[i] + batch->duration[i],
                      .thread = batch->track[i],
                      .name = batch->name[i],
                      .correlation = correlation,
                      .input = place->input,
                      .number = l->group->len,
                      .is = is,
                      .hidden = nprof_hidden (batch, i) };
  if (l->group->len && g_array_index (l->group, Span, 0).start != span.start)
    take_group (l);
  g_array_append_val (l->group, span);
}

/* -- Rows of devices ----------------------------------------------------------------------- */

gboolean
an_links_find (AnLinks *l, uint32_t input, guint64 correlation, gint64 start, AnLaunchSite *launch)
{
  l->followed = true;
  if (l->group->len && g_array_index (l->group, Span, 0).start <= start)
    take_group (l);
  const AnLaunchKey key = { correlation, input };
  const AnLaunchSite *found = correlation ? an_launch_table_find (&l->launches, &key) : NULL;
  if (found)
    *launch = *found;
  return found != NULL;
}

void
an_links_wait (AnLinks *l, uint32_t input, guint64 correlation, guint row)
{
  const AnLaunchKey key = { correlation, input };
  GArray *rows = g_hash_table_lookup (l->waiting, &key);
  if (!rows) {
    rows = g_array_new (FALSE, FALSE, sizeof (guint));
    g_hash_table_insert (l->waiting, g_memdup2 (&key, sizeof key), rows);
  }
  g_array_append_val (rows, row);
}

void
an_links_end (AnLinks *l)
{
  take_group (l);
}

/* -- Choosing ------------------------------------------------------------------------------ */

static bool
has_correlations (const AnLinks *l, const struct nprof_batch *batch)
{
  for (uint32_t j = 0; batch->attr_at && j < batch->n_attrs; j++)
    if (batch->attr_key[j] == l->key_correlation)
      return true;
  return false;
}

void
an_links_choose (AnLinks *l, const struct nprof_batch *batch, uint8_t *rows)
{
  bool correlations = has_correlations (l, batch);
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] != NPROF_SPAN)
      continue;
    guint8 is = category_is (l, batch->category[i]);
    if ((is == FRAME ? is_module (l, batch->name[i]) : is != OTHER)
        || an_is_step (l->places, batch->name[i])
        || (correlations && an_links_correlation (l, batch, i)))
      rows[i >> 3] = (uint8_t) (rows[i >> 3] | 1u << (i & 7));
  }
}
