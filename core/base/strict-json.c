/* SPDX-License-Identifier: Apache-2.0 */
/* strict-json.c - lets json-glib parse a small file, after a look at what it does not check
 * itself: it wraps integers around, takes 010 for 8, ends strings at \u0000, nests by recursion,
 * leaves out (and leaks) what follows the document, and takes text that is no JSON. */

#include "base/strict-json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define MAX_DEPTH 64
#define MAX_DIGITS 19 /* of an int64 */

typedef struct {
  const char *at, *end;
  guint depth, digits;
  guint64 number; /* of these digits */
  gboolean fraction, begun, ended;
} Scan;

/* Returns the value of \uXXXX at `at`; -1: it is not one. */
static int
escaped_unit (const char *at, const char *end)
{
  int unit = 0;
  if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
    return -1;
  for (guint k = 2; k < 6; k++) {
    if (!g_ascii_isxdigit (at[k]))
      return -1;
    unit = 16 * unit + g_ascii_xdigit_value (at[k]);
  }
  return unit;
}

/* Steps over a backslash and the characters that belong to it. */
static const char *
skip_escape (Scan *s)
{
  const char *odd = "an escape that JSON does not have: write \\\\ for a backslash";
  if (s->end - s->at < 2 || s->at[1] != 'u') {
    s->at += 2;
    return s->at > s->end || strchr ("\"\\/bfnrt", s->at[-1]) ? NULL : odd;
  }
  int unit = escaped_unit (s->at, s->end);
  gboolean high = unit >= 0xd800 && unit < 0xdc00;
  int low = high ? escaped_unit (s->at + 6, s->end) : 0xdc00;
  if (unit == 0)
    return "a string holds \\u0000, which no value can hold: leave it out";
  if (unit < 0 || (unit >= 0xdc00 && unit < 0xe000) || low < 0xdc00 || low >= 0xe000)
    return odd;
  s->at += high ? 12 : 6;
  return NULL;
}

/* Steps to the quote that ends a string.  The parser reports a missing one. */
static const char *
skip_string (Scan *s)
{
  const char *problem = NULL;
  for (s->at++; s->at < s->end && *s->at != '"' && !problem;)
    if (*s->at == '\\')
      problem = skip_escape (s);
    else
      s->at++;
  return problem;
}

static void
see_number (Scan *s, char c)
{
  if (g_ascii_isdigit (c))
    s->number = (s->digits++ ? s->number * 10 : 0) + (guint) (c - '0');
  else if (s->digits && (c == '.' || c == 'e' || c == 'E'))
    s->fraction = TRUE;
  else if (!s->fraction || (c != '+' && c != '-')) {
    s->digits = 0;
    s->fraction = FALSE;
  }
}

/* The parser would read 010 as 8, and 0x10 as 16. */
static gboolean
is_octal_or_hex (const Scan *s, char c)
{
  return !s->fraction && s->digits == 1 && s->at[-1] == '0' && (g_ascii_isdigit (c) || c == 'x');
}

static gboolean
is_json (char c)
{
  return g_ascii_isalnum (c) || g_ascii_isspace (c) || (c && strchr ("{}[],:+-.\"", c));
}

/* Returns whether another document begins at this character, which is not blank: json-glib would
 * leave it out in silence. */
static gboolean
begins_another (Scan *s, char c)
{
  gboolean opens = c == '[' || c == '{', closes = s->depth && (c == ']' || c == '}');
  gboolean another = !s->depth && (s->ended || (opens && s->begun));
  s->begun = TRUE;
  s->depth += opens;
  s->depth -= closes;
  s->ended |= closes && !s->depth;
  return another;
}

static gboolean
is_beyond (const Scan *s)
{
  return !s->fraction && (s->digits > MAX_DIGITS || (s->digits && s->number > G_MAXINT64));
}

static const char *
look_at_one (Scan *s, char c)
{
  if (is_octal_or_hex (s, c))
    return "a number that begins with 0: write it as a decimal number";
  see_number (s, c);
  if (is_beyond (s))
    return "a whole number that 64 bits do not hold: write it as a string";
  if (!is_json (c))
    return "a character that JSON has in strings only: write strings in \"\", and no comments";
  if (!g_ascii_isspace (c) && begins_another (s, c))
    return "something stands behind the end of the document: expected one document";
  if (s->depth > MAX_DEPTH)
    return "nested deeper than 64 levels: expected a small document";
  return c == '"' ? skip_string (s) : NULL;
}

const char *
np_strict_json_problem (const char *text, gsize len, guint *line)
{
  Scan s = { .at = text, .end = text + len };
  const char *problem = NULL;
  for (*line = 1; s.at < s.end && !problem; s.at++) {
    *line += *s.at == '\n';
    problem = look_at_one (&s, *s.at);
  }
  return problem;
}

/* Returns the whole file, NUL-terminated; transfer full. */
static char *
read_all (const char *path, gsize *len, GError **error)
{
  FILE *file = fopen (path, "re");
  if (!file) {
    np_error_errno (error, NP_EXIT_USAGE, path, errno);
    return NULL;
  }
  g_autofree char *text = g_malloc (NP_STRICT_JSON_BYTES + 1);
  *len = fread (text, 1, NP_STRICT_JSON_BYTES + 1, file);
  int err = ferror (file) ? errno : 0;
  fclose (file);
  if (err) {
    np_error_errno (error, NP_EXIT_USAGE, path, err);
    return NULL;
  }
  if (*len > NP_STRICT_JSON_BYTES) {
    np_error_set (error, NP_EXIT_USAGE, "%s: larger than 1 MB: expected a small document", path);
    return NULL;
  }
  text[*len] = '\0';
  return g_steal_pointer (&text);
}

/* This is a member that is given twice: json-glib would keep the last one. */
typedef struct {
  GHashTable *members; /* how many an object was given */
  char *twice;
} Members;

static void
see_member (JsonParser *parser, JsonObject *object, const char *name, gpointer data)
{
  (void) parser;
  Members *m = data;
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (m->members, object)) + 1;
  g_hash_table_insert (m->members, object, GUINT_TO_POINTER (n));
  if (n > json_object_get_size (object) && !m->twice)
    m->twice = g_strdup (name);
}

static void
parser_error (GError **error, const char *path, const char *why)
{
  const char *place = "<data>:";
  gboolean placed = g_str_has_prefix (why, place);
  np_error_set (error, NP_EXIT_USAGE, placed ? "%s:%s" : "%s: %s", path,
                placed ? why + strlen (place) : why);
}

/* Loads the text; FALSE when json-glib does not take it, or has changed it. */
static gboolean
load (JsonParser *parser, const char *path, const char *text, gsize len, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (GHashTable) members = g_hash_table_new (NULL, NULL);
  Members m = { members, NULL };
  gulong seen = g_signal_connect (parser, "object-member", G_CALLBACK (see_member), &m);
  gboolean ok = json_parser_load_from_data (parser, text, (gssize) len, &cause);
  g_signal_handler_disconnect (parser, seen);
  if (!ok)
    parser_error (error, path, cause->message);
  else if (m.twice)
    np_error_set (error, NP_EXIT_USAGE, "%s: member \"%s\" is given twice: keep one", path,
                  m.twice);
  ok &= !m.twice;
  g_free (m.twice);
  return ok;
}

JsonNode *
np_strict_json_read (const char *path, GError **error)
{
  gsize len;
  guint line;
  g_autofree char *text = read_all (path, &len, error);
  if (!text)
    return NULL;
  const char *problem = np_strict_json_problem (text, len, &line);
  if (problem) {
    np_error_set (error, NP_EXIT_USAGE, "%s:%u: %s", path, line, problem);
    return NULL;
  }
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  if (!load (parser, path, text, len, error))
    return NULL;
  JsonNode *root = json_parser_get_root (parser);
  if (!root)
    np_error_set (error, NP_EXIT_USAGE, "%s: the file is empty: expected JSON", path);
  return root ? json_node_ref (root) : NULL;
}
