/* SPDX-License-Identifier: Apache-2.0 */
/* npy-header.c - the dict in the header of an .npy file: a literal of Python, of which only the few
 * forms that numpy writes are known. */

#include "npy.h"

#include <string.h>

typedef struct {
  const char *text, *at, *end;
  const char *problem; /* the first one */
} Reader;

static gboolean
fail (Reader *r, const char *problem)
{
  if (!r->problem)
    r->problem = problem;
  return FALSE;
}

static void
skip_blanks (Reader *r)
{
  while (r->at < r->end && (*r->at == ' ' || (*r->at >= '\t' && *r->at <= '\r')))
    r->at++;
}

/* Steps over this character, behind blanks, if it is there. */
static gboolean
skip_char (Reader *r, char c)
{
  skip_blanks (r);
  if (r->at >= r->end || *r->at != c)
    return FALSE;
  r->at++;
  return TRUE;
}

static gboolean
take_word (Reader *r, const char *word)
{
  gsize len = strlen (word);
  skip_blanks (r);
  if ((gsize) (r->end - r->at) < len || memcmp (r->at, word, len))
    return FALSE;
  r->at += len;
  return TRUE;
}

/* 'text' or "text", without escapes: numpy needs none for what we take. */
static gboolean
read_string (Reader *r, char *into, gsize room)
{
  skip_blanks (r);
  char quote = r->at < r->end ? *r->at : 0;
  if (quote != '\'' && quote != '"')
    return fail (r, "expected a text in quotes");
  const char *from = r->at + 1;
  const char *to = memchr (from, quote, (gsize) (r->end - from));
  gsize len = to ? (gsize) (to - from) : 0;
  if (!to || len >= room || memchr (from, '\\', len) || memchr (from, 0, len))
    return fail (r, "expected a short text in quotes");
  memcpy (into, from, len);
  into[len] = 0;
  r->at = to + 1;
  return TRUE;
}

static gboolean
read_number (Reader *r, guint64 *number)
{
  skip_blanks (r);
  const char *from = r->at;
  for (*number = 0; r->at < r->end && g_ascii_isdigit (*r->at); r->at++) {
    guint64 digit = (guint64) (*r->at - '0');
    if (*number > (G_MAXUINT64 - digit) / 10)
      return fail (r, "this length is too large");
    *number = *number * 10 + digit;
  }
  if (r->at == from)
    return fail (r, "expected a length");
  if (r->at < r->end && *r->at == 'L') /* Python 2 wrote long integers so */
    r->at++;
  return TRUE;
}

/* (), (6,), (2, 3) */
static gboolean
read_shape (Reader *r, NpNpyDict *dict)
{
  gboolean comma = TRUE;
  dict->n_dims = 0;
  if (!skip_char (r, '('))
    return fail (r, "expected a shape, such as (2, 3)");
  while (!skip_char (r, ')')) {
    if (!comma)
      return fail (r, "expected , or ) in the shape");
    if (dict->n_dims == NP_NPY_DIMS)
      return fail (r, "the shape has more than 32 dimensions");
    if (!read_number (r, &dict->shape[dict->n_dims++]))
      return FALSE;
    comma = skip_char (r, ',');
  }
  return dict->n_dims != 1 || comma || fail (r, "expected a comma in a shape of one dimension");
}

static gboolean
read_bool (Reader *r, gboolean *value)
{
  *value = take_word (r, "True");
  return *value || take_word (r, "False") || fail (r, "expected True or False");
}

static gboolean
read_value (Reader *r, const char *key, NpNpyDict *dict, guint *seen)
{
  static const char *const keys[] = { "descr", "fortran_order", "shape" };
  guint which = 0;
  while (which < G_N_ELEMENTS (keys) && strcmp (key, keys[which]))
    which++;
  if (which == G_N_ELEMENTS (keys))
    return fail (r, "expected the keys descr, fortran_order and shape alone");
  if (*seen & 1u << which)
    return fail (r, "this key stands here twice");
  *seen |= 1u << which;
  skip_blanks (r);
  if (which == 0 && r->at < r->end && *r->at == '[')
    return fail (r, "a record of fields cannot be given to a tensor: save each field alone");
  return which == 0   ? read_string (r, dict->descr, sizeof dict->descr)
         : which == 1 ? read_bool (r, &dict->fortran)
                      : read_shape (r, dict);
}

static gboolean
read_dict (Reader *r, NpNpyDict *dict)
{
  char key[32];
  guint seen = 0;
  gboolean comma = TRUE;
  if (!skip_char (r, '{'))
    return fail (r, "expected {");
  while (!skip_char (r, '}')) {
    if (!comma)
      return fail (r, "expected , or }");
    if (!read_string (r, key, sizeof key))
      return FALSE;
    if (!skip_char (r, ':'))
      return fail (r, "expected :");
    if (!read_value (r, key, dict, &seen))
      return FALSE;
    comma = skip_char (r, ',');
  }
  skip_blanks (r);
  if (r->at != r->end)
    return fail (r, "expected the end of the header");
  return seen == 7 || fail (r, "one of the keys descr, fortran_order and shape is missing");
}

const char *
np_npy_dict (const char *text, gsize len, NpNpyDict *dict, gsize *at)
{
  Reader r = { .text = text, .at = text, .end = text + len };
  memset (dict, 0, sizeof *dict);
  read_dict (&r, dict);
  *at = (gsize) (r.at - r.text);
  return r.problem;
}
