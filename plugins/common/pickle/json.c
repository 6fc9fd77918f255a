/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - reads a JSON document into the values of a pickle: for small documents alone, since a
 * value takes more memory than its text. */

#include "json/scan.h"
#include "pickle/values.h"

#include <string.h>

typedef struct {
  Pickle *p;
  TeScan scan;
  guint depth;
} Reader;

static const char *read_value (Reader *r, const char *at, PkValue *value);

static const char *
fail (Reader *r, const char *at, const char *why)
{
  r->scan.bad = at;
  r->scan.why = why;
  return NULL;
}

static PkValue
text_of (Reader *r, const TeValue *text)
{
  if (!text->escaped)
    return (PkValue){ .type = PK_TEXT, .len = (guint32) text->len, .text = text->p };
  char *plain = g_malloc (text->len + 1);
  g_ptr_array_add (r->p->texts, plain);
  return (PkValue){ .type = PK_TEXT,
                    .len = (guint32) te_unescape (plain, text->p, text->len),
                    .text = plain };
}

static PkValue
word_of (const TeValue *word)
{
  static const struct {
    const char *word;
    PkValue value;
  } words[] = { { "null", { .type = PK_NONE } },
                { "true", { .type = PK_BOOL, .i = 1 } },
                { "false", { .type = PK_BOOL } } };
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strlen (words[i].word) == word->len && !memcmp (words[i].word, word->p, word->len))
      return words[i].value;
  return (PkValue){ .type = PK_DECIMAL, .len = (guint32) word->len, .text = word->p };
}

static const char *
read_scalar (Reader *r, const char *at, PkValue *value)
{
  TeValue found;
  at = r->scan.with->value (&r->scan, at, &found);
  if (!at)
    return NULL;
  if (found.len > G_MAXUINT32)
    return fail (r, found.p, "a text of more than 4 GB");
  *value = found.kind == TE_TEXT  ? text_of (r, &found)
           : found.kind == TE_INT ? (PkValue){ .type = PK_INT, .i = found.i }
                                  : word_of (&found);
  return at;
}

/* Goes behind `mark`, which must stand at the next place that is no space. */
static const char *
behind (Reader *r, const char *at, char mark, const char *why)
{
  at = te_space (at, r->scan.end);
  return at < r->scan.end && *at == mark ? at + 1 : fail (r, at, why);
}

/* Reads a key and goes behind its colon. */
static const char *
read_key (Reader *r, const char *at, PkItems *items)
{
  PkValue key;
  if (*at != '"')
    return fail (r, at, "a key was expected");
  at = read_scalar (r, at, &key);
  if (at)
    pk_items_append (items, &key, 1);
  return at ? behind (r, at, ':', "no : behind a key") : NULL;
}

/* at: behind the opening bracket.  Returns what is behind the closing one. */
static const char *
read_items (Reader *r, const char *at, PkItems *items, char close)
{
  PkValue value;
  at = te_space (at, r->scan.end);
  if (at < r->scan.end && *at == close)
    return at + 1;
  for (;;) {
    at = te_space (at, r->scan.end);
    if (at == r->scan.end)
      return fail (r, at, "the file ends within the document");
    if (close == '}' && !(at = read_key (r, at, items)))
      return NULL;
    at = read_value (r, te_space (at, r->scan.end), &value);
    if (!at)
      return NULL;
    pk_items_append (items, &value, 1);
    at = te_space (at, r->scan.end);
    if (at < r->scan.end && *at == close)
      return at + 1;
    if (!(at = behind (r, at, ',', "neither , nor a closing bracket behind a value")))
      return NULL;
  }
}

static const char *
read_value (Reader *r, const char *at, PkValue *value)
{
  if (at == r->scan.end || (*at != '{' && *at != '['))
    return read_scalar (r, at, value);
  if (r->depth == PK_DEPTH)
    return fail (r, at, "lists and dicts lie too deep within each other");
  r->depth++;
  *value = (PkValue){ .type = *at == '{' ? PK_DICT : PK_LIST, .items = pk_items_new (r->p) };
  at = read_items (r, at + 1, value->items, *at == '{' ? '}' : ']');
  r->depth--;
  return at;
}

Pickle *
pk_read_json (const void *data, guint64 len, PkValue *root, char **problem, guint64 *at)
{
  const char *text = data;
  Reader r = { .p = pk_new (data, len), .scan = { .with = te_scanner (), .end = text + len } };
  const char *end = read_value (&r, te_space (text, r.scan.end), root);
  end = end ? te_space (end, r.scan.end) : NULL;
  if (end && end < r.scan.end)
    end = fail (&r, end, "text behind the document");
  if (end)
    return r.p;
  *problem = g_strdup (r.scan.why);
  *at = (guint64) (r.scan.bad - text);
  pk_free (r.p);
  return NULL;
}
