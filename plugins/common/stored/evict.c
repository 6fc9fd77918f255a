/* SPDX-License-Identifier: Apache-2.0 */
/* evict.c - removes stored profiles whose sources still lie where they were, unless somebody has
 * them open. */

#include "stored/evict.h"
#include "base/error.h"
#include "stored/listing.h"
#include "stored/remove.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* Returns whether a profile is open: its readers hold a shared lock on `meta`. */
static gboolean
is_open (const char *store, const char *id)
{
  g_autofree char *path = g_build_filename (store, id, "meta", NULL);
  int fd = nprof_store_file (AT_FDCWD, path);
  gboolean held = fd < 0 || flock (fd, LOCK_EX | LOCK_NB);
  if (fd >= 0)
    close (fd);
  return held;
}

static gint64
last_use (const NpEntry *e)
{
  return e->opened ? e->opened : e->summary ? e->summary->made_unix_ms : 0;
}

static int
by_use (gconstpointer a, gconstpointer b)
{
  const NpEntry *x = *(NpEntry *const *) a, *y = *(NpEntry *const *) b;
  if (last_use (x) != last_use (y))
    return last_use (x) < last_use (y) ? -1 : 1;
  return strcmp (x->id, y->id);
}

static gboolean
may_go (const NpEntry *e, const char *keep)
{
  return e->summary && !e->summary->sourceless && !e->about->baseline && g_strcmp0 (e->id, keep)
         && np_source_present (e->summary);
}

/* Returns all entries, the least recently used first, and the bytes that they take. */
static GPtrArray *
entries_of (const char *store, guint64 *total)
{
  NpOpened *opened = np_opened_new (store);
  NpListing *listing = np_listing_new (store, opened);
  np_listing_look (listing, TRUE);
  GPtrArray *all = np_listing_all (listing);
  np_listing_free (listing);
  np_opened_free (opened); /* or our own locks would keep them */
  g_ptr_array_sort (all, by_use);
  *total = 0;
  for (guint i = 0; i < all->len; i++) {
    const NpEntry *e = all->pdata[i];
    *total += e->summary ? e->summary->size : 0;
  }
  return all;
}

static void
set_full (GPtrArray *all, const char *keep, guint64 total, guint64 most, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0, n = 0; i < all->len && n < 5; i++) {
    const NpEntry *e = all->pdata[i];
    if (!e->summary || !g_strcmp0 (e->id, keep))
      continue;
    g_string_append_printf (names, "%s%.10s", n ? ", " : "", e->id);
    n++;
  }
  np_error_set (error, NP_EXIT_SINK,
                "the store is full: %" G_GUINT64_FORMAT " bytes of %" G_GUINT64_FORMAT
                ", and nothing more can be read again from its source: remove some with nprof "
                "profiles rm (%s), or give "
                "a larger --store-max",
                total, most, names->len ? names->str : "it holds nothing else");
}

gboolean
np_evict (const char *store, guint64 most, const char *keep, GError **error)
{
  guint64 total;
  g_autoptr (GPtrArray) all = entries_of (store, &total);
  for (guint i = 0; i < all->len && total > most; i++) {
    const NpEntry *e = all->pdata[i];
    if (may_go (e, keep) && !is_open (store, e->id)
        && np_profile_remove (store, e->id, FALSE, NULL, NULL))
      total -= e->summary->size;
  }
  if (total <= most)
    return TRUE;
  set_full (all, keep, total, most, error);
  return FALSE;
}
