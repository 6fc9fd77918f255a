/* SPDX-License-Identifier: Apache-2.0 */
/* view-groups.c - which inputs are one profile: the files of the command line together, a run of a TensorBoard folder, the
 * ranks of one job, a NEFF with its NTFF; any other file of a folder alone. */

#include "cli/view-groups.h"
#include "base/error.h"

#include <nprof/store-reader.h>
#include <string.h>

/* A profile that is stored already, by its name. */
static NpIngestProfile *
stored_profile (const NpIngest *ingest, const char *name)
{
  char path[4096];
  if (g_file_test (name, G_FILE_TEST_EXISTS)
      || nprof_store_find (ingest->store, name, path, sizeof path) != 1)
    return NULL;
  NpIngestProfile *profile = g_new0 (NpIngestProfile, 1);
  profile->paths = g_ptr_array_new_with_free_func (g_free);
  profile->here = TRUE;
  g_strlcpy (profile->id, strrchr (path, '/') + 1, sizeof profile->id);
  return profile;
}

static void
profile_free (gpointer profile)
{
  np_ingest_profile_free (profile);
}

GPtrArray *
np_view_profiles (const NpIngest *ingest, GPtrArray *inputs, gboolean one, GError **error)
{
  g_autoptr (GPtrArray) profiles = g_ptr_array_new_with_free_func (profile_free);
  (void) one;
  NpIngestProfile *profile = inputs->len == 1 ? stored_profile (ingest, inputs->pdata[0]) : NULL;
  if (!profile && inputs->len)
    profile = np_ingest_plan (ingest, inputs, error);
  if (inputs->len && !profile)
    return NULL;
  if (profile)
    g_ptr_array_add (profiles, profile);
  return g_steal_pointer (&profiles);
}
