/* SPDX-License-Identifier: Apache-2.0 */
/* members.c - reads names, categories and lists of fusions, by the habits of XLA and neuronx-cc.
 * format: xplane.md 1.5, 3 */
#include "members.h"
#include "system/json-guard.h"

#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <string.h>

const char *
fusion_last_part (const char *op)
{
  const char *at = g_strrstr (op, "::");
  return at && at[2] ? at + 2 : op;
}

gboolean
fusion_is_category (const char *category)
{
  return g_str_has_suffix (category, " fusion");
}

char *
fusion_category_of_kind (const char *kind)
{
  if (kind[0] != 'k' || !g_ascii_isupper (kind[1]))
    return g_strdup ("fusion");
  g_autofree char *lower = g_ascii_strdown (kind + 1, -1);
  return g_strconcat (lower, " fusion", NULL);
}

static gboolean
has_word (const char *name, const char *word)
{
  gsize len = strlen (word);
  for (const char *at = name; (at = strstr (at, word)); at += len)
    if ((at == name || !g_ascii_isalpha (at[-1])) && !g_ascii_isalpha (at[len]))
      return TRUE;
  return FALSE;
}

gboolean
fusion_is_name (const char *name)
{
  return has_word (name, "fusion") || has_word (name, "fused");
}

char **
fusion_split (const char *list, const char *by)
{
  g_auto (GStrv) parts = g_strsplit (list, by, -1);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *kept = g_ptr_array_new ();
  for (char **part = parts; *part; part++) {
    g_strstrip (*part);
    if (**part && g_hash_table_add (seen, *part))
      g_ptr_array_add (kept, g_strdup (*part));
  }
  g_ptr_array_add (kept, NULL);
  return (char **) g_ptr_array_free (kept, FALSE);
}

/* Returns whether the bracket that opens the text closes with its last byte. */
static bool
is_enclosed (const char *text)
{
  guint depth = 0;
  if (!*text || !strchr ("{[(", *text))
    return false;
  for (; *text; text++) {
    depth += strchr ("{[(", *text) != NULL;
    depth -= strchr ("}])", *text) != NULL;
    if (depth == 0)
      return !text[1];
  }
  return false;
}

/* Removes the brackets of "{a, b}", which is how a set is printed. */
static char *
without_brackets (const char *text)
{
  g_autofree char *inside = g_strstrip (g_strdup (text));
  return is_enclosed (inside) ? g_strndup (inside + 1, strlen (inside) - 2)
                              : g_steal_pointer (&inside);
}

char **
fusion_members_of_args (const char *json, gsize len)
{
  enum { LONGEST = 1 << 20, DEEPEST = 64 };
  g_autoptr (JsonParser) parser = json_parser_new ();
  if (len > LONGEST || json_guard (json, len, DEEPEST, NULL)
      || !json_parser_load_from_data (parser, json, (gssize) len, NULL))
    return NULL;
  JsonNode *root = json_parser_get_root (parser);
  JsonNode *fused = root && JSON_NODE_HOLDS_OBJECT (root)
                        ? json_object_get_member (json_node_get_object (root), "fused")
                        : NULL;
  if (!fused || !JSON_NODE_HOLDS_VALUE (fused) || json_node_get_value_type (fused) != G_TYPE_STRING)
    return NULL;
  g_autofree char *members = without_brackets (json_node_get_string (fused));
  return fusion_split (members, ",");
}
