/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - parses the grammar of operators' names; nprof-analyzer-operators(7) states it. */
#include "names.h"

#include <string.h>

/* JAX puts these around a name when it differentiates, batches or recomputes: f(NAME). */
static const char *const wrappers[]
    = { "jvp", "transpose", "vmap", "remat", "checkpoint", "rematted_computation" };
/* These components are no part of the model. */
static const char *const passing[] = { "main",
                                       "while",
                                       "body",
                                       "cond",
                                       "scan",
                                       "remat",
                                       "checkpoint",
                                       "closed_call",
                                       "core_call",
                                       "xla_call",
                                       "custom_jvp_call",
                                       "custom_vjp_call",
                                       "shard_map",
                                       "pjit",
                                       "rematted_computation",
                                       "custom_vjp_call_jaxpr" };

static gboolean
listed (const char *const *list, gsize n, const char *text, gsize len)
{
  for (gsize i = 0; i < n; i++)
    if (strlen (list[i]) == len && memcmp (list[i], text, len) == 0)
      return TRUE;
  return FALSE;
}

const char *
layer_component_end (const char *at, const char *end)
{
  int depth = 0;
  for (; at < end && (depth > 0 || *at != '/'); at++)
    depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
  return at;
}

/* Returns the path without the type that TensorFlow puts behind a colon. */
static const char *
path_end (const char *path)
{
  const char *slash = strrchr (path, '/'), *colon = strrchr (path, ':');
  return colon && (!slash || colon > slash) ? colon : path + strlen (path);
}

static void
add_component (GString *layer, const char *at, const char *end)
{
  const char *open = memchr (at, '(', (gsize) (end - at));
  while (open && end[-1] == ')'
         && listed (wrappers, G_N_ELEMENTS (wrappers), at, (gsize) (open - at))) {
    at = open + 1;
    end--;
    open = memchr (at, '(', (gsize) (end - at));
  }
  gboolean function = open && end[-1] == ')'; /* jit(step): a program, not a layer */
  if (at == end || function || listed (passing, G_N_ELEMENTS (passing), at, (gsize) (end - at)))
    return;
  if (layer->len)
    g_string_append_c (layer, '/');
  g_string_append_len (layer, at, end - at);
}

char *
layer_of_path (const char *path)
{
  GString *layer = g_string_new (NULL);
  const char *end = path_end (path);
  for (const char *at = path; at < end;) {
    const char *next = layer_component_end (at, end);
    if (next == end) /* the last is the operator itself */
      break;
    add_component (layer, at, next);
    at = next + 1;
  }
  gboolean none = layer->len == 0;
  return g_string_free (layer, none);
}

char *
type_of_path (const char *path)
{
  const char *end = path_end (path), *at = path;
  if (*end && end[1])
    return g_strdup (end + 1);
  for (const char *next = layer_component_end (at, end); next < end;
       next = layer_component_end (at, end))
    at = next + 1;
  const char *digits = end;
  while (digits > at && g_ascii_isdigit (digits[-1]))
    digits--;
  if (digits < end && digits > at + 1 && (digits[-1] == '_' || digits[-1] == '.'))
    end = digits - 1;
  return end > at ? g_strndup (at, (gsize) (end - at)) : NULL;
}

/* Returns what is behind the shape, which is one word, or a tuple in parentheses. */
static const char *
skip_shape (const char *at)
{
  int depth = 0;
  for (; *at && (depth > 0 || *at != ' '); at++)
    depth += (*at == '(') - (*at == ')');
  return *at ? at + 1 : at;
}

char *
opcode_of_text (const char *text)
{
  const char *shape = strstr (text, " = ");
  if (!shape)
    return NULL;
  const char *at = skip_shape (shape + 3);
  gsize len = strcspn (at, "( ");
  return len && at[len] == '(' ? g_strndup (at, len) : NULL;
}
