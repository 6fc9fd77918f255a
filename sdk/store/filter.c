/* SPDX-License-Identifier: Apache-2.0 */
/* filter.c - parses conditions into alternatives by recursive descent. `not` is pushed down to the
 * terms while they are read: below it, `and` adds alternatives and `or` joins them. */
#include "filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 32, MOST_PARTS = 4096, MOST_REPEATS = 1000, MOST_REGEX = 1000 };

struct parse {
  const char *text;
  uint32_t at, depth;
  enum np_filter_words words;
  struct np_filter *filter;
  char *error;
  bool full; /* no memory */
};

/* Alternatives while they are made; each ends behind the part before ends[i]. */
struct sum {
  struct np_filter_part *parts;
  uint32_t *ends;
  uint32_t n;
};

static bool
fail (struct parse *p, uint32_t at, const char *expected)
{
  p->at = at;
  snprintf (p->error, 160, "%s", expected);
  return false;
}

static bool
fail_memory (struct parse *p)
{
  return fail (p, p->at, "not enough memory for the condition");
}

/* -- Alternatives ------------------------------------------------------------------------------ */

static void
clear_sum (struct sum *s)
{
  free (s->parts);
  free (s->ends);
  *s = (struct sum){ 0 };
}

static uint32_t
n_parts (const struct sum *s)
{
  return s->n ? s->ends[s->n - 1] : 0;
}

static uint32_t
begin_of (const struct sum *s, uint32_t i)
{
  return i ? s->ends[i - 1] : 0;
}

static bool
reserve (struct parse *p, struct sum *s, uint64_t parts, uint64_t n)
{
  if (parts > MOST_PARTS || n > MOST_PARTS)
    return fail (p, p->at,
                 "fewer alternatives: this condition has thousands once and, or and not "
                 "are multiplied out");
  s->parts = malloc ((parts + 1) * sizeof *s->parts);
  s->ends = malloc ((n + 1) * sizeof *s->ends);
  return (s->parts && s->ends) || fail_memory (p);
}

/* Puts an alternative's parts behind those of the last one of `to`, which stays open. */
static void
append (struct sum *to, uint32_t *used, const struct sum *from, uint32_t i)
{
  uint32_t begin = begin_of (from, i), n = from->ends[i] - begin;
  memcpy (to->parts + *used, from->parts + begin, n * sizeof *to->parts);
  *used += n;
}

/* Makes *a the alternatives of both, or with `each` every one of *a together with every one of *b,
 * which is freed. */
static bool
join (struct parse *p, struct sum *a, struct sum *b, bool each)
{
  struct sum made = { 0 };
  uint64_t n = each ? (uint64_t) a->n * b->n : (uint64_t) a->n + b->n,
           parts = each ? (uint64_t) n_parts (a) * b->n + (uint64_t) n_parts (b) * a->n
                        : (uint64_t) n_parts (a) + n_parts (b);
  uint32_t used = 0;
  bool ok = reserve (p, &made, parts, n);
  for (uint32_t i = 0; ok && i < a->n; i++)
    for (uint32_t k = 0; k < (each ? b->n : 1); k++) {
      append (&made, &used, a, i);
      if (each)
        append (&made, &used, b, k);
      made.ends[made.n++] = used;
    }
  for (uint32_t k = 0; ok && !each && k < b->n; k++) {
    append (&made, &used, b, k);
    made.ends[made.n++] = used;
  }
  clear_sum (a);
  clear_sum (b);
  if (ok)
    *a = made;
  else
    clear_sum (&made);
  return ok;
}

/* -- Words of the grammar ---------------------------------------------------------------------- */

static const char *
skip_blanks (const char *t)
{
  return t + strspn (t, " \t");
}

/* Returns what follows the word where it stands alone; NULL: it does not stand here. */
static const char *
after_word (const char *t, const char *word)
{
  size_t n = strlen (word);
  return !strncmp (t, word, n) && (!t[n] || strchr (" \t(\"", t[n])) ? skip_blanks (t + n) : NULL;
}

/* Takes an operator; returns its length, 0: there is none. */
static size_t
take_op (const char *t, struct np_want *want, bool *deny)
{
  static const struct {
    const char *text;
    enum np_op op;
    bool deny;
  } ops[]
      = { { "!=", NP_EQUAL, true },       { "!~", NP_LIKE, true },   { ">=", NP_MORE_EQUAL, false },
          { "<=", NP_LESS_EQUAL, false }, { "==", NP_EQUAL, false }, { "=", NP_EQUAL, false },
          { "~", NP_LIKE, false },        { ">", NP_MORE, false },   { "<", NP_LESS, false } };
  for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
    if (!strncmp (t, ops[k].text, strlen (ops[k].text))) {
      want->op = ops[k].op;
      *deny = ops[k].deny;
      return strlen (ops[k].text);
    }
  return 0;
}

/* Returns whether a term or what is in parentheses begins here, such as behind `and`: in a value
 * without quotes, "forward and backward", these are words as any other. */
static bool
begins_factor (const struct parse *p, const char *t)
{
  if (p->words == NP_FILTER_WORDS)
    return true;
  if (after_word (t, "not") || *t == '(' || *t == '"')
    return true;
  const char *op = strpbrk (t, "=!~<>");
  return op && op > t;
}

/* Returns whether `and` or `or` parts conditions here, behind a blank. */
static bool
is_connective (const struct parse *p, const char *t)
{
  const char *next = after_word (t, "and");
  next = next ? next : after_word (t, "or");
  return next && begins_factor (p, next);
}

/* -- Values ------------------------------------------------------------------------------------ */

/* Copies what is in quotes of either kind to *to; returns what follows, NULL: they do not end. */
static const char *
take_quoted (const char *t, char **to)
{
  const char quote = *t;
  for (t++; *t && *t != quote; t++) {
    if (*t == '\\' && (t[1] == quote || t[1] == '\\'))
      t++;
    *(*to)++ = *t;
  }
  return *t ? t + 1 : NULL;
}

/* Returns whether a value without quotes ends here, at `depth` parentheses of its own. */
static bool
ends_value (const struct parse *p, const char *value, const char *t, uint32_t depth)
{
  if (*t == ')')
    return !depth && p->depth;
  if (t == value && p->words == NP_FILTER_TERMS && t[-1] == ' ' && is_connective (p, t))
    return true; /* KEY= and ...: an empty one */
  if (*t != ' ' && *t != '\t')
    return !*t || *t == '|';
  if (p->words == NP_FILTER_WORDS)
    return true;
  const char *next = skip_blanks (t);
  return !*next || (*next == ')' && !depth && p->depth) || (t > value && is_connective (p, next));
}

static const char *
take_plain (const struct parse *p, const char *t, char **to)
{
  const char *value = t;
  for (uint32_t depth = 0; !ends_value (p, value, t, depth); t++) {
    depth += *t == '(';
    depth -= *t == ')' && depth;
    *(*to)++ = *t;
  }
  return t;
}

/* Returns the slash that ends a regular expression; NULL: the value is none, such as a path. */
static const char *
end_of_regex (const char *t)
{
  if (*t != '/' || t[1] == '/')
    return NULL;
  for (const char *end = t + 1; *end; end++)
    if (*end == '\\' && end[1])
      end++;
    else if (*end == '/' && (!end[1] || strchr (" \t)|", end[1])))
      return end;
  return NULL;
}

/* Refuses what takes long or much memory to match: references back, and counted repetitions that
 * multiply. */
static const char *
wrong_regex (const char *text)
{
  unsigned long all = 1;
  if (strlen (text) > MOST_REGEX)
    return "a regular expression of at most 1,000 characters";
  for (const char *t = text; *t; t++) {
    if (*t == '\\' && t[1] >= '1' && t[1] <= '9')
      return "a regular expression without references back such as \\1";
    t += *t == '\\' && t[1];
    unsigned long least = 0, most = 0;
    if (*t != '{' || sscanf (t, "{%5lu,%5lu", &least, &most) < 1)
      continue;
    most = most > least ? most : least;
    all *= most ? most : 1;
    if (all > MOST_REPEATS)
      return "a regular expression whose repetitions {n,m} multiply to at most 1,000";
  }
  return NULL;
}

static bool
take_regex (struct parse *p, const char *t, const char *end, struct np_want *want, char **to)
{
  char *text = *to;
  for (t++; t < end; t++) {
    bool escape = *t == '\\' && t + 1 < end;
    if (escape && t[1] != '/')
      *(*to)++ = *t;
    t += escape;
    *(*to)++ = *t;
  }
  **to = 0;
  const char *wrong = wrong_regex (text);
  if (wrong)
    return fail (p, p->at, wrong);
  want->regex = malloc (sizeof *want->regex);
  if (!want->regex)
    return fail_memory (p);
  int status = regcomp (want->regex, text, REG_EXTENDED | REG_ICASE | REG_NOSUB);
  if (!status)
    return true;
  char why[80];
  regerror (status, want->regex, why, sizeof why);
  free (want->regex);
  want->regex = NULL;
  snprintf (p->error, 160, "a regular expression (%s)", why);
  return false;
}

/* Takes one alternative of a value to *to, ended by NUL. */
static bool
take_alternative (struct parse *p, const char *quotes, struct np_want *want, char **to)
{
  const char *t = p->text + p->at, *regex = want->op == NP_LIKE ? end_of_regex (t) : NULL;
  if (regex && !want->n) {
    if (!take_regex (p, t, regex, want, to))
      return false;
    t = regex + 1;
  } else if (*t && strchr (quotes, *t)) {
    const bool is_double = *t == '"';
    t = take_quoted (t, to);
    if (!t)
      return fail (p, p->at, is_double ? "a closing \"" : "a closing '");
  } else
    t = take_plain (p, t, to);
  *(*to)++ = 0;
  p->at = (uint32_t) (t - p->text);
  return true;
}

static bool
take_value (struct parse *p, const char *quotes, struct np_want *want)
{
  uint32_t at = p->at;
  char *to = want->text = malloc (strlen (p->text + p->at) + 2), *end;
  if (!to)
    return fail_memory (p);
  want->is_number = true;
  for (bool more = true; more;) {
    char *value = to;
    if (!take_alternative (p, quotes, want, &to))
      return false;
    double number = np_number_read (value, &end);
    want->is_number &= end > value && !*end;
    if (!want->n++) {
      want->number = number;
      want->is_decimal = np_decimal_read (value, strlen (value), &want->decimal);
    }
    more = p->text[p->at] == '|';
    if (more && want->regex)
      return fail (p, p->at, "one regular expression, in which | parts alternatives");
    p->at += more;
  }
  if (want->op <= NP_LIKE)
    return true;
  return want->n == 1 ? *want->text || fail (p, at, "a value")
                      : fail (p, at, "one value, for it is compared by size");
}

/* -- Terms ------------------------------------------------------------------------------------- */

/* Takes FIELD OP as far as it stands here; returns whether it does. */
static bool
take_field (struct parse *p, struct np_filter_term *term, bool *deny)
{
  const char *t = p->text + p->at, *end;
  char *name = malloc (strlen (t) + 1), *to = name;
  if (!name) {
    p->full = true;
    return false;
  }
  if (*t == '"')
    end = take_quoted (t, &to);
  else {
    end = t + strcspn (t, p->words == NP_FILTER_WORDS ? " \t\"=~<>!" : "=~<>!");
    to = memcpy (name, t, (size_t) (end - t));
    to += end - t;
    while (to > name && strchr (" \t", to[-1]))
      to--;
  }
  *to = 0;
  const char *op = end ? skip_blanks (end) : "";
  size_t len = to > name ? take_op (op, &term->want, deny) : 0;
  const char *value = skip_blanks (op + len);
  /* In a search "a =b" are two words, and "a = b" is a term. */
  if (!len || (p->words == NP_FILTER_WORDS && op > end && value == op + len)) {
    free (name);
    return false;
  }
  term->field = name;
  p->at = (uint32_t) (value - p->text);
  return true;
}

static bool
take_term (struct parse *p, struct np_filter_term *term, bool *deny)
{
  term->field_at = p->at;
  if (!take_field (p, term, deny)) {
    if (p->full)
      return fail_memory (p);
    if (p->words == NP_FILTER_TERMS)
      return fail (p, p->at,
                   "FIELD OP VALUE, such as category=compute, duration>1ms or name~gemm*");
    term->field = strdup ("");
    term->want.op = NP_LIKE;
    if (!term->field)
      return fail_memory (p);
  }
  term->value_at = p->at;
  if (*term->field && p->words == NP_FILTER_WORDS && !p->text[p->at])
    return fail (p, p->at, "a value");
  return take_value (p, *term->field ? "\"'" : "\"", &term->want);
}

static enum np_op
turned (enum np_op op)
{
  switch (op) {
  case NP_LESS:
    return NP_MORE_EQUAL;
  case NP_LESS_EQUAL:
    return NP_MORE;
  case NP_MORE:
    return NP_LESS_EQUAL;
  case NP_MORE_EQUAL:
    return NP_LESS;
  default:
    return op;
  }
}

static bool
parse_term (struct parse *p, bool deny, struct sum *made)
{
  struct np_filter *f = p->filter;
  struct np_filter_term *terms = realloc (f->terms, (f->n_terms + 1) * sizeof *terms);
  if (!terms)
    return fail_memory (p);
  f->terms = terms;
  struct np_filter_term *term = &terms[f->n_terms];
  *term = (struct np_filter_term){ 0 };
  bool own = false;
  f->n_terms++; /* it is freed with the filter, also when it is wrong */
  if (!take_term (p, term, &own) || !reserve (p, made, 1, 1))
    return false;
  enum np_op op = term->want.op;
  made->parts[0] = (struct np_filter_part){ f->n_terms - 1, deny ? turned (op) : op,
                                            op <= NP_LIKE && deny != own };
  made->ends[0] = 1;
  made->n = 1;
  return true;
}

static bool parse_or (struct parse *p, bool deny, struct sum *made);

static bool
parse_factor (struct parse *p, bool deny, struct sum *made)
{
  for (const char *next; (next = after_word (p->text + p->at, "not")); deny = !deny)
    p->at = (uint32_t) (next - p->text);
  if (!p->text[p->at] || p->text[p->at] == ')')
    return fail (p, p->at, "a condition");
  if (p->text[p->at] != '(')
    return parse_term (p, deny, made);
  uint32_t open = p->at++;
  if (p->depth++ >= MOST_DEPTH)
    return fail (p, open, "at most 32 parentheses within one another");
  if (!parse_or (p, deny, made))
    return false;
  if (p->text[p->at] != ')')
    return fail (p, p->at, "a closing )");
  p->depth--;
  p->at++;
  return true;
}

static void
skip (struct parse *p)
{
  p->at += (uint32_t) strspn (p->text + p->at, " \t");
}

/* Returns whether another factor follows that must hold as well. */
static bool
take_and (struct parse *p)
{
  skip (p);
  const char *t = p->text + p->at, *next = after_word (t, "and");
  if (next)
    p->at = (uint32_t) (next - p->text);
  return next || (p->words == NP_FILTER_WORDS && *t && *t != ')' && !after_word (t, "or"));
}

static bool
take_or (struct parse *p)
{
  const char *next = after_word (p->text + p->at, "or");
  if (next)
    p->at = (uint32_t) (next - p->text);
  return next;
}

static bool
parse_and (struct parse *p, bool deny, struct sum *made)
{
  skip (p);
  if (!parse_factor (p, deny, made))
    return false;
  while (take_and (p)) {
    struct sum other = { 0 };
    if (!parse_factor (p, deny, &other)) {
      clear_sum (&other);
      return false;
    }
    if (!join (p, made, &other, !deny))
      return false;
  }
  return true;
}

static bool
parse_or (struct parse *p, bool deny, struct sum *made)
{
  if (!parse_and (p, deny, made))
    return false;
  while (take_or (p)) {
    struct sum other = { 0 };
    if (!parse_and (p, deny, &other)) {
      clear_sum (&other);
      return false;
    }
    if (!join (p, made, &other, deny))
      return false;
  }
  return true;
}

/* -- All --------------------------------------------------------------------------------------- */

void
np_filter_clear (struct np_filter *f)
{
  for (uint32_t i = 0; i < f->n_terms; i++) {
    free (f->terms[i].field);
    np_want_clear (&f->terms[i].want);
  }
  free (f->terms);
  free (f->parts);
  free (f->ends);
  *f = (struct np_filter){ 0 };
}

bool
np_filter_parse (const char *text, enum np_filter_words words, struct np_filter *filter,
                 char error[160], uint32_t *at)
{
  struct parse p = { .text = text, .words = words, .filter = filter, .error = error };
  struct sum all = { 0 };
  *filter = (struct np_filter){ 0 };
  *error = 0;
  skip (&p);
  bool ok = text[p.at] ? parse_or (&p, false, &all) : reserve (&p, &all, 0, 1);
  if (ok && !all.n)
    all.ends[all.n++] = 0;
  skip (&p);
  if (ok && text[p.at])
    ok = fail (&p, p.at, "and, or, or the end of the condition");
  *at = p.at;
  filter->parts = all.parts;
  filter->ends = all.ends;
  filter->n = all.n;
  if (!ok)
    np_filter_clear (filter);
  return ok;
}

/* -- Conditions in other texts ----------------------------------------------------------------- */

/* Returns what follows quotes, or a regular expression behind which one of `followers` or the end
 * stands; NULL: they do not end. */
static const char *
after_delimited (const char *t, char delimiter, const char *followers)
{
  for (t++; *t; t++)
    if (*t == '\\' && t[1])
      t++;
    else if (*t == delimiter && (!followers || strchr (followers, t[1])))
      return t + 1;
  return NULL;
}

const char *
np_filter_end (const char *text, char stop)
{
  const char followers[] = { ' ', '\t', ')', '|', stop, 0 };
  while (*text && *text != stop) {
    const bool behind = strchr ("=~<>|", *text);
    const char *value = behind ? skip_blanks (text + 1) : text, *next = NULL;
    if (*value == '"' || (behind && *value == '\''))
      next = after_delimited (value, *value, NULL);
    else if (*text == '~' && *value == '/' && value[1] != '/')
      next = after_delimited (value, '/', followers);
    text = next ? next : text + 1;
  }
  return text;
}
