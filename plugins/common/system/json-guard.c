/* SPDX-License-Identifier: Apache-2.0 */
#include "json-guard.h"

#include <string.h>

typedef struct {
  const char *text;
  gsize at, len;
  guint depth, deepest;
  gboolean begun, ended; /* the one document */
} Guard;

/* Steps to the quote that ends a string. */
static const char *
pass_string (Guard *g)
{
  for (g->at++; g->at < g->len && g->text[g->at] != '"'; g->at++) {
    if (g->text[g->at] == '\\' && g->at + 1 < g->len)
      g->at++;
    if (!g->text[g->at])
      return "a NUL byte";
  }
  return g->at < g->len ? NULL : "a string without an end";
}

static const char *
open_level (Guard *g)
{
  gboolean second = !g->depth && g->begun;
  if (++g->depth > g->deepest)
    return "values are nested too deep";
  return second ? "a second document" : NULL;
}

static const char *
look_at (Guard *g)
{
  char c = g->text[g->at];
  if (g_ascii_isspace (c))
    return NULL;
  if (!c)
    return "a NUL byte";
  if (g->ended)
    return "something behind the document";
  const char *problem = c == '"'               ? pass_string (g)
                        : c == '{' || c == '[' ? open_level (g)
                        : strchr ("/#'", c)    ? "a comment, or other quotes than \"\""
                                               : NULL;
  if ((c == '}' || c == ']') && g->depth)
    g->ended = !--g->depth;
  g->begun = TRUE;
  return problem;
}

const char *
json_guard (const char *text, gsize len, guint deepest, gsize *at)
{
  Guard g = { .text = text, .len = len, .deepest = deepest };
  const char *problem = NULL;
  while (g.at < len && !(problem = look_at (&g)))
    g.at++;
  if (at)
    *at = g.at;
  return problem ? problem : g.depth ? "an object or array without an end" : NULL;
}
