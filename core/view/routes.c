/* SPDX-License-Identifier: Apache-2.0 */
/* routes.c - the routes of docs/formats/view-api.md. */

#include "view/routes.h"

#include <string.h>

typedef struct {
  const char *method, *path; /* segments apart by /; * is any one */
  NpStoredTable answer;
} Route;

/* Below /api/v1. */
static const Route routes[] = {
  { "GET", "server", np_ask_server },
  { "GET", "profiles", np_ask_profiles },
  { "GET", "changes", np_ask_changes },
  { "GET", "compare", np_ask_compare },
  { "POST", "upload", np_ask_upload },
  { "POST", "open", np_ask_open },
  { "POST", "profiles/delete", np_ask_delete },
  { "POST", "profiles/*/rename", np_ask_rename },
  { "POST", "profiles/*/tags", np_ask_tags },
  { "POST", "profiles/*/again", np_ask_again },
  { "GET", "p/*", np_ask_head },
  { "GET", "p/*/annotations", np_ask_kept_list },
  { "GET", "p/*/annotations/*", np_ask_kept_get },
  { "PUT", "p/*/annotations/*", np_ask_kept_put },
  { "DELETE", "p/*/annotations/*", np_ask_kept_delete },
  { "GET", "p/*/views", np_ask_kept_list },
  { "GET", "p/*/views/*", np_ask_kept_get },
  { "PUT", "p/*/views/*", np_ask_kept_put },
  { "DELETE", "p/*/views/*", np_ask_kept_delete },
  { "GET", "p/*/gates_saved", np_ask_kept_list },
  { "GET", "p/*/gates_saved/*", np_ask_kept_get },
  { "PUT", "p/*/gates_saved/*", np_ask_kept_put },
  { "DELETE", "p/*/gates_saved/*", np_ask_kept_delete },
  { "GET", "layouts", np_ask_kept_list },
  { "GET", "layouts/*", np_ask_kept_get },
  { "PUT", "layouts/*", np_ask_kept_put },
  { "DELETE", "layouts/*", np_ask_kept_delete },
  { "POST", "links", np_ask_link_post },
  { "GET", "links/*", np_ask_link_get },
};

/* Below /api/v1/p/ID/GEN: what a finished ingest says. */
static const Route profile_routes[] = {
  { "GET", "profile", np_ask_profile },
  { "GET", "meta", np_ask_meta },
  { "GET", "names", np_ask_names },
  { "GET", "v", np_ask_tile },
  { "GET", "over", np_ask_over },
  { "GET", "strip", np_ask_strip },
  { "GET", "e", np_ask_event },
  { "GET", "at", np_ask_at },
  { "GET", "near", np_ask_near },
  { "GET", "edges", np_ask_edges },
  { "GET", "links", np_ask_links },
  { "GET", "chain", np_ask_chain },
  { "GET", "q", np_ask_search },
  { "GET", "suggest", np_ask_suggest },
  { "GET", "s", np_ask_sums },
  { "GET", "table/*", np_ask_table },
  { "GET", "s2", np_ask_sums_of_two },
  { "GET", "latency", np_ask_latency },
  { "GET", "gaps", np_ask_gaps },
  { "GET", "steps", np_ask_steps },
  { "GET", "operators", np_ask_operators },
  { "GET", "roofline", np_ask_roofline },
  { "GET", "flame", np_ask_flame },
  { "GET", "critical", np_ask_critical },
  { "GET", "memory", np_ask_memory },
  { "GET", "ranks", np_ask_ranks },
  { "GET", "sources", np_ask_sources },
  { "GET", "source", np_ask_source },
  { "GET", "line", np_ask_line },
  { "POST", "sql", np_ask_sql },
  { "GET", "gate", np_ask_gate },
  { "GET", "export", np_ask_export },
};

/* Do the segments from `at` on fit? */
static gboolean
fits (const NpRequest *r, guint at, const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  guint n = g_strv_length (parts);
  if (at > r->path->len || n != r->path->len - at)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (strcmp (parts[i], "*") && strcmp (parts[i], np_request_segment (r, at + i)))
      return FALSE;
  return TRUE;
}

/* NULL: the reply says that there is none, or none of this method. */
static const Route *
find_route (NpAsk *ask, const Route *list, guint n, guint at)
{
  gboolean other = FALSE;
  for (guint i = 0; i < n; i++) {
    if (!fits (ask->request, at, list[i].path))
      continue;
    if (!strcmp (list[i].method, ask->request->method))
      return &list[i];
    other = TRUE;
  }
  if (other)
    np_reply_fail (ask->reply, 405, "", "this route has no method %s", ask->request->method);
  else
    np_reply_fail (ask->reply, 404, "docs/formats/view-api.md lists the routes",
                   "there is no such route");
  return NULL;
}

/* -- Profiles ---------------------------------------------------------------- */

static int
is_over (void *ask)
{
  return np_ask_is_over (ask);
}

static gboolean
open_generation (NpAsk *ask, const char *generation)
{
  char why[600];
  ask->profile = np_opened_get (ask->view->opened, ask->id, why, sizeof why);
  if (!ask->profile)
    return *why ? np_reply_fail (ask->reply, 422, "read it again from its source", "%s", why)
                : np_reply_fail (ask->reply, 404, "the list has those that are there",
                                 "there is no finished profile of that name");
  g_autofree char *own
      = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", ask->profile->meta->generation);
  if (strcmp (own, generation))
    return np_reply_fail (ask->reply, 410, "ask p/ID for the present one",
                          "this generation of the profile was replaced");
  ask->store = ask->profile->store;
  ask->query = np_profile_query (ask->profile);
  if (!ask->query)
    return np_reply_fail (ask->reply, 500, "close profiles, or give the machine more memory",
                          "no memory is left");
  ask->query->stop = is_over;
  ask->query->user = ask;
  return TRUE;
}

/* What a question that failed says of its cause. */
static void
explain (NpAsk *ask)
{
  if (ask->reply->status != 200)
    return;
  if (ask->query && *ask->query->error)
    np_reply_fail (
        ask->reply, 422,
        "other parts of the profile can be read; to mend it, read it again from its source", "%s",
        ask->query->error);
  else
    np_reply_fail (ask->reply, 500, "", "the question could not be answered");
}

static void
answer_profile (NpAsk *ask)
{
  const char *generation = np_request_segment (ask->request, 4);
  ask->id = np_request_segment (ask->request, 3);
  const Route *route = find_route (ask, profile_routes, G_N_ELEMENTS (profile_routes), 5);
  if (!route || !open_generation (ask, generation))
    return;
  if (!route->answer (ask))
    explain (ask);
  else if (ask->reply->status == 200 && !strcmp (route->method, "GET"))
    ask->reply->etag = g_strdup_printf ("\"%s-1\"", generation);
  np_profile_give_back (ask->profile, ask->query);
}

static void
answer_api (NpAsk *ask)
{
  const NpRequest *r = ask->request;
  gboolean below = !strcmp (np_request_segment (r, 2), "p") && r->path->len >= 6
                   && strlen (np_request_segment (r, 4)) == 16;
  if (below) {
    answer_profile (ask);
  } else {
    const Route *route = find_route (ask, routes, G_N_ELEMENTS (routes), 2);
    if (route && !route->answer (ask))
      explain (ask);
  }
  g_clear_pointer (&ask->profile, np_profile_unref);
}

void
np_route (NpView *view, NpRequest *request, NpReply *reply)
{
  NpAsk ask = { .view = view, .request = request, .reply = reply, .json = np_reply_json (reply) };
  if (!strcmp (np_request_segment (request, 0), "api")
      && !strcmp (np_request_segment (request, 1), "v1"))
    answer_api (&ask);
  else
    np_page_answer (view->page, view->token, request, reply);
}
