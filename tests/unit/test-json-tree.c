/* SPDX-License-Identifier: Apache-2.0 */
/* test-json-tree.c - what np_json_tree_parse takes is what json-glib takes of it; what it refuses, and where. */

#include "base/json-tree.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* -- Beside json-glib ------------------------------------------------------ */

static guint
length (const NpJsonTree *json)
{
  guint n = 0;
  for (const NpJsonTree *item = json->first; item; item = item->next)
    n++;
  return n;
}

static void
same (const NpJsonTree *ours, JsonNode *theirs)
{
  if (JSON_NODE_HOLDS_OBJECT (theirs)) {
    JsonObject *object = json_node_get_object (theirs);
    g_assert_true (np_json_tree_is (ours, NP_JSON_OBJECT));
    g_assert_cmpuint (length (ours), >=, json_object_get_size (object));
    for (const NpJsonTree *item = ours->first; item; item = item->next)
      same (np_json_tree_member (ours, item->name), json_object_get_member (object, item->name));
  } else if (JSON_NODE_HOLDS_ARRAY (theirs)) {
    JsonArray *array = json_node_get_array (theirs);
    g_assert_true (np_json_tree_is (ours, NP_JSON_ARRAY));
    guint i = 0;
    g_assert_cmpuint (length (ours), ==, json_array_get_length (array));
    for (const NpJsonTree *item = ours->first; item; item = item->next)
      same (item, json_array_get_element (array, i++));
  } else if (JSON_NODE_HOLDS_NULL (theirs))
    g_assert_true (np_json_tree_is (ours, NP_JSON_NULL));
  else if (json_node_get_value_type (theirs) == G_TYPE_STRING)
    g_assert_cmpstr (np_json_tree_text (ours), ==, json_node_get_string (theirs));
  else if (json_node_get_value_type (theirs) == G_TYPE_BOOLEAN)
    g_assert_true (
        np_json_tree_is (ours, json_node_get_boolean (theirs) ? NP_JSON_TRUE : NP_JSON_FALSE));
  else if (json_node_get_value_type (theirs) == G_TYPE_DOUBLE)
    g_assert_true (np_json_tree_is (ours, NP_JSON_REAL));
  else
    g_assert_cmpint (ours->number, ==, json_node_get_int (theirs));
}

static void
test_beside_json_glib (void)
{
  static const char *const documents[] = {
    "{}",
    "[]",
    " {\t\"a\" :\r\n [ 1 , -2,\"b\",true , false,null ] } \n",
    "{\"a\":{\"a\":{\"a\":[[],[{}]]}},\"\":\"\"}",
    "{\"a\":1,\"b\":2,\"a\":3}",
    "[9223372036854775807,-9223372036854775807,0,-0,1.5,1e9,-2.5E-3]",
    "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\",\"\xc3\xa9\"]",
  };
  for (guint i = 0; i < G_N_ELEMENTS (documents); i++) {
    g_autofree char *problem = NULL;
    g_autoptr (GError) error = NULL;
    g_autoptr (NpJsonTree) ours
        = np_json_tree_parse (documents[i], strlen (documents[i]), &problem);
    g_assert_cmpstr (problem, ==, NULL);
    g_autoptr (JsonNode) theirs = json_from_string (documents[i], &error);
    g_assert_no_error (error);
    same (ours, theirs);
  }
}

/* -- What is refused ------------------------------------------------------- */

static void
test_refused (void)
{
  static const char *const documents[][2] = {
    { "", "line 1: a value was expected" },
    { "\n{\"a\"", "line 2: ':' was expected" },
    { "{\"a\":1,}", "line 1: a string was expected" },
    { "{\"a\":1\n\n\"b\":2}", "line 3: ',' or '}' was expected" },
    { "[1 2]", "line 1: ',' or ']' was expected" },
    { "[1,]", "line 1: a value was expected" },
    { "[", "line 1: a value was expected" },
    { "[\"a]",
      "line 1: the end of a string, in which control characters are escaped was expected" },
    { "[\"a\nb\"]",
      "line 1: the end of a string, in which control characters are escaped was expected" },
    { "[\"\\x\"]", "line 1: an escape that JSON does not have: write \\\\ for a backslash" },
    { "[\"\\ud800\"]", "line 1: an escape that JSON does not have: write \\\\ for a backslash" },
    { "[\"\\",
      "line 1: the end of a string, in which control characters are escaped was expected" },
    { "[\"\\u0000\"]", "line 1: a string holds \\u0000, which no value can hold: leave it out" },
    { "[010]", "line 1: a number that begins with 0: write it as a decimal number" },
    { "[9223372036854775808]",
      "line 1: a whole number that 64 bits do not hold: write it as a string" },
    { "[1.]", "line 1: a value was expected" },
    { "[nul]", "line 1: a value was expected" },
    { "[NaN]", "line 1: a value was expected" },
    { "{\"a\":1}]",
      "line 1: something stands behind the end of the document: expected one document" },
    { "1 1", "line 1: the end of the document was expected" },
    { "[\"\xff\"]", "line 1: it is no text in UTF-8" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (documents); i++) {
    g_autofree char *problem = NULL;
    g_assert_null (np_json_tree_parse (documents[i][0], strlen (documents[i][0]), &problem));
    g_assert_cmpstr (problem, ==, documents[i][1]);
  }
}

/* Every beginning of a document is refused, and read no further. */
static void
test_cut_off (void)
{
  static const char document[] = "{\"a\": [\"\\u20ac\\n\", 12, true, {\"b\": null}]}";
  for (gsize n = 0; n < sizeof document - 1; n++) {
    /* Without a NUL behind it, so that a sanitizer sees a byte too many. */
    g_autofree char *problem = NULL, *text = g_memdup2 (document, n);
    g_assert_null (np_json_tree_parse (text ? text : "", n, &problem));
    g_assert_nonnull (problem);
  }
}

static void
test_depth (void)
{
  g_autofree char *opened = g_strnfill (64, '['), *closed = g_strnfill (64, ']'), *problem = NULL;
  g_autofree char *deep = g_strconcat (opened, closed, NULL);
  g_autofree char *deeper = g_strconcat ("[", deep, "]", NULL);
  g_autoptr (NpJsonTree) json = np_json_tree_parse (deep, 128, &problem);
  g_assert_nonnull (json);
  g_assert_null (np_json_tree_parse (deeper, 130, &problem));
  g_assert_cmpstr (problem, ==, "line 1: nested deeper than 64 levels: expected a small document");
}

/* -- Writing --------------------------------------------------------------- */

static void
test_written (void)
{
  static const char text[] = "a\"b\\c/\n\t\x01\x1f\xe2\x82\xac";
  g_autoptr (GString) out = g_string_new ("[");
  g_autofree char *problem = NULL;
  np_append_json_text (out, text);
  g_string_append_c (out, ']');
  g_autoptr (NpJsonTree) json = np_json_tree_parse (out->str, out->len, &problem);
  g_assert_cmpstr (np_json_tree_text (json->first), ==, text);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-tree/beside-json-glib", test_beside_json_glib);
  g_test_add_func ("/json-tree/refused", test_refused);
  g_test_add_func ("/json-tree/cut-off", test_cut_off);
  g_test_add_func ("/json-tree/depth", test_depth);
  g_test_add_func ("/json-tree/written", test_written);
  return g_test_run ();
}
