/* SPDX-License-Identifier: Apache-2.0 */
/* annotations.c - reads PyTorch's annotations of the nodes of graphs, {"NODE": [{"name": ...},
 * ...]}: what a program called the region in which a node was captured. source:
 * torch/cuda/_graph_annotations.py */
#include "graphs.h"

#include <errno.h>
#include <string.h>

#define DIGITS "0123456789"

/* Returns whether the text is a number of 64 bits that is not 0. */
static bool
node_of (const TeValue *text, guint64 *node)
{
  if (!text->len || text->len > 20)
    return false;
  g_autofree char *digits = g_strndup (text->p, text->len);
  if (strspn (digits, DIGITS) != text->len)
    return false;
  errno = 0;
  *node = g_ascii_strtoull (digits, NULL, 10);
  return errno == 0 && *node;
}

static void
take_name (Chrome *c, const TeValue *value, nprof_str *name)
{
  TeValue member;
  if (value->kind == TE_TEXT)
    *name = ch_name (&c->names, value);
  else if (value->kind == TE_OBJECT
           && (ch_member (c->scanner, value, "name", &member)
               || ch_member (c->scanner, value, "str", &member)) && member.kind == TE_TEXT)
    *name = ch_name (&c->names, &member);
}

/* Returns the name that a node has: later entries of its list win; 0: none. */
static nprof_str
name_of (Chrome *c, const TeValue *value)
{
  nprof_str name = 0;
  TeScan s = { .controls = &(TeControls){ 0 }, .with = c->scanner, .end = value->p + value->len };
  TeValue entry;
  if (value->kind != TE_ARRAY) {
    take_name (c, value, &name);
    return name;
  }
  for (const char *p = value->p + 1; (p = te_space (p, s.end)) < s.end && *p != ']';) {
    if (*p == ',') {
      p++;
      continue;
    }
    p = c->scanner->value (&s, p, &entry);
    if (!p)
      break;
    take_name (c, &entry, &name);
  }
  return name;
}

nprof_status
graph_annotations (Chrome *c, GHashTable *names)
{
  uint64_t len;
  const char *data = c->host->sibling (c->host, c->annotations, &len);
  if (!data)
    return NPROF_E_IO;
  TeScan s = { .controls = &(TeControls){ 0 }, .with = c->scanner, .end = data + len };
  const char *p = te_space (data, s.end);
  TeValue key, value;
  guint64 node;
  if (p >= s.end || *p != '{')
    return nprof_fail (c->host, NPROF_E_FORMAT,
                       "%s: expected a JSON object {\"NODE\": [{\"name\": ...}]}; a pickle is "
                       "written as JSON by json.dump (pickle.load (file), out)",
                       c->annotations);
  for (p = p + 1; (p = te_member (&s, p, &key, &value));) {
    if (!node_of (&key, &node))
      return nprof_fail (c->host, NPROF_E_FORMAT,
                         "%s, byte %" G_GUINT64_FORMAT ": \"%.*s\" is no id of a node: expected "
                         "a number of 64 bits",
                         c->annotations, (guint64) (key.p - data), (int) MIN (key.len, 40), key.p);
    nprof_str name = name_of (c, &value);
    if (name)
      g_hash_table_insert (names, g_memdup2 (&node, sizeof node), GUINT_TO_POINTER (name));
  }
  return NPROF_OK;
}

guint64
graph_node (Chrome *c, const GraphEvent *work)
{
  const TeValue args = graph_args (work);
  TeValue value;
  if (!work->args_len || !ch_member (c->scanner, &args, "graph node id", &value))
    return 0;
  return ch_arg_id (&value);
}
