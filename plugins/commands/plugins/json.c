/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - prints the JSON of nprof plugins --json. */

#include "show.h"

#include "pipeline/core-tables.h"
#include "plugin/component.h"
#include "plugin/option.h"
#include "rows/table.h"
#include "system/json-writer.h"
#include "system/type-name.h"

static void
add_attributes (NpJson *j, const struct nprof_component *c)
{
  np_json_array (j, "attributes");
  for (guint i = 0; c->attributes && c->attributes[i]; i++) {
    np_json_object (j, NULL);
    np_json_text (j, "key", c->attributes[i]->key);
    np_json_text (j, "type", np_type_name (c->attributes[i]->type));
    np_json_text (j, "unit", c->attributes[i]->unit);
    np_json_text (j, "help", c->attributes[i]->help);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static void
add_columns (NpJson *j, const struct nprof_table *t)
{
  np_json_array (j, "columns");
  for (guint k = 0; t->columns[k]; k++) {
    np_json_object (j, NULL);
    np_json_text (j, "name", t->columns[k]->name);
    np_json_text (j, "type", np_type_name (t->columns[k]->type));
    np_json_text (j, "unit", t->columns[k]->unit ? t->columns[k]->unit : "");
    np_json_text (j, "role", np_role_name (t->columns[k]->role));
    np_json_text (j, "help", t->columns[k]->help ? t->columns[k]->help : "");
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

/* `tables` is NULL, or ends in NULL. */
static void
add_tables (NpJson *j, const struct nprof_table *const *tables)
{
  np_json_array (j, "tables");
  for (guint i = 0; tables && tables[i]; i++) {
    np_json_object (j, NULL);
    np_json_text (j, "name", tables[i]->name);
    np_json_text (j, "title", tables[i]->title);
    np_json_text (j, "note", tables[i]->note);
    add_columns (j, tables[i]);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static void
add_usable (NpJson *j, const NpRegistryEntry *m)
{
  const struct nprof_component *c = m->component;
  np_json_object (j, NULL);
  np_json_text (j, "kind", np_kind_name (m->kind));
  np_json_text (j, "name", m->name);
  np_json_text (j, "summary", c->summary);
  np_json_text (j, "formats", c->formats);
  np_json_text (j, "plugin", m->plugin->name);
  np_json_text (j, "version", m->plugin->version);
  np_json_number (j, "contract", m->plugin->contract);
  np_json_text (j, "license", m->plugin->license);
  np_json_text (j, "homepage", m->plugin->homepage);
  np_json_text (j, "file", m->file);
  np_json_text (j, "order", c->kind == NPROF_DECODER ? NULL : np_order_name (c->order));
  np_json_array (j, "wants");
  for (guint i = 0; c->wants && c->wants[i]; i++)
    np_json_text (j, NULL, c->wants[i]);
  np_json_end_array (j);
  np_options_to_json (j, "options", c);
  add_attributes (j, c);
  add_tables (j, c->tables);
  np_json_end_object (j);
}

void
np_plugins_write_json (GString *out, GPtrArray *usable, GPtrArray *unused)
{
  struct nprof_buf buf = { 0 };
  NpJson json = { .buf = &buf, .style = NP_JSON_INDENTED }, *j = &json;
  np_json_object (j, NULL);
  np_json_array (j, "plugins");
  for (guint i = 0; i < usable->len; i++)
    add_usable (j, usable->pdata[i]);
  np_json_end_array (j);
  np_json_array (j, "unused");
  for (guint i = 0; i < unused->len; i++) {
    const NpRegistryEntry *m = unused->pdata[i];
    np_json_object (j, NULL);
    np_json_text (j, "kind", m->kind == NP_KIND_UNKNOWN ? NULL : np_kind_name (m->kind));
    np_json_text (j, "name", m->name);
    np_json_text (j, "file", m->file);
    np_json_text (j, "problem", m->problem);
    np_json_end_object (j);
  }
  np_json_end_array (j);
  add_tables (j, np_core_tables_list ()); /* those that no plugin writes */
  np_json_end_object (j);
  nprof_put_char (&buf, '\n');
  np_json_move (&buf, out);
}
