/* SPDX-License-Identifier: Apache-2.0 */
/* readers.c - runs nprof beside the server, and tells the list how it ended. */

#include "view/readers.h"
#include "base/error.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_US (G_USEC_PER_SEC * 6 / 10) /* for a nprof that was told to end */
#define MAX_WORDS 65536                       /* of what it says on stderr */

struct NpReaders {
  NpListing *listing;
  NpOpened *opened;
  NpLog *log;
  GMutex lock;
  GCond ended;
  GPtrArray *running; /* of Reader */
  GPtrArray *threads; /* of GThread */
  gboolean ending, cut;
  int status;
};

typedef struct {
  NpReaders *all;
  char *id, *label;
  char **arguments;
  GPid pid; /* 0: not yet, or no more */
} Reader;

NpReaders *
np_readers_new (NpListing *listing, NpOpened *opened, NpLog *log)
{
  NpReaders *r = g_new0 (NpReaders, 1);
  r->listing = listing;
  r->opened = opened;
  r->log = log;
  g_mutex_init (&r->lock);
  g_cond_init (&r->ended);
  r->running = g_ptr_array_new ();
  r->threads = g_ptr_array_new ();
  return r;
}

static void
reader_free (Reader *reader)
{
  g_free (reader->id);
  g_free (reader->label);
  g_strfreev (reader->arguments);
  g_free (reader);
}

/* In the child: signals as a shell leaves them, and no life beyond the server's. */
static void
set_up (gpointer user)
{
  sigset_t none;
  (void) user;
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  prctl (PR_SET_PDEATHSIG, SIGTERM);
}

static GPid
begin (Reader *reader, int *words)
{
  g_autoptr (GError) error = NULL;
  GPid pid = 0;
  if (g_spawn_async_with_pipes (NULL, reader->arguments, NULL,
                                G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL, set_up,
                                NULL, &pid, NULL, NULL, words, &error))
    return pid;
  np_listing_fail (reader->all->listing, reader->id, reader->label, error->message, "");
  return 0;
}

/* What it says, until it closes stderr. */
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

static int
wait_for (GPid pid)
{
  int status = 0;
  while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}

/* The line that names the cause, without "nprof: error: ". */
static char *
cause_of (const char *words, int status)
{
  g_auto (GStrv) lines = g_strsplit (words, "\n", -1);
  const char *cause = NULL;
  for (guint i = 0; lines[i]; i++) {
    const char *found = strstr (lines[i], "error: ");
    if (found)
      cause = found + 7;
  }
  return cause ? g_strdup (cause)
               : g_strdup_printf ("the program that reads it ended with status %d", status);
}

static const char *
mend_of (int status)
{
  switch (status) {
  case NP_EXIT_INPUT:
    return "read it with --keep-going to pass over what is damaged, or record it anew";
  case NP_EXIT_SINK:
    return "make room on the disk of the store";
  default:
    return "run nprof run -s null on the file to see more";
  }
}

static void
tell (Reader *reader, const char *words, int status)
{
  NpReaders *all = reader->all;
  gboolean stored = status == NP_EXIT_OK || status == NP_EXIT_LOSSES;
  g_autofree char *cause = stored ? NULL : cause_of (words, status);
  g_mutex_lock (&all->lock);
  gboolean ending = all->ending;
  if (ending && !stored)
    all->cut = TRUE;
  else if (!stored)
    all->status = (int) np_exit_worse ((NpExit) all->status, (NpExit) status);
  g_mutex_unlock (&all->lock);
  if (ending && !stored)
    return;
  if (*words)
    g_printerr ("%s", words);
  if (stored)
    np_listing_done (all->listing, reader->id);
  else
    np_listing_fail (all->listing, reader->id, reader->label, cause, mend_of (status));
  np_listing_look (all->listing, TRUE);
}

static gpointer
read_one (gpointer data)
{
  Reader *reader = data;
  NpReaders *all = reader->all;
  int fd = -1;
  g_mutex_lock (&all->lock);
  reader->pid = all->ending ? 0 : begin (reader, &fd);
  GPid pid = reader->pid;
  g_mutex_unlock (&all->lock);
  if (pid) {
    g_autofree char *words = read_words (fd);
    siginfo_t
        info; /* it stays a zombie until the lock is held, so that no other process is ever ended */
    while (waitid (P_PID, (id_t) pid, &info, WEXITED | WNOWAIT) && errno == EINTR)
      ;
    g_mutex_lock (&all->lock);
    int status = wait_for (pid);
    reader->pid = 0;
    g_mutex_unlock (&all->lock);
    tell (reader, words, status);
  }
  g_mutex_lock (&all->lock);
  g_ptr_array_remove_fast (all->running, reader);
  g_cond_broadcast (&all->ended);
  g_mutex_unlock (&all->lock);
  reader_free (reader);
  return NULL;
}

void
np_readers_start (NpReaders *all, const char *id, const char *label, char **arguments)
{
  Reader *reader = g_new0 (Reader, 1);
  *reader = (Reader){
    .all = all, .id = g_strdup (id), .label = g_strdup (label), .arguments = g_strdupv (arguments)
  };
  np_listing_expect (all->listing, id, label);
  g_mutex_lock (&all->lock);
  g_ptr_array_add (all->running, reader);
  g_ptr_array_add (all->threads, g_thread_new ("reader", read_one, reader));
  g_mutex_unlock (&all->lock);
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
np_readers_free (NpReaders *all, gboolean *cut, int *status)
{
  if (!all)
    return;
  g_mutex_lock (&all->lock);
  all->ending = TRUE;
  signal_all (all, SIGTERM);
  gint64 until = g_get_monotonic_time () + PATIENCE_US;
  while (all->running->len && g_cond_wait_until (&all->ended, &all->lock, until))
    ;
  signal_all (all, SIGKILL);
  g_mutex_unlock (&all->lock);
  for (guint i = 0; i < all->threads->len; i++)
    g_thread_join (all->threads->pdata[i]);
  *cut = all->cut;
  *status = all->status;
  g_ptr_array_unref (all->running);
  g_ptr_array_unref (all->threads);
  g_mutex_clear (&all->lock);
  g_cond_clear (&all->ended);
  g_free (all);
}
