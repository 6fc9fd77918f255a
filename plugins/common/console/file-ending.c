/* SPDX-License-Identifier: Apache-2.0 */
/* file-ending.c - tells the format of an output by the ending of its name, and refuses names that
 * promise a format which the command does not write. */

#include "console/file-ending.h"
#include "base/error.h"
#include "base/suggest.h"
#include "output/transaction.h"

#include <string.h>

/* These are formats for which a name is chosen on purpose; anything else, such as .log, may be
 * text. */
static const char *const well_known[]
    = { ".pdf",  ".ps",       ".doc",  ".docx", ".odt",  ".rtf",     ".tex",    ".epub",  ".ppt",
        ".pptx", ".xls",      ".xlsx", ".ods",  ".tsv",  ".csv",     ".json",   ".html",  ".htm",
        ".md",   ".markdown", ".xml",  ".yaml", ".yml",  ".jsonl",   ".ndjson", ".svg",   ".png",
        ".jpg",  ".jpeg",     ".gif",  ".db",   ".webp", ".parquet", ".sqlite", ".arrow", ".pprof",
        ".pb",   ".gz",       ".zst",  ".bz2",  ".xz",   ".zip",     ".7z",     ".tar",   ".tgz" };

static gboolean
refuse (const char *path, const char *ending, const NpFileEnding *ends, GError **error)
{
  g_autoptr (GString) all = g_string_new (NULL);
  for (; ends->ending; ends++)
    g_string_append_printf (all, "%s%s",
                            all->len == 0    ? ""
                            : ends[1].ending ? ", "
                                             : " or ",
                            ends->ending);
  return np_error_set (
      error, NP_EXIT_USAGE,
      "-o %s: no %s is written here: let the name end in %s, or say what it shall hold by "
      "--format",
      path, ending, all->str);
}

/* Returns the ending that was probably meant, of a format that is not what would be written anyway;
 * NULL: none. */
static const char *
mistyped (const char *path, const NpFileEnding *ends)
{
  const char *slash = strrchr (path, '/'), *dot = strrchr (slash ? slash : path, '.');
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  for (const NpFileEnding *e = ends; e->ending; e++)
    g_ptr_array_add (all, (char *) e->ending);
  g_ptr_array_add (all, NULL);
  const char *near = dot ? np_suggest (dot, (const char *const *) all->pdata) : NULL;
  return near && !g_str_equal (near, ".txt") ? near : NULL;
}

gboolean
np_format_of_ending (const char *path, const NpFileEnding *ends, const char **format,
                     GError **error)
{
  g_autofree char *lower = path ? g_ascii_strdown (path, -1) : NULL;
  *format = NULL;
  for (const NpFileEnding *e = ends; lower && e->ending && !*format; e++)
    if (g_str_has_suffix (lower, e->ending))
      *format = e->format;
  if (!lower || g_file_test (path, G_FILE_TEST_IS_DIR))
    return TRUE;
  if (*format)
    return np_output_has_folder (path, error);
  for (guint i = 0; i < G_N_ELEMENTS (well_known); i++)
    if (g_str_has_suffix (lower, well_known[i]))
      return refuse (path, well_known[i], ends, error);
  const char *near = mistyped (lower, ends);
  if (!near)
    return TRUE;
  return np_error_set (error, NP_EXIT_USAGE,
                       "-o %s: did you mean %s? Else say by --format what it shall hold", path,
                       near);
}
