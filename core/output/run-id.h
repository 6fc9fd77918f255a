/* SPDX-License-Identifier: Apache-2.0 */
/* run-id.h - what tells the runs that write into one folder from each other. */
#pragma once

#include <glib.h>

/* Returns 40 hex digits: SHA-1 of the options and of the inputs' paths as they are seen from the
 * folder, so that a tree that is copied elsewhere gives the same.  `folder`, and inputs that begin
 * with '/', are real paths; other inputs are taken as they are.  Transfer full. */
char *np_run_id (const char *folder, const char *options, const GPtrArray *inputs);

/* Returns "../in/a.json", the way from one real path to another; transfer full. */
char *np_path_from (const char *folder, const char *path);
