/* SPDX-License-Identifier: Apache-2.0 */
/* readers.c - runs nprof beside the server, and tells the list how it ended. */

#include "readers.h"
#include "base/error.h"
#include "base/wait.h"
#include "stored/child.h"
#include "upload.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_US (G_USEC_PER_SEC * 6 / 10) /* for a nprof that was told to end */
#define MAX_WORDS 65536                       /* of what it says on stderr */

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
  gboolean ending;
};

typedef struct {
  NpReaders *all;
  char *id;
  NpReading *reading;
  GThread *thread;
  guint64 before; /* inode of its store, when it began */
  GPid pid;       /* 0: not yet, or no more */
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

/* Returns the inode of its store; 0: there is none. */
static guint64
inode_of (const Reader *reader)
{
  struct stat st;
  g_autofree char *path = g_build_filename (reader->all->store, reader->id, NULL);
  return stat (path, &st) ? 0 : st.st_ino;
}

static GPid
begin (Reader *reader, int *words)
{
  g_autoptr (GError) error = NULL;
  reader->before = inode_of (reader);
  g_auto (GStrv) arguments = np_reading_words (reader->reading, reader->all->store, FALSE, TRUE);
  GPid pid = np_child_begin (arguments, -1, NULL, words, &error);
  if (!pid)
    np_listing_fail (reader->all->listing, reader->id, reader->reading->label, error->message, "");
  return pid;
}

/* Returns what it says, until it closes stderr. */
static char *
read_words (int fd)
{
  GString *words = g_string_new (NULL);
  char piece[4096];
  for (;;) {
    ssize_t n = read (fd, piece, sizeof piece);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    g_string_append_len (words, piece, words->len < MAX_WORDS ? n : 0);
  }
  close (fd);
  return g_string_free (words, FALSE);
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
  guint64 now = inode_of (reader);
  gboolean stored
      = status == NP_EXIT_OK || status == NP_EXIT_LOSSES || (now && now != reader->before);
  g_autofree char *cause = stored ? NULL : np_child_cause (words, status);
  pthread_mutex_lock (&all->lock);
  gboolean ending = all->ending;
  pthread_mutex_unlock (&all->lock);
  if (ending && !stored)
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
  int fd = -1;
  pthread_mutex_lock (&all->lock);
  reader->pid = all->ending ? 0 : begin (reader, &fd);
  GPid pid = reader->pid;
  pthread_mutex_unlock (&all->lock);
  if (pid) {
    g_autofree char *all_words = read_words (fd),
                    *words = np_reading_said (reader->reading, all_words);
    siginfo_t
        info; /* it stays a zombie until the lock is held, so that no other process is ever ended */
    while (waitid (P_PID, (id_t) pid, &info, WEXITED | WNOWAIT) && errno == EINTR)
      ;
    pthread_mutex_lock (&all->lock);
    int status = np_child_wait (pid);
    reader->pid = 0;
    pthread_mutex_unlock (&all->lock);
    note_end (reader, words, status);
  }
  pthread_mutex_lock (&all->lock);
  g_ptr_array_remove_fast (all->running, reader);
  g_ptr_array_add (all->over, reader->thread);
  pthread_cond_broadcast (&all->ended);
  pthread_mutex_unlock (&all->lock);
  reader_free (reader);
  return NULL;
}

void
np_readers_start (NpReaders *all, const char *id, const NpReading *reading)
{
  Reader *reader = g_new0 (Reader, 1);
  *reader = (Reader){ .all = all, .id = g_strdup (id), .reading = np_reading_copy (reading) };
  np_listing_expect (all->listing, id, reading->label);
  pthread_mutex_lock (&all->lock);
  g_hash_table_insert (all->known, g_strdup (id), np_reading_copy (reading));
  if (all->ending) {
    reader_free (reader);
  } else {
    g_ptr_array_set_size (all->over, 0); /* none of them takes the lock any more */
    g_ptr_array_add (all->running, reader);
    reader->thread = g_thread_new ("reader", read_one, reader);
  }
  pthread_mutex_unlock (&all->lock);
}

gboolean
np_readers_run (NpReaders *all, const char *id)
{
  gboolean runs = FALSE;
  pthread_mutex_lock (&all->lock);
  for (guint i = 0; i < all->running->len; i++)
    runs |= g_str_equal (((Reader *) all->running->pdata[i])->id, id);
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

static void
signal_all (NpReaders *all, int number)
{
  for (guint i = 0; i < all->running->len; i++) {
    const Reader *reader = all->running->pdata[i];
    if (reader->pid)
      kill (reader->pid, number);
  }
}

void
np_readers_end (NpReaders *all)
{
  pthread_mutex_lock (&all->lock);
  all->ending = TRUE; /* from now on nothing begins */
  signal_all (all, SIGTERM);
  gint64 until = g_get_monotonic_time () + PATIENCE_US;
  while (all->running->len && np_cond_wait_until (&all->ended, &all->lock, until))
    ;
  signal_all (all, SIGKILL);
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
