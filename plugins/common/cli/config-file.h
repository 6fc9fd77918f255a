/* SPDX-License-Identifier: Apache-2.0 */
/* config-file.h - what --config names. */
#pragma once

#include "run/config.h"

/* Adds what a JSON file says: {inputs, decoder, analyzers, sinks, output, jobs}; what is
 * set already (by the command line) stays. */
gboolean np_config_load (NpConfig *config, const char *path, GError **error);
