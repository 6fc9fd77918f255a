/* SPDX-License-Identifier: Apache-2.0 */
/* neff-facts.c - reads the few facts of a NEFF that its profile repeats: the model's name, the
 * compiler, the multiply-accumulates; and keeps its code, which neff-code.c ties to what ran.  The
 * decoder neff tells everything else. */
#include "ntff.h"

#include "../common/header.h"
#include "system/json-guard.h"

#include <json-glib/json-glib.h>

#ifdef HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>

#define LONGEST_MEMBER (1u << 20)
#define LONGEST_DEFINITION (64u << 20)     /* of a subgraph, which names all its variables */
#define LONGEST_CODE (16u << 20)           /* of one engine, or its debug info */
#define MOST_CODE (128u << 20)             /* of all engines */
#define DEEPEST 100                        /* levels of a member */
#define MOST_INFLATED (UINT64_C (4) << 30) /* members are skipped, not kept */

/* Finds the number at a key of the top object; false: there is none. */
static bool
number_of (JsonObject *o, const char *key, int64_t *value)
{
  JsonNode *node = json_object_get_member (o, key);
  if (!node || !JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) == G_TYPE_STRING)
    return false;
  double d = json_node_get_double (node);
  if (json_node_get_value_type (node) == G_TYPE_INT64)
    *value = json_node_get_int (node);
  else if (d >= 0 && d < 4e18)
    *value = (int64_t) d;
  else
    return false;
  return *value >= 0;
}

static const char *
text_at (JsonObject *o, const char *key)
{
  JsonNode *node = json_object_get_member (o, key);
  bool is_text
      = node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING;
  return is_text ? json_node_get_string (node) : NULL;
}

static void
keep_type (NtffNeffFacts *facts, const char *graph, const char *queue, const char *type)
{
  if (!facts->queue_types)
    facts->queue_types = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_hash_table_insert (facts->queue_types, g_strconcat (graph, "/", queue, NULL), g_strdup (type));
}

/* Keeps the type of a queue, which its instances have, too. */
static void
read_queue (NtffNeffFacts *facts, const char *graph, const char *name, JsonObject *queue)
{
  const char *type = text_at (queue, "type");
  JsonNode *list = json_object_get_member (queue, "queue_instances");
  JsonArray *instances = list && JSON_NODE_HOLDS_ARRAY (list) ? json_node_get_array (list) : NULL;
  if (!type)
    return;
  keep_type (facts, graph, name, type);
  for (guint i = 0; instances && i < json_array_get_length (instances); i++) {
    JsonNode *one = json_array_get_element (instances, i);
    if (JSON_NODE_HOLDS_VALUE (one) && json_node_get_value_type (one) == G_TYPE_STRING)
      keep_type (facts, graph, json_node_get_string (one), type);
  }
}

/* Reads the queues of "sg00/def.json". */
static void
read_definition (const char *member, JsonObject *o, NtffNeffFacts *facts)
{
  g_autofree char *graph = g_path_get_dirname (member);
  JsonNode *node = json_object_get_member (o, "dma_queue");
  JsonObject *queues = node && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  g_autoptr (GList) names = queues ? json_object_get_members (queues) : NULL;
  for (GList *name = names; name; name = name->next) {
    JsonNode *queue = json_object_get_member (queues, name->data);
    if (JSON_NODE_HOLDS_OBJECT (queue))
      read_queue (facts, graph, name->data, json_node_get_object (queue));
  }
}

static bool
is_definition (const char *name)
{
  return g_str_has_suffix (name, "/def.json");
}

static void
read_json (const char *name, const char *text, gsize len, NtffNeffFacts *facts)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  if (json_guard (text, len, DEEPEST, NULL)
      || !json_parser_load_from_data (parser, text, (gssize) len, NULL))
    return;
  JsonNode *root = json_parser_get_root (parser);
  if (!root || !JSON_NODE_HOLDS_OBJECT (root))
    return;
  JsonObject *o = json_node_get_object (root);
  if (is_definition (name)) {
    read_definition (name, o, facts);
    return;
  }
  if (g_str_equal (name, "hlo_stats.json")) {
    facts->has_macs
        = number_of (o, "HloMacCount", &facts->macs) || number_of (o, "mac_count", &facts->macs);
    return;
  }
  JsonNode *version = json_object_get_member (o, "tool_version");
  if (!facts->compiler && version && JSON_NODE_HOLDS_VALUE (version)
      && json_node_get_value_type (version) == G_TYPE_STRING)
    facts->compiler = g_strdup (json_node_get_string (version));
}

/* Returns whether it is the code of an engine, as sg00/PE.bin, or debug info of that. */
static bool
is_code (const char *name)
{
  if (!g_str_has_prefix (name, "sg"))
    return false;
  for (uint32_t engine = 0; engine < NTFF_ENGINES; engine++) {
    g_autofree char *binary = g_strconcat ("/", ntff_neff_engine[engine], ".bin", NULL);
    g_autofree char *debug = g_strconcat ("_", ntff_neff_engine[engine], ".dbg", NULL);
    if (g_str_has_suffix (name, binary) || g_str_has_suffix (name, debug))
      return true;
  }
  return false;
}

static gsize
longest (const char *name)
{
  if (is_code (name))
    return LONGEST_CODE;
  if (is_definition (name))
    return LONGEST_DEFINITION;
  return !strcmp (name, "hlo_stats.json") || !strcmp (name, "info.json") ? LONGEST_MEMBER : 0;
}

static void
keep_code (NtffNeffFacts *facts, const char *name, GBytes *bytes)
{
  if (!facts->code)
    facts->code
        = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  g_hash_table_insert (facts->code, g_strdup (name), g_bytes_ref (bytes));
}

static void
read_member (struct archive *a, struct archive_entry *entry, NtffNeffFacts *facts, gsize *room)
{
  const char *path = archive_entry_pathname (entry);
  if (path && g_str_has_prefix (path, "./"))
    path += 2;
  gsize most = path ? longest (path) : 0;
  if (!most)
    return;
  gint64 stated = archive_entry_size_is_set (entry) ? archive_entry_size (entry) : (gint64) most;
  if (stated < 0 || stated >= (gint64) most || (is_code (path) && (gsize) stated > *room))
    return;
  gsize size = (gsize) stated + 1;
  g_autofree char *name = g_strdup (path), *text = g_malloc (size);
  la_ssize_t n = archive_read_data (a, text, size);
  if (n <= 0 || n >= (la_ssize_t) size)
    return;
  if (!is_code (name)) {
    read_json (name, text, (gsize) n, facts);
    return;
  }
  *room -= (gsize) n;
  g_autoptr (GBytes) bytes = g_bytes_new_take (g_steal_pointer (&text), (gsize) n);
  keep_code (facts, name, bytes);
}

static void
read_payload (const uint8_t *data, uint64_t len, NtffNeffFacts *facts)
{
  struct archive *a = archive_read_new ();
  struct archive_entry *entry;
  gsize room = MOST_CODE;
  archive_read_support_filter_gzip (a);
  archive_read_support_format_tar (a);
  if (archive_read_open_memory (a, data, len) == ARCHIVE_OK)
    while (archive_filter_bytes (a, 0) < (la_int64_t) MOST_INFLATED
           && archive_read_next_header (a, &entry) == ARCHIVE_OK)
      read_member (a, entry, facts, &room);
  archive_read_free (a);
}
#else
static void
read_payload (const uint8_t *data, uint64_t len, NtffNeffFacts *facts)
{
  (void) data;
  (void) len;
  (void) facts;
}
#endif

bool
ntff_neff_facts (const uint8_t *data, uint64_t len, NtffNeffFacts *facts)
{
  NeffHeader header;
  if (len < NEFF_HEADER_SIZE || neff_probe (data, (size_t) MIN (len, 65536), len, "") < 60)
    return false;
  neff_header_read (&header, data);
  if (*header.name)
    facts->model = g_utf8_make_valid (header.name, -1);
  read_payload (data + NEFF_HEADER_SIZE, len - NEFF_HEADER_SIZE, facts);
  return true;
}
