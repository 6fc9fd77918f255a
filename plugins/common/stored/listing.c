/* SPDX-License-Identifier: Apache-2.0 */
/* listing.c - looks at the folder of profiles and remembers what changed. */

#include "stored/listing.h"
#include "base/error.h"
#include "stored/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENTS 1024
#define MEND "read it again from its source"
#define LOOK_US (G_USEC_PER_SEC / 5)

typedef struct {              /* what is not in the folder, or not yet */
  char *label, *error, *mend; /* error NULL: it is about to be read */
  guint64 meta;               /* mark of the profile that was there meanwhile; 0: none */
  gboolean came;              /* it was about to be read, and was seen in the folder */
} Failure;

struct NpListing {
  char *store;
  NpOpened *opened;
  pthread_mutex_t lock;
  GHashTable *entries;  /* id -> NpEntry */
  GHashTable *failures; /* id -> Failure */
  GHashTable *damaged;  /* id -> Failure: what answers met */
  guint64 seq;
  GArray *events; /* of NpChange: the last ones, up to seq */
  gint64 looked;
  gboolean quiet;
};

static void
failure_free (gpointer data)
{
  Failure *f = data;
  g_free (f->label);
  g_free (f->error);
  g_free (f->mend);
  g_free (f);
}

void
np_entry_unref (NpEntry *e)
{
  if (!e || !g_atomic_int_dec_and_test (&e->refs))
    return;
  np_summary_free (e->summary);
  np_about_free (e->about);
  g_free (e->error);
  g_free (e->mend);
  g_free (e->label);
  g_free (e);
}

NpListing *
np_listing_new (const char *store, NpOpened *opened)
{
  NpListing *l = g_new0 (NpListing, 1);
  l->store = g_strdup (store);
  l->opened = opened;
  pthread_mutex_init (&l->lock, NULL);
  l->entries
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) np_entry_unref);
  l->failures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, failure_free);
  l->damaged = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, failure_free);
  l->events = g_array_new (FALSE, FALSE, sizeof (NpChange));
  l->seq = (guint64) g_get_real_time (); /* a page of a server before this one asks for all */
  return l;
}

void
np_listing_free (NpListing *l)
{
  if (!l)
    return;
  g_hash_table_unref (l->entries);
  g_hash_table_unref (l->failures);
  g_hash_table_unref (l->damaged);
  g_array_unref (l->events);
  pthread_mutex_destroy (&l->lock);
  g_free (l->store);
  g_free (l);
}

/* -- Events ------------------------------------------------------------------ */

static void
note_change (NpListing *l, const char *id, const char *what)
{
  NpChange change = { .what = what };
  if (l->quiet)
    return;
  g_strlcpy (change.id, id, sizeof change.id);
  if (l->events->len == EVENTS)
    g_array_remove_range (l->events, 0, EVENTS / 2);
  g_array_append_val (l->events, change);
  l->seq++;
}

gboolean
np_listing_changes (NpListing *l, guint64 since, GArray *changes, guint64 *seq)
{
  pthread_mutex_lock (&l->lock);
  *seq = l->seq;
  guint64 behind = l->seq - since;
  gboolean known = since <= l->seq && behind <= l->events->len;
  if (known && behind)
    g_array_append_vals (changes, &g_array_index (l->events, NpChange, l->events->len - behind),
                         (guint) behind);
  pthread_mutex_unlock (&l->lock);
  return known;
}

guint64
np_listing_seq (NpListing *l)
{
  pthread_mutex_lock (&l->lock);
  guint64 seq = l->seq;
  pthread_mutex_unlock (&l->lock);
  return seq;
}

/* -- What lies there ---------------------------------------------------------- */

/* Returns whether somebody writes it: the folder is locked then. */
static gboolean
is_written (int folder, const char *part)
{
  int fd = openat (folder, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  gboolean held = fd >= 0 && flock (fd, LOCK_SH | LOCK_NB) != 0;
  if (fd >= 0)
    close (fd);
  return held;
}

static guint64
mark_of (int folder, const char *path)
{
  struct stat st;
  if (fstatat (folder, path, &st, AT_SYMLINK_NOFOLLOW))
    return 0;
  return st.st_ino * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15)
         ^ (guint64) st.st_mtim.tv_sec * 1000000007u ^ (guint64) st.st_mtim.tv_nsec;
}

static NpEntry *
entry_new (NpListing *l, const char *id, NpProfileStatus status, guint64 mark)
{
  NpEntry *e = g_new0 (NpEntry, 1);
  g_strlcpy (e->id, id, sizeof e->id);
  e->refs = 1;
  e->status = status;
  e->mark = mark;
  e->about = np_about_read (l->store, id);
  e->opened = np_kept_opened (l->store, id);
  return e;
}

static NpEntry *
make_ready (NpListing *l, const char *id, guint64 mark)
{
  char why[700] = "";
  NpEntry *e = entry_new (l, id, NP_READY, mark);
  g_autoptr (NpProfile) p = np_opened_look (l->opened, id, why, sizeof why);
  int err = errno;
  e->summary = p ? np_summary_new (p) : NULL;
  if (p && !nprof_store_damage (p->store, why, sizeof why))
    return e;
  g_clear_pointer (&e->summary, np_summary_free);
  e->status = p || err == EBADMSG ? NP_DAMAGED : np_exit_of (err, NP_EXIT_OK) ? NP_FAILED : NP_OLD;
  e->error = g_strdup (*why ? why : "it went away");
  e->mend = g_strdup (e->status == NP_FAILED ? np_error_words (err) : MEND);
  return e;
}

/* Lets a profile that could be read for the list say where an answer found it damaged. */
static void
tell_damage (NpListing *l, NpEntry *e, guint64 own)
{
  const Failure *f = g_hash_table_lookup (l->damaged, e->id);
  if (!f || f->meta != own || e->status != NP_READY)
    return;
  e->status = NP_DAMAGED;
  e->error = g_strdup (f->error);
  e->mend = g_strdup (f->mend);
}

static NpEntry *
make_failed (NpListing *l, const char *id, const Failure *f)
{
  NpEntry *e = entry_new (l, id, NP_FAILED, GPOINTER_TO_SIZE (f));
  e->error = g_strdup (f->error);
  e->mend = g_strdup (f->mend);
  e->label = g_strdup (f->label);
  return e;
}

static NpEntry *
make_reading (NpListing *l, const char *id, const Failure *f, guint64 mark)
{
  NpEntry *e = entry_new (l, id, NP_READING, mark | 1);
  e->label = g_strdup (f ? f->label : NULL);
  return e;
}

/* Marks the folders of annotations, views and gates, which change with each of their files. */
static guint64
mark_of_items (int folder, const char *id)
{
  static const char *const families[] = { "annotations", "views", "gates_saved" };
  guint64 mark = 0;
  for (guint i = 0; i < G_N_ELEMENTS (families); i++) {
    g_autofree char *path = g_build_filename ("kept", id, families[i], NULL);
    mark = mark * 31 + mark_of (folder, path);
  }
  return mark;
}

/* Lets a profile that is there say why it could not be read again. */
static void
tell_failure (NpEntry *e, const Failure *f)
{
  g_free (e->error);
  g_free (e->mend);
  e->error = g_strdup (f->error);
  e->mend = g_strdup (f->mend);
}

/* Returns NULL when no profile lies there, nobody writes one (a .part left behind is nothing) and
 * none failed. While a profile is read again, and when that failed, the one that is there is
 * shown. */
static NpEntry *
look_at (NpListing *l, int folder, const char *id, const NpEntry *old)
{
  g_autofree char *part = g_strconcat (id, ".part", NULL),
                  *meta = g_build_filename (id, "meta", NULL);
  g_autofree char *about = g_build_filename ("kept", id, "about.json", NULL);
  guint64 own = np_is_own_folder (folder, id) ? mark_of (folder, meta) : 0, ready = own;
  ready = ready ? ready ^ mark_of (folder, about) << 1
                : 0; /* what another nprof keeps of it is news too */
  guint64 items = mark_of_items (folder, id);
  Failure *failure = g_hash_table_lookup (l->failures, id);
  if (failure && own && own != failure->meta)
    failure->came = TRUE;
  gboolean failed = failure && failure->error && failure->meta == own; /* else somebody read it */
  if (ready && failed)
    ready ^= GPOINTER_TO_SIZE (failure);
  if (ready && old && old->mark == ready && old->status == NP_READY) {
    NpEntry *same = (NpEntry *) old;
    same->opened = np_kept_opened (l->store, id); /* to look at it is no news */
    if (same->items != items)
      note_change (l, id, "annotations"); /* another nprof keeps them */
    same->items = items;
    g_atomic_int_inc (&same->refs);
    return same;
  }
  NpEntry *e = ready ? make_ready (l, id, ready) : NULL;
  if (e) {
    e->items = items;
    tell_damage (l, e, own);
  }
  if (e && failed)
    tell_failure (e, failure);
  if (e && (e->status == NP_READY || e->summary))
    return e;
  if ((failure && !failure->error && !failure->came) || is_written (folder, part)) {
    g_autofree char *progress = g_build_filename (part, "progress", NULL);
    np_entry_unref (e);
    return make_reading (l, id, failure, mark_of (folder, progress));
  }
  return e ? e : failed ? make_failed (l, id, failure) : NULL;
}

static void
note_difference (NpListing *l, const NpEntry *old, const NpEntry *e)
{
  if (!old)
    note_change (l, e->id, "added");
  else if (old->status == NP_READING && e->status == NP_READING && old->mark != e->mark)
    note_change (l, e->id, "progress");
  else if (old->status != e->status || old->mark != e->mark)
    note_change (l, e->id, "changed");
}

static void
look_at_folder (NpListing *l, GHashTable *entries, int folder, const char *id)
{
  if (g_hash_table_contains (entries, id))
    return;
  const NpEntry *old = g_hash_table_lookup (l->entries, id);
  NpEntry *e = look_at (l, folder, id, old);
  if (!e)
    return;
  note_difference (l, old, e);
  g_hash_table_insert (entries, e->id, e);
}

static void
enter_all (NpListing *l, GHashTable *entries, GDir *dir, int folder)
{
  const char *name;
  GHashTableIter i;
  gpointer id;
  while ((name = g_dir_read_name (dir))) {
    g_autofree char *bare
        = g_str_has_suffix (name, ".part") ? g_strndup (name, strlen (name) - 5) : g_strdup (name);
    if (np_is_profile_id (bare))
      look_at_folder (l, entries, folder, bare);
  }
  g_hash_table_iter_init (&i, l->failures);
  while (g_hash_table_iter_next (&i, &id, NULL))
    look_at_folder (l, entries, folder, id);
}

/* Looks at all profiles anew: those ready, being written, and failed; notes what differs from
 * before. */
static void
read_folder (NpListing *l)
{
  int folder = open (l->store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  GDir *dir = g_dir_open (l->store, 0, NULL);
  GHashTable *entries
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) np_entry_unref);
  GHashTableIter i;
  gpointer id;
  if (dir && folder >= 0)
    enter_all (l, entries, dir, folder);
  g_hash_table_iter_init (&i, l->entries);
  while (g_hash_table_iter_next (&i, &id, NULL))
    if (!g_hash_table_contains (entries, id))
      note_change (l, id, "removed");
  g_hash_table_unref (l->entries);
  l->entries = entries;
  if (dir)
    g_dir_close (dir);
  if (folder >= 0)
    close (folder);
}

void
np_listing_look (NpListing *l, gboolean now)
{
  pthread_mutex_lock (&l->lock);
  if (now || g_get_monotonic_time () - l->looked > LOOK_US) {
    read_folder (l);
    l->looked = g_get_monotonic_time ();
  }
  pthread_mutex_unlock (&l->lock);
}

/* -- Asking ------------------------------------------------------------------- */

static NpEntry *
hold (NpEntry *e)
{
  if (e)
    g_atomic_int_inc (&e->refs);
  return e;
}

GPtrArray *
np_listing_all (NpListing *l)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) np_entry_unref);
  GHashTableIter i;
  gpointer e;
  pthread_mutex_lock (&l->lock);
  g_hash_table_iter_init (&i, l->entries);
  while (g_hash_table_iter_next (&i, NULL, &e))
    g_ptr_array_add (all, hold (e));
  pthread_mutex_unlock (&l->lock);
  return all;
}

NpEntry *
np_listing_get (NpListing *l, const char *id)
{
  pthread_mutex_lock (&l->lock);
  NpEntry *e = hold (g_hash_table_lookup (l->entries, id));
  pthread_mutex_unlock (&l->lock);
  return e;
}

/* Looks at one profile anew, as look_at_folder() does within a look at all of them. */
static NpEntry *
look_at_one (NpListing *l, int folder, const char *id)
{
  const NpEntry *old = g_hash_table_lookup (l->entries, id);
  NpEntry *e = look_at (l, folder, id, old);
  if (!e && old)
    note_change (l, id, "removed");
  if (!e) {
    g_hash_table_remove (l->entries, id);
    return NULL;
  }
  note_difference (l, old, e);
  g_hash_table_replace (l->entries, e->id, e);
  return hold (e);
}

NpEntry *
np_listing_find (NpListing *l, const char *id)
{
  int folder = np_is_profile_id (id) ? open (l->store, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (folder < 0)
    return NULL;
  pthread_mutex_lock (&l->lock);
  NpEntry *e = look_at_one (l, folder, id);
  pthread_mutex_unlock (&l->lock);
  close (folder);
  return e;
}

void
np_listing_expect (NpListing *l, const char *id, const char *label)
{
  np_listing_fail (l, id, label, NULL, NULL);
}

gboolean
np_listing_came (NpListing *l, const char *id)
{
  np_entry_unref (np_listing_find (l, id)); /* looks */
  pthread_mutex_lock (&l->lock);
  const Failure *f = g_hash_table_lookup (l->failures, id);
  gboolean came = f && f->came;
  pthread_mutex_unlock (&l->lock);
  return came;
}

void
np_listing_fail (NpListing *l, const char *id, const char *label, const char *error,
                 const char *mend)
{
  Failure *f = g_new0 (Failure, 1);
  g_autofree char *meta = g_build_filename (l->store, id, "meta", NULL);
  *f = (Failure){ g_strdup (label), g_strdup (error), g_strdup (mend), mark_of (AT_FDCWD, meta) };
  pthread_mutex_lock (&l->lock);
  g_hash_table_insert (l->failures, g_strdup (id), f);
  l->looked = 0;
  pthread_mutex_unlock (&l->lock);
}

void
np_listing_damaged (NpListing *l, const char *id, const char *why)
{
  Failure *f = g_new0 (Failure, 1);
  g_autofree char *meta = g_build_filename (l->store, id, "meta", NULL);
  *f = (Failure){ .error = g_strdup (why),
                  .mend = g_strdup (MEND),
                  .meta = mark_of (AT_FDCWD, meta) };
  pthread_mutex_lock (&l->lock);
  g_hash_table_replace (l->damaged, g_strdup (id), f);
  g_hash_table_remove (l->entries, id);
  l->looked = 0;
  pthread_mutex_unlock (&l->lock);
}

void
np_listing_done (NpListing *l, const char *id)
{
  pthread_mutex_lock (&l->lock);
  g_hash_table_remove (l->failures, id);
  l->looked = 0;
  pthread_mutex_unlock (&l->lock);
}

void
np_listing_changed (NpListing *l, const char *id, const char *what)
{
  pthread_mutex_lock (&l->lock);
  g_hash_table_remove (l->entries, id); /* it is read again, which is no news but this */
  note_change (l, id, what);
  l->quiet = TRUE;
  read_folder (l);
  l->quiet = FALSE;
  pthread_mutex_unlock (&l->lock);
}

/* Returns the members of the object in a file, without braces; `otherwise` where there is none.
 * Transfer full. */
static char *
read_members (const char *path, const char *otherwise)
{
  gsize len = 0;
  g_autofree char *text = np_kept_read (path, &len);
  gboolean object = text && len > 2 && text[0] == '{' && text[len - 1] == '}';
  return object ? g_strndup (text + 1, len - 2) : g_strdup (otherwise);
}

char *
np_progress_read (const char *store, const char *id, gboolean tracks)
{
  g_autofree char *part = g_strconcat (id, ".part", NULL);
  g_autofree char *strips = g_build_filename (store, part, "progress", NULL),
                  *told = np_kept_path (store, id, NP_KEPT_PROGRESS);
  g_autofree char *rows
      = read_members (strips, "\"rows\":0,\"start\":\"0\",\"end\":\"0\",\"figures\":[]"),
      *far = read_members (told, "\"stage\":\"reading\",\"done_bytes\":null,"
                                 "\"total_bytes\":null,\"bytes_per_s\":null,"
                                 "\"left_s\":null");
  char *list = tracks ? NULL : strstr (rows, ",\"tracks\":"); /* it is the last member */
  if (list)
    *list = '\0';
  return g_strdup_printf ("{%s,%s}", far, rows);
}
