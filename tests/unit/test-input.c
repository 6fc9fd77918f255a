/* SPDX-License-Identifier: Apache-2.0 */
/* test-input.c - inputs as memory: plain, compressed, piped, damaged; what is done with the
 * bytes is other tests'. */

#include "input/input.h"

#include "base/error.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <nprof/plugin.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#ifdef NP_HAVE_ZSTD
#include "system/late-zstd.h"
#endif

typedef struct {
  char *folder, *path;
  NpLog *log;
  int said; /* what the log says */
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->folder = g_dir_make_tmp ("nprof-input-XXXXXX", NULL);
  g_assert_nonnull (f->folder);
  f->path = g_build_filename (f->folder, "in", NULL);
  g_autofree char *said = g_build_filename (f->folder, "log", NULL);
  f->said = open (said, O_RDWR | O_CREAT, 0600);
  f->log = np_log_new (NPROF_INFO, f->said);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autofree char *said = g_build_filename (f->folder, "log", NULL);
  np_log_free (f->log);
  close (f->said);
  g_unlink (said);
  g_unlink (f->path);
  g_assert_cmpint (g_rmdir (f->folder), ==, 0);
  g_free (f->folder);
  g_free (f->path);
}

static void
assert_said (Fixture *f, const char *text)
{
  char buffer[4096] = { 0 };
  g_assert_cmpint (pread (f->said, buffer, sizeof buffer - 1, 0), >=, 0);
  if (!strstr (buffer, text))
    g_error ("the log lacks \"%s\": %s", text, buffer);
}

/* Bytes that do not compress to nothing, and differ from page to page. */
static GByteArray *
noise (gsize len)
{
  GByteArray *bytes = g_byte_array_sized_new (len);
  g_byte_array_set_size (bytes, len);
  guint64 x = 88172645463325252u;
  for (gsize i = 0; i < len; i++) {
    if (i % 16 == 0) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
    }
    bytes->data[i] = (guint8) (x >> 56);
  }
  return bytes;
}

/* A file anew: to truncate one makes ext4 write it out at once, and there are many. */
static void
put_file (Fixture *f, const void *data, gsize len)
{
  g_unlink (f->path);
  int fd = open (f->path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  g_assert_cmpint (write (fd, data, len), ==, (gssize) len);
  close (fd);
}

static void
add_gzip (GByteArray *out, const void *data, gsize len)
{
  z_stream z = { 0 };
  g_assert_cmpint (deflateInit2 (&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), ==,
                   Z_OK);
  guint at = out->len;
  gsize room = deflateBound (&z, len);
  g_byte_array_set_size (out, at + room);
  z.next_in = (Bytef *) data;
  z.avail_in = (uInt) len;
  z.next_out = out->data + at;
  z.avail_out = (uInt) room;
  g_assert_cmpint (deflate (&z, Z_FINISH), ==, Z_STREAM_END);
  g_byte_array_set_size (out, at + z.total_out);
  deflateEnd (&z);
}

static void
assert_input (NpInput *input, const void *data, gsize len)
{
  guint64 n = 1;
  const void *at = np_input_data (input, &n);
  g_assert_nonnull (at);
  g_assert_cmpmem (at, n, data, len);
}

static void
assert_opens (Fixture *f, const void *data, gsize len)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NpInput) input = np_input_open (f->path, f->log, &error);
  g_assert_no_error (error);
  assert_input (input, data, len);
}

/* Opening fails with a text that names the file and has all of these in it. */
static void
assert_refused_as (Fixture *f, NpExit code, const char *part, const char *mend)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (np_input_open (f->path, f->log, &error));
  g_assert_error (error, NP_ERROR, (int) code);
  g_assert_true (g_str_has_prefix (error->message, f->path));
  if (!strstr (error->message, part) || !strstr (error->message, mend))
    g_error ("expected \"%s\" and \"%s\" in: %s", part, mend, error->message);
}

static void
assert_refused (Fixture *f, const char *part, const char *mend)
{
  assert_refused_as (f, NP_EXIT_INPUT, part, mend);
}

static void
test_plain (Fixture *f, gconstpointer data)
{
  (void) data;
  put_file (f, "{}\n", 3);
  assert_opens (f, "{}\n", 3);
  put_file (f, "", 0);
  assert_opens (f, "", 0);
  put_file (f, "\x1f\x8b", 2); /* too short for gzip */
  assert_opens (f, "\x1f\x8b", 2);
  put_file (f, "\x1f\x8b\x07plain", 8); /* no method of gzip's */
  assert_opens (f, "\x1f\x8b\x07plain", 8);
}

static void
test_done (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GByteArray) bytes = noise (10 * 4096 + 17);
  put_file (f, bytes->data, bytes->len);
  g_autoptr (NpInput) input = np_input_open (f->path, f->log, NULL);
  np_input_done (input, 0, bytes->len);
  np_input_done (input, 5000, 5001);
  np_input_done (input, 9000, 30000);
  np_input_done (input, 30000, 9000);
  np_input_done (input, bytes->len, G_MAXUINT64);
  np_input_done (input, G_MAXUINT64, G_MAXUINT64);
  assert_input (input, bytes->data, bytes->len);
}

/* Bytes that lie in memory alone must survive np_input_done. */
static void
test_done_spooled (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GByteArray) bytes = noise (NP_INPUT_MEMORY + 5000), file = g_byte_array_new ();
  gsize sizes[] = { 100000, bytes->len };
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_byte_array_set_size (file, 0);
    add_gzip (file, bytes->data, sizes[i]);
    put_file (f, file->data, file->len);
    g_autoptr (NpInput) input = np_input_open (f->path, f->log, NULL);
    np_input_done (input, 0, sizes[i]);
    assert_input (input, bytes->data, sizes[i]);
  }
}

static void
test_gzip (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GByteArray) bytes = noise (300000), file = g_byte_array_new ();
  add_gzip (file, bytes->data, 100000);
  add_gzip (file, "", 0);
  add_gzip (file, bytes->data + 100000, 200000);
  put_file (f, file->data, file->len);
  assert_opens (f, bytes->data, bytes->len);
  assert_said (f, "gzip data into 300000 bytes of memory");
  g_byte_array_append (file, (const guint8[70000]){ 0 }, 70000); /* padding of a tape */
  put_file (f, file->data, file->len);
  assert_opens (f, bytes->data, bytes->len);
  g_byte_array_set_size (file, 0);
  add_gzip (file, "", 0);
  put_file (f, file->data, file->len);
  assert_opens (f, "", 0);
}

static void
test_gzip_truncated (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GByteArray) bytes = noise (3000), file = g_byte_array_new ();
  add_gzip (file, bytes->data, bytes->len);
  for (gsize len = 3; len < file->len; len++) {
    put_file (f, file->data, len);
    g_autofree char *at = g_strdup_printf (": byte %" G_GSIZE_FORMAT
                                           ": the file ends in the middle of its gzip data",
                                           len);
    assert_refused (f, at, "copy or record it again");
  }
}

static void
test_gzip_damaged (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GByteArray) bytes = noise (3000), file = g_byte_array_new ();
  add_gzip (file, bytes->data, bytes->len);
  g_autofree char *end
      = g_strdup_printf (": byte %u: damaged gzip data (expected another", file->len);
  g_byte_array_append (file, (const guint8 *) "rest", 4);
  put_file (f, file->data, file->len);
  assert_refused (f, end, "copy or record it again");
  g_byte_array_set_size (file, file->len - 4);
  file->data[file->len - 6] ^= 1; /* the check sum */
  put_file (f, file->data, file->len);
  assert_refused (f, "damaged gzip data (incorrect data check)", "copy or record it again");
  put_file (f, "\x1f\x8b\x08\0\0\0\0\0\0\x03\x07", 11); /* a block of type 3 */
  assert_refused (f, ": byte 11: damaged gzip data (invalid block type)", "record it again");
}

/* Any one byte broken: the whole data or an error, never less in silence.  (From byte 3 on;
 * before that it is no gzip.) */
static void
test_gzip_flipped (Fixture *f, gconstpointer data)
{
  (void) data;
  guint refused = 0;
  g_autoptr (GByteArray) bytes = noise (800), file = g_byte_array_new ();
  add_gzip (file, bytes->data, bytes->len);
  for (guint i = 3; i < file->len; i++) {
    g_autoptr (GError) error = NULL;
    file->data[i] ^= 0x55;
    put_file (f, file->data, file->len);
    file->data[i] ^= 0x55;
    g_autoptr (NpInput) input = np_input_open (f->path, f->log, &error);
    if (input)
      assert_input (input, bytes->data, bytes->len);
    else
      g_assert_error (error, NP_ERROR, NP_EXIT_INPUT);
    refused += !input;
  }
  g_assert_cmpuint (refused, >, file->len - 12);
}

/* Spooled data beyond the memory limit, exactly at it, and one byte on either side. */
static void
test_spill (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GByteArray) bytes = noise (NP_INPUT_MEMORY + 600000), file = g_byte_array_new ();
  gsize sizes[]
      = { NP_INPUT_MEMORY - 1, NP_INPUT_MEMORY, NP_INPUT_MEMORY + 1, NP_INPUT_MEMORY + 600000 };
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_byte_array_set_size (file, 0);
    add_gzip (file, bytes->data, sizes[i]);
    put_file (f, file->data, file->len);
    assert_opens (f, bytes->data, sizes[i]);
  }
  assert_said (f, "bytes of an unlinked file in ");
}

static void
test_no_room (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GByteArray) bytes = noise (NP_INPUT_MEMORY + 1), file = g_byte_array_new ();
  add_gzip (file, bytes->data, bytes->len);
  put_file (f, file->data, file->len);
  g_autofree char *before = g_strdup (g_getenv ("TMPDIR"));
  g_setenv ("TMPDIR", f->path, TRUE); /* a file */
  assert_refused_as (f, NP_EXIT_ROOM, ": needs a temporary file in ", "set TMPDIR to a folder");
  if (before)
    g_setenv ("TMPDIR", before, TRUE);
  else
    g_unsetenv ("TMPDIR");
}

#ifdef NP_HAVE_ZSTD
static void
add_zstd (GByteArray *out, const void *data, gsize len)
{
  guint at = out->len;
  g_byte_array_set_size (out, at + ZSTD_compressBound (len));
  gsize n = ZSTD_compress (out->data + at, out->len - at, data, len, 1);
  g_assert_false (ZSTD_isError (n));
  g_byte_array_set_size (out, at + n);
}

static void
test_zstd (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GByteArray) bytes = noise (300000), file = g_byte_array_new ();
  static const guint8 skippable[] = { 0x5e, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4 };
  g_byte_array_append (file, skippable, sizeof skippable);
  add_zstd (file, bytes->data, 100000);
  add_zstd (file, "", 0);
  g_byte_array_append (file, skippable, sizeof skippable);
  add_zstd (file, bytes->data + 100000, 200000);
  put_file (f, file->data, file->len);
  assert_opens (f, bytes->data, bytes->len);
  assert_said (f, "zstd data into 300000 bytes of memory");
}

/* A frame whose content is far larger than the input and output buffers. */
static void
test_zstd_large (Fixture *f, gconstpointer data)
{
  (void) data;
  gsize len = NP_INPUT_MEMORY + 3000000;
  g_autofree guint8 *zeros = g_malloc0 (len);
  g_autoptr (GByteArray) file = g_byte_array_new ();
  add_zstd (file, zeros, len);
  put_file (f, file->data, file->len);
  assert_opens (f, zeros, len);
}

static void
test_zstd_damaged (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GByteArray) bytes = noise (3000), file = g_byte_array_new ();
  add_zstd (file, bytes->data, bytes->len);
  for (gsize len = 4; len < file->len; len++) {
    put_file (f, file->data, len);
    g_autofree char *at = g_strdup_printf (": byte %" G_GSIZE_FORMAT
                                           ": the file ends in the middle of its zstd data",
                                           len);
    assert_refused (f, at, "copy or record it again");
  }
  g_byte_array_append (file, (const guint8 *) "some rest", 9);
  put_file (f, file->data, file->len);
  assert_refused (f, "damaged zstd data (", "copy or record it again");
}
#else
static void
test_zstd_missing (Fixture *f, gconstpointer data)
{
  (void) data;
  put_file (f, "\x28\xb5\x2f\xfd rest", 9);
  assert_refused (f, "is compressed with zstd", "install libzstd-dev");
}
#endif

static void
test_refused (Fixture *f, gconstpointer data)
{
  (void) data;
  assert_refused (f, "cannot be opened: No such file or directory", "check the name");
  g_assert_cmpint (g_mkdir (f->path, 0700), ==, 0);
  assert_refused (f, "is a folder, expected a file", "name one in it");
  g_rmdir (f->path);
}

/* -- Pipes ----------------------------------------------------------------- */

typedef struct {
  int fd;
  const guint8 *data;
  gsize len, step;
} Writer;

static void *
write_steps (void *data)
{
  Writer *w = data;
  for (gsize at = 0; at < w->len; at += w->step) {
    if (write (w->fd, w->data + at, MIN (w->step, w->len - at)) < 0)
      break;
    int left = at < 8; /* the first bytes are read one by one */
    while (left && !ioctl (w->fd, FIONREAD, &left))
      sched_yield ();
  }
  close (w->fd);
  return NULL;
}

/* Opens "-" with stdin fed from a thread, in small steps. */
static NpInput *
open_stdin (Fixture *f, const void *data, gsize len, gsize step)
{
  int fds[2], old = dup (STDIN_FILENO);
  pthread_t thread;
  g_autoptr (GError) error = NULL;
  g_assert_cmpint (pipe (fds), ==, 0);
  dup2 (fds[0], STDIN_FILENO);
  close (fds[0]);
  Writer w = { fds[1], data, len, step };
  pthread_create (&thread, NULL, write_steps, &w);
  NpInput *input = np_input_open ("-", f->log, &error);
  dup2 (old, STDIN_FILENO); /* closes the pipe, so that the thread ends */
  close (old);
  pthread_join (thread, NULL);
  g_assert_no_error (error);
  return input;
}

static void
test_stdin (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GByteArray) bytes = noise (20000), file = g_byte_array_new ();
  gsize steps[] = { 1, 4096 };
  add_gzip (file, bytes->data, bytes->len);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_autoptr (NpInput) plain = open_stdin (f, bytes->data, 100 * steps[i] % 19999, steps[i]);
    assert_input (plain, bytes->data, 100 * steps[i] % 19999);
    g_autoptr (NpInput) inflated = open_stdin (f, file->data, file->len, steps[i]);
    assert_input (inflated, bytes->data, bytes->len);
  }
  g_autoptr (NpInput) none = open_stdin (f, "", 0, 1);
  assert_input (none, "", 0);
  assert_said (f, "stdin: read ");
}

/* A file as stdin that somebody has begun to read: only the rest counts. */
static void
test_stdin_file (Fixture *f, gconstpointer data)
{
  (void) data;
  put_file (f, "abcdef", 6);
  int old = dup (STDIN_FILENO), fd = open (f->path, O_RDONLY);
  dup2 (fd, STDIN_FILENO);
  lseek (fd, 2, SEEK_SET);
  g_autoptr (NpInput) rest = np_input_open ("-", f->log, NULL);
  lseek (fd, 0, SEEK_SET);
  g_autoptr (NpInput) all = np_input_open ("-", f->log, NULL);
  dup2 (old, STDIN_FILENO);
  close (old);
  close (fd);
  assert_input (rest, "cdef", 4);
  assert_input (all, "abcdef", 6);
}

static void
test_interrupt (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GError) error = NULL;
  atomic_int interrupt = NP_EXIT_INTERRUPTED;
  int end = -1;
  g_assert_cmpint (mkfifo (f->path, 0600), ==, 0);
  end = open (f->path, O_RDWR); /* a writer that never writes */
  g_assert_null (np_input_open_until (f->path, f->log, &(NpInputWait){ .interrupt = &interrupt },
                                      NULL, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_INTERRUPTED);
  close (end);
}

/* -- Heads ----------------------------------------------------------------- */

static void
assert_head (Fixture *f, const void *data, gsize len, guint64 size)
{
  static guint8 head[NP_INPUT_HEAD];
  g_autoptr (GError) error = NULL;
  gsize n = sizeof head;
  guint64 total = 1;
  g_assert_true (np_input_head (f->path, head, &n, &total, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (head, n, data, len);
  g_assert_cmpuint (total, ==, size);
}

static void
test_head (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GByteArray) bytes = noise (200000), file = g_byte_array_new ();
  put_file (f, "", 0);
  assert_head (f, "", 0, 0);
  put_file (f, "abc", 3);
  assert_head (f, "abc", 3, 3);
  put_file (f, bytes->data, bytes->len);
  assert_head (f, bytes->data, NP_INPUT_HEAD, bytes->len);
  add_gzip (file, bytes->data, bytes->len);
  put_file (f, file->data, file->len);
  assert_head (f, bytes->data, NP_INPUT_HEAD, 0);
}

static void
test_head_damaged (Fixture *f, gconstpointer data)
{
  (void) data;
  static guint8 head[NP_INPUT_HEAD];
  g_autoptr (GByteArray) bytes = noise (3000), file = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  gsize n = sizeof head;
  guint64 size;
  add_gzip (file, bytes->data, bytes->len);
  put_file (f, file->data, file->len - 4); /* all of it came out before the end was missed */
  assert_head (f, bytes->data, bytes->len, 0);
  put_file (f, file->data, 12);
  g_assert_false (np_input_head (f->path, head, &n, &size, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_INPUT);
}

static void
test_head_once (Fixture *f, gconstpointer data)
{
  (void) data;
  static guint8 head[NP_INPUT_HEAD];
  const char *paths[] = { "-", f->path };
  gsize n = sizeof head;
  guint64 size;
  g_assert_cmpint (mkfifo (f->path, 0600), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_true (np_input_once (paths[i]));
    g_assert_false (np_input_head (paths[i], head, &n, &size, &error));
    g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
    g_assert_nonnull (strstr (error->message, "can be read only once: open it"));
  }
  g_assert_false (np_input_once (f->folder));
  g_assert_false (np_input_once ("no such file"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  signal (SIGPIPE, SIG_IGN);
#define ADD(path, fn) g_test_add ("/input/" path, Fixture, NULL, set_up, fn, tear_down)
  ADD ("plain", test_plain);
  ADD ("done", test_done);
  ADD ("done-spooled", test_done_spooled);
  ADD ("gzip", test_gzip);
  ADD ("gzip-truncated", test_gzip_truncated);
  ADD ("gzip-damaged", test_gzip_damaged);
  ADD ("gzip-flipped", test_gzip_flipped);
  ADD ("spill", test_spill);
  ADD ("no-room", test_no_room);
#ifdef NP_HAVE_ZSTD
  ADD ("zstd", test_zstd);
  ADD ("zstd-large", test_zstd_large);
  ADD ("zstd-damaged", test_zstd_damaged);
#else
  ADD ("zstd-missing", test_zstd_missing);
#endif
  ADD ("refused", test_refused);
  ADD ("stdin", test_stdin);
  ADD ("stdin-file", test_stdin_file);
  ADD ("interrupt", test_interrupt);
  ADD ("head", test_head);
  ADD ("head-damaged", test_head_damaged);
  ADD ("head-once", test_head_once);
  return g_test_run ();
}
