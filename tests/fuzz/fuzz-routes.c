/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-routes.c - whole requests to nprof view over a stored profile: the routes that read, with
 * any path and parameters, and SQL. Every answer has a status that the API knows, and its JSON is
 * JSON. `@` at the beginning stands for the routes of the profile; behind a line break comes a
 * body. Routes that run other programs or change the store are left out. */
#include "make-store.h"
#include "view/routes.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define ROWS 300 /* of the profile that is asked */

typedef struct {
  Made *made;
  NpViewConfig config;
  NpRegistry *modules;
  NpLog *log;
  NpView *view;
  char *base; /* "/api/v1/p/ID/GEN/" */
} World;

static World *w_kept;

static void
end (void)
{
  World *w = w_kept;
  np_view_free (w->view);
  np_registry_free (w->modules);
  np_log_free (w->log);
  made_free (w->made);
  g_free (w->base);
  g_free (w);
}

static World *
world (void)
{
  World *w = w_kept;
  char why[600];
  if (w)
    return w;
  w = w_kept = g_new0 (World, 1);
  w->made = make_store (3, ROWS);
  w->config = (NpViewConfig){ .store = w->made->root, .address = (char *) "localhost" };
  w->modules = np_registry_new (w->made->root); /* it has no plugins */
  w->log = np_log_new (NPROF_ERROR, STDERR_FILENO);
  w->view = np_view_new (&w->config, w->modules, w->log, NULL);
  g_autofree char *id = g_path_get_basename (w->made->path);
  g_autoptr (NpProfile) profile
      = w->view ? np_opened_get (w->view->opened, id, why, sizeof why) : NULL;
  g_assert_nonnull (profile);
  w->base
      = g_strdup_printf ("/api/v1/p/%s/%016" G_GINT64_MODIFIER "x/", id, profile->meta->generation);
  atexit (end);
  return w;
}

static void
demand (gboolean holds, const char *target)
{
  if (!holds)
    g_error ("%.300s", target);
}

/* Children of this program would be the fuzzer itself. */
static gboolean
runs_others (const NpRequest *r)
{
  static const char *const routes[] = { "gate", "export", "compare", "window", NULL };
  static const char *const of_parts[] = { "table", "gaps", "steps", "operators", NULL };
  gboolean part = np_request_param (r, "t0") || np_request_param (r, "t1");
  for (guint i = 0; i < r->path->len; i++) {
    const char *segment = np_request_segment (r, i);
    if (g_strv_contains (routes, segment) || (part && g_strv_contains (of_parts, segment))
        || (!strcmp (segment, "memory") && np_request_param (r, "t")))
      return TRUE;
  }
  return FALSE;
}

static void
check_reply (const NpReply *reply, const char *target)
{
  static const guint known[] = { 200, 202, 302, 304, 400, 403, 404, 405, 410, 422, 429 };
  gboolean found = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    found |= reply->status == known[i];
  demand (found, target);
  if (reply->fd >= 0 || reply->packed || strcmp (reply->type, "application/json"))
    return;
  g_autoptr (JsonParser) parser = json_parser_new ();
  demand (g_utf8_validate (reply->body.data, (gssize) reply->body.len, NULL), target);
  demand (json_parser_load_from_data (parser, reply->body.data, (gssize) reply->body.len, NULL),
          target);
}

static void
ask (World *w, const char *target, const char *body)
{
  const char *why = NULL;
  g_autoptr (NpRequest) r = np_request_parse (target, &why);
  NpReply reply;
  if (!r || runs_others (r))
    return;
  r->method = body && !strcmp (np_request_segment (r, 5), "sql") ? "POST" : "GET";
  if (body)
    g_string_assign (r->body, body);
  np_reply_init (&reply);
  np_route (w->view, r, &reply);
  check_reply (&reply, target);
  np_reply_clear (&reply);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  World *w = world ();
  g_autofree char *text = g_strndup ((const char *) data, size);
  char *body = strchr (text, '\n');
  if (body)
    *body++ = '\0';
  g_autofree char *target = *text == '@' ? g_strconcat (w->base, text + 1, NULL) : g_strdup (text);
  ask (w, target, body);
  return 0;
}
