/* SPDX-License-Identifier: Apache-2.0 */
/* paths.c - keeps paths of names within each other, and tells what kind of module a path leads
 * to. */
#include "modules.h"

#include <nprof/sdk.h>
#include <string.h>

void
paths_init (Paths *p)
{
  an_key_table_init (&p->keys, 3);
  p->nodes = g_array_new (FALSE, TRUE, sizeof (Node));
}

void
paths_clear (Paths *p)
{
  an_key_table_clear (&p->keys);
  g_clear_pointer (&p->nodes, g_array_unref);
}

guint32
paths_node (Paths *p, uint32_t input, guint32 outer, nprof_str name)
{
  guint number = an_key_table_get (&p->keys, (const guint32[]){ outer, name, input });
  if (number == p->nodes->len) {
    const Node node = { .outer = outer, .name = name, .input = input };
    g_array_append_val (p->nodes, node);
  }
  return number + 1;
}

char *
path_text (const struct nprof_host *host, const Paths *p, guint32 node)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  GString *text = g_string_new (NULL);
  for (guint32 at = node; at; at = node_at (p, at)->outer)
    g_ptr_array_add (names, (gpointer) nprof_text (host, node_at (p, at)->name));
  for (guint i = names->len; i > 0; i--)
    g_string_append_printf (text, "%s%s", text->len ? "/" : "",
                            (const char *) g_ptr_array_index (names, i - 1));
  return g_string_free (text, FALSE);
}

/* -- Classes -------------------------------------------------------------------------------- */

/* These are words of a name in lower case, of which the number at its end is no part; a word that
 * ends in $ is its end.  The first class that has one counts. */
static const struct {
  Class class;
  const char *words[9];
} classes[] = {
  { ATTENTION, { "attention", "attn", "sdpa", "rotary" } },
  { MLP, { "mlp", "feedforward", "ffn", "swiglu", "moe", "expert", "intermediate", "output$" } },
  { NORM, { "norm" } },
  { EMBEDDING, { "embed" } },
  { HEAD, { "lmhead", "classifier", "pooler" } },
};

static bool
has_word (const char *name, const char *word)
{
  size_t len = strlen (word), all = strlen (name);
  if (word[len - 1] != '$')
    return strstr (name, word) != NULL;
  return all >= len - 1 && strncmp (name + all - (len - 1), word, len - 1) == 0;
}

Class
class_of_name (const char *text)
{
  g_autofree char *name = g_ascii_strdown (text, -1);
  char *end = name + strlen (name);
  while (end > name && g_ascii_isdigit (end[-1]))
    end--;
  if (*end && end > name && end[-1] == '_')
    end[-1] = '\0';
  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    for (guint w = 0; classes[i].words[w]; w++)
      if (has_word (name, classes[i].words[w]))
        return classes[i].class;
  return NO_CLASS;
}

Class
class_of_node (const struct nprof_host *host, const Paths *p, guint32 node)
{
  if (!node)
    return NO_MODULE;
  Node *n = node_at (p, node);
  if (!n->class)
    n->class = (guint8) class_of_name (nprof_text (host, n->name));
  if (!n->class)
    n->class = n->outer ? (guint8) class_of_node (host, p, n->outer) : OTHER_MODULE;
  return (Class) n->class;
}
