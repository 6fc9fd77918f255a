/* SPDX-License-Identifier: Apache-2.0 */
/* match.h - tells whether a text, a number or a member of a JSON object fits a wanted value. */
#pragma once

#include "decimal.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum np_op { NP_EQUAL, NP_LIKE, NP_LESS, NP_LESS_EQUAL, NP_MORE, NP_MORE_EQUAL };

struct np_want {
  enum np_op op;
  bool deny;
  char *text;      /* alternatives, each ended by NUL, one after the other */
  regex_t *regex;  /* the one alternative as that; NULL: it is none */
  uint32_t n;      /* alternatives: any of them fits; one where op compares sizes */
  bool is_number;  /* all of them are */
  double number;   /* the first of them */
  bool is_decimal; /* it is one, which whole numbers are compared with exactly */
  struct np_decimal decimal;
};

void np_want_clear (struct np_want *want);
/* Returns whether < <= > or >= holds between what is below, at or above a limit as order is below,
 * at or above 0. */
bool np_order_fits (enum np_op op, int order);
/* Compares without looking at `deny`, which is left to the caller. */
bool np_match_text (const struct np_want *want, const char *text, size_t len);
bool np_match_double (const struct np_want *want, double v);
bool np_match_int (const struct np_want *want, int64_t v);
bool np_match_uint (const struct np_want *want, uint64_t v);
/* Compares a text that is a number; false: it is none. */
bool np_match_number (const struct np_want *want, const char *text, size_t len);
/* Returns the value of a member, "a.b.c", of a JSON object: the text between quotes, or the token;
 * NULL: there is none. */
const char *np_json_member (const char *json, size_t len, const char *path, size_t *value_len);

/* Reads "1.5ms" as ps, decimal and exact.  unitless: the unit of a number without one; NULL: only 0
 * needs none. */
enum np_time_read {
  NP_TIME_READ,
  NP_TIME_WRONG,   /* no number, or no unit of time: ps, ns, us, ms, s, min */
  NP_TIME_NO_UNIT,
  NP_TIME_FINER,   /* than a ps */
  NP_TIME_LARGE,   /* beyond int64 */
};
enum np_time_read np_time_read (const char *text, const char *unitless, int64_t *ps);
