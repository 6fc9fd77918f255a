/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - finds the parts of a statement by its brackets, quotes and comments alone. */
#include "answers/parts.h"

#include <string.h>

static gboolean
is_of_word (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

const char *
np_sql_behind (const char *at)
{
  const char quote = *at;
  if (is_of_word (*at)) {
    while (is_of_word (*at))
      at++;
  } else if (at[0] == '-' && at[1] == '-') {
    at += strcspn (at, "\n");
  } else if (quote == '\'' || quote == '"') {
    for (at++; *at && (*at != quote || at[1] == quote); at++)
      at += *at == quote;
    at += *at != '\0';
  } else {
    at++;
  }
  return at;
}

const char *
np_sql_skip_blanks (const char *at)
{
  while (g_ascii_isspace (*at) || (at[0] == '-' && at[1] == '-'))
    at = np_sql_behind (at);
  return at;
}

/* Returns what is behind a word and the blanks that follow; NULL: another one stands here. */
static const char *
behind_word (const char *at, const char *word)
{
  const char *end = np_sql_behind (at);
  const gsize length = strlen (word);
  const gboolean stands
      = (gsize) (end - at) == length && !g_ascii_strncasecmp (at, word, length);
  return stands ? np_sql_skip_blanks (end) : NULL;
}

/* Returns what is behind the bracket that closes the one here; NULL: none does. */
static const char *
behind_bracket (const char *at)
{
  guint open = 0;
  for (; *at; at = np_sql_behind (at)) {
    open += *at == '(';
    open -= *at == ')';
    if (!open)
      return at + 1;
  }
  return NULL;
}

/* Reads "NAME as (...)"; returns what is behind it, or NULL. */
static const char *
read_part (const char *at, NpPart *part)
{
  part->name = at;
  part->name_length = (gsize) (np_sql_behind (at) - at);
  at = behind_word (np_sql_skip_blanks (np_sql_behind (at)), "as");
  if (!at || *at != '(')
    return NULL;
  part->select = at + 1;
  part->end = behind_bracket (at);
  part->select_length = part->end ? (gsize) (part->end - 1 - part->select) : 0;
  return part->end;
}

GArray *
np_parts_of (const char *sql, const char **rest)
{
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (NpPart));
  const char *at = behind_word (np_sql_skip_blanks (sql), "with");
  *rest = sql;
  while (at) {
    NpPart part;
    if (!(at = read_part (at, &part)))
      break;
    g_array_append_val (parts, part);
    at = np_sql_skip_blanks (at);
    if (*at != ',') {
      *rest = at;
      return parts;
    }
    at = np_sql_skip_blanks (at + 1);
  }
  g_array_set_size (parts, 0);
  return parts;
}

gboolean
np_part_is_shared (const NpPart *part)
{
  guint n = 0;
  for (const char *at = part->end, *end; *at && n < 2; at = end) {
    end = np_sql_behind (at);
    n += (gsize) (end - at) == part->name_length && !memcmp (at, part->name, part->name_length);
  }
  return n == 2;
}
