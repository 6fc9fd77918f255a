/* SPDX-License-Identifier: Apache-2.0 */
/* command-groups.h - groups inputs to profiles. */
#pragma once

#include "stored/ingest.h"

/* Returns NpIngestProfile, in the order of the inputs.  `one`: all inputs are one profile; else
 * each folder is looked into.  NULL: the error names the input that cannot be read. */
GPtrArray *np_view_profiles (const NpIngest *ingest, GPtrArray *inputs, gboolean one,
                             GError **error);
