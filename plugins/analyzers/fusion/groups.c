/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - keeps fusions by input, program and name. */
#include "fusion.h"

guint32
fusion_group (Fusion *self, const guint32 id[ID_WORDS])
{
  guint32 group = an_key_table_get (&self->group_ids, id);
  if (group == self->groups->len)
    g_array_set_size (self->groups, group + 1);
  return group;
}

Group *
fusion_at (Fusion *self, guint32 group)
{
  return &g_array_index (self->groups, Group, group);
}

void
fusion_group_clear (gpointer data)
{
  Group *group = data;
  g_strfreev (group->members);
  g_free (group->framework_ops);
}
