/* SPDX-License-Identifier: Apache-2.0 */
/* dma.c - counts the DMA descriptors of one engine, and the bytes that they move, for each queue
 * and tensor.  A descriptor moves what it writes: the product of to_sizes, whose first element is
 * in bytes. */
#include "neff.h"

static void
use_free (gpointer data)
{
  NeffUse *use = data;
  g_free (use->tensor);
  g_free (use);
}

NeffQueue *
neff_queue_add (Neff *n, const char *name, const char *type)
{
  NeffQueue *queue = g_new0 (NeffQueue, 1);
  queue->name = g_strdup (name);
  queue->type = g_strdup (type);
  queue->uses = g_ptr_array_new_with_free_func (use_free);
  queue->by_use = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_ptr_array_add (n->queues, queue);
  return queue;
}

static NeffUse *
find_use (NeffQueue *queue, const char *prefix, const char *tensor, gboolean writes)
{
  g_autofree char *key = g_strdup_printf ("%c%s%s", writes ? 'w' : 'r', prefix, tensor);
  NeffUse *use = g_hash_table_lookup (queue->by_use, key);
  if (use)
    return use;
  use = g_new0 (NeffUse, 1);
  use->tensor = g_strconcat (prefix, tensor, NULL);
  use->writes = writes;
  g_ptr_array_add (queue->uses, use);
  g_hash_table_insert (queue->by_use, g_steal_pointer (&key), use);
  return use;
}

/* Returns false when to_sizes is missing, empty, no numbers, or more than 2^64 bytes. */
static bool
bytes_of (JsonObject *descriptor, guint64 *bytes)
{
  JsonArray *sizes = neff_array (descriptor, "to_sizes");
  guint n = sizes ? json_array_get_length (sizes) : 0;
  *bytes = 1;
  for (guint i = 0; i < n; i++) {
    guint64 size;
    if (!neff_number (json_array_get_element (sizes, i), &size)
        || __builtin_mul_overflow (*bytes, size, bytes))
      return false;
  }
  return n > 0;
}

static void
add_bytes (guint64 *total, gboolean *unknown, bool known, guint64 bytes)
{
  if (!known || __builtin_add_overflow (*total, bytes, total))
    *unknown = TRUE;
}

typedef struct {
  NeffQueue *queue;
  const char *prefix;
  bool known;
  guint64 bytes;
} Move;

static void
add_use (const Move *move, const char *tensor, gboolean writes)
{
  if (!tensor)
    return;
  NeffUse *use = find_use (move->queue, move->prefix, tensor, writes);
  use->descriptors++;
  add_bytes (&use->bytes, &use->unknown, move->known, move->bytes);
}

static void
add_descriptor (Neff *n, NeffQueue *queue, const char *prefix, JsonObject *descriptor,
                const NeffMember *member)
{
  Move move = { .queue = queue, .prefix = prefix };
  move.known = bytes_of (descriptor, &move.bytes);
  if (!move.known)
    n->host->skip (n->host, "descriptor without a size", neff_file_byte (n, member),
                   "no to_sizes, or none that are numbers: bytes of its queue are unknown");
  queue->descriptors++;
  add_bytes (&queue->bytes, &queue->unknown, move.known, move.bytes);
  add_use (&move, neff_string (descriptor, "to"), TRUE);
  add_use (&move, neff_string (descriptor, "from"), FALSE);
  JsonArray *sources = neff_array (descriptor, "from_arr");
  for (guint i = 0; sources && i < json_array_get_length (sources); i++)
    add_use (&move, neff_string (neff_node_object (json_array_get_element (sources, i)), "from"),
             FALSE);
}

/* Returns the queue: instance_name wins over queue; one that def.json lacks is a queue of unknown
 * type. */
static NeffQueue *
queue_of (Neff *n, JsonObject *dma, GHashTable *by_name, const char *prefix)
{
  const char *name = neff_string (dma, "instance_name");
  if (!name || !*name)
    name = neff_string (dma, "queue");
  if (!name || !*name)
    return NULL;
  NeffQueue *queue = g_hash_table_lookup (by_name, name);
  if (queue)
    return queue;
  g_autofree char *full = g_strconcat (prefix, name, NULL);
  queue = neff_queue_add (n, full, NULL);
  g_hash_table_insert (by_name, g_strdup (name), queue);
  return queue;
}

/* Returns false when it is not known whose descriptors these are. */
static bool
add_dma (Neff *n, JsonObject *dma, GHashTable *by_name, const char *prefix,
         const NeffMember *member)
{
  NeffQueue *queue = dma ? queue_of (n, dma, by_name, prefix) : NULL;
  JsonArray *list = neff_array (dma, "desc");
  JsonObject *one = neff_object (dma, "desc");
  if (!queue || (!list && !one)) {
    n->host->skip (n->host, "dma without a queue or descriptors", neff_file_byte (n, member),
                   "neither queue nor instance_name, or no desc: counts are unknown");
    if (queue)
      queue->uncounted = TRUE;
    return queue != NULL;
  }
  if (one)
    add_descriptor (n, queue, prefix, one, member);
  for (guint i = 0; list && i < json_array_get_length (list); i++)
    add_descriptor (n, queue, prefix, neff_node_object (json_array_get_element (list, i)), member);
  return true;
}

bool
neff_dma (Neff *n, JsonObject *engine, GHashTable *by_name, const char *prefix,
          const NeffMember *member)
{
  JsonArray *list = neff_array (engine, "dma");
  bool complete = list != NULL;
  for (guint i = 0; list && i < json_array_get_length (list); i++)
    complete &= add_dma (n, neff_node_object (json_array_get_element (list, i)), by_name, prefix,
                         member);
  return complete;
}
