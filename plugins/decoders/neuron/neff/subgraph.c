/* SPDX-License-Identifier: Apache-2.0 */
/* subgraph.c - reads the subgraphs that kelf-N.json lists: each def.json declares buffers and
 * queues and points to an engine JSON for each engine, which points to its instruction stream.
 * Names of members are looked up in the payload, never opened. */
#include "neff.h"

#include <string.h>

typedef struct {
  Neff *n;
  char *folder;        /* "sg00/", or "" */
  char *prefix;        /* before names: "" where there is one subgraph, else "sg00/" */
  GHashTable *by_name; /* queue or instance -> NeffQueue */
  guint first_queue;   /* of this subgraph */
  gboolean incomplete; /* an engine's descriptors are not known */
} Subgraph;

/* -- Buffers ------------------------------------------------------------------------------ */

static NeffTensor *
find_interface (Neff *n, const char *name, const char *usage)
{
  g_autofree char *key = usage ? g_strconcat (usage, "/", name, NULL) : NULL;
  return key ? g_hash_table_lookup (n->interface, key) : NULL;
}

static void
add_var (Subgraph *s, const char *name, JsonObject *var)
{
  guint64 bytes;
  bool sized = neff_member_number (var, "size", &bytes);
  const char *usage = neff_string (var, "type");
  NeffTensor *t = find_interface (s->n, name, usage);
  if (t && (!sized || !t->sized || t->bytes == bytes)) {
    t->sized |= sized;
    t->bytes = sized ? bytes : t->bytes;
    return;
  }
  t = g_new0 (NeffTensor, 1);
  t->name = g_strconcat (s->prefix, name, NULL);
  t->usage = g_strdup (usage);
  t->sized = sized;
  t->bytes = sized ? bytes : 0;
  g_ptr_array_add (s->n->tensors, t);
}

static void
add_vars (Subgraph *s, JsonObject *vars)
{
  g_autoptr (GList) names = vars ? json_object_get_members (vars) : NULL;
  for (GList *at = names; at; at = at->next)
    add_var (s, at->data, neff_object (vars, at->data));
}

/* -- Queues ------------------------------------------------------------------------------- */

static void
add_queue (Subgraph *s, const char *name, JsonObject *o)
{
  g_autofree char *full = g_strconcat (s->prefix, name, NULL);
  NeffQueue *queue = neff_queue_add (s->n, full, neff_string (o, "type"));
  g_hash_table_insert (s->by_name, g_strdup (name), queue);
  JsonArray *instances = neff_array (o, "queue_instances");
  for (guint i = 0; instances && i < json_array_get_length (instances); i++) {
    const char *instance = neff_node_string (json_array_get_element (instances, i));
    if (instance && !g_hash_table_contains (s->by_name, instance))
      g_hash_table_insert (s->by_name, g_strdup (instance), queue);
  }
}

static void
add_queues (Subgraph *s, JsonObject *queues)
{
  g_autoptr (GList) names = queues ? json_object_get_members (queues) : NULL;
  for (GList *at = names; at; at = at->next)
    add_queue (s, at->data, neff_object (queues, at->data));
}

/* -- Engines ------------------------------------------------------------------------------ */

static NeffEngine *
find_engine (Neff *n, const char *name)
{
  for (guint i = 0; i < n->engines->len; i++) {
    NeffEngine *e = n->engines->pdata[i];
    if (strcmp (e->engine, name) == 0)
      return e;
  }
  NeffEngine *e = g_new0 (NeffEngine, 1);
  e->engine = name;
  g_ptr_array_add (n->engines, e);
  return e;
}

static void
add_stream (Subgraph *s, NeffEngine *e, const char *file)
{
  g_autofree char *name = file ? g_strconcat (s->folder, file, NULL) : NULL;
  const NeffMember *member = name ? neff_member (s->n, name) : NULL;
  const guint64 *counts = member ? member->opcodes : NULL;
  if (!counts) {
    e->unknown = TRUE;
    s->n->host->skip (s->n->host, "instruction stream", neff_file_byte (s->n, member),
                      !file     ? "the engine's JSON names none: counts are unknown"
                      : !member ? "the file that is named is not there: counts are unknown"
                                : "other than 64-byte instructions: counts are unknown");
    return;
  }
  for (guint i = 0; i < 256; i++)
    e->counts[i] += counts[i]; /* each at most the payload's bytes: no overflow */
}

/* Returns whether the member was read before: each counts once, whoever names it again, so that
 * work is bounded by the payload. */
static gboolean
read_before (Neff *n, const char *name)
{
  if (g_hash_table_add (n->read, g_strdup (name)))
    return FALSE;
  n->host->skip (n->host, "member that is named twice", neff_file_byte (n, neff_member (n, name)),
                 "it counts once");
  return TRUE;
}

static nprof_status
add_engine (Subgraph *s, const char *engine, const char *file)
{
  g_autofree char *name = g_strconcat (s->folder, file, NULL);
  if (read_before (s->n, name))
    return NPROF_OK;
  g_autoptr (JsonNode) root = NULL;
  nprof_status status = neff_json (s->n, name, &root);
  NeffEngine *e = find_engine (s->n, engine);
  if (!root) {
    s->incomplete = e->unknown = TRUE;
    return status;
  }
  JsonObject *o = json_node_get_object (root);
  if (!neff_dma (s->n, o, s->by_name, s->prefix, neff_member (s->n, name)))
    s->incomplete = TRUE;
  add_stream (s, e, neff_string (o, "instr"));
  return NPROF_OK;
}

/* Adds the members of def.json that are named as an engine and point to a JSON member. */
static nprof_status
add_engines (Subgraph *s, JsonObject *def)
{
  g_autoptr (GList) names = json_object_get_members (def);
  nprof_status status = NPROF_OK;
  gboolean any = FALSE;
  for (GList *at = names; at && status == NPROF_OK; at = at->next) {
    const char *engine = neff_engine (at->data, strlen (at->data));
    const char *file = engine ? neff_string (def, at->data) : NULL;
    if (!file || !g_str_has_suffix (file, ".json"))
      continue;
    any = TRUE;
    status = add_engine (s, engine, file);
  }
  s->incomplete |= !any;
  return status;
}

/* -- One subgraph, all of them ------------------------------------------------------------ */

static nprof_status
read_def (Subgraph *s, const char *definition)
{
  g_autoptr (JsonNode) root = NULL;
  nprof_status status = neff_json (s->n, definition, &root);
  if (!root)
    return status;
  JsonObject *def = json_node_get_object (root);
  add_vars (s, neff_object (def, "var"));
  add_queues (s, neff_object (def, "dma_queue"));
  status = add_engines (s, def);
  for (guint i = s->first_queue; s->incomplete && i < s->n->queues->len; i++)
    ((NeffQueue *) s->n->queues->pdata[i])->uncounted = TRUE;
  return status;
}

static nprof_status
add_subgraph (Neff *n, const char *definition, gboolean several)
{
  if (read_before (n, definition))
    return NPROF_OK;
  const char *slash = strrchr (definition, '/');
  g_autofree char *folder = g_strndup (definition, slash ? (gsize) (slash - definition + 1) : 0);
  g_autoptr (GHashTable) by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Subgraph s = { n, folder, several ? folder : (char *) "", by_name, n->queues->len, FALSE };
  return read_def (&s, definition);
}

/* Skips a leading ./, as in names of members. */
static const char *
plain (const char *name)
{
  while (g_str_has_prefix (name, "./"))
    name += 2;
  return name;
}

static void
listed (JsonObject *kelf, GPtrArray *definitions)
{
  JsonArray *graphs = neff_array (kelf, "graphs");
  for (guint i = 0; graphs && i < json_array_get_length (graphs); i++) {
    const char *name
        = neff_string (neff_node_object (json_array_get_element (graphs, i)), "definition");
    if (name)
      g_ptr_array_add (definitions, g_strdup (plain (name)));
  }
}

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Finds every def.json one folder down, where there is no list. */
static void
found (const Neff *n, GPtrArray *definitions)
{
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, n->members);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    const char *slash = strchr (key, '/');
    if (slash && strcmp (slash, "/def.json") == 0)
      g_ptr_array_add (definitions, g_strdup (key));
  }
  g_ptr_array_sort (definitions, by_text);
}

/* Returns kelf-N.json by the graph's word, else by its usual names. */
static const char *
kelf_name (const Neff *n, const char *kelf)
{
  if (kelf || neff_member (n, "kelf-0.json") || !neff_member (n, "kelf-a.json"))
    return kelf ? plain (kelf) : "kelf-0.json";
  return "kelf-a.json";
}

nprof_status
neff_subgraphs (Neff *n, const char *kelf)
{
  g_autoptr (GPtrArray) definitions = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (JsonNode) root = NULL;
  nprof_status status = neff_json (n, kelf_name (n, kelf), &root);
  if (status)
    return status;
  if (root)
    listed (json_node_get_object (root), definitions);
  if (definitions->len == 0)
    found (n, definitions);
  for (guint i = 0; i < definitions->len && status == NPROF_OK; i++)
    status = add_subgraph (n, definitions->pdata[i], definitions->len > 1);
  return status;
}
