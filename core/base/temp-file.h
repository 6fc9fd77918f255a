/* SPDX-License-Identifier: Apache-2.0 */
/* temp-file.h - bytes that wait on disk because memory should not hold them: a file without a name
 * in $TMPDIR, which is gone with its last user, also after kill -9. */
#pragma once

#include <glib.h>
#include <nprof/draft/temp-file.h>
#include <nprof/plugin.h>

#include "system/temp.h"

/* Writes all of it.  Returns 0, or an errno: ENOSPC where a file takes no more, EIO where it ends
 * before. */
int np_write_all (int fd, const void *data, gsize len); /* at the place of the descriptor */
int np_write_at (int fd, guint64 at, const void *data, gsize len);
int np_read_at (int fd, guint64 at, void *data, gsize len);

/* Makes a temporary file for plugins; it exists from its first bytes until it is closed. */
struct nprof_temp *np_temp_new (void);
