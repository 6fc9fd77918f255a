/* SPDX-License-Identifier: Apache-2.0 */
/* server.h - one InfluxDB as this sink uses it: is it there, may we write, is the profile there
 * already; making room for it; counting what arrived.  One thread at a time. */
#pragma once

#include "api.h"
#include "counts.h"
#include "http.h"

#include <nprof/sdk.h>

struct server {
  const struct nprof_host *host;
  struct http *http;
  int api;                  /* 1 or 2; 0: to be found out                               */
  struct api_place place;   /* strings are the options'; org and org_id may be our own  */
  char *org, *org_id;
  const char *user, *token, *password;
  gint64 timeout_ms;        /* how long an absent server is waited for                  */
  gboolean force;
  gboolean must_create, must_drop; /* before the first body                             */
  gboolean can_count;       /* the server lets us look at what it has                   */
  char *error;              /* why a function below returned FALSE                      */
  gboolean (*stopped) (gpointer user);
  gpointer stop_user;
};

void server_clear (struct server *server);
/* FALSE: libcurl could not be started. */
gboolean server_connect (struct server *server);
/* From now on requests say who we are, as this server's api wants it. */
void server_sign (struct server *server);
/* Another connection to the same server, for another thread; owns that and its errors, all else is
 * from's, which must live as long.  FALSE as above. */
gboolean server_clone (const struct server *from, struct server *to);

/* Before anything is written: who is there, may we write, is the profile new?  Changes nothing
 * there. */
gboolean server_check (struct server *server);
/* Just before the first body: creates what is missing, deletes what force=yes replaces. */
gboolean server_prepare (struct server *server);
/* Asked while the server is waited for; TRUE ends it.  At first: the end of the run. */
void server_set_stop (struct server *server, gboolean (*stopped) (gpointer user), gpointer user);
/* One request.  TRUE: done. */
gboolean server_try (struct server *server, const struct http_request *request, HttpAnswer *answer);
/* After server_try: tries again until the server answers something that waiting cannot change, or
 * its time is over. */
gboolean server_retry (struct server *server, const struct http_request *request,
                       HttpAnswer *answer);
/* Both.  patient: waits also for a server that does not answer at all. */
gboolean server_ask (struct server *server, const struct http_request *request, gboolean patient,
                     HttpAnswer *answer);
/* Sets error: what was tried ("writing"), what the server says, what mends it. */
gboolean server_failed (struct server *server, const char *what, const HttpAnswer *answer);
/* The same for a request without much of a body, which is freed. */
gboolean server_send (struct server *server, ApiRequest request, gboolean patient, HttpAnswer *answer);
void server_set_error (struct server *server, char *text); /* takes it */
/* 1.x: was a query answered with an error?  Sets error. */
gboolean server_query_failed (struct server *server, const char *what, const HttpAnswer *answer);
/* Does the server have what was sent? */
gboolean server_verify (struct server *server, struct counts *counts);
