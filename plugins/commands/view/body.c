/* SPDX-License-Identifier: Apache-2.0 */
/* body.c - parses the JSON of a request. */

#include "body.h"
#include "base/strict-json.h"

/* Refuses members that nobody reads, and flags that are none, so that no wish is skipped. */
static gboolean
has_only (NpAsk *ask, JsonObject *body, const char *members)
{
  g_auto (GStrv) known = g_strsplit (members, " ", -1);
  g_autoptr (GList) names = json_object_get_members (body);
  for (const GList *l = names; l; l = l->next) {
    JsonNode *node = json_object_get_member (body, l->data);
    g_autofree char *flag = g_strconcat (l->data, "?", NULL);
    if (g_strv_contains ((const char *const *) known, flag)) {
      if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_BOOLEAN)
        return np_reply_fail (ask->reply, 400, "", "expected %s to be true or false",
                              (const char *) l->data);
    } else if (!g_strv_contains ((const char *const *) known, l->data)) {
      g_autofree char *list = g_strdelimit (g_strdup (members), "?", ' ');
      return np_reply_fail (ask->reply, 400, "docs/formats/view-api.md lists the members",
                            "the body has a member %.100s: expected %s", (const char *) l->data,
                            list);
    }
  }
  return TRUE;
}

JsonNode *
np_ask_body (NpAsk *ask, const char *members)
{
  const GString *text = ask->request->body;
  guint line = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  const char *problem = np_strict_json_problem (text->str, text->len, &line);
  if (!problem && !json_parser_load_from_data (parser, text->str, (gssize) text->len, &error))
    problem = error->message;
  JsonNode *root = problem ? NULL : json_parser_get_root (parser);
  if (!problem && (!root || !JSON_NODE_HOLDS_OBJECT (root)))
    problem = "expected an object";
  if (problem)
    np_reply_fail (ask->reply, 400, "", "the body is no JSON as expected here: %s", problem);
  gboolean good = !problem && has_only (ask, json_node_get_object (root), members);
  return good ? json_node_copy (root) : NULL;
}

const char *
np_body_text (JsonObject *body, const char *name)
{
  JsonNode *node = body ? json_object_get_member (body, name) : NULL;
  gboolean text
      = node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING;
  return text ? json_node_get_string (node) : NULL;
}

gboolean
np_body_flag (JsonObject *body, const char *name)
{
  JsonNode *node = json_object_get_member (body, name);
  gboolean flag
      = node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_BOOLEAN;
  return flag && json_node_get_boolean (node);
}

gboolean
np_body_number (JsonObject *body, const char *name, guint64 *value)
{
  JsonNode *node = json_object_get_member (body, name);
  if (!node)
    return TRUE;
  gboolean whole = JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_INT64;
  gint64 number = whole ? json_node_get_int (node) : -1;
  if (number >= 0)
    *value = (guint64) number;
  return number >= 0;
}

GStrv
np_body_texts (JsonObject *body, const char *name)
{
  JsonNode *node = json_object_get_member (body, name);
  g_autoptr (GStrvBuilder) texts = g_strv_builder_new ();
  JsonArray *array = node && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  if (node && !array && !JSON_NODE_HOLDS_NULL (node))
    return NULL;
  for (guint i = 0; array && i < json_array_get_length (array); i++) {
    JsonNode *element = json_array_get_element (array, i);
    if (!JSON_NODE_HOLDS_VALUE (element) || json_node_get_value_type (element) != G_TYPE_STRING)
      return NULL;
    g_strv_builder_add (texts, json_node_get_string (element));
  }
  return g_strv_builder_end (texts);
}
