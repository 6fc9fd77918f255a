/* SPDX-License-Identifier: Apache-2.0 */
/* own-folder.h - a fixture for tests that make files: each runs inside a folder of its own, with a
 * log that can be looked at. */
#pragma once

#include "base/log.h"

#include <glib/gstdio.h>
#include <nprof/plugin.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  char *folder, *before;
  NpLog *log;
  int said;
} OwnFolder;

static inline void
own_folder_enter (OwnFolder *own)
{
  g_autofree char *said = NULL;
  own->before = g_get_current_dir ();
  own->folder = g_dir_make_tmp ("nprof-unit-XXXXXX", NULL);
  g_assert_nonnull (own->folder);
  g_assert_cmpint (g_chdir (own->folder), ==, 0);
  own->said = g_file_open_tmp ("nprof-log-XXXXXX", &said, NULL);
  g_unlink (said);
  own->log = np_log_new (NPROF_INFO, own->said);
}

static inline void
own_folder_remove (const char *path)
{
  g_autoptr (GDir) dir
      = g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *child = g_build_filename (path, name, NULL);
    own_folder_remove (child);
  }
  g_assert_cmpint (g_remove (path), ==, 0);
}

static inline void
own_folder_leave (OwnFolder *own)
{
  g_assert_cmpint (g_chdir (own->before), ==, 0);
  own_folder_remove (own->folder);
  np_log_free (own->log);
  close (own->said);
  g_free (own->folder);
  g_free (own->before);
}

/* Does the log say that, or not? */
static inline void
own_folder_said (OwnFolder *own, const char *text, gboolean yes)
{
  char buffer[8192] = { 0 };
  g_assert_cmpint (pread (own->said, buffer, sizeof buffer - 1, 0), >=, 0);
  if ((strstr (buffer, text) != NULL) != yes)
    g_error ("the log %s \"%s\": %s", yes ? "lacks" : "has", text, buffer);
}
