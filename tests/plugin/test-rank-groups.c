/* SPDX-License-Identifier: Apache-2.0 */
/* test-rank-groups.c - which ranks stand together: plugins/analyzers/devicekit/rank-groups.c. Boxes
 * as numpy's arange (n).reshape (box).transpose (order).reshape (shape) has them. */
#include "devicekit/rank-groups.h"

static const struct {
  const char *text;
  gint64 rank;
  const char *group; /* NULL: none */
} lists[] = {
  { "{{0,1},{2,3}}", 2, "[2, 3]" },
  { "[[0, 1, 2], [7, 9]]", 9, "[7, 9]" },
  { "{{0,1},{2,3}}", 4, NULL },
  { "[0, 4, 8]", 4, "[0, 4, 8]" },
  { "{}", 0, NULL },
  { "", 0, NULL },
  { "[0, 1, ...]", 1, NULL },
  { "[0, 1", 1, NULL },
  { "{{0,1},{2", 0, NULL },
  { "{{0,-1}}", 0, NULL },
  { "[4,2]<=[8]", 5, "[4, 5]" },
  { "[4,2]<=[2,4]T(1,0)", 6, "[2, 6]" },
  { "[2,4]<=[4,2]T(1,0)", 1, "[1, 3, 5, 7]" },
  { "[4,3]<=[2,3,2]T(1,0,2)", 8, "[8, 9, 4]" },
  { "[2,6]<=[2,3,2]T(2,1,0)", 3, "[1, 7, 3, 9, 5, 11]" },
  { "[1,4]<=[4]", 3, "[0, 1, 2, 3]" },
  { "[4,2]<=[8]", 8, NULL },
  { "[4,2]<=[9]", 1, NULL },
  { "[4,2]<=[2,4]T(1,1)", 1, NULL },
  { "[4,2]<=[2,4]T(1)", 1, NULL },
  { "[4,2]<=[2,4]T(1,2)", 1, NULL },
  { "[4,2]<=[", 1, NULL },
  { "[4,2]<=[0,4]", 1, NULL },
  { "[99999999,99999999]<=[99999999,99999999]", 1, NULL },
  { "[1,1]<=[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", 0, NULL },
};

static void
test_groups (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++) {
    g_auto (AnRankGroups) groups = an_rank_groups_of (lists[i].text);
    gint64 size = 0;
    g_autofree char *group = an_rank_groups_with (&groups, lists[i].rank, &size);
    if (g_strcmp0 (group, lists[i].group))
      g_error ("%s: rank %" G_GINT64_FORMAT " is in %s, expected %s", lists[i].text, lists[i].rank,
               group, lists[i].group);
  }
}

static void
test_sizes (void)
{
  gint64 size = 0;
  g_auto (AnRankGroups) groups = an_rank_groups_of ("[[0, 1, 2], [7, 9]]");
  g_assert_cmpuint (groups.ranks->len, ==, 5);
  g_free (an_rank_groups_with (&groups, 7, &size));
  g_assert_cmpint (size, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rank-groups/groups", test_groups);
  g_test_add_func ("/rank-groups/sizes", test_sizes);
  return g_test_run ();
}
