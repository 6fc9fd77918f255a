/* SPDX-License-Identifier: Apache-2.0 */
/* server.h - one InfluxDB as this sink uses it: finds out whether it is there, whether we may
 * write, whether the profile is there already; makes room for it. */
#pragma once

#include "http.h"

struct server {
  struct http http;
  int api;                /* 1 or 2; 0: to be found out                               */
  struct api_place place; /* strings are the options'; org and org_id may be our own  */
  char *org, *org_id;
  const char *user;
  gboolean force;
  gboolean must_create, must_drop; /* before the first body                             */
  gboolean can_count;              /* the server lets us look at what it has                   */
  char *error;                     /* why a function below returned FALSE                      */
};

void server_clear (struct server *server);

/* Finds out before anything is written who is there, whether we may write, and whether the profile
 * is new.  Changes nothing there. */
gboolean server_check (struct server *server);
/* Creates what is missing, deletes what force=yes replaces; just before the first body. */
gboolean server_prepare (struct server *server);

/* Asks; the answer is that of the first call.  `patient` waits also for a server that does not
 * answer at all. */
gboolean server_ask (struct server *server, enum api_what what, gboolean patient);
/* Asks patiently for what must be done; FALSE: error says that `doing` it failed.  `measurement`
 * is api_request's. */
gboolean server_order (struct server *server, enum api_what what, const char *measurement,
                       const char *doing);
/* Sets error: what was tried ("writing"), what the server says, what mends it. */
gboolean server_failed (struct server *server, const char *doing, const struct http_answer *answer);
/* Takes the text.  Returns FALSE. */
gboolean server_set_error (struct server *server, char *text);
