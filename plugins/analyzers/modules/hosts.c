/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c - finds which modules, ranges and frames of Python lie around each call of a host that
 * launches work.  A span lies in another of its thread when it neither begins before nor ends after
 * it.  Backward passes run on threads without modules: their operators have the sequence number of
 * the one that they are the backward pass of. */
#include "modules.h"

#include "devicekit/bytes.h"
#include "devicekit/json-member.h"
#include "producers/host-kind.h"
#include "producers/pytorch.h"

#include <nprof/sdk.h>
#include <string.h>

typedef enum { OTHER = 1, SPAN, FRAME, RANGE } Category;

/* These are PyTorch's emit_nvtx in other traces. */
static const char *const ranges[] = { "nvtx", "NVTX", "roctx", NULL };

/* Frames of a runtime are no places of the program; those of a library of kernels only where none
 * is around them. */
enum { IS_MODULE = 1, IS_SOURCE, IS_LIBRARY, IS_NEITHER };

typedef struct {
  gint64 end;
  guint32 node[N_KINDS]; /* up to here; 0: none */
  bool own;              /* a line of the program itself is around */
  guint32 backward;      /* node of the module whose backward pass this is; 0: none is known */
} Open;

/* This is the last operator that had a sequence number. */
typedef struct {
  gint64 sequence;
  uint32_t input;
  nprof_track thread;
  guint32 node; /* of its module */
  bool several; /* threads have the number, as each counts by itself: it is unknown whose */
} Forward;

static guint
forward_hash (gconstpointer forward)
{
  const Forward *f = forward;
  return (guint) f->sequence * 31 + f->input;
}

static gboolean
forward_equal (gconstpointer a, gconstpointer b)
{
  const Forward *x = a, *y = b;
  return x->sequence == y->sequence && x->input == y->input;
}

static void
threads_free (gpointer open)
{
  if (open)
    g_array_unref (open);
}

void
hosts_init (Modules *self)
{
  self->categories = g_byte_array_new ();
  self->names = g_byte_array_new ();
  self->own_frames = own_frames_list_new (self->host);
  self->threads = g_ptr_array_new_with_free_func (threads_free);
  self->key_args = nprof_intern (self->host, "args");
  self->forward = g_hash_table_new_full (forward_hash, forward_equal, g_free, NULL);
  for (Kind kind = 0; kind < N_KINDS; kind++)
    paths_init (&self->paths[kind]);
}

void
hosts_clear (Modules *self)
{
  g_byte_array_unref (self->categories);
  g_byte_array_unref (self->names);
  own_frames_list_free (self->own_frames);
  g_ptr_array_unref (self->threads);
  g_hash_table_unref (self->forward);
  an_launch_table_clear (&self->sites);
  for (Kind kind = 0; kind < N_KINDS; kind++)
    paths_clear (&self->paths[kind]);
}

static GArray *
thread_of (Modules *self, nprof_track track)
{
  if (track >= self->threads->len)
    g_ptr_array_set_size (self->threads, (int) MAX (track + 1, self->threads->len * 2));
  GArray *open = g_ptr_array_index (self->threads, track);
  if (!open)
    self->threads->pdata[track] = open = g_array_new (FALSE, FALSE, sizeof (Open));
  return open;
}

/* Looks at a frame: those of files are named "FILE(LINE): FUNCTION"; others are built in. */
static guint8
look_at_frame (const Modules *self, const char *name)
{
  if (g_str_has_prefix (name, PYTORCH_MODULE_NAME))
    return IS_MODULE;
  const char *bracket = strstr (name, "): ");
  const FrameIs is = own_frames_is (self->own_frames, name);
  if (!bracket || bracket == name || !g_ascii_isdigit (bracket[-1]) || is == FRAME_RUNTIME)
    return IS_NEITHER;
  return is == FRAME_KERNELS ? IS_LIBRARY : IS_SOURCE;
}

/* Returns the kind that it adds to; N_KINDS: none. */
static Kind
kind_of (Modules *self, guint8 category, nprof_str name, Open *top, nprof_str *shown)
{
  *shown = name;
  if (category != FRAME)
    return category == RANGE ? RANGES : N_KINDS;
  guint8 *seen = an_byte_of (self->names, name);
  const char *text = nprof_text (self->host, name);
  if (!*seen)
    *seen = look_at_frame (self, text);
  if (*seen == IS_MODULE)
    *shown = nprof_intern (self->host, text + strlen (PYTORCH_MODULE_NAME));
  top->own |= *seen == IS_SOURCE;
  if (*seen == IS_MODULE)
    return MODULES;
  return *seen == IS_SOURCE || (*seen == IS_LIBRARY && !top->own) ? SOURCES : N_KINDS;
}

static void
add_node (Modules *self, const AnHostSpan *span, Kind kind, nprof_str name, Open *top)
{
  top->node[kind] = paths_node (&self->paths[kind], span->input, top->node[kind], name);
  Node *node = node_at (&self->paths[kind], top->node[kind]);
  node->calls += !span->hidden;
  node->host += span->hidden ? 0 : nprof_inside (&self->clip, span->start, span->end - span->start);
}

/* -- Backward passes --------------------------------------------------------------------------- */

/* Returns twice the sequence number, and 2, and 1 more of an operator of a backward pass, which
 * names the thread of its forward one. source: torch/csrc/profiler, "Fwd thread id" is 0 in forward
 * passes */
gint64
hosts_note (gpointer modules, const struct nprof_batch *batch, uint32_t i)
{
  const Modules *self = modules;
  for (uint32_t j = batch->attr_at ? batch->attr_at[i] : 0;
       batch->attr_at && j < batch->attr_at[i + 1]; j++) {
    gint64 sequence, thread = 0;
    if (batch->attr_key[j] != self->key_args || batch->attr_type[j] != NPROF_JSON)
      continue;
    const char *json = batch->bytes + batch->attr_value[j].bytes.at;
    gsize len = batch->attr_value[j].bytes.len;
    if (!an_json_int (json, len, "Sequence number", &sequence) || sequence < 0
        || sequence > G_MAXINT64 / 4)
      return 0;
    an_json_int (json, len, "Fwd thread id", &thread);
    return 2 * sequence + 2 + (thread > 0);
  }
  return 0;
}

static void
note_forward (Modules *self, const AnHostSpan *span, gint64 sequence, guint32 node)
{
  const Forward wanted = { .sequence = sequence, .input = span->input };
  Forward *f = g_hash_table_lookup (self->forward, &wanted);
  if (!f) {
    f = g_memdup2 (&wanted, sizeof wanted);
    f->thread = span->thread;
    g_hash_table_add (self->forward, f);
  }
  f->several |= f->thread != span->thread;
  f->node = node;
}

static guint32
module_of_backward (const Modules *self, const AnHostSpan *span, gint64 sequence)
{
  const Forward wanted = { .sequence = sequence, .input = span->input };
  const Forward *f = g_hash_table_lookup (self->forward, &wanted);
  return f && !f->several ? f->node : 0;
}

static void
take_sequence (Modules *self, const AnHostSpan *span, Open *top)
{
  gint64 sequence = span->note / 2 - 1;
  if (span->note & 1)
    top->backward = module_of_backward (self, span, sequence);
  else
    note_forward (self, span, sequence, top->node[MODULES]);
}

static void
add_site (Modules *self, const AnHostSpan *span, const Open *open)
{
  const AnLaunchKey key = { span->correlation, span->input };
  const AnLaunchSite site = { .start = span->start,
                              .node = open->node[MODULES],
                              .module = open->backward,
                              .call = open->node[RANGES],
                              .step = open->node[SOURCES] };
  an_launch_table_add (&self->sites, &key, &site);
}

static Category
look_at_category (const char *category)
{
  switch (an_host_kind (category)) {
  case AN_HOST_OPERATOR:
  case AN_HOST_CALL:
    return SPAN;
  case AN_HOST_FRAME:
    return FRAME;
  case AN_HOST_NOTE:
    return RANGE;
  default:
    return g_strv_contains (ranges, category) ? RANGE : OTHER;
  }
}

static guint8
category_is (Modules *self, nprof_str category)
{
  guint8 *is = an_byte_of (self->categories, category);
  if (!*is)
    *is = (guint8) look_at_category (nprof_text (self->host, category));
  return *is;
}

void
hosts_span (gpointer modules, const AnHostSpan *span)
{
  Modules *self = modules;
  const guint8 category = category_is (self, span->category);
  nprof_str name;
  if (category == OTHER && !span->correlation)
    return;
  GArray *open = thread_of (self, span->thread);
  while (open->len && g_array_index (open, Open, open->len - 1).end < span->end)
    open->len--;
  Open top = open->len ? g_array_index (open, Open, open->len - 1) : (Open){ 0 };
  top.end = span->end;
  Kind kind = kind_of (self, category, span->name, &top, &name);
  if (kind < N_KINDS)
    add_node (self, span, kind, name, &top);
  if (span->note)
    take_sequence (self, span, &top);
  g_array_append_val (open, top);
  if (span->correlation)
    add_site (self, span, &top);
}
