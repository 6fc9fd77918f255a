/* SPDX-License-Identifier: Apache-2.0 */
/* view-print.c - makes the table that a view prints: its columns, its title; view-rows.c chooses
 * its rows. */

#include "view.h"

#include <math.h>
#include <nprof/sdk.h>
#include <string.h>

guint64
view_top (const Views *views, const View *view)
{
  return views->top < 0 ? view->decl.top : (guint64) views->top;
}

typedef struct {
  int column, of; /* of: -1, or what it is a share of */
} Choice;

static double
magnitude (const struct nprof_cell *c)
{
  return c->type == NPROF_INT64 ? (double) c->v.i : c->type == NPROF_DOUBLE ? c->v.f : NAN;
}

/* A number says something where it is not 0. */
static gboolean
is_said (const struct nprof_cell *c)
{
  return magnitude (c) > 0 || c->type == NPROF_STRING || c->type == NPROF_TEXT;
}

static gboolean
says_something (const Table *from, int column)
{
  for (guint r = 0; r < from->rows->len; r++)
    if (is_said (&((const Row *) g_ptr_array_index (from->rows, r))->cells[column]))
      return TRUE;
  return FALSE;
}

static void
choose_column (const Table *from, const char *spec, GArray *choices)
{
  gboolean maybe = *spec == '?';
  spec += maybe;
  g_auto (GStrv) parts = g_strsplit (spec, "/", 2);
  Choice c = { table_column (from, parts[0]), parts[1] ? table_column (from, parts[1]) : -1 };
  if (c.column >= 0 && (!parts[1] || c.of >= 0) && (!maybe || says_something (from, c.column)))
    g_array_append_val (choices, c);
}

static gboolean
has_column (const GArray *choices, int column)
{
  for (guint i = 0; i < choices->len; i++)
    if (g_array_index (choices, Choice, i).column == column)
      return TRUE;
  return FALSE;
}

/* Returns the shown columns: the one that rows are sorted by; the input too, where there are
 * several.  Transfer full. */
static GArray *
choose_columns (const View *view)
{
  GArray *choices = g_array_new (FALSE, FALSE, sizeof (Choice));
  g_auto (GStrv) specs = g_strsplit (view->decl.columns, ";", -1);
  const Choice input = { 0, -1 }, by = { view->table->by, -1 };
  g_array_append_val (choices, input);
  for (guint i = 0; specs[i]; i++)
    choose_column (view->table, specs[i], choices);
  if (by.column >= 0 && !has_column (choices, by.column))
    g_array_insert_val (choices, 1, by);
  return choices;
}

static struct nprof_cell
share_cell (const struct nprof_cell *part, const struct nprof_cell *of)
{
  double share = magnitude (part) / magnitude (of);
  return isfinite (share) ? nprof_cell_double (share) : nprof_cell_null ();
}

static Column
column_of (const Table *from, const Choice *choice)
{
  const Column *column = &from->columns[choice->column];
  if (choice->of < 0)
    return (Column){ g_strdup (column->name), g_strdup (column->unit), column->type, column->role };
  return (Column){ column_stem (column), g_strdup ("1"), NPROF_DOUBLE, column->role };
}

static gboolean
is_listed (const Table *devices, const struct nprof_cell *place)
{
  for (guint r = 0; r < devices->rows->len; r++)
    if (((const Row *) g_ptr_array_index (devices->rows, r))->cells[1].v.s == place[1].v.s)
      return TRUE;
  return FALSE;
}

/* Returns "Operators of /device:TPU:0, the busiest of 4 devices", of a logical core without its
 * place among them; transfer full. */
static char *
title_of (const Views *views, const View *view)
{
  const Table *devices = views_devices (views);
  guint n = devices ? devices->rows->len : 0;
  if (!view->placed)
    return g_strdup (view->decl.title);
  gboolean host = n == 0 || view_is_of_host (view);
  if (!host && n == 1)
    return g_strdup (view->decl.title);
  gsize len;
  const char *label = cell_text (views->host, &view->on[1], &len);
  if (host)
    return g_strdup_printf ("%s: %s", view->decl.title, label);
  if (!is_listed (devices, view->on))
    return g_strdup_printf ("%s of %s", view->decl.title, label);
  return g_strdup_printf ("%s of %s, the busiest of %u devices", view->decl.title, label, n);
}

static Table *
new_like (const Views *views, const View *view, const GArray *choices)
{
  const Table *from = view->table;
  Table *to = g_new0 (Table, 1);
  to->host = from->host;
  to->name = g_strdup (from->name);
  to->title = title_of (views, view);
  to->note = g_strdup (view->decl.note ? view->decl.note : "");
  to->rows = g_ptr_array_new_with_free_func (free);
  to->by = -1;
  to->single = TRUE;
  to->n_columns = choices->len;
  to->columns = g_new0 (Column, choices->len);
  for (guint c = 0; c < choices->len; c++)
    to->columns[c] = column_of (from, &g_array_index (choices, Choice, c));
  return to;
}

Table *
view_print (const Views *views, const View *view)
{
  const Table *from = view->table;
  g_autoptr (GArray) choices = choose_columns (view);
  g_autofree struct nprof_cell *cells = g_new (struct nprof_cell, choices->len);
  Table *to = new_like (views, view, choices);
  guint64 top = view_top (views, view);
  for (guint r = 0; r < from->rows->len && (top == 0 || r < top); r++) {
    const Row *row = g_ptr_array_index (from->rows, r);
    for (guint c = 0; c < choices->len; c++) {
      Choice choice = g_array_index (choices, Choice, c);
      cells[c] = choice.of < 0 ? row->cells[choice.column]
                               : share_cell (&row->cells[choice.column], &row->cells[choice.of]);
    }
    if (table_add (to, cells)) {
      table_free (to);
      return NULL;
    }
  }
  to->n_rows = from->n_rows;
  to->no_input = table_is_of_job (from);
  if (view->asked)
    to->by = 1; /* it is there: nobody sorts again */
  return to;
}

gboolean
view_is_worth_it (const View *view)
{
  if (!view->table || view->table->n_rows == 0)
    return FALSE;
  g_auto (GStrv) needs = view->decl.needs ? g_strsplit (view->decl.needs, ";", -1) : NULL;
  for (guint r = 0; needs && r < view->table->rows->len; r++)
    for (guint i = 0; needs[i]; i++) {
      const Row *row = g_ptr_array_index (view->table->rows, r);
      const struct nprof_cell *found = view_cell (view, row->cells, needs[i]);
      if (found && found->type != NPROF_NULL)
        return TRUE;
    }
  return !needs;
}
