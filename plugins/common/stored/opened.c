/* SPDX-License-Identifier: Apache-2.0 */
/* opened.c - keeps profiles open between requests; one that was replaced in the folder is opened
 * anew. */

#include "stored/opened.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEPT 64 /* open at most while nobody asks */
#define MEMO_BYTES (32u << 20)

struct NpOpened {
  char *folder;
  pthread_mutex_t lock;
  GHashTable *by_id; /* id -> NpProfile */
};

gboolean
np_is_profile_id (const char *text)
{
  return !strncmp (text, "n_", 2) && strlen (text) == 42
         && strspn (text + 2, "0123456789abcdef") == 40;
}

/* -- One profile ------------------------------------------------------------ */

typedef struct {
  gpointer data;
  GDestroyNotify destroy;
} Owned;

static void
owned_free (gpointer data)
{
  Owned *owned = data;
  owned->destroy (owned->data);
  g_free (owned);
}

void
np_profile_own (NpProfile *p, gpointer data, GDestroyNotify destroy)
{
  Owned *owned = g_new (Owned, 1);
  *owned = (Owned){ data, destroy };
  pthread_mutex_lock (&p->lock);
  g_ptr_array_add (p->owned, owned);
  pthread_mutex_unlock (&p->lock);
}

static void
query_free (gpointer data)
{
  nprof_query_clear (data);
  g_free (data);
}

void
np_profile_unref (NpProfile *p)
{
  if (!p || !g_atomic_int_dec_and_test (&p->refs))
    return;
  g_ptr_array_unref (p->idle);
  np_memo_free (p->memo);
  g_clear_pointer (&p->names, names_free);
  for (guint i = 0; i < NP_N_STATED; i++) {
    g_free (p->stated[i]);
    g_clear_pointer (&p->values[i], g_array_unref);
  }
  g_ptr_array_unref (p->owned);
  nprof_store_close (p->store);
  np_once_clear (&p->naming);
  np_once_clear (&p->stating);
  pthread_mutex_destroy (&p->grouping);
  pthread_mutex_destroy (&p->lock);
  g_free (p);
}

static NpProfile *
profile_new (const char *id, struct nprof_store *store, const struct stat *st)
{
  NpProfile *p = g_new0 (NpProfile, 1);
  g_strlcpy (p->id, id, sizeof p->id);
  p->store = store;
  p->meta = nprof_store_meta (store);
  p->inode = st->st_ino;
  p->mtime_ns = (gint64) st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
  p->refs = 1;
  pthread_mutex_init (&p->lock, NULL);
  pthread_mutex_init (&p->grouping, NULL);
  np_once_init (&p->naming);
  np_once_init (&p->stating);
  p->memo = np_memo_new (MEMO_BYTES);
  p->owned = g_ptr_array_new_with_free_func (owned_free);
  p->idle = g_ptr_array_new_with_free_func (query_free);
  return p;
}

struct nprof_query *
np_profile_query (NpProfile *p)
{
  pthread_mutex_lock (&p->lock);
  struct nprof_query *q
      = p->idle->len ? g_ptr_array_steal_index_fast (p->idle, p->idle->len - 1) : NULL;
  pthread_mutex_unlock (&p->lock);
  if (q)
    return q;
  q = g_new0 (struct nprof_query, 1);
  if (nprof_query_init (q, p->store))
    return q;
  g_free (q);
  return NULL;
}

void
np_profile_give_back (NpProfile *p, struct nprof_query *q)
{
  q->stop = NULL;
  q->error[0] = '\0';
  pthread_mutex_lock (&p->lock);
  g_ptr_array_add (p->idle, q);
  pthread_mutex_unlock (&p->lock);
}

const char *
np_profile_string (const NpProfile *p, guint32 string)
{
  size_t len;
  return nprof_store_string (p->store, string, &len);
}

const char *
np_profile_property (const NpProfile *p, const struct nprof_store_input *in, const char *key)
{
  const struct nprof_store_property *property;
  for (guint32 i = 0;
       i < in->n_properties && (property = nprof_store_property_at (p->store, in->properties + i));
       i++)
    if (!strcmp (np_profile_string (p, property->key), key))
      return np_profile_string (p, property->value);
  return NULL;
}

static const struct nprof_store_input *
input_of (const NpProfile *p, const char *label)
{
  const struct nprof_store_input *in;
  for (guint32 i = 0; (in = nprof_store_input_at (p->store, i)); i++)
    if (!strcmp (np_profile_string (p, in->label), label))
      return in;
  return NULL;
}

char *
np_profile_device (const NpProfile *p, const char *input, const char *device)
{
  const struct nprof_store_input *in = input ? input_of (p, input) : NULL;
  const char *rank = in ? np_profile_property (p, in, "rank") : NULL;
  const char *world = rank ? np_profile_property (p, in, "world_size") : NULL;
  const gboolean of_job = rank && (!world || g_ascii_strtoll (world, NULL, 10) > 1);
  return g_strdup_printf ("%s\n%s\n%s", of_job ? rank : "", of_job || !input ? "" : input, device);
}

/* -- Short names ------------------------------------------------------------- */

static gboolean
any_may_shorten (const NpProfile *p)
{
  const struct nprof_store_label *l;
  for (guint32 i = 0; (l = nprof_store_label_at (p->store, i)); i++)
    if (names_may_shorten (np_profile_string (p, l->name)))
      return TRUE;
  return FALSE;
}

/* Each must be told from all others, so the first question makes them all; where none is a function
 * of C++, as on TPUs, that is a look at each. */
static Names *
shorten_all (const NpProfile *p)
{
  const struct nprof_store_label *l;
  if (!any_may_shorten (p))
    return NULL;
  Names *names = names_new ();
  for (guint32 i = 0; (l = nprof_store_label_at (p->store, i)); i++)
    names_add (names, np_profile_string (p, l->name));
  return names;
}

const char *
np_profile_short_name (NpProfile *p, const char *name)
{
  if (np_once_enter (&p->naming)) {
    p->names = shorten_all (p);
    np_once_leave (&p->naming);
  }
  return p->names ? names_short (p->names, name) : name;
}

/* -- All of them ------------------------------------------------------------- */

NpOpened *
np_opened_new (const char *folder)
{
  NpOpened *o = g_new0 (NpOpened, 1);
  o->folder = g_strdup (folder);
  pthread_mutex_init (&o->lock, NULL);
  o->by_id
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) np_profile_unref);
  return o;
}

void
np_opened_free (NpOpened *o)
{
  if (!o)
    return;
  g_hash_table_unref (o->by_id);
  pthread_mutex_destroy (&o->lock);
  g_free (o->folder);
  g_free (o);
}

static gboolean
is_same (const NpProfile *p, const struct stat *st)
{
  return p->inode == st->st_ino
         && p->mtime_ns == (gint64) st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static void
make_room (NpOpened *o, guint most)
{
  GHashTableIter i;
  gpointer value;
  g_hash_table_iter_init (&i, o->by_id);
  while (g_hash_table_size (o->by_id) >= most && g_hash_table_iter_next (&i, NULL, &value))
    if (g_atomic_int_get (&((NpProfile *) value)->refs) == 1)
      g_hash_table_iter_remove (&i);
}

/* Opens a profile; the caller holds the lock, so that two requests do not open one profile
 * twice. */
static NpProfile *
open_profile (NpOpened *o, const char *id, const struct stat *st, gboolean keep, char *why,
              gsize why_size)
{
  g_autofree char *path = g_build_filename (o->folder, id, NULL);
  struct nprof_store *store = nprof_store_open (path, why, why_size);
  if (!store && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
    make_room (o, 1); /* those that nobody asks just now give back what they hold */
    store = nprof_store_open (path, why, why_size);
  }
  if (!store)
    return NULL;
  NpProfile *p = profile_new (id, store, st);
  if (!keep)
    return p;
  make_room (o, KEPT);
  g_hash_table_replace (o->by_id, p->id, p);
  g_atomic_int_inc (&p->refs);
  return p;
}

gboolean
np_is_own_folder (int at, const char *path)
{
  struct stat st;
  return !fstatat (at, path, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR (st.st_mode)
         && st.st_uid == geteuid ();
}

/* Returns a reference of the caller's. */
static NpProfile *
get_or_open (NpOpened *o, const char *id, gboolean keep, char *why, gsize why_size)
{
  gboolean named = np_is_profile_id (id);
  g_autofree char *path = g_build_filename (o->folder, named ? id : "", NULL);
  g_autofree char *meta = g_build_filename (path, "meta", NULL);
  struct stat st;
  *why = '\0';
  if (!named || !np_is_own_folder (AT_FDCWD, path) || stat (meta, &st)) {
    np_opened_drop (o, id);
    return NULL;
  }
  pthread_mutex_lock (&o->lock);
  NpProfile *p = g_hash_table_lookup (o->by_id, id);
  if (p && is_same (p, &st))
    g_atomic_int_inc (&p->refs);
  else
    p = open_profile (o, id, &st, keep, why, why_size);
  int err = errno;
  pthread_mutex_unlock (&o->lock);
  errno = err;
  return p;
}

NpProfile *
np_opened_get (NpOpened *o, const char *id, char *why, gsize why_size)
{
  return get_or_open (o, id, TRUE, why, why_size);
}

NpProfile *
np_opened_look (NpOpened *o, const char *id, char *why, gsize why_size)
{
  return get_or_open (o, id, FALSE, why, why_size);
}

void
np_opened_drop (NpOpened *o, const char *id)
{
  pthread_mutex_lock (&o->lock);
  g_hash_table_remove (o->by_id, id);
  pthread_mutex_unlock (&o->lock);
}
