/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - texts of the scanner as strings of a run, and what the head of a file says. */
#pragma once

#include "json/scan.h"

#include <nprof/plugin.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the text stands anywhere in the bytes, which are the head of a file. */
static inline bool
te_mentions (const void *head, size_t len, const char *text)
{
  return memmem (head, len, text, strlen (text)) != NULL;
}

/* Returns the text without escapes; 0: it is none. */
static inline nprof_str
te_str (const struct nprof_host *host, const TeValue *value)
{
  if (value->kind != TE_TEXT)
    return 0;
  if (!value->escaped)
    return host->intern (host, value->p, value->len);
  char *plain = malloc (value->len + 1);
  if (!plain)
    return 0;
  const nprof_str str = host->intern (host, plain, te_unescape (plain, value->p, value->len));
  free (plain);
  return str;
}

/* Returns where the first item of an object or array is; NULL: it is neither. */
static inline const char *
te_inside (const TeValue *value)
{
  return value->kind == TE_OBJECT || value->kind == TE_ARRAY ? value->p + 1 : NULL;
}

/* Reads the next item of an array; p: te_inside() of it, then what this returned.  NULL: there is
 * none, or it cannot be read, and s->why says why. */
static inline const char *
te_item (TeScan *s, const char *p, const TeValue *array, TeValue *item)
{
  if (array->kind != TE_ARRAY)
    return NULL;
  const char *end = array->p + array->len - 1;
  p = te_space (p, end);
  if (p < end && *p == ',')
    p = te_space (p + 1, end);
  return p < end ? s->with->value (s, p, item) : NULL;
}

/* Returns whether it is a whole number of 64 bits, which may stand in quotes. */
static inline bool
te_whole (const TeValue *value, int64_t *i)
{
  *i = value->i;
  return value->kind == TE_INT
         || (value->kind == TE_TEXT && te_int (value->p, value->p + value->len, i));
}
