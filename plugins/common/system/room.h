/* SPDX-License-Identifier: Apache-2.0 */
/* room.h - the one list of errors that say that this machine had no room, be it on a disk, in
 * memory or for one more open file. Such an error is neither the input's nor the output's. */
#pragma once

#include <errno.h>
#include <nprof/plugin.h>
#include <stdbool.h>

static inline bool
np_no_room (int err)
{
  return err == ENOSPC || err == EDQUOT || err == EROFS || err == ENOMEM || err == EMFILE
         || err == ENFILE;
}

/* Temporary files fail for want of room, too, where $TMPDIR is no folder that can be written, and
 * where no file may grow further (ulimit -f). */
static inline bool
np_no_temp_room (int err)
{
  return np_no_room (err) || err == EFBIG || err == ENOENT || err == ENOTDIR || err == EACCES
         || err == EPERM;
}

/* Returns the status with which a plugin fails for this error of a file of its own, or of a
 * temporary one. */
static inline nprof_status
np_file_status (int err)
{
  return np_no_room (err) ? NPROF_E_NOMEM : NPROF_E_IO;
}
static inline nprof_status
np_temp_status (int err)
{
  return np_no_temp_room (err) ? NPROF_E_NOMEM : NPROF_E_IO;
}
