/* SPDX-License-Identifier: Apache-2.0 */
/* assemble.c - walks the schema and the levels of all leaves together. */
#include "assemble.h"

#include <nprof/json.h>
#include <string.h>

void
nested_begin (Nested *n, const struct nprof_host *host, const guint8 *data, guint64 end,
              const PqFooter *footer, guint group, guint node)
{
  const PqNode *top = pq_node (footer, node);
  *n = (Nested){ footer, node, g_new0 (Cursor, top->n_leaves + 1) };
  for (guint k = 0; k < top->n_leaves; k++)
    cursor_begin (&n->cursors[k], host, data, end, footer, group, top->leaf + k);
}

void
nested_end (Nested *n)
{
  for (guint k = 0; n->cursors && k < pq_node (n->footer, n->node)->n_leaves; k++)
    cursor_end (&n->cursors[k]);
  g_clear_pointer (&n->cursors, g_free);
}

/* -- Levels ---------------------------------------------------------------- */

static Cursor *
first_leaf (const Nested *n, guint node)
{
  return &n->cursors[pq_node (n->footer, node)->leaf - pq_node (n->footer, n->node)->leaf];
}

static gboolean
fail_levels (const Cursor *c, PqFail *fail, const char *why)
{
  if (!fail->why) {
    fail->at = c->page.n ? c->page.at : pq_column_end (c->column);
    fail->why = g_strdup (why);
  }
  return FALSE;
}

/* Returns the definition level of the next entry. */
static gboolean
peek (Cursor *c, guint8 *def, PqFail *fail)
{
  if (!cursor_left (c, fail))
    return fail_levels (c, fail, "it has fewer values than its rows need");
  *def = c->page.def ? c->page.def[c->at] : c->node->max_def;
  return TRUE;
}

/* Returns the repetition level of the next entry; the end of the column begins a row, too. */
static guint8
peek_rep (Cursor *c, PqFail *fail)
{
  if (!cursor_left (c, fail))
    return 0;
  return c->page.rep ? c->page.rep[c->at] : 0;
}

static void
step_entry (Cursor *c)
{
  c->value += cursor_has (c, c->at);
  c->at++;
}

/* Steps all leaves: when something above is null or empty, each leaf has one entry for it. */
static gboolean
step_all (Nested *n, guint node, PqFail *fail)
{
  guint8 def;
  Cursor *c = first_leaf (n, node);
  for (guint k = 0; k < pq_node (n->footer, node)->n_leaves; k++) {
    if (!peek (c + k, &def, fail))
      return FALSE;
    step_entry (c + k);
  }
  return TRUE;
}

/* -- JSON ------------------------------------------------------------------ */

static gboolean put_node (Nested *n, guint node, struct nprof_buf *to, PqFail *fail);
static gboolean put_content (Nested *n, guint node, struct nprof_buf *to, PqFail *fail);

static gboolean
put_leaf (Nested *n, guint node, struct nprof_buf *to, PqFail *fail)
{
  guint8 def;
  Cursor *c = first_leaf (n, node);
  if (!peek (c, &def, fail))
    return FALSE;
  if (def == c->node->max_def) {
    Value v = cursor_value (c, c->value);
    value_put_json (to, c->node, &v);
  } else
    nprof_put_text (to, "null");
  step_entry (c);
  return TRUE;
}

/* `put` puts one item of a repeated node. */
typedef gboolean (*PutItem) (Nested *n, guint node, struct nprof_buf *to, PqFail *fail);

static gboolean
put_items (Nested *n, guint node, const char *around, PutItem put, struct nprof_buf *to,
           PqFail *fail)
{
  const PqNode *self = pq_node (n->footer, node);
  guint8 def;
  Cursor *c = first_leaf (n, node);
  if (!peek (c, &def, fail))
    return FALSE;
  nprof_put_char (to, around[0]);
  if (def < self->max_def && !step_all (n, node, fail))
    return FALSE;
  for (gboolean more = def >= self->max_def; more;) {
    if (!put (n, node, to, fail))
      return FALSE;
    more = peek_rep (c, fail) == self->max_rep;
    if (fail->why)
      return FALSE;
    if (more)
      nprof_put_char (to, ',');
  }
  nprof_put_char (to, around[1]);
  return TRUE;
}

static gboolean
put_struct (Nested *n, guint node, struct nprof_buf *to, PqFail *fail)
{
  const PqNode *self = pq_node (n->footer, node);
  guint child = node + 1;
  nprof_put_char (to, '{');
  for (; child < self->next; child = pq_node (n->footer, child)->next) {
    const PqNode *c = pq_node (n->footer, child);
    nprof_put_text (to, child == node + 1 ? "" : ",");
    nprof_put_json_string (to, c->name, strlen (c->name), 0);
    nprof_put_char (to, ':');
    if (!put_node (n, child, to, fail))
      return FALSE;
  }
  nprof_put_char (to, '}');
  return TRUE;
}

static gboolean
put_child (Nested *n, guint node, struct nprof_buf *to, PqFail *fail)
{
  return put_node (n, node + 1, to, fail);
}

/* Returns whether the item is the element: the older ways to write a list leave out the node
 * between it and its element. */
static gboolean
is_element (const PqFooter *footer, guint list, guint item)
{
  const PqNode *node = pq_node (footer, item);
  g_autofree char *tuple = g_strconcat (pq_node (footer, list)->name, "_tuple", NULL);
  return node->n_children != 1 || !strcmp (node->name, "array") || !strcmp (node->name, tuple)
         || pq_node (footer, item + 1)->repetition == PQ_REPEATED;
}

static gboolean
is_list (const PqFooter *footer, guint node)
{
  const PqNode *self = pq_node (footer, node);
  return self->logical == PQ_L_LIST && self->n_children == 1
         && pq_node (footer, node + 1)->repetition == PQ_REPEATED;
}

/* Puts a key of a map, which JSON wants as a string. */
static gboolean
put_key (Nested *n, guint node, struct nprof_buf *to, PqFail *fail)
{
  struct nprof_buf text = { 0 };
  gboolean ok = put_node (n, node, &text, fail);
  if (text.len && text.data[0] == '"')
    nprof_put (to, text.data, text.len);
  else
    nprof_put_json_string (to, text.data ? text.data : "", text.len, 0);
  to->failed |= text.failed;
  nprof_buf_clear (&text);
  return ok;
}

static gboolean
put_entry (Nested *n, guint node, struct nprof_buf *to, PqFail *fail)
{
  guint value = pq_node (n->footer, node + 1)->next;
  if (!put_key (n, node + 1, to, fail))
    return FALSE;
  nprof_put_char (to, ':');
  if (value < pq_node (n->footer, node)->next)
    return put_node (n, value, to, fail);
  nprof_put_text (to, "null");
  return TRUE;
}

static gboolean
is_map (const PqFooter *footer, guint node)
{
  const PqNode *self = pq_node (footer, node), *item = pq_node (footer, node + 1);
  return self->logical == PQ_L_MAP && self->n_children == 1 && item->repetition == PQ_REPEATED
         && (item->n_children == 1 || item->n_children == 2);
}

/* Writes a node that is there, or one item of a repeated one. */
static gboolean
put_content (Nested *n, guint node, struct nprof_buf *to, PqFail *fail)
{
  if (!pq_node (n->footer, node)->n_children)
    return put_leaf (n, node, to, fail);
  if (is_list (n->footer, node))
    return put_items (n, node + 1, "[]",
                      is_element (n->footer, node, node + 1) ? put_content : put_child, to, fail);
  if (is_map (n->footer, node))
    return put_items (n, node + 1, "{}", put_entry, to, fail);
  return put_struct (n, node, to, fail);
}

static gboolean
put_node (Nested *n, guint node, struct nprof_buf *to, PqFail *fail)
{
  const PqNode *self = pq_node (n->footer, node);
  guint8 def;
  if (self->repetition == PQ_REPEATED)
    return put_items (n, node, "[]", put_content, to, fail);
  if (!peek (first_leaf (n, node), &def, fail))
    return FALSE;
  if (def >= self->max_def)
    return put_content (n, node, to, fail);
  nprof_put_text (to, "null");
  return step_all (n, node, fail);
}

/* -- Rows ------------------------------------------------------------------ */

/* Returns whether each leaf is at the first entry of a row. */
static gboolean
begins_row (Nested *n, PqFail *fail)
{
  for (guint k = 0; k < pq_node (n->footer, n->node)->n_leaves; k++)
    if (peek_rep (&n->cursors[k], fail) != 0)
      return fail_levels (&n->cursors[k], fail, "its repetition levels do not go with its rows");
  return !fail->why;
}

gboolean
nested_row (Nested *n, struct nprof_buf *to, gboolean *null, PqFail *fail)
{
  const PqNode *self = pq_node (n->footer, n->node);
  guint8 def;
  *null = FALSE;
  if (!self->n_leaves) {
    *null = TRUE;
    return TRUE;
  }
  if (!begins_row (n, fail) || !peek (first_leaf (n, n->node), &def, fail))
    return FALSE;
  *null = self->repetition == PQ_OPTIONAL && def < self->max_def;
  return *null ? step_all (n, n->node, fail) : put_node (n, n->node, to, fail);
}

gboolean
nested_is_map (const PqFooter *footer, guint node, guint *key, guint *value)
{
  if (pq_node (footer, node)->n_children != 1 || !is_map (footer, node))
    return FALSE;
  const PqNode *k = pq_node (footer, node + 2);
  *key = node + 2;
  *value = k->next < pq_node (footer, node + 1)->next ? k->next : 0;
  return !k->n_children && k->repetition != PQ_REPEATED && value_as (k) == AS_STRING;
}

static gboolean
take_value (Nested *n, guint node, struct nprof_buf *scratch, const MapEntries *entries,
            const PqText *key, PqFail *fail)
{
  const PqNode *self = pq_node (n->footer, node);
  guint8 def;
  Cursor *c = first_leaf (n, node);
  scratch->len = 0;
  if (self->n_children || self->repetition == PQ_REPEATED) {
    if (!put_node (n, node, scratch, fail))
      return FALSE;
    entries->put (entries->user, key->data, key->len, NPROF_JSON, NULL, NULL, scratch->data,
                  scratch->len);
    return TRUE;
  }
  if (!peek (c, &def, fail))
    return FALSE;
  if (def == c->node->max_def) {
    Value v = cursor_value (c, c->value);
    entries->put (entries->user, key->data, key->len, value_type (value_as (c->node)), &v, c->node,
                  NULL, 0);
  }
  step_entry (c);
  return TRUE;
}

/* Takes one entry; a key that is null has none. */
static gboolean
take_entry (Nested *n, guint value, struct nprof_buf *scratch, const MapEntries *entries,
            PqFail *fail)
{
  Cursor *k = first_leaf (n, n->node + 2);
  gboolean has = cursor_has (k, k->at);
  PqText key = has ? cursor_value (k, k->value).text : (PqText){ "", 0 };
  step_entry (k);
  if (!value)
    return TRUE;
  return has ? take_value (n, value, scratch, entries, &key, fail) : step_all (n, value, fail);
}

gboolean
nested_map_row (Nested *n, struct nprof_buf *scratch, const MapEntries *entries, PqFail *fail)
{
  guint key, value = 0;
  guint8 def;
  const PqNode *item = pq_node (n->footer, n->node + 1);
  nested_is_map (n->footer, n->node, &key, &value);
  Cursor *k = first_leaf (n, n->node);
  if (!begins_row (n, fail) || !peek (k, &def, fail))
    return FALSE;
  if (def < item->max_def)
    return step_all (n, n->node, fail);
  do {
    if (!take_entry (n, value, scratch, entries, fail))
      return FALSE;
  } while (peek_rep (k, fail) == item->max_rep && !fail->why);
  return !fail->why;
}
