/* SPDX-License-Identifier: Apache-2.0 */
/* config-file.c - completes a configuration by a JSON file {inputs, decoder, analyzers, sinks,
 * output, jobs}, whose components are {name, options}. */

#include "cli/config-file.h"
#include "base/strict-json.h"

#include <nprof/format.h>

static gboolean
fail_member (GError **error, const char *path, const char *where, const char *expected)
{
  return np_error_set (error, NP_EXIT_USAGE, "%s: %s: expected %s", path, where, expected);
}

/* Returns a value of an option as the command line would write it; transfer full, NULL: no
 * scalar. */
static char *
option_text (JsonNode *node)
{
  if (!JSON_NODE_HOLDS_VALUE (node))
    return NULL;
  switch (json_node_get_value_type (node)) {
  case G_TYPE_STRING:
    return g_strdup (json_node_get_string (node));
  case G_TYPE_BOOLEAN:
    return g_strdup (json_node_get_boolean (node) ? "yes" : "no");
  case G_TYPE_INT64:
    return g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));
  case G_TYPE_DOUBLE: {
    char buffer[NPROF_MAX_NUMBER];
    const char *end = nprof_format_double (buffer, json_node_get_double (node));
    return g_strndup (buffer, (gsize) (end - buffer));
  }
  default:
    return NULL;
  }
}

/* Returns whether it is a string that is not empty. */
static gboolean
is_text (JsonNode *node)
{
  return node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
         && *json_node_get_string (node);
}

static gboolean
load_options (NpSpec *spec, JsonObject *options, const char *path, const char *where,
              GError **error)
{
  JsonObjectIter iter;
  const char *key;
  JsonNode *value;
  json_object_iter_init_ordered (&iter, options);
  while (json_object_iter_next_ordered (&iter, &key, &value)) {
    g_autofree char *text = option_text (value);
    if (!text) {
      g_autofree char *place = g_strdup_printf ("%s: %s: %s", where, spec->name, key);
      return fail_member (error, path, place, "a string, a number, true or false");
    }
    np_spec_set (spec, key, text);
  }
  return TRUE;
}

static NpSpec *
spec_from_object (JsonObject *object, const char *path, const char *where, GError **error)
{
  JsonNode *name = json_object_get_member (object, "name");
  JsonNode *options = json_object_get_member (object, "options");
  guint known = (name != NULL) + (options != NULL);
  if (!is_text (name) || json_object_get_size (object) != known) {
    fail_member (error, path, where, "{\"name\": \"...\", \"options\": {...}}, and nothing else");
    return NULL;
  }
  if (options && !JSON_NODE_HOLDS_OBJECT (options)) {
    fail_member (error, path, where, "\"options\" to be an object");
    return NULL;
  }
  g_autoptr (NpSpec) spec = np_spec_new (json_node_get_string (name));
  if (options && !load_options (spec, json_node_get_object (options), path, where, error))
    return NULL;
  return g_steal_pointer (&spec);
}

/* Reads "name:key=value" or {name, options}. */
static NpSpec *
spec_from_node (JsonNode *node, const char *path, const char *where, GError **error)
{
  if (is_text (node)) {
    NpSpec *spec = np_spec_parse (json_node_get_string (node), error);
    if (!spec)
      g_prefix_error (error, "%s: %s: ", path, where);
    return spec;
  }
  if (JSON_NODE_HOLDS_OBJECT (node))
    return spec_from_object (json_node_get_object (node), path, where, error);
  fail_member (error, path, where, "a name or {\"name\": \"...\", \"options\": {...}}");
  return NULL;
}

static gboolean
load_specs (GPtrArray *specs, JsonNode *node, const char *path, const char *where, GError **error)
{
  gboolean set = specs->len > 0;
  if (!JSON_NODE_HOLDS_ARRAY (node))
    return fail_member (error, path, where, "an array of components");
  JsonArray *array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    NpSpec *spec = spec_from_node (json_array_get_element (array, i), path, where, error);
    if (!spec)
      return FALSE;
    if (set)
      np_spec_free (spec); /* checked, but the command line wins */
    else
      g_ptr_array_add (specs, spec);
  }
  return TRUE;
}

static gboolean
load_inputs (GPtrArray *inputs, JsonNode *node, const char *path, GError **error)
{
  gboolean set = inputs->len > 0;
  if (!JSON_NODE_HOLDS_ARRAY (node))
    return fail_member (error, path, "inputs", "an array of paths");
  JsonArray *array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    JsonNode *item = json_array_get_element (array, i);
    if (!is_text (item))
      return fail_member (error, path, "inputs", "an array of paths");
    if (!set)
      g_ptr_array_add (inputs, g_strdup (json_node_get_string (item)));
  }
  return TRUE;
}

static gboolean
load_member (NpConfig *config, const char *key, JsonNode *node, const char *path, GError **error)
{
  if (g_str_equal (key, "inputs"))
    return load_inputs (config->inputs, node, path, error);
  if (g_str_equal (key, "analyzers"))
    return load_specs (config->analyzers, node, path, key, error);
  if (g_str_equal (key, "sinks"))
    return load_specs (config->sinks, node, path, key, error);
  if (g_str_equal (key, "decoder")) {
    g_autoptr (NpSpec) spec = spec_from_node (node, path, key, error);
    gboolean ok = spec != NULL;
    if (!config->decoder)
      config->decoder = g_steal_pointer (&spec);
    return ok;
  }
  if (g_str_equal (key, "output")) {
    if (!is_text (node))
      return fail_member (error, path, key, "a path");
    if (!config->output)
      config->output = g_strdup (json_node_get_string (node));
    return TRUE;
  }
  if (g_str_equal (key, "jobs")) {
    gboolean whole
        = JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_INT64;
    gint64 jobs = whole ? json_node_get_int (node) : 0;
    if (jobs < 1 || jobs > 1024)
      return fail_member (error, path, key, "a whole number from 1 to 1024");
    if (!config->jobs)
      config->jobs = (guint) jobs;
    return TRUE;
  }
  return fail_member (error, path, key, "one of inputs, decoder, analyzers, sinks, output, jobs");
}

gboolean
np_config_load (NpConfig *config, const char *path, GError **error)
{
  g_autoptr (JsonNode) root = np_strict_json_read (path, error);
  if (!root)
    return FALSE;
  np_read_files_add (config->read, path);
  if (!JSON_NODE_HOLDS_OBJECT (root))
    return fail_member (error, path, "the file", "a JSON object");
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;
  json_object_iter_init_ordered (&iter, json_node_get_object (root));
  while (json_object_iter_next_ordered (&iter, &key, &node))
    if (!load_member (config, key, node, path, error))
      return FALSE;
  return TRUE;
}
