/* SPDX-License-Identifier: Apache-2.0 */
/* chakra.c - reads nodes of Chakra's execution traces (.et), which are graphs: of those that
 * chakra_converter made of a linked trace, each node says how long it took, and not when.
 * shape: et_def.proto of mlcommons/chakra */
#include "layers.h"

#include "protobuf/wire.h"

#include <string.h>

enum { NODE_NAME = 2, NODE_TYPE = 3, NODE_DURATION = 7 };

static const char *const types[] = { NULL,      "metadata", "memory load", "memory store",
                                     "compute", "send",     "receive",     "collective" };

typedef struct {
  Layers *self;
  GHashTable *of; /* name and type -> 1 + index of its layer */
  guint64 nodes;
} Graph;

/* Nodes of one name and type are one layer. */
static LtLayer *
layer_of (Graph *g, nprof_str name, guint64 type)
{
  const gpointer key = GSIZE_TO_POINTER ((gsize) MIN (type, 255) << 32 | name);
  const guint at = GPOINTER_TO_UINT (g_hash_table_lookup (g->of, key));
  if (at)
    return &g_array_index (g->self->layers, LtLayer, at - 1);
  LtLayer l = lt_layer (name);
  const char *word = type < G_N_ELEMENTS (types) ? types[type] : NULL;
  l.type = word ? nprof_intern (g->self->host, word) : 0;
  l.calls = l.total = 0;
  g_array_append_val (g->self->layers, l);
  g_hash_table_insert (g->of, key, GUINT_TO_POINTER (g->self->layers->len));
  return &g_array_index (g->self->layers, LtLayer, g->self->layers->len - 1);
}

/* Nodes without a duration are of the graph alone. */
static const char *
take_node (Graph *g, const uint8_t *p, const uint8_t *end)
{
  PbField f;
  nprof_str name = 0;
  guint64 type = 0, us = 0;
  while (p < end) {
    if (!pb_field (&p, end, &f))
      return "a field of a node is cut off, or of a type that does not occur";
    if (f.tag == PB_BYTES (NODE_NAME))
      name = g->self->host->intern (g->self->host, (const char *) f.span.p,
                                    (size_t) (f.span.end - f.span.p));
    else if (f.tag == PB_VARINT (NODE_TYPE))
      type = f.value;
    else if (f.tag == PB_VARINT (NODE_DURATION))
      us = f.value;
  }
  g->nodes++;
  if (!us || us > G_MAXINT64 / 1000000)
    return NULL;
  LtLayer *l = layer_of (g, name ? name : nprof_intern (g->self->host, "(unnamed)"), type);
  l->calls++;
  l->total = MIN (l->total, G_MAXINT64 - (gint64) us * 1000000) + (gint64) us * 1000000;
  return NULL;
}

static nprof_status
take_messages (Graph *g)
{
  const uint8_t *const begin = (const uint8_t *) g->self->data, *end = begin + g->self->len;
  nprof_status status = NPROF_OK;
  bool first = true; /* GlobalMetadata */
  for (const uint8_t *p = begin; p < end && !status; first = false) {
    const uint8_t *const at = p;
    uint64_t len;
    p = pb_varint (p, end, &len);
    if (!p || len > (uint64_t) (end - p))
      return lt_damage (g->self, (uint64_t) (at - begin),
                        "no message begins here, or it goes on beyond the end");
    const char *why = first ? NULL : take_node (g, p, p + len);
    if (why)
      status = lt_damage (g->self, (uint64_t) (at - begin), why);
    p += len;
  }
  return status;
}

static nprof_status
read_nodes (Layers *self)
{
  Graph g = { .self = self, .of = g_hash_table_new (NULL, NULL) };
  nprof_status status = take_messages (&g);
  g_hash_table_unref (g.of);
  if (status)
    return status;
  if (self->layers->len)
    return lt_write (self);
  return nprof_fail (self->host, NPROF_E_FORMAT,
                     "byte 0: an execution trace of Chakra, a graph of %" G_GUINT64_FORMAT
                     " nodes of which none has a duration: "
                     "link the execution trace with its Kineto trace (chakra_trace_link), and read "
                     "that",
                     g.nodes);
}

bool
lt_is_chakra (const void *head, size_t len)
{
  const uint8_t *p = head, *const end = p + len;
  uint64_t size;
  PbField f;
  p = len ? pb_varint (p, end, &size) : NULL;
  if (!p || !size || size > (uint64_t) (end - p))
    return false;
  const uint8_t *metadata = p;
  if (!pb_field (&metadata, p + size, &f) || f.tag != PB_BYTES (1))
    return false;
  p += size;
  p = p < end ? pb_varint (p, end, &size) : NULL;
  const uint8_t *to = p ? p + MIN (size, (uint64_t) (end - p)) : NULL;
  while (p && p < to && pb_field (&p, to, &f))
    if (f.tag == PB_BYTES (NODE_NAME))
      return f.span.end > f.span.p;
  return false;
}

nprof_status
lt_chakra (Layers *self)
{
  return self->len && *self->data == '{' ? lt_linked (self) : read_nodes (self);
}
