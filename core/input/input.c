/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - an input as memory: mapped, or spooled first when it is a pipe or compressed;
 * inflating is inflate.c's, folders are expand.c's.
 *
 * A mapped file that another program cuts short while it is read ends the run with SIGBUS,
 * as with every program that maps files: copy a profile that is still being written first.
 * A file that is replaced by rename, or that grows, does no harm. */

#include "input/input.h"

#include "base/error.h"
#include "base/temp-file.h"
#include "input/inflate.h"
#include "input/page-watch.h"
#include "system/room.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <nprof/plugin.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define WRITER_SECONDS 10 /* for a named pipe  */
#define WRITER_LOOK_MS 50
#define SPILL_BYTES (256u << 10) /* a read, once the memory has been given up */

struct NpInput {
  char *path;
  const guint8 *data;
  guint64 len;
  gsize mapped;    /* bytes to unmap; 0: none */
  gboolean backed; /* by a file, then: */
  NpPageRelease page_release;
  NpPageWatch *page_watch; /* NULL: none */
};

static const char *
shown (const char *path)
{
  return strcmp (path, "-") ? path : "stdin";
}

const void *
np_input_data (const NpInput *input, guint64 *len)
{
  *len = input->len;
  return input->data;
}

void
np_input_free (NpInput *input)
{
  if (!input)
    return;
  np_page_watch_free (input->page_watch);
  if (input->backed)
    np_page_release_clear (&input->page_release);
  if (input->mapped)
    munmap ((void *) input->data, input->mapped);
  g_free (input->path);
  g_free (input);
}

void
np_input_done (NpInput *input, guint64 from, guint64 to)
{
  if (input->backed)
    np_page_release_read (&input->page_release, from, to);
}

void
np_input_keep (NpInput *input, guint64 bytes)
{
  if (input->backed)
    np_page_release_keep (&input->page_release, bytes);
}

static NpInput *
input_new (const char *path)
{
  NpInput *input = g_new0 (NpInput, 1);
  input->path = g_strdup (path);
  input->data = (const guint8 *) "";
  return input;
}

static void
set_mapped_file (NpInput *input, const void *data, guint64 len)
{
  input->data = data;
  input->len = input->mapped = len;
  input->backed = TRUE;
  np_page_release_init (&input->page_release, data, len);
  input->page_watch = np_page_watch_new (&input->page_release, NP_PAGE_WATCH_BYTES);
}

/* -- Spooling -------------------------------------------------------------- */

typedef struct {
  guint8 *memory; /* NP_INPUT_MEMORY bytes */
  gsize used;
  int fd; /* -1: all is in memory */
  guint64 len;
} Spool;

static gboolean
spool_failed (const char *path, GError **error)
{
  return np_error_set (
      error, np_no_temp_room (errno) ? NP_EXIT_ROOM : NP_EXIT_INPUT,
      "%s: needs a temporary file in %s: %s: make room there, or set TMPDIR to a folder "
      "that has some",
      shown (path), np_temp_folder (), g_strerror (errno));
}

typedef struct {
  const NpInputWait *wait;
  guint64 size; /* of the file; 0: unknown */
} Waiting;

static gboolean
spool_spill (Spool *spool, const char *path, GError **error)
{
  if (spool->fd < 0)
    spool->fd = np_temp_open ();
  if (spool->fd >= 0)
    errno = np_write_all (spool->fd, spool->memory, spool->used);
  if (spool->fd < 0 || errno)
    return spool_failed (path, error);
  spool->used = 0;
  return TRUE;
}

/* Lets the input end where its file was cut off, if that is wanted and something comes before. */
static gssize
end_at_cut (const Spool *spool, const NpInflate *in, GError **cut, GError **error)
{
  if (!cut || !*error || !spool->len || !np_inflate_is_cut (in))
    return -1;
  g_propagate_error (cut, g_steal_pointer (error));
  return 0;
}

static gboolean
spool_fill (Spool *spool, NpInflate *in, const char *path, const Waiting *waiting, GError **cut,
            GError **error)
{
  for (;;) {
    if (waiting->wait->told)
      waiting->wait->told (waiting->wait->user, np_inflate_taken (in), waiting->size, spool->len);
    gsize limit = spool->fd < 0 ? NP_INPUT_MEMORY : SPILL_BYTES;
    if (spool->used == limit) {
      if (!spool_spill (spool, path, error))
        return FALSE;
      continue;
    }
    gssize n = np_inflate_read (in, spool->memory + spool->used, limit - spool->used, error);
    if (n < 0)
      n = end_at_cut (spool, in, cut, error);
    if (n <= 0)
      return n == 0 && (spool->fd < 0 || spool_spill (spool, path, error));
    spool->used += (gsize) n;
    spool->len += (guint64) n;
  }
}

/* Hands the spooled bytes to the input. */
static gboolean
spool_map (Spool *spool, NpInput *input, GError **error)
{
  if (!spool->len)
    return TRUE;
  if (spool->fd >= 0) {
    void *data = mmap (NULL, spool->len, PROT_READ, MAP_PRIVATE, spool->fd, 0);
    if (data == MAP_FAILED)
      return spool_failed (input->path, error);
    set_mapped_file (input, data, spool->len);
    return TRUE;
  }
  input->data = g_steal_pointer (&spool->memory);
  input->mapped = NP_INPUT_MEMORY;
  mprotect ((void *) input->data, input->mapped, PROT_READ);
  input->len = spool->len;
  return TRUE;
}

static void
say_spooled (const NpInput *input, const NpInflate *in, NpLog *log)
{
  static const char *const from[] = { "plain", "gzip", "zstd", "zip" };
  np_log (log, NPROF_INFO,
          "%s: read %" G_GUINT64_FORMAT " bytes of %s data into %" G_GUINT64_FORMAT " bytes %s%s",
          shown (input->path), np_inflate_taken (in), from[np_inflate_kind (in)], input->len,
          input->backed ? "of an unlinked file in " : "of memory",
          input->backed ? np_temp_folder () : "");
}

static gboolean
spool_input (NpInput *input, NpInflate *in, NpLog *log, const Waiting *waiting, GError **cut,
             GError **error)
{
  Spool spool = { .fd = -1 };
  spool.memory
      = mmap (NULL, NP_INPUT_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (spool.memory == MAP_FAILED)
    return np_error_errno (error, NP_EXIT_INPUT, shown (input->path), errno);
  gboolean ok = spool_fill (&spool, in, input->path, waiting, cut, error)
                && spool_map (&spool, input, error);
  if (spool.memory)
    munmap (spool.memory, NP_INPUT_MEMORY);
  if (spool.fd >= 0)
    close (spool.fd);
  if (ok)
    say_spooled (input, in, log);
  return ok;
}

/* -- Opening --------------------------------------------------------------- */

/* Returns whether the type of file can be a profile; a terminal only where it is stdin. */
static gboolean
may_be_read (const char *path, int fd, mode_t mode, GError **error)
{
  gboolean device = S_ISCHR (mode) && (strcmp (path, "-") != 0 || !isatty (fd));
  if (!S_ISDIR (mode) && !device)
    return TRUE;
  return np_error_set (error, NP_EXIT_INPUT, "%s: is a %s, expected a file%s", shown (path),
                       device ? "device, which may never end" : "folder",
                       device ? " or a pipe" : ": name one in it");
}

/* Returns whether a pipe is one of a file system; that of a shell has had its writer. */
static gboolean
has_name (int fd)
{
  struct statfs fs;
  return fstatfs (fd, &fs) || fs.f_type != PIPEFS_MAGIC;
}

/* Waits for the writer of a named pipe, which open() would for ever. tee() returns 0 while nobody
 * has opened it to write. */
static gboolean
wait_for_writer (const char *path, int fd, const atomic_int *interrupt, GError **error)
{
  int ends[2];
  if (pipe2 (ends, O_CLOEXEC | O_NONBLOCK))
    return np_error_errno (error, np_exit_of (errno, NP_EXIT_INPUT), shown (path), errno);
  const gint64 until = g_get_monotonic_time () + WRITER_SECONDS * G_USEC_PER_SEC;
  struct pollfd p = { .fd = fd, .events = POLLIN };
  gboolean silent = TRUE, stopped = FALSE;
  while (silent && !stopped && g_get_monotonic_time () < until) {
    silent = poll (&p, 1, WRITER_LOOK_MS) <= 0 && !tee (fd, ends[1], 1, SPLICE_F_NONBLOCK);
    stopped = interrupt && atomic_load (interrupt);
  }
  close (ends[0]);
  close (ends[1]);
  if (silent)
    np_error_set (error, stopped ? atomic_load (interrupt) : NP_EXIT_INPUT,
                  "%s: is a pipe that nobody has opened to write for %d s: start its writer first",
                  shown (path), WRITER_SECONDS);
  return !silent;
}

/* Takes a file that was opened without waiting. */
static gboolean
take_fd (const char *path, int fd, mode_t mode, const atomic_int *interrupt, GError **error)
{
  if (!may_be_read (path, fd, mode, error))
    return FALSE;
  if (!strcmp (path, "-"))
    return TRUE;
  if (S_ISFIFO (mode) && has_name (fd) && !wait_for_writer (path, fd, interrupt, error))
    return FALSE;
  fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) & ~O_NONBLOCK);
  return TRUE;
}

static int
open_fd (const char *path, struct stat *st, const atomic_int *interrupt, GError **error)
{
  gboolean is_stdin = !strcmp (path, "-");
  memset (st, 0, sizeof *st);
  int fd = is_stdin ? fcntl (STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                    : open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd >= 0 && !fstat (fd, st)) {
    if (take_fd (path, fd, st->st_mode, interrupt, error))
      return fd;
    close (fd);
    return -1;
  }
  int err = errno;
  if (fd >= 0)
    close (fd);
  np_error_set (error, np_exit_of (err, NP_EXIT_INPUT), "%s: cannot be opened: %s: %s",
                shown (path), np_error_words (err),
                is_stdin ? "give it with < or |" : "check the name and the permissions");
  return -1;
}

/* Maps a plain file, read from its start.  A file that claims to be empty may lie (/proc), and some
 * file systems cannot map: such files are spooled. */
static gboolean
map_file (NpInput *input, int fd, const struct stat *st)
{
  if (!S_ISREG (st->st_mode) || !st->st_size)
    return FALSE;
  void *data = mmap (NULL, (gsize) st->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    return FALSE;
  madvise (data, (gsize) st->st_size, MADV_SEQUENTIAL);
  set_mapped_file (input, data, (guint64) st->st_size);
  return TRUE;
}

static gboolean
load (NpInput *input, int fd, const struct stat *st, NpLog *log, const NpInputWait *wait,
      GError **cut, GError **error)
{
  gboolean from_start = lseek (fd, 0, SEEK_CUR) == 0;
  g_autoptr (NpInflate) in = np_inflate_new (fd, input->path, wait->interrupt, error);
  if (!in)
    return FALSE;
  if (from_start && np_inflate_kind (in) == NP_PLAIN && map_file (input, fd, st))
    return TRUE;
  const Waiting waiting = { wait, S_ISREG (st->st_mode) ? (guint64) st->st_size : 0 };
  return spool_input (input, in, log, &waiting, cut, error);
}

NpInput *
np_input_open_until (const char *path, NpLog *log, const NpInputWait *wait, GError **cut,
                     GError **error)
{
  struct stat st;
  int fd = open_fd (path, &st, wait->interrupt, error);
  if (fd < 0)
    return NULL;
  g_autoptr (NpInput) input = input_new (path);
  gboolean ok = load (input, fd, &st, log, wait, cut, error);
  close (fd);
  return ok ? g_steal_pointer (&input) : NULL;
}

NpInput *
np_input_open (const char *path, NpLog *log, GError **error)
{
  return np_input_open_until (path, log, &(NpInputWait){ NULL }, NULL, error);
}

/* -- Probing --------------------------------------------------------------- */

gboolean
np_input_once (const char *path)
{
  struct stat st;
  return !strcmp (path, "-")
         || (!stat (path, &st) && !S_ISREG (st.st_mode) && !S_ISDIR (st.st_mode));
}

static gboolean
read_head (NpInflate *in, guint8 *head, gsize *len, GError **error)
{
  g_autoptr (GError) damage = NULL;
  const gsize most = *len;
  *len = 0;
  for (gssize n = 1; n > 0 && *len < most; *len += (gsize) MAX (n, 0))
    n = np_inflate_read (in, head + *len, most - *len, &damage);
  return *len || np_error_hand_on (error, &damage);
}

gboolean
np_input_head (const char *path, guint8 *head, gsize *len, guint64 *size, GError **error)
{
  struct stat st;
  if (np_input_once (path))
    return np_error_set (error, NP_EXIT_USAGE,
                         "%s: can be read only once: open it, then look at its first bytes",
                         shown (path));
  int fd = open_fd (path, &st, NULL, error);
  if (fd < 0)
    return FALSE;
  g_autoptr (NpInflate) in = np_inflate_new (fd, path, NULL, error);
  gboolean ok = in && read_head (in, head, len, error);
  *size = ok && np_inflate_kind (in) == NP_PLAIN ? (guint64) st.st_size : 0;
  close (fd);
  return ok;
}
