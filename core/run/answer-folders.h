/* SPDX-License-Identifier: Apache-2.0 */
/* answer-folders.h - where answers lie: nprof's own, those of plugins, those of a team. */
#pragma once

#include "plugin/registry.h"

typedef struct {
  char *path;   /* SUBJECT/NAME.sql lie below it */
  char *prefix; /* of their names: "" of nprof's own, "acme." of plugin acme.so, "team." */
} NpAnswerFolder;

/* Returns those that there are, of NpAnswerFolder, in this order; transfer full.  data_folder: that
 * of nprof, or NULL; team: also those of $XDG_CONFIG_HOME/nprof/answers. */
GPtrArray *np_answer_folders (NpRegistry *registry, const char *data_folder, gboolean team);
