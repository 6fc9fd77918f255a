/* SPDX-License-Identifier: Apache-2.0 */
/* members.c - decides by name which files of the payload are looked at, and finds them again.
 * payload.c reads them. */
#include "neff.h"

#include <string.h>

gboolean
neff_is_debug (const char *name)
{
  return g_str_has_suffix (name, ".dbg") && strstr (name, "debug_info");
}

gboolean
neff_is_json (const char *name)
{
  static const char *const top[]
      = { "neff.json", "kelp.json", "info.json", "hlo_stats.json", "hlo_metrics.json", NULL };
  if (!g_str_has_suffix (name, ".json") || strstr (name, "debug_info"))
    return FALSE;
  return strchr (name, '/') || g_str_has_prefix (name, "kelf-") || g_strv_contains (top, name);
}

gboolean
neff_leads_out (const char *name)
{
  if (*name == '/')
    return TRUE;
  for (const char *at = name; (at = strstr (at, "..")); at += 2)
    if ((at == name || at[-1] == '/') && (at[2] == '\0' || at[2] == '/'))
      return TRUE;
  return FALSE;
}

void
neff_member_free (gpointer data)
{
  NeffMember *member = data;
  g_free (member->name);
  g_free (member->text);
  g_free (member->opcodes);
  g_free (member);
}

const NeffMember *
neff_member (const Neff *n, const char *name)
{
  return g_hash_table_lookup (n->members, name);
}

guint64
neff_file_byte (const Neff *n, const NeffMember *member)
{
  return n->payload_at + (n->packing == NEFF_TAR && member ? member->at : 0);
}
