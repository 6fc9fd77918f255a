/* SPDX-License-Identifier: Apache-2.0 */
/* launch-links.c - makes one pass over the spans of hosts: a stack of open spans for each thread,
 * the steps of each process, and the rows that wait for a launch. */
#include "devicekit/launch-links.h"

#include "devicekit/bytes.h"
#include "devicekit/key-table.h"
#include "devicekit/row-launch.h"
#include "devicekit/waiting-rows.h"

#include "producers/host-kind.h"
#include "producers/pytorch.h"
#include "profile/product-names.h"

#include <nprof/keys.h>
#include <nprof/sdk.h>

/* What a category of a host's spans means here. */
enum { OTHER = 1, OPERATOR, CALL, FRAME };

/* Ranges say what work was for, as operators do: Nsight attributes kernels to them, too. */
static const char *const ranges[] = { "nvtx", "roctx", NULL };

/* A span waits until all that begin with it are there: rows that begin at one time come as decoded,
 * but the longer one contains the shorter. Steps come first, modules next. */
typedef AnHostSpan Span;
enum { STEP = 0, MODULE = FRAME };

typedef struct {
  gint64 end;
  guint32 node; /* path of operators up to here; 0: none */
  guint32 call; /* innermost up to here that the analyzer numbered */
  bool is_call; /* that is this one */
} Open;

typedef struct {
  gint64 end;
  nprof_str path;
} OpenModule;

typedef struct _Process Process;

typedef struct {
  nprof_track track; /* of the process */
  Process *process;
  GArray *open;    /* of Open, the innermost last */
  GArray *modules; /* of OpenModule */
} Thread;

struct _Process {
  GArray *steps; /* of AnHostStep */
  guint first;   /* the first that has not ended */
};

struct _AnLinks {
  const struct nprof_host *host;
  AnPlaces *places;
  AnLinkCalls calls;
  gpointer user;
  AnLaunchKeys launch_keys;
  nprof_str key_shape;    /* the latter 0: nobody asked for shapes */
  AnKeyTable nodes;       /* outer node, name                      */
  GByteArray *categories; /* by handle: 0 not looked at, else OTHER, OPERATOR, CALL, FRAME */
  GByteArray *modules;    /* by handle of a name: 0 not looked at, 1 no module, 2 a module; NULL:
                             nobody asked for them */
  Span first;             /* the first that began last; the others of that time are in `group` */
  bool has_first;
  GArray *group;         /* of Span                                                */
  GPtrArray *threads;    /* of Thread or NULL, by handle of the track              */
  GHashTable *processes; /* track -> Process                                       */
  AnLaunchTable launches;
  bool followed; /* work has come behind the last span of a host           */
  AnWaitingRows waiting;
};

/* -- Life ------------------------------------------------------------------------------- */

static void
thread_free (gpointer data)
{
  Thread *thread = data;
  if (!thread)
    return;
  g_array_unref (thread->open);
  g_array_unref (thread->modules);
  g_free (thread);
}

static void
process_free (gpointer data)
{
  g_array_unref (((Process *) data)->steps);
  g_free (data);
}

AnLinks *
an_links_new (const struct nprof_host *host, AnPlaces *places, const AnLinkCalls *calls,
              gpointer user)
{
  AnLinks *l = g_new0 (AnLinks, 1);
  l->host = host;
  l->places = places;
  l->calls = *calls;
  an_key_table_init (&l->nodes, 2);
  l->user = user;
  l->launch_keys = an_launch_keys (host);
  l->categories = g_byte_array_new ();
  l->group = g_array_new (FALSE, FALSE, sizeof (Span));
  l->threads = g_ptr_array_new_with_free_func (thread_free);
  l->processes = g_hash_table_new_full (NULL, NULL, NULL, process_free);
  return l;
}

void
an_links_want_modules (AnLinks *l)
{
  l->modules = g_byte_array_new ();
}

void
an_links_want_shapes (AnLinks *l)
{
  l->key_shape = nprof_intern (l->host, KEY_ARGUMENTS);
}

AnLinkNode
an_links_node (const AnLinks *l, guint32 node)
{
  const guint32 *tuple = an_key_table_key (&l->nodes, node - 1);
  return (AnLinkNode){ tuple[0], tuple[1] };
}

guint32
an_links_operator (AnLinks *l, nprof_str name)
{
  return an_key_table_get (&l->nodes, (const guint32[]){ 0, name }) + 1;
}

bool
an_links_followed (const AnLinks *l)
{
  return l->followed;
}

void
an_links_free (AnLinks *l)
{
  if (!l)
    return;
  an_key_table_clear (&l->nodes);
  g_clear_pointer (&l->modules, g_byte_array_unref);
  g_byte_array_unref (l->categories);
  g_array_unref (l->group);
  g_ptr_array_unref (l->threads);
  g_hash_table_unref (l->processes);
  an_launch_table_clear (&l->launches);
  an_waiting_rows_clear (&l->waiting);
  g_free (l);
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

static Thread *
thread_of (AnLinks *l, nprof_track track)
{
  if (track >= l->threads->len)
    g_ptr_array_set_size (l->threads, (int) MAX (track + 1, l->threads->len * 2));
  Thread *thread = g_ptr_array_index (l->threads, track);
  if (thread)
    return thread;
  l->threads->pdata[track] = thread = g_new0 (Thread, 1);
  nprof_track process = l->host->track_info (l->host, track)->process;
  thread->track = process ? process : track;
  thread->process = process_of (l, thread->track);
  thread->open = g_array_new (FALSE, FALSE, sizeof (Open));
  thread->modules = g_array_new (FALSE, FALSE, sizeof (OpenModule));
  return thread;
}

const GArray *
an_links_steps (const AnLinks *l, nprof_track track)
{
  const Process *process = g_hash_table_lookup (l->processes, GUINT_TO_POINTER (track));
  return process ? process->steps : NULL;
}

/* -- Launches --------------------------------------------------------------------------- */

/* Forgets old launches.  Those from before the last work are kept while work that begins before
 * them may still come; behind work that was followed by a host's row, none does. */
static void
forget_old (AnLinks *l)
{
  l->followed = false;
  an_launch_table_follow (&l->launches);
}

typedef struct {
  AnLinks *links;
  const AnLaunchSite *launch;
} Come;

static void
tell_launch (gpointer user, guint row)
{
  const Come *come = user;
  come->links->calls.linked (come->links->user, row, come->launch);
}

/* Rows that wait are those of the first call of their id: none had come that began before them. */
static void
add_launch (AnLinks *l, const Span *span, const AnLaunchSite *launch)
{
  const AnLaunchKey key = { span->correlation, span->input };
  if (an_launch_table_add (&l->launches, &key, launch))
    an_waiting_rows_take (&l->waiting, &key, tell_launch, &(Come){ l, launch });
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

guint32
an_links_step (AnLinks *l, const AnHostSpan *span, nprof_track *process)
{
  if (span->replay) {
    *process = span->replay->process;
    return span->replay->step;
  }
  const Thread *thread = thread_of (l, span->thread);
  *process = thread->track;
  return step_at (thread->process, span->start);
}

/* -- Spans of hosts ---------------------------------------------------------------------- */

static void
add_step (AnLinks *l, const Span *span)
{
  Process *process = thread_of (l, span->thread)->process;
  const AnHostStep step = { span->name, span->start, span->end, span->hidden };
  g_array_append_val (process->steps, step);
}

/* Pops modules that do not contain a span that ends then; returns the path of the rest, 0: none. */
static nprof_str
path_of_modules (GArray *open, gint64 end)
{
  while (open->len && g_array_index (open, OpenModule, open->len - 1).end < end)
    open->len--; /* g_array_set_size takes ten times as long */
  return open->len ? g_array_index (open, OpenModule, open->len - 1).path : 0;
}

static void
add_module (AnLinks *l, const Span *span)
{
  GArray *modules = thread_of (l, span->thread)->modules;
  nprof_str outer = path_of_modules (modules, span->end);
  OpenModule top = { span->end, span->name };
  if (outer) {
    g_autofree char *path
        = g_strconcat (nprof_text (l->host, outer), "/", nprof_text (l->host, span->name), NULL);
    top.path = nprof_intern (l->host, path);
  }
  g_array_append_val (modules, top);
}

static void
pop (AnLinks *l, GArray *open)
{
  const Open top = g_array_index (open, Open, open->len - 1);
  open->len--;
  if (top.is_call && l->calls.end)
    l->calls.end (l->user, top.call);
}

/* Pops spans that do not contain one that ends then; returns what is innermost of the rest. */
static Open
innermost (AnLinks *l, GArray *open, gint64 end)
{
  while (open->len && g_array_index (open, Open, open->len - 1).end < end)
    pop (l, open);
  return open->len ? g_array_index (open, Open, open->len - 1) : (Open){ 0 };
}

static void
begin_operator (AnLinks *l, const Span *span, Open *top)
{
  const guint32 node[] = { top->node, span->name };
  guint32 outer = top->call;
  top->node = an_key_table_get (&l->nodes, node) + 1;
  if (!l->calls.begin)
    return;
  top->call = l->calls.begin (l->user, span, outer);
  top->is_call = top->call != outer;
}

static void
add_span (AnLinks *l, const Span *span)
{
  Thread *thread = thread_of (l, span->thread);
  const Open outer = innermost (l, thread->open, span->end);
  Open top = { .end = span->end, .node = outer.node, .call = outer.call };
  if (span->is == OPERATOR)
    begin_operator (l, span, &top);
  g_array_append_val (thread->open, top);
  if (span->is != CALL || !span->correlation)
    return;
  const AnLaunchSite launch = { .start = span->start,
                                .thread = span->thread,
                                .process = thread->track,
                                .operator= outer.node ? an_links_node (l, outer.node).name : 0,
                                .module = path_of_modules (thread->modules, span->end),
                                .node = outer.node,
                                .call = outer.call,
                                .step = step_at (thread->process, span->start) };
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

/* Tells the span before its launch, so that an analyzer knows what lies around a launch. */
static inline void
take_span (AnLinks *l, const Span *span)
{
  if (l->calls.span && span->is != STEP)
    l->calls.span (l->user, span);
  if (span->is == STEP)
    add_step (l, span);
  else if (span->is == MODULE)
    add_module (l, span);
  else if (span->is != OTHER)
    add_span (l, span);
}

/* Takes the spans that begin together; most begin alone. */
static void
take_group (AnLinks *l)
{
  if (l->group->len) {
    g_array_prepend_val (l->group, l->first);
    g_array_sort (l->group, compare_spans);
    for (guint i = 0; i < l->group->len; i++)
      take_span (l, &g_array_index (l->group, Span, i));
    l->group->len = 0;
  } else if (l->has_first) {
    take_span (l, &l->first);
  }
  l->has_first = false;
}

guint64
an_links_correlation (const AnLinks *l, const struct nprof_batch *batch, uint32_t i)
{
  return an_row_launch (batch, i, l->launch_keys, 0).correlation;
}

static guint8
look_at_category (const AnLinks *l, const char *category)
{
  switch (an_host_kind (category)) {
  case AN_HOST_OPERATOR:
    return OPERATOR;
  case AN_HOST_CALL:
    return CALL;
  case AN_HOST_FRAME:
    return l->modules ? FRAME : OTHER;
  default:
    return g_strv_contains (ranges, category) ? OPERATOR : OTHER;
  }
}

static guint8
category_is (const AnLinks *l, nprof_str category)
{
  guint8 *is = an_byte_of (l->categories, category);
  if (!*is)
    *is = look_at_category (l, nprof_text (l->host, category));
  return *is;
}

static bool
is_module (const AnLinks *l, nprof_str name)
{
  guint8 *seen = an_byte_of (l->modules, name);
  if (!*seen)
    *seen = g_str_has_prefix (nprof_text (l->host, name), PYTORCH_MODULE_NAME) ? 2 : 1;
  return *seen == 2;
}

/* Returns the kind: a span with a correlation id that is no operator is a call, whatever its
 * category. */
static guint8
kind_of (const AnLinks *l, const struct nprof_batch *batch, uint32_t i, guint64 *correlation)
{
  guint8 is = category_is (l, batch->category[i]);
  if (is == FRAME)
    return is_module (l, batch->name[i]) ? MODULE : OTHER;
  *correlation = is == OPERATOR ? 0 : an_links_correlation (l, batch, i);
  return *correlation ? CALL : is;
}

static nprof_str
shape_of (const AnLinks *l, const struct nprof_batch *batch, uint32_t i)
{
  if (!batch->attr_at)
    return 0;
  for (uint32_t j = batch->attr_at[i]; j < batch->attr_at[i + 1]; j++)
    if (batch->attr_key[j] == l->key_shape && batch->attr_type[j] == NPROF_STRING)
      return batch->attr_value[j].s;
  return 0;
}

void
an_links_host (AnLinks *l, const AnPlace *place, AnRole role, const struct nprof_batch *batch,
               uint32_t i)
{
  guint64 correlation = 0;
  guint8 is = STEP;
  if (role != AN_STEP)
    is = kind_of (l, batch, i, &correlation);
  if ((is == OTHER && !l->calls.span) || batch->duration[i] < 0)
    return;
  if (l->followed)
    forget_old (l);
  const Span span = { .start = batch->start[i],
                      .end = batch->start[i] + batch->duration[i],
                      .thread = batch->track[i],
                      .name = batch->name[i],
                      .category = batch->category[i],
                      .correlation = correlation,
                      .input = place->input,
                      .shape = is == OPERATOR && l->key_shape ? shape_of (l, batch, i) : 0,
                      .number = l->has_first ? l->group->len + 1 : 0,
                      .note = l->calls.note ? l->calls.note (l->user, batch, i) : 0,
                      .is = is,
                      .hidden = nprof_hidden (batch, i) };
  if (l->has_first && l->first.start == span.start) {
    g_array_append_val (l->group, span);
    return;
  }
  take_group (l);
  l->first = span;
  l->first.number = 0;
  l->has_first = true;
}

/* -- Rows of devices ----------------------------------------------------------------------- */

gboolean
an_links_find (AnLinks *l, uint32_t input, guint64 correlation, gint64 start, AnLaunchSite *launch)
{
  l->followed = true;
  if (l->has_first && l->first.start <= start)
    take_group (l);
  const AnLaunchKey key = { correlation, input };
  const AnLaunchSite *found = correlation ? an_launch_table_find (&l->launches, &key, start) : NULL;
  if (found)
    *launch = *found;
  return found != NULL;
}

void
an_links_wait (AnLinks *l, uint32_t input, guint64 correlation, guint row)
{
  const AnLaunchKey key = { correlation, input };
  an_waiting_rows_add (&l->waiting, &key, row);
}

void
an_links_give_up (AnLinks *l, guint row)
{
  an_waiting_rows_forget (&l->waiting, row);
}

void
an_links_end (AnLinks *l)
{
  take_group (l);
  for (guint i = 0; i < l->threads->len; i++) {
    const Thread *thread = g_ptr_array_index (l->threads, i);
    while (thread && thread->open->len)
      pop (l, thread->open);
  }
}

/* -- Choosing ------------------------------------------------------------------------------ */

void
an_links_choose (AnLinks *l, const struct nprof_batch *batch, uint8_t *rows)
{
  bool correlations = an_any_has_launch (batch, l->launch_keys);
  an_ask_batch (l->places, batch);
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] != NPROF_SPAN || an_is_chosen (rows, i))
      continue;
    guint8 is = category_is (l, batch->category[i]);
    if ((is == FRAME ? is_module (l, batch->name[i]) : is != OTHER)
        || an_says (l->places, batch, i) == MEANS_STEP
        || (correlations && an_links_correlation (l, batch, i)))
      an_choose_row (rows, i);
  }
}
