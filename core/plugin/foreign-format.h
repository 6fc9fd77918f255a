/* SPDX-License-Identifier: Apache-2.0 */
/* foreign-format.h - what people take for a profile that nprof reads, and is none. */
#pragma once

#include <glib.h>

/* What the file is and what to do about it, as "an SQLite database: ..."; NULL: not known either.
 * head: its first bytes, inflated. */
const char *np_foreign_format (const char *path, const guint8 *head, gsize len);
