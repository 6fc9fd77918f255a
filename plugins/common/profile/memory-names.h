/* SPDX-License-Identifier: Apache-2.0 */
/* memory-names.h - how decoders name counters of a memory, for the analyzer that reads them. */
#ifndef MEMORY_NAMES_H
#define MEMORY_NAMES_H

/* What a use, which stands behind it, holds of what was allocated since the recording began. */
#define MEMORY_USE "allocated_since_start/"

#endif
