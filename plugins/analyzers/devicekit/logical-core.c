/* SPDX-License-Identifier: Apache-2.0 */
/* logical-core.c - counts the cores of a logical core, as the header of the NEFF states them in the
 * vendor's JSON, else by the graphs of an NTFF, of which each core has one. */
#include "devicekit/logical-core.h"

#include "devicekit/device-sweep.h"
#include "devicekit/key-table.h"
#include "devicekit/property.h"

#include <string.h>

#define CORES_OF_HEADER "number_of_neuroncores_per_lnc"
#define GRAPHS "graphs" /* "sg00,sg01" */

static guint
count_names (const char *list)
{
  guint n = 1;
  for (; *list; list++)
    n += *list == ',';
  return n;
}

guint
an_logical_cores (const struct nprof_host *host, nprof_track core)
{
  const struct nprof_track_info *info = host->track_info (host, core);
  if (info->kind != NPROF_TRACK_CORE)
    return 0;
  const struct nprof_input_info *input = host->input (host, info->input);
  const char *stated = an_property (input, CORES_OF_HEADER), *graphs = an_property (input, GRAPHS);
  gint64 n = stated ? g_ascii_strtoll (stated, NULL, 10) : 0;
  if (n > 0)
    return (guint) MIN (n, G_MAXINT);
  return graphs ? count_names (graphs) : 0;
}

nprof_track
an_logical_core_of (const struct nprof_host *host, nprof_track core)
{
  const nprof_track above = host->track_info (host, core)->parent;
  return above && an_logical_cores (host, core) > 1 ? above : core;
}

GPtrArray *
an_logical_core_places (const struct nprof_host *host, const nprof_track *devices, guint n)
{
  AnKeyTable keys;
  an_key_table_init (&keys, 1);
  g_autoptr (GPtrArray) of_key = g_ptr_array_new ();
  GPtrArray *places = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  for (guint i = 0; i < n; i++) {
    const guint32 key[] = { an_logical_core_of (host, devices[i]) };
    guint number = an_key_table_get (&keys, key);
    if (number == of_key->len)
      g_ptr_array_add (of_key, g_array_new (FALSE, FALSE, sizeof (guint)));
    else
      g_array_ref (g_ptr_array_index (of_key, number));
    g_array_append_val ((GArray *) g_ptr_array_index (of_key, number), i);
    g_ptr_array_add (places, g_ptr_array_index (of_key, number));
  }
  an_key_table_clear (&keys);
  return places;
}

bool
an_knows_model (guint cores, guint known)
{
  return !cores || (known & AN_KNOWS_TRANSPOSES);
}
