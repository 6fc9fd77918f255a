/* SPDX-License-Identifier: Apache-2.0 */
/* operator-levels.h - ranks the levels of table operators: the same time is there at several, and a
 * report and a demand of a gate take the level of a device that tells most. */
#pragma once

#include <glib.h>

/* Returns the more, the more a level tells; 0: nothing, or NULL. */
static inline guint
operator_level_rank (const char *level)
{
  static const char *const levels[] = { "category", "opcode", "name", "framework", "hlo" };
  for (guint i = 0; level && i < G_N_ELEMENTS (levels); i++)
    if (g_str_equal (level, levels[i]))
      return i + 1;
  return 0;
}
