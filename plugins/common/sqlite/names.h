/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - names of tables and columns in statements. */
#pragma once

#include <glib.h>

/* Returns a name for a column that no earlier one of `names` (lower case) has; transfer full. */
char *np_sql_column_name (GHashTable *names, const char *name);
/* Appends NAME in quotes. */
void np_sql_quote (GString *to, const char *name);
