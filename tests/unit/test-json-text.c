/* SPDX-License-Identifier: Apache-2.0 */
/* test-json-text.c - json-glib reads back what np_append_json_text wrote. */

#include "base/json-text.h"

#include <json-glib/json-glib.h>

static void
test_read_back (void)
{
  static const char text[] = "a\"b\\c/\n\t\x01\x1f\xe2\x82\xac\xf0\x9f\x98\x80";
  g_autoptr (GString) out = g_string_new ("[");
  np_append_json_text (out, text);
  g_string_append (out, ",");
  np_append_json_text (out, "");
  g_string_append (out, "]");
  g_autoptr (JsonNode) json = json_from_string (out->str, NULL);
  g_assert_nonnull (json);
  JsonArray *array = json_node_get_array (json);
  g_assert_cmpstr (json_node_get_string (json_array_get_element (array, 0)), ==, text);
  g_assert_cmpstr (json_node_get_string (json_array_get_element (array, 1)), ==, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-text/read-back", test_read_back);
  return g_test_run ();
}
