/* SPDX-License-Identifier: Apache-2.0 */
/* division.c - reads a statement as products: a chain of operands between * and /, of which one
 * that is real makes all that follow real. What it cannot see to be real it takes for whole. */
#include "answers/division.h"
#include "answers/parts.h"

#include <string.h>

typedef struct {
  const NpAnswerTables *tables;
  const NpAnswer *answer;
  const char *at;
  const char *wrong; /* the division; NULL: none so far */
} Scan;

typedef enum { NOTHING, OPERAND, REAL_OPERAND, TIMES, DIVIDE, OTHER, CLOSE } Token;

static Token next_token (Scan *s);

/* -- Products ---------------------------------------------------------------------------------- */

/* Reads to the end of the group; returns whether something in it is real. */
static gboolean
is_group_real (Scan *s)
{
  gboolean any = FALSE, real = FALSE; /* real: the product so far */
  const char *division = NULL;        /* the one before the next operand */
  for (Token before = OTHER, token;; before = token) {
    token = next_token (s);
    if (token == NOTHING || token == CLOSE)
      return any;
    if (token == DIVIDE)
      division = real ? NULL : s->at - 1;
    if (token == OPERAND || token == REAL_OPERAND) {
      const gboolean begins = before != TIMES && before != DIVIDE;
      real = (!begins && real) || token == REAL_OPERAND;
      any |= real;
      if (division && !real && !s->wrong)
        s->wrong = division;
      division = NULL;
    } else if (token == OTHER) {
      real = FALSE;
    }
  }
}

/* -- Operands ---------------------------------------------------------------------------------- */

static Token
number (Scan *s)
{
  const gsize len = strspn (s->at, "0123456789.");
  const gboolean real = memchr (s->at, '.', len) != NULL;
  s->at += len;
  return real ? REAL_OPERAND : OPERAND;
}

static gboolean
is_letter (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '.';
}

static gboolean
is_one_of (const char *word, const char *const *words)
{
  g_autofree char *lower = g_ascii_strdown (word, -1);
  return g_strv_contains (words, lower);
}

/* A function is real for its name, whole for its name, or as what it is given. */
static Token
call (Scan *s, const char *name)
{
  static const char *const real[] = { "avg", "total", "round", "sqrt", "ln", "exp", NULL };
  static const char *const whole[] = { "count", "length", "instr", "sign", NULL };
  const char *begin = ++s->at;
  gboolean given = is_group_real (s);
  if (is_one_of (name, (const char *const[]){ "cast", NULL })) {
    g_autofree char *inner = g_ascii_strdown (begin, s->at - begin - 1);
    given = g_str_has_suffix (g_strstrip (inner), " real");
  }
  given = is_one_of (name, real) || (given && !is_one_of (name, whole));
  return given ? REAL_OPERAND : OPERAND;
}

/* Words of SQL end a product. */
static gboolean
is_keyword (const char *word)
{
  static const char *const words[]
      = { "select",    "from",   "where",  "and",    "or",        "not",   "case",    "when",
          "then",      "else",   "end",    "as",     "on",        "join",  "left",    "order",
          "group",     "by",     "having", "limit",  "in",        "is",    "between", "like",
          "glob",      "with",   "union",  "all",    "distinct",  "asc",   "desc",    "over",
          "partition", "exists", "values", "except", "intersect", "using", NULL };
  return is_one_of (word, words);
}

static Token
word (Scan *s)
{
  const char *begin = s->at;
  while (is_letter (*s->at))
    s->at++;
  g_autofree char *name = g_strndup (begin, (gsize) (s->at - begin));
  const char *dot = strrchr (name, '.');
  if (is_keyword (name))
    return OTHER;
  s->at += strspn (s->at, " \n\t");
  if (*s->at == '(')
    return call (s, name);
  return np_answer_tables_real (s->tables, s->answer, dot ? dot + 1 : name) ? REAL_OPERAND
                                                                            : OPERAND;
}

/* -- Tokens ------------------------------------------------------------------------------------ */

static Token
next_token (Scan *s)
{
  s->at = np_sql_skip_blanks (s->at);
  const char c = *s->at;
  if (!c)
    return NOTHING;
  if (g_ascii_isdigit (c))
    return number (s);
  if (is_letter (c))
    return word (s);
  s->at = np_sql_behind (s->at);
  if (c == '\'' || c == '"')
    return OPERAND;
  if (c == '(')
    return is_group_real (s) ? REAL_OPERAND : OPERAND;
  return c == ')' ? CLOSE : c == '*' || c == '%' ? TIMES : c == '/' ? DIVIDE : OTHER;
}

char *
np_answer_division (const NpAnswerTables *tables, const NpAnswer *answer)
{
  Scan s = { .tables = tables, .answer = answer, .at = answer->sql };
  guint line = answer->line;
  while (*s.at && !s.wrong)
    is_group_real (&s);
  if (!s.wrong)
    return NULL;
  for (const char *c = answer->sql; c < s.wrong; c++)
    line += *c == '\n';
  return g_strdup_printf ("%s:%u: a whole number is divided by one, which rounds down: multiply by "
                          "1.0 before",
                          answer->path, line);
}
