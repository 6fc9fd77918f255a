/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - nprof --version: which nprof this is, and which libraries it finds here.  Programs
 * read the first line alone. */

#include "base/install-paths.h"
#include "cli/cli.h"
#include "nprof/plugin.h"

#include <dlfcn.h>
#include <string.h>
#include <zlib.h>

/* Libraries that are opened when something needs them, and the function that says which it is. */
static const struct {
  const char *name, *file, *function;
} late[] = {
  { "zstd", "libzstd.so.1", "ZSTD_versionString" },
  { "libarchive", "libarchive.so.13", "archive_version_string" },
  { "sqlite", "libsqlite3.so.0", "sqlite3_libversion" },
  { "libcurl", "libcurl.so.4", "curl_version" },
  { "libmicrohttpd", "libmicrohttpd.so.12", "MHD_get_version" },
};

/* Returns the version that a library says, of "libcurl/7.88.1 OpenSSL/3.0" or "libarchive 3.6.2"
 * the first number; NULL: it is not here.  Transfer full. */
static char *
version_of (const char *file, const char *name)
{
  void *library = dlopen (file, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  void *found = library ? dlsym (library, name) : NULL;
  if (!found)
    return NULL;
  const char *(*say) (void);
  memcpy (&say, &found, sizeof found);
  const char *said = say ();
  said += strcspn (said, "0123456789");
  return g_strndup (said, strcspn (said, " "));
}

/* Returns the commit as `packaging/source-commit` wrote it when nprof was installed. */
static char *
commit (void)
{
  g_autofree char *folder = np_data_folder ();
  g_autofree char *path = folder ? g_build_filename (folder, "commit", NULL) : NULL;
  g_autofree char *text = NULL;
  if (!path || !g_file_get_contents (path, &text, NULL, NULL))
    return g_strdup ("unknown: it is not installed, or git was not there when it was");
  char *end = strchr (text, ' ');
  gint64 seconds = end ? g_ascii_strtoll (end, NULL, 10) : 0;
  g_autoptr (GDateTime) at = g_date_time_new_from_unix_utc (seconds);
  g_autofree char *day = at ? g_date_time_format (at, "%Y-%m-%d") : NULL;
  return g_strdup_printf ("%.12s of %s", text, day ? day : "an unknown day");
}

void
np_cli_print_version (void)
{
  g_autofree char *from = commit ();
  g_autoptr (GString) libraries = g_string_new (NULL);
  g_autoptr (GString) missing = g_string_new (NULL);
  g_string_printf (libraries, "glib %u.%u.%u, zlib %s", glib_major_version, glib_minor_version,
                   glib_micro_version, zlibVersion ());
  for (guint i = 0; i < G_N_ELEMENTS (late); i++) {
    g_autofree char *version = version_of (late[i].file, late[i].function);
    if (version)
      g_string_append_printf (libraries, ", %s %s", late[i].name, version);
    else
      g_string_append_printf (missing, "%s%s", missing->len ? ", " : "", late[i].file);
  }
  g_print ("nprof %s\ncommit     %s\nplugins    ABI %u, model of rows %u\nlibraries  %s\n",
           NPROF_VERSION, from, NPROF_CONTRACT, NPROF_MODEL, libraries->str);
  if (missing->len)
    g_print ("not here   %s\n", missing->str);
}
