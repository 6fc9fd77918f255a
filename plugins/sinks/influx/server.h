/* SPDX-License-Identifier: Apache-2.0 */
/* server.h - one InfluxDB as this sink uses it: it finds out whether it is there, whether we may
 * write, whether the profile is there already; makes room for it; counts what arrived.  One thread
 * at a time. */
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
/* Returns FALSE when libcurl could not be started. */
gboolean server_connect (struct server *server);
/* Makes requests say who we are from now on, as this server's api wants it. */
void server_sign (struct server *server);
/* Makes another connection to the same server, for another thread; it owns that and its errors, all
 * else is from's, which must live as long.  FALSE as above. */
gboolean server_clone (const struct server *from, struct server *to);

/* Finds out before anything is written who is there, whether we may write, and whether the profile
 * is new.  Changes nothing there. */
gboolean server_check (struct server *server);
/* Creates what is missing, deletes what force=yes replaces; just before the first body. */
gboolean server_prepare (struct server *server);
/* Sets a function that is asked while the server is waited for; TRUE ends it.  At first it is the
 * end of the run. */
void server_set_stop (struct server *server, gboolean (*stopped) (gpointer user), gpointer user);
/* Sends one request.  TRUE: done. */
gboolean server_try (struct server *server, const struct http_request *request, HttpAnswer *answer);
/* Tries again after server_try until the server answers something that waiting cannot change, or
 * its time is over. */
gboolean server_retry (struct server *server, const struct http_request *request,
                       HttpAnswer *answer);
/* Does both.  `patient` waits also for a server that does not answer at all. */
gboolean server_ask (struct server *server, const struct http_request *request, gboolean patient,
                     HttpAnswer *answer);
/* Sets error: what was tried ("writing"), what the server says, what mends it. */
gboolean server_failed (struct server *server, const char *what, const HttpAnswer *answer);
/* Asks with a request without much of a body, which is freed. */
gboolean server_send (struct server *server, ApiRequest request, gboolean patient,
                      HttpAnswer *answer);
void server_set_error (struct server *server, char *text); /* takes it */
/* 1.x: tells whether a query was answered with an error, and sets error. */
gboolean server_query_failed (struct server *server, const char *what, const HttpAnswer *answer);
/* Returns whether the server has what was sent. */
gboolean server_verify (struct server *server, struct counts *counts);
