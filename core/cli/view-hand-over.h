/* SPDX-License-Identifier: Apache-2.0 */
/* view-hand-over.h - is this store served already? */
#pragma once

#include <glib.h>

/* Does a nprof view on this port of this machine, or of `address`, show the folder `store`? */
gboolean np_view_serves (const char *address, guint port, const char *store);
