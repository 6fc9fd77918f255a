/* SPDX-License-Identifier: Apache-2.0 */
/* stated.c - takes what work says itself of the module and the line of source that it is of:
 * compilers write the path of the framework, and the stack of the program, to each operator. */
#include "modules.h"

#include "devicekit/source-stack.h"
#include "system/layer-path.h"

#include <nprof/keys.h>
#include <nprof/sdk.h>
#include <string.h>

enum { LAYER, PATH, SOURCE, STACK, N_TEXTS };
static const char *const keys[]
    = { NPROF_KEY_LAYER, NPROF_KEY_FRAMEWORK_OP, NPROF_KEY_SOURCE, NPROF_KEY_SOURCE_STACK, NULL };

static void
nest_free (gpointer nest)
{
  Nest *n = nest;
  if (!n)
    return;
  nprof_sweep_clear (&n->sweep);
  g_array_unref (n->within);
  g_free (n);
}

nprof_status
stated_init (Modules *self)
{
  const Stated nothing = { 0 };
  an_key_table_init (&self->statements, 1 + N_TEXTS);
  self->stated = g_array_new (FALSE, TRUE, sizeof (Stated));
  g_array_append_val (self->stated, nothing);
  self->nests = g_ptr_array_new_with_free_func (nest_free);
  return nprof_reader_init (&self->reader, self->host, keys);
}

void
stated_clear (Modules *self)
{
  nprof_reader_clear (&self->reader);
  an_key_table_clear (&self->statements);
  g_clear_pointer (&self->stated, g_array_unref);
  g_clear_pointer (&self->nests, g_ptr_array_unref);
}

/* -- Modules ---------------------------------------------------------------------------------- */

/* Returns the node that the parts of a layer lead to. */
static guint32
node_of_layer (Modules *self, uint32_t input, const char *layer)
{
  const char *end = layer + strlen (layer), *next;
  guint32 node = 0;
  for (const char *at = layer; at < end; at = next + (next < end)) {
    next = an_path_component_end (at, end);
    if (next == at)
      continue;
    nprof_str name = self->host->intern (self->host, at, (size_t) (next - at));
    node = paths_node (&self->paths[MODULES], input, node, name);
    node_at (&self->paths[MODULES], node)->stated = true;
  }
  return node;
}

/* Returns the class that the innermost part says, of all that say one. */
static Class
class_of_parts (const char *path)
{
  const char *end = path + strlen (path), *next;
  Class class = NO_CLASS;
  for (const char *at = path; at < end; at = next + (next < end)) {
    next = an_path_component_end (at, end);
    g_autofree char *part = g_strndup (at, (gsize) (next - at));
    Class said = class_of_name (part);
    class = said ? said : class;
  }
  return class;
}

/* -- Lines of source --------------------------------------------------------------------------- */

/* Returns the node of the innermost frame. */
static guint32
node_of_stack (Modules *self, uint32_t input, const char *stack, const char *source)
{
  g_auto (GStrv) frames = an_source_frames (self->own_frames, stack, source);
  guint32 node = 0;
  for (guint i = 0; frames[i]; i++) {
    node = paths_node (&self->paths[SOURCES], input, node, nprof_intern (self->host, frames[i]));
    node_at (&self->paths[SOURCES], node)->stated = true;
  }
  return node;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static Stated
look_at (Modules *self, uint32_t input, const nprof_str *said)
{
  const char *text[N_TEXTS];
  for (guint k = 0; k < N_TEXTS; k++)
    text[k] = nprof_text (self->host, said[k]);
  g_autofree char *layer = *text[LAYER] ? g_strdup (text[LAYER]) : an_layer_of_path (text[PATH]);
  Stated s = { .class = class_of_parts (*text[LAYER] ? text[LAYER] : text[PATH]) };
  s.node[MODULES] = layer ? node_of_layer (self, input, layer) : 0;
  s.node[SOURCES] = node_of_stack (self, input, text[STACK], text[SOURCE]);
  return s;
}

guint
stated_of (Modules *self, const struct nprof_batch *batch, uint32_t i)
{
  guint32 key[1 + N_TEXTS] = { batch->input }, any = 0;
  nprof_reader_row (&self->reader, batch, i);
  for (guint k = 0; k < N_TEXTS; k++)
    any |= key[1 + k] = nprof_reader_str (&self->reader, k);
  if (!any)
    return 0;
  guint number = 1 + an_key_table_get (&self->statements, key);
  if (number == self->stated->len) {
    const Stated s = look_at (self, batch->input, key + 1);
    g_array_append_val (self->stated, s);
  }
  return number;
}

/* Returns the time of a row in the window without that of the rows within it, which closed
 * before. */
static gint64
self_inside (const Nest *nest, const struct nprof_open *span, uint32_t depth)
{
  gint64 inside = nprof_inside (&nest->self->clip, span->start, span->end - span->start);
  if (nest->within->len < depth + 2)
    g_array_set_size (nest->within, depth + 2);
  gint64 *beside = &g_array_index (nest->within, gint64, depth), *below = beside + 1;
  gint64 time = inside - *below;
  *beside += inside;
  *below = 0;
  return time;
}

/* Takes the time of a row without that of the rows within it. The tag is twice the number of what
 * it says, and odd where a selection hides it. */
static nprof_status
closed (void *user, const struct nprof_open *span, const struct nprof_open *parent, uint32_t depth)
{
  const Nest *nest = user;
  (void) parent;
  gint64 time = self_inside (nest, span, depth);
  if (span->tag & 1)
    return NPROF_OK;
  nest->device->all.time += time;
  nest->device->all.rows++;
  work_add (nest->self, nest->device, stated_at (nest->self, (guint) (span->tag / 2)), NULL, time);
  return NPROF_OK;
}

static Nest *
nest_of (Modules *self, const AnPlace *place)
{
  if (place->track >= self->nests->len)
    g_ptr_array_set_size (self->nests, (int) MAX (place->track + 1, self->nests->len * 2));
  Nest *nest = g_ptr_array_index (self->nests, place->track);
  if (!nest) {
    self->nests->pdata[place->track] = nest = g_new0 (Nest, 1);
    nest->self = self;
    nest->device = work_device (self, place);
    nest->within = g_array_new (FALSE, TRUE, sizeof (gint64));
    nest->sweep = (struct nprof_sweep){ .closed = closed, .user = nest };
  }
  return nest;
}

nprof_status
stated_row (Modules *self, const AnPlace *place, const struct nprof_batch *batch, uint32_t i)
{
  guint64 tag = 2 * (guint64) stated_of (self, batch, i) + nprof_hidden (batch, i);
  nprof_status status
      = nprof_sweep_span (&nest_of (self, place)->sweep, batch->start[i], batch->duration[i], tag);
  return status ? nprof_fail (self->host, status, "no memory for spans within each other")
                : NPROF_OK;
}

nprof_status
stated_end (Modules *self)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < self->nests->len && !status; i++) {
    Nest *nest = g_ptr_array_index (self->nests, i);
    if (nest)
      status = nprof_sweep_end (&nest->sweep);
  }
  return status;
}
