/* SPDX-License-Identifier: Apache-2.0 */
/* ask-sql.c - route sql: statements over the stored profile, answered by nprof sql in a process of
 * its own: SQLite's limit of memory and that of temporary files are of a whole process, and one
 * call over a text of 16 MB hears no interrupt, so that only the end of the process ends it. */

#include "base/error.h"
#include "sql/sql.h"
#include "body.h"
#include "stored/child.h"

#define MAX_ROWS 10000
#define MAX_TOGETHER 8 /* each may take 512 MB */

/* Takes what the other nprof printed: the body of the reply, also of a wrong statement, or the
 * cause of another failure. */
static gboolean
take (NpAsk *ask, int status, const GString *out, const char *err)
{
  NpReply *reply = ask->reply;
  if (np_ask_is_over (ask))
    return np_reply_fail (reply, 503, "", "nobody waited for the answer any more");
  if ((status == NP_EXIT_OK || status == NP_EXIT_USAGE) && out->len) {
    reply->status = status == NP_EXIT_OK ? 200 : 400;
    nprof_put (&reply->body, out->str, out->len);
    return status == NP_EXIT_OK;
  }
  g_autofree char *cause = np_child_cause (err, status);
  if (status == NP_EXIT_INPUT) { /* a place that the server itself may not have read */
    np_listing_damaged (ask->view->listing, ask->id, cause);
    np_opened_drop (ask->view->opened, ask->id);
  }
  return np_reply_ended (reply, status, cause);
}

static gboolean
answer (NpAsk *ask, const char *text, guint64 limit)
{
  g_autofree char *store = g_build_filename (ask->view->config->store, ask->id, NULL),
                  *most = g_strdup_printf ("%" G_GUINT64_FORMAT, limit), *err = NULL;
  const char *const words[] = { "sql",     "--generation", np_request_segment (ask->request, 4),
                                "--limit", most,           "-f",
                                "-",       store,          NULL };
  GString *out = NULL;
  int status = np_ask_command (ask, words, text, &out, &err);
  gboolean good = take (ask, status, out, err);
  g_string_free (out, TRUE);
  return good;
}

gboolean
np_has_sql (void)
{
  return TRUE;
}

gboolean
np_ask_sql (NpAsk *ask)
{
  g_autoptr (JsonNode) root = np_ask_body (ask, "text limit");
  if (!root)
    return FALSE;
  JsonObject *body = json_node_get_object (root);
  const char *text = np_body_text (body, "text");
  guint64 limit = 1000;
  if (!text)
    return np_reply_fail (ask->reply, 400, "", "expected text to be SQL");
  if (!np_body_number (body, "limit", &limit) || limit > MAX_ROWS)
    return np_reply_fail (ask->reply, 400, "", "expected limit to be a number from 0 to %d",
                          MAX_ROWS);
  gboolean good = FALSE;
  if (atomic_fetch_add (&ask->view->statements, 1) < MAX_TOGETHER)
    good = answer (ask, text, limit);
  else
    np_reply_fail (ask->reply, 503, "ask again when one of them has ended",
                   "%d queries run already", MAX_TOGETHER);
  atomic_fetch_sub (&ask->view->statements, 1);
  return good;
}
