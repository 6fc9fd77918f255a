/* SPDX-License-Identifier: Apache-2.0 */
/* only-profile.c - looks for the profile in a store that was made for one. */
#include "stored/only-profile.h"

char *
np_only_profile (const char *store)
{
  g_autoptr (GDir) dir = g_dir_open (store, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name (dir)))
    if (g_str_has_prefix (name, "n_") && !g_str_has_suffix (name, ".part"))
      return g_strdup (name);
  return NULL;
}
