/* SPDX-License-Identifier: Apache-2.0 */
/* layer-path.c - parses the grammar of frameworks' paths; nprof-analyzer-operators(7) states it. */
#include "system/layer-path.h"

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
an_path_component_end (const char *at, const char *end)
{
  int depth = 0;
  for (; at < end && (depth > 0 || *at != '/'); at++)
    depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
  return at;
}

const char *
an_path_end (const char *path)
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
an_layer_of_path (const char *path)
{
  GString *layer = g_string_new (NULL);
  const char *end = an_path_end (path);
  for (const char *at = path; at < end;) {
    const char *next = an_path_component_end (at, end);
    if (next == end) /* the last is the operator itself */
      break;
    add_component (layer, at, next);
    at = next + 1;
  }
  gboolean none = layer->len == 0;
  return g_string_free (layer, none);
}
