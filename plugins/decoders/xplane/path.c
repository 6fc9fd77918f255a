/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - the framework's path of a kernel as XLA annotates it: the scope of the program holds the
 * prefix that its operators have in common, that of the kernel the rest.  What is around both, such
 * as the XlaRun of TensorFlow that runs the program, says less and gives way. */
#include "xplane.h"

/* Keeps the value for xp_path_add; false: it is no part of a path. */
bool
xp_path_take (XpScan *s, const XpValue *value)
{
  uint8_t role = value->stat ? value->stat->role : XP_ROLE_NONE;
  bool text = value->kind == XP_VALUE_STR || value->kind == XP_VALUE_REF;
  if (!text || (role != XP_ROLE_PATH && role != XP_ROLE_PREFIX))
    return false;
  *(role == XP_ROLE_PATH ? &s->path : &s->prefix) = *value;
  return true;
}

/* Transfer full; NULL: none. */
static char *
text_of (const XpScan *s, const XpValue *value)
{
  gsize len;
  g_autofree char *text = value->stat ? xp_value_text (s->dict, value, &len) : NULL;
  return text && *text ? g_steal_pointer (&text) : NULL;
}

static void
remove_key (XpAttrs *attrs, nprof_str key)
{
  for (guint i = attrs->keys->len; i-- > 0;)
    if (g_array_index (attrs->keys, nprof_str, i) == key) {
      g_array_remove_index (attrs->keys, i);
      g_array_remove_index (attrs->types, i);
      g_array_remove_index (attrs->values, i);
    }
}

void
xp_path_add (XpScan *s)
{
  g_autofree char *prefix = text_of (s, &s->prefix), *name = text_of (s, &s->path);
  if (!prefix && !name)
    return;
  nprof_str key = (s->path.stat ? s->path.stat : s->prefix.stat)->key;
  g_autofree char *both = prefix && name ? g_strconcat (prefix, "/", name, NULL) : NULL;
  const char *path = both ? both : name ? name : prefix;
  remove_key (&s->attrs, key);
  xp_attrs_add (&s->attrs, key, NPROF_STRING, (nprof_value){ .s = nprof_intern (s->host, path) });
}
