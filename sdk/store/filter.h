/* SPDX-License-Identifier: Apache-2.0 */
/* filter.h - the one grammar of conditions, of --where, of searches and of filters of tables:
 *
 *   CONDITION  = FACTORS { or FACTORS }
 *   FACTORS    = FACTOR { and FACTOR }
 *   FACTOR     = [ not ] ( TERM | "(" CONDITION ")" )
 *   TERM       = FIELD OP VALUE { "|" VALUE }        OP one of = == != ~ !~ < <= > >=
 *
 * A value, and the name of a field, may stand in quotes, in which \" and \\ stand for a quote and a
 * backslash; the value of a term also in single ones, as in SQL. Behind ~ a value is looked for in
 * a text, is a glob of the whole text when it has * or ?, and is an extended regular expression
 * between two slashes; case of ASCII does not count there. What a field is, and what its values
 * mean, is the caller's. */
#pragma once

#include "match.h"

enum np_filter_words {
  NP_FILTER_TERMS, /* all are terms: an unquoted value may hold blanks */
  NP_FILTER_WORDS, /* blanks part what must all hold; a text without FIELD OP is a word */
};

struct np_filter_term {
  char *field;                 /* "" of a word, which has the operator ~ */
  struct np_want want;         /* deny is FALSE: the parts say that */
  uint32_t field_at, value_at; /* bytes of the text */
};

/* A term in an alternative; `not` turns its operator round there. */
struct np_filter_part {
  uint32_t term;
  enum np_op op;
  bool deny; /* of = and ~ */
};

/* Alternatives, one of which must hold; all parts of it must. Alternative i has the parts from
 * ends[i - 1] (0 for the first) up to ends[i]. A text without a term has one alternative without
 * parts, which all rows meet. */
struct np_filter {
  struct np_filter_term *terms;
  struct np_filter_part *parts;
  uint32_t *ends;
  uint32_t n_terms, n;
};

/* Parses a condition. FALSE: `error` (of 160 bytes) says what was expected at byte *at, and
 * nothing needs to be freed. One thread; the filter may then be read by several. */
bool np_filter_parse (const char *text, enum np_filter_words words, struct np_filter *filter,
                      char error[160], uint32_t *at);
void np_filter_clear (struct np_filter *filter);

/* Returns where a condition ends that stands in another text: at the first `stop` outside of quotes
 * and of regular expressions, else at the NUL. */
const char *np_filter_end (const char *text, char stop);

/* Returns the number of parts of all alternatives. */
static inline uint32_t
np_filter_parts (const struct np_filter *filter)
{
  return filter->n ? filter->ends[filter->n - 1] : 0;
}

/* Returns what a part wants; text and regular expression are the filter's. */
static inline struct np_want
np_filter_want (const struct np_filter *filter, const struct np_filter_part *part)
{
  struct np_want want = filter->terms[part->term].want;
  want.op = part->op;
  want.deny = part->deny;
  return want;
}
