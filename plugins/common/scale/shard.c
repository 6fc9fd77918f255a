/* SPDX-License-Identifier: Apache-2.0 */
/* shard.c - reads a shard, and what launchers say of the task that they started. */

#include "scale/shard.h"

#include <string.h>

static gboolean
number_of (const char *text, guint *number)
{
  guint64 n;
  if (!text || !g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT32, &n, NULL))
    return FALSE;
  *number = (guint) n;
  return TRUE;
}

static gboolean
set_shard (NpShard *shard, guint number, guint count)
{
  *shard = (NpShard){ number, count };
  return number < count;
}

/* srun; MPICH and Intel MPI; Open MPI */
static const char *const launchers[][2] = { { "SLURM_PROCID", "SLURM_NTASKS" },
                                            { "PMI_RANK", "PMI_SIZE" },
                                            { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" } };

/* An array of Slurm runs each task as a job of its own, in which SLURM_PROCID is 0. */
static gboolean
by_array (NpShard *shard)
{
  guint id, first, count;
  return number_of (g_getenv ("SLURM_ARRAY_TASK_ID"), &id)
         && number_of (g_getenv ("SLURM_ARRAY_TASK_MIN"), &first)
         && number_of (g_getenv ("SLURM_ARRAY_TASK_COUNT"), &count) && id >= first
         && set_shard (shard, id - first, count);
}

static gboolean
by_launcher (NpShard *shard)
{
  for (guint i = 0; i < G_N_ELEMENTS (launchers); i++) {
    guint number, count;
    if (number_of (g_getenv (launchers[i][0]), &number)
        && number_of (g_getenv (launchers[i][1]), &count) && count > 1)
      return set_shard (shard, number, count);
  }
  if (by_array (shard))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (launchers); i++)
    if (g_strcmp0 (g_getenv (launchers[i][0]), "0") == 0
        && g_strcmp0 (g_getenv (launchers[i][1]), "1") == 0)
      return set_shard (shard, 0, 1);
  return FALSE;
}

gboolean
np_shard_parse (NpShard *shard, const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", 2);
  guint number, count;
  if (g_str_equal (text, "auto") && by_launcher (shard))
    return TRUE;
  if (g_strv_length (parts) == 2 && number_of (parts[0], &number) && number_of (parts[1], &count)
      && set_shard (shard, number, count))
    return TRUE;
  if (g_str_equal (text, "auto"))
    return np_error_set (
        error, NP_EXIT_USAGE,
        "--shard auto: no launcher says which task this is (SLURM_PROCID, PMI_RANK, "
        "OMPI_COMM_WORLD_RANK, SLURM_ARRAY_TASK_ID): say --shard K/N");
  return np_error_set (error, NP_EXIT_USAGE,
                       "--shard %s: expected K/N with K from 0 to N - 1, or auto", text);
}
