/* SPDX-License-Identifier: Apache-2.0 */
/* nsys-report.c - finds nsys, runs it in a process group of its own without a shell, and keeps what
 * it exports by the digest of the report, so that a report is exported once. */
#include "foreign/nsys-report.h"

#include "base/error.h"
#include "input/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#define MAGIC "NVIDIA Tegra Profiler Report"
#define LAST_BYTES 4096 /* of what nsys says: the cause stands at its end */
#define MOST_KEPT (G_GUINT64_CONSTANT (10) << 30) /* bytes of exports */
#define LOOK_MS 50
#define DEFAULT_SECONDS 600

gboolean
np_is_nsys_report (const char *path)
{
  char head[sizeof MAGIC - 1];
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat is;
  gboolean found = fd >= 0 && !fstat (fd, &is) && S_ISREG (is.st_mode)
                   && pread (fd, head, sizeof head, 0) == (ssize_t) sizeof head
                   && !memcmp (head, MAGIC, sizeof head);
  if (fd >= 0)
    close (fd);
  return found;
}

/* -- nsys -------------------------------------------------------------------------------------- */

/* Returns the nsys of the last version in /opt/nvidia; transfer full, NULL: there is none. */
static char *
installed_nsys (void)
{
  glob_t found = { 0 };
  char *last = NULL;
  glob ("/opt/nvidia/nsight-systems*/bin/nsys", 0, NULL, &found);
  glob ("/opt/nvidia/nsight-systems*/*/bin/nsys", GLOB_APPEND, NULL, &found);
  for (gsize i = found.gl_pathc; i-- > 0 && !last;)
    if (g_file_test (found.gl_pathv[i], G_FILE_TEST_IS_EXECUTABLE))
      last = g_strdup (found.gl_pathv[i]);
  globfree (&found);
  return last;
}

static char *
find_nsys (void)
{
  const char *told = g_getenv ("NPROF_NSYS");
  if (told && *told)
    return g_str_equal (told, "no") ? NULL : g_strdup (told);
  char *found = g_find_program_in_path ("nsys");
  return found ? found : installed_nsys ();
}

static gint64
seconds_for_export (void)
{
  const char *told = g_getenv ("NPROF_NSYS_TIMEOUT");
  guint64 seconds = DEFAULT_SECONDS;
  if (told)
    g_ascii_string_to_unsigned (told, 10, 1, 86400, &seconds, NULL);
  return (gint64) seconds;
}

/* Sets up the child: a group of its own, which ends with the thread that waits for it. */
static void
set_up (gpointer user)
{
  sigset_t none;
  (void) user;
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
}

/* -- Running it -------------------------------------------------------------------------------- */

typedef struct {
  GString *said; /* the last of it */
  int status;    /* as waitpid has it */
  gboolean late, stopped;
} Ended;

static void
take_words (int fd, GString *said)
{
  char piece[LAST_BYTES];
  ssize_t n;
  while ((n = read (fd, piece, sizeof piece)) > 0) {
    g_string_append_len (said, piece, n);
    if (said->len > LAST_BYTES)
      g_string_erase (said, 0, (gssize) (said->len - LAST_BYTES));
  }
}

/* Waits until nsys has ended; one that takes too long, or is not wanted any more, is ended with all
 * that it started. */
static void
wait_for (GPid pid, int fd, const atomic_int *interrupt, Ended *ended)
{
  const gint64 until = g_get_monotonic_time () + seconds_for_export () * G_USEC_PER_SEC;
  struct pollfd words = { fd, POLLIN, 0 };
  while (waitpid (pid, &ended->status, WNOHANG) == 0) {
    if (poll (&words, 1, LOOK_MS) > 0) {
      take_words (fd, ended->said);
      if (words.revents & (POLLHUP | POLLERR))
        words.fd = -1; /* it said its last */
    }
    ended->late = g_get_monotonic_time () > until;
    ended->stopped = interrupt && atomic_load (interrupt);
    if (!ended->late && !ended->stopped)
      continue;
    kill (-pid, SIGKILL);
    while (waitpid (pid, &ended->status, 0) < 0 && errno == EINTR)
      ;
    break;
  }
  take_words (fd, ended->said);
}

static gboolean
run_nsys (const char *nsys, const char *report, const char *to, gboolean by_unix_time,
          const atomic_int *interrupt, Ended *ended, GError **error)
{
  const char *words[] = { nsys,   "export", "--type", "sqlite",   "--force-overwrite",
                          "true", "--lazy", "false",  "--output", to,
                          report, NULL,     NULL,     NULL };
  int ends[2];
  GPid pid;
  g_autoptr (GError) cause = NULL;
  if (by_unix_time) { /* so that ranks align */
    words[10] = "--ts-normalize";
    words[11] = "true";
    words[12] = report;
  }
  if (pipe2 (ends, O_CLOEXEC | O_NONBLOCK))
    return np_error_set (error, NP_EXIT_ROOM, "%s: %s", report, np_error_words (errno));
  gboolean begun = g_spawn_async_with_pipes_and_fds (NULL, words, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
                                                     set_up, NULL, -1, ends[1], ends[1], NULL, NULL,
                                                     0, &pid, NULL, NULL, NULL, &cause);
  close (ends[1]);
  if (begun)
    wait_for (pid, ends[0], interrupt, ended);
  else
    np_error_set (error, NP_EXIT_INPUT, "%s: %s could not be started: %s", report, nsys,
                  cause->message);
  close (ends[0]);
  return begun;
}

/* Returns the last line that nsys said with something in it; transfer full. */
static char *
last_line (const char *said)
{
  g_auto (GStrv) lines = g_strsplit (said, "\n", -1);
  const char *last = NULL;
  for (guint i = 0; lines[i]; i++)
    if (*g_strstrip (lines[i]))
      last = lines[i];
  g_autofree char *valid = last ? g_utf8_make_valid (last, -1) : NULL;
  return g_steal_pointer (&valid);
}

/* Says why there is no export. */
static void
set_failure (GError **error, const char *report, const char *nsys, const Ended *ended,
             const atomic_int *interrupt)
{
  g_autofree char *line = last_line (ended->said->str);
  if (ended->stopped)
    np_error_set (error, atomic_load (interrupt), "%s: interrupted while nsys exported it", report);
  else if (ended->late)
    np_error_set (error, NP_EXIT_INPUT,
                  "%s: nsys did not export it within %" G_GINT64_FORMAT
                  " s: NPROF_NSYS_TIMEOUT=SECONDS gives it longer",
                  report, seconds_for_export ());
  else
    np_error_set (error, NP_EXIT_INPUT, "%s: %s could not export it%s%s%s", report, nsys,
                  line ? ": " : "", line ? line : ": it said nothing",
                  line && strstr (line, "newer version")
                      ? ": name an nsys as new as the report by NPROF_NSYS"
                      : "");
}

/* -- What is kept ------------------------------------------------------------------------------ */

typedef struct {
  char *path;
  guint64 bytes;
  gint64 used;
} Kept;

static void
kept_clear (gpointer data)
{
  g_free (((Kept *) data)->path);
}

static int
by_use (gconstpointer a, gconstpointer b)
{
  const Kept *x = a, *y = b;
  return (x->used > y->used) - (x->used < y->used);
}

/* Removes the exports that were used longest ago while all take too much room, but for the last. */
static void
trim (const char *folder)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Kept));
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint64 sum = 0;
  g_array_set_clear_func (all, kept_clear);
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    struct stat is;
    Kept kept = { .path = g_build_filename (folder, name, NULL) };
    if (g_str_has_suffix (name, ".sqlite") && !lstat (kept.path, &is)) {
      kept.bytes = (guint64) is.st_size;
      kept.used = (gint64) is.st_mtim.tv_sec;
      sum += kept.bytes;
      g_array_append_val (all, kept);
    } else {
      g_free (kept.path);
    }
  }
  g_array_sort (all, by_use);
  for (guint i = 0; i + 1 < all->len && sum > MOST_KEPT; i++) {
    sum -= g_array_index (all, Kept, i).bytes;
    g_unlink (g_array_index (all, Kept, i).path);
  }
}

/* Returns FILE.sqlite where it was made after the report; transfer full. */
static char *
export_beside (const char *report)
{
  const char *dot = strrchr (report, '.');
  g_autofree char *path
      = g_strdup_printf ("%.*s.sqlite", (int) (dot ? dot - report : (gssize) strlen (report)),
                         report);
  struct stat of_report, of_export;
  gboolean newer = !stat (report, &of_report) && !stat (path, &of_export)
                   && S_ISREG (of_export.st_mode)
                   && of_export.st_mtim.tv_sec >= of_report.st_mtim.tv_sec;
  return newer ? g_steal_pointer (&path) : NULL;
}

/* Has nsys write to a name of this process, and gives it its place when it is whole. */
static gboolean
make (const char *report, const char *nsys, const char *place, const atomic_int *interrupt,
      GError **error)
{
  Ended ended = { .said = g_string_new (NULL) };
  g_autofree char *made = g_strdup_printf ("%s.%d", place, (int) getpid ());
  struct stat is;
  gboolean good = run_nsys (nsys, report, made, TRUE, interrupt, &ended, error);
  /* older ones have no such option */
  if (good && ended.status && strstr (ended.said->str, "ts-normalize")) {
    g_string_truncate (ended.said, 0);
    good = run_nsys (nsys, report, made, FALSE, interrupt, &ended, error);
  }
  if (good && (ended.late || ended.stopped || ended.status || stat (made, &is) || !is.st_size)) {
    set_failure (error, report, nsys, &ended, interrupt);
    good = FALSE;
  } else if (good && (chmod (made, 0600) || g_rename (made, place))) {
    np_error_set (error, np_exit_of (errno, NP_EXIT_SINK), "%s: %s", place, np_error_words (errno));
    good = FALSE;
  }
  if (!good)
    g_unlink (made);
  g_string_free (ended.said, TRUE);
  return good;
}

char *
np_nsys_export (const char *path, NpLog *log, const atomic_int *interrupt, GError **error)
{
  char hex[NP_DIGEST_HEX + 1];
  g_autofree char *beside = export_beside (path);
  if (beside) {
    np_log (log, NPROF_NOTICE, "%s: read as %s, which was exported of it", path, beside);
    return g_steal_pointer (&beside);
  }
  if (!np_digest_file (path, hex, error))
    return NULL;
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "nprof", "nsys", NULL),
                  *name = g_strconcat (hex, ".sqlite", NULL),
                  *place = g_build_filename (folder, name, NULL);
  if (g_file_test (place, G_FILE_TEST_IS_REGULAR)) {
    utime (place, NULL);
    return g_steal_pointer (&place);
  }
  g_autofree char *nsys = find_nsys ();
  if (!nsys) {
    np_error_set (
        error, NP_EXIT_INPUT,
        "%s: it needs Nsight Systems' nsys, which is not on this machine (looked in "
        "NPROF_NSYS, PATH, /opt/nvidia): run nsys export --type sqlite FILE.nsys-rep where "
        "it is, and read FILE.sqlite",
        path);
    return NULL;
  }
  if (g_mkdir_with_parents (folder, 0700)) {
    np_error_set (error, np_exit_of (errno, NP_EXIT_SINK), "%s: %s", folder,
                  np_error_words (errno));
    return NULL;
  }
  np_log (log, NPROF_NOTICE, "%s: %s exports it, once: the database is kept in %s", path, nsys,
          folder);
  if (!make (path, nsys, place, interrupt, error))
    return NULL;
  trim (folder);
  return g_steal_pointer (&place);
}
