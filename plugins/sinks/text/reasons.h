/* SPDX-License-Identifier: Apache-2.0 */
/* reasons.h - why tables have no rows, as table abilities says it. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

typedef struct Reasons Reasons;

Reasons *reasons_new (void);
void reasons_free (Reasons *reasons);
/* Takes rows of any table. */
void reasons_add (Reasons *reasons, const struct nprof_table *table, const struct nprof_cell *cells,
                  guint n_rows);
/* Returns "unknown: no launches in the file; record the host as well", or "none: ..."; NULL: no
 * answer says why. */
const char *reasons_find (const Reasons *reasons, const char *table);
