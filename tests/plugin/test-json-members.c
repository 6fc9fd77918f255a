/* SPDX-License-Identifier: Apache-2.0 */
/* test-json-members.c - members that somebody looks for: what every instruction set finds, against
 * a walk over all members one by one, on objects that make it difficult. */
#include "json/scan.h"

#include <glib.h>
#include <string.h>

static const char *const names[] = { "scalar", "sse2", "avx2", "avx512" };

static const char *const wanted[]
    = { "correlation", "stream", "step", "step_num", "External id", "bytes", "a long key", NULL };

static const TeScanner *
scanner_or_skip (const char *name)
{
  const TeScanner *scanner = te_scanner_named (name);
  if (!scanner)
    g_test_skip ("this processor does not have it");
  return scanner;
}

/* -- Where they may be ------------------------------------------------------------------- */

static void
assert_mention (const TeScanner *scanner, const TePairs *pairs, const char *text, const char *last)
{
  gsize len = strlen (text);
  g_autofree char *exact = g_memdup2 (text, len);
  const char *got = scanner->mention (exact, exact + len, pairs);
  g_assert_cmpint (got ? got - exact : -1, ==, last ? last - text : -1);
}

/* At each place of a block, up to the end of what may be read. */
static void
test_mention (gconstpointer name)
{
  const TeScanner *scanner = scanner_or_skip (name);
  if (!scanner)
    return;
  TePairs pairs = { 0 };
  te_pairs_add (&pairs, "correlation");
  te_pairs_add (&pairs, "step");
  for (guint before = 0; before < 200; before++)
    for (guint behind = 0; behind < 70; behind += 23) {
      g_autofree char *no
          = g_strdup_printf ("{%*s\"cb\":\"xco\",\"s\":[\"c10\",\"\xe3\xef\",\"\xf3t\"]%*s}",
                             before, "", behind, "");
      g_autofree char *yes = g_strdup_printf ("{\"step\":1%*s\"cb\":1,\"step\":2%*s\"Co\":1}",
                                              before, "", behind, "");
      assert_mention (scanner, &pairs, no, NULL);
      assert_mention (scanner, &pairs, yes, strrchr (yes, 's') - 1);
    }
  const char *cut = "{\"co";
  g_assert_null (scanner->mention (cut, cut + 3, &pairs));
  g_assert_null (scanner->mention ("", "", &pairs));
  cut = "\"co";
  assert_mention (scanner, &pairs, cut, cut);
}

/* -- Objects ------------------------------------------------------------------------------- */

/* Keys: looked for, nearly so, and others. */
static const char *const keys[]
    = { "correlation",
        "stream",
        "step",
        "External id",
        "bytes",
        "a long key",
        "correlatio",
        "correlations",
        "corr\\u0065lation",
        "\\\"step",
        "step\\\\",
        "step\\\"",
        "Stream",
        "",
        "st",
        "x",
        "queued",
        "}",
        "{\\\"step\\\":1,",
        "est. achieved occupancy %",
        "a key so long that neither it nor what stands around it is learned, which is no harm" };

static const char *const values[]
    = { "0",
        "7",
        "-17",
        "007",
        "-0",
        "-",
        "12345678",
        "123456789",
        "1712195495406752",
        "12345678901234567",
        "9223372036854775807",
        "9223372036854775808",
        "1.5",
        "-1.25e9",
        ".5",
        "5.",
        "1.2.3",
        "12345678.12345678",
        "12345678.123456789",
        "true",
        "null",
        "NaN",
        "\"\"",
        "\"x\"",
        "\"17\"",
        "\"step\"",
        "\"a\\\"step\\\":5,\\\\\"",
        "\"\\\\\\\"\"",
        "\"a string longer than what is read of it at once, \\\"step\\\": 1, and some\"",
        "{}",
        "[]",
        "{\"step\":1,\"stream\":{\"bytes\":[2]}}",
        "[[1, 4096], [\"step\",{\"step\":3}], []]",
        "[\"}\",\"]\",\"\\\"\"]" };

/* Mostly what producers write, now and then what nobody should. */
static const char *const usual[] = { ": ", ", ", "", "\n      ", "      " };
static const char *const odd[] = { "",  " ", ",",  ",,",   ", ,", ":", "::", "\t\r\n ", "1",   "\\",
                                   "]", "}", "\"", "\\\"", "{",   "[", "x",  "\"\"",    "\x01" };

#define PICK(rand, from) from[g_rand_int_range (rand, 0, G_N_ELEMENTS (from))]

/* The texts between two values: they repeat in objects of a kind. */
typedef struct {
  const char *before, *key, *colon, *value;
  gboolean fixed; /* the value, too */
} Member;

static guint
random_kind (GRand *rand, Member *members, guint most)
{
  guint n = (guint) g_rand_int_range (rand, 0, (gint) most + 1);
  for (guint i = 0; i < n; i++) {
    gboolean strange = g_rand_int_range (rand, 0, 60) == 0;
    members[i].before = i == 0 ? usual[g_rand_int_range (rand, 2, 5)] : ", ";
    members[i].key = PICK (rand, keys);
    members[i].colon = g_rand_boolean (rand) ? ":" : ": ";
    members[i].value = PICK (rand, values);
    members[i].fixed = g_rand_int_range (rand, 0, 4) == 0;
    if (strange && g_rand_boolean (rand))
      members[i].before = PICK (rand, odd);
    else if (strange)
      members[i].colon = PICK (rand, odd);
  }
  return n;
}

static void
put_object (GString *json, GRand *rand, const Member *members, guint n)
{
  g_string_assign (json, "{");
  for (guint i = 0; i < n; i++) {
    gboolean strange = g_rand_int_range (rand, 0, 100) == 0;
    const char *value = members[i].fixed ? members[i].value : PICK (rand, values);
    g_string_append_printf (json, "%s\"%s\"%s%s%s", members[i].before, members[i].key,
                            members[i].colon, g_rand_int_range (rand, 0, 40) ? "" : " ", value);
    if (strange)
      g_string_append (json, PICK (rand, odd));
  }
  g_string_append (json, PICK (rand, usual));
  g_string_append_c (json, g_rand_int_range (rand, 0, 30) ? '}' : ']');
  if (g_rand_int_range (rand, 0, 10) == 0) {
    static const char bytes[] = "\"\\{}[]:, 1x";
    json->str[g_rand_int_range (rand, 1, (gint) json->len)] = PICK (rand, bytes);
  }
}

/* -- What is found ------------------------------------------------------------------------- */

static void
put_member (GString *found, const char *from, guint number, const TeValue *v)
{
  g_string_append_printf (found, "%u %d %d+%d %d %" G_GINT64_FORMAT "\n", number, v->kind,
                          (int) (v->p - from), (int) v->len, v->kind == TE_TEXT && v->escaped,
                          v->kind == TE_INT ? v->i : 0);
}

static void
find_plainly (GString *found, const char *p, gsize len, guint n_wanted)
{
  TeScan s = { .with = te_scanner_named ("scalar"), .end = p + len };
  TeValue key, value;
  g_string_truncate (found, 0);
  for (const char *at = p + 1; (at = te_member (&s, at, &key, &value));)
    for (guint i = 0; i < n_wanted; i++)
      if (te_text_is (&key, wanted[i]))
        put_member (found, p, i, &value);
}

static void
find (GString *found, const TeScan *scan, const char *p, gsize len, const TeKeys *looked_for)
{
  TeScan s = *scan;
  TeWalk walk = { p + 1, s.with->mention (p, p + len, &looked_for->pairs), 0 };
  TeValue value;
  g_string_truncate (found, 0);
  for (guint i; (i = s.with->wanted (&s, &walk, looked_for, &value)) < TE_MOST_KEYS;) {
    g_assert_true (walk.at < p + len);
    put_member (found, p, i, &value);
  }
}

/* Alone, and with what would be members behind it. */
static void
compare (const TeScanner *scanner, TeShapes *shapes, const GString *json, guint n_wanted,
         const TeKeys *looked_for, guint *n_found)
{
  static const char more[] = ",\"step\":1,\"stream\":2}, \"stream\": 3, \"bytes\": 4              ";
  g_autoptr (GString) expected = g_string_new (NULL), found = g_string_new (NULL);
  find_plainly (expected, json->str, json->len, n_wanted);
  for (gsize n_more = 0; n_more < sizeof more; n_more += sizeof more - 1) {
    g_autofree char *exact = g_malloc (json->len + n_more);
    memcpy (exact, json->str, json->len);
    memcpy (exact + json->len, more, n_more);
    TeScan s = { .with = scanner, .shapes = shapes, .end = exact + json->len + n_more };
    find (found, &s, exact, json->len, looked_for);
    if (strcmp (found->str, expected->str) != 0)
      g_test_message ("%s", json->str);
    g_assert_cmpstr (found->str, ==, expected->str);
  }
  *n_found += expected->len > 0;
}

static gboolean
is_object (const GString *json)
{
  TeScan s = { .with = te_scanner_named ("scalar"), .end = json->str + json->len };
  TeValue value;
  return s.with->value (&s, json->str, &value) == s.end && value.kind == TE_OBJECT;
}

/* Many objects of a kind, so that their shape is learned; few and many keys. */
static void
test_wanted (gconstpointer name)
{
  const TeScanner *scanner = scanner_or_skip (name);
  if (!scanner)
    return;
  g_autoptr (GRand) rand = g_rand_new_with_seed (17);
  g_autoptr (GString) json = g_string_new (NULL);
  guint n_objects = 0, n_found = 0;
  for (guint round = 0; round < 300; round++) {
    guint n_wanted = (guint) g_rand_int_range (rand, 1, G_N_ELEMENTS (wanted));
    TeKeys looked_for = { 0 };
    for (guint i = 0; i < n_wanted; i++)
      te_keys_add (&looked_for, i, wanted[i]);
    g_autofree TeShapes *shapes = scanner->shapes_new ();
    for (guint kind = 0; kind < (round % 10 ? 8 : 40); kind++) { /* more than is learned */
      Member members[14];
      guint n = random_kind (rand, members, G_N_ELEMENTS (members));
      for (guint i = 0; i < 20; i++) {
        put_object (json, rand, members, n);
        if (!is_object (json))
          continue;
        compare (scanner, shapes, json, n_wanted, &looked_for, &n_found);
        n_objects++;
      }
    }
  }
  g_assert_cmpuint (n_objects, >, 20000);
  g_assert_cmpuint (n_found, >, 10000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *mention = g_strdup_printf ("/json-members/mention/%s", names[i]);
    g_autofree char *find_all = g_strdup_printf ("/json-members/wanted/%s", names[i]);
    g_test_add_data_func (mention, names[i], test_mention);
    g_test_add_data_func (find_all, names[i], test_wanted);
  }
  return g_test_run ();
}
