/* SPDX-License-Identifier: Apache-2.0 */
/* http.h - requests to one server, several at once, each over a connection of its own, by libcurl:
 * the only file that knows it.  A request is sent again until it is answered for good, or its time
 * is over.  One thread: requests go on while http_go is called.  No proxy, no redirect, no .netrc;
 * certificates are verified; secrets go into headers only. */
#pragma once

#include "api.h"
#include "body.h"

#include <nprof/sdk.h>

#define HTTP_ANSWER_MAX (1u << 20) /* of an answer; what lies beyond is thrown away            */
#define HTTP_LOOK_MS 50            /* how soon the end of a run is noticed while waiting       */
#define HTTP_PROBLEM_MAX 256       /* libcurl's CURL_ERROR_SIZE                                */

/* How a request went. */
struct http_result {
  gboolean connected; /* an answer came; else it was refused, broke or took too long     */
  gboolean hopeless;  /* no answer, and there never will be one: a bad name, a certificate */
  int status;         /* of HTTP                                                         */
  gint64 retry_after; /* seconds, as the server asks; 0: it does not                     */
  gboolean final;     /* the text of the answer says that nothing will change            */
};

struct http_answer {
  struct http_result result;
  GString *text;    /* of the answer, at most HTTP_ANSWER_MAX bytes, without secrets   */
  char *version;    /* header X-Influxdb-Version, or NULL                              */
  char *location;   /* where a redirect leads, or NULL                                 */
  char *problem;    /* why no answer came, or NULL                                     */
  gboolean refused; /* nobody listens there                                            */
};

/* A connection, and the request that was made over it last. */
struct http_call {
  struct http *http;
  void *curl, *headers;
  const ApiRequest *request;
  struct body *body;         /* in place of the request's own, or NULL                          */
  struct http_answer answer; /* until the next request                                     */
  enum { HTTP_DONE, HTTP_FLYING, HTTP_WAITING } state;
  gboolean patient; /* waits also for a server that does not answer at all             */
  guint failures;
  gint64 failed_us, again_us, end_us; /* first failure, next try, end of this one          */
  char problem[HTTP_PROBLEM_MAX];
};

struct http {
  const struct nprof_host *host;
  const char *url; /* of the server                                                   */
  const char *token, *password; /* crossed out of all that it says                         */
  gint64 timeout_ms;   /* of an answer, and how long an absent server is waited for       */
  char *authorization; /* a whole header, or NULL                                         */
  void *multi;
  struct http_call *calls;
  guint n_calls;
};

/* FALSE: not all connections could be set up; http_close is due all the same. */
gboolean http_open (struct http *http, guint n_calls);
void http_close (struct http *http);
/* Makes requests say who we are from now on.  NULL: nobody. */
void http_sign_token (struct http *http);
void http_sign_user (struct http *http, const char *user);
/* Begins a request over a connection that is done.  What it is given stays until it is done. */
void http_begin (struct http_call *call, const ApiRequest *request, struct body *body,
                 gboolean patient);
/* Lets all requests go on, after waiting `ms` at most for something to happen.  FALSE: the run
 * ends. */
gboolean http_go (struct http *http, int ms);
/* Gives up all requests. */
void http_stop (struct http *http);
/* Returns whether a request was done as it was asked. */
gboolean http_ok (const struct http_call *call);
/* Makes a request over the first connection, and waits for it. */
gboolean http_ask (struct http *http, const ApiRequest *request, gboolean patient);

/* -- When a request is sent again -- */

#define HTTP_FIRST_WAIT_MS 100
#define HTTP_LONGEST_WAIT_MS 5000

/* Returns whether a request is sent again after 429, 5xx, or an answer that never came, and after
 * how many ms, which double from HTTP_FIRST_WAIT_MS on.  `attempt` is 0 after the first try;
 * `waited_ms` counts since the first failure; `limit_ms` is how long the server is waited for. */
gboolean http_again (const struct http_result *result, guint attempt, gint64 waited_ms,
                     gint64 limit_ms, gint64 *wait_ms);
