/* SPDX-License-Identifier: Apache-2.0 */
/* output-file.c - writes one file of the output, under a temporary name or in place; when it
 * gets its name is transaction.c's. */

#include "output/output-file.h"

#include "base/fence.h"
#include "base/error.h"
#include "output/output-path.h"
#include "system/crc32.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (256u << 10)
#define LOOK_EVERY_MS 50

GError *
np_output_file_error (const NpOutputFile *file, int err)
{
  if (err == EPIPE && file->is_stdout)
    return g_error_new (NP_ERROR, NP_EXIT_PIPE, "%s: its reader went away", file->path);
  return np_output_error (file->path, err, file->option);
}

static nprof_status
fail_with (NpOutputFile *file, nprof_status status, GError *error)
{
  file->failed = TRUE;
  file->fail (file->user, error);
  return status;
}

/* A pipe whose reader sleeps would keep a write for ever: so each write is no larger than what
 * cannot wait, and the interrupt is looked at between two waits. */
static ssize_t
write_patiently (NpOutputFile *file, const guint8 *data, gsize len)
{
  struct pollfd ready = { .fd = file->fd, .events = POLLOUT };
  int n;
  while ((n = poll (&ready, 1, LOOK_EVERY_MS)) == 0 || (n < 0 && errno == EINTR))
    if (file->interrupt && atomic_load (file->interrupt)) {
      errno = ECANCELED;
      return -1;
    }
  return write (file->fd, data, MIN (len, PIPE_BUF));
}

static nprof_status
send (NpOutputFile *file, const guint8 *data, gsize len)
{
  if (file->is_stdout)
    np_fence_settle ();
  while (len) {
    ssize_t n = file->may_wait ? write_patiently (file, data, len) : write (file->fd, data, len);
    if (n < 0 && errno == ECANCELED) {
      GError *interrupted = NULL;
      np_error_interrupted (&interrupted);
      return fail_with (file, NPROF_CANCELLED, interrupted);
    }
    if (n == 0 || (n < 0 && errno != EINTR))
      return fail_with (file, NPROF_E_IO, np_output_file_error (file, n ? errno : ENOSPC));
    data += n > 0 ? n : 0;
    len -= n > 0 ? (gsize) n : 0;
  }
  return NPROF_OK;
}

static nprof_status
put_bytes (NpOutputFile *file, const guint8 *data, gsize len)
{
  if (file->listed)
    file->crc32 = np_crc32 (file->crc32, data, len);
  file->bytes += len;
  if (!file->shown)
    return send (file, data, len);
  g_autoptr (GString) text = g_string_sized_new (len);
  np_terminal_show (file->shown, (const char *) data, len, FALSE, text);
  return send (file, (const guint8 *) text->str, text->len);
}

/* Shows the bytes of a character that never became whole. */
static nprof_status
end_text (NpOutputFile *file)
{
  if (!file->shown)
    return NPROF_OK;
  g_autoptr (GString) text = g_string_new (NULL);
  np_terminal_show (file->shown, "", 0, TRUE, text);
  return send (file, (const guint8 *) text->str, text->len);
}

static nprof_status
flush (NpOutputFile *file)
{
  gsize used = file->used;
  file->used = 0;
  return used ? put_bytes (file, file->buffer, used) : NPROF_OK;
}

static nprof_status
written_after_close (NpOutputFile *file)
{
  return fail_with (file, NPROF_E_CONTRACT,
                    g_error_new (NP_ERROR, NP_EXIT_PLUGIN,
                                 "%s: a plugin wrote to it after closing it: report it to the "
                                 "plugin's author",
                                 file->path));
}

static nprof_status
outfile_write (struct nprof_output *out, const void *data, size_t len)
{
  NpOutputFile *file = (NpOutputFile *) out;
  if (file->fd < 0)
    return written_after_close (file);
  if (file->failed)
    return NPROF_E_IO;
  if (len > BUFFER_BYTES - file->used) {
    nprof_status status = flush (file);
    if (status)
      return status;
  }
  if (len >= BUFFER_BYTES)
    return put_bytes (file, data, len);
  if (!len)
    return NPROF_OK;
  if (!file->buffer && !(file->buffer = malloc (BUFFER_BYTES)))
    return fail_with (file, NPROF_E_NOMEM, np_output_file_error (file, ENOMEM));
  memcpy (file->buffer + file->used, data, len);
  file->used += len;
  return NPROF_OK;
}

static void
drop_buffer (NpOutputFile *file)
{
  free (file->buffer);
  file->buffer = NULL;
  file->used = 0;
}

static nprof_status
outfile_close (struct nprof_output *out)
{
  NpOutputFile *file = (NpOutputFile *) out;
  if (file->fd < 0)
    return file->failed ? NPROF_E_IO : NPROF_OK;
  nprof_status status = file->failed ? NPROF_E_IO : flush (file);
  if (!status)
    status = end_text (file);
  /* An interrupted close has closed the file on Linux; a second one might close another thread's
   * file. */
  if (!file->is_stdout && close (file->fd) && errno != EINTR && !status)
    status = fail_with (file, NPROF_E_IO, np_output_file_error (file, errno));
  file->fd = -1;
  drop_buffer (file);
  return status;
}

NpOutputFile *
np_output_file_new (const char *path, const char *option)
{
  NpOutputFile *file = g_new0 (NpOutputFile, 1);
  file->pub = (struct nprof_output){ sizeof file->pub, 0, outfile_write, outfile_close };
  file->path = g_strdup (path);
  file->option = option;
  file->fd = -1;
  return file;
}

void
np_output_file_discard (NpOutputFile *file)
{
  if (file->fd >= 0 && !file->is_stdout)
    close (file->fd);
  file->fd = -1;
  if (file->temp)
    unlink (file->temp);
  np_fence_drop (&file->fenced);
  g_clear_pointer (&file->temp, g_free);
  drop_buffer (file);
}

void
np_output_file_free (NpOutputFile *file)
{
  if (!file)
    return;
  np_output_file_discard (file);
  g_free (file->shown);
  g_free (file->path);
  g_free (file->folder);
  g_free (file->destination);
  g_free (file);
}

/* The file gets the permissions of the one that it will replace, else those of the umask. */
gboolean
np_output_file_open_temp (NpOutputFile *file)
{
  for (guint tries = 0; tries < 100; tries++) {
    g_autofree char *temp = np_temp_beside (file->destination);
    file->fd = np_fence_open (&file->fenced, temp);
    if (file->fd < 0 && errno == EEXIST)
      continue;
    if (file->fd < 0)
      return FALSE;
    file->temp = g_steal_pointer (&temp);
    struct stat old;
    if (!lstat (file->destination, &old) && S_ISREG (old.st_mode))
      (void) !fchmod (file->fd, old.st_mode & 0777);
    return TRUE;
  }
  return FALSE;
}

gboolean
np_output_file_open_in_place (NpOutputFile *file)
{
  struct stat st;
  int n = file->is_stdout ? STDOUT_FILENO : np_descriptor_of (file->path);
  file->is_stdout = n == STDOUT_FILENO;
  if (file->is_stdout)
    file->fd = n;
  else if (n >= 0)
    file->fd = fcntl (n, F_DUPFD_CLOEXEC, 3);
  else
    file->fd = open (file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (file->fd < 0 || fstat (file->fd, &st))
    return file->fd >= 0;
  if (!file->colors && isatty (file->fd))
    file->shown = g_new0 (NpTerminalText, 1);
  file->may_wait = S_ISFIFO (st.st_mode) || S_ISSOCK (st.st_mode) || S_ISCHR (st.st_mode);
  if (!S_ISBLK (st.st_mode))
    return TRUE;
  errno = EPERM; /* nobody means to overwrite a disk */
  return FALSE;
}
