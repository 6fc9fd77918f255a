/* SPDX-License-Identifier: Apache-2.0 */
/* test-links.c - ids on two rows, and rows that are their own ancestors, among many. */

#include "rows/links.h"

#define MANY 10000u

/* A chain, whose first row has no parent; ids far apart, so that they meet in the table. */
static NpLinks *
chain (guint most)
{
  NpLinks *links = np_links_new (most);
  for (guint64 i = 1; i <= MANY; i++)
    g_assert_true (np_links_add (links, i << 32, (i - 1) << 32));
  return links;
}

static void
test_chain (void)
{
  g_autoptr (NpLinks) links = chain (G_MAXUINT);
  g_assert_cmpuint (np_links_circle (links), ==, 0);
  for (guint64 i = 1; i <= MANY; i++)
    g_assert_false (np_links_add (links, i << 32, 0));
}

static void
test_circle (void)
{
  g_autoptr (NpLinks) links = chain (G_MAXUINT);
  np_links_add (links, 7, 9);
  np_links_add (links, 8, 7);
  np_links_add (links, 9, 8);
  np_links_add (links, 5, 9); /* leads to it, and is not on it */
  g_assert_cmpuint (np_links_circle (links), ==, 7);
}

static void
test_own_parent (void)
{
  g_autoptr (NpLinks) links = chain (G_MAXUINT);
  np_links_add (links, 3, 3);
  g_assert_cmpuint (np_links_circle (links), ==, 3);
}

static void
test_parent_unknown (void)
{
  g_autoptr (NpLinks) links = np_links_new (1);
  g_assert_true (np_links_add (links, 1, 2));
  g_assert_true (np_links_add (links, 2, 1)); /* beyond the most that are kept */
  g_assert_true (np_links_add (links, 2, 1));
  g_assert_cmpuint (np_links_circle (links), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/links/chain", test_chain);
  g_test_add_func ("/links/circle", test_circle);
  g_test_add_func ("/links/own-parent", test_own_parent);
  g_test_add_func ("/links/parent-unknown", test_parent_unknown);
  return g_test_run ();
}
