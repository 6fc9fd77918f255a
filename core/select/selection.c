/* SPDX-License-Identifier: Apache-2.0 */
/* selection.c - what the command line asks for, as a whole; row-filter.c applies it. */

#include "base/error.h"
#include "select/condition.h"
#include "select/row-filter.h"

#include <string.h>

void
np_selection_clear (NpSelection *selection)
{
  g_clear_pointer (&selection->tracks, g_ptr_array_unref);
  g_clear_pointer (&selection->names, g_ptr_array_unref);
  g_clear_pointer (&selection->where, g_ptr_array_unref);
  memset (selection, 0, sizeof *selection);
}

static gboolean
is_empty (const GPtrArray *list)
{
  return !list || list->len == 0;
}

gboolean
np_selection_is_empty (const NpSelection *s)
{
  return !s->has_from && !s->has_to && !s->has_step && is_empty (s->tracks) && is_empty (s->names)
         && is_empty (s->where);
}

gboolean
np_selection_check (const NpSelection *s, GError **error)
{
  if (s->has_from && s->has_to && s->from > s->to) {
    g_set_error_literal (error, NP_ERROR, NP_EXIT_USAGE,
                         "--from lies behind --to: no row can be selected; exchange them");
    return FALSE;
  }
  if (s->clip && !s->has_from && !s->has_to) {
    g_set_error_literal (error, NP_ERROR, NP_EXIT_USAGE,
                         "--clip cuts spans at the edges of --from and --to: give one of them");
    return FALSE;
  }
  for (guint i = 0; s->where && i < s->where->len; i++) {
    g_auto (NpCondition) condition = { 0 };
    if (!np_condition_parse (&condition, g_ptr_array_index (s->where, i), error))
      return FALSE;
  }
  return TRUE;
}
