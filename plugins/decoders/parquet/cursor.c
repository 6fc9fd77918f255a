/* SPDX-License-Identifier: Apache-2.0 */
/* cursor.c - keeps the place in a leaf column. */
#include "cursor.h"

void
cursor_begin (Cursor *c, const struct nprof_host *host, const guint8 *data, guint64 end,
              const PqFooter *footer, guint group, guint leaf)
{
  const PqLeaf *l = pq_leaf (footer, leaf);
  *c = (Cursor){ .host = host,
                 .node = pq_node (footer, l->node),
                 .column = pq_column_new (data, end, l, pq_chunk (footer, group, leaf)) };
}

void
cursor_end (Cursor *c)
{
  g_clear_pointer (&c->column, pq_column_free);
  g_clear_pointer (&c->known, g_free);
}

gsize
cursor_left (Cursor *c, PqFail *fail)
{
  if (c->at < c->page.n)
    return c->page.n - c->at;
  c->at = c->value = 0;
  if (!pq_column_next (c->column, &c->page, fail))
    return 0;
  const PqValues *dictionary = pq_column_dictionary (c->column);
  if (c->page.code && !c->known) {
    c->known = g_new0 (nprof_str, dictionary->n + 1);
    c->n_known = dictionary->n;
  }
  return c->page.n;
}

static gsize
code_at (const Cursor *c, gsize k)
{
  return c->page.code[c->page.one_code ? 0 : k];
}

Value
cursor_value (const Cursor *c, gsize k)
{
  if (c->page.code)
    return (Value){ .text = pq_column_dictionary (c->column)->text[code_at (c, k)] };
  return c->page.values.bits ? (Value){ .bits = c->page.values.bits[k] }
                             : (Value){ .text = c->page.values.text[k] };
}

static nprof_str
intern (Cursor *c, const Value *v)
{
  struct nprof_buf text = { 0 };
  if (value_as (c->node) == AS_STRING && value_is_utf8 (&v->text))
    return c->host->intern (c->host, v->text.data, v->text.len);
  value_put (&text, c->node, v);
  c->no_memory |= text.failed;
  nprof_str s = c->host->intern (c->host, text.data ? text.data : "", text.len);
  nprof_buf_clear (&text);
  return s;
}

nprof_str
cursor_string (Cursor *c, gsize k)
{
  Value v = cursor_value (c, k);
  if (!c->page.code)
    return intern (c, &v);
  nprof_str *known = &c->known[code_at (c, k)];
  if (!*known)
    *known = 1 + intern (c, &v);
  return *known - 1;
}
