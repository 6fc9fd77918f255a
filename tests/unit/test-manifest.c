/* SPDX-License-Identifier: Apache-2.0 */
/* test-manifest.c - manifest.json: what is written, what is believed, and which names and
 * files are refused. */

#include "output/manifest.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <nprof/plugin.h>
#include <string.h>
#include <unistd.h>

#define SUM_A 0xe8b7be43 /* of "a" */
#define TEXT_A "e8b7be43"

typedef struct {
  char *folder, *path;
  NpLog *log;
  int said;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autofree char *said = NULL;
  f->folder = g_dir_make_tmp ("nprof-manifest-XXXXXX", NULL);
  g_assert_nonnull (f->folder);
  f->path = g_build_filename (f->folder, NP_MANIFEST, NULL);
  f->said = g_file_open_tmp ("nprof-log-XXXXXX", &said, NULL);
  g_unlink (said);
  f->log = np_log_new (NPROF_INFO, f->said);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  np_log_free (f->log);
  close (f->said);
  g_remove (f->path);
  g_assert_cmpint (g_rmdir (f->folder), ==, 0);
  g_free (f->folder);
  g_free (f->path);
}

static char *
said (Fixture *f)
{
  char buffer[4096] = { 0 };
  g_assert_cmpint (pread (f->said, buffer, sizeof buffer - 1, 0), >=, 0);
  g_assert_cmpint (ftruncate (f->said, 0), ==, 0);
  lseek (f->said, 0, SEEK_SET);
  return g_strdup (buffer);
}

static void
put (Fixture *f, const char *text)
{
  g_assert_true (g_file_set_contents (f->path, text, -1, NULL));
}

static void
test_text (Fixture *f, gconstpointer data)
{
  (void) data;
  gboolean foreign;
  g_autoptr (GPtrArray) files = np_manifest_list ();
  g_ptr_array_add (files, np_manifest_file_new ("", "b \"q\".csv", G_MAXINT64, SUM_A));
  g_ptr_array_add (files, np_manifest_file_new ("", "a.csv", 0, SUM_A));
  g_ptr_array_add (files, np_manifest_file_new ("", "B.csv", 1, SUM_A));
  g_autofree char *text = np_manifest_text ("nprof 1.2.3", "", files);
  g_assert_cmpstr (text, ==,
                   "{\n  \"generator\" : \"nprof 1.2.3\",\n  \"files\" : [\n"
                   "    {\n      \"name\" : \"B.csv\",\n      \"bytes\" : 1,\n"
                   "      \"crc32\" : \"" TEXT_A "\"\n    },\n"
                   "    {\n      \"name\" : \"a.csv\",\n      \"bytes\" : 0,\n"
                   "      \"crc32\" : \"" TEXT_A "\"\n    },\n"
                   "    {\n      \"name\" : \"b \\\"q\\\".csv\",\n      \"bytes\" : "
                   "9223372036854775807,\n      \"crc32\" : \"" TEXT_A "\"\n    }\n  ]\n}\n");
  put (f, text);
  g_autoptr (GPtrArray) back = np_manifest_read (f->folder, f->log, &foreign);
  g_assert_false (foreign);
  g_assert_cmpuint (back->len, ==, 3);
  const NpManifestFile *last = back->pdata[2];
  g_assert_cmpstr (last->name, ==, "b \"q\".csv");
  g_assert_cmpuint (last->bytes, ==, G_MAXINT64);
  g_assert_cmpuint (last->crc32, ==, SUM_A);
}

static void
assert_useless (Fixture *f, gboolean is_foreign, const char *part)
{
  gboolean foreign = !is_foreign;
  g_autoptr (GPtrArray) files = np_manifest_read (f->folder, f->log, &foreign);
  g_autofree char *log = said (f);
  g_assert_cmpuint (files->len, ==, 0);
  g_assert_cmpint (foreign, ==, is_foreign);
  if (part ? !strstr (log, part) : *log)
    g_error ("expected \"%s\" in: %s", part, log);
}

static void
test_damaged (Fixture *f, gconstpointer data)
{
  (void) data;
#define ONE(entry) "{\"generator\": \"nprof 1\", \"files\": [" entry "]}"
#define GOOD "{\"name\": \"a\", \"bytes\": 1, \"crc32\": \"" TEXT_A "\"}"
  static const char *const damaged[] = {
    "",
    "{",
    "[]",
    "{}",
    "\"text\"",
    "{\"generator\": \"nprof 1\", \"files\": {}}",
    ONE ("1"),
    ONE (GOOD ", {}"),
    ONE (GOOD ", {\"name\": \"../a\", \"bytes\": 1, \"crc32\": \"" TEXT_A "\"}"),
    ONE ("{\"name\": \"a\", \"bytes\": -1, \"crc32\": \"" TEXT_A "\"}"),
    ONE ("{\"name\": \"a\", \"bytes\": \"1\", \"crc32\": \"" TEXT_A "\"}"),
    ONE ("{\"name\": \"a\", \"bytes\": [1], \"crc32\": \"" TEXT_A "\"}"),
    ONE ("{\"name\": [], \"bytes\": 1, \"crc32\": \"" TEXT_A "\"}"),
    ONE ("{\"name\": \"a\", \"bytes\": 1, \"crc32\": \"12\"}"),
    ONE ("{\"name\": \"a\", \"bytes\": 1, \"crc32\": \"0x123456\"}"),
    ONE ("{\"name\": \"a\", \"bytes\": 1}"),
    ONE ("{\"name\": \"a\", \"bytes\": 1}"),
  };
  assert_useless (f, FALSE, NULL); /* none */
  for (guint i = 0; i < G_N_ELEMENTS (damaged); i++) {
    put (f, damaged[i]);
    assert_useless (f, FALSE, "manifest.json: is damaged: files of older runs stay");
  }
  put (f, ONE (GOOD));
  gboolean foreign;
  g_autoptr (GPtrArray) files = np_manifest_read (f->folder, f->log, &foreign);
  g_assert_cmpuint (files->len, ==, 1);
}

static void
test_foreign (Fixture *f, gconstpointer data)
{
  (void) data;
  put (f, "{\"manifest_version\": 3, \"name\": \"an extension\"}");
  assert_useless (f, TRUE, "manifest.json: is not one of nprof, so it is kept");
  g_autofree char *deep = g_strnfill (100000, '[');
  put (f, deep); /* must not end the stack */
  assert_useless (f, TRUE, "manifest.json: cannot be one of nprof, so it is kept");
  g_remove (f->path);
  g_assert_cmpint (symlink ("/dev/zero", f->path), ==, 0);
  assert_useless (f, TRUE, "cannot be one of nprof, so it is kept");
  g_remove (f->path);
  g_assert_cmpint (g_mkdir (f->path, 0700), ==, 0);
  assert_useless (f, TRUE, "cannot be one of nprof, so it is kept");
}

static gboolean
unchanged (Fixture *f, guint64 bytes, guint32 sum)
{
  NpManifestFile file = { (char *) NP_MANIFEST, (char *) "", bytes, sum };
  return np_manifest_unchanged (f->folder, &file);
}

static void
test_unchanged (Fixture *f, gconstpointer data)
{
  (void) data;
  g_assert_false (unchanged (f, 1, SUM_A));
  put (f, "a");
  g_assert_true (unchanged (f, 1, SUM_A));
  g_assert_false (unchanged (f, 2, SUM_A));
  put (f, "b");
  g_assert_false (unchanged (f, 1, SUM_A));
  g_remove (f->path);
  g_autofree char *other = g_build_filename (f->folder, "other", NULL);
  g_assert_true (g_file_set_contents (other, "a", 1, NULL));
  g_assert_cmpint (symlink ("other", f->path), ==, 0);
  g_assert_false (unchanged (f, 1, SUM_A));
  g_remove (other);
}

static void
test_names (void)
{
  g_autofree char *longest = g_strnfill (255, 'x'), *longer = g_strnfill (256, 'x');
  const char *const good[]
      = { "a", "events.csv", "a b", "-", "caf\xc3\xa9", "a..b", "a\\b", longest };
  const char *const bad[] = { NULL,   "",   ".",    "..",   ".a",   "/",    "a/b",
                              "../a", "a/", "a\nb", "\x7f", "a\tb", "\xff", longer };
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    g_assert_cmpstr (np_file_name_problem (good[i]), ==, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_nonnull (np_file_name_problem (bad[i]));
  g_assert_null (np_file_path_problem ("events/rank=0/part-0.parquet"));
  const char *const bad_paths[] = { NULL, "", "/a", "a/", "a//b", "a/../b", "a/.b" };
  for (guint i = 0; i < G_N_ELEMENTS (bad_paths); i++)
    g_assert_nonnull (np_file_path_problem (bad_paths[i]));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, fn) g_test_add ("/manifest/" path, Fixture, NULL, set_up, fn, tear_down)
  ADD ("text", test_text);
  ADD ("damaged", test_damaged);
  ADD ("foreign", test_foreign);
  ADD ("unchanged", test_unchanged);
  g_test_add_func ("/manifest/names", test_names);
  return g_test_run ();
}
