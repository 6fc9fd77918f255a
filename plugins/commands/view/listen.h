/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - the sockets that a server listens on. */
#pragma once

#include <glib.h>

/* Opens them into sockets (of int): localhost is both 127.0.0.1 and ::1, so that nobody else can
 * take the other.  A *port of 0 becomes the one that was free.  FALSE, NP_EXIT_USAGE: taken, or no
 * such address. */
gboolean np_listen (const char *address, guint *port, GArray *sockets, GError **error);
