/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h - nprof.summary/1 of a stored profile, for commands. */
#pragma once

#include "sql/sql.h"

/* Returns a line of JSON, at most 4 kB, the data of tool verdict; transfer full, NULL with an
 * error. */
GString *np_agent_summary (struct nprof_store *store, GError **error);
