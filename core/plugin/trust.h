/* SPDX-License-Identifier: Apache-2.0 */
/* trust.h - decides whose plugins are opened: the rule apart from the file system, and with it. */
#pragma once

#include <glib.h>
#include <sys/stat.h>

typedef struct {
  uid_t caller;           /* who runs nprof                                           */
  uid_t exe_owner;        /* owner of nprof's own file; counts only when root runs it */
  gboolean private_group; /* the group of the file is its owner's own, with no one else */
} NpTrust;

/* Returns NULL when the file and its folder, or the folder (after realpath), may be trusted, else
 * why not and the chmod or chown that mends it; transfer full. */
char *np_trust_problem (const char *path);

/* Says what is wrong with a file or folder of this status, and the mend; transfer full, or NULL. */
char *np_trust_judge (const char *path, const struct stat *st, const NpTrust *trust);
