/* SPDX-License-Identifier: Apache-2.0 */
/* project-template.c - writes a folder of text anew, with words of it replaced.  Its caller, the
 * command `nprof new`, decides which folder and which words. */

#include "project-template.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static char *
replace_words (const char *text, const char *const *words)
{
  GString *out = g_string_new (text);
  for (; *words; words += 2) {
    g_autofree char *mark = g_strdup_printf ("@%s@", words[0]);
    g_string_replace (out, mark, words[1], 0);
  }
  return g_string_free (out, FALSE);
}

static char *
target_name (const char *to, const char *name, const char *const *words)
{
  g_autofree char *replaced = replace_words (name, words);
  gboolean dot = g_str_has_prefix (replaced, "dot-");
  return g_strconcat (to, "/", dot ? "." : "", replaced + (dot ? strlen ("dot-") : 0), NULL);
}

static gboolean
write_new (const char *path, const char *text, mode_t mode, GError **error)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777);
  if (fd < 0) {
    np_error_errno (error, NP_EXIT_USAGE, path, errno);
    return FALSE;
  }
  for (gsize len = strlen (text); len;) {
    gssize n = write (fd, text, len);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      break;
    text += n;
    len -= (gsize) n;
  }
  gboolean ok = !*text;
  int err = errno;
  if (close (fd) && ok) {
    ok = FALSE;
    err = errno;
  }
  if (!ok)
    np_error_errno (error, NP_EXIT_USAGE, path, err);
  return ok;
}

static gboolean
write_file (const char *from, const char *to, mode_t mode, const char *const *words, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) failed = NULL;
  if (!g_file_get_contents (from, &text, NULL, &failed))
    return np_error_set (error, NP_EXIT_USAGE, "%s", failed->message);
  g_autofree char *replaced = replace_words (text, words);
  return write_new (to, replaced, mode, error);
}

static gboolean
write_entry (const char *from, const char *to, const char *const *words, GError **error)
{
  struct stat st;
  if (stat (from, &st)) {
    np_error_errno (error, NP_EXIT_USAGE, from, errno);
    return FALSE;
  }
  if (!S_ISDIR (st.st_mode))
    return write_file (from, to, st.st_mode, words, error);
  if (g_mkdir (to, 0777) && errno != EEXIST) {
    np_error_errno (error, NP_EXIT_USAGE, to, errno);
    return FALSE;
  }
  return np_template_write (from, to, words, error);
}

gboolean
np_template_write (const char *from, const char *to, const char *const *words, GError **error)
{
  g_autoptr (GError) failed = NULL;
  g_autoptr (GDir) dir = g_dir_open (from, 0, &failed);
  if (!dir)
    return np_error_set (error, NP_EXIT_USAGE, "%s", failed->message);
  for (const char *name; (name = g_dir_read_name (dir));) {
    g_autofree char *source = g_build_filename (from, name, NULL);
    g_autofree char *target = target_name (to, name, words);
    if (!write_entry (source, target, words, error))
      return FALSE;
  }
  return TRUE;
}
