/* SPDX-License-Identifier: Apache-2.0 */
/* sibling.h - the files beside an input that its decoder may look at. */
#pragma once

#include "run/instance.h"

/* These are host->siblings and host->sibling of plugin.h. */
nprof_status np_siblings_each (NpInstance *instance, int (*fn) (void *user, const char *name),
                               void *user);
/* A file that is opened becomes an input of the run, by np_siblings_join. */
const void *np_sibling_open (NpInstance *instance, const char *name, guint64 *len);

/* Adds the files that the decoder of the input has opened to the run's inputs, unless they are
 * there. Called when the input has ended, in the order of inputs, so that their numbers do not
 * depend on which decoder was first. */
void np_siblings_join (NpRun *run, NpRunInput *input);

/* Do what the extension nprof_sibling_head says. */
size_t np_sibling_head (const struct nprof_host *host, const char *name, void *bytes, size_t len);
nprof_status np_siblings_within (const struct nprof_host *host, const char *folder,
                                 int (*fn) (void *user, const char *name), void *user);
int np_sibling_digest (const struct nprof_host *host, const char *name, char *hex);
