/* SPDX-License-Identifier: Apache-2.0 */
/* launch-list.c - sorts calls by id and start, so that the one of a row of work is found by
 * halving. */
#include "system/launch-list.h"

void
an_launch_list_clear (AnLaunchList *list)
{
  g_clear_pointer (&list->launches, g_array_unref);
}

void
an_launch_list_add (AnLaunchList *list, const AnListedLaunch *launch)
{
  if (!list->launches)
    list->launches = g_array_new (FALSE, FALSE, sizeof (AnListedLaunch));
  g_array_append_val (list->launches, *launch);
  list->sorted = FALSE;
}

static int
compare_launches (gconstpointer a, gconstpointer b)
{
  const AnListedLaunch *x = a, *y = b;
  if (x->input != y->input)
    return x->input < y->input ? -1 : 1;
  if (x->id != y->id)
    return x->id < y->id ? -1 : 1;
  return x->start < y->start ? -1 : x->start > y->start;
}

/* Returns how many launches do not lie behind the wanted one. */
static guint
n_up_to (const GArray *launches, const AnListedLaunch *wanted)
{
  guint from = 0, to = launches->len;
  while (from < to) {
    guint middle = from + (to - from) / 2;
    if (compare_launches (&g_array_index (launches, AnListedLaunch, middle), wanted) <= 0)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

/* The sort is stable: the last of equal ones stays the last. */
void
an_launch_list_sort (AnLaunchList *list)
{
  if (list->launches && !list->sorted)
    g_array_sort (list->launches, compare_launches);
  list->sorted = TRUE;
}

const AnListedLaunch *
an_launch_list_find (AnLaunchList *list, guint32 input, guint64 id, gint64 work)
{
  if (!id || !list->launches)
    return NULL;
  if (!list->sorted)
    an_launch_list_sort (list);
  const AnListedLaunch wanted = { id, work, input, 0 };
  const AnListedLaunch *all = (const AnListedLaunch *) (void *) list->launches->data;
  guint n = n_up_to (list->launches, &wanted);
  if (n && all[n - 1].id == id && all[n - 1].input == input)
    return &all[n - 1];
  return n < list->launches->len && all[n].id == id && all[n].input == input ? &all[n] : NULL;
}
