/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c - finds out whether the server has what was sent. */
#include "answer.h"
#include "server.h"

static gboolean
count1 (struct server *server, struct counts_measurement *m)
{
  g_auto (HttpAnswer) answer = { 0 };
  guint n = m->fields->len;
  g_autofree const char **names = g_new0 (const char *, n + 1);
  g_autofree guint64 *found = g_new0 (guint64, n + 1);
  for (guint k = 0; k < n; k++)
    names[k] = g_array_index (m->fields, struct counts_field, k).name;
  if (!n)
    return TRUE;
  if (!server_send (server, api1_count (&server->place, m->name, names), TRUE, &answer))
    return server_failed (server, "counting what arrived", &answer);
  if (server_query_failed (server, "counting what arrived", &answer))
    return FALSE;
  if (!answer1_counts (answer.text, n, found))
    return server_failed (server, "counting what arrived", &answer);
  for (guint k = 0; k < n; k++)
    g_array_index (m->fields, struct counts_field, k).found = found[k];
  return TRUE;
}

static void
found2 (const char *measurement, const char *field, guint64 count, gpointer user)
{
  counts_found (user, measurement, field, count);
}

static gboolean
count2 (struct server *server, struct counts *counts)
{
  g_auto (HttpAnswer) answer = { 0 };
  if (server_send (server, api2_count (&server->place), TRUE, &answer)
      && answer2_counts (answer.text, found2, counts))
    return TRUE;
  return server_failed (server, "counting what arrived", &answer);
}

gboolean
server_verify (struct server *server, struct counts *counts)
{
  if (server->api == 2 && !count2 (server, counts))
    return FALSE;
  for (guint k = 0; server->api == 1 && k < counts->measurements->len; k++)
    if (!count1 (server, g_ptr_array_index (counts->measurements, k)))
      return FALSE;
  g_autofree char *differ = counts_differ (counts);
  if (!differ)
    return TRUE;
  server_set_error (
      server, g_strdup_printf ("%s: not all of profile \"%s\" arrived in %s: see the server's "
                               "log, then write it anew with force=yes",
                               differ, server->place.profile, server->place.bucket));
  return FALSE;
}
