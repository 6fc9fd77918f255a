/* SPDX-License-Identifier: Apache-2.0 */
/* allocator-name.h - what people call the memory that a row of an allocator is of. */
#ifndef AN_ALLOCATOR_NAME_H
#define AN_ALLOCATOR_NAME_H

#include <glib.h>
#include <nprof/reader.h>

/* Returns "CUDA 0", of type and number of a device as PyTorch writes them; the only CPU there is
 * has no number. */
nprof_str an_allocator_name (const struct nprof_host *host, gint64 type, gint64 device);

/* Returns a text that XLA printed into a field of the row; 0: there is none, or it prints that one
 * is missing. */
nprof_str an_text_of_xla (const struct nprof_reader *row, uint32_t field);
/* Returns the name of an allocator of XLA, else the number of its device, else its number on the
 * host; 0: the fields of the row state none. */
nprof_str an_allocator_of_xla (const struct nprof_reader *row, uint32_t name, uint32_t ordinal,
                               uint32_t index);

#endif
