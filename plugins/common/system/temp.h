/* SPDX-License-Identifier: Apache-2.0 */
/* temp.h - a file without a name in $TMPDIR, which is gone with its last user, also after kill
 * -9. */
#pragma once

const char *np_temp_folder (void); /* $TMPDIR, or /tmp */
/* Returns a descriptor that is closed on exec; -1 with errno. */
int np_temp_open (void);
