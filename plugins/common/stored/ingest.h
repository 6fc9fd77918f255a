/* SPDX-License-Identifier: Apache-2.0 */
/* ingest.h - turns inputs into a stored profile: which one, whether it is there already, and the
 * run that makes it. */
#pragma once

#include "cli/cli.h"

#define NP_PROFILE_ID 43 /* n_, 40 hex digits, NUL */

typedef struct {
  NpCliOptions *options; /* decoder, analyzers, jobs, keep_going; not owned */
  const char *store;     /* the folder of all profiles */
  gboolean force;
  const char *endpoint, *org; /* of a database that gets it too; endpoint NULL: none */
  guint64 store_max; /* bytes that all profiles may take */
  char **sources;    /* folders from which files are stored that rows name; NULL: none */
} NpIngest;

typedef struct {
  GPtrArray *paths; /* of char *: the inputs of one profile */
  char id[NP_PROFILE_ID];
  gboolean here; /* stored as it lies in the files now, by the same analyzers */
} NpIngestProfile;

void np_ingest_profile_free (NpIngestProfile *profile);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpIngestProfile, np_ingest_profile_free)

/* Returns the profile that these inputs make.  NULL: the error says which input cannot be read. */
NpIngestProfile *np_ingest_plan (const NpIngest *ingest, GPtrArray *paths, GError **error);
/* Writes the profile to the database; one that is there already stays unless ingest->force.
 * Returns an NpExit. */
int np_ingest_database (const NpIngest *ingest, const NpIngestProfile *profile);
/* Reads the inputs and stores the profile; returns an NpExit, and a failure has been printed. */
int np_ingest_run (const NpIngest *ingest, const NpIngestProfile *profile);
