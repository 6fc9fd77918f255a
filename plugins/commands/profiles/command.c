/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof profiles: the stored profiles in the terminal. */

#include "cli/command.h"
#include "base/error.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "stored/database.h"
#include "stored/keeping.h"
#include "stored/kept.h"
#include "stored/listing.h"
#include "stored/remove.h"

#include <nprof/store-reader.h>
#include <nprof/units.h>
#include <string.h>

typedef struct {
  char *store, *endpoint, *org;
  char **words;
} Asked;

static void
asked_clear (Asked *a)
{
  g_free (a->store);
  g_free (a->endpoint);
  g_free (a->org);
  g_strfreev (a->words);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Asked, asked_clear)

/* -- list ----------------------------------------------------------------------- */

static int
by_added (gconstpointer a, gconstpointer b)
{
  const NpEntry *x = *(NpEntry *const *) a, *y = *(NpEntry *const *) b;
  gint64 first = x->about->added, second = y->about->added;
  return first != second ? (first < second) - (first > second) : strcmp (x->id, y->id);
}

static char *
length_text (const NpSummary *s)
{
  if (!s || s->start > s->end)
    return g_strdup ("-");
  return g_strdup (nprof_time ((double) s->end - (double) s->start).text);
}

static char *
share_text (gboolean known, double share)
{
  return g_strdup (known ? nprof_share (share).text : "unknown");
}

static void
print_entry (const NpEntry *e)
{
  static const char *const statuses[]
      = { "", "  being read", "  failed", "  of another version", "  damaged" };
  const NpSummary *s = e->summary;
  const char *name = e->about->name ? e->about->name : s ? s->label : e->label ? e->label : "";
  g_autofree char *shown = np_printable (name, -1), *length = length_text (s);
  g_autofree char *busy = share_text (s && s->has_busy, s ? s->busy : 0),
                  *share = share_text (s && s->has_mfu, s ? s->mfu : 0),
                  *mfu = g_strconcat (s && s->mfu_least ? ">= " : "", share, NULL);
  g_autofree char *size = g_strdup (s ? nprof_bytes ((double) s->size).text : "unknown");
  g_print ("%.10s  %-10s %10s %9s %9s %10s  %s%s", e->id,
           s && s->decoders->len ? (char *) s->decoders->pdata[0] : "-", length, busy, mfu, size,
           shown, statuses[e->status]);
  for (guint i = 0; i < e->about->tags->len; i++) {
    g_autofree char *tag = np_printable (e->about->tags->pdata[i], -1);
    g_print (" [%s]", tag);
  }
  g_print ("\n");
}

static int
list (const Asked *a)
{
  NpOpened *opened = np_opened_new (a->store);
  NpListing *listing = np_listing_new (a->store, opened);
  np_listing_look (listing, TRUE);
  g_autoptr (GPtrArray) all = np_listing_all (listing);
  g_ptr_array_sort (all, by_added);
  if (all->len)
    g_print ("%-10s  %-10s %10s %9s %9s %10s  %s\n", "profile", "format", "length", "busy", "MFU",
             "size", "name");
  else
    g_print ("no profile is stored: nprof view FILE stores one and shows it\n");
  for (guint i = 0; i < all->len; i++)
    print_entry (all->pdata[i]);
  g_clear_pointer (&all, g_ptr_array_unref);
  np_listing_free (listing);
  np_opened_free (opened);
  return NP_EXIT_OK;
}

/* -- What changes one ------------------------------------------------------------- */

/* Returns the whole id that a name means; NULL with an error. */
static char *
id_of (const Asked *a, const char *name, GError **error)
{
  char path[4096] = "";
  int n = nprof_store_find (a->store, name, path, sizeof path);
  g_autofree char *shown = np_printable (name, -1);
  if (n == 1)
    return g_strdup (strrchr (path, '/') + 1);
  if (n == -1)
    np_error_set (error, NP_EXIT_USAGE, "%s: could be %s: give more digits", shown, path);
  else
    np_error_set (error, NP_EXIT_USAGE, "%s: %s", shown,
                  n == -2 ? "expected n_ and 6 to 40 hex digits: nprof profiles lists them"
                          : "no stored profile has this name: nprof profiles lists them");
  return NULL;
}

static int
fail (GError *error)
{
  g_autoptr (GError) own = error;
  np_cli_tell_error (own, "profiles");
  return own->code;
}

static int
remove_all (const Asked *a)
{
  GError *error = NULL;
  for (char **name = a->words + 1; *name; name++) {
    guint64 bytes;
    g_autofree char *id = id_of (a, *name, &error);
    if (id && a->endpoint && !np_database_drop (a->endpoint, a->org, id, &error))
      return fail (error);
    if (!id || !np_profile_remove (a->store, id, TRUE, &bytes, &error))
      return fail (error);
    g_print ("removed %s, %s\n", id, nprof_bytes ((double) bytes).text);
  }
  return NP_EXIT_OK;
}

/* Adds the tag, or takes it away when it begins with -. */
static gboolean
set_tag (NpAbout *about, const char *tag, GError **error)
{
  gboolean away = *tag == '-';
  return np_about_tag (about, tag + away, !away, error);
}

static int
change (const Asked *a, gboolean rename)
{
  GError *error = NULL;
  g_autofree char *id = id_of (a, a->words[1], &error);
  if (!id)
    return fail (error);
  int lock = np_keeping_begin (a->store, &error);
  if (lock < 0)
    return fail (error);
  g_autoptr (NpAbout) about = np_about_read (a->store, id);
  gboolean good = rename ? np_about_rename (about, a->words[2], &error)
                         : set_tag (about, a->words[2], &error);
  good = good && np_about_write (a->store, id, about, &error);
  np_keeping_end (lock);
  return good ? NP_EXIT_OK : fail (error);
}

/* -- The command line --------------------------------------------------------------- */

static const char description[]
    = "Commands:\n"
      "  list               all of them, the newest first (also without a command)\n"
      "  rm NAME...         remove them and what was kept of them\n"
      "  rename NAME TEXT   what people call it; \"\" takes it back\n"
      "  tag NAME TAG       mark it; -TAG takes the mark away (behind --)\n"
      "\n"
      "NAME is n_ and 6 to 40 digits of the profile.  Other commands read it under that name:\n"
      "nprof report n_2fd60b.";

static gboolean
parse (Asked *a, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[]
      = { { "store", 0, 0, G_OPTION_ARG_FILENAME, &a->store,
            "Where profiles are stored (default: $XDG_DATA_HOME/nprof/profiles)", "DIR" },
          { "db-endpoint", 0, 0, G_OPTION_ARG_STRING, &a->endpoint,
            "rm: drop it from this InfluxDB too (with --db-org: http://localhost:8086)", "URL" },
          { "db-org", 0, 0, G_OPTION_ARG_STRING, &a->org, "Its organization", "ORG" },
          { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &a->words, NULL, "[COMMAND]" },
          G_OPTION_ENTRY_NULL };
  char folder[4096];
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_summary (context, "Lists, removes, renames and tags stored profiles.");
  g_option_context_set_description (context, description);
  g_set_prgname ("nprof profiles");
  if (!g_option_context_parse (context, &argc, &argv, error)
      && !np_cli_suggest_option (context, error))
    return FALSE;
  if (a->org && !a->endpoint)
    a->endpoint = g_strdup (NP_DATABASE_URL);
  if (!a->store && nprof_store_folder (folder, sizeof folder))
    a->store = g_strdup (folder);
  if (!a->store)
    np_error_set (error, NP_EXIT_USAGE,
                  "there is no home folder for profiles: set XDG_DATA_HOME, or give --store");
  return a->store != NULL;
}

static void
tell_expected (const char *given)
{
  static const NpSynonym synonyms[]
      = { { "remove", "rm" }, { "delete", "rm" }, { "ls", "list" }, { "mv", "rename" } };
  static const char *const words[] = { "list", "rm", "rename", "tag", NULL };
  const char *ours = np_synonym (given, synonyms, G_N_ELEMENTS (synonyms));
  const char *near = ours                             ? ours
                     : g_strv_contains (words, given) ? NULL
                                                      : np_suggest (given, words);
  g_autofree char *hint = np_suggestion (near);
  g_autofree char *text
      = g_strdup_printf ("%s%s expected list, rm NAME..., rename NAME TEXT or tag NAME TAG", given,
                         *hint ? hint : ":");
  np_cli_tell (text, "profiles");
}

static int
run (int argc, char **argv)
{
  g_auto (Asked) a = { 0 };
  g_autoptr (GError) error = NULL;
  if (!parse (&a, argc, argv, &error)) {
    np_cli_tell (error->message, "profiles");
    return NP_EXIT_USAGE;
  }
  guint n = a.words ? g_strv_length (a.words) : 0;
  const char *command = n ? a.words[0] : "list";
  if (!strcmp (command, "list") && n <= 1)
    return list (&a);
  if (!strcmp (command, "rm") && n >= 2)
    return remove_all (&a);
  if (n == 3 && (!strcmp (command, "rename") || !strcmp (command, "tag")))
    return change (&a, !strcmp (command, "rename"));
  tell_expected (command);
  return NP_EXIT_USAGE;
}

NP_COMMAND_RUNS (run)
