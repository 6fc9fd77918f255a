/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - reads types, opcodes and shapes in operators' names; nprof-analyzer-operators(7) states
 * the grammar. */
#include "names.h"

#include "system/layer-path.h"

#include <stdbool.h>
#include <string.h>

char *
type_of_path (const char *path)
{
  const char *end = an_path_end (path), *at = path;
  if (*end && end[1])
    return g_strdup (end + 1);
  for (const char *next = an_path_component_end (at, end); next < end;
       next = an_path_component_end (at, end))
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

char *
without_numbers (const char *name)
{
  GString *out = g_string_new (NULL);
  for (const char *at = name; *at;) {
    gsize len = 1 + strcspn (at + 1, ".");
    bool number = *at == '.' && len > 1 && strspn (at + 1, "0123456789") == len - 1;
    g_string_append_len (out, at, number ? 0 : (gssize) len);
    at += len;
  }
  return g_string_free (out, FALSE);
}

/* -- Shapes ------------------------------------------------------------------------------- */

/* Returns the end of what stands at `at`: before a comma, or the closing bracket of what it lies
 * in, outside of brackets. */
static const char *
end_of_item (const char *at)
{
  int depth = 0;
  for (; *at; at++) {
    depth += (*at == '(' || *at == '[' || *at == '{') - (*at == ')' || *at == ']' || *at == '}');
    if (depth < 0 || (depth == 0 && *at == ','))
      break;
  }
  return at;
}

/* Returns what is behind a comment or a layout at `at`, and `at` where none begins. */
static const char *
skip_noise (const char *at, const char *end)
{
  if (*at == '{') {
    const char *close = end_of_item (at + 1);
    while (close < end && *close == ',')
      close = end_of_item (close + 1);
    return MIN (close + 1, end);
  }
  const char *close = at[0] == '/' && at[1] == '*' ? strstr (at, "*/") : NULL;
  return close ? MIN (close + 2, end) : at;
}

/* Appends the shape that stands between; a name may follow it.  FALSE: it is none. */
static bool
append_shape (GString *out, const char *at, const char *end)
{
  gsize before = out->len;
  int depth = 0;
  while (at < end && (*at == ' ' || skip_noise (at, end) != at))
    at = *at == ' ' ? at + 1 : skip_noise (at, end);
  while (at < end && (depth > 0 || *at != ' ')) {
    const char *behind = skip_noise (at, end);
    if (behind == at) {
      depth += (*at == '(') - (*at == ')');
      g_string_append_c (out, *at++);
    }
    at = MAX (at, behind);
  }
  const char *shape = out->str + before;
  return *shape == '(' || (g_ascii_isalpha (*shape) && strchr (shape, '['));
}

/* Appends the shapes of a list, which ends before a bracket that it does not open.  FALSE: one of
 * them is none. */
static bool
append_list (GString *out, const char *at)
{
  for (bool first = true;; first = false, at++) {
    const char *end = end_of_item (at);
    g_string_append (out, first ? "" : ", ");
    if (!append_shape (out, at, end))
      return false;
    at = end;
    if (*at != ',')
      return true;
  }
}

static char *
list_of (const char *at)
{
  g_autoptr (GString) out = g_string_new (NULL);
  return append_list (out, at) ? g_string_free (g_steal_pointer (&out), FALSE) : NULL;
}

char *
without_layouts (const char *list)
{
  return list_of (list);
}

/* Returns the list behind a bracket; a text that was cut has no closing one. */
static char *
arguments_at (const char *at)
{
  const char *end = at;
  while (*(end = end_of_item (end)) == ',')
    end++;
  if (*end != ')')
    return NULL;
  return end == at ? g_strdup ("()") : list_of (at);
}

HloShapes
shapes_of_text (const char *text)
{
  HloShapes shapes = { NULL, NULL };
  const char *value = strstr (text, " = ");
  if (!value)
    return shapes;
  const char *opcode = skip_shape (value + 3), *open = opcode + strcspn (opcode, "( ");
  g_autoptr (GString) result = g_string_new (NULL);
  if (append_shape (result, value + 3, opcode))
    shapes.result = g_strdup (result->str);
  if (open > opcode && *open == '(')
    shapes.arguments = arguments_at (open + 1);
  return shapes;
}

/* -- Lists of arguments of frameworks ---------------------------------------------------- */

static void
append_item (GString *to, const char *item, const char *separator)
{
  g_string_append_printf (to, "%s%s", to->len ? separator : "", item);
}

/* Returns what TensorFlow calls it where that is none of these. */
static const char *
short_type (const char *type)
{
  static const char *const types[][2] = {
    { "half", "f16" }, { "bfloat16", "bf16" }, { "float", "f32" },  { "double", "f64" },
    { "int8", "i8" },  { "int16", "i16" },     { "int32", "i32" },  { "int64", "i64" },
    { "uint8", "u8" }, { "uint16", "u16" },    { "uint32", "u32" }, { "uint64", "u64" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (strcmp (types[i][0], type) == 0)
      return types[i][1];
  return type;
}

char *
arguments_of_annotation (const char *text)
{
  const gsize len = strlen (text);
  if (len < 2 || text[0] != '(' || text[len - 1] != ')')
    return g_strdup (text);
  g_autofree char *inner = g_strndup (text + 1, len - 2);
  g_auto (GStrv) items = g_strsplit (inner, ";", -1);
  GString *out = g_string_new (NULL);
  for (char **item = items; *item; item++) {
    const gsize n = strcspn (*item, "[");
    g_autofree char *type = g_strndup (*item, n),
                    *shape = g_strconcat (short_type (type), *item + n, NULL);
    append_item (out, shape, ", ");
  }
  return g_string_free (out, FALSE);
}

char *
arguments_of_call (const char *text)
{
  g_auto (GStrv) items = g_strsplit (text, " ", -1);
  g_autoptr (GString) tensors = g_string_new (NULL), values = g_string_new (NULL);
  for (char **item = items; *item; item++) {
    const bool tensor = g_ascii_isalpha (**item) && strchr (*item, '[');
    if (**item && strcmp (*item, "-") != 0)
      append_item (tensor ? tensors : values, *item, ", ");
  }
  if (values->len)
    append_item (tensors, values->str, "; ");
  return tensors->len ? g_strdup (tensors->str) : NULL;
}
