/* SPDX-License-Identifier: Apache-2.0 */
/* admit.h - who is served: users of this machine, names of hosts, pages that may write. */
#pragma once

#include "view/view.h"

#include <sys/socket.h>

/* Does this address reach this machine alone? */
gboolean np_is_loopback (const struct sockaddr *address);
/* May the program behind the other end of a connection of this machine be served: does it belong to our user or to
 * root?  peer: its address; own: ours.  Not known counts as no. */
gboolean np_admit_user (const struct sockaddr *peer, const struct sockaddr *own);
/* Is this value of the header Host, or NULL, one of ours?  DNS rebinding comes with another. */
gboolean np_admit_host (const NpViewConfig *config, const char *host);
/* May a request with these headers write?  NULL: yes; else why not. */
const char *np_admit_write (const char *token, const char *own_token, const char *origin,
                            const char *host, const char *fetch_site);
