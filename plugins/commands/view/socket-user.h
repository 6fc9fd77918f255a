/* SPDX-License-Identifier: Apache-2.0 */
/* socket-user.h - finds out which user of this machine holds the other end of a connection. */
#pragma once

#include <glib.h>
#include <sys/socket.h>

/* `peer` is the address of the other end, `own` that of ours. FALSE: unknown, as where the other
 * end is closed. */
gboolean np_socket_user (const struct sockaddr *peer, const struct sockaddr *own, uid_t *user);
