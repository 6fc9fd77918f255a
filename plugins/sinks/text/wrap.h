/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.h - breaks a sentence into lines.  Knows nothing of nprof. */
#pragma once

#include <glib.h>

/* Returns lines of at most width columns, broken at blanks; a longer word is a line.  Transfer
 * full. */
GStrv wrap_new (const char *text, guint width);
