/* SPDX-License-Identifier: Apache-2.0 */
/* foreign-format.h - recognises files that people take for a profile that nprof reads, and that are
 * none. */
#pragma once

#include <glib.h>

/* Says what the file is and what to do about it, as "an SQLite database: ..."; NULL: it is not
 * known either.  `head` is its first bytes, inflated. */
const char *np_foreign_format (const char *path, const guint8 *head, gsize len);
