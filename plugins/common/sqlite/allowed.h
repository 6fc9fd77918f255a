/* SPDX-License-Identifier: Apache-2.0 */
/* allowed.h - what statements may do, for an authorizer of SQLite. */
#pragma once

#include <stdbool.h>

/* Returns whether a statement may: it may read, and may make tables and views of its connection
 * alone.  The arguments are those of an authorizer. */
bool np_sql_allows (int action, const char *a, const char *b, const char *database);
