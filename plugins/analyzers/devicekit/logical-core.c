/* SPDX-License-Identifier: Apache-2.0 */
/* logical-core.c - counts the cores of a logical core, as the header of the NEFF states them in the
 * vendor's JSON, else by the graphs of an NTFF, of which each core has one. */
#include "devicekit/logical-core.h"

#include <math.h>
#include <string.h>

#define CORES_OF_HEADER "number_of_neuroncores_per_lnc"
#define GRAPHS "graphs" /* "sg00,sg01" */

static const char *
property_of (const struct nprof_input_info *input, const char *key)
{
  for (const char *const *p = input->properties; p && p[0]; p += 2)
    if (strcmp (p[0], key) == 0)
      return p[1];
  return NULL;
}

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
  const char *stated = property_of (input, CORES_OF_HEADER), *graphs = property_of (input, GRAPHS);
  gint64 n = stated ? g_ascii_strtoll (stated, NULL, 10) : 0;
  if (n > 0)
    return (guint) MIN (n, G_MAXINT);
  return graphs ? count_names (graphs) : 0;
}

bool
an_same_logical_core (const struct nprof_host *host, nprof_track a, nprof_track b)
{
  return a == b
         || (host->track_info (host, a)->parent == host->track_info (host, b)->parent
             && an_logical_cores (host, a) > 1 && an_logical_cores (host, b) > 1);
}

double
an_model_flops (guint cores, double flops, double model_flops)
{
  return cores && !(model_flops < flops) ? NAN : model_flops;
}
