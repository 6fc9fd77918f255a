/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - takes the statement of an answer apart: "with A as (...), B as (...) select ...". */
#pragma once

#include <glib.h>

/* "NAME as (SELECT)", within the text that it was read from. */
typedef struct {
  const char *name, *select, *end;
  gsize name_length, select_length;
} NpPart;

/* Returns what is behind the token that begins here: a word, a quoted text, in which a doubled
 * quote is one, a comment, or a character. */
const char *np_sql_behind (const char *at);
/* Returns what is behind the blanks and comments here. */
const char *np_sql_skip_blanks (const char *at);

/* Returns the parts, of NpPart, transfer full, and where the rest begins in *rest.  None where it
 * begins with another word, or is written otherwise ("recursive", names of columns): the rest is
 * all of it. */
GArray *np_parts_of (const char *sql, const char **rest);

/* Returns whether a part is named more than once behind its bracket, outside of quotes and
 * comments. */
gboolean np_part_is_shared (const NpPart *part);
