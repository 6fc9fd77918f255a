/* SPDX-License-Identifier: Apache-2.0 */
/* number.h - numbers of cells and of sentences as texts that GLib frees; how they are written is
 * nprof/units.h's. */
#pragma once

#include <glib.h>
#include <nprof/units.h>

/* Returns "1.24 ms" and sets *rounded when digits were lost; NULL rounded: nobody asks.  Transfer
 * full. */
char *number_text (struct nprof_figure figure, gboolean *rounded);

/* Returns "2025-01-31T12:00:00.500Z" for Unix time in ns, whole seconds without fraction, others
 * rounded down; transfer full. */
char *number_date (gint64 unix_ns, gboolean *rounded);
