/* SPDX-License-Identifier: Apache-2.0 */
/* routes.c - the routes of docs/formats/view-api.md. */

#include "routes.h"
#include "base/error.h"
#include "window-rows.h"

#include <errno.h>
#include <string.h>

#define LONG_US 10000
#define LINK "<link rel=\"preload\" as=\"fetch\" crossorigin href=\"/api/v1/p/"

typedef struct {
  const char *method, *path; /* segments apart by /; * is any one */
  NpAnswer answer;
  const char *params; /* names apart by blanks; behind one that may be repeated stands a * */
} Route;

/* These routes lie below /api/v1. */
static const Route routes[] = {
  { "GET", "server", np_ask_server, "" },
  { "GET", "profiles", np_ask_profiles, "q sort offset limit" },
  { "GET", "changes", np_ask_changes, "since" },
  { "GET", "compare", np_ask_compare, "a b* by t0 t1" },
  { "GET", "compare/flame", np_ask_compare_flame, "a b by a_tracks b_tracks" },
  { "POST", "upload", np_ask_upload, "with last beside" },
  { "POST", "open", np_ask_open, "" },
  { "POST", "profiles/delete", np_ask_delete, "" },
  { "POST", "profiles/*/rename", np_ask_rename, "" },
  { "POST", "profiles/*/tags", np_ask_tags, "" },
  { "POST", "profiles/*/again", np_ask_again, "" },
  { "GET", "p/*", np_ask_head, "" },
  { "GET", "p/*/annotations", np_ask_kept_list, "" },
  { "GET", "p/*/annotations/*", np_ask_kept_get, "" },
  { "PUT", "p/*/annotations/*", np_ask_kept_put, "" },
  { "DELETE", "p/*/annotations/*", np_ask_kept_delete, "rev" },
  { "GET", "p/*/views", np_ask_kept_list, "" },
  { "GET", "p/*/views/*", np_ask_kept_get, "" },
  { "PUT", "p/*/views/*", np_ask_kept_put, "" },
  { "DELETE", "p/*/views/*", np_ask_kept_delete, "rev" },
  { "GET", "p/*/gates_saved", np_ask_kept_list, "" },
  { "GET", "p/*/gates_saved/*", np_ask_kept_get, "" },
  { "PUT", "p/*/gates_saved/*", np_ask_kept_put, "" },
  { "DELETE", "p/*/gates_saved/*", np_ask_kept_delete, "rev" },
  { "GET", "p/*/texts", np_ask_kept_list, "" },
  { "GET", "p/*/texts/*", np_ask_kept_get, "" },
  { "PUT", "p/*/texts/*", np_ask_kept_put, "" },
  { "DELETE", "p/*/texts/*", np_ask_kept_delete, "rev" },
  { "GET", "layouts", np_ask_kept_list, "" },
  { "GET", "layouts/*", np_ask_kept_get, "" },
  { "PUT", "layouts/*", np_ask_kept_put, "" },
  { "DELETE", "layouts/*", np_ask_kept_delete, "rev" },
  { "POST", "links", np_ask_link_post, "rows" },
  { "GET", "links/*", np_ask_link_get, "" },
};

/* These routes lie below /api/v1/p/ID/GEN and answer from a finished ingest. */
static const Route profile_routes[] = {
  { "GET", "profile", np_ask_profile, "" },
  { "GET", "meta", np_ask_meta, "lanes" },
  { "GET", "names", np_ask_names, "from n of" },
  { "GET", "v", np_ask_tile, "l i lanes by of colour" },
  { "GET", "over", np_ask_over, "lanes" },
  { "GET", "groups", np_ask_groups, "by" },
  { "GET", "group", np_ask_group, "by rows" },
  { "GET", "strip", np_ask_strip, "pixels q" },
  { "GET", "e", np_ask_event, "row" },
  { "GET", "rank", np_ask_rank, "row" },
  { "GET", "overlaps", np_ask_overlaps, "row" },
  { "GET", "at", np_ask_at, "lane t how" },
  { "GET", "near", np_ask_near, "row step of q" },
  { "GET", "edges", np_ask_edges, "tracks t within" },
  { "GET", "links", np_ask_links, "rows" },
  { "GET", "chain", np_ask_chain, "row depth" },
  { "GET", "q", np_ask_search, "q after n pixels t0 t1 tracks parts" },
  { "GET", "suggest", np_ask_suggest, "prefix n" },
  { "GET", "s", np_ask_sums, "t0 t1 tracks parts by where work n percentiles counters format" },
  { "GET", "places", np_ask_places, "ranges" },
  { "GET", "page", np_ask_page, "" },
  { "GET", "table/*", np_ask_table, "t0 t1 tracks parts columns sort where offset n" },
  { "GET", "s2", np_ask_sums_of_two, "a b n" },
  { "GET", "latency", np_ask_latency, "label name tracks parts t0 t1 scale bins low high" },
  { "GET", "gaps", np_ask_gaps, "device cause t0 t1 columns sort where offset n" },
  { "GET", "steps", np_ask_steps, "device t0 t1 columns sort where offset n" },
  { "GET", "operators", np_ask_operators,
    "level device t0 t1 tracks parts columns sort where offset n" },
  { "GET", "roofline", np_ask_roofline, "device level t0 t1" },
  { "GET", "flame", np_ask_flame, "by order t0 t1 tracks parts root about" },
  { "GET", "layers", np_ask_layers, "" },
  { "GET", "layers/v", np_ask_layers_tile, "l i lanes" },
  { "GET", "layers/over", np_ask_layers_over, "lanes" },
  { "GET", "layers/run", np_ask_layers_run, "row" },
  { "GET", "critical", np_ask_critical, "step t0 t1" },
  { "GET", "memory", np_ask_memory, "device t" },
  { "GET", "findings", np_ask_findings, "t0 t1" },
  { "GET", "ranks", np_ask_ranks, "metric t0 t1" },
  { "GET", "sources", np_ask_sources, "t0 t1 tracks parts" },
  { "GET", "source", np_ask_source, "index t0 t1 tracks parts" },
  { "GET", "line", np_ask_line, "index lines after n pixels t0 t1 tracks parts" },
  { "POST", "sql", np_ask_sql, "" },
  { "GET", "window", np_ask_window, "t0 t1" },
  { "GET", "gate", np_ask_gate, "demand*" },
  { "GET", "export", np_ask_export, "format t0 t1 tracks what" },
};

/* Returns whether the segments from `at` on fit. */
static gboolean
route_fits (const NpRequest *r, guint at, const char *path)
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

/* Returns NULL when there is none, or none of this method; the reply says so. */
static const Route *
find_route (NpAsk *ask, const Route *list, guint n, guint at)
{
  gboolean other = FALSE;
  for (guint i = 0; i < n; i++) {
    if (!route_fits (ask->request, at, list[i].path))
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

/* -- Parameters ---------------------------------------------------------------- */

/* Is it in the list?  *many: it may be given again. */
static gboolean
takes (const char *params, const char *name, gboolean *many)
{
  gsize len = strlen (name);
  for (const char *p = params; *p; p += strcspn (p, " "), p += *p == ' ') {
    gsize own = strcspn (p, " *");
    *many = p[own] == '*';
    if (own == len && !memcmp (p, name, len))
      return TRUE;
  }
  return FALSE;
}

/* None is skipped in silence. */
static gboolean
check_params (NpAsk *ask, const Route *route)
{
  const NpRequest *r = ask->request;
  for (guint i = 0; i < r->params->len; i++) {
    const NpParam *p = &g_array_index (r->params, NpParam, i);
    gboolean many;
    if (!takes (route->params, p->name, &many)) {
      g_autofree char *list = g_strdelimit (g_strdup (route->params), "*", ' ');
      return np_reply_fail (ask->reply, 400, "docs/formats/view-api.md lists the parameters",
                            "route %s has no parameter %.100s: expected %s", route->path, p->name,
                            *list ? list : "none");
    }
    if (!many && np_request_param (r, p->name) != p->value)
      return np_reply_fail (ask->reply, 400, "", "parameter %.100s is given twice", p->name);
  }
  return TRUE;
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
  ask->profile = np_ask_hold (ask, ask->id);
  if (!ask->profile)
    return FALSE;
  g_autofree char *own
      = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", ask->profile->meta->generation);
  if (strcmp (own, generation))
    return np_reply_fail (ask->reply, 410, "ask p/ID for the present one",
                          "this generation of the profile was replaced");
  ask->store = ask->profile->store;
  ask->query = np_profile_query (ask->profile);
  if (!ask->query)
    return np_reply_fail (ask->reply, 507, "", "%s", np_error_words (ENOMEM));
  ask->query->stop = is_over;
  ask->query->user = ask;
  return TRUE;
}

/* Makes the reply of a question that failed tell the cause. */
static void
explain (NpAsk *ask)
{
  if (ask->reply->status != 200)
    return;
  if (ask->query && ask->query->no_memory && *ask->query->error)
    np_reply_fail (ask->reply, 507, "", "%s: %s", ask->query->error, np_error_words (ENOMEM));
  else if (ask->query && *ask->query->error)
    np_reply_fail (
        ask->reply, 422,
        "other parts of the profile can be read; to mend it, read it again from its source", "%s",
        ask->query->error);
  else
    np_reply_fail (ask->reply, 500, "", "the question could not be answered");
}

/* Returns the question without the generation that it was asked of. */
static char *
key_of (const NpRequest *r)
{
  GString *key = g_string_new (NULL);
  for (guint i = 5; i < r->path->len; i++)
    g_string_append_printf (key, "/%s", np_request_segment (r, i));
  for (guint i = 0; i < r->params->len; i++) {
    const NpParam *p = &g_array_index (r->params, NpParam, i);
    g_string_append_printf (key, "\n%s=%" G_GSIZE_FORMAT ":%s", p->name, strlen (p->value),
                            p->value);
  }
  return g_string_free (key, FALSE);
}

/* A finished ingest never changes: an answer that took long is kept for who asks the same. */
static gboolean
answer_or_remember (NpAsk *ask, const Route *route)
{
  NpReply *reply = ask->reply;
  gboolean asks = !strcmp (route->method, "GET");
  gint64 begun = g_get_monotonic_time ();
  g_autofree char *key = asks ? key_of (ask->request) : NULL;
  GBytes *known = asks ? np_memo_get (ask->profile->memo, key) : NULL;
  if (known) {
    gsize len;
    const char *text = g_bytes_get_data (known, &len);
    nprof_put (&reply->body, text, len);
    g_bytes_unref (known);
    return TRUE;
  }
  if (!route->answer (ask))
    return FALSE;
  if (asks && reply->status == 200 && reply->fd < 0 && !reply->body.failed
      && !strcmp (reply->type, "application/json") && g_get_monotonic_time () - begun > LONG_US)
    np_memo_put (ask->profile->memo, key, reply->body.data, reply->body.len);
  return TRUE;
}

static void
answer_profile (NpAsk *ask)
{
  const char *generation = np_request_segment (ask->request, 4);
  ask->id = np_request_segment (ask->request, 3);
  const Route *route = find_route (ask, profile_routes, G_N_ELEMENTS (profile_routes), 5);
  if (!route || !check_params (ask, route) || !open_generation (ask, generation))
    return;
  if (!answer_or_remember (ask, route))
    explain (ask);
  else if (ask->reply->status == 200 && !strcmp (route->method, "GET"))
    ask->reply->etag = g_strdup_printf ("\"%s-1\"", generation);
  np_window_forget (ask);
  np_profile_give_back (ask->profile, ask->query);
}

/* An answer of a store in which a place that was read is damaged is none, whatever came of it. The
 * profile is closed, and with it goes what was made of that place and kept. */
static void
refuse_damaged (NpAsk *ask)
{
  char why[700];
  for (guint i = 0; ask->held && i < ask->held->len; i++) {
    NpProfile *p = ask->held->pdata[i];
    if (!nprof_store_damage (p->store, why, sizeof why))
      continue;
    np_reply_fail (
        ask->reply, 422,
        "other parts of the profile can be read; to mend it, read it again from its source", "%s",
        why);
    np_listing_damaged (ask->view->listing, p->id, why);
    np_opened_drop (ask->view->opened, p->id);
  }
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
    if (route && check_params (ask, route) && !route->answer (ask))
      explain (ask);
  }
  refuse_damaged (ask);
  g_clear_pointer (&ask->held, g_ptr_array_unref);
}

/* Names what the page of a profile asks before it can paint lanes, so that the browser asks it at
 * once and not when it has read the modules. */
static char *
first_of_profile (NpView *view, const NpRequest *r)
{
  static const char *const below[] = { "meta?lanes=columns", "over", "names?of=over", "profile" };
  gboolean profile = r->path->len == 2 && !strcmp (np_request_segment (r, 0), "profile");
  g_autoptr (NpEntry) e
      = profile ? np_listing_find (view->listing, np_request_segment (r, 1)) : NULL;
  GString *links = g_string_new (NULL);
  if (e) /* also while it is read */
    g_string_append_printf (links, LINK "%s\">\n", e->id);
  for (guint i = 0; e && e->summary && i < G_N_ELEMENTS (below); i++)
    g_string_append_printf (links, LINK "%s/%016" G_GINT64_MODIFIER "x/%s\">\n", e->id,
                            e->summary->generation, below[i]);
  return g_string_free (links, FALSE);
}

static void
answer_page (NpView *view, const NpRequest *request, NpReply *reply)
{
  g_autofree char *first = first_of_profile (view, request);
  np_page_answer (view->page, view->token, first, request, reply);
}

void
np_route (NpView *view, NpRequest *request, NpReply *reply)
{
  NpAsk ask = { .view = view, .request = request, .reply = reply, .json = np_reply_json (reply) };
  if (!strcmp (np_request_segment (request, 0), "api")
      && !strcmp (np_request_segment (request, 1), "v1"))
    answer_api (&ask);
  else
    answer_page (view, request, reply);
}
