/* SPDX-License-Identifier: Apache-2.0 */
/* id.h - the name of a profile, by which servers and stores know that they have it. */
#pragma once

#include <nprof/sdk.h>

#define PROFILE_ID_SIZE 43 /* "n_", 40 hex digits, NUL */

/* Writes the name of the run's inputs: the digest of the one input, or SHA-1 over the digests of
 * all. The same inputs have the same name each time. For open of a sink; fails as its digests do
 * (nprof/draft/digest.h), and where the host has none. */
nprof_status profile_id (const struct nprof_host *host, char id[PROFILE_ID_SIZE]);
