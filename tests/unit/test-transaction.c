/* SPDX-License-Identifier: Apache-2.0 */
/* test-transaction.c - the files of a run: they appear together or not at all, and every way in
 * which writing can fail says so. */

#include "output/transaction.h"
#include "own-folder.h"

#include "base/error.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  OwnFolder own;
  NpOutputs *outputs;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  own_folder_enter (&f->own);
  f->outputs = np_outputs_new (f->own.log, NULL, NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  np_outputs_free (f->outputs);
  own_folder_leave (&f->own);
}

/* The next run into the same folder. */
static void
next_run (Fixture *f)
{
  np_outputs_free (f->outputs);
  f->outputs = np_outputs_new (f->own.log, NULL, NULL);
}

#define SINK(name_, flags_, default_)                                                              \
  ((const struct nprof_component){ .size = sizeof (struct nprof_component),                        \
                                   .kind = NPROF_SINK,                                             \
                                   .name = name_,                                                  \
                                   .flags = flags_,                                                \
                                   .default_name = default_ })
static const struct nprof_component both = { .kind = NPROF_SINK,
                                             .name = "both",
                                             .flags = NPROF_SINK_FOLDER | NPROF_SINK_FILE,
                                             .default_name = "events.csv" };
static const struct nprof_component csv
    = { .kind = NPROF_SINK, .name = "csv", .flags = NPROF_SINK_FOLDER | NPROF_SINK_STDOUT };
static const struct nprof_component chrome = {
  .kind = NPROF_SINK, .name = "chrome", .flags = NPROF_SINK_FILE, .default_name = "trace.json"
};
static const struct nprof_component text = { .kind = NPROF_SINK,
                                             .name = "text",
                                             .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT,
                                             .default_name = "report.txt" };
static const struct nprof_component influx = { .kind = NPROF_SINK, .name = "influx" };

static NpTarget *
target (Fixture *f, const struct nprof_component *sink, const char *path)
{
  g_autoptr (GError) error = NULL;
  NpTarget *t = np_outputs_target (f->outputs, sink, path, TRUE, &error);
  g_assert_no_error (error);
  return t;
}

static struct nprof_output *
open_name (NpTarget *t, const char *name)
{
  g_autoptr (GError) error = NULL;
  struct nprof_output *out = np_target_open (t, name, &error);
  g_assert_no_error (error);
  return out;
}

static void
put (NpTarget *t, const char *name, const char *content)
{
  struct nprof_output *out = open_name (t, name);
  g_assert_cmpint (out->write (out, content, strlen (content)), ==, NPROF_OK);
}

static void
commit (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (np_outputs_commit (f->outputs, "nprof test", &error));
  g_assert_no_error (error);
}

static void
assert_commit_fails (Fixture *f, int code, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (np_outputs_commit (f->outputs, "nprof test", &error));
  g_assert_error (error, NP_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
assert_open_fails (NpTarget *t, const char *name, int code, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (np_target_open (t, name, &error));
  g_assert_error (error, NP_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
assert_file (const char *path, const char *expected)
{
  g_autofree char *content = NULL;
  g_file_get_contents (path, &content, NULL, NULL);
  g_assert_cmpstr (content, ==, expected);
}

static void
write_file (const char *path, const char *content)
{
  g_assert_true (g_file_set_contents (path, content, -1, NULL));
}

static int
by_bytes (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* All names, hidden ones too, in byte order, each with a blank behind it. */
static void
assert_names (const char *folder, const char *expected)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) all = g_string_new (NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name (dir));)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, by_bytes);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (all, "%s ", (char *) names->pdata[i]);
  g_assert_cmpstr (all->str, ==, expected);
}

/* -- Targets --------------------------------------------------------------- */

static void
test_targets (Fixture *f, gconstpointer data)
{
  (void) data;
  g_mkdir ("dir", 0700);
  static const struct {
    const struct nprof_component *sink;
    const char *path;
    gboolean alone;
    guint kind;
    const char *name;
  } cases[] = {
    { &csv, NULL, TRUE, NPROF_TARGET_FOLDER, NULL },
    { &csv, "new", FALSE, NPROF_TARGET_FOLDER, NULL },
    { &both, "new", TRUE, NPROF_TARGET_FOLDER, NULL },
    { &both, "dir/a.csv", TRUE, NPROF_TARGET_FILE, "a.csv" },
    { &both, "a.csv", FALSE, NPROF_TARGET_FOLDER, NULL },
    { &both, "a.csv/", TRUE, NPROF_TARGET_FOLDER, NULL },
    { &both, "/dev/fd/1", TRUE, NPROF_TARGET_FILE, "1" },
    { &csv, "-", TRUE, NPROF_TARGET_STDOUT, NULL },
    { &csv, "/dev/stdout", TRUE, NPROF_TARGET_STDOUT, NULL },
    { &chrome, NULL, TRUE, NPROF_TARGET_FILE, "trace.json" },
    { &chrome, "dir", TRUE, NPROF_TARGET_FILE, "trace.json" },
    { &chrome, "new/", TRUE, NPROF_TARGET_FILE, "trace.json" },
    { &chrome, "new", FALSE, NPROF_TARGET_FILE, "trace.json" },
    { &chrome, "new", TRUE, NPROF_TARGET_FILE, "new" },
    { &chrome, "dir/a.json.gz", TRUE, NPROF_TARGET_FILE, "a.json.gz" },
    { &chrome, "/dev/stdout", TRUE, NPROF_TARGET_FILE, "stdout" },
    { &text, "-", TRUE, NPROF_TARGET_STDOUT, NULL },
    { &text, NULL, TRUE, NPROF_TARGET_FILE, "report.txt" },
    { &influx, "-", FALSE, NPROF_TARGET_NONE, NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    NpTarget *t
        = np_outputs_target (f->outputs, cases[i].sink, cases[i].path, cases[i].alone, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (np_target_info (t)->kind, ==, cases[i].kind);
    g_assert_cmpstr (np_target_info (t)->name, ==, cases[i].name);
  }
  assert_names (".", "dir ");
}

static void
test_targets_refused (Fixture *f, gconstpointer data)
{
  (void) data;
  write_file ("file", "");
  const struct nprof_component nameless = SINK ("nameless", NPROF_SINK_FILE, NULL);
  const struct nprof_component stdout_only = SINK ("loud", NPROF_SINK_STDOUT, NULL);
  const struct {
    const struct nprof_component *sink;
    const char *path;
    gboolean alone;
    int code;
    const char *message;
  } cases[] = {
    { &chrome, "-", TRUE, NP_EXIT_USAGE,
      "-o -: sink chrome cannot write to stdout: name a file or folder instead" },
    { &csv, "-", FALSE, NP_EXIT_USAGE,
      "-o -: sink csv is not alone, but stdout takes one sink: name a folder instead" },
    { &csv, "file", TRUE, NP_EXIT_USAGE,
      "-o file: sink csv needs a folder here, and this is a file: name a folder" },
    { &chrome, "file", FALSE, NP_EXIT_USAGE,
      "-o file: sink chrome needs a folder here, and this is a file: name a folder" },
    { &both, "file", TRUE, NP_EXIT_USAGE,
      "-o file: sink both needs a folder here, and this is a file: name a folder, or a file by its "
      "ending" },
    { &csv, "", TRUE, NP_EXIT_USAGE, "-o \"\": sink csv needs a path: name a file or folder" },
    { &stdout_only, "x", TRUE, NP_EXIT_USAGE,
      "-o x: sink loud writes only to stdout: give -o - instead" },
    { &nameless, NULL, TRUE, NP_EXIT_PLUGIN, "sink nameless: its default_name is empty" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (
        np_outputs_target (f->outputs, cases[i].sink, cases[i].path, cases[i].alone, &error));
    g_assert_error (error, NP_ERROR, cases[i].code);
    g_assert_cmpstr (error->message, ==, cases[i].message);
  }
}

/* -- Commit and abort ------------------------------------------------------ */

static void
test_commit (Fixture *f, gconstpointer data)
{
  (void) data;
  NpTarget *t = target (f, &csv, "new/deep/out");
  put (t, "events.csv", "a,b\n");
  put (t, "empty.csv", "");
  g_assert_false (g_file_test ("new/deep/out/events.csv", G_FILE_TEST_EXISTS));
  commit (f);
  assert_names ("new/deep/out", "empty.csv events.csv manifest.json ");
  assert_file ("new/deep/out/events.csv", "a,b\n");
  assert_file ("new/deep/out/empty.csv", "");
  assert_file ("new/deep/out/manifest.json",
               "{\n  \"generator\" : \"nprof test\",\n  \"files\" : [\n"
               "    {\n      \"name\" : \"empty.csv\",\n      \"bytes\" : 0,\n      \"crc32\" : "
               "\"00000000\"\n    },\n"
               "    {\n      \"name\" : \"events.csv\",\n      \"bytes\" : 4,\n      \"crc32\" : "
               "\"249710c5\"\n    }\n  ]\n}\n");
}

static void
test_file_target (Fixture *f, gconstpointer data)
{
  (void) data;
  mode_t mask = umask (022);
  g_assert_cmpint (g_mkdir ("new", 0777), ==, 0);
  put (target (f, &chrome, "new/t.json"), NULL, "{}");
  commit (f);
  umask (mask);
  struct stat st;
  assert_names ("new", "t.json "); /* no manifest: the folder is not ours */
  assert_file ("new/t.json", "{}");
  g_assert_cmpint (g_stat ("new/t.json", &st), ==, 0);
  g_assert_cmpuint (st.st_mode & 0777, ==, 0644);
  next_run (f);
  NpTarget *t = target (f, &chrome, NULL);
  put (t, NULL, "1");
  put (t, "trace-2.json", "2");
  commit (f);
  assert_names (".", "new trace-2.json trace.json ");
}

static void
test_replace (Fixture *f, gconstpointer data)
{
  (void) data;
  struct stat st;
  write_file ("t.json", "old");
  g_assert_cmpint (g_chmod ("t.json", 0640), ==, 0);
  put (target (f, &chrome, "t.json"), NULL, "new");
  assert_file ("t.json", "old");
  commit (f);
  assert_file ("t.json", "new");
  g_assert_cmpint (g_stat ("t.json", &st), ==, 0);
  g_assert_cmpuint (st.st_mode & 0777, ==, 0640);
  assert_names (".", "t.json ");
}

static void
test_abort (Fixture *f, gconstpointer data)
{
  (void) data;
  g_mkdir ("kept", 0700);
  write_file ("kept/events.csv", "old");
  NpTarget *a = target (f, &csv, "new/deep");
  NpTarget *b = target (f, &csv, "kept/");
  put (a, "events.csv", "x");
  put (b, "events.csv", "x");
  put (b, "other.csv", "x");
  np_outputs_abort (f->outputs);
  assert_names (".", "kept ");
  assert_names ("kept", "events.csv ");
  assert_file ("kept/events.csv", "old");
}

/* Bytes are the same however they are cut: below, at and above the buffer's size. */
static void
test_sizes (Fixture *f, gconstpointer data)
{
  (void) data;
  const gsize n = 1500000;
  const gsize steps[] = { 1, 7, 4096, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 1500000 };
  g_autofree char *bytes = g_malloc (n);
  for (gsize i = 0; i < n; i++)
    bytes[i] = (char) (i * 7 + (i >> 10));
  NpTarget *t = target (f, &csv, NULL);
  for (guint s = 0; s < G_N_ELEMENTS (steps); s++) {
    g_autofree char *name = g_strdup_printf ("%u", s);
    struct nprof_output *out = open_name (t, name);
    for (gsize at = 0; at < n; at += steps[s])
      g_assert_cmpint (out->write (out, bytes + at, MIN (steps[s], n - at)), ==, NPROF_OK);
    g_assert_cmpint (out->write (out, NULL, 0), ==, NPROF_OK);
  }
  commit (f);
  for (guint s = 0; s < G_N_ELEMENTS (steps); s++) {
    g_autofree char *name = g_strdup_printf ("%u", s), *content = NULL;
    gsize len = 0;
    g_file_get_contents (name, &content, &len, NULL);
    g_assert_cmpmem (content, len, bytes, n);
  }
}

static void
test_same_file (Fixture *f, gconstpointer data)
{
  (void) data;
  NpTarget *a = target (f, &csv, "out"), *b = target (f, &csv, "./out/../out");
  put (a, "events.csv", "");
  assert_open_fails (b, "events.csv", NP_EXIT_USAGE,
                     "./out/../out/events.csv: two outputs want this file: run one sink alone or "
                     "give each a folder of its own");
  assert_open_fails (a, "events.csv", NP_EXIT_USAGE,
                     "out/events.csv: the inputs hold two files of this name: read one of them "
                     "alone, or each into a folder of its own");
  put (b, "other.csv", "");
  commit (f);
  assert_names ("out", "events.csv manifest.json other.csv ");
}

static void
test_names (Fixture *f, gconstpointer data)
{
  (void) data;
  NpTarget *t = target (f, &csv, "out");
  assert_open_fails (t, "../x", NP_EXIT_PLUGIN,
                     "output name \"../x\" begins with a dot: a plugin gives one plain file name");
  assert_open_fails (t, "a//b", NP_EXIT_PLUGIN,
                     "output name \"a//b\" is empty: a plugin gives one plain file name");
  g_assert_cmpint (g_mkdir ("out", 0777), ==, 0);
  assert_open_fails (target (f, &chrome, "out/t.json"), "a/b", NP_EXIT_PLUGIN,
                     "output name \"a/b\" has a slash: a plugin gives one plain file name");
  assert_open_fails (t, "manifest.json", NP_EXIT_PLUGIN,
                     "output name \"manifest.json\" is nprof's own: a plugin gives one plain file "
                     "name");
  assert_open_fails (
      t, NULL, NP_EXIT_PLUGIN,
      "output name \"\" is missing, but files in a folder have names: a plugin gives "
      "one plain file name");
  assert_open_fails (target (f, &csv, "-"), "a.csv", NP_EXIT_PLUGIN,
                     "output name \"a.csv\" is not possible on stdout, which takes one unnamed "
                     "file: a plugin gives one plain file name");
  assert_open_fails (target (f, &influx, NULL), "a", NP_EXIT_PLUGIN,
                     "output name \"a\" is wanted by a sink that declares no file: a plugin gives "
                     "one plain file name");
  g_autofree char *longest = g_strnfill (255, 'x');
  put (t, longest, "x");
  commit (f);
}

static void
test_closed (Fixture *f, gconstpointer data)
{
  (void) data;
  NpTarget *t = target (f, &csv, NULL);
  struct nprof_output *out = open_name (t, "a");
  g_assert_cmpint (out->close (out), ==, NPROF_OK);
  g_assert_cmpint (out->close (out), ==, NPROF_OK);
  g_assert_null (np_target_error (t));
  g_assert_cmpint (out->write (out, "x", 1), ==, NPROF_E_CONTRACT);
  assert_commit_fails (
      f, NP_EXIT_PLUGIN,
      "a: a plugin wrote to it after closing it: report it to the plugin's author");
  assert_names (".", "");
}

/* -- Failures -------------------------------------------------------------- */

static void
test_full (Fixture *f, gconstpointer data)
{
  (void) data;
#define FULL                                                                                       \
  "/dev/full: No space left on device: this machine had no room: free some space, or choose "      \
  "another folder"
  g_autofree char *much = g_malloc0 (600000);
  put (target (f, &csv, "out"), "events.csv", "x");
  NpTarget *t = target (f, &chrome, "/dev/full");
  struct nprof_output *out = open_name (t, NULL);
  g_assert_cmpint (out->write (out, "x", 1), ==, NPROF_OK);
  g_assert_null (np_target_error (t));
  g_assert_cmpint (out->write (out, much, 600000), ==, NPROF_E_IO);
  g_assert_error (np_target_error (t), NP_ERROR, NP_EXIT_ROOM);
  g_assert_cmpstr (np_target_error (t)->message, ==, FULL);
  g_assert_cmpint (out->write (out, "x", 1), ==, NPROF_E_IO);
  g_assert_cmpint (out->close (out), ==, NPROF_E_IO);
  assert_commit_fails (f, NP_EXIT_ROOM, FULL);
  assert_names (".", "");
}

/* A write that fits into the buffer fails only at commit. */
static void
test_full_late (Fixture *f, gconstpointer data)
{
  (void) data;
  put (target (f, &csv, "out"), "events.csv", "x");
  put (target (f, &chrome, "/dev/full"), NULL, "x");
  assert_commit_fails (f, NP_EXIT_ROOM, FULL);
  assert_names (".", "");
}

static void
test_unwritable (Fixture *f, gconstpointer data)
{
  (void) data;
  write_file ("file", "");
  g_mkdir ("dir", 0700);
  g_mkdir ("dir/events.csv", 0700);
  assert_open_fails (target (f, &csv, "file/out"), "a", NP_EXIT_SINK,
                     "file/out/a: Not a directory: a file stands where a folder is needed: choose "
                     "another folder with -o");
  assert_open_fails (target (f, &chrome, "file/a"), NULL, NP_EXIT_SINK,
                     "file/a: Not a directory: a file stands where a folder is needed: choose "
                     "another folder with -o");
  assert_open_fails (
      target (f, &csv, "dir"), "events.csv", NP_EXIT_SINK,
      "dir/events.csv: Is a directory: a folder stands in its place: move it away or "
      "choose another folder with -o");
  assert_open_fails (target (f, &csv, "/proc/nprof"), "a", NP_EXIT_SINK,
                     "/proc/nprof/a: No such file or directory: choose another place with -o");
  assert_open_fails (np_outputs_folder (f->outputs, "file/x", NULL), "a", NP_EXIT_SINK,
                     "file/x/a: Not a directory: a file stands where a folder is needed: choose "
                     "another folder");
}

/* The third of four renames fails: the first two are undone. */
static void
test_rename_fails (Fixture *f, gconstpointer data)
{
  (void) data;
  write_file ("old", "old");
  g_assert_cmpint (symlink ("old", "link"), ==, 0);
  NpTarget *t = target (f, &csv, NULL);
  put (t, "new", "x");
  put (t, "old", "x");
  put (t, "link", "x");
  put (t, "bad", "x");
  put (t, "never", "x");
  g_assert_cmpint (g_mkdir ("bad", 0700), ==, 0);
  write_file ("bad/content", "y");
  assert_commit_fails (f, NP_EXIT_SINK,
                       "bad: Is a directory: a folder stands in its place: move it away or choose "
                       "another folder with -o; no file was changed");
  assert_names (".", "bad link old ");
  assert_file ("old", "old");
  assert_file ("bad/content", "y");
  g_assert_true (g_file_test ("link", G_FILE_TEST_IS_SYMLINK));
}

/* A temporary file that is gone makes the rename itself fail, after the old file got its
 * second name. */
static void
test_temp_gone (Fixture *f, gconstpointer data)
{
  (void) data;
  write_file ("old", "old");
  put (target (f, &chrome, "old"), NULL, "x");
  g_autoptr (GDir) dir = g_dir_open (".", 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir));)
    if (name[0] == '.')
      g_unlink (name);
  assert_commit_fails (f, NP_EXIT_SINK,
                       "old: No such file or directory: choose another place with -o; no file was "
                       "changed");
  assert_names (".", "old ");
  assert_file ("old", "old");
}

/* -- In place -------------------------------------------------------------- */

/* Makes fd stdout; returns what to give back. */
static int
swap_stdout (int fd)
{
  fflush (stdout);
  int old = dup (STDOUT_FILENO);
  dup2 (fd, STDOUT_FILENO);
  return old;
}

static void
restore_stdout (int old)
{
  dup2 (old, STDOUT_FILENO);
  close (old);
}

static void
test_stdout (Fixture *f, gconstpointer data)
{
  (void) data;
  const char *const paths[] = { "-", "/dev/stdout" };
  const struct nprof_component *const sinks[] = { &csv, &chrome };
  for (guint i = 0; i < 2; i++) {
    int fd = open ("got", O_RDWR | O_CREAT | O_TRUNC, 0600), old = swap_stdout (fd);
    NpTarget *t = target (f, sinks[i], paths[i]);
    put (t, NULL, "result\n");
    g_assert_cmpuint (np_target_info (t)->is_terminal, ==, 0);
    g_autoptr (GError) error = NULL;
    struct nprof_output *again = np_target_open (t, NULL, &error);
    gboolean ok = np_outputs_commit (f->outputs, "nprof test", NULL);
    ok &= write (STDOUT_FILENO, "more\n", 5) == 5; /* it stays open */
    restore_stdout (old);
    close (fd);
    g_assert_true (ok);
    g_assert_null (again);
    g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
    assert_file ("got", "result\nmore\n");
    assert_names (".", "got ");
    next_run (f);
  }
}

static void
test_reader_gone (Fixture *f, gconstpointer data)
{
  (void) data;
  int fds[2];
  g_assert_cmpint (pipe (fds), ==, 0);
  close (fds[0]);
  int old = swap_stdout (fds[1]);
  close (fds[1]);
  put (target (f, &csv, "-"), NULL, "x");
  g_autoptr (GError) error = NULL;
  gboolean ok = np_outputs_commit (f->outputs, "nprof test", &error);
  restore_stdout (old);
  g_assert_false (ok);
  g_assert_error (error, NP_ERROR, NP_EXIT_PIPE);
  g_assert_cmpstr (error->message, ==, "stdout: its reader went away");
}

static void
test_pipe (Fixture *f, gconstpointer data)
{
  (void) data;
  char got[16] = { 0 };
  g_assert_cmpint (mkfifo ("pipe", 0600), ==, 0);
  int fd = open ("pipe", O_RDWR); /* a reader */
  put (target (f, &chrome, "pipe"), NULL, "named");
  commit (f);
  g_assert_cmpint (read (fd, got, sizeof got), ==, 5);
  g_assert_cmpstr (got, ==, "named");
  next_run (f);
  put (target (f, &csv, NULL), "pipe", "in a folder");
  commit (f);
  g_assert_cmpint (read (fd, got, sizeof got), ==, 11);
  g_assert_cmpstr (got, ==, "in a folder");
  close (fd);
  assert_names (".", "pipe ");
}

static void
test_descriptor (Fixture *f, gconstpointer data)
{
  (void) data;
  int fd = open ("got", O_WRONLY | O_CREAT | O_APPEND, 0600);
  g_assert_cmpint (write (fd, "before ", 7), ==, 7);
  g_autofree char *path = g_strdup_printf ("/dev/fd/%d", fd);
  put (target (f, &chrome, path), NULL, "after");
  commit (f);
  close (fd);
  assert_file ("got", "before after");
}

static void
test_links (Fixture *f, gconstpointer data)
{
  (void) data;
  g_mkdir ("far", 0700);
  write_file ("far/t.json", "old");
  g_assert_cmpint (symlink ("far/t.json", "t.json"), ==, 0);
  g_assert_cmpint (symlink ("far/none", "dangling"), ==, 0);
  put (target (f, &chrome, "t.json"), NULL, "through");
  put (target (f, &chrome, "dangling"), NULL, "here");
  commit (f);
  assert_names (".", "dangling far t.json ");
  assert_names ("far", "t.json ");
  assert_file ("far/t.json", "through");
  g_assert_true (g_file_test ("t.json", G_FILE_TEST_IS_SYMLINK));
  g_assert_false (g_file_test ("dangling", G_FILE_TEST_IS_SYMLINK));
  next_run (f);
  put (target (f, &csv, NULL), "t.json", "in a folder"); /* a name that a plugin gave */
  commit (f);
  assert_file ("far/t.json", "through");
  assert_file ("t.json", "in a folder");
  g_assert_cmpint (mkfifo ("far/pipe", 0600), ==, 0);
  g_assert_cmpint (symlink ("far/pipe", "pipe"), ==, 0);
  next_run (f);
  put (target (f, &csv, NULL), "pipe", "not far");
  commit (f);
  assert_file ("pipe", "not far");
}

static void
test_link_to_folder (Fixture *f, gconstpointer data)
{
  (void) data;
  g_mkdir ("real", 0700);
  g_assert_cmpint (symlink ("real", "link"), ==, 0);
  put (target (f, &csv, "link"), "a", "x");
  assert_open_fails (target (f, &csv, "real"), "a", NP_EXIT_USAGE,
                     "real/a: two outputs want this file: run one sink alone or give each a folder "
                     "of its own");
  commit (f);
  assert_names ("real", "a manifest.json ");
}

/* -- Manifests ------------------------------------------------------------- */

static void
test_stale (Fixture *f, gconstpointer data)
{
  (void) data;
  NpTarget *t = target (f, &csv, "out");
  const char *const names[] = { "a", "changed", "gone", "same-size", "stale" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    put (t, names[i], "x");
  commit (f);
  write_file ("out/changed", "x, and more");
  write_file ("out/same-size", "y");
  write_file ("out/mine", "x");
  write_file ("out/.events.csv.nprof-aaaaaa", "another run at work");
  g_unlink ("out/gone");
  next_run (f);
  put (target (f, &csv, "out"), "a", "new");
  commit (f);
  assert_names ("out", ".events.csv.nprof-aaaaaa a changed manifest.json mine same-size ");
  assert_file ("out/a", "new");
  own_folder_said (&f->own, "out/stale: goes, an older run wrote it", TRUE);
  own_folder_said (&f->own, "out/changed: is from an older run, but was changed since: it stays",
                   TRUE);
  own_folder_said (&f->own, "out/same-size: is from an older run, but was changed since: it stays",
                   TRUE);
}

static void
put_parts (Fixture *f, guint n)
{
  NpTarget *t = target (f, &chrome, "a-7.json");
  put (t, NULL, "1");
  for (guint k = 2; k <= n; k++) {
    g_autofree char *name = g_strdup_printf ("a-7-%u.json", k);
    put (t, name, "k");
  }
  commit (f);
}

/* Beside a file that the user names nothing is listed: what an older run left stays, and is told
 * when this one has parts as well. */
static void
test_stale_parts (Fixture *f, gconstpointer data)
{
  (void) data;
  static const char said[] = "a-7-3.json: looks like a further part of an older run, and this one "
                             "ends with a-7-2.json";
  put_parts (f, 4);
  write_file ("a-8.json", "another's");
  own_folder_said (&f->own, "further part", FALSE);
  next_run (f);
  put_parts (f, 2);
  assert_names (".", "a-7-2.json a-7-3.json a-7-4.json a-7.json a-8.json ");
  own_folder_said (&f->own, said, TRUE);
  own_folder_said (&f->own, "a-7-4.json: looks", FALSE);
  own_folder_said (&f->own, "a-8.json: looks", FALSE);
}

/* Folders below a folder: listed by path, stale ones go, a link among them is not followed. */
static void
test_inner (Fixture *f, gconstpointer data)
{
  (void) data;
  put (target (f, &csv, "out"), "events/rank=0/part-0", "x");
  put (target (f, &csv, "out"), "events/rank=1/part-0", "y");
  commit (f);
  assert_file ("out/events/rank=0/part-0", "x");
  assert_names ("out", "events manifest.json ");
  next_run (f);
  put (target (f, &csv, "out"), "events/rank=1/part-0", "new");
  commit (f);
  assert_file ("out/events/rank=1/part-0", "new");
  assert_names ("out/events/rank=0", "");
  g_mkdir ("far", 0700);
  g_assert_cmpint (symlink ("../far", "out/link"), ==, 0);
  next_run (f);
  assert_open_fails (target (f, &csv, "out"), "link/a", NP_EXIT_SINK,
                     "out/link/a: Too many levels of symbolic links: choose another place with -o");
  assert_names ("far", "");
}

/* A file that another sink of this run wrote there is not stale, whoever lists it. */
static void
test_stale_other_sink (Fixture *f, gconstpointer data)
{
  (void) data;
  NpTarget *t = target (f, &csv, "out");
  put (t, "a.csv", "x");
  put (t, "trace.json", "x");
  commit (f);
  next_run (f);
  put (target (f, &csv, "out"), "a.csv", "x");
  put (target (f, &chrome, "out"), NULL, "x");
  commit (f);
  assert_names ("out", "a.csv manifest.json trace.json ");
}

/* When a rename fails in one folder, the other one stays as it was too. */
static void
test_stale_undone (Fixture *f, gconstpointer data)
{
  (void) data;
  put (target (f, &csv, "one"), "stale", "x");
  put (target (f, &csv, "two"), "a", "x");
  commit (f);
  next_run (f);
  put (target (f, &csv, "one"), "new", "x");
  NpTarget *two = target (f, &csv, "two");
  put (two, "a", "new");
  g_unlink ("two/manifest.json");
  g_assert_cmpint (symlink (".", "two/manifest.json"), ==, 0); /* foreign, so it is kept */
  put (two, "bad", "x");
  g_mkdir ("two/bad", 0700);
  assert_commit_fails (f, NP_EXIT_SINK,
                       "two/bad: Is a directory: a folder stands in its place: move it away or "
                       "choose another folder with -o; no file was changed");
  assert_names ("one", "manifest.json stale ");
  assert_names ("two", "a bad manifest.json ");
  assert_file ("two/a", "x");
}

static void
test_damaged_manifest (Fixture *f, gconstpointer data)
{
  (void) data;
  NpTarget *t = target (f, &csv, NULL);
  put (t, "a", "x");
  put (t, "b", "x");
  commit (f);
  write_file ("manifest.json", "{\"generator\": \"nprof");
  next_run (f);
  put (target (f, &csv, NULL), "a", "x");
  commit (f);
  assert_names (".", "a b manifest.json ");
  own_folder_said (&f->own, "manifest.json: is damaged", TRUE);
  write_file ("manifest.json", "{\"name\": \"somebody else's\"}");
  next_run (f);
  put (target (f, &csv, NULL), "a", "x");
  commit (f);
  assert_file ("manifest.json", "{\"name\": \"somebody else's\"}");
  own_folder_said (&f->own, "manifest.json: is not one of nprof, so it is kept", TRUE);
}

static void
test_decoder_folder (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GError) error = NULL;
  NpTarget *t = np_outputs_folder (f->outputs, "members", &error);
  g_assert_no_error (error);
  g_assert_true (np_outputs_folder (f->outputs, "members", NULL) == t);
  g_assert_true (np_outputs_folder (f->outputs, "others", NULL) != t);
  put (t, "a", "x");
  commit (f);
  assert_names ("members", "a manifest.json ");
  g_assert_null (np_outputs_folder (f->outputs, "members/a", &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
  g_assert_cmpstr (error->message, ==, "members/a: is a file: name a folder");
}

/* -- Threads --------------------------------------------------------------- */

#define THREADS 4
#define FILES 25

typedef struct {
  NpTarget *target;
  guint number;
  guint clashes;
} Job;

static void *
write_files (void *data)
{
  Job *job = data;
  for (guint i = 0; i < FILES; i++) {
    g_autofree char *name = g_strdup_printf ("f-%u-%u", job->number, i);
    struct nprof_output *out = np_target_open (job->target, name, NULL);
    struct nprof_output *shared = np_target_open (job->target, "shared", NULL);
    job->clashes += shared == NULL;
    if (!out || out->write (out, name, strlen (name)))
      return data;
    if (i % 2 && out->close (out))
      return data;
  }
  return NULL;
}

static void
test_threads (Fixture *f, gconstpointer data)
{
  (void) data;
  pthread_t threads[THREADS];
  Job jobs[THREADS];
  guint clashes = 0;
  for (guint i = 0; i < THREADS; i++) {
    jobs[i] = (Job){ target (f, &csv, "new/out"), i, 0 };
    pthread_create (&threads[i], NULL, write_files, &jobs[i]);
  }
  for (guint i = 0; i < THREADS; i++) {
    void *failed = NULL;
    pthread_join (threads[i], &failed);
    g_assert_null (failed);
    clashes += jobs[i].clashes;
  }
  g_assert_cmpuint (clashes, ==, THREADS * FILES - 1);
  commit (f);
  assert_file ("new/out/f-3-24", "f-3-24");
  assert_file ("new/out/f-0-1", "f-0-1");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  signal (SIGPIPE, SIG_IGN);
#define ADD(path, fn) g_test_add ("/output/" path, Fixture, NULL, set_up, fn, tear_down)
  ADD ("targets", test_targets);
  ADD ("targets-refused", test_targets_refused);
  ADD ("commit", test_commit);
  ADD ("file-target", test_file_target);
  ADD ("replace", test_replace);
  ADD ("abort", test_abort);
  ADD ("sizes", test_sizes);
  ADD ("same-file", test_same_file);
  ADD ("names", test_names);
  ADD ("closed", test_closed);
  ADD ("full", test_full);
  ADD ("full-late", test_full_late);
  ADD ("unwritable", test_unwritable);
  ADD ("rename-fails", test_rename_fails);
  ADD ("temp-gone", test_temp_gone);
  ADD ("stdout", test_stdout);
  ADD ("reader-gone", test_reader_gone);
  ADD ("pipe", test_pipe);
  ADD ("descriptor", test_descriptor);
  ADD ("links", test_links);
  ADD ("link-to-folder", test_link_to_folder);
  ADD ("stale", test_stale);
  ADD ("stale-parts", test_stale_parts);
  ADD ("stale-other-sink", test_stale_other_sink);
  ADD ("stale-undone", test_stale_undone);
  ADD ("inner", test_inner);
  ADD ("damaged-manifest", test_damaged_manifest);
  ADD ("decoder-folder", test_decoder_folder);
  ADD ("threads", test_threads);
  return g_test_run ();
}
