/* SPDX-License-Identifier: Apache-2.0 */
/* xla.c - asks the profiler of an XLA program (JAX, TensorFlow, PyTorch/XLA) for a profile, and
 * puts it where TensorBoard and nprof look for runs. */

#include "base/error.h"
#include "capture.h"
#include "grpc.h"
#include "place.h"
#include "xla-answer.h"

#include <string.h>
#include <sys/stat.h>

#define METHOD "/tensorflow.ProfilerService/Profile"
#define TRIES 3
#define PAUSE_MS 1000

enum { ALREADY_EXISTS = 6, UNAVAILABLE = 14 };

typedef struct {
  const NpCapture *capture;
  const char *address, *host; /* host: for names of files */
  char *folder;               /* FOLDER/plugins/profile */
  char *session, *file;       /* file: FOLDER/plugins/profile/SESSION/HOST.xplane.pb */
  GDateTime *begun;
  guint ms;
  gint64 deadline;
} Xla;

static gboolean
stopped (gpointer user)
{
  return atomic_load (((const Xla *) user)->capture->interrupt) != 0;
}

static guint
ms_left (const Xla *x)
{
  gint64 left = (x->deadline - g_get_monotonic_time ()) / 1000;
  return (guint) CLAMP (left, 1, G_MAXINT);
}

/* FALSE: somebody wants it to end. */
static gboolean
pause_between (const Xla *x)
{
  for (guint i = 0; i < PAUSE_MS / 50 && !stopped ((gpointer) x); i++)
    g_usleep (50000);
  return !stopped ((gpointer) x);
}

/* -- The call ------------------------------------------------------------------------------ */

static gboolean
refused (const Xla *x, const NpGrpcAnswer *answer, GError **error)
{
  g_autofree char *status = np_grpc_status_text (answer->status),
                  *address = np_printable (x->address, -1);
  const char *advice
      = answer->status == 12  ? ": expected the profiler's server, not another one of gRPC"
        : answer->status == 4 ? ": the time was over on the server, see --timeout"
        : answer->status == ALREADY_EXISTS ? ": another capture is under way, try again"
                                           : "";
  return np_error_set (error, NP_EXIT_SINK, "%s: the server refused: %s%s%s%s", address, status,
                       answer->message ? ": " : "", answer->message ? answer->message : "", advice);
}

/* Once more when the server says that it may help. */
static gboolean
ask (const Xla *x, NpGrpcAnswer *answer, GError **error)
{
  const NpXlaRequest request = { x->ms, x->folder, x->session, x->host };
  g_autoptr (GByteArray) message = np_xla_request (&request);
  for (guint try = 1;; try++) {
    const NpGrpcCall call = { x->address, METHOD, message, ms_left (x), stopped, (gpointer) x };
    if (!np_grpc_call (&call, answer, error))
      return FALSE;
    gboolean again = answer->status == ALREADY_EXISTS || answer->status == UNAVAILABLE;
    if (!again || try == TRIES || g_get_monotonic_time () >= x->deadline)
      return !answer->status || refused (x, answer, error);
    np_grpc_answer_clear (answer);
    if (!pause_between (x))
      return np_error_interrupted (error);
  }
}

/* -- The profile ----------------------------------------------------------------------------- */

/* Names the run as TensorBoard does, by the second in which it began. Where there is one of that
 * second, microseconds follow, so that each has a folder. */
static void
name_session (Xla *x)
{
  g_autofree char *second = g_date_time_format (x->begun, "%Y_%m_%d_%H_%M_%S"),
                  *taken = g_build_filename (x->folder, second, NULL),
                  *name = g_strconcat (x->host, ".xplane.pb", NULL);
  g_free (x->session);
  g_free (x->file);
  x->session = g_file_test (taken, G_FILE_TEST_EXISTS)
                   ? g_date_time_format (x->begun, "%Y_%m_%d_%H_%M_%S_%f")
                   : g_steal_pointer (&second);
  x->file = g_build_filename (x->folder, x->session, name, NULL);
}

static gboolean
fail (const Xla *x, GError **error, const char *what)
{
  g_autofree char *address = np_printable (x->address, -1);
  return np_error_set (error, NP_EXIT_SINK, "%s: %s", address, what);
}

/* A server that is older than emit_xspace writes the profile itself, on its own disk. */
static gboolean
find_written (const Xla *x, gboolean empty, GError **error)
{
  struct stat about;
  if (!stat (x->file, &about) && about.st_size)
    return TRUE;
  g_autofree char *what
      = empty ? g_strdup_printf (
            "the server recorded nothing in %u ms: is the program at work? --ms takes longer",
            x->ms)
              : g_strdup_printf ("the server answered no profile, so it has written %s on its own "
                                 "disk: copy it from there",
                                 x->file);
  return fail (x, error, what);
}

static gboolean
put_pieces (Xla *x, const GArray *pieces, GError **error)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (NpPart));
  for (guint i = 0; i < pieces->len; i++) {
    const NpXlaPiece *piece = &g_array_index (pieces, NpXlaPiece, i);
    const NpPart part = { piece->data, piece->size };
    g_array_append_val (parts, part);
  }
  if (g_file_test (x->file, G_FILE_TEST_EXISTS))
    name_session (x); /* another began in that second and was ready first */
  return np_place_put (x->file, (const NpPart *) (gpointer) parts->data, parts->len, error);
}

static gboolean
is_nothing (const GArray *pieces)
{
  gsize size = 0;
  for (guint i = 0; i < pieces->len; i++)
    size += g_array_index (pieces, NpXlaPiece, i).size;
  return !size;
}

static gboolean
take_answer (Xla *x, const NpGrpcAnswer *answer, GError **error)
{
  const guint8 *body
      = answer->body ? (const guint8 *) g_mapped_file_get_contents (answer->body) : NULL;
  const guint8 *message = NULL;
  gsize size = 0, at = 0;
  const char *problem
      = np_grpc_unframe (body, answer->body ? g_mapped_file_get_length (answer->body) : 0, &message,
                         &size);
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (NpXlaPiece));
  NpXlaAnswer found = { .pieces = pieces };
  if (problem)
    return fail (x, error, problem);
  problem = np_xla_answer (message, size, &found, &at);
  if (problem) {
    g_autofree char *what
        = g_strdup_printf ("byte %" G_GSIZE_FORMAT " of the answer: %s", at, problem);
    return fail (x, error, what);
  }
  return is_nothing (pieces) ? find_written (x, found.empty, error) : put_pieces (x, pieces, error);
}

/* -- All of it --------------------------------------------------------------------------------- */

/* HOST of HOST:PORT, as a name of a file. */
static char *
host_name (const char *address)
{
  const char *colon = strrchr (address, ':');
  char *host = g_strndup (address, colon ? (gsize) (colon - address) : strlen (address));
  return g_strcanon (host, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS ".-_", '_');
}

static gboolean
run (Xla *x, GError **error)
{
  g_auto (NpGrpcAnswer) answer = { .status = -1 };
  return ask (x, &answer, error) && take_answer (x, &answer, error);
}

int
np_capture_xla (const NpCapture *capture, const char *address, guint ms, const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *host = host_name (address), *whole = g_canonicalize_filename (folder, NULL);
  Xla x = { .capture = capture, .address = address, .host = host, .ms = ms };
  x.deadline = g_get_monotonic_time () + (gint64) capture->timeout_s * G_USEC_PER_SEC;
  x.folder = g_build_filename (whole, "plugins", "profile", NULL);
  x.begun = g_date_time_new_now_local ();
  name_session (&x);
  gboolean good = run (&x, &error);
  if (good) {
    g_autofree char *name = g_path_get_basename (x.file);
    char *shown = g_build_filename (folder, "plugins", "profile", x.session, name, NULL);
    g_print ("saved %s\n", shown);
    g_ptr_array_add (capture->saved, shown);
  }
  g_date_time_unref (x.begun);
  g_free (x.folder);
  g_free (x.session);
  g_free (x.file);
  if (good)
    return NP_EXIT_OK;
  int interrupt = atomic_load (capture->interrupt);
  if (!np_error_is_silent (error))
    np_log (capture->log, NPROF_ERROR, "%s", error->message);
  return interrupt ? interrupt : error->code;
}
