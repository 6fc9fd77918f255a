/* SPDX-License-Identifier: Apache-2.0 */
/* answers-row.h - a row of a table, of which the gatherers of the summary ask columns by their
 * names. */
#pragma once

#include "answers.h"

#include <nprof/sdk.h>

typedef struct {
  const Answers *answers;
  const struct nprof_table *table;
  const struct nprof_cell *cells;
} Reader;

static inline const struct nprof_cell *
cell (const Reader *r, const char *name)
{
  return nprof_find_cell (r->table, r->cells, name);
}

/* Returns -1 when it is unknown. */
static inline gint64
number (const Reader *r, const char *name)
{
  const struct nprof_cell *c = cell (r, name);
  if (c->type == NPROF_UINT64)
    return (gint64) MIN (c->v.u, G_MAXINT64);
  return c->type == NPROF_INT64 ? c->v.i : -1;
}

static inline nprof_str
word (const Reader *r, const char *name)
{
  const struct nprof_cell *c = cell (r, name);
  return c->type == NPROF_STRING ? c->v.s : 0;
}

/* Returns the text, transfer full; NULL: unknown. */
static inline char *
text (const Reader *r, const char *name)
{
  const struct nprof_cell *c = cell (r, name);
  if (c->type == NPROF_STRING)
    return g_strdup (nprof_text (r->answers->host, c->v.s));
  return c->type == NPROF_TEXT || c->type == NPROF_JSON ? g_strndup (c->v.text, c->len) : NULL;
}
