/* SPDX-License-Identifier: Apache-2.0 */
/* default-analyzers.h - the analyzers that a report and a stored profile have without being asked. */
#pragma once

#include "cli/cli.h"

/* What was asked for joins them, at the end, or with its options in its place among them.  but: of their long
 * tables, as critical_path, those alone are made; NULL: all. */
void np_add_default_analyzers (NpConfig *config, NpRegistry *registry, const char *const *but);
gboolean np_has_analyzer (NpRegistry *registry, const char *name);
