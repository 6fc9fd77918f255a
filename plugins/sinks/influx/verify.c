/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c - counts values that were sent, and compares them with what the server has. */
#include "verify.h"
#include "answer.h"

#include <string.h>

/* -- What was sent --------------------------------------------------------- */

static void
free_measurement (gpointer data)
{
  struct counts_measurement *m = data;
  for (guint k = 0; k < m->fields->len; k++)
    g_free (g_array_index (m->fields, struct counts_field, k).name);
  g_array_unref (m->fields);
  g_free (m->name);
  g_free (m);
}

void
counts_init (struct counts *counts)
{
  counts->measurements = g_ptr_array_new_with_free_func (free_measurement);
  counts->points = 0;
}

void
counts_clear (struct counts *counts)
{
  g_clear_pointer (&counts->measurements, g_ptr_array_unref);
}

static struct counts_measurement *
find (const struct counts *counts, const char *name)
{
  for (guint k = 0; k < counts->measurements->len; k++) {
    struct counts_measurement *m = g_ptr_array_index (counts->measurements, k);
    if (strcmp (m->name, name) == 0)
      return m;
  }
  return NULL;
}

struct counts_measurement *
counts_measurement (struct counts *counts, const char *name)
{
  struct counts_measurement *m = find (counts, name);
  if (m)
    return m;
  m = g_new0 (struct counts_measurement, 1);
  m->name = g_strdup (name);
  m->fields = g_array_new (FALSE, TRUE, sizeof (struct counts_field));
  g_ptr_array_add (counts->measurements, m);
  return m;
}

guint
counts_field (struct counts_measurement *measurement, const char *name)
{
  struct counts_field field = { .name = NULL };
  for (guint k = 0; k < measurement->fields->len; k++)
    if (strcmp (g_array_index (measurement->fields, struct counts_field, k).name, name) == 0)
      return k;
  field.name = g_strdup (name);
  g_array_append_val (measurement->fields, field);
  return measurement->fields->len - 1;
}

/* -- What is there --------------------------------------------------------- */

void
counts_found (const char *measurement, const char *field, guint64 found, gpointer counts)
{
  struct counts_measurement *m = find (counts, measurement);
  for (guint k = 0; m && k < m->fields->len; k++) {
    struct counts_field *f = &g_array_index (m->fields, struct counts_field, k);
    if (strcmp (f->name, field) == 0)
      f->found = found;
  }
}

char *
counts_differ (const struct counts *counts)
{
  for (guint i = 0; i < counts->measurements->len; i++) {
    const struct counts_measurement *m = g_ptr_array_index (counts->measurements, i);
    for (guint k = 0; k < m->fields->len; k++) {
      const struct counts_field *f = &g_array_index (m->fields, struct counts_field, k);
      if (f->found != f->sent)
        return g_strdup_printf ("%" G_GUINT64_FORMAT
                                " values of %s.%s were sent, %" G_GUINT64_FORMAT " are there",
                                f->sent, m->name, f->name, f->found);
    }
  }
  return NULL;
}

static const char doing[] = "counting what arrived";

/* 1.x counts the fields of one measurement. */
static gboolean
count1 (struct counts_measurement *m, struct server *server)
{
  const struct http_answer *answer = &server->http.calls->answer;
  guint n = m->fields->len;
  g_autofree const char **names = g_new0 (const char *, n + 1);
  g_autofree guint64 *found = g_new0 (guint64, n + 1);
  for (guint k = 0; k < n; k++)
    names[k] = g_array_index (m->fields, struct counts_field, k).name;
  if (!n)
    return TRUE;
  g_autofree char *select = api1_select (m->name, names);
  if (!server_order (server, API1_COUNT, select, doing))
    return FALSE;
  if (!answer1_counts (answer->text->str, n, found))
    return server_failed (server, doing, answer);
  for (guint k = 0; k < n; k++)
    g_array_index (m->fields, struct counts_field, k).found = found[k];
  return TRUE;
}

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
  if (server->api == 2 && !count2 (counts, server))
    return FALSE;
  for (guint k = 0; server->api == 1 && k < counts->measurements->len; k++)
    if (!count1 (g_ptr_array_index (counts->measurements, k), server))
      return FALSE;
  g_autofree char *differ = counts_differ (counts);
  return !differ
         || server_set_error (
             server, g_strdup_printf ("%s: not all of profile \"%s\" arrived in %s: see the "
                                      "server's log, then write it anew with force=yes",
                                      differ, server->place.profile, server->place.bucket));
}
