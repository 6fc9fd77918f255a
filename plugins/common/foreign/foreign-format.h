/* SPDX-License-Identifier: Apache-2.0 */
/* foreign-format.h - names files that no decoder reads by their true format. */
#pragma once

#include <glib.h>

/* Returns what the file is, why it is not read and what to do about it, as "an SQLite database:
 * ..." or "text, but no decoder knows this format: ..."; NULL: it is empty. `head` is its first
 * bytes, inflated. */
const char *np_foreign_format (const guint8 *head, gsize len);
/* Returns the names of up to three tables of a database of SQLite that nothing else is known of,
 * "users, orders"; NULL: it is none, or tells none; transfer full. */
char *np_foreign_tables (const guint8 *head, gsize len);
/* Returns the one of these that stands in an error; NULL: none does. */
const char *np_foreign_format_told (const char *error);
