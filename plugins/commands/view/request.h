/* SPDX-License-Identifier: Apache-2.0 */
/* request.h - what a client asks for: the path's segments and the parameters of an URL, decoded,
 * and what comes with it. It knows no socket. */
#pragma once

#include <glib.h>

#define NP_URL_MAX 16384 /* bytes of an URL */

typedef struct {
  char *name, *value;
} NpParam;

typedef struct {
  GPtrArray *path; /* of char *: segments, decoded, without empty ones */
  GArray *params;  /* of NpParam, in their order */
  GString *body;
  const char *method;
  const char *header_name, *type; /* X-Nprof-Name, Content-Type, or NULL */
  const char *host, *agent;
  gboolean head, far, gzip; /* far: worth compressing all there is */
  gpointer upload;          /* of upload.c while a body is streamed */
  gboolean (*gone) (gpointer user); /* NULL, or says whether the client has left */
  gpointer gone_user;
} NpRequest;

/* Parses the target of a request line, "/a/b%20c?x=1&y".  NULL: it is none, and *why says what is
 * wrong. */
NpRequest *np_request_parse (const char *target, const char **why);
void np_request_free (NpRequest *request);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpRequest, np_request_free)

/* Returns whether the client has left, so that nobody reads the answer. */
gboolean np_request_is_gone (const NpRequest *request);

/* Returns a segment of the path: of "/api/v1/p/ID/GEN/table/NAME" 0 is "api" and 6 is NAME; ""
 * beyond the end. */
const char *np_request_segment (const NpRequest *request, guint index);
/* Returns the first parameter of this name; NULL: there is none. */
const char *np_request_param (const NpRequest *request, const char *name);

/* Parses whole numbers as they are written in URLs: digits with an optional '-'.  FALSE: it is
 * none. */
gboolean np_parse_i64 (const char *text, gint64 *value);
gboolean np_parse_u32 (const char *text, guint32 *value);
/* Parses "LANE.ROW". */
gboolean np_parse_row (const char *text, guint32 *lane, guint32 *row);
/* Parses "3-17,20" into an array of guint32, at most max of them; NULL: it is none. */
GArray *np_parse_list (const char *text, guint max);
