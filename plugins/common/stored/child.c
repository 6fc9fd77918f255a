/* SPDX-License-Identifier: Apache-2.0 */
/* child.c - runs nprof beside the server: a crash there takes nothing with it, and it can be
 * ended. */

#include "stored/child.h"
#include "base/error.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS 100      /* how soon a child is ended that nobody waits for any more */
#define END_MS 1         /* between looks at one that has closed what it writes to   */
#define GRACE_US 2000000 /* for a child that was told to end: less than the server has */
#define MAX_ERR 65536    /* of what it says on stderr, at its end                    */

/* Sets up the child: signals as a shell leaves them, and no life beyond the thread that waits for
 * it. */
static void
set_up (gpointer user)
{
  sigset_t none;
  (void) user;
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  signal (SIGPIPE, SIG_DFL);
  prctl (PR_SET_PDEATHSIG, SIGTERM);
}

/* Begins it; `out` is NULL where nobody wants its standard output. 0 with an error. */
static GPid
begin (const char *const *words, int input, int *out, int *err, GError **error)
{
  GPid pid = 0;
  GSpawnFlags flags = G_SPAWN_DO_NOT_REAP_CHILD | (out ? 0 : G_SPAWN_STDOUT_TO_DEV_NULL);
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_ptr_array_add (all, (gpointer) "/proc/self/exe");
  for (; *words; words++)
    g_ptr_array_add (all, (gpointer) *words);
  g_ptr_array_add (all, NULL);
  g_spawn_async_with_pipes_and_fds (NULL, (const char *const *) all->pdata, NULL, flags, set_up,
                                    NULL, input, -1, -1, NULL, NULL, 0, &pid, NULL, out, err,
                                    error);
  return pid;
}

/* Returns FALSE when the descriptor is closed. */
static gboolean
read_some (int fd, GString *text)
{
  char piece[16384];
  ssize_t n = read (fd, piece, sizeof piece);
  if (n > 0)
    g_string_append_len (text, piece, n);
  return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Takes what it writes until it has ended; returns how, as np_child_run says. */
static int
live (GPid pid, struct pollfd files[2], GString *texts[2], gboolean (*stop) (gpointer user),
      gpointer user)
{
  gint64 told = 0; /* monotonic us; 0: it was not told to end */
  int status = 0;
  for (gboolean open = TRUE; open || waitpid (pid, &status, WNOHANG) == 0;
       open = files[0].fd >= 0 || files[1].fd >= 0) {
    int n = poll (files, 2, open ? LOOK_MS : END_MS);
    if (stop && !told && stop (user)) {
      kill (pid, SIGTERM);
      told = g_get_monotonic_time ();
    }
    if (told && g_get_monotonic_time () - told > GRACE_US)
      kill (pid, SIGKILL);
    for (int i = 0; n > 0 && i < 2; i++)
      if (files[i].fd >= 0 && files[i].revents && !read_some (files[i].fd, texts[i])) {
        close (files[i].fd);
        files[i].fd = -1;
      }
    if (texts[1]->len > 2 * MAX_ERR) /* the cause stands at its end */
      g_string_erase (texts[1], 0, (gssize) texts[1]->len - MAX_ERR);
  }
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}

/* Returns a file that has this text, from its start; -1 with errno. */
static int
file_of (const char *text)
{
  gsize len = strlen (text);
  int fd = memfd_create ("input", MFD_CLOEXEC);
  if (fd < 0)
    return -1;
  if (pwrite (fd, text, len, 0) == (ssize_t) len) /* memory: it takes all at once, or has no room */
    return fd;
  close (fd);
  errno = ENOMEM;
  return -1;
}

int
np_child_run (const char *const *words, const char *input, GString **out, char **err,
              gboolean (*stop) (gpointer user), gpointer user)
{
  g_autoptr (GError) error = NULL;
  int fds[2] = { -1, -1 };
  GString *texts[2] = { out ? g_string_new (NULL) : NULL, g_string_new (NULL) };
  int in = input ? file_of (input) : -1;
  if (input && in < 0)
    np_error_set (&error, NP_EXIT_ROOM, "%s", np_error_words (errno));
  GPid pid = error ? 0 : begin (words, in, out ? &fds[0] : NULL, &fds[1], &error);
  if (in >= 0)
    close (in);
  struct pollfd files[2] = { { fds[0], POLLIN, 0 }, { fds[1], POLLIN, 0 } };
  int status = NP_EXIT_ROOM; /* it could not be started */
  if (pid)
    status = live (pid, files, texts, stop, user);
  else
    g_string_append_printf (texts[1], "error: %s", error->message);
  if (out)
    *out = texts[0];
  *err = g_string_free (texts[1], FALSE);
  return status;
}

char *
np_child_cause (const char *err, int status)
{
  g_auto (GStrv) lines = g_strsplit (err, "\n", -1);
  const char *cause = NULL;
  for (guint i = 0; lines[i]; i++) {
    const char *found = strstr (lines[i], "error: ");
    if (found)
      cause = found + 7;
  }
  if (!cause)
    return g_strdup_printf ("the nprof that was asked ended with status %d", status);
  const char *hint = strstr (cause, " (nprof view --help");
  return hint ? g_strndup (cause, (gsize) (hint - cause)) : g_strdup (cause);
}
