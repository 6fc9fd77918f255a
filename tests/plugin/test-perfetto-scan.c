/* SPDX-License-Identifier: Apache-2.0 */
/* test-perfetto-scan.c - the hot loop of decoder perfetto against a plain reading: of annotations
 * that are drawn and damaged, those that it takes for even are those that can be read field by
 * field with one name at their front, a number or a short text; and events of which much stands in
 * the one before read as alone. */
#include "../../plugins/decoders/perfetto/perfetto.h"

enum { ROUNDS = 300000, MOST_BYTES = 80 };
#define FIFTEEN "a name of words"

/* Appends a field as writers of annotations put them, or none that is known. */
static void
put_field (GByteArray *to, GRand *rand)
{
  static const char *const fields[] = { "\x10\x01",
                                        "\x18\x80\x80\x01",
                                        "\x20\x7f",
                                        "\x38\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                                        "\x29"
                                        "12345678",
                                        "\x32\x03"
                                        "abc",
                                        "\x88\x01\x05",
                                        "\x88\x01\xff\x01",
                                        "\x08\x07",
                                        "\x52\x01n",
                                        "\x4a\x02{}",
                                        "\x5a\x02\x08\x01",
                                        "\x35"
                                        "1234",
                                        "\x88\x81\x01" };
  const char *field = fields[g_rand_int_range (rand, 0, G_N_ELEMENTS (fields))];
  g_byte_array_append (to, (const guint8 *) field, (guint) strlen (field));
}

static void
draw (GByteArray *to, GRand *rand)
{
  static const char *const names[]
      = { "\x08\x05", "\x08\x85\x02", "\x52\x01n", "\x52\x02id", "\x52\x1f" FIFTEEN FIFTEEN "n" };
  const char *name = names[g_rand_int_range (rand, 0, G_N_ELEMENTS (names))];
  g_byte_array_set_size (to, 0);
  if (g_rand_int_range (rand, 0, 20))
    g_byte_array_append (to, (const guint8 *) name, (guint) strlen (name));
  for (gint n = g_rand_int_range (rand, 0, 3); n-- > 0;)
    put_field (to, rand);
  if (to->len && !g_rand_int_range (rand, 0, 3))
    to->data[g_rand_int_range (rand, 0, (gint) to->len)] = (guint8) g_rand_int (rand);
  if (to->len && !g_rand_int_range (rand, 0, 5))
    g_byte_array_set_size (to, to->len - 1);
}

/* Returns what the annotation says where no name of the trace is known. */
static guint8
plain_says (const GByteArray *arg)
{
  const guint8 *p = arg->data, *end = p + arg->len;
  struct nprof_pb_field f;
  struct nprof_pb_field name = { 0 };
  for (guint i = 0; p < end; i++) {
    if (!nprof_pb_read (&p, end, &f))
      return PF_SAYS_ANY | PF_IS_ODD;
    const bool is_name = f.tag >> 3 == ARG_NAME_IID || f.tag >> 3 == ARG_NAME;
    if (is_name != (i == 0))
      return PF_SAYS_ANY | PF_IS_ODD;
    name = i == 0 ? f : name;
  }
  if (arg->len && *arg->data == PB_VARINT (ARG_NAME_IID))
    return name.value < PF_NAMES ? PF_SAYS_NAME : PF_SAYS_ANY;
  if (!arg->len || *arg->data != PB_BYTES (ARG_NAME) || !name.value || name.value > 30
      || arg->data[1] != name.value)
    return PF_SAYS_ANY | PF_IS_ODD;
  const bool is_id = name.value == 2 && memcmp (name.span.p, "id", 2) == 0;
  return is_id ? PF_SAYS_NAME | PF_SAYS_OWN : PF_SAYS_NAME;
}

static void
test_args (void)
{
  g_autoptr (GHashTable) rules = g_hash_table_new (g_str_hash, g_str_equal);
  Perfetto pf = { .own.rules = rules }; /* no event is in its file, so that none is compared */
  PfNames names = { .generation = 0 };
  PfWalk w = { .pf = &pf, .names = &names };
  g_autoptr (GRand) rand = g_rand_new_with_seed (38);
  g_autoptr (GByteArray) arg = g_byte_array_new ();
  guint n_even = 0;
  for (guint i = 0; i < ROUNDS; i++) {
    draw (arg, rand);
    g_assert_cmpuint (arg->len, <, MOST_BYTES);
    const gsize len = 2 + arg->len;
    g_autofree guint8 *body = g_malloc (len); /* so that sanitizers see what is read behind it */
    body[0] = PB_BYTES (EVENT_ARG);
    body[1] = (guint8) arg->len;
    if (arg->len)
      memcpy (body + 2, arg->data, arg->len);
    const PbSpan event = { body, body + len };
    PfEvent e;
    g_assert_true (pf_event_read (&w, 1, event, NULL, &e));
    g_assert_cmphex (e.args, ==, plain_says (arg));
    n_even += !(e.args & PF_IS_ODD);
    PfArgs args = { event, e.args, e.telling };
    PbSpan found;
    g_assert_true (pf_next_arg (&w, 1, PF_SAYS_NAME, &args, &found));
    g_assert_true (found.p == body + 2 && found.end == body + len && args.rest.p == args.rest.end);
    args = (PfArgs){ event, e.args, e.telling };
    const bool tells = e.args & PF_SAYS_OWN;
    g_assert_true (e.telling == tells && pf_next_arg (&w, 1, PF_SAYS_OWN, &args, &found) == tells);
  }
  g_assert_cmpuint (n_even, >, ROUNDS / 5);
  g_assert_cmpuint (n_even, <, ROUNDS * 4 / 5);
}

/* Appends an event of one of a few names, whose annotations are mostly those of one before. */
static void
draw_event (GByteArray *to, GRand *rand)
{
  static const char *const stable[] = { "\x22\x04\x08\x05\x20\x07", "\x22\x05\x08\x06\x88\x01\x09",
                                        "\x22\x05\x08\x07\x32\x01x", "\x22\x06\x52\x02id\x18\x01" };
  const guint8 name[] = { 0x50, (guint8) g_rand_int_range (rand, 1, 4) };
  const guint8 own[] = { 0x22, 0x04, 0x08, 0x09, 0x20, (guint8) g_rand_int_range (rand, 0, 128) };
  g_byte_array_append (to, name, sizeof name);
  if (!g_rand_int_range (rand, 0, 4))
    g_byte_array_append (to, own, sizeof own);
  for (guint i = 0; i < G_N_ELEMENTS (stable); i++)
    if (g_rand_int_range (rand, 0, 12))
      g_byte_array_append (to, (const guint8 *) stable[i], (guint) strlen (stable[i]));
  if (!g_rand_int_range (rand, 0, 3))
    g_byte_array_append (to, own, sizeof own);
  if (!g_rand_int_range (rand, 0, 8))
    to->data[g_rand_int_range (rand, (gint) to->len - 8, (gint) to->len)] ^= 1;
}

/* What is compared with the event before reads as what is not. */
static void
test_runs (void)
{
  enum { EVENTS = 100000 };
  g_autoptr (GHashTable) rules = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GRand) rand = g_rand_new_with_seed (39);
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autofree guint *at = g_new0 (guint, EVENTS + 1);
  for (guint i = 0; i < EVENTS; i++) {
    draw_event (file, rand);
    at[i + 1] = file->len - (guint) !g_rand_int_range (rand, 0, 30); /* some are cut */
    g_byte_array_set_size (file, at[i + 1]);
  }
  Perfetto pf = { .own.rules = rules, .data = file->data, .end = file->data + file->len };
  Perfetto apart = { .own.rules = rules };
  PfNames names[2] = { { .generation = 0 } };
  g_autofree PfRun *runs = g_new0 (PfRun, PF_RUNS);
  PfWalk w = { .pf = &pf, .names = names, .runs = runs };
  PfWalk plain = { .pf = &apart, .names = names + 1 };
  guint n_same = 0;
  for (guint i = 0; i < EVENTS; i++) {
    const PbSpan body = { file->data + at[i], file->data + at[i + 1] };
    const guint32 generation = 1 + i / 1000 % 2;
    PfEvent e, expected;
    const guint8 *const before = runs[body.p[1]].p;
    const bool reads = pf_event_read (&w, generation, body, NULL, &e);
    n_same += runs[body.p[1]].p == before;
    g_assert_true (pf_event_read (&plain, generation, body, NULL, &expected) == reads);
    if (!reads)
      continue;
    g_assert_cmphex (e.args, ==, expected.args);
    g_assert_cmpuint (e.telling, ==, expected.telling);
    g_assert_cmpuint (e.name_iid, ==, expected.name_iid);
    g_assert_cmpuint (e.n_categories, ==, expected.n_categories);
  }
  g_assert_cmpuint (n_same, >, EVENTS / 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/perfetto-scan/args", test_args);
  g_test_add_func ("/perfetto-scan/runs", test_runs);
  return g_test_run ();
}
