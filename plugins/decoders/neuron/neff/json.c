/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - reads JSON members as trees of json-glib, which wraps integers beyond int64: negative
 * numbers are unknown. */
#include "neff.h"
#include "system/json-guard.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 100

/* Returns why the text must not reach the parser, and *at where; NULL: it may. */
static const char *
problem_of_text (const char *text, gsize len, gsize *at)
{
  const char *bad, *problem = json_guard (text, len, MAX_DEPTH, at);
  if (problem || g_utf8_validate_len (text, len, &bad))
    return problem;
  *at = (gsize) (bad - text);
  return "it is no UTF-8";
}

/* Takes "<data>:2:10: Parse error: unexpected ..." apart into the byte and what is wrong. */
static const char *
error_place (const char *message, const char *text, gsize len, gsize *at)
{
  unsigned line, column;
  int skipped = 0;
  *at = 0;
  if (sscanf (message, "<data>:%u:%u: Parse error: %n", &line, &column, &skipped) != 2
      || skipped == 0)
    return message;
  const char *p = text;
  for (; line > 1 && (p = memchr (p, '\n', len - (gsize) (p - text))); line--)
    p++;
  *at = MIN (len, p ? (gsize) (p - text) + column : len);
  return message + skipped;
}

static nprof_status
damaged (Neff *n, const NeffMember *member, gsize at, const char *why)
{
  n->lost = TRUE;
  return nprof_damage (n->host, neff_file_byte (n, member),
                       "member %s, near its byte %" G_GSIZE_FORMAT ": no JSON: %s", member->name,
                       at, why);
}

static nprof_status
parse (Neff *n, const NeffMember *member, JsonNode **root)
{
  gsize at;
  const char *why = problem_of_text (member->text, member->len, &at);
  if (why)
    return damaged (n, member, at, why);
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) error = NULL;
  if (!json_parser_load_from_data (parser, member->text, (gssize) member->len, &error)) {
    why = error_place (error->message, member->text, member->len, &at);
    return damaged (n, member, at, why);
  }
  *root = json_parser_steal_root (parser);
  if (*root && JSON_NODE_HOLDS_OBJECT (*root))
    return NPROF_OK;
  g_clear_pointer (root, json_node_unref);
  return damaged (n, member, 0, "an object is expected");
}

nprof_status
neff_json (Neff *n, const char *name, JsonNode **root)
{
  const NeffMember *member = neff_member (n, name);
  *root = NULL;
  if (member && member->text)
    return parse (n, member, root);
  n->host->skip (n->host, member ? "member that is too large" : "member that is missing",
                 neff_file_byte (n, member),
                 member ? "larger than member_limit, or 64 MB of them" : "named, but not there");
  if (member)
    nprof_log (n->host, NPROF_WARNING,
               "member %s has %" G_GUINT64_FORMAT
               " bytes and is skipped, so what it says is unknown; member_limit= reads larger ones",
               name, member->size);
  else
    nprof_log (n->host, NPROF_WARNING,
               "member %s is named but not there, so what it says is unknown", name);
  return NPROF_OK;
}

/* -- Looking ------------------------------------------------------------------------------ */

JsonObject *
neff_node_object (JsonNode *node)
{
  return node && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

JsonArray *
neff_node_array (JsonNode *node)
{
  return node && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

const char *
neff_node_string (JsonNode *node)
{
  if (!node || !JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_STRING)
    return NULL;
  return json_node_get_string (node);
}

JsonObject *
neff_object (JsonObject *in, const char *key)
{
  return in ? neff_node_object (json_object_get_member (in, key)) : NULL;
}

JsonArray *
neff_array (JsonObject *in, const char *key)
{
  return in ? neff_node_array (json_object_get_member (in, key)) : NULL;
}

const char *
neff_string (JsonObject *in, const char *key)
{
  return in ? neff_node_string (json_object_get_member (in, key)) : NULL;
}

bool
neff_number (JsonNode *node, guint64 *number)
{
  if (!node || !JSON_NODE_HOLDS_VALUE (node))
    return false;
  if (json_node_get_value_type (node) == G_TYPE_INT64) {
    gint64 i = json_node_get_int (node);
    *number = (guint64) i;
    return i >= 0 && i < G_MAXINT64; /* the largest stands for anything beyond it */
  }
  double f = json_node_get_value_type (node) == G_TYPE_DOUBLE ? json_node_get_double (node) : -1;
  if (!(f >= 0 && f <= 0x1p53) || f != (double) (guint64) f)
    return false;
  *number = (guint64) f;
  return true;
}

bool
neff_member_number (JsonObject *in, const char *key, guint64 *number)
{
  return in && neff_number (json_object_get_member (in, key), number);
}
