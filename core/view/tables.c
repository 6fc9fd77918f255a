/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - chooses rows and columns of a stored table. */

#include "view/tables.h"

#include <stdlib.h>
#include <string.h>

void
np_table_clear (NpTable *t)
{
  g_clear_pointer (&t->columns, g_array_unref);
  g_clear_pointer (&t->rows, g_array_unref);
}

/* -- Comparing cells ------------------------------------------------------------------ */

static double
number_of (const struct nprof_store_cell *cell)
{
  double real;
  memcpy (&real, &cell->value, sizeof real);
  return cell->type == NPROF_DOUBLE  ? real
         : cell->type == NPROF_INT64 ? (double) (gint64) cell->value
                                     : (double) cell->value;
}

static gboolean
is_number (const struct nprof_store_cell *cell)
{
  return cell->type >= NPROF_INT64 && cell->type <= NPROF_BOOL;
}

static int
compare_cells (const NpCells *cells, const struct nprof_store_cell *a,
               const struct nprof_store_cell *b)
{
  guint32 n, m;
  if (a->type == NPROF_INT64 && b->type == NPROF_INT64)
    return ((gint64) a->value > (gint64) b->value) - ((gint64) a->value < (gint64) b->value);
  if (is_number (a) && is_number (b))
    return (number_of (a) > number_of (b)) - (number_of (a) < number_of (b));
  const char *x = np_cell_text (cells, a, &n), *y = np_cell_text (cells, b, &m);
  int order = memcmp (x, y, MIN (n, m));
  return order ? order : (n > m) - (n < m);
}

typedef struct {
  guint64 row;
  struct nprof_store_cell cell;
} Sorted;

typedef struct {
  const NpCells *cells;
  gboolean falling;
} Order;

/* Compares rows; unknown comes last, whichever way. */
static int
compare_rows (gconstpointer a, gconstpointer b, gpointer user)
{
  const Order *o = user;
  const Sorted *x = a, *y = b;
  gboolean one = x->cell.type != NPROF_NULL, other = y->cell.type != NPROF_NULL;
  int order = one && other ? compare_cells (o->cells, &x->cell, &y->cell) * (o->falling ? -1 : 1)
                           : other - one;
  return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* Reads each cell once, since a comparison would read two. */
static void
sort_by (GArray *rows, const NpCells *cells, guint column, gboolean falling)
{
  Order order = { cells, falling };
  g_autoptr (GArray) sorted = g_array_sized_new (FALSE, FALSE, sizeof (Sorted), rows->len);
  for (guint i = 0; i < rows->len; i++) {
    Sorted one = { .row = g_array_index (rows, guint64, i) };
    np_cells_at (cells, one.row, column, &one.cell);
    g_array_append_val (sorted, one);
  }
  g_array_sort_with_data (sorted, compare_rows, &order);
  for (guint i = 0; i < rows->len; i++)
    g_array_index (rows, guint64, i) = g_array_index (sorted, Sorted, i).row;
}

/* -- Parameters -------------------------------------------------------------------------- */

static gboolean
no_column (NpAsk *ask, const char *parameter, const char *name)
{
  return np_reply_fail (ask->reply, 400, "", "parameter %s: the table has no column %.100s",
                        parameter, name);
}

static gboolean
choose_columns (NpAsk *ask, const NpCells *cells, NpTable *t)
{
  const char *text = np_request_param (ask->request, "columns");
  g_auto (GStrv) names = g_strsplit (text ? text : "", ",", -1);
  for (guint i = 0; !text && np_cells_describe (cells, i); i++)
    g_array_append_val (t->columns, i);
  for (guint i = 0; names[i]; i++) {
    int column = np_cells_column (cells, names[i]);
    guint number = (guint) column;
    if (column < 0)
      return no_column (ask, "columns", names[i]);
    g_array_append_val (t->columns, number);
  }
  return TRUE;
}

/* It is COLUMN OP VALUE: = != ~ < > <= >=. */
typedef struct {
  int column;
  char op[3];
  char *value;
} Condition;

static gboolean
parse_condition (const NpCells *cells, const char *text, Condition *c)
{
  gsize len = strcspn (text, "=!~<>"), signs = strspn (text + len, "=!~<>");
  static const char *const ops[] = { "=", "!=", "~", "<", ">", "<=", ">=" };
  g_autofree char *name = g_strstrip (g_strndup (text, len));
  gboolean known = FALSE;
  if (signs > 2)
    return FALSE;
  memcpy (c->op, text + len, signs);
  c->op[signs] = '\0';
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    known |= !strcmp (ops[i], c->op);
  c->column = np_cells_column (cells, name);
  c->value = g_strstrip (g_strdup (text + len + signs));
  return known && c->column >= 0;
}

static gboolean
cell_fits (const NpCells *cells, const struct nprof_store_cell *cell, const Condition *c)
{
  guint32 len;
  gboolean equal_only = !strcmp (c->op, "=") || !strcmp (c->op, "!=");
  if (cell->type == NPROF_NULL)
    return equal_only && (*c->value == '\0') == (*c->op == '=');
  int order;
  if (is_number (cell)) {
    double value = g_ascii_strtod (c->value, NULL), own = number_of (cell);
    order = !strcmp (c->value, "true")    ? own != 1
            : !strcmp (c->value, "false") ? own != 0
                                          : (own > value) - (own < value);
  } else {
    const char *text = np_cell_text (cells, cell, &len);
    g_autofree char *copy = g_strndup (text, len);
    if (*c->op == '~')
      return strstr (copy, c->value) != NULL;
    order = strcmp (copy, c->value);
  }
  switch (*c->op) {
  case '=':
    return order == 0;
  case '!':
    return order != 0;
  case '<':
    return c->op[1] ? order <= 0 : order < 0;
  case '>':
    return c->op[1] ? order >= 0 : order > 0;
  default:
    return FALSE;
  }
}

static void
keep_fitting (NpTable *t, const NpCells *cells, const Condition *c)
{
  guint kept = 0;
  for (guint i = 0; i < t->rows->len; i++) {
    guint64 row = g_array_index (t->rows, guint64, i);
    struct nprof_store_cell cell;
    np_cells_at (cells, row, (guint) c->column, &cell);
    if (cell_fits (cells, &cell, c))
      g_array_index (t->rows, guint64, kept++) = row;
  }
  g_array_set_size (t->rows, kept);
}

void
np_table_keep (NpTable *t, const NpCells *cells, const char *column, const char *text)
{
  Condition c = { .column = np_cells_column (cells, column), .op = "=", .value = (char *) text };
  if (c.column >= 0)
    keep_fitting (t, cells, &c);
}

static gboolean
choose_rows (NpAsk *ask, const NpCells *cells, NpTable *t)
{
  const char *text = np_request_param (ask->request, "where");
  g_auto (GStrv) conditions = g_strsplit (text ? text : "", ",", -1);
  for (guint64 i = 0; i < cells->rows; i++)
    g_array_append_val (t->rows, i);
  for (guint i = 0; conditions[i]; i++) {
    Condition c = { 0 };
    if (!*conditions[i])
      continue;
    gboolean good = parse_condition (cells, conditions[i], &c);
    if (good)
      keep_fitting (t, cells, &c);
    g_free (c.value);
    if (!good)
      return np_reply_fail (
          ask->reply, 400, "",
          "parameter where: %.100s: expected COLUMN OP VALUE, OP one of = != ~ < > <= >=",
          conditions[i]);
  }
  return TRUE;
}

static gboolean
sort_rows (NpAsk *ask, const NpCells *cells, NpTable *t)
{
  const char *text = np_request_param (ask->request, "sort");
  if (!text || !*text)
    return TRUE;
  int column = np_cells_column (cells, text + (*text == '-'));
  if (column < 0)
    return no_column (ask, "sort", text);
  sort_by (t->rows, cells, (guint) column, *text == '-');
  return TRUE;
}

gboolean
np_table_choose (NpAsk *ask, const NpCells *cells, NpTable *t)
{
  t->columns = g_array_new (FALSE, FALSE, sizeof (guint));
  t->rows = g_array_new (FALSE, FALSE, sizeof (guint64));
  return np_ask_u32 (ask, "offset", 0, G_MAXUINT32, &t->offset)
         && np_ask_u32 (ask, "n", 200, 10000, &t->n) && choose_columns (ask, cells, t)
         && choose_rows (ask, cells, t) && sort_rows (ask, cells, t);
}

/* -- Writing ------------------------------------------------------------------------------- */

static void
put_column (NpAsk *ask, const struct nprof_store_table_column *c)
{
  NpJson *j = &ask->json;
  np_json_object (j, NULL);
  np_json_text (j, "name", np_ask_string (ask, c->name));
  np_json_text (j, "type", np_type_name (c->type));
  np_json_text (j, "unit", np_ask_string (ask, c->unit));
  np_json_text (j, "role", c->role == NPROF_ROLE_KEY ? "key" : "value");
  np_json_text (j, "help", np_ask_string (ask, c->help));
  np_json_end_object (j);
}

void
np_json_columns (NpAsk *ask, const NpCells *cells, const GArray *chosen)
{
  const struct nprof_store_table_column *c;
  np_json_array (&ask->json, "columns");
  for (guint i = 0; chosen ? i < chosen->len : cells->table && i < cells->table->n_columns; i++)
    if ((c = np_cells_describe (cells, chosen ? g_array_index (chosen, guint, i) : i)))
      put_column (ask, c);
  np_json_end_array (&ask->json);
}

gboolean
np_json_table (NpAsk *ask, const NpCells *cells, const NpTable *t)
{
  NpJson *j = &ask->json;
  np_json_text (j, "name", np_ask_string (ask, cells->table->name));
  np_json_text (j, "title", np_ask_string (ask, cells->table->title));
  np_json_text (j, "note", np_ask_string (ask, cells->table->note));
  np_json_columns (ask, cells, t->columns);
  np_json_number (j, "total", t->rows->len);
  np_json_number (j, "offset", t->offset);
  np_json_array (j, "rows");
  for (guint i = t->offset; i < t->rows->len && i - t->offset < t->n; i++) {
    np_json_array (j, NULL);
    for (guint k = 0; k < t->columns->len; k++) {
      struct nprof_store_cell cell;
      if (!np_cells_at (cells, g_array_index (t->rows, guint64, i),
                        g_array_index (t->columns, guint, k), &cell))
        return FALSE;
      np_json_cell (j, NULL, cells, &cell);
    }
    np_json_end_array (j);
  }
  np_json_end_array (j);
  return TRUE;
}

void
np_json_no_table (NpJson *j, const char *name, const char *needs)
{
  np_json_text (j, "name", name);
  np_json_text (j, "title", "");
  np_json_text (j, "note", "");
  np_json_array (j, "columns");
  np_json_end_array (j);
  np_json_number (j, "total", 0);
  np_json_number (j, "offset", 0);
  np_json_array (j, "rows");
  np_json_end_array (j);
  np_json_text (j, "unknown", needs);
}
