/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - what a component must leave as it was: the state of the process, its standard
 * output, memory, descriptors and threads. */

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process-state.h"
#include "check.h"

#define WARM_UP 4 /* lives before memory is measured: caches fill */
#define MEASURED 40

/* -- The state of the process ---------------------------------------------- */

/* Returns which descriptors are open: new ones are for the rule `leaks`. */
static GHashTable *
descriptors (void)
{
  GHashTable *open = g_hash_table_new (NULL, NULL);
  DIR *folder = opendir ("/proc/self/fd");
  for (struct dirent *entry; folder && (entry = readdir (folder));)
    if (*entry->d_name != '.' && atoi (entry->d_name) != dirfd (folder))
      g_hash_table_add (open, GINT_TO_POINTER (atoi (entry->d_name)));
  if (folder)
    closedir (folder);
  return open;
}

static guint
entries_in (const char *path)
{
  guint n = 0;
  DIR *folder = opendir (path);
  while (folder && readdir (folder))
    n++;
  if (folder)
    closedir (folder);
  return n;
}

/* A thread that was joined may still be listed for a moment. */
static guint
threads_left (guint before)
{
  guint now = entries_in ("/proc/self/task");
  for (guint i = 0; now > before && i < 200; i++) {
    g_usleep (1000);
    now = entries_in ("/proc/self/task");
  }
  return now > before ? now - before : 0;
}

static void
check_closed (NpCheck *check, GHashTable *before, GHashTable *after)
{
  GHashTableIter iter;
  gpointer fd;
  g_hash_table_iter_init (&iter, before);
  while (g_hash_table_iter_next (&iter, &fd, NULL))
    if (!g_hash_table_contains (after, fd))
      np_check_found (check, "descriptor %d was closed, which it had not opened",
                      GPOINTER_TO_INT (fd));
}

void
np_check_process (NpCheck *check)
{
  NpProcessState before, after;
  guint threads = entries_in ("/proc/self/task");
  g_autofree char *declared = np_check_fingerprint (check->plugin);
  np_process_state_take (&before);
  g_autoptr (GHashTable) were_open = descriptors ();
  np_check_lives (check, TRUE);
  g_autoptr (GHashTable) are_open = descriptors ();
  np_process_state_take (&after);
  check_closed (check, were_open, are_open);
  g_autofree char *declares = np_check_fingerprint (check->plugin);
  if (strcmp (declared, declares) != 0)
    np_check_found (check, "what it declares has changed while it was used");
  g_autofree char *changed = np_process_state_changes (&before, &after);
  if (changed)
    np_check_found (check, "%s", changed);
  np_process_state_clear (&before);
  np_process_state_clear (&after);
  guint left = threads_left (threads);
  if (left)
    np_check_found (check, "%u threads still run after close", left);
  if (waitpid (-1, NULL, WNOHANG) != -1 || errno != ECHILD)
    np_check_found (check, "a process that it started was not waited for");
}

/* -- What it prints -------------------------------------------------------- */

void
np_check_silence (NpCheck *check)
{
  char text[200];
  np_check_lives (check, TRUE);
  fflush (NULL);
  ssize_t n = pread (check->printed, text, sizeof text - 1, 0);
  if (n <= 0)
    return;
  text[n] = '\0';
  np_check_found (check, "it printed: %.*s", (int) strcspn (text, "\n"), text);
}

/* -- Leaks ----------------------------------------------------------------- */

gsize
np_check_memory (void)
{
#if __GLIBC_PREREQ(2, 33)
  struct mallinfo2 info = mallinfo2 ();
  return info.uordblks + info.hblkhd;
#else
  struct mallinfo info = mallinfo (); /* of ints, which hold 4 GB as unsigned numbers */
  return (gsize) (guint) info.uordblks + (guint) info.hblkhd;
#endif
}

static gsize
memory_in_use (void)
{
  malloc_trim (0); /* what its caches hold of freed blocks counts as given out */
  return np_check_memory ();
}

/* Returns the bytes that every life loses; malloc's own caches grow now and then. */
static gssize
leaked (NpCheck *check)
{
  gssize least = G_MAXSSIZE;
  for (guint i = 0; i < WARM_UP; i++)
    np_check_lives (check, FALSE);
  for (guint i = 0; least > 0 && i < MEASURED; i++) {
    gsize before = memory_in_use ();
    np_check_lives (check, FALSE);
    least = MIN (least, (gssize) (memory_in_use () - before));
  }
  return least;
}

static char *
name_of (const char *number)
{
  g_autofree char *path = g_build_filename ("/proc/self/fd", number, NULL);
  char *name = g_file_read_link (path, NULL);
  return name ? name : g_strdup ("?");
}

static void
find_descriptors (NpCheck *check, GHashTable *known, gboolean report)
{
  DIR *folder = opendir ("/proc/self/fd");
  for (struct dirent *entry; folder && (entry = readdir (folder));) {
    if (*entry->d_name == '.' || atoi (entry->d_name) == dirfd (folder))
      continue;
    if (!report) {
      g_hash_table_add (known, g_strdup (entry->d_name));
    } else if (!g_hash_table_contains (known, entry->d_name)) {
      g_autofree char *name = name_of (entry->d_name);
      np_check_found (check, "descriptor %s is still open after close: %s", entry->d_name, name);
    }
  }
  if (folder)
    closedir (folder);
}

void
np_check_leaks (NpCheck *check)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  np_check_lives (check, FALSE); /* what it opens once for all is no leak */
  find_descriptors (check, known, FALSE);
  np_check_lives (check, FALSE);
  find_descriptors (check, known, TRUE);
  if (memory_in_use () == 0) {
    np_check_untried (check, "the allocator of this build does not tell what is in use");
    return;
  }
  gssize lost = leaked (check);
  if (lost > 0)
    np_check_found (check, "%" G_GSSIZE_FORMAT " bytes are not freed after %d lives", lost,
                    NP_CHECK_LIVES);
}
