/* SPDX-License-Identifier: Apache-2.0 */
/* test-strict-json.c - what is read from a small JSON file, and what is refused before
 * json-glib would change it. */

#include "base/strict-json.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"

typedef struct {
  char *folder, *path;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->folder = g_dir_make_tmp ("nprof-json-XXXXXX", NULL);
  f->path = g_build_filename (f->folder, "a.json", NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  g_remove (f->path);
  g_rmdir (f->folder);
  g_free (f->path);
  g_free (f->folder);
}

static void
put (Fixture *f, const char *text, gssize len)
{
  g_autoptr (GError) error = NULL;
  g_file_set_contents (f->path, text, len, &error);
  g_assert_no_error (error);
}

static void
accept (Fixture *f, const char *text)
{
  put (f, text, -1);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = np_strict_json_read (f->path, &error);
  g_assert_no_error (error);
  g_autofree char *printed = json_to_string (root, FALSE);
  g_assert_cmpstr (printed, ==, text);
}

/* The error names the file, and says this behind it. */
static void
refuse (const char *path, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (np_strict_json_read (path, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
  g_assert_true (g_str_has_prefix (error->message, path));
  if (!g_str_has_prefix (error->message + strlen (path), expected))
    g_error ("\"%s\" was expected in \"%s\"", expected, error->message);
}

static void
refuse_text (Fixture *f, const char *text, const char *expected)
{
  put (f, text, -1);
  refuse (f->path, expected);
}

static char *
nested (guint depth)
{
  g_autofree char *open = g_strnfill (depth, '['), *close = g_strnfill (depth, ']');
  return g_strconcat (open, close, NULL);
}

static void
test_accepted (Fixture *f, gconstpointer data)
{
  (void) data;
  accept (f, "{\"a\":1,\"b\":[true,null,\"x\"],\"c\":{}}");
  accept (f, "[999999999999999999,-999999999999999999]");
  accept (f, "[\"12345678901234567890\",\"\\\"[[[12345678901234567890\",\"\\\\\",1]");
  accept (f, "[0.5,0.125,1]");
  g_autofree char *deep = nested (64);
  accept (f, deep);
}

static void
test_numbers_that_would_wrap (Fixture *f, gconstpointer data)
{
  (void) data;
  refuse_text (f, "{\"a\":\n 9223372036854775808}",
               ":2: a whole number that 64 bits do not hold: write it as a string");
  refuse_text (f, "[-99999999999999999999]", ":1: a whole number that 64 bits do not hold");
  put (f, "[0.12345678901234567890123, 1.5e-10, 123456789012345678, 123456789012345678]", -1);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = np_strict_json_read (f->path, &error);
  g_assert_no_error (error);
  g_assert_cmpint (json_node_get_int (json_array_get_element (json_node_get_array (root), 3)), ==,
                   123456789012345678);
}

static void
test_escapes (Fixture *f, gconstpointer data)
{
  (void) data;
  accept (f, "[\"\\\\q\\\"\\n\\t\",9223372036854775807]");
  static const char *const bad[]
      = { "\\q",     "\\101",          "\\u",         "\\u12", "\\uzzzz", "\\ud83d",
          "\\ude00", "\\ud83d\\u0041", "\\ud83d\\ud8" };
  for (guint k = 0; k < G_N_ELEMENTS (bad); k++) {
    g_autofree char *text = g_strdup_printf ("[\n\"%s\"]", bad[k]);
    refuse_text (f, text, ":2: an escape that JSON does not have");
  }
  put (f, "[\"\\u00e9\\/\\ud83d\\ude00\\u20ac\"]", -1);
  g_autoptr (JsonNode) root = np_strict_json_read (f->path, NULL);
  g_assert_cmpstr (json_node_get_string (json_array_get_element (json_node_get_array (root), 0)),
                   ==, "é/😀€");
}

static void
test_strings_that_would_be_cut (Fixture *f, gconstpointer data)
{
  (void) data;
  refuse_text (f, "{\"a\": \"x\\u0000y\"}", ":1: a string holds \\u0000");
  accept (f, "[\"\\\\u0000\"]"); /* a backslash and u0000 */
}

static void
test_no_json (Fixture *f, gconstpointer data)
{
  (void) data;
  refuse_text (f, "", ": the file is empty: expected JSON");
  refuse_text (f, "{\n \"a\": tru }", ":2:9: Parse error: ");
  refuse_text (f, "[1,]", ":1:");
  refuse_text (f, "[\"abc", ":1:");
  refuse_text (f, "[\"abc\\", ":1:");
  refuse_text (f, "[\"\xff\"]", "");
  refuse_text (f, "]]]", ":1:");
}

/* json-glib takes these, and something else than what is written. */
static void
test_other_meaning (Fixture *f, gconstpointer data)
{
  (void) data;
  refuse_text (f, "{\"jobs\": 010}", ":1: a number that begins with 0");
  refuse_text (f, "{\"jobs\":\n-0x10}", ":2: a number that begins with 0");
  accept (f, "[0,0.5,-10,100,\"010\"]");
  refuse_text (f, "{\"a\":1}\n{\"b\":2}", ":2: something stands behind the end of the document");
  refuse_text (f, "[] 1", ":1: something stands behind the end");
  refuse_text (f, "\"a\" {}", ":1: something stands behind the end");
  refuse_text (f, "{\"a\":{\"b\":1},\"b\":2,\"a\":3}", ": member \"a\" is given twice: keep one");
  refuse_text (f, "[{\"x\":{\"y\":1,\"y\":1}}]", ": member \"y\" is given twice: keep one");
  accept (f, "[{\"a\":1},{\"a\":{\"a\":2}}]");
  refuse_text (f, "{'a\"': 18446744073709551617}", ":1: a character that JSON has in strings only");
  refuse_text (f, "[/* \" */ 18446744073709551617]", ":1: a character that JSON has in strings");
  refuse_text (f, "var x = {}", ":1: a character that JSON has in strings only");
  put (f, "{\"a\":1}\0{", 9);
  refuse (f->path, ":1: a character that JSON has in strings only");
}

static void
test_too_much (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autofree char *deep = nested (65), *deeper = g_strnfill (500000, '[');
  refuse_text (f, deep, ":1: nested deeper than 64 levels");
  refuse_text (f, deeper, ":1: nested deeper than 64 levels");
  g_autofree char *large = g_strnfill (NP_STRICT_JSON_BYTES + 1, ' ');
  large[0] = '1';
  refuse_text (f, large, ": larger than 1 MB");
  put (f, large, NP_STRICT_JSON_BYTES);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = np_strict_json_read (f->path, &error);
  g_assert_no_error (error);
  g_assert_nonnull (root);
}

static void
test_no_file (Fixture *f, gconstpointer data)
{
  (void) data;
  refuse (f->path, ": No such file or directory");
  refuse (f->folder, ": Is a directory");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(path, fn) g_test_add (path, Fixture, NULL, set_up, fn, tear_down)
  TEST ("/small-json/accepted", test_accepted);
  TEST ("/small-json/numbers-that-would-wrap", test_numbers_that_would_wrap);
  TEST ("/small-json/escapes", test_escapes);
  TEST ("/small-json/strings-that-would-be-cut", test_strings_that_would_be_cut);
  TEST ("/small-json/no-json", test_no_json);
  TEST ("/small-json/other-meaning", test_other_meaning);
  TEST ("/small-json/too-much", test_too_much);
  TEST ("/small-json/no-file", test_no_file);
  return g_test_run ();
}
