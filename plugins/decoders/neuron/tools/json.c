/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - walks items of arrays and objects one by one where they stand, and reads values as
 * numbers, times and texts: the tools write numbers with and without quotes. */
#include "tools.h"

#include <math.h>
#include <stdlib.h>

/* -- Items ----------------------------------------------------------------------------- */

bool
nt_next (Nt *t, const char **p, char close)
{
  bool parted = (*p)[-1] == '[' || (*p)[-1] == '{';
  const char *at = te_space (*p, t->end);
  t->scan.why = NULL;
  for (; at < t->end && *at == ','; parted = true)
    at = te_space (at + 1, t->end);
  *p = at;
  if (at < t->end && *at == close)
    return false;
  if (at < t->end && parted && *at != '}' && *at != ']')
    return true;
  t->scan.bad = at;
  t->scan.why = at < t->end ? "neither a comma nor the bracket that closes" : "the file ends here";
  return false;
}

bool
nt_key (Nt *t, const char **p, TeValue *key)
{
  const char *at = *p;
  t->scan.why = NULL;
  if (at >= t->end || *at != '"') {
    t->scan.bad = at;
    t->scan.why = "no key where one was expected";
    return false;
  }
  at = t->scan.with->value (&t->scan, at, key);
  if (!at)
    return false;
  at = te_space (at, t->end);
  if (at >= t->end || *at != ':') {
    t->scan.bad = at;
    t->scan.why = "no : behind a key";
    return false;
  }
  *p = te_space (at + 1, t->end);
  return true;
}

const char *
nt_skip (Nt *t, const char *p, TeValue *value)
{
  t->scan.why = NULL;
  return t->scan.with->value (&t->scan, p, value);
}

/* -- Numbers ------------------------------------------------------------------------------ */

static bool
is_numeric (const TeValue *v)
{
  return v && (v->kind == TE_INT || v->kind == TE_WORD || (v->kind == TE_TEXT && !v->escaped));
}

bool
nt_int (const TeValue *v, int64_t *i)
{
  if (!is_numeric (v))
    return false;
  if (v->kind == TE_INT) {
    *i = v->i;
    return true;
  }
  TeTime time = te_time (v->p, v->p + v->len);
  if (time.state != TE_EXACT || time.ps)
    return false;
  *i = time.us;
  return true;
}

bool
nt_double (const TeValue *v, double *x)
{
  char text[NT_MAX_DOUBLE_DIGITS], *end;
  if (!is_numeric (v) || v->len == 0 || v->len >= sizeof text)
    return false;
  const char *p = v->p + (*v->p == '-' || *v->p == '+');
  if (p == v->p + v->len || !(g_ascii_isdigit (*p) || *p == '.')
      || (p[0] == '0' && v->len > 1 && (p[1] | 32) == 'x'))
    return false;
  memcpy (text, v->p, v->len);
  text[v->len] = '\0';
  *x = g_ascii_strtod (text, &end);
  return *end == '\0' && isfinite (*x);
}

/* Reads seconds, for which te_time is too coarse: it reads a number to 10^-6 of its unit. */
static bool
seconds (const TeValue *v, NtTime *ps)
{
  char text[64];
  if (v->len == 0 || v->len > 40 || memchr (v->p, 'e', v->len) || memchr (v->p, 'E', v->len))
    return false;
  memcpy (text, v->p, v->len);
  memcpy (text + v->len, "e6", 2);
  TeTime time = te_time (text, text + v->len + 2);
  if (time.state > TE_ROUNDED)
    return false;
  *ps = (NtTime) time.us * 1000000 + time.ps;
  return true;
}

bool
nt_time (const TeValue *v, int64_t per, NtTime *ps)
{
  if (!is_numeric (v))
    return false;
  if (per == INT64_C (1000000000000))
    return seconds (v, ps);
  if (v->kind == TE_INT) {
    *ps = (NtTime) v->i * per;
    return true;
  }
  TeTime time = te_time (v->p, v->p + v->len);
  if (time.state > TE_ROUNDED)
    return false;
  *ps = (NtTime) time.us * per + ((NtTime) time.ps * per + 500000) / 1000000;
  return true;
}

/* -- Texts ------------------------------------------------------------------------------------ */

nprof_str
nt_text (Nt *t, const TeValue *v)
{
  return ch_name (&t->names, v);
}

nprof_str
nt_literal (Nt *t, const char *text)
{
  gpointer known = g_hash_table_lookup (t->literals, text);
  if (known)
    return GPOINTER_TO_UINT (known);
  nprof_str str = nprof_intern (t->host, text);
  g_hash_table_insert (t->literals, (gpointer) text, GUINT_TO_POINTER (str));
  return str;
}

char *
nt_dup (const TeValue *v)
{
  char *text = g_malloc (v->len + 1);
  size_t len = v->len;
  if (v->kind == TE_TEXT && v->escaped)
    len = te_unescape (text, v->p, v->len);
  else
    memcpy (text, v->p, v->len);
  text[len] = '\0';
  for (size_t i = 0; i < len; i++)
    if (text[i] == '\0') /* \u0000: C strings cannot hold it */
      text[i] = ' ';
  char *valid = g_utf8_make_valid (text, (gssize) len);
  g_free (text);
  return valid;
}
