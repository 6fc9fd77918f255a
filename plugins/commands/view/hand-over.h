/* SPDX-License-Identifier: Apache-2.0 */
/* hand-over.h - finds out whether this store is served already. */
#pragma once

#include <glib.h>

/* Returns whether a nprof view on this port of this machine, or of `address`, shows the folder
 * `store`. */
gboolean np_view_serves (const char *address, guint port, const char *store);
