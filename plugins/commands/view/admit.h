/* SPDX-License-Identifier: Apache-2.0 */
/* admit.h - decides who is served: names of hosts, pages that may write. */
#pragma once

#include "view.h"

#include <sys/socket.h>

/* Returns whether this address reaches this machine alone. */
gboolean np_is_loopback (const struct sockaddr *address);
/* Returns whether a server that listens on this, as --address has it, is reached from this machine
 * alone. */
gboolean np_admit_is_private (const char *address);
/* Returns whether this value of the header Host, or NULL, is one of ours.  DNS rebinding comes with
 * another. */
gboolean np_admit_host (const NpViewConfig *config, const char *host);
/* Returns whether a request with these headers may write.  NULL: yes; else why not. */
const char *np_admit_write (const char *token, const char *own_token, const char *origin,
                            const char *host, const char *fetch_site);
