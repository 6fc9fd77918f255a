/* SPDX-License-Identifier: Apache-2.0 */
/* no-http.c - takes the place of http.c where nprof was built without libmicrohttpd: profiles are
 * stored, not served. */

#include "base/error.h"
#include "http.h"

NpHttp *
np_http_start (const NpViewConfig *config, const char *token, const NpHttpHandler *handler,
               NpLog *log, GError **error)
{
  (void) config, (void) token, (void) handler, (void) log;
  np_error_set (error, NP_EXIT_USAGE,
                "this nprof was built without libmicrohttpd and serves nothing: install "
                "libmicrohttpd-dev and build "
                "it again (--ingest-only, and all other commands, do without)");
  return NULL;
}

guint
np_http_port (const NpHttp *http)
{
  (void) http;
  return 0;
}

void
np_http_stop (NpHttp *http)
{
  (void) http;
}
