/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - what a component must leave as it was: the state of the process, its standard
 * output, memory, descriptors and threads. */

#include <dirent.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/check.h"

#define WARM_UP 4 /* lives before memory is measured: caches fill */
#define MEASURED 40

extern char **environ;

/* -- The state of the process ---------------------------------------------- */

enum {
  FOLDER,
  LOCALE,
  UMASK,
  ROUNDING,
  ENVIRONMENT,
  SIGNALS,
  MASK,
  LIMITS,
  N_STATES
}; /* up to ROUNDING short enough to be shown */

static char *
signals_text (void)
{
  GString *text = g_string_new (NULL);
  for (int number = 1; number < NSIG; number++) {
    struct sigaction action;
    if (sigaction (number, NULL, &action) == 0)
      g_string_append_printf (text, "%d: %p ", number, (void *) (gsize) action.sa_handler);
  }
  return g_string_free (text, FALSE);
}

static char *
mask_text (void)
{
  sigset_t mask;
  GString *text = g_string_new (NULL);
  pthread_sigmask (SIG_SETMASK, NULL, &mask);
  for (int number = 1; number < NSIG; number++)
    g_string_append_c (text, sigismember (&mask, number) == 1 ? '1' : '0');
  return g_string_free (text, FALSE);
}

static char *
rounding_text (void)
{
  const int mode = fegetround ();
  return g_strdup (mode == FE_TONEAREST  ? "to nearest"
                   : mode == FE_UPWARD   ? "upward"
                   : mode == FE_DOWNWARD ? "downward"
                                         : "toward zero");
}

static char *
limits_text (void)
{
  GString *text = g_string_new (NULL);
  for (int number = 0; number < RLIM_NLIMITS; number++) {
    struct rlimit limit;
    if (getrlimit ((__rlimit_resource_t) number, &limit) == 0)
      g_string_append_printf (text, "%d: %ju %ju ", number, (uintmax_t) limit.rlim_cur,
                              (uintmax_t) limit.rlim_max);
  }
  return g_string_free (text, FALSE);
}

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

static void
take_state (char *state[N_STATES])
{
  mode_t mask = umask (0);
  umask (mask);
  state[FOLDER] = g_get_current_dir ();
  state[LOCALE] = g_strdup (setlocale (LC_ALL, NULL));
  state[ENVIRONMENT] = g_strjoinv ("\n", environ);
  state[UMASK] = g_strdup_printf ("%03o", (guint) mask);
  state[ROUNDING] = rounding_text ();
  state[LIMITS] = limits_text ();
  state[SIGNALS] = signals_text ();
  state[MASK] = mask_text ();
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
  static const char *const names[N_STATES]
      = { "the current folder", "the locale",
          "the umask",          "the rounding of numbers",
          "the environment",    "the handling of signals",
          "the mask of signals", "a limit of the process" };
  char *before[N_STATES], *after[N_STATES];
  guint threads = entries_in ("/proc/self/task");
  g_autofree char *declared = np_check_fingerprint (check->plugin);
  take_state (before);
  g_autoptr (GHashTable) were_open = descriptors ();
  np_check_lives (check, TRUE);
  g_autoptr (GHashTable) are_open = descriptors ();
  take_state (after);
  check_closed (check, were_open, are_open);
  g_autofree char *declares = np_check_fingerprint (check->plugin);
  if (strcmp (declared, declares) != 0)
    np_check_found (check, "what it declares has changed while it was used");
  for (guint i = 0; i < N_STATES; i++) {
    if (strcmp (before[i], after[i]) != 0)
      np_check_found (check, "%s was changed%s%s", names[i], i <= ROUNDING ? ": it is now " : "",
                      i <= ROUNDING ? after[i] : "");
    g_free (before[i]);
    g_free (after[i]);
  }
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

/* Returns the bytes that malloc has given out; 0: this allocator does not tell. */
static gsize
memory_in_use (void)
{
  malloc_trim (0); /* what its caches hold of freed blocks counts as given out */
  struct mallinfo2 info = mallinfo2 ();
  return info.uordblks + info.hblkhd;
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
