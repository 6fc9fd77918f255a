/* SPDX-License-Identifier: Apache-2.0 */
/* use.h - why it is not known how well devices are used. */
#pragma once

#include <nprof/store-reader.h>

#include <glib.h>

/* Says why a share ("mfu", "hfu" or "mbu") of the devices of a whole profile is unknown, from what
 * table mfu knows of their work; NULL: of some device the table has what the share is made of.  Transfer
 * full. */
char *np_use_reason (struct nprof_store *store, struct nprof_query *query, const char *share);
