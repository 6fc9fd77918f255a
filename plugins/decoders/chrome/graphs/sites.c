/* SPDX-License-Identifier: Apache-2.0 */
/* sites.c - finds what lies around launches on their threads: the innermost operator with its
 * arguments, the modules, and the line of the program that is the user's own. */
#include "graphs.h"

#include "producers/own-frames.h"
#include "producers/pytorch.h"

#include <string.h>

static int
by_thread (gconstpointer a, gconstpointer b)
{
  const GraphEvent *x = *(const GraphEvent *const *) a, *y = *(const GraphEvent *const *) b;
  if (x->thread != y->thread)
    return x->thread < y->thread ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->end != y->end)
    return x->end > y->end ? -1 : 1;
  return (x > y) - (x < y); /* as they stand in the file */
}

/* Returns pointers to the events of hosts, thread by thread, the outer ones first; transfer
 * full. */
static GPtrArray *
by_threads (GArray *events)
{
  GPtrArray *order = g_ptr_array_new ();
  for (guint i = 0; i < events->len; i++) {
    GraphEvent *e = &g_array_index (events, GraphEvent, i);
    if (e->kind != GRAPH_WORK)
      g_ptr_array_add (order, e);
  }
  g_ptr_array_sort (order, by_thread);
  return order;
}

static nprof_str
operator_of (const Chrome *c, nprof_str name)
{
  const char *text = nprof_text (c->host, name);
  return c->host->intern (c->host, text, pytorch_operator_len (text));
}

static nprof_str
text_of_arg (Chrome *c, const GraphEvent *event, const char *key)
{
  const TeValue args = graph_args (event);
  TeValue value;
  if (!event->args_len || !ch_member (c->scanner, &args, key, &value) || value.kind != TE_TEXT)
    return 0;
  return ch_name (&c->names, &value);
}

static guint32
key_of (Chrome *c, const GraphEvent *call, const GraphSite *site)
{
  const char *name = nprof_text (c->host, call->name);
  if (strstr (name, "Memcpy"))
    return nprof_intern (c->host, "Memcpy");
  if (strstr (name, "Memset"))
    return nprof_intern (c->host, "Memset");
  if (site->kernel)
    return site->kernel;
  return g_str_has_prefix (nprof_text (c->host, site->operator), "triton_") ? site->operator : 0;
}

static void
add_module (GString *path, const char *frame)
{
  if (path->len)
    g_string_append_c (path, '/');
  g_string_append (path, frame + strlen (PYTORCH_MODULE_NAME));
}

/* Returns the site of a call below the spans that contain it, the innermost last. */
static GraphSite
site_of (Chrome *c, const OwnFramesList *list, const GraphEvent *call, const GPtrArray *stack)
{
  GraphSite site = { .kernel = text_of_arg (c, call, "kernel") };
  g_autoptr (GString) modules = g_string_new (NULL);
  OwnFrames own = { .list = list };
  const GraphEvent *innermost = NULL;
  for (guint i = 0; i < stack->len; i++) {
    const GraphEvent *e = g_ptr_array_index (stack, i);
    const char *name = nprof_text (c->host, e->name);
    if (e->end < call->end)
      continue;
    if (e->kind == GRAPH_OPERATOR)
      innermost = e;
    else if (e->kind == GRAPH_FRAME && g_str_has_prefix (name, PYTORCH_MODULE_NAME))
      add_module (modules, name);
    else if (e->kind == GRAPH_FRAME)
      own_frames_add (&own, name);
  }
  g_autofree char *source = own_frames_source (&own);
  site.operator= innermost ? operator_of (c, innermost->name) : 0;
  site.call = innermost ? (guint32) (innermost->correlation) : 0;
  if (innermost && innermost->args_len) {
    const TeValue args = graph_args (innermost);
    site.arguments = ch_arguments (c, &c->names, &args);
  }
  site.layer = modules->len ? nprof_intern (c->host, modules->str) : 0;
  site.source = source ? nprof_intern (c->host, source) : 0;
  site.key = key_of (c, call, &site);
  site.kernel = site.kernel ? site.kernel : call->name;
  return site;
}

void
graph_sites (Chrome *c, GArray *events, GHashTable *wanted)
{
  g_autoptr (GPtrArray) order = by_threads (events), stack = g_ptr_array_new ();
  const GraphEvent *last = NULL;
  guint32 operators = 0;
  OwnFramesList *list = own_frames_list_new (c->host);
  for (guint i = 0; i < order->len; i++) {
    GraphEvent *e = g_ptr_array_index (order, i);
    if (!last || last->thread != e->thread)
      g_ptr_array_set_size (stack, 0);
    last = e;
    while (stack->len
           && ((const GraphEvent *) g_ptr_array_index (stack, stack->len - 1))->end <= e->start)
      g_ptr_array_set_size (stack, (int) stack->len - 1);
    if (e->kind == GRAPH_OPERATOR)
      e->correlation = ++operators; /* which call it is */
    if (e->kind == GRAPH_CALL && g_hash_table_contains (wanted, e)) {
      const GraphSite site = site_of (c, list, e, stack);
      g_hash_table_insert (wanted, e, g_memdup2 (&site, sizeof site));
    }
    if (e->kind != GRAPH_CALL)
      g_ptr_array_add (stack, e);
  }
  own_frames_list_free (list);
}
