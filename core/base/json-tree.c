/* SPDX-License-Identifier: Apache-2.0 */
/* json-tree.c - parses what strict-json.c has looked through: escapes are whole, numbers fit, and
 * nesting is bounded, so that recursion is, too. */

#include "base/json-tree.h"

#include <nprof/json.h>
#include <string.h>

#include "base/strict-json.h"

#define BLOCK 16 /* values that are allocated at once */

/* What a tree lies in; its root is what callers hold. */
typedef struct {
  NpJsonTree root; /* first */
  GStringChunk *strings;
  GPtrArray *blocks; /* of values, beyond the root */
  guint used;        /* of the last block          */
} Document;

typedef struct {
  const char *at, *end;
  const char *expected; /* NULL: all is well so far */
  Document *document;
} Reader;

static gboolean read_value (Reader *r, NpJsonTree *to);

/* -- Characters ------------------------------------------------------------ */

static gboolean
fail (Reader *r, const char *expected)
{
  if (!r->expected)
    r->expected = expected;
  return FALSE;
}

/* Steps over blanks; returns what stands behind them, 0 at the end. */
static char
next_char (Reader *r)
{
  while (r->at < r->end && strchr (" \t\r\n", *r->at) && *r->at)
    r->at++;
  return r->at < r->end ? *r->at : 0;
}

static gboolean
take (Reader *r, char c)
{
  if (next_char (r) != c)
    return FALSE;
  r->at++;
  return TRUE;
}

/* -- Strings --------------------------------------------------------------- */

/* Reads the four digits behind \u, and the other half of a pair. */
static gunichar
escaped_char (Reader *r)
{
  int unit = nprof_json_hex4 (r->at + 2, r->end);
  r->at += 6;
  if (unit < 0xd800 || unit >= 0xe000)
    return (gunichar) unit;
  int low = nprof_json_hex4 (r->at + 2, r->end);
  r->at += 6;
  return 0x10000 + (((gunichar) unit - 0xd800) << 10) + ((gunichar) low - 0xdc00);
}

static void
append_escape (Reader *r, GString *text)
{
  static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
  if (r->at[1] == 'u') {
    g_string_append_unichar (text, escaped_char (r));
    return;
  }
  const char *known = strchr (from, r->at[1]);
  g_string_append_c (text, known ? to[known - from] : r->at[1]);
  r->at += 2;
}

static const char *
plain_end (const Reader *r)
{
  const char *p = r->at;
  while (p < r->end && *p != '"' && *p != '\\' && (guchar) *p >= 0x20)
    p++;
  return p;
}

/* Reads the rest of a string that has an escape or does not end; its beginning is in `text`. */
static gboolean
read_escaped (Reader *r, GString *text)
{
  for (;;) {
    const char *end = plain_end (r);
    g_string_append_len (text, r->at, end - r->at);
    r->at = end;
    if (r->at == r->end || (guchar) *r->at < 0x20 || (*r->at == '\\' && r->end - r->at < 2))
      return fail (r, "the end of a string, in which control characters are escaped");
    if (*r->at == '"')
      return TRUE;
    append_escape (r, text);
  }
}

/* Returns the string, whose quote is next; NULL: it is none, or does not end. */
static const char *
read_string (Reader *r)
{
  GStringChunk *strings = r->document->strings;
  const char *text = NULL;
  if (!take (r, '"')) {
    fail (r, "a string");
    return NULL;
  }
  const char *end = plain_end (r);
  if (end < r->end && *end == '"') {
    text = g_string_chunk_insert_len (strings, r->at, end - r->at);
    r->at = end + 1;
    return text;
  }
  g_autoptr (GString) escaped = g_string_new (NULL);
  if (read_escaped (r, escaped)) {
    text = g_string_chunk_insert_len (strings, escaped->str, (gssize) escaped->len);
    r->at++;
  }
  return text;
}

/* -- Values ---------------------------------------------------------------- */

static NpJsonTree *
new_value (Document *document)
{
  if (!document->blocks->len || document->used == BLOCK) {
    g_ptr_array_add (document->blocks, g_new0 (NpJsonTree, BLOCK));
    document->used = 0;
  }
  NpJsonTree *block = document->blocks->pdata[document->blocks->len - 1];
  return &block[document->used++];
}

static gboolean
read_word (Reader *r, NpJsonTree *to)
{
  static const char *const words[] = { "null", "false", "true" };
  const char *from = r->at;
  bool whole = false;
  while (r->at < r->end && (g_ascii_isalnum (*r->at) || strchr ("+-.", *r->at)) && *r->at)
    r->at++;
  gsize len = (gsize) (r->at - from);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (len == strlen (words[i]) && memcmp (from, words[i], len) == 0) {
      to->type = (NpJsonType) i;
      return TRUE;
    }
  if (!nprof_json_is_number (from, r->at, &whole))
    return fail (r, "a value");
  to->type = whole ? NP_JSON_INT : NP_JSON_REAL;
  if (whole)
    to->number
        = g_ascii_strtoll (g_string_chunk_insert_len (r->document->strings, from, (gssize) len),
                           NULL, 10);
  return TRUE;
}

static gboolean
read_member (Reader *r, NpJsonTree *to)
{
  to->name = read_string (r);
  if (!to->name)
    return FALSE;
  return take (r, ':') ? read_value (r, to) : fail (r, "':'");
}

/* Reads an array or an object, whose first character has been taken. */
static gboolean
read_items (Reader *r, NpJsonTree *to, NpJsonType type, char closing)
{
  NpJsonTree **link = &to->first;
  to->type = type;
  if (take (r, closing))
    return TRUE;
  do {
    NpJsonTree *item = *link = new_value (r->document);
    if (!(type == NP_JSON_OBJECT ? read_member (r, item) : read_value (r, item)))
      return FALSE;
    link = &item->next;
  } while (take (r, ','));
  return take (r, closing) || fail (r, closing == ']' ? "',' or ']'" : "',' or '}'");
}

static gboolean
read_value (Reader *r, NpJsonTree *to)
{
  if (take (r, '{'))
    return read_items (r, to, NP_JSON_OBJECT, '}');
  if (take (r, '['))
    return read_items (r, to, NP_JSON_ARRAY, ']');
  if (next_char (r) != '"')
    return read_word (r, to);
  to->type = NP_JSON_STRING;
  to->text = read_string (r);
  return to->text != NULL;
}

/* -- Documents ------------------------------------------------------------- */

static Document *
document_new (void)
{
  Document *document = g_new0 (Document, 1);
  document->strings = g_string_chunk_new (256);
  document->blocks = g_ptr_array_new_with_free_func (g_free);
  return document;
}

void
np_json_tree_free (NpJsonTree *root)
{
  Document *document = (Document *) root;
  if (!document)
    return;
  g_string_chunk_free (document->strings);
  g_ptr_array_unref (document->blocks);
  g_free (document);
}

static guint
line_of (const char *text, const char *at)
{
  guint line = 1;
  for (; text < at; text++)
    line += *text == '\n';
  return line;
}

/* Returns the tree of a text that has been looked through; NULL, and a problem. */
static NpJsonTree *
read_document (const char *text, gsize len, char **problem)
{
  Reader r = { text, text + len, NULL, document_new () };
  if (read_value (&r, &r.document->root) && !next_char (&r))
    return &r.document->root;
  *problem = g_strdup_printf ("line %u: %s was expected", line_of (text, r.at),
                              r.expected ? r.expected : "the end of the document");
  np_json_tree_free (&r.document->root);
  return NULL;
}

NpJsonTree *
np_json_tree_parse (const char *text, gsize len, char **problem)
{
  guint line = 1;
  const char *odd = g_utf8_validate (text, (gssize) len, NULL)
                        ? np_strict_json_problem (text, len, &line)
                        : "it is no text in UTF-8";
  if (!odd)
    return read_document (text, len, problem);
  *problem = g_strdup_printf ("line %u: %s", line, odd);
  return NULL;
}

/* -- Asking ---------------------------------------------------------------- */

gboolean
np_json_tree_is (const NpJsonTree *json, NpJsonType type)
{
  return json && json->type == type;
}

const NpJsonTree *
np_json_tree_first (const NpJsonTree *json, NpJsonType type)
{
  return np_json_tree_is (json, type) ? json->first : NULL;
}

const NpJsonTree *
np_json_tree_member (const NpJsonTree *json, const char *name)
{
  const NpJsonTree *found = NULL;
  const NpJsonTree *member = np_json_tree_first (json, NP_JSON_OBJECT);
  for (; member; member = member->next)
    if (strcmp (member->name, name) == 0)
      found = member;
  return found;
}

const char *
np_json_tree_text (const NpJsonTree *json)
{
  return np_json_tree_is (json, NP_JSON_STRING) ? json->text : NULL;
}

/* -- Writing --------------------------------------------------------------- */

void
np_append_json_text (GString *out, const char *text)
{
  struct nprof_buf json = { 0 };
  nprof_put_json_string (&json, text, strlen (text), 0);
  if (json.failed)
    g_error ("no memory for a JSON string of %zu bytes", strlen (text));
  g_string_append_len (out, json.data, (gssize) json.len);
  nprof_buf_clear (&json);
}
