/* SPDX-License-Identifier: Apache-2.0 */
/* test-json-writer.c - one document in each style: as it is spelt here, as json-glib indents it,
 * and as json-glib reads it back. */

#include "system/json-writer.h"

#include <json-glib/json-glib.h>

#define HARD "a\"b\\c/\n\t\x01\x1f\xe2\x82\xac\xf0\x9f\x98\x80"

static void
put_document (NpJson *j)
{
  np_json_object (j, NULL);
  np_json_text (j, "text", "a\"b");
  np_json_text (j, "none", NULL);
  np_json_array (j, "numbers");
  np_json_number (j, NULL, G_MAXINT64);
  np_json_integer (j, NULL, G_MININT64);
  np_json_i64 (j, NULL, G_MININT64);
  np_json_u64 (j, NULL, G_MAXUINT64);
  np_json_double (j, NULL, 0.5);
  np_json_array (j, NULL);
  np_json_end_array (j);
  np_json_end_array (j);
  np_json_bool (j, "last", TRUE);
  np_json_end_object (j);
}

static char *
written (NpJsonStyle style, void (*put) (NpJson *))
{
  struct nprof_buf buf = { 0 };
  NpJson json = { .buf = &buf, .style = style };
  GString *text = g_string_new (NULL);
  put (&json);
  np_json_move (&buf, text);
  g_assert_null (buf.data);
  return g_string_free (text, FALSE);
}

static void
test_dense (void)
{
  g_autofree char *text = written (NP_JSON_DENSE, put_document);
  g_assert_cmpstr (text, ==,
                   "{\"text\":\"a\\\"b\",\"none\":null,\"numbers\":["
                   "9223372036854775807,-9223372036854775808,\"-9223372036854775808\","
                   "\"18446744073709551615\",0.5,[]],\"last\":true}");
}

static void
test_spaced (void)
{
  g_autofree char *text = written (NP_JSON_SPACED, put_document);
  g_assert_cmpstr (text, ==,
                   "{\"text\": \"a\\\"b\", \"none\": null, \"numbers\": ["
                   "9223372036854775807, -9223372036854775808, \"-9223372036854775808\", "
                   "\"18446744073709551615\", 0.5, []], \"last\": true}");
}

static void
test_indented (void)
{
  g_autofree char *text = written (NP_JSON_INDENTED, put_document);
  g_autoptr (JsonNode) json = json_from_string (text, NULL);
  g_autofree char *expected = json_to_string (json, TRUE);
  g_assert_cmpstr (text, ==, expected);
}

static void
put_lines (NpJson *j)
{
  np_json_array (j, NULL);
  for (int i = 0; i < 2; i++) {
    np_json_line (j, 3);
    np_json_number (j, NULL, 7);
    np_json_number (j, NULL, 8);
  }
  np_json_line (j, 0);
  np_json_end_array (j);
}

static void
test_lines (void)
{
  g_autofree char *dense = written (NP_JSON_DENSE, put_lines);
  g_autofree char *spaced = written (NP_JSON_SPACED, put_lines);
  g_assert_cmpstr (dense, ==, "[\n   7,8,\n   7,8\n]");
  g_assert_cmpstr (spaced, ==, "[\n   7, 8,\n   7, 8\n]");
}

static void
put_unknown (NpJson *j)
{
  np_json_array (j, NULL);
  np_json_double (j, NULL, NAN);
  np_json_double_or_null (j, NULL, NAN);
  np_json_double (j, NULL, -INFINITY);
  np_json_raw (j, NULL, "{\"a\": [1, 2 ]}", 14);
  np_json_raw (j, NULL, "{\"a\"", 4);
  nprof_put_text (np_json_value (j, NULL, 0), "12");
  np_json_object (j, NULL);
  np_json_end_object (j);
  np_json_end_array (j);
}

static void
test_values (void)
{
  g_autofree char *text = written (NP_JSON_DENSE, put_unknown);
  g_assert_cmpstr (text, ==, "[\"NaN\",null,\"-Infinity\",{\"a\":[1,2]},\"{\\\"a\\\"\",12,{}]");
}

static void
put_hard (NpJson *j)
{
  np_json_object (j, NULL);
  np_json_text (j, HARD, HARD);
  np_json_text (j, "", "");
  np_json_end_object (j);
}

static void
test_read_back (void)
{
  g_autofree char *text = written (NP_JSON_INDENTED, put_hard);
  g_autoptr (JsonNode) json = json_from_string (text, NULL);
  JsonObject *object = json_node_get_object (json);
  const char *hard = json_object_get_string_member_with_default (object, HARD, NULL);
  const char *empty = json_object_get_string_member_with_default (object, "", NULL);
  g_assert_cmpstr (hard, ==, HARD);
  g_assert_cmpstr (empty, ==, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-writer/dense", test_dense);
  g_test_add_func ("/json-writer/spaced", test_spaced);
  g_test_add_func ("/json-writer/indented", test_indented);
  g_test_add_func ("/json-writer/lines", test_lines);
  g_test_add_func ("/json-writer/values", test_values);
  g_test_add_func ("/json-writer/read-back", test_read_back);
  return g_test_run ();
}
