/* SPDX-License-Identifier: Apache-2.0 */
/* selection.c - what the command line asks for, as a whole; row-filter.c applies it. */

#include "base/error.h"
#include "select/condition.h"
#include "select/row-filter.h"

#include <string.h>

static void
selection_free (gpointer selection)
{
  np_selection_clear (selection);
  g_free (selection);
}

void
np_selection_clear (NpSelection *selection)
{
  g_clear_pointer (&selection->tracks, g_ptr_array_unref);
  g_clear_pointer (&selection->names, g_ptr_array_unref);
  g_clear_pointer (&selection->where, g_ptr_array_unref);
  g_clear_pointer (&selection->others, g_ptr_array_unref);
  memset (selection, 0, sizeof *selection);
}

const NpSelection *
np_selection_alternative (const NpSelection *s, guint i)
{
  if (!i)
    return s;
  return s->others && i <= s->others->len ? g_ptr_array_index (s->others, i - 1) : NULL;
}

void
np_selection_add (NpSelection *selection, NpSelection *alternative)
{
  if (!selection->others)
    selection->others = g_ptr_array_new_with_free_func (selection_free);
  g_ptr_array_add (selection->others, alternative);
}

static GPtrArray *
share (GPtrArray *list)
{
  return list ? g_ptr_array_ref (list) : NULL;
}

GPtrArray *
np_selection_copy_others (const NpSelection *s)
{
  NpSelection copy = { 0 };
  for (guint i = 0; s->others && i < s->others->len; i++) {
    NpSelection *one = g_memdup2 (g_ptr_array_index (s->others, i), sizeof *one);
    one->tracks = share (one->tracks);
    one->names = share (one->names);
    one->where = share (one->where);
    np_selection_add (&copy, one);
  }
  return copy.others;
}

gboolean
np_selection_by_steps (const NpSelection *s, gboolean *nth)
{
  const NpSelection *one;
  gboolean any = FALSE;
  *nth = FALSE;
  for (guint i = 0; (one = np_selection_alternative (s, i)); i++) {
    any |= one->has_step;
    *nth |= one->step_first_nth || one->step_last_nth;
  }
  return any;
}

static gboolean
is_empty (const GPtrArray *list)
{
  return !list || list->len == 0;
}

/* Does it select by nothing but time? */
static gboolean
is_plain (const NpSelection *s)
{
  return !s->has_step && is_empty (s->tracks) && is_empty (s->names) && is_empty (s->where);
}

gboolean
np_selection_is_empty (const NpSelection *s)
{
  return !s->has_from && !s->has_to && is_plain (s) && is_empty (s->others);
}

static gboolean
check_where (const NpSelection *s, GError **error)
{
  for (guint i = 0; s->where && i < s->where->len; i++) {
    g_auto (NpConditions) conditions = { 0 };
    if (!np_conditions_parse (&conditions, g_ptr_array_index (s->where, i), error))
      return FALSE;
  }
  return TRUE;
}

/* An alternative that selects all rows would leave the others without meaning. */
static gboolean
check_alternatives (const NpSelection *s, GError **error)
{
  const NpSelection *one;
  for (guint i = 0; (one = np_selection_alternative (s, i)); i++) {
    if (!is_empty (s->others) && is_plain (one))
      return np_error_set (error, NP_EXIT_USAGE,
                           "--or stands between conditions: give --step, --track, --name or "
                           "--where before and behind it");
    if (!check_where (one, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
np_selection_check (const NpSelection *s, GError **error)
{
  if (s->has_from && s->has_to && s->from > s->to)
    return np_error_set (error, NP_EXIT_USAGE,
                         "--from is after --to: no row can be selected; exchange them");
  if (s->clip && !s->has_from && !s->has_to)
    return np_error_set (error, NP_EXIT_USAGE,
                         "--clip cuts spans at the edges of --from and --to: give one of them");
  return check_alternatives (s, error);
}
