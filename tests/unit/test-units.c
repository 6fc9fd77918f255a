/* SPDX-License-Identifier: Apache-2.0 */
/* test-units.c - figures are those of tests/units.json; those that lost digits say so, points in
 * time lose none. */

#include <nprof/units.h>

#include <json-glib/json-glib.h>

/* A whole number stands in the file as text, as no double holds all of them. */
static struct nprof_figure
figure_of (JsonNode *value, const char *unit)
{
  if (json_node_get_value_type (value) != G_TYPE_STRING)
    return nprof_figure (json_node_get_double (value), unit);
  const char *text = json_node_get_string (value);
  if (strspn (text, "-0123456789") < strlen (text))
    return nprof_figure (g_ascii_strtod (text, NULL), unit);
  return *text == '-' ? nprof_figure_i64 (g_ascii_strtoll (text, NULL, 10), unit)
                      : nprof_figure_u64 (g_ascii_strtoull (text, NULL, 10), false, unit);
}

static void
test_vectors (gconstpointer path)
{
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_autoptr (JsonNode) root = json_from_string (text, NULL);
  g_assert_nonnull (root);
  JsonArray *all = json_node_get_array (root);
  g_assert_cmpuint (json_array_get_length (all), >, 50);
  for (guint i = 0; i < json_array_get_length (all); i++) {
    JsonArray *one = json_node_get_array (json_array_get_element (all, i));
    const char *unit = json_node_get_string (json_array_get_element (one, 1));
    struct nprof_figure f = figure_of (json_array_get_element (one, 0), unit);
    g_assert_cmpstr (nprof_figure_join (f).text, ==,
                     json_node_get_string (json_array_get_element (one, 2)));
  }
}

static void
test_rounded (void)
{
  g_assert_false (nprof_figure (1.5e9, "ps").rounded);
  g_assert_false (nprof_figure (1.23e9, "ps").rounded);
  g_assert_true (nprof_figure (1.234e9, "ps").rounded);
  g_assert_false (nprof_figure (.123, "1").rounded);
  g_assert_true (nprof_figure (.1234, "1").rounded);
  g_assert_false (nprof_figure_u64 (G_MAXUINT64, false, "").rounded);
}

static void
test_instant (void)
{
  g_assert_cmpstr (nprof_point (0).text, ==, "0 ps");
  g_assert_cmpstr (nprof_point (2602401000).text, ==, "2.602401 ms");
  g_assert_cmpstr (nprof_point (-1000).text, ==, "-1 ns");
  g_assert_cmpstr (nprof_point (G_MAXINT64).text, ==, "9223372.036854775807 s");
  g_assert_cmpstr (nprof_point (G_MININT64).text, ==, "-9223372.036854775808 s");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/units/vectors", argv[1], test_vectors);
  g_test_add_func ("/units/rounded", test_rounded);
  g_test_add_func ("/units/instant", test_instant);
  return g_test_run ();
}
