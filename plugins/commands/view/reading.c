/* SPDX-License-Identifier: Apache-2.0 */
/* reading.c - runs the command that reads a profile. */

#include "reading.h"
#include "base/log.h"
#include "stored/child.h"

NpReading *
np_reading_new (void)
{
  NpReading *r = g_new0 (NpReading, 1);
  r->paths = g_ptr_array_new_with_free_func (g_free);
  return r;
}

NpReading *
np_reading_copy (const NpReading *from)
{
  NpReading *r = np_reading_new ();
  for (guint i = 0; i < from->paths->len; i++)
    g_ptr_array_add (r->paths, g_strdup (from->paths->pdata[i]));
  r->label = g_strdup (from->label);
  r->decoder = g_strdup (from->decoder);
  r->options = g_strdupv (from->options);
  r->endpoint = g_strdup (from->endpoint);
  r->org = g_strdup (from->org);
  r->sources = g_strdupv (from->sources);
  r->upload = g_strdup (from->upload);
  r->store_max = from->store_max;
  r->force = from->force;
  r->keep_going = from->keep_going;
  r->allow_export = from->allow_export;
  return r;
}

void
np_reading_free (NpReading *r)
{
  if (!r)
    return;
  g_ptr_array_unref (r->paths);
  g_free (r->label);
  g_free (r->decoder);
  g_strfreev (r->options);
  g_free (r->endpoint);
  g_free (r->org);
  g_strfreev (r->sources);
  g_free (r->upload);
  g_free (r);
}

void
np_reading_add (GStrvBuilder *words, const char *option, const char *value)
{
  if (value)
    g_strv_builder_add_many (words, option, value, NULL);
}

/* Returns the words of the command, which ends in NULL; transfer full. */
static GStrv
words_of (const NpReading *r, const char *store, gboolean plan, gboolean one)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_autofree char *most
      = r->store_max ? g_strdup_printf ("%" G_GUINT64_FORMAT, r->store_max) : NULL;
  g_strv_builder_add_many (words, "view", plan ? "--plan" : "--ingest-only", "--no-progress",
                           "--store", store, NULL);
  if (one)
    g_strv_builder_add (words, "--one");
  if (r->force)
    g_strv_builder_add (words, "--force");
  if (r->keep_going)
    g_strv_builder_add (words, "--keep-going");
  if (r->upload && !r->allow_export)
    g_strv_builder_add (words, "--no-export");
  np_reading_add (words, "--decoder", r->decoder);
  if (r->options)
    g_strv_builder_addv (words, (const char **) r->options);
  np_reading_add (words, "--db-endpoint", r->endpoint);
  np_reading_add (words, "--db-org", r->org);
  for (char **folder = r->sources; folder && *folder; folder++)
    np_reading_add (words, "--source", *folder);
  np_reading_add (words, "--store-max", most);
  g_strv_builder_add (words, "--");
  for (guint i = 0; i < r->paths->len; i++)
    g_strv_builder_add (words, r->paths->pdata[i]);
  return g_strv_builder_end (words);
}

/* Returns what the command says, with files of an upload called what the user calls them; transfer
 * full. */
static char *
said (const NpReading *r, const char *text)
{
  if (!r->upload)
    return g_strdup (text);
  g_autofree char *folder = np_printable (r->upload, -1);
  g_autofree char *before = g_strconcat (folder, "/", NULL);
  g_auto (GStrv) parts = g_strsplit (text, before, -1);
  return g_strjoinv ("", parts);
}

int
np_reading_run (const NpReading *r, const char *store, gboolean one, GString **plan, char **err,
                gboolean (*stop) (gpointer user), gpointer user)
{
  g_auto (GStrv) words = words_of (r, store, plan != NULL, one);
  g_autofree char *own = NULL;
  int status = np_child_run ((const char *const *) words, NULL, plan, &own, stop, user);
  *err = said (r, own);
  return status;
}
