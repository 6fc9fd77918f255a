/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - prints plugins for people: a list, or all about one. */

#include "show.h"

#include <nprof/sdk.h>
#include <string.h>

#include "base/log.h"
#include "plugin/component.h"
#include "plugin/option.h"
#include "system/type-name.h"

/* These are the cells of a table for people; the rows of one table have the same number of
 * cells. */
typedef struct {
  GPtrArray *rows; /* of GStrv */
} Grid;

/* -- Aligned columns ------------------------------------------------------- */

static void
grid_add (Grid *grid, const char *cell, ...)
{
  GStrvBuilder *cells = g_strv_builder_new ();
  va_list args;
  va_start (args, cell);
  for (; cell; cell = va_arg (args, const char *)) {
    g_autofree char *text = np_printable (cell, -1);
    g_strv_builder_add (cells, text);
  }
  va_end (args);
  if (!grid->rows)
    grid->rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_ptr_array_add (grid->rows, g_strv_builder_end (cells));
  g_strv_builder_unref (cells);
}

static glong
grid_width (const Grid *grid, guint column)
{
  glong width = 0;
  for (guint i = 0; i < grid->rows->len; i++)
    width = MAX (width, g_utf8_strlen (((GStrv) grid->rows->pdata[i])[column], -1));
  return width;
}

/* Writes the rows in aligned columns, and empties the grid. */
static void
grid_write (Grid *grid, const char *indent, GString *out)
{
  for (guint i = 0; grid->rows && i < grid->rows->len; i++) {
    GStrv cells = grid->rows->pdata[i];
    g_string_append (out, indent);
    for (guint c = 0; cells[c]; c++) {
      g_string_append (out, cells[c]);
      glong pad = cells[c + 1] ? grid_width (grid, c) - g_utf8_strlen (cells[c], -1) + 2 : 0;
      for (; pad > 0; pad--)
        g_string_append_c (out, ' ');
    }
    while (g_str_has_suffix (out->str, " "))
      g_string_truncate (out, out->len - 1);
    g_string_append_c (out, '\n');
  }
  g_clear_pointer (&grid->rows, g_ptr_array_unref);
}

static const char *
or_empty (const char *text)
{
  return text ? text : "";
}

static void
write_line (GString *out, const char *label, const char *text)
{
  g_autofree char *shown = np_printable (or_empty (text), -1);
  if (*shown)
    g_string_append_printf (out, "  %-10s %s\n", label, shown);
}

static void
write_options (GString *out, const struct nprof_component *c)
{
  Grid grid = { NULL };
  for (guint i = 0; c->options && c->options[i]; i++) {
    const struct nprof_option *o = c->options[i];
    g_autofree char *preset
        = o->preset
              ? g_strdup_printf ("default %s", *o->preset ? np_option_shown (o, o->preset) : "\"\"")
              : g_strdup ("required");
    grid_add (&grid, o->name, np_option_type_name (o->type), preset, or_empty (o->range), o->help,
              NULL);
  }
  if (grid.rows)
    g_string_append (out, "\n  Options\n");
  grid_write (&grid, "    ", out);
}

static void
write_attributes (GString *out, const struct nprof_component *c)
{
  Grid grid = { NULL };
  for (guint i = 0; c->attributes && c->attributes[i]; i++) {
    const struct nprof_attribute *a = c->attributes[i];
    grid_add (&grid, a->key, np_type_name (a->type), a->unit, a->help, NULL);
  }
  if (grid.rows)
    g_string_append (out, "\n  Attributes that it adds to rows\n");
  grid_write (&grid, "    ", out);
}

static void
write_tables (GString *out, const struct nprof_component *c)
{
  for (guint i = 0; c->tables && c->tables[i]; i++) {
    const struct nprof_table *t = c->tables[i];
    g_autofree char *title = np_printable (or_empty (t->title), -1);
    g_autofree char *note = np_printable (or_empty (t->note), -1);
    g_string_append_printf (out, "\n  Table %s: %s\n", t->name, title);
    if (*note)
      g_string_append_printf (out, "    %s\n", note);
    Grid grid = { NULL };
    for (guint k = 0; t->columns[k]; k++) {
      const struct nprof_table_column *column = t->columns[k];
      grid_add (&grid, column->name, np_type_name (column->type), or_empty (column->unit),
                nprof_is_key (column) ? "key" : "", or_empty (column->help), NULL);
    }
    grid_write (&grid, "    ", out);
  }
}

void
np_plugins_write_details (GString *out, const NpRegistryEntry *m)
{
  const struct nprof_component *c = m->component;
  g_autofree char *summary = np_printable (c->summary, -1);
  g_autofree char *plugin = g_strdup_printf ("%s %s, contract %u", m->plugin->name,
                                             m->plugin->version, m->plugin->contract);
  g_autofree char *wants = c->wants ? g_strjoinv (", ", (GStrv) c->wants) : NULL;
  g_string_append_printf (out, "%s%s %s: %s\n", out->len ? "\n" : "", np_kind_name (m->kind),
                          m->name, summary);
  write_line (out, "formats", c->formats);
  write_line (out, "plugin", plugin);
  write_line (out, "license", m->plugin->license);
  write_line (out, "homepage", m->plugin->homepage);
  write_line (out, "file", m->file);
  write_line (out, "reads", wants && strcmp (wants, "*") == 0 ? "all attributes" : wants);
  if (c->kind != NPROF_DECODER)
    write_line (out, "order", np_order_name (c->order));
  write_line (out, "writes", c->flags & NPROF_SINK_FOLDER ? NULL : c->default_name);
  write_options (out, c);
  write_attributes (out, c);
  write_tables (out, c);
}

void
np_plugins_write_list (GString *out, GPtrArray *usable)
{
  Grid grid = { NULL };
  grid_add (&grid, "KIND", "NAME", "SUMMARY", "VERSION", "FILE", NULL);
  for (guint i = 0; i < usable->len; i++) {
    const NpRegistryEntry *m = usable->pdata[i];
    grid_add (&grid, np_kind_name (m->kind), m->name, m->component->summary, m->plugin->version,
              m->file, NULL);
  }
  grid_write (&grid, "", out);
}

void
np_plugins_write_unused (GString *out, GPtrArray *unused)
{
  if (unused->len)
    g_string_append_printf (out, "%sNot used:\n", out->len ? "\n" : "");
  for (guint i = 0; i < unused->len; i++) {
    const NpRegistryEntry *m = unused->pdata[i];
    g_autofree char *file = np_printable (m->file, -1);
    g_autofree char *name = np_printable (m->name, -1);
    g_autofree char *why = np_printable (m->problem, -1);
    g_string_append_printf (out, "  %s%s%s (%s): %s\n", *name ? np_kind_name (m->kind) : "folder",
                            *name ? " " : "", name, file, why);
  }
}
