/* SPDX-License-Identifier: Apache-2.0 */
/* nrt-job.c - libnrt's calls in their order; each is undone only if it succeeded, in reverse,
 * whatever failed. */

#include "nrt-job.h"
#include "base/error.h"
#include "base/temp-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAMEWORK_NONE 1
#define PLACE_DEVICE 0
#define COUNT_UNUSED (-1) /* the header: deprecated, always -1 */

typedef struct {
  const NpNrtJob *asked;
  NpNrt nrt;
  int pipe;
  gboolean initialized;
  void *model;
  GArray *tensors;    /* of NpNrtTensor */
  GPtrArray *handles; /* of libnrt's tensors, in the same order; the first ones */
  void *sets[2];      /* inputs, outputs */
  guint n_sets;
  guint failed_execs;
  NpExit status;
} Job;

/* -- What the parent hears ------------------------------------------------------------ */

static void
send_message (const Job *job, char what, const char *text)
{
  np_write_all (job->pipe, &what, 1);
  np_write_all (job->pipe, text, strlen (text) + 1);
}

static void
warn (gpointer user, const char *text)
{
  send_message (user, NP_JOB_WARN, text);
}

static gboolean
fail (Job *job, NpExit code, const char *text)
{
  g_autofree char *whole = g_strdup_printf ("%c%s", 'A' + (int) code, text);
  send_message (job, NP_JOB_ERROR, whole);
  job->status = np_exit_worse (job->status, code);
  return FALSE;
}

static gboolean
fail_error (Job *job, GError *error)
{
  g_autoptr (GError) own = error;
  return fail (job, (NpExit) own->code, own->message);
}

/* FALSE, and said, unless a call succeeded. */
static gboolean
succeeded (Job *job, const char *call, int status)
{
  if (!status)
    return TRUE;
  g_autofree char *text = np_nrt_explain (call, status);
  return fail (job, NP_EXIT_SINK, text);
}

/* A call whose failure changes nothing any more. */
static void
undone (Job *job, const char *call, int status)
{
  g_autofree char *text = status ? np_nrt_explain (call, status) : NULL;
  if (text)
    send_message (job, NP_JOB_WARN, text);
}

#define CALL(job, name, ...) (send_message (job, NP_JOB_CALL, #name), (job)->nrt.name (__VA_ARGS__))
#define TRY(job, name, ...) succeeded (job, #name, CALL (job, name, __VA_ARGS__))

/* -- The runtime and the model ---------------------------------------------------------- */

static void
say_version (Job *job)
{
  NpNrtVersion version = { 0 };
  if (!job->nrt.nrt_get_version)
    return;
  if (CALL (job, nrt_get_version, &version, sizeof version))
    return;
  const guint64 *n = version.number;
  g_autofree char *text = g_strdup_printf ("libnrt %" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT
                                           ".%" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT,
                                           n[0], n[1], n[2], n[3]);
  send_message (job, NP_JOB_PRINT, text);
  if (n[0] == NP_NRT_MAJOR)
    return;
  g_autofree char *warning
      = g_strdup_printf ("%s: nprof knows version %d of libnrt and goes on as if it was that one",
                         text, NP_NRT_MAJOR);
  send_message (job, NP_JOB_WARN, warning);
}

static gboolean
load (Job *job)
{
  const NpNrtJob *a = job->asked;
  job->initialized = TRY (job, nrt_init, FRAMEWORK_NONE, "", "");
  if (!job->initialized)
    return FALSE;
  void *model = NULL;
  if (!TRY (job, nrt_load, a->neff, a->neff_size, a->vnc, COUNT_UNUSED, &model))
    return FALSE;
  job->model = model;
  return model || fail (job, NP_EXIT_SINK, "nrt_load: success, but no model came");
}

/* The NEFF's own tensors, where libnrt's cannot be true. */
static gboolean
take_neff_tensors (Job *job, const char *problem)
{
  const GArray *own = job->asked->neff_tensors;
  g_autofree char *text
      = g_strdup_printf ("nrt_get_model_tensor_info: %s: %s", problem,
                         own->len ? "the tensors are those of the NEFF"
                                  : "and the NEFF says no tensors that could stand for it");
  if (!own->len)
    return fail (job, NP_EXIT_SINK, text);
  send_message (job, NP_JOB_WARN, text);
  for (guint i = 0; i < own->len; i++) {
    NpNrtTensor tensor = g_array_index (own, NpNrtTensor, i);
    tensor.name = g_strdup (tensor.name);
    g_array_append_val (job->tensors, tensor);
  }
  return TRUE;
}

static gboolean
find_tensors (Job *job)
{
  NpNrtTensorInfos *infos = NULL;
  if (!TRY (job, nrt_get_model_tensor_info, job->model, &infos))
    return FALSE;
  g_autofree char *problem = np_nrt_tensors_read (infos, job->tensors);
  if (infos)
    undone (job, "nrt_free_model_tensor_info", CALL (job, nrt_free_model_tensor_info, infos));
  return !problem || take_neff_tensors (job, problem);
}

/* -- Tensors ------------------------------------------------------------------------------ */

static const NpNrtInput *
input_of (const Job *job, const NpNrtTensor *t)
{
  for (guint i = 0; i < job->asked->inputs->len; i++) {
    const NpNrtInput *input = job->asked->inputs->pdata[i];
    if (!strcmp (input->name, t->name))
      return input;
  }
  return NULL;
}

/* Says which inputs are zeros, and makes as many zeros as the largest of them takes. */
static gboolean
make_zeros (Job *job, guint8 **zeros)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint64 most = 0;
  guint n = 0;
  for (guint i = 0; i < job->tensors->len; i++) {
    const NpNrtTensor *t = &g_array_index (job->tensors, NpNrtTensor, i);
    if (t->output || input_of (job, t))
      continue;
    most = MAX (most, t->size);
    if (n++ < 4)
      g_string_append_printf (names, "%s%s", n > 1 ? ", " : "", t->name);
  }
  *zeros = n ? g_try_malloc0 (MAX (most, 1)) : NULL;
  if (!n)
    return TRUE;
  g_autofree char *more = n > 4 ? g_strdup_printf (" and %u more", n - 4) : g_strdup ("");
  g_autofree char *text = g_strdup_printf (
      "no file was given for %s%s: %s zero, which may make inf or NaN of the results "
      "(--ignore-exec-errors goes on then)",
      names->str, more, n > 1 ? "they are" : "it is");
  send_message (job, NP_JOB_WARN, text);
  return *zeros || fail (job, NP_EXIT_SINK, "the zeros for inputs do not fit into memory");
}

static gboolean
make_tensor (Job *job, const NpNrtTensor *t, const guint8 *zeros)
{
  void *handle = NULL;
  if (!TRY (job, nrt_tensor_allocate, PLACE_DEVICE, job->asked->vnc, t->size, t->name, &handle))
    return FALSE;
  g_ptr_array_add (job->handles, handle);
  if (t->output)
    return TRUE;
  const NpNrtInput *input = input_of (job, t);
  const guint8 *data = input ? input->file + input->npy.offset : zeros;
  return TRY (job, nrt_tensor_write, handle, data, 0, t->size);
}

static gboolean
make_tensors (Job *job)
{
  g_autofree guint8 *zeros = NULL;
  if (!make_zeros (job, &zeros))
    return FALSE;
  for (guint i = 0; i < job->tensors->len; i++)
    if (!make_tensor (job, &g_array_index (job->tensors, NpNrtTensor, i), zeros))
      return FALSE;
  return TRUE;
}

static gboolean
make_sets (Job *job)
{
  for (; job->n_sets < 2; job->n_sets++)
    if (!TRY (job, nrt_allocate_tensor_set, &job->sets[job->n_sets]))
      return FALSE;
  for (guint i = 0; i < job->tensors->len; i++) {
    const NpNrtTensor *t = &g_array_index (job->tensors, NpNrtTensor, i);
    if (!TRY (job, nrt_add_tensor_to_tensor_set, job->sets[t->output], t->name,
              job->handles->pdata[i]))
      return FALSE;
  }
  return TRUE;
}

/* -- Executions ------------------------------------------------------------------------------ */

char *
np_nrt_file_name (const char *session, guint execution, guint n)
{
  const char *dot = strrchr (session, '.');
  gsize stem = dot && dot != session ? (gsize) (dot - session) : strlen (session);
  return n == 1
             ? g_strdup (session)
             : g_strdup_printf ("%.*s_exec_%u%s", (int) stem, session, execution, session + stem);
}

/* An execution that failed ends it all, or is a warning when errors are ignored. */
static gboolean
check_execution (Job *job, int status, guint execution, guint n)
{
  if (!status)
    return TRUE;
  g_autofree char *call = n == 1 ? g_strdup ("nrt_execute")
                                 : g_strdup_printf ("nrt_execute (%u of %u)", execution, n);
  g_autofree char *text = np_nrt_explain (call, status);
  job->failed_execs++;
  if (!job->asked->ignore_exec_errors || np_nrt_is_fatal (status))
    return fail (job, NP_EXIT_SINK, text);
  send_message (job, NP_JOB_WARN, text);
  return TRUE;
}

static gboolean
check_file (Job *job, const char *path, const char *name)
{
  struct stat about;
  if (stat (path, &about) || !about.st_size) {
    g_autofree char *text = g_strdup_printf ("%s: libnrt reported success but wrote nothing", name);
    return fail (job, NP_EXIT_SINK, text);
  }
  send_message (job, NP_JOB_PROFILE, name);
  return TRUE;
}

/* nrt_profile_stop comes also when the execution failed. */
static gboolean
execute_profiled (Job *job, guint execution, guint n)
{
  g_autofree char *name = np_nrt_file_name (job->asked->session, execution, n);
  g_autofree char *path = g_build_filename (job->asked->folder, name, NULL);
  if (!TRY (job, nrt_profile_start, job->model, path))
    return FALSE;
  int done = CALL (job, nrt_execute, job->model, job->sets[0], job->sets[1]);
  int stopped = CALL (job, nrt_profile_stop, path);
  return check_execution (job, done, execution, n) && succeeded (job, "nrt_profile_stop", stopped)
         && check_file (job, path, name);
}

static gboolean
execute_all (Job *job)
{
  guint nth = job->asked->nth_exec, n = MAX (job->asked->num_exec, nth);
  for (guint i = 1; i <= n; i++) {
    gboolean good
        = i % nth == 0
              ? execute_profiled (job, i, n)
              : check_execution (job,
                                 CALL (job, nrt_execute, job->model, job->sets[0], job->sets[1]), i,
                                 n);
    if (!good)
      return FALSE;
  }
  return TRUE;
}

/* -- Outputs ---------------------------------------------------------------------------------- */

static gboolean
write_output (Job *job, const NpNrtTensor *t, const guint8 *data)
{
  gboolean npy = job->asked->save == NP_SAVE_NPY;
  g_autofree char *safe = g_strdelimit (g_strdup (t->name), "/", '_');
  g_autofree char *name = g_strconcat (safe, npy ? ".npy" : ".bin", NULL);
  g_autofree char *path = g_build_filename (job->asked->folder, name, NULL);
  char kind;
  guint width;
  np_nrt_numpy (t, &kind, &width);
  g_autoptr (GByteArray) header = np_npy_header (kind, width, t->shape, t->n_dims);
  int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  int err = fd < 0 ? errno : npy ? np_write_all (fd, header->data, header->len) : 0;
  err = err ? err : np_write_all (fd, data, t->size);
  if (fd >= 0 && close (fd) && !err)
    err = errno;
  if (!err) {
    send_message (job, NP_JOB_FILE, name);
    return TRUE;
  }
  GError *error = NULL;
  np_error_errno (&error, NP_EXIT_SINK, name, err);
  return fail_error (job, error);
}

static gboolean
save_outputs (Job *job)
{
  for (guint i = 0; job->asked->save && i < job->tensors->len; i++) {
    const NpNrtTensor *t = &g_array_index (job->tensors, NpNrtTensor, i);
    if (!t->output)
      continue;
    g_autofree guint8 *data = g_try_malloc (MAX (t->size, 1));
    if (!data)
      return fail (job, NP_EXIT_SINK, "an output does not fit into memory");
    if (!TRY (job, nrt_tensor_read, job->handles->pdata[i], data, 0, t->size)
        || !write_output (job, t, data))
      return FALSE;
  }
  return TRUE;
}

/* -- All of it --------------------------------------------------------------------------------- */

static gboolean
open_library (Job *job)
{
  GError *error = NULL;
  if (job->asked->dge_notifs)
    g_setenv ("NEURON_RT_ENABLE_DGE_NOTIFICATIONS", "1", TRUE);
  send_message (job, NP_JOB_CALL, "dlopen");
  if (!np_nrt_open (job->asked->library, &job->nrt, &error))
    return fail_error (job, error);
  return !job->asked->save || job->nrt.nrt_tensor_read
         || fail (job, NP_EXIT_PLUGIN, "--save-output: this libnrt has no nrt_tensor_read");
}

static gboolean
inputs_fit (Job *job)
{
  GError *error = NULL;
  return np_nrt_inputs_fit (job->asked->inputs, job->tensors, warn, job, &error)
         || fail_error (job, error);
}

/* A tensor lives as long as a set that holds it, says the header, so the sets go first. */
static void
undo (Job *job)
{
  while (job->n_sets)
    CALL (job, nrt_destroy_tensor_set, &job->sets[--job->n_sets]);
  for (guint i = job->handles->len; i--;)
    CALL (job, nrt_tensor_free, &job->handles->pdata[i]);
  if (job->model)
    undone (job, "nrt_unload", CALL (job, nrt_unload, job->model));
  if (job->initialized)
    CALL (job, nrt_close);
}

void
np_nrt_job_run (const NpNrtJob *asked, int pipe)
{
  Job job = { .asked = asked, .pipe = pipe };
  job.tensors = np_nrt_tensors_new ();
  job.handles = g_ptr_array_new ();
  if (open_library (&job)) {
    say_version (&job);
    (void) (load (&job) && find_tensors (&job) && inputs_fit (&job) && make_tensors (&job)
            && make_sets (&job) && execute_all (&job) && save_outputs (&job));
    undo (&job);
  }
  if (!job.status && job.failed_execs)
    job.status = NP_EXIT_LOSSES;
  g_array_unref (job.tensors);
  g_ptr_array_unref (job.handles);
  const char code[] = { (char) ('A' + (int) job.status), 0 };
  send_message (&job, NP_JOB_DONE, code);
}
