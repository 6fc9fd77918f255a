/* SPDX-License-Identifier: Apache-2.0 */
/* temp-file.h - bytes that wait on disk because memory should not hold them: a file without a name
 * in $TMPDIR, which is gone with its last user, also after kill -9. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

const char *np_temp_folder (void); /* $TMPDIR, or /tmp */
/* A descriptor that is closed on exec; -1 with errno. */
int np_temp_open (void);

/* All of it.  0, or an errno: ENOSPC where a file takes no more, EIO where it ends before. */
int np_write_all (int fd, const void *data, gsize len); /* at the place of the descriptor */
int np_write_at (int fd, guint64 at, const void *data, gsize len);
int np_read_at (int fd, guint64 at, void *data, gsize len);

/* The same for plugins; the file is made with the first bytes.  It ends with its close. */
struct nprof_temp *np_temp_new (void);
