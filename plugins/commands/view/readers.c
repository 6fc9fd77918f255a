/* SPDX-License-Identifier: Apache-2.0 */
/* readers.c - runs nprof beside the server, and tells the list how it ended. */

#include "readers.h"
#include "base/error.h"
#include "base/wait.h"
#include "stored/child.h"
#include "upload.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct NpReaders {
  char *store;
  NpListing *listing;
  NpOpened *opened;
  NpLog *log;
  pthread_mutex_t lock;
  pthread_cond_t ended;
  GPtrArray *running; /* of Reader */
  GPtrArray *over;    /* of GThread: what ran and is to be joined, or keeps its stack */
  GHashTable *known;  /* id -> NpReading: what was begun here */
  atomic_bool ending;
};

typedef struct {
  NpReaders *all;
  char *id;
  NpReading *reading;
  GThread *thread;
} Reader;

static void
join (gpointer thread)
{
  g_thread_join (thread);
}

NpReaders *
np_readers_new (const char *store, NpListing *listing, NpOpened *opened, NpLog *log)
{
  NpReaders *r = g_new0 (NpReaders, 1);
  r->store = g_strdup (store);
  r->listing = listing;
  r->opened = opened;
  r->log = log;
  pthread_mutex_init (&r->lock, NULL);
  np_cond_init (&r->ended);
  r->running = g_ptr_array_new ();
  r->over = g_ptr_array_new_with_free_func (join);
  r->known
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) np_reading_free);
  return r;
}

static void
reader_free (Reader *reader)
{
  g_free (reader->id);
  np_reading_free (reader->reading);
  g_free (reader);
}

static gboolean
is_ending (gpointer user)
{
  return atomic_load (&((NpReaders *) user)->ending);
}

/* The error names --keep-going where a part can be read; of other files, of a full disk and of a
 * database it says itself what to do. */
static const char *
mend_of (int status, const char *cause)
{
  switch (status) {
  case NP_EXIT_INPUT:
    return strstr (cause, "--keep-going")
               ? "read it with --keep-going to skip what is damaged, or record it anew"
               : "";
  case NP_EXIT_SINK:
    return "";
  default:
    return "run nprof run -s null on the file to see more";
  }
}

/* Tells the list how reading has ended. A profile counts as stored also where nprof failed
 * behind that, and then what was uploaded goes. Nothing is told of what the server ended itself. */
static void
note_end (Reader *reader, const char *words, int status)
{
  NpReaders *all = reader->all;
  gboolean stored = status == NP_EXIT_OK || status == NP_EXIT_LOSSES
                    || np_listing_came (all->listing, reader->id);
  g_autofree char *cause = stored ? NULL : np_child_cause (words, status);
  if (is_ending (all) && !stored)
    return;
  if (*words)
    g_printerr ("%s", words);
  if (stored && reader->reading->upload)
    np_upload_remove (reader->reading->upload);
  if (stored)
    np_listing_done (all->listing, reader->id);
  else
    np_listing_fail (all->listing, reader->id, reader->reading->label, cause,
                     mend_of (status, cause));
  np_listing_look (all->listing, TRUE);
}

static gpointer
read_one (gpointer data)
{
  Reader *reader = data;
  NpReaders *all = reader->all;
  g_autofree char *words = NULL;
  int status = np_reading_run (reader->reading, all->store, TRUE, NULL, &words, is_ending, all);
  pthread_mutex_lock (&all->lock);
  note_end (reader, words, status); /* at once with the rest, so that nobody sees one alone */
  g_ptr_array_remove_fast (all->running, reader);
  g_ptr_array_add (all->over, reader->thread);
  pthread_cond_broadcast (&all->ended);
  pthread_mutex_unlock (&all->lock);
  reader_free (reader);
  return NULL;
}

/* Returns whether one reads it, under the lock, which is given up while one that has stored its
 * profile ends. */
static gboolean
is_read (NpReaders *all, const char *id)
{
  for (guint i = 0; i < all->running->len;)
    if (!g_str_equal (((Reader *) all->running->pdata[i])->id, id)) {
      i++;
    } else if (np_listing_came (all->listing, id)) {
      pthread_cond_wait (&all->ended, &all->lock);
      i = 0;
    } else {
      return TRUE;
    }
  return FALSE;
}

void
np_readers_start (NpReaders *all, const char *id, const NpReading *reading)
{
  pthread_mutex_lock (&all->lock);
  if (!is_read (all, id) && !all->ending) {
    Reader *reader = g_new0 (Reader, 1);
    *reader = (Reader){ .all = all, .id = g_strdup (id), .reading = np_reading_copy (reading) };
    np_listing_expect (all->listing, id, reading->label);
    g_hash_table_insert (all->known, g_strdup (id), np_reading_copy (reading));
    g_ptr_array_set_size (all->over, 0); /* none of them takes the lock any more */
    g_ptr_array_add (all->running, reader);
    reader->thread = g_thread_new ("reader", read_one, reader);
  }
  pthread_mutex_unlock (&all->lock);
}

gboolean
np_readers_run (NpReaders *all, const char *id)
{
  pthread_mutex_lock (&all->lock);
  gboolean runs = is_read (all, id);
  pthread_mutex_unlock (&all->lock);
  return runs;
}

NpReading *
np_readers_known (NpReaders *all, const char *id)
{
  pthread_mutex_lock (&all->lock);
  const NpReading *known = g_hash_table_lookup (all->known, id);
  NpReading *copy = known ? np_reading_copy (known) : NULL;
  pthread_mutex_unlock (&all->lock);
  return copy;
}

void
np_readers_end (NpReaders *all)
{
  pthread_mutex_lock (&all->lock);
  all->ending = TRUE; /* from now on nothing begins */
  while (all->running->len)
    pthread_cond_wait (&all->ended, &all->lock);
  g_ptr_array_set_size (all->over, 0);
  pthread_mutex_unlock (&all->lock);
}

void
np_readers_free (NpReaders *all)
{
  if (!all)
    return;
  g_ptr_array_unref (all->running);
  g_ptr_array_unref (all->over);
  g_hash_table_unref (all->known);
  g_free (all->store);
  pthread_mutex_destroy (&all->lock);
  pthread_cond_destroy (&all->ended);
  g_free (all);
}
