/* SPDX-License-Identifier: Apache-2.0 */
/* beside.h - small files in the folder of an input that say more of it. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

/* Reads a file beside the input, by its name as host->siblings gives it, without making it an input
 * of the run. NULL: it cannot be read, is empty, or has `most` bytes or more. [instance] */
GByteArray *neuron_read_beside (const struct nprof_host *host, const char *name, uint64_t most);
