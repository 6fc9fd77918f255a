/* SPDX-License-Identifier: Apache-2.0 */
/* nrt-capture.c - the process that calls libnrt, seen from outside: what it says, when it hangs,
 * how it died. */

#include "base/error.h"
#include "base/signals.h"
#include "capture.h"
#include "folder.h"
#include "output/rename-set.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS 50 /* how soon an interrupt is seen that came between two looks */
#define GRACE_S 10 /* from SIGTERM to SIGKILL; never longer than the time limit itself */

typedef struct {
  const NpCapture *capture;
  pid_t pid;
  int pipe;
  GString *heard;   /* of a text that has not ended */
  char *call;       /* the last one that began; owned, or NULL */
  GPtrArray *files; /* names that are whole */
  guint n_profiles; /* of them, the first ones */
  int status;       /* of the job, or -1 */
  int interrupt;    /* that ended it, or 0 */
  gboolean late;    /* it ran past the time limit */
} Child;

/* -- In the child ------------------------------------------------------------------------ */

/* stdin is nothing, stdout is stderr, so that what libnrt prints does not mix with what nprof says;
 * a group of its own, so that Ctrl-C reaches it through us. */
static void
become_child (int pipe, pid_t parent)
{
  int null = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  sigset_t none;
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  np_signals_default ();
  signal (SIGPIPE, SIG_IGN); /* a parent that is gone */
  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != parent)
    _exit (1);
  dup2 (null, STDIN_FILENO);
  dup2 (STDERR_FILENO, STDOUT_FILENO);
  fcntl (pipe, F_SETFD, FD_CLOEXEC);
}

/* Its end is _exit: what the parent registered for exit is the parent's. */
static gboolean
begin (Child *c, const NpNrtJob *job, GError **error)
{
  int ends[2];
  pid_t parent = getpid ();
  if (pipe2 (ends, O_CLOEXEC)) {
    np_error_errno (error, NP_EXIT_PLUGIN, "pipe", errno);
    return FALSE;
  }
  c->pid = fork ();
  if (c->pid == 0) {
    close (ends[0]);
    become_child (ends[1], parent);
    np_nrt_job_run (job, ends[1]);
    _exit (0);
  }
  close (ends[1]);
  c->pipe = ends[0];
  if (c->pid > 0)
    return TRUE;
  close (ends[0]);
  np_error_errno (error, NP_EXIT_PLUGIN, "fork", errno);
  return FALSE;
}

/* -- What it says --------------------------------------------------------------------------- */

static void
hear (Child *c, const char *text)
{
  NpLog *log = c->capture->log;
  switch (*text) {
  case NP_JOB_CALL:
    g_free (c->call);
    c->call = g_strdup (text + 1);
    break;
  case NP_JOB_WARN:
    np_log (log, NPROF_WARNING, "%s", text + 1);
    break;
  case NP_JOB_PRINT:
    g_print ("%s\n", text + 1);
    break;
  case NP_JOB_PROFILE:
    c->n_profiles++;
    /* fall through */
  case NP_JOB_FILE:
    g_ptr_array_add (c->files, g_strdup (text + 1));
    break;
  case NP_JOB_ERROR:
    np_log (log, NPROF_ERROR, "%s", text + 2);
    break;
  case NP_JOB_DONE:
    c->status = text[1] - 'A';
    break;
  }
}

/* Reads what there is, so no signal can interrupt it; FALSE: the pipe is closed. */
static gboolean
read_pipe (Child *c)
{
  char piece[4096];
  ssize_t n = read (c->pipe, piece, sizeof piece);
  for (ssize_t i = 0; i < n; i++) {
    if (piece[i])
      g_string_append_c (c->heard, piece[i]);
    else {
      hear (c, c->heard->str);
      g_string_truncate (c->heard, 0);
    }
  }
  return n > 0;
}

/* -- Until it ends ----------------------------------------------------------------------------- */

static void
end_group (const Child *c, int signal_number)
{
  kill (-c->pid, signal_number);
  kill (c->pid, signal_number); /* a child that has no group yet */
}

/* Ends the child when its time is over: first it may clean up, then not. */
static void
look_at_time (Child *c, gint64 *deadline)
{
  gint64 now = g_get_monotonic_time ();
  gint64 grace = MIN (GRACE_S, (gint64) c->capture->timeout_s) * G_USEC_PER_SEC;
  int interrupt = atomic_load (c->capture->interrupt);
  if (c->late || c->interrupt) {
    if (now >= *deadline)
      end_group (c, SIGKILL);
    return;
  }
  c->interrupt = interrupt;
  c->late = !interrupt && now >= *deadline;
  if (!c->late && !c->interrupt)
    return;
  end_group (c, SIGTERM);
  *deadline = now + grace;
}

/* Returns the status of waitpid. A process that libnrt left behind may hold the pipe open, so the
 * child's own end is looked for too. */
static int
wait_for_child (Child *c)
{
  gint64 deadline = g_get_monotonic_time () + (gint64) c->capture->timeout_s * G_USEC_PER_SEC;
  struct pollfd file = { c->pipe, POLLIN, 0 };
  int status = 0;
  while (waitpid (c->pid, &status, WNOHANG) != c->pid) {
    if (poll (&file, 1, LOOK_MS) > 0 && file.fd >= 0 && !read_pipe (c))
      file.fd = -1;
    look_at_time (c, &deadline);
  }
  while (file.fd >= 0 && poll (&file, 1, 0) > 0 && read_pipe (c))
    ;
  return status;
}

/* -- Its end ----------------------------------------------------------------------------------- */

static int
explain_end (const Child *c, int status)
{
  NpLog *log = c->capture->log;
  const char *call = c->call ? c->call : "its first call";
  if (c->interrupt)
    return c->interrupt;
  if (c->late)
    np_log (log, NPROF_ERROR, "%s has not returned: ended after %u s (--timeout)", call,
            c->capture->timeout_s);
  else if (c->status >= 0)
    return c->status;
  else if (WIFSIGNALED (status))
    np_log (log, NPROF_ERROR, "libnrt died in %s: %s (signal %d)", call,
            strsignal (WTERMSIG (status)), WTERMSIG (status));
  else
    np_log (log, NPROF_ERROR, "libnrt ended the process in %s, with status %d", call,
            WEXITSTATUS (status));
  return NP_EXIT_SINK;
}

/* All files take their places or none does. */
static int
deliver (const Child *c, const NpCaptureFolder *folder, const char *beside)
{
  g_autoptr (GError) error = NULL;
  NpRenameSet *renames = np_rename_set_new (c->capture->log);
  gboolean good = TRUE;
  for (guint i = 0; good && i < c->files->len; i++) {
    const char *name = c->files->pdata[i];
    g_autofree char *from = g_build_filename (folder->path, name, NULL);
    char *path = strcmp (beside, ".") ? g_build_filename (beside, name, NULL) : g_strdup (name);
    g_autofree char *destination = g_canonicalize_filename (path, NULL);
    np_rename_set_add (renames, path, destination, from);
    g_ptr_array_add (c->capture->saved, path);
    good = np_read_files_spare (c->capture->read, path, &error);
  }
  good = good && np_rename_set_do (renames, &error);
  if (good)
    np_rename_set_settle (renames);
  else
    np_log (c->capture->log, NPROF_ERROR, "%s", error->message);
  np_rename_set_free (renames);
  for (guint i = 0; good && i < c->files->len; i++)
    g_print ("saved %s\n", (char *) c->capture->saved->pdata[i]);
  g_ptr_array_set_size (c->capture->saved, good ? (int) c->n_profiles : 0);
  return good ? NP_EXIT_OK : error->code;
}

static int
run (Child *c, const NpNrtJob *job, const NpCaptureFolder *folder, const char *beside)
{
  g_autoptr (GError) error = NULL;
  if (!begin (c, job, &error)) {
    np_log (c->capture->log, NPROF_ERROR, "%s", error->message);
    return error->code;
  }
  int code = explain_end (c, wait_for_child (c));
  close (c->pipe);
  if (code != NP_EXIT_OK && code != NP_EXIT_LOSSES)
    return code;
  return (int) np_exit_worse ((NpExit) code, (NpExit) deliver (c, folder, beside));
}

int
np_capture_nrt (const NpCapture *capture, const char *session, NpNrtJob *job)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *beside = g_path_get_dirname (session), *name = g_path_get_basename (session);
  g_autoptr (NpCaptureFolder) folder = np_capture_folder_new (beside, &error);
  if (!folder) {
    np_log (capture->log, NPROF_ERROR, "%s", error->message);
    return error->code;
  }
  Child child = { .capture = capture, .status = -1 };
  child.heard = g_string_new (NULL);
  child.files = g_ptr_array_new_with_free_func (g_free);
  job->folder = folder->path;
  job->session = name;
  int code = run (&child, job, folder, beside);
  g_string_free (child.heard, TRUE);
  g_ptr_array_unref (child.files);
  g_free (child.call);
  return code;
}
