/* SPDX-License-Identifier: Apache-2.0 */
/* http.h - one connection to one server, kept alive, by libcurl; the only file that knows libcurl.
 * No proxy, no redirect, no .netrc; certificates are verified; secrets go into headers only. */
#pragma once

#include "retry.h"

#define HTTP_ANSWER_MAX (1u << 20) /* of an answer; what lies beyond is thrown away */

struct http; /* used by one thread at a time */

struct http_request {
  const char *method, *url;
  const char *type;   /* of the body                     */
  const char *accept; /* NULL: any                       */
  const void *body;
  size_t len;
  gboolean gzip;      /* the body is                     */
};

struct http_answer {
  struct retry_result result;
  char *text;         /* of the answer, NUL-terminated, at most HTTP_ANSWER_MAX bytes  */
  size_t len;
  char *version;      /* header X-Influxdb-Version, or NULL                            */
  char *location;     /* where a redirect leads, or NULL                               */
  char *problem;      /* why no answer came, or NULL                                   */
  gboolean refused;   /* nobody listens there                                          */
};

typedef struct http_answer HttpAnswer;
void http_answer_clear (HttpAnswer *answer);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HttpAnswer, http_answer_clear)

struct http *http_new (gint64 timeout_s); /* NULL: libcurl could not be started */
void http_free (struct http *http); /* wipes the secrets */
/* Makes requests say who we are from now on.  `token` is for InfluxDB 2, `user` for Basic.  NULL:
 * none. */
void http_set_token (struct http *http, const char *token);
void http_set_user (struct http *http, const char *user, const char *password);
/* Sets a function that is asked about ten times a second while a request lasts; TRUE ends it. */
void http_set_stop (struct http *http, gboolean (*stopped) (gpointer user), gpointer user);
void http_send (struct http *http, const struct http_request *request, struct http_answer *answer);
