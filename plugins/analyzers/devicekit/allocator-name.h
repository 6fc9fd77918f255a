/* SPDX-License-Identifier: Apache-2.0 */
/* allocator-name.h - what people call the memory that a row of PyTorch's allocators is of. */
#ifndef AN_ALLOCATOR_NAME_H
#define AN_ALLOCATOR_NAME_H

#include <glib.h>
#include <nprof/plugin.h>

/* Returns "CUDA 0", of type and number of a device as PyTorch writes them; the only CPU there is has
 * no number. */
nprof_str an_allocator_name (const struct nprof_host *host, gint64 type, gint64 device);

#endif
