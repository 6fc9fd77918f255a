/* SPDX-License-Identifier: Apache-2.0 */
/* conditions.c - reads conditions on cells, and compares cells with them. */

#include "view/conditions.h"

#include <store/decimal.h>
#include <string.h>

#define SIGNS "=!~<>"

void
np_cell_condition_clear (NpCellCondition *c)
{
  g_clear_pointer (&c->value, g_free);
}

/* -- Reading ------------------------------------------------------------------------------ */

/* Reads a value that begins with a quote; FALSE: it does not end with one. */
static gboolean
read_quoted (const char **at, GString *value)
{
  for (++*at; **at && **at != '"'; ++*at) {
    if (**at == '\\' && (*at)[1])
      ++*at;
    g_string_append_c (value, **at);
  }
  if (!**at)
    return FALSE;
  ++*at;
  *at += strspn (*at, " ");
  return TRUE;
}

static gboolean
read_value (const char **at, char **value)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize len = strcspn (*at, ",");
  if (**at == '"') {
    if (!read_quoted (at, text))
      return FALSE;
  } else {
    g_string_append_len (text, *at, (gssize) len);
    *at += len;
    g_strchomp (text->str);
  }
  *value = g_strdup (text->str);
  return **at == ',' || !**at;
}

static gboolean
read_op (const char **at, char op[3])
{
  static const char *const ops[] = { "=", "!=", "~", "<", ">", "<=", ">=" };
  gsize signs = strspn (*at, SIGNS);
  if (signs > 2)
    return FALSE;
  memcpy (op, *at, signs);
  op[signs] = '\0';
  *at += signs;
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    if (!strcmp (ops[i], op))
      return TRUE;
  return FALSE;
}

gboolean
np_cell_condition_next (const NpCells *cells, const char **at, NpCellCondition *c)
{
  const char *begin = *at += strspn (*at, ", ");
  if (!*begin)
    return TRUE;
  gsize len = strcspn (begin, SIGNS);
  g_autofree char *name = g_strstrip (g_strndup (begin, len));
  c->column = np_cells_column (cells, name);
  *at += len;
  gboolean good = c->column >= 0 && read_op (at, c->op);
  *at += strspn (*at, " ");
  good = good && read_value (at, &c->value);
  if (!good)
    *at = begin;
  return good;
}

/* -- Comparing ---------------------------------------------------------------------------- */

/* Compares a number with a text: *order is below, at or above 0 as it is below, at or above. Whole
 * numbers are compared exactly. FALSE: they have no order, as the text is no number. */
static gboolean
compare_number (const struct nprof_cell *cell, const char *text, int *order)
{
  struct np_decimal d;
  char *end;
  double own = np_cell_number (cell), value = g_ascii_strtod (text, &end);
  if (!strcmp (text, "true") || !strcmp (text, "false")) {
    *order = own != (*text == 't');
    return TRUE;
  }
  if (cell->type != NPROF_DOUBLE && np_decimal_read (text, strlen (text), &d)) {
    *order = cell->type == NPROF_INT64 ? np_decimal_compare_int (cell->v.i, &d)
                                       : np_decimal_compare (false, cell->v.u, &d);
    return TRUE;
  }
  *order = (own > value) - (own < value);
  return end > text && !*end && (own <= value || own > value);
}

static gboolean
order_fits (int order, const char *op)
{
  switch (*op) {
  case '=':
    return order == 0;
  case '!':
    return order != 0;
  case '<':
    return op[1] ? order <= 0 : order < 0;
  case '>':
    return op[1] ? order >= 0 : order > 0;
  default:
    return FALSE;
  }
}

gboolean
np_cell_condition_fits (const struct nprof_cell *cell, const NpCellCondition *c)
{
  guint32 len;
  int order;
  if (cell->type == NPROF_NULL)
    return (!strcmp (c->op, "=") && !*c->value) || (!strcmp (c->op, "!=") && *c->value);
  if (np_cell_is_number (cell))
    return compare_number (cell, c->value, &order) ? order_fits (order, c->op) : *c->op == '!';
  const char *bytes = np_cell_text (cell, &len);
  g_autofree char *text = g_strndup (bytes, len);
  return *c->op == '~' ? strstr (text, c->value) != NULL
                       : order_fits (strcmp (text, c->value), c->op);
}
