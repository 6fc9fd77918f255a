/* SPDX-License-Identifier: Apache-2.0 */
/* kineto.c - asks a PyTorch process for a profile while it runs, in the place of the daemon that it
 * asks for work. */

#include "base/error.h"
#include "base/temp-file.h"
#include "capture.h"
#include "folder.h"
#include "kineto-fabric.h"
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_MS 100  /* how soon a file or an interrupt is seen */
#define HINT_S 15    /* libkineto asks every 5 seconds */
#define ACTIVITIES 2 /* of the type of a request */
#define TRACE "trace.json"

typedef struct {
  const NpCapture *capture;
  int pid;
  guint ms;
  const NpKinetoMore *more;
  const char *output; /* or NULL */
  int fd;
  NpCaptureFolder *folder; /* that processes write to */
  GArray *told;            /* of gint32: processes that were told to record */
  GHashTable *registered;  /* pids of processes that have said that they are there */
  GPtrArray *traces;       /* of char *: the paths of theirs, NULL for those that are not there */
  gboolean hinted, lost;
  uid_t uid; /* of the process, whose files its traces are */
} Kineto;

/* -- What processes ask --------------------------------------------------------------------- */

static gboolean
was_told (const Kineto *k, gint32 pid)
{
  for (guint i = 0; i < k->told->len; i++)
    if (g_array_index (k->told, gint32, i) == pid)
      return TRUE;
  return FALSE;
}

/* Is it of the process that is wanted, or of a child of it, and has it not been told yet? */
static gboolean
is_wanted (const Kineto *k, const NpFabricMessage *m)
{
  gboolean named = FALSE;
  for (guint i = 0; i < m->n_pids; i++)
    named = named || m->pids[i] == k->pid;
  return named && (m->type & ACTIVITIES) && !was_told (k, m->pids[0]);
}

/* Returns what libkineto reads, a line an option.  source: dynolog, cli/src/commands/gputrace.rs */
static char *
configuration (const Kineto *k)
{
  const struct {
    gboolean wanted;
    const char *key;
  } more[] = {
    { k->more->shapes, "PROFILE_REPORT_INPUT_SHAPES" },
    { k->more->memory, "PROFILE_PROFILE_MEMORY" },
    { k->more->stack, "PROFILE_WITH_STACK" },
    { k->more->flops, "PROFILE_WITH_FLOPS" },
    { k->more->modules, "PROFILE_WITH_MODULES" },
  };
  GString *text = g_string_new (NULL);
  g_string_printf (text,
                   "ACTIVITIES_LOG_FILE=%s/" TRACE "\nPROFILE_START_TIME=0\n"
                   "ACTIVITIES_DURATION_MSECS=%u\n",
                   k->folder->path, k->ms);
  for (guint i = 0; i < G_N_ELEMENTS (more); i++)
    if (more[i].wanted)
      g_string_append_printf (text, "%s=true\n", more[i].key);
  return g_string_free (text, FALSE);
}

static void
answer_request (Kineto *k, const NpFabricMessage *m)
{
  if (!is_wanted (k, m)) {
    np_fabric_answer (k->fd, m, NULL, 0);
    return;
  }
  g_autofree char *text = configuration (k);
  np_fabric_answer (k->fd, m, text, strlen (text));
  g_array_append_val (k->told, m->pids[0]);
  np_log (k->capture->log, NPROF_INFO, "process %d records %u ms", m->pids[0], k->ms);
}

static void
answer (Kineto *k, const NpFabricMessage *m)
{
  if (m->kind == NP_FABRIC_REQUEST) {
    answer_request (k, m);
    return;
  }
  g_hash_table_add (k->registered, GINT_TO_POINTER (m->pids[0]));
  gint32 count = (gint32) g_hash_table_size (k->registered);
  np_fabric_answer (k->fd, m, &count, sizeof count);
}

/* -- What they write --------------------------------------------------------------------------- */

/* libkineto puts its pid before the ending; a folder that it may not write to makes it take its own
 * place. */
static char *
path_of (const Kineto *k, gint32 pid, gboolean own_place)
{
  return own_place ? g_strdup_printf ("/tmp/libkineto_activities_%d.json", pid)
                   : g_strdup_printf ("%s/trace_%d.json", k->folder->path, pid);
}

/* Is the JSON of this process there to its last brace? */
static gboolean
is_whole (const Kineto *k, const char *path, gint64 since)
{
  struct stat about;
  char end[16];
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  gboolean whole = FALSE;
  if (fd < 0)
    return FALSE;
  if (!fstat (fd, &about) && S_ISREG (about.st_mode) && about.st_uid == k->uid
      && about.st_mtime >= since && about.st_size > 0) {
    gsize n = MIN (sizeof end, (gsize) about.st_size);
    whole = !np_read_at (fd, (guint64) about.st_size - n, end, n);
    while (whole && n && g_ascii_isspace (end[n - 1]))
      n--;
    whole = whole && n && end[n - 1] == '}';
  }
  close (fd);
  return whole;
}

/* The trace of a process, or NULL as long as there is none; transfer full. */
static char *
find_trace (const Kineto *k, gint32 pid, gint64 since)
{
  for (int own_place = 0; own_place < 2; own_place++) {
    char *path = path_of (k, pid, own_place);
    if (is_whole (k, path, own_place ? since : 0))
      return path;
    g_free (path);
  }
  return NULL;
}

/* Looks for the traces of all that were told, in this order, NULL for what is not there. Returns
 * how many are. */
static guint
find_traces (Kineto *k, gint64 since)
{
  guint n = 0;
  g_ptr_array_set_size (k->traces, 0);
  for (guint i = 0; i < k->told->len; i++) {
    g_ptr_array_add (k->traces, find_trace (k, g_array_index (k->told, gint32, i), since));
    n += k->traces->pdata[i] != NULL;
  }
  return n;
}

/* -- Until they have --------------------------------------------------------------------------- */

static gboolean
is_gone (int pid)
{
  return kill (pid, 0) && errno == ESRCH;
}

static gboolean fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (GError **error, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  g_autofree char *text = g_strdup_vprintf (format, list);
  va_end (list);
  return np_error_set (error, NP_EXIT_SINK, "%s", text);
}

static void
hint (Kineto *k, gint64 begun)
{
  if (k->hinted || k->told->len || g_get_monotonic_time () - begun < HINT_S * G_USEC_PER_SEC)
    return;
  k->hinted = TRUE;
  np_log (k->capture->log, NPROF_WARNING,
          "process %d has not asked for %d s: only one that was started with KINETO_USE_DAEMON=1 "
          "asks, every 5 s",
          k->pid, HINT_S);
}

/* Why nothing more will come, FALSE, or TRUE. */
static gboolean
may_wait (Kineto *k, gint64 begun, GError **error)
{
  gint64 passed = g_get_monotonic_time () - begun;
  if (atomic_load (k->capture->interrupt))
    return np_error_interrupted (error);
  if (is_gone (k->pid))
    return fail (error, "process %d has ended before its trace was there", k->pid);
  if (passed < (gint64) k->capture->timeout_s * G_USEC_PER_SEC)
    return TRUE;
  return k->told->len ? fail (
             error,
             "process %d was told to record %u ms but wrote no trace within %u s (--timeout)",
             g_array_index (k->told, gint32, 0), k->ms, k->capture->timeout_s)
                      : fail (error,
                              "process %d has not asked within %u s (--timeout): start it with "
                              "KINETO_USE_DAEMON=1, and give its pid as it sees it itself",
                              k->pid, k->capture->timeout_s);
}

static void
hear (Kineto *k)
{
  NpFabricMessage message;
  struct pollfd file = { k->fd, POLLIN, 0 };
  if (poll (&file, 1, LOOK_MS) > 0)
    while (np_fabric_take (k->fd, &message))
      answer (k, &message);
}

/* Until all that were told have written, or no more will.  FALSE: not even one has. */
static gboolean
wait_for_traces (Kineto *k, GError **error)
{
  gint64 begun = g_get_monotonic_time (), since = g_get_real_time () / G_USEC_PER_SEC;
  guint n;
  while (!(n = find_traces (k, since)) || n < k->told->len) {
    if (!may_wait (k, begun, error)) {
      if (!n || np_error_is_silent (*error))
        return FALSE;
      g_clear_error (error);
      return TRUE;
    }
    hint (k, begun);
    hear (k);
  }
  return TRUE;
}

/* -- Its place --------------------------------------------------------------------------------- */

/* One trace is -o itself; of several, a pid comes before the ending. */
static char *
name_of (const Kineto *k, guint index, guint n)
{
  gint32 pid = g_array_index (k->told, gint32, index);
  if (!k->output)
    return g_strdup_printf ("trace_%d.json", pid);
  if (g_file_test (k->output, G_FILE_TEST_IS_DIR) || g_str_has_suffix (k->output, "/")) {
    g_autofree char *name = g_strdup_printf ("trace_%d.json", pid);
    return g_build_filename (k->output, name, NULL);
  }
  const char *dot = strrchr (k->output, '.');
  gsize stem = dot && !strchr (dot, '/') ? (gsize) (dot - k->output) : strlen (k->output);
  return n == 1 ? g_strdup (k->output)
                : g_strdup_printf ("%.*s_%d%s", (int) stem, k->output, pid, k->output + stem);
}

static gboolean
put_trace (const Kineto *k, const char *trace, const char *path, GError **error)
{
  g_autoptr (GMappedFile) file = g_mapped_file_new (trace, FALSE, error);
  if (!file) {
    (*error)->code = NP_EXIT_SINK;
    return FALSE;
  }
  const NpPart part
      = { (const guint8 *) g_mapped_file_get_contents (file), g_mapped_file_get_length (file) };
  if (!np_place_put (path, &part, 1, error))
    return FALSE;
  g_unlink (trace);
  g_print ("saved %s\n", path);
  g_ptr_array_add (k->capture->saved, g_strdup (path));
  return TRUE;
}

/* Some of several may have written none: that is said, and is a loss. */
static gboolean
put_traces (Kineto *k, GError **error)
{
  for (guint i = 0; i < k->traces->len; i++) {
    const char *trace = k->traces->pdata[i];
    g_autofree char *path = name_of (k, i, k->traces->len);
    if (trace && !put_trace (k, trace, path, error))
      return FALSE;
    if (trace)
      continue;
    np_log (k->capture->log, NPROF_WARNING,
            "process %d was told to record %u ms but wrote no trace",
            g_array_index (k->told, gint32, i), k->ms);
    k->lost = TRUE;
  }
  return TRUE;
}

/* -- All of it --------------------------------------------------------------------------------- */

/* Reads the variable as libkineto does: an empty one counts as not set. */
static const char *
folder_of (const char *variable)
{
  const char *folder = g_getenv (variable);
  return folder && *folder ? folder : NULL;
}

/* Newer libkineto writes below $KINETO_ONDEMAND_TRACE_DIR or /tmp only. Root lets the process's
 * user write there. */
static NpCaptureFolder *
make_folder (Kineto *k, GError **error)
{
  g_autofree char *proc = g_strdup_printf ("/proc/%d", k->pid);
  const char *beside = folder_of ("KINETO_ONDEMAND_TRACE_DIR");
  struct stat about;
  if (stat (proc, &about)) {
    fail (error, "--kineto %d: there is no such process", k->pid);
    return NULL;
  }
  k->uid = about.st_uid;
  if (geteuid () && about.st_uid != geteuid ()) {
    fail (error, "--kineto %d: the process is another user's: run nprof as that user, or as root",
          k->pid);
    return NULL;
  }
  NpCaptureFolder *folder = np_capture_folder_new (beside ? beside : "/tmp", error);
  if (folder && about.st_uid != geteuid () && chown (folder->path, about.st_uid, about.st_gid)) {
    np_error_errno (error, NP_EXIT_SINK, folder->path, errno);
    g_clear_pointer (&folder, np_capture_folder_free);
  }
  return folder;
}

static gboolean
run (Kineto *k, GError **error)
{
  char *path = NULL;
  k->folder = make_folder (k, error);
  if (!k->folder)
    return FALSE;
  k->fd = np_fabric_open (folder_of ("KINETO_IPC_SOCKET_DIR"), &path, error);
  if (k->fd < 0)
    return FALSE;
  gboolean good = wait_for_traces (k, error);
  np_fabric_close (k->fd, path);
  return good && put_traces (k, error);
}

int
np_capture_kineto (const NpCapture *capture, int pid, guint ms, const NpKinetoMore *more,
                   const char *output)
{
  g_autoptr (GError) error = NULL;
  Kineto k = { .capture = capture, .pid = pid, .ms = ms, .more = more, .output = output };
  k.told = g_array_new (FALSE, FALSE, sizeof (gint32));
  k.traces = g_ptr_array_new_with_free_func (g_free);
  k.registered = g_hash_table_new (NULL, NULL);
  gboolean good = run (&k, &error);
  g_array_unref (k.told);
  g_hash_table_unref (k.registered);
  g_ptr_array_unref (k.traces);
  np_capture_folder_free (k.folder);
  if (good)
    return k.lost ? NP_EXIT_LOSSES : NP_EXIT_OK;
  int interrupt = atomic_load (capture->interrupt);
  if (!np_error_is_silent (error))
    np_log (capture->log, NPROF_ERROR, "%s", error->message);
  return interrupt ? interrupt : error->code;
}
