/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c - counts values that were sent, and compares them with what the server has. */
#include "verify.h"
#include "answer.h"

#include <string.h>

/* -- What was sent --------------------------------------------------------- */

static void
clear_field (gpointer data)
{
  struct counts_field *f = data;
  g_free (f->measurement);
  g_free (f->name);
}

void
counts_init (struct counts *counts)
{
  counts->fields = g_array_new (FALSE, TRUE, sizeof (struct counts_field));
  g_array_set_clear_func (counts->fields, clear_field);
  counts->points = 0;
}

void
counts_clear (struct counts *counts)
{
  g_clear_pointer (&counts->fields, g_array_unref);
}

static struct counts_field *
field_at (const struct counts *counts, guint k)
{
  return &g_array_index (counts->fields, struct counts_field, k);
}

/* Returns where the field stands, the end where it does not. */
static guint
find (const struct counts *counts, const char *measurement, const char *name)
{
  guint k = 0;
  while (k < counts->fields->len
         && (strcmp (field_at (counts, k)->name, name)
             || strcmp (field_at (counts, k)->measurement, measurement)))
    k++;
  return k;
}

guint
counts_field (struct counts *counts, const char *measurement, const char *name)
{
  guint k = find (counts, measurement, name);
  if (k < counts->fields->len)
    return k;
  struct counts_field field = { .measurement = g_strdup (measurement), .name = g_strdup (name) };
  g_array_append_val (counts->fields, field);
  return k;
}

/* -- What is there --------------------------------------------------------- */

void
counts_found (const char *measurement, const char *field, guint64 found, gpointer user)
{
  struct counts *counts = user;
  guint k = find (counts, measurement, field);
  if (k < counts->fields->len)
    field_at (counts, k)->found = found;
}

char *
counts_differ (const struct counts *counts)
{
  for (guint k = 0; k < counts->fields->len; k++) {
    const struct counts_field *f = field_at (counts, k);
    if (f->found != f->sent)
      return g_strdup_printf ("%" G_GUINT64_FORMAT " values of %s.%s were sent, %" G_GUINT64_FORMAT
                              " are there",
                              f->sent, f->measurement, f->name, f->found);
  }
  return NULL;
}

static const char doing[] = "counting what arrived";

/* 1.x counts the fields of one measurement at a time. */
static gboolean
count1 (struct counts *counts, struct server *server)
{
  const struct http_answer *answer = &server->http.calls->answer;
  const char *last = "";
  for (guint k = 0; k < counts->fields->len; k++) {
    const char *measurement = field_at (counts, k)->measurement;
    if (strcmp (measurement, last) == 0)
      continue;
    last = measurement;
    if (!server_order (server, API1_COUNT, measurement, doing))
      return FALSE;
    if (!answer1_counts (answer->text->str, counts_found, counts))
      return server_failed (server, doing, answer);
  }
  return TRUE;
}

/* 2.x counts all at once. */
static gboolean
count2 (struct counts *counts, struct server *server)
{
  const struct http_answer *answer = &server->http.calls->answer;
  return server_order (server, API2_COUNT, NULL, doing)
         && (answer2_counts (answer->text->str, counts_found, counts)
             || server_failed (server, doing, answer));
}

gboolean
counts_verify (struct counts *counts, struct server *server)
{
  if (server->api == 1 ? !count1 (counts, server) : !count2 (counts, server))
    return FALSE;
  g_autofree char *differ = counts_differ (counts);
  return !differ
         || server_set_error (
             server, g_strdup_printf ("%s: not all of profile \"%s\" arrived in %s: see the "
                                      "server's log, then write it anew with force=yes",
                                      differ, server->place.profile, server->place.bucket));
}
