/* SPDX-License-Identifier: Apache-2.0 */
/* trust.c - decides whether code from this file may run with the caller's rights: only when nobody
 * but root, the caller, or the owner of nprof could have put it there.  It looks at the file and at
 * the folder that holds it, not further up: a person who can rename that folder can only put one of
 * their own in its place, which the owner gives away. */

#include "plugin/trust.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gboolean
owner_trusted (uid_t owner, const NpTrust *trust)
{
  return owner == 0 || owner == trust->caller || (trust->caller == 0 && owner == trust->exe_owner);
}

char *
np_trust_judge (const char *path, const struct stat *st, const NpTrust *trust)
{
  gboolean folder = S_ISDIR (st->st_mode);
  g_autofree char *quoted = g_shell_quote (path);
  if (!folder && !S_ISREG (st->st_mode))
    return g_strdup_printf ("%s is no regular file: put the file itself there", path);
  if (!owner_trusted (st->st_uid, trust))
    return g_strdup_printf ("%s belongs to user %u, who is neither root nor you: if you trust it, "
                            "chown %u %s",
                            path, (guint) st->st_uid, (guint) trust->caller, quoted);
  if (folder && (st->st_mode & S_ISVTX))
    return NULL; /* only a file's owner can replace it here, as in /tmp */
  if (st->st_mode & S_IWOTH)
    return g_strdup_printf ("%s is writable by everybody: chmod go-w %s", path, quoted);
  if ((st->st_mode & S_IWGRP) && !trust->private_group)
    return g_strdup_printf (
        "%s is writable by group %u, which is not its owner's own: chmod g-w %s", path,
        (guint) st->st_gid, quoted);
  return NULL;
}

/* Many systems give each user a group of the same name with no other member. */
static gboolean
is_private_group (uid_t uid, gid_t gid)
{
  struct passwd pw, *user = NULL;
  struct group gr, *group = NULL;
  char pw_text[4096], gr_text[4096];
  if (getpwuid_r (uid, &pw, pw_text, sizeof pw_text, &user) || !user || user->pw_gid != gid)
    return FALSE;
  if (getgrgid_r (gid, &gr, gr_text, sizeof gr_text, &group) || !group)
    return FALSE;
  if (strcmp (group->gr_name, user->pw_name) != 0)
    return FALSE;
  for (char **member = group->gr_mem; *member; member++)
    if (strcmp (*member, user->pw_name) != 0)
      return FALSE;
  return TRUE;
}

static char *
problem_of_path (const char *path, gboolean *is_folder)
{
  struct stat st, exe;
  if (stat (path, &st))
    return g_strdup_printf ("%s: %s", path, g_strerror (errno));
  NpTrust trust = { .caller = geteuid () };
  if (trust.caller == 0 && st.st_uid != 0 && stat ("/proc/self/exe", &exe) == 0)
    trust.exe_owner = exe.st_uid;
  if (st.st_mode & S_IWGRP)
    trust.private_group = is_private_group (st.st_uid, st.st_gid);
  *is_folder = S_ISDIR (st.st_mode);
  return np_trust_judge (path, &st, &trust);
}

char *
np_trust_problem (const char *path)
{
  char *real = realpath (path, NULL);
  if (!real)
    return g_strdup_printf ("%s: %s", path, g_strerror (errno));
  gboolean is_folder = FALSE;
  char *problem = problem_of_path (real, &is_folder);
  if (!problem && !is_folder) {
    g_autofree char *folder = g_path_get_dirname (real);
    problem = problem_of_path (folder, &is_folder);
  }
  free (real);
  return problem;
}
