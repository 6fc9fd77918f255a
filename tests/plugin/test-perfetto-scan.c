/* SPDX-License-Identifier: Apache-2.0 */
/* test-perfetto-scan.c - the hot loop of decoder perfetto against a plain reading: of annotations
 * that are drawn and damaged, those that it takes for even are those that can be read field by
 * field with one name at their front. */
#include "../../plugins/decoders/perfetto/perfetto.h"

enum { ROUNDS = 300000, MOST_BYTES = 64 };

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
  static const guint8 names[][3] = { { 0x08, 0x05 }, { 0x08, 0x85, 0x02 } };
  const guint which = (guint) g_rand_int_range (rand, 0, 2);
  g_byte_array_set_size (to, 0);
  if (g_rand_int_range (rand, 0, 20))
    g_byte_array_append (to, names[which], 2 + which);
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
  guint64 iid = 0;
  for (guint i = 0; p < end; i++) {
    if (!nprof_pb_read (&p, end, &f))
      return PF_SAYS_ANY | PF_IS_ODD;
    const bool is_name = f.tag >> 3 == ARG_NAME_IID || f.tag >> 3 == ARG_NAME;
    if (is_name != (i == 0) || (i == 0 && *arg->data != PB_VARINT (ARG_NAME_IID)))
      return PF_SAYS_ANY | PF_IS_ODD;
    iid = i == 0 ? f.value : iid;
  }
  if (!arg->len)
    return PF_SAYS_ANY | PF_IS_ODD;
  return iid < PF_NAMES ? PF_SAYS_NAME : PF_SAYS_ANY;
}

static void
test_args (void)
{
  Perfetto pf = { .part_bytes = 0 };
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/perfetto-scan/args", test_args);
  return g_test_run ();
}
