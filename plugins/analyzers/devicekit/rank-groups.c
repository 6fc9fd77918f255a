/* SPDX-License-Identifier: Apache-2.0 */
/* rank-groups.c - expands lists of groups of ranks, which XLA also writes as a box of numbers whose
 * axes change places.  format: HloInstruction::ToString of XLA, IotaReplicaGroupList */
#include "devicekit/rank-groups.h"

#include <stdbool.h>
#include <string.h>

#define MOST_RANKS (1 << 20)
#define MOST_AXES 16u

static void
end_group (AnRankGroups *g)
{
  guint before = g->ends->len ? g_array_index (g->ends, guint, g->ends->len - 1) : 0;
  if (g->ranks->len > before)
    g_array_append_val (g->ends, g->ranks->len);
}

/* -- Boxes ------------------------------------------------------------------------------------- */

typedef struct {
  gint64 at[MOST_AXES];
  guint n;
} Axes;

/* Reads "4,2]" or "1,0)"; returns what stands behind it, NULL: it is no such list. */
static const char *
read_axes (const char *text, char close, Axes *axes)
{
  for (axes->n = 0; axes->n < MOST_AXES; text++) {
    char *end;
    if (!g_ascii_isdigit (*text))
      return NULL;
    axes->at[axes->n++] = g_ascii_strtoll (text, &end, 10);
    text = end;
    if (*text == close)
      return text + 1;
    if (*text != ',')
      return NULL;
  }
  return NULL;
}

/* Returns the product; 0: there are too many. */
static gint64
volume (const Axes *axes)
{
  gint64 all = 1;
  for (guint i = 0; i < axes->n; i++) {
    if (axes->at[i] <= 0 || axes->at[i] > MOST_RANKS / all)
      return 0;
    all *= axes->at[i];
  }
  return all;
}

static bool
is_order (const Axes *order, guint n)
{
  guint seen = 0;
  for (guint i = 0; i < order->n; i++)
    seen |= order->at[i] < (gint64) n ? 1u << order->at[i] : 0;
  return order->n == n && seen == (1u << n) - 1;
}

/* Returns the number that stands at that place once the axes have changed places. */
static gint64
number_at (const Axes *box, const Axes *order, gint64 place)
{
  gint64 stride[MOST_AXES], all = 1, number = 0;
  for (guint i = box->n; i > 0; i--) {
    stride[i - 1] = all;
    all *= box->at[i - 1];
  }
  for (guint i = order->n; i > 0; i--) {
    gint64 axis = order->at[i - 1];
    number += place % box->at[axis] * stride[axis];
    place /= box->at[axis];
  }
  return number;
}

/* Reads "[4,2]<=[2,4]T(1,0)": 4 groups of 2, of the numbers of a box of 2 by 4 whose axes change
 * places. */
static void
read_box (AnRankGroups *g, const char *text)
{
  Axes shape, box, order;
  const char *at = read_axes (text + 1, ']', &shape);
  at = at && g_str_has_prefix (at, "<=[") ? read_axes (at + 3, ']', &box) : NULL;
  gint64 n = at ? volume (&box) : 0;
  if (!n || shape.n != 2 || volume (&shape) != n)
    return;
  order.n = box.n;
  for (guint i = 0; i < box.n; i++)
    order.at[i] = i;
  if (*at == 'T' && (at[1] != '(' || !read_axes (at + 2, ')', &order) || !is_order (&order, box.n)))
    return;
  for (gint64 place = 0; place < n; place++) {
    gint64 rank = number_at (&box, &order, place);
    g_array_append_val (g->ranks, rank);
    if ((place + 1) % shape.at[1] == 0)
      end_group (g);
  }
}

/* -- Lists ------------------------------------------------------------------------------------- */

/* Returns whether all of the text was a list of numbers, or of lists of them. */
static bool
read_lists (AnRankGroups *g, const char *text)
{
  for (char *end; *text; text++) {
    if (g_ascii_isdigit (*text)) {
      gint64 rank = g_ascii_strtoll (text, &end, 10);
      g_array_append_val (g->ranks, rank);
      text = end - 1;
    } else if (*text == ']' || *text == '}') {
      end_group (g);
    } else if (!strchr ("[{, ", *text)) {
      return false;
    }
  }
  return g->ends->len && g_array_index (g->ends, guint, g->ends->len - 1) == g->ranks->len;
}

AnRankGroups
an_rank_groups_of (const char *text)
{
  AnRankGroups g
      = { g_array_new (FALSE, FALSE, sizeof (gint64)), g_array_new (FALSE, FALSE, sizeof (guint)) };
  if (*text == '[' && strstr (text, "]<=["))
    read_box (&g, text);
  else if ((*text == '[' || *text == '{') && !read_lists (&g, text))
    g_array_set_size (g.ends, 0);
  return g;
}

void
an_rank_groups_clear (AnRankGroups *g)
{
  g_clear_pointer (&g->ranks, g_array_unref);
  g_clear_pointer (&g->ends, g_array_unref);
}

char *
an_rank_groups_with (const AnRankGroups *g, gint64 rank, gint64 *size)
{
  for (guint i = 0, from = 0, to; i < g->ends->len; i++, from = to) {
    to = g_array_index (g->ends, guint, i);
    bool there = false;
    for (guint k = from; k < to; k++)
      there |= g_array_index (g->ranks, gint64, k) == rank;
    if (!there)
      continue;
    GString *text = g_string_new ("[");
    for (guint k = from; k < to; k++)
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT, k > from ? ", " : "",
                              g_array_index (g->ranks, gint64, k));
    *size = to - from;
    return g_string_free (g_string_append_c (text, ']'), FALSE);
  }
  return NULL;
}
