/* SPDX-License-Identifier: Apache-2.0 */
/* small-json.c - lets json-glib parse a small file, after a look at what it does not check
 * itself: it wraps integers around, ends strings at \u0000, and nests by recursion. */

#include "small-json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

#define MAX_DEPTH 64
#define MAX_DIGITS 18 /* any number of so many fits into an int64 */

typedef struct {
  const char *at, *end;
  guint depth, digits, line;
  gboolean fraction;
} Scan;

/* Steps over a string; FALSE when it holds \u0000.  Its errors are the parser's. */
static gboolean
skip_string (Scan *s)
{
  for (s->at++; s->at < s->end && *s->at != '"'; s->at++) {
    if (*s->at != '\\')
      continue;
    if (s->end - s->at >= 6 && memcmp (s->at, "\\u0000", 6) == 0)
      return FALSE;
    s->at++;
  }
  return TRUE;
}

static void
see_number (Scan *s, char c)
{
  if (g_ascii_isdigit (c))
    s->digits++;
  else if (s->digits && (c == '.' || c == 'e' || c == 'E'))
    s->fraction = TRUE;
  else if (!s->fraction || (c != '+' && c != '-')) {
    s->digits = 0;
    s->fraction = FALSE;
  }
}

/* What is wrong, or NULL. */
static const char *
look_at (Scan *s)
{
  for (; s->at < s->end; s->at++) {
    char c = *s->at;
    see_number (s, c);
    if (s->digits > MAX_DIGITS && !s->fraction)
      return "a whole number of more than 18 digits: write it as a string";
    s->line += c == '\n';
    s->depth += c == '[' || c == '{';
    s->depth -= s->depth > 0 && (c == ']' || c == '}');
    if (s->depth > MAX_DEPTH)
      return "nested deeper than 64 levels: expected a small document";
    if (c == '"' && !skip_string (s))
      return "a string holds \\u0000, which no value can hold: leave it out";
  }
  return NULL;
}

/* Transfer full, NUL-terminated. */
static char *
read_all (const char *path, gsize *len, GError **error)
{
  FILE *file = fopen (path, "re");
  if (!file) {
    np_error_errno (error, NP_EXIT_USAGE, path, errno);
    return NULL;
  }
  g_autofree char *text = g_malloc (NP_SMALL_JSON_BYTES + 1);
  *len = fread (text, 1, NP_SMALL_JSON_BYTES + 1, file);
  int err = ferror (file) ? errno : 0;
  fclose (file);
  if (err) {
    np_error_errno (error, NP_EXIT_USAGE, path, err);
    return NULL;
  }
  if (*len > NP_SMALL_JSON_BYTES) {
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE, "%s: larger than 1 MB: expected a small document",
                 path);
    return NULL;
  }
  text[*len] = '\0';
  return g_steal_pointer (&text);
}

JsonNode *
np_small_json_read (const char *path, GError **error)
{
  gsize len;
  g_autofree char *text = read_all (path, &len, error);
  if (!text)
    return NULL;
  Scan scan = { .at = text, .end = text + len, .line = 1 };
  const char *problem = look_at (&scan);
  if (problem) {
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE, "%s:%u: %s", path, scan.line, problem);
    return NULL;
  }
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) cause = NULL;
  if (!json_parser_load_from_data (parser, text, (gssize) len, &cause)) {
    const char *why = cause->message, *place = "<data>:";
    gboolean placed = g_str_has_prefix (why, place);
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE, placed ? "%s:%s" : "%s: %s", path,
                 placed ? why + strlen (place) : why);
    return NULL;
  }
  JsonNode *root = json_parser_get_root (parser);
  if (!root)
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE, "%s: the file is empty: expected JSON", path);
  return root ? json_node_ref (root) : NULL;
}
