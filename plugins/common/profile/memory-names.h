/* SPDX-License-Identifier: Apache-2.0 */
/* memory-names.h - how decoders name counters of a memory, for the analyzer that reads them. */
#ifndef MEMORY_NAMES_H
#define MEMORY_NAMES_H

/* Names a counter of the memory that a use, whose name follows, holds since the recording began. */
#define MEMORY_USE "allocated_since_start/"

#endif
