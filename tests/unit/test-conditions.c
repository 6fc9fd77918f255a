/* SPDX-License-Identifier: Apache-2.0 */
/* test-conditions.c - the grammar of conditions, by tests/conditions.json, which the page has as
 * well; whole numbers beyond 2^53 in conditions on cells of tables, and on rows of stores. */

#include "table/condition.h"

#include <glib.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include <store/match.h>

/* A number of a cell beside a text: below, at or above; UNORDERED: the text is no number. */
enum { UNORDERED = 9 };
static const struct {
  guint type;
  guint64 value;
  const char *text;
  int order;
} cases[] = {
  { NPROF_INT64, 9007199254740993, "9007199254740992", 1 },
  { NPROF_INT64, 9007199254740993, "9007199254740993", 0 },
  { NPROF_INT64, 9007199254740993, "9007199254740994", -1 },
  { NPROF_INT64, 9007199254740994, "9007199254740993.5", 1 },
  { NPROF_INT64, 9007199254740993, "9007199254740993.5", -1 },
  { NPROF_INT64, 9007199254740993, "9007199254740993.000", 0 },
  { NPROF_INT64, 9007199254740993, "9.007199254740993e15", 0 },
  { NPROF_INT64, 9007199254740993, "90071992547409930e-1", 0 },
  { NPROF_INT64, 9007199254740993, "0009007199254740993", 0 },
  { NPROF_INT64, 9007199254740993, "1e400", -1 },
  { NPROF_INT64, 9007199254740993, "1e99999999999999999999", -1 },
  { NPROF_INT64, 9007199254740993, "1e-99999999999999999999", 1 },
  { NPROF_INT64, (guint64) -9007199254740993, "-9007199254740992", -1 },
  { NPROF_INT64, (guint64) -9007199254740993, "-9007199254740993", 0 },
  { NPROF_INT64, (guint64) -9007199254740993, "-9007199254740993.5", 1 },
  { NPROF_INT64, (guint64) -9007199254740993, "9007199254740993", -1 },
  { NPROF_INT64, G_MAXINT64, "9223372036854775806", 1 },
  { NPROF_INT64, G_MAXINT64, "9223372036854775808", -1 },
  { NPROF_INT64, (guint64) G_MININT64, "-9223372036854775808", 0 },
  { NPROF_INT64, (guint64) G_MININT64, "-9223372036854775807", -1 },
  { NPROF_INT64, (guint64) G_MININT64, "-9223372036854775809", 1 },
  { NPROF_INT64, 0, "-0", 0 },
  { NPROF_INT64, 0, "-0.5", 1 },
  { NPROF_INT64, 0, ".5", -1 },
  { NPROF_INT64, 5, "5.", 0 },
  { NPROF_UINT64, G_MAXUINT64, "18446744073709551614", 1 },
  { NPROF_UINT64, G_MAXUINT64, "18446744073709551615", 0 },
  { NPROF_UINT64, G_MAXUINT64, "18446744073709551616", -1 },
  { NPROF_UINT64, G_MAXUINT64, "-1", 1 },
  { NPROF_UINT64, G_MAXUINT64, "18446744073709551615.1", -1 },
  { NPROF_INT64, 5, "five", UNORDERED },
  { NPROF_INT64, 5, "5us", UNORDERED },
  { NPROF_INT64, 0, "", UNORDERED },
  { NPROF_INT64, 0, "-", UNORDERED },
  { NPROF_INT64, 0, ".", UNORDERED },
  { NPROF_INT64, 5, "5e", UNORDERED },
};

static const struct {
  const char *op;
  enum np_op search;
} ops[] = { { "<", NP_LESS },
            { "<=", NP_LESS_EQUAL },
            { ">", NP_MORE },
            { ">=", NP_MORE_EQUAL },
            { "=", NP_EQUAL } };

static gboolean
expected (int order, const char *op)
{
  if (order == UNORDERED)
    return FALSE;
  return (strchr (op, '=') && order == 0) || (*op == '<' && order < 0) || (*op == '>' && order > 0);
}

static struct np_want
want_of (enum np_op op, const char *text)
{
  struct np_want want = { .op = op, .text = (char *) text, .n = 1 };
  char *end;
  want.number = g_ascii_strtod (text, &end);
  want.is_number = end > text && !*end;
  want.is_decimal = np_decimal_read (text, strlen (text), &want.decimal);
  return want;
}

static void
test_cells (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint k = 0; k < G_N_ELEMENTS (ops); k++) {
      const struct nprof_cell cell = { .type = cases[i].type, .v.u = cases[i].value };
      struct np_want want = want_of (ops[k].search, cases[i].text);
      g_test_message ("%s %s", ops[k].op, cases[i].text);
      g_assert_cmpint (np_cell_fits (&cell, &want), ==, expected (cases[i].order, ops[k].op));
      if (want.op != NP_EQUAL)
        continue;
      want.deny = true;
      g_assert_cmpint (np_cell_fits (&cell, &want), ==, !expected (cases[i].order, "="));
    }
}

/* Attributes may be numbers in texts, too. */
static void
test_search (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint k = 0; k < G_N_ELEMENTS (ops); k++) {
      struct np_want want = want_of (ops[k].search, cases[i].text);
      bool is_int = cases[i].type == NPROF_INT64;
      g_autofree char *text = is_int
                                  ? g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) cases[i].value)
                                  : g_strdup_printf ("%" G_GUINT64_FORMAT, cases[i].value);
      g_test_message ("%s %s %s", text, ops[k].op, want.text);
      gboolean fits = expected (cases[i].order, ops[k].op);
      g_assert_cmpint (is_int ? np_match_int (&want, (gint64) cases[i].value)
                              : np_match_uint (&want, cases[i].value),
                       ==, fits);
      g_assert_cmpint (np_match_number (&want, text, strlen (text)), ==, fits);
    }
}

/* Doubles are compared as they are: a text is read as one. */
static void
test_doubles (void)
{
  static const struct {
    struct nprof_cell cell;
    enum np_op op;
    const char *text;
    gboolean fits;
  } doubles[] = {
    { { .type = NPROF_DOUBLE, .v.f = 0.1 }, NP_EQUAL, "0.1", TRUE },
    { { .type = NPROF_DOUBLE, .v.f = 0.1 }, NP_EQUAL, "nan", FALSE },
    { { .type = NPROF_DOUBLE, .v.f = 0.1 }, NP_LESS, "inf", TRUE },
    { { .type = NPROF_INT64, .v.i = G_MAXINT64 }, NP_LESS, "inf", TRUE },
    { { .type = NPROF_BOOL, .v.u = 1 }, NP_EQUAL, "true", TRUE },
    { { .type = NPROF_BOOL, .v.u = 1 }, NP_EQUAL, "1", TRUE },
    { { .type = NPROF_BOOL, .v.u = 1 }, NP_EQUAL, "yes", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (doubles); i++) {
    struct np_want want = want_of (doubles[i].op, doubles[i].text);
    g_test_message ("%u", i);
    g_assert_cmpint (np_cell_fits (&doubles[i].cell, &want), ==, doubles[i].fits);
  }
}

/* -- The grammar -------------------------------------------------------------------------- */

static const char *
text_at (JsonArray *list, guint i)
{
  return json_node_get_string (json_array_get_element (list, i));
}

static gint64
int_at (JsonArray *list, guint i)
{
  return json_node_get_int (json_array_get_element (list, i));
}

static JsonArray *
list_at (JsonArray *list, guint i)
{
  return json_node_get_array (json_array_get_element (list, i));
}

static JsonArray *
list_of (JsonObject *object, const char *name)
{
  return json_node_get_array (json_object_get_member (object, name));
}

static struct nprof_cell
cell_of (JsonNode *node)
{
  const char *text;
  if (json_node_get_node_type (node) == JSON_NODE_NULL)
    return (struct nprof_cell){ .type = NPROF_NULL };
  if (json_node_get_value_type (node) == G_TYPE_INT64)
    return (struct nprof_cell){ .type = NPROF_INT64, .v.i = json_node_get_int (node) };
  if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    return (struct nprof_cell){ .type = NPROF_DOUBLE, .v.f = json_node_get_double (node) };
  text = json_node_get_string (node);
  return (struct nprof_cell){ .type = NPROF_TEXT, .len = (guint32) strlen (text), .v.text = text };
}

static guint
column_of (JsonArray *columns, const char *field)
{
  for (guint i = 0; i < json_array_get_length (columns); i++)
    if (g_str_equal (text_at (columns, i), field))
      return i;
  g_assert_not_reached ();
}

static gboolean
row_fits (const struct np_filter *f, JsonArray *columns, JsonArray *row)
{
  gboolean any = FALSE;
  for (guint i = 0, part = 0; i < f->n; i++) {
    gboolean all = TRUE;
    for (; part < f->ends[i]; part++) {
      struct np_want want = np_filter_want (f, &f->parts[part]);
      guint column = column_of (columns, f->terms[f->parts[part].term].field);
      struct nprof_cell cell = cell_of (json_array_get_element (row, column));
      all &= np_cell_fits (&cell, &want);
    }
    any |= all;
  }
  return any;
}

static JsonObject *
vectors (JsonParser *parser, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  json_parser_load_from_data (parser, text, -1, &error);
  g_assert_no_error (error);
  return json_node_get_object (json_parser_get_root (parser));
}

static void
test_grammar (gconstpointer path)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *all = vectors (parser, path);
  JsonArray *columns = list_of (all, "columns"), *rows = list_of (all, "rows"),
            *fits = list_of (all, "fits");
  for (guint i = 0; i < json_array_get_length (fits); i++) {
    JsonArray *one = list_at (fits, i), *wanted = list_at (one, 1);
    const char *text = text_at (one, 0);
    struct np_filter f;
    char error[160];
    guint32 at, next = 0;
    g_test_message ("%s", text);
    gboolean good = np_filter_parse (text, NP_FILTER_TERMS, &f, error, &at);
    g_assert_cmpstr (error, ==, "");
    g_assert_true (good);
    for (guint k = 0; k < json_array_get_length (rows); k++) {
      gboolean is_next = next < json_array_get_length (wanted) && int_at (wanted, next) == k;
      g_assert_cmpint (row_fits (&f, columns, list_at (rows, k)), ==, is_next);
      next += is_next;
    }
    np_filter_clear (&f);
  }
}

static void
test_wrong (gconstpointer path)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonArray *wrong = list_of (vectors (parser, path), "wrong");
  for (guint i = 0; i < json_array_get_length (wrong); i++) {
    JsonArray *one = list_at (wrong, i);
    const char *text = text_at (one, 0);
    struct np_filter f;
    char error[160];
    guint32 at;
    g_test_message ("%s", text);
    g_assert_false (np_filter_parse (text, NP_FILTER_TERMS, &f, error, &at));
    g_assert_cmpuint (at, ==, int_at (one, 1));
    g_assert_cmpstr (error, !=, "");
  }
}

/* Deep and wide texts end with an error, not with the stack or the memory. */
static void
test_limits (void)
{
  g_autoptr (GString) deep = g_string_new (NULL), wide = g_string_new ("a=1");
  struct np_filter f;
  char error[160];
  guint32 at;
  for (guint i = 0; i < 100000; i++)
    g_string_append_c (deep, '(');
  g_assert_false (np_filter_parse (deep->str, NP_FILTER_TERMS, &f, error, &at));
  g_assert_nonnull (strstr (error, "32 parentheses"));
  for (guint i = 0; i < 13; i++)
    g_string_append (wide, " and (b=1 or c=2)");
  g_assert_false (np_filter_parse (wide->str, NP_FILTER_TERMS, &f, error, &at));
  g_assert_nonnull (strstr (error, "fewer alternatives"));
}

/* In a search blanks part words, and words alone are names. */
static void
test_words (void)
{
  struct np_filter f;
  char error[160];
  guint32 at;
  g_assert_true (
      np_filter_parse ("gemm dur > 1ms or not \"two words\"", NP_FILTER_WORDS, &f, error, &at));
  g_assert_cmpuint (f.n, ==, 2);
  g_assert_cmpuint (f.ends[0], ==, 2);
  g_assert_cmpuint (f.ends[1], ==, 3);
  g_assert_cmpstr (f.terms[0].field, ==, "");
  g_assert_cmpstr (f.terms[0].want.text, ==, "gemm");
  g_assert_cmpstr (f.terms[1].field, ==, "dur");
  g_assert_cmpstr (f.terms[2].want.text, ==, "two words");
  g_assert_true (f.parts[2].deny);
  np_filter_clear (&f);
}

/* Where conditions end that stand in other texts. */
static void
test_ends (void)
{
  static const struct {
    const char *text;
    char stop;
    const char *rest;
  } ends[] = {
    { "a=1, b", ',', ", b" },
    { "a=\"x, y\", b", ',', ", b" },
    { "a=\"x\\\", y\", b", ',', ", b" },
    { "a=\"x, b", ',', ", b" }, /* quotes that do not end are none */
    { "a ~ /x{1,2}/, b", ',', ", b" },
    { "a !~ /[]x]/] < 5", ']', "] < 5" },
    { "a ~ /x\\/,/ and b=1,c", ',', ",c" },
    { "a ~ //x,b", ',', ",b" }, /* a path */
    { "a = /x,b/", ',', ",b/" },
    { "a=1", ',', "" },
    { "", ',', "" },
    { ",", ',', "," },
  };
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    g_test_message ("%s", ends[i].text);
    g_assert_cmpstr (np_filter_end (ends[i].text, ends[i].stop), ==, ends[i].rest);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/conditions/cells", test_cells);
  g_test_add_func ("/conditions/search", test_search);
  g_test_add_func ("/conditions/doubles", test_doubles);
  g_test_add_data_func ("/conditions/grammar", argv[1], test_grammar);
  g_test_add_data_func ("/conditions/wrong", argv[1], test_wrong);
  g_test_add_func ("/conditions/limits", test_limits);
  g_test_add_func ("/conditions/words", test_words);
  g_test_add_func ("/conditions/ends", test_ends);
  return g_test_run ();
}
