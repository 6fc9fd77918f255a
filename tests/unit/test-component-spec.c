/* SPDX-License-Identifier: Apache-2.0 */
/* test-component-spec.c - NAME:key=value,... as people write it, and where they slip. */

#include "base/error.h"
#include "plugin/component-spec.h"

static const char *
value (const NpSpec *spec, const char *key)
{
  guint i;
  if (!g_ptr_array_find_with_equal_func (spec->keys, key, g_str_equal, &i))
    return NULL;
  return g_ptr_array_index (spec->values, i);
}

static void
check (const char *text, const char *name, const char *key, const char *want)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NpSpec) spec = np_spec_parse (text, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (spec->name, ==, name);
  g_assert_cmpuint (spec->keys->len, ==, spec->values->len);
  if (key)
    g_assert_cmpstr (value (spec, key), ==, want);
  else
    g_assert_cmpuint (spec->keys->len, ==, 0);
}

static void
test_values (void)
{
  check ("csv", "csv", NULL, NULL);
  check ("csv:", "csv", NULL, NULL);
  check ("csv:delimiter=;", "csv", "delimiter", ";");
  check ("csv:a=1,delimiter=;,b=2", "csv", "delimiter", ";");
  check ("csv:a=,b=", "csv", "a", "");
  check ("csv:a=,b=", "csv", "b", "");
  check ("csv:a=x=y", "csv", "a", "x=y");
  check ("influx:url=http://localhost:8086", "influx", "url", "http://localhost:8086");
}

static void
test_escapes (void)
{
  check ("csv:delimiter=\\,", "csv", "delimiter", ",");
  check ("csv:delimiter=\\,,b=1", "csv", "delimiter", ",");
  check ("csv:a=\\\\", "csv", "a", "\\");
  check ("csv:a=\\t", "csv", "a", "\\t");
  check ("csv:a=\\", "csv", "a", "\\");
  check ("csv:a=\\\"x", "csv", "a", "\"x");
}

static void
test_quotes (void)
{
  check ("csv:a=\"x, y\",b=1", "csv", "a", "x, y");
  check ("csv:a=\"x, y\",b=1", "csv", "b", "1");
  check ("csv:a=\"say \\\"hi\\\"\"", "csv", "a", "say \"hi\"");
  check ("csv:a=\"C:\\\\\"", "csv", "a", "C:\\");
  check ("csv:a=\"\"", "csv", "a", "");
  check ("csv:a=5\" disk", "csv", "a", "5\" disk");
}

static void
test_bare (void)
{
  g_autoptr (NpSpec) spec = np_spec_parse ("csv:excel,a=yes", NULL);
  g_assert_cmpstr (value (spec, "excel"), ==, "yes");
  g_assert_true (g_hash_table_contains (spec->bare, "excel"));
  g_assert_false (g_hash_table_contains (spec->bare, "a"));
  np_spec_set (spec, "excel", "no");
  g_assert_cmpstr (value (spec, "excel"), ==, "no");
  g_assert_false (g_hash_table_contains (spec->bare, "excel"));
}

static void
test_set (void)
{
  g_autoptr (NpSpec) spec = np_spec_new ("csv");
  np_spec_set (spec, "a", "1");
  np_spec_set (spec, "b", "2");
  np_spec_set (spec, "a", "3");
  np_spec_set (spec, "a", value (spec, "a"));
  g_assert_cmpuint (spec->keys->len, ==, 2);
  g_assert_cmpstr (value (spec, "a"), ==, "3");
  np_spec_free (NULL);
}

static void
check_error (const char *text, const char *want)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (np_spec_parse (text, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
  g_assert_cmpstr (error->message, ==, want);
}

static void
test_errors (void)
{
  check_error ("", "\"\", character 1: a name was expected, as in NAME or NAME:key=value");
  check_error (":a=1", "\":a=*\", character 1: a name was expected, as in NAME or NAME:key=value");
  check_error ("csv:delimiter=,",
               "\"csv:delimiter=,\", character 16: key=value was expected: a comma "
               "in a value is written \\, or the value stands in quotes");
  check_error ("csv:=1", "\"csv:=*\", character 5: key=value was expected: a comma in a value is "
                         "written \\, or the value stands in quotes");
  check_error ("csv:a=1,b=2,a=3", "\"csv:a=*,b=*,a=*\", character 13: option a is given twice");
  check_error ("csv:a=\"x",
               "\"csv:a=\"*\", character 7: this quote is not closed: write \\\" for a "
               "quote in a value");
  check_error ("csv:a=\"x\\\"",
               "\"csv:a=\"***\", character 7: this quote is not closed: write \\\" "
               "for a quote in a value");
  check_error ("csv:a=\"x\"y",
               "\"csv:a=\"*\"*\", character 10: a comma or the end was expected behind "
               "the closing quote: write \\\" for a quote in a value");
}

static void
test_long (void)
{
  g_autofree char *x = g_strnfill (1 << 20, 'x');
  g_autofree char *text = g_strconcat ("csv:a=", x, ",b=\"", x, "\"", NULL);
  check (text, "csv", "a", x);
  check (text, "csv", "b", x);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/spec/values", test_values);
  g_test_add_func ("/spec/escapes", test_escapes);
  g_test_add_func ("/spec/quotes", test_quotes);
  g_test_add_func ("/spec/bare", test_bare);
  g_test_add_func ("/spec/set", test_set);
  g_test_add_func ("/spec/errors", test_errors);
  g_test_add_func ("/spec/long", test_long);
  return g_test_run ();
}
