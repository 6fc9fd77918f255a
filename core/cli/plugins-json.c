/* SPDX-License-Identifier: Apache-2.0 */
/* plugins-json.c - prints the JSON of nprof plugins --json. */

#include "cli/plugins-show.h"

#include <json-glib/json-glib.h>

#include "pipeline/core-tables.h"
#include "plugin/component.h"
#include "plugin/option.h"
#include "rows/table.h"

static void
add_string (JsonBuilder *b, const char *member, const char *text)
{
  if (member)
    json_builder_set_member_name (b, member);
  g_autofree char *valid = text ? g_utf8_make_valid (text, -1) : NULL;
  if (valid)
    json_builder_add_string_value (b, valid);
  else
    json_builder_add_null_value (b);
}

static void
add_attributes (JsonBuilder *b, const struct nprof_component *c)
{
  json_builder_set_member_name (b, "attributes");
  json_builder_begin_array (b);
  for (guint i = 0; c->attributes && c->attributes[i]; i++) {
    json_builder_begin_object (b);
    add_string (b, "key", c->attributes[i]->key);
    add_string (b, "type", np_plugins_type_name (c->attributes[i]->type));
    add_string (b, "unit", c->attributes[i]->unit);
    add_string (b, "help", c->attributes[i]->help);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
}

static void
add_columns (JsonBuilder *b, const struct nprof_table *t)
{
  json_builder_set_member_name (b, "columns");
  json_builder_begin_array (b);
  for (guint k = 0; t->columns[k]; k++) {
    json_builder_begin_object (b);
    add_string (b, "name", t->columns[k]->name);
    add_string (b, "type", np_plugins_type_name (t->columns[k]->type));
    add_string (b, "unit", t->columns[k]->unit ? t->columns[k]->unit : "");
    add_string (b, "role", np_role_name (t->columns[k]->role));
    add_string (b, "help", t->columns[k]->help ? t->columns[k]->help : "");
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
}

/* `tables` is NULL, or ends in NULL. */
static void
add_tables (JsonBuilder *b, const struct nprof_table *const *tables)
{
  json_builder_set_member_name (b, "tables");
  json_builder_begin_array (b);
  for (guint i = 0; tables && tables[i]; i++) {
    json_builder_begin_object (b);
    add_string (b, "name", tables[i]->name);
    add_string (b, "title", tables[i]->title);
    add_string (b, "note", tables[i]->note);
    add_columns (b, tables[i]);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
}

static void
add_usable (JsonBuilder *b, const NpRegistryEntry *m)
{
  const struct nprof_component *c = m->component;
  json_builder_begin_object (b);
  add_string (b, "kind", np_kind_name (m->kind));
  add_string (b, "name", m->name);
  add_string (b, "summary", c->summary);
  add_string (b, "formats", c->formats);
  add_string (b, "plugin", m->plugin->name);
  add_string (b, "version", m->plugin->version);
  json_builder_set_member_name (b, "contract");
  json_builder_add_int_value (b, m->plugin->contract);
  add_string (b, "license", m->plugin->license);
  add_string (b, "homepage", m->plugin->homepage);
  add_string (b, "file", m->file);
  add_string (b, "order", c->kind == NPROF_DECODER ? NULL : np_order_name (c->order));
  json_builder_set_member_name (b, "wants");
  json_builder_begin_array (b);
  for (guint i = 0; c->wants && c->wants[i]; i++)
    add_string (b, NULL, c->wants[i]);
  json_builder_end_array (b);
  json_builder_set_member_name (b, "options");
  json_builder_add_value (b, np_options_to_json (c));
  add_attributes (b, c);
  add_tables (b, c->tables);
  json_builder_end_object (b);
}

void
np_plugins_write_json (GString *out, GPtrArray *usable, GPtrArray *unused)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "plugins");
  json_builder_begin_array (b);
  for (guint i = 0; i < usable->len; i++)
    add_usable (b, usable->pdata[i]);
  json_builder_end_array (b);
  json_builder_set_member_name (b, "unused");
  json_builder_begin_array (b);
  for (guint i = 0; i < unused->len; i++) {
    const NpRegistryEntry *m = unused->pdata[i];
    json_builder_begin_object (b);
    add_string (b, "kind", m->kind == NP_KIND_UNKNOWN ? NULL : np_kind_name (m->kind));
    add_string (b, "name", m->name);
    add_string (b, "file", m->file);
    add_string (b, "problem", m->problem);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
  add_tables (b, np_core_tables_list ()); /* those that no plugin writes */
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  g_autofree char *text = json_to_string (root, TRUE);
  g_string_append_printf (out, "%s\n", text);
}
