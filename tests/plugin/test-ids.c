/* SPDX-License-Identifier: Apache-2.0 */
/* test-ids.c - lists that are looked up by number, beside a walk over what was added: with gaps,
 * with numbers twice, in any order, and in every order of questions. */
#include "producers/ids.h"

typedef struct {
  gint64 id, place;
} Element;

enum { MOST = 300 };

/* Returns where the first of that number was added; -1: none was. */
static gint64
added_at (const gint64 *added, guint n, gint64 id)
{
  for (guint i = 0; i < n; i++)
    if (added[i] == id)
      return i;
  return -1;
}

static void
check_all (Ids *ids, const gint64 *added, guint n, GRand *random)
{
  for (guint k = 0; k < 4 * MOST; k++) {
    const gint64 id = k < 2 * MOST ? (gint64) k - 50 : g_rand_int_range (random, -50, 2 * MOST);
    const gint64 expected = added_at (added, n, id);
    const Element *found = ids_find (ids, id), *again = ids_look_up (ids, id);
    g_assert_true (found == again);
    g_assert_cmpint (found ? found->place : -1, ==, expected);
  }
  g_assert_null (ids_find (ids, G_MININT64));
  g_assert_null (ids_find (ids, G_MAXINT64));
}

/* step: how far numbers lie apart at most; 0: they come in any order. */
static void
test_find (gconstpointer step)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  for (guint n = 0; n < MOST; n += 1 + n / 8) {
    gint64 added[MOST], id = -20;
    Ids ids;
    ids_init (&ids, sizeof (Element));
    for (guint i = 0; i < n; i++) {
      const gint32 by = GPOINTER_TO_INT (step);
      id = by ? id + g_rand_int_range (random, by > 1 ? 0 : 1, by + 1)
              : g_rand_int_range (random, -40, 200);
      added[i] = id;
      ((Element *) ids_add (&ids, id))->place = i;
    }
    ids_settle (&ids);
    g_assert_cmpuint (ids_len (&ids), ==, n);
    check_all (&ids, added, n, random);
    ids_clear (&ids);
  }
}

static void
add_place (gpointer into, gconstpointer next)
{
  Element *first = into;
  first->place = 100 * first->place + ((const Element *) next)->place;
}

/* What stands behind the end of a list that was cut is nothing of a new element. */
static void
test_cut (void)
{
  Ids ids;
  ids_init (&ids, sizeof (Element));
  for (gint64 i = 0; i < 4; i++)
    ((Element *) ids_add (&ids, i % 2))->place = i + 1;
  ids_join (&ids, add_place);
  g_assert_cmpuint (ids_len (&ids), ==, 2);
  for (gint64 id = 5; id < 9; id++)
    g_assert_cmpint (((const Element *) ids_add (&ids, id))->place, ==, 0);
  ids_clear (&ids);
}

/* Equal ones are merged in the order in which they were added. */
static void
test_join (void)
{
  static const gint64 added[] = { 7, -3, 7, 9, 7, -3 };
  static const struct {
    gint64 id, place;
  } expected[] = { { -3, 206 }, { 7, 10305 }, { 9, 4 } };
  Ids ids;
  ids_init (&ids, sizeof (Element));
  ids_join (&ids, add_place);
  g_assert_cmpuint (ids_len (&ids), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (added); i++)
    ((Element *) ids_add (&ids, added[i]))->place = (gint) i + 1;
  ids_join (&ids, add_place);
  g_assert_cmpuint (ids_len (&ids), ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    const Element *found = ids_find (&ids, expected[i].id);
    g_assert_true (found == ids_at (&ids, i));
    g_assert_cmpint (found->place, ==, expected[i].place);
  }
  ids_clear (&ids);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/ids/without-gaps", GINT_TO_POINTER (1), test_find);
  g_test_add_data_func ("/ids/gaps-and-twice", GINT_TO_POINTER (3), test_find);
  g_test_add_data_func ("/ids/any-order", NULL, test_find);
  g_test_add_func ("/ids/join", test_join);
  g_test_add_func ("/ids/cut", test_cut);
  return g_test_run ();
}
