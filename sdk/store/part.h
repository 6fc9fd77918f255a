/* SPDX-License-Identifier: Apache-2.0 */
/* part.h - opens a store whose rows are written and whose index is not: the writer asks it for the
 * picture. */
#pragma once

#include <nprof/store-reader.h>

/* `folder` is open and stays the caller's; lanes and meta must outlive the store.  Only viewports
 * may be asked. */
struct nprof_store *nprof_store_open_part (int folder, const struct nprof_store_meta *meta,
                                           const struct nprof_store_lane *lanes, uint32_t n_lanes,
                                           char *error, size_t error_size);
