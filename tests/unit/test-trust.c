/* SPDX-License-Identifier: Apache-2.0 */
/* test-trust.c - who may write what nprof runs: the rule itself, and files on disk. */

#include "plugin/trust.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

enum { ME = 1000, OTHER = 1001, ROOT = 0 };

static void
judge (mode_t mode, uid_t owner, NpTrust trust, const char *want)
{
  struct stat st = { .st_mode = mode, .st_uid = owner, .st_gid = 50 };
  g_autofree char *problem = np_trust_judge ("/p q/x.so", &st, &trust);
  g_assert_cmpstr (problem, ==, want);
}

static void
test_owner (void)
{
  judge (S_IFREG | 0644, ME, (NpTrust){ .caller = ME }, NULL);
  judge (S_IFREG | 0644, ROOT, (NpTrust){ .caller = ME }, NULL);
  judge (S_IFREG | 0644, OTHER, (NpTrust){ .caller = ME },
         "/p q/x.so belongs to user 1001, who is neither root nor you: if you trust it, "
         "chown 1000 '/p q/x.so'");
  /* the owner of nprof's own file counts only for root */
  judge (S_IFREG | 0644, OTHER, (NpTrust){ .caller = ME, .exe_owner = OTHER },
         "/p q/x.so belongs to user 1001, who is neither root nor you: if you trust it, "
         "chown 1000 '/p q/x.so'");
  judge (S_IFREG | 0644, OTHER, (NpTrust){ .caller = ROOT, .exe_owner = OTHER }, NULL);
  judge (S_IFREG | 0644, ME, (NpTrust){ .caller = ROOT, .exe_owner = OTHER },
         "/p q/x.so belongs to user 1000, who is neither root nor you: if you trust it, "
         "chown 0 '/p q/x.so'");
}

static void
test_writers (void)
{
  const NpTrust me = { .caller = ME }, own_group = { .caller = ME, .private_group = TRUE };
  judge (S_IFREG | 0664, ME, own_group, NULL);
  judge (S_IFREG | 0664, ME, me,
         "/p q/x.so is writable by group 50, which is not its owner's own: chmod g-w '/p q/x.so'");
  judge (S_IFREG | 0646, ME, own_group,
         "/p q/x.so is writable by everybody: chmod go-w '/p q/x.so'");
  judge (S_IFDIR | 0777, ME, me, "/p q/x.so is writable by everybody: chmod go-w '/p q/x.so'");
  judge (S_IFDIR | 0775, ME, own_group, NULL);
}

static void
test_sticky (void)
{
  const NpTrust me = { .caller = ME };
  judge (S_IFDIR | S_ISVTX | 0777, ROOT, me, NULL);
  judge (S_IFREG | S_ISVTX | 0666, ME, me,
         "/p q/x.so is writable by everybody: chmod go-w '/p q/x.so'");
  judge (S_IFDIR | S_ISVTX | 0777, OTHER, me,
         "/p q/x.so belongs to user 1001, who is neither root nor you: if you trust it, "
         "chown 1000 '/p q/x.so'");
}

static void
test_other_files (void)
{
  judge (S_IFIFO | 0600, ME, (NpTrust){ .caller = ME },
         "/p q/x.so is no regular file: put the file itself there");
  judge (S_IFCHR | 0600, ROOT, (NpTrust){ .caller = ME },
         "/p q/x.so is no regular file: put the file itself there");
}

static void
check (const char *path, const char *part)
{
  g_autofree char *problem = np_trust_problem (path);
  if (part) {
    g_assert_nonnull (problem);
    g_assert_nonnull (strstr (problem, part));
  } else {
    g_assert_cmpstr (problem, ==, NULL);
  }
}

static void
test_on_disk (void)
{
  g_autofree char *root = g_dir_make_tmp ("nprof-trust-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (root, "folder", NULL);
  g_autofree char *file = g_build_filename (folder, "x.so", NULL);
  g_autofree char *link = g_build_filename (root, "link.so", NULL);
  g_assert_cmpint (g_mkdir (folder, 0755), ==, 0);
  g_assert_true (g_file_set_contents (file, "x", 1, NULL));
  g_assert_cmpint (symlink (file, link), ==, 0);

  g_assert_cmpint (g_chmod (file, 0644), ==, 0);
  check (file, NULL);
  check (folder, NULL);
  check (link, NULL);

  g_assert_cmpint (g_chmod (file, 0646), ==, 0);
  check (file, "folder/x.so is writable by everybody: chmod go-w '");
  check (link, "folder/x.so is writable by everybody: chmod go-w '");
  check (folder, NULL);

  g_assert_cmpint (g_chmod (file, 0644), ==, 0);
  g_assert_cmpint (g_chmod (folder, 0757), ==, 0);
  check (file, "/folder is writable by everybody: chmod go-w '");
  check (link, "/folder is writable by everybody: chmod go-w '");
  g_assert_cmpint (g_chmod (folder, 01757), ==, 0);
  check (file, NULL);

  g_unlink (file);
  check (file, "folder/x.so: No such file or directory");
  check (link, "link.so: No such file or directory");
  g_unlink (link);
  g_rmdir (folder);
  g_rmdir (root);
}

/* A group that is not the owner's own: only root can make such a file everywhere. */
static void
test_foreign_group (void)
{
  g_autofree char *root = g_dir_make_tmp ("nprof-trust-XXXXXX", NULL);
  if (geteuid () == 0) {
    g_assert_cmpint (chown (root, 0, 54321), ==, 0);
    g_assert_cmpint (g_chmod (root, 0770), ==, 0);
    check (root, "is writable by group 54321, which is not its owner's own: chmod g-w '");
    g_assert_cmpint (chown (root, 54321, 0), ==, 0);
    g_assert_cmpint (g_chmod (root, 0700), ==, 0);
    check (root, "belongs to user 54321, who is neither root nor you: if you trust it, chown 0 '");
  }
  g_rmdir (root);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trust/owner", test_owner);
  g_test_add_func ("/trust/writers", test_writers);
  g_test_add_func ("/trust/sticky", test_sticky);
  g_test_add_func ("/trust/other-files", test_other_files);
  g_test_add_func ("/trust/on-disk", test_on_disk);
  g_test_add_func ("/trust/foreign-group", test_foreign_group);
  return g_test_run ();
}
