/* SPDX-License-Identifier: Apache-2.0 */
/* declared.c - checks that the file opens, that its entry is pure, and that its components are what
 * the contract asks for.  No component is called. */

#include <pthread.h>
#include <string.h>

#include "base/install-paths.h"
#include "check.h"
#include "console/report-tables.h"
#include "plugin/component.h"
#include "gate/demand-value.h"
#include "plugin/option.h"
#include "plugin/plugin-index.h"
#include "plugin/registry.h"

/* -- load ------------------------------------------------------------------ */

/* Returns NULL when the index does not list the component. */
static const NpPluginEntry *
entry_of (const GPtrArray *listed, const struct nprof_component *c)
{
  for (guint i = 0; i < listed->len; i++) {
    const NpPluginEntry *entry = listed->pdata[i];
    if (entry->kind == c->kind && strcmp (entry->name, c->name) == 0)
      return entry;
  }
  return NULL;
}

static void
check_table (NpCheck *check, const char *path, const struct nprof_component *c, const char *table)
{
  if (!np_component_has_table (c, table))
    np_check_found (check, "%s: report: %s %s declares no table %s", path, np_kind_name (c->kind),
                    c->name, table);
}

/* Looks for the tables of widgets or pictures, which may be those of other components. */
static void
check_drawn (NpCheck *check, const char *path, GHashTable *lists, const struct nprof_component *c,
             NpRegistry *registry)
{
  g_autofree gpointer *names = g_hash_table_get_keys_as_array (lists, NULL);
  for (gpointer *name = names; *name; name++)
    for (char **t = g_hash_table_lookup (lists, *name); *t; t++) {
      g_autofree char *table = g_strndup (*t, strcspn (*t, "?"));
      if (!np_component_has_table (c, table) && !np_report_table (registry, table))
        np_check_found (check, "%s: report: %s: no plugin declares a table %s", path,
                        (const char *) *name, table);
    }
}

/* Reads what is said of names of demands, as nprof gate does. */
static void
check_values (NpCheck *check, const char *path, GHashTable *values,
              const struct nprof_component *c)
{
  g_autofree gpointer *names = g_hash_table_get_keys_as_array (values, NULL);
  for (gpointer *name = names; *name; name++) {
    g_autofree char *why = NULL;
    g_autoptr (NpDemandValue) value
        = np_demand_value_read (*name, g_hash_table_lookup (values, *name), &why);
    if (value)
      check_table (check, path, c, value->table);
    else
      np_check_found (check, "%s: report: %s", path, why);
  }
}

/* Looks for tables and options that the index names in its report, and the component lacks. */
static void
check_report (NpCheck *check, const char *path, const NpReportPart *part,
              const struct nprof_component *c)
{
  g_autofree gpointer *page = g_hash_table_get_keys_as_array (part->page, NULL);
  g_autofree gpointer *off = g_hash_table_get_keys_as_array (part->off, NULL);
  g_autofree gpointer *called = g_hash_table_get_keys_as_array (part->called, NULL);
  g_autofree char *installed = np_installed_plugins ();
  NpRegistry *registry = np_registry_new (installed);
  for (gpointer *t = off; *t; t++) {
    g_auto (GStrv) words = g_strsplit (g_hash_table_lookup (part->off, *t), "=", 2);
    if (!np_option_find (c, words[0]))
      np_check_found (check, "%s: report: %s %s has no option %s", path, np_kind_name (c->kind),
                      c->name, words[0]);
  }
  for (gpointer *t = page; *t; t++)
    check_table (check, path, c, *t);
  for (char **t = part->details; t && *t; t++)
    check_table (check, path, c, *t);
  for (gpointer *t = off; *t; t++)
    check_table (check, path, c, *t);
  for (gpointer *t = called; *t; t++)
    check_table (check, path, c, *t);
  check_drawn (check, path, part->widgets, c, registry);
  check_drawn (check, path, part->pictures, c, registry);
  check_values (check, path, part->values, c);
  np_registry_free (registry);
}

static gboolean
declares_tables (const struct nprof_component *c)
{
  return c->size >= offsetof (struct nprof_component, tables) + sizeof c->tables;
}

static void
check_entry (NpCheck *check, const char *path, const GPtrArray *listed,
             const struct nprof_component *c)
{
  const NpPluginEntry *entry = entry_of (listed, c);
  if (!entry)
    np_check_found (check, "%s does not list %s %s", path, np_kind_name (c->kind), c->name);
  else if (entry->unknown)
    np_check_found (check, "%s: [%s %s] has the key \"%s\", which nprof does not read", path,
                    np_kind_name (c->kind), c->name, entry->unknown);
  else if (entry->report && declares_tables (c))
    check_report (check, path, entry->report, c);
}

/* Looks for the table of a view among those of the plugin; the others are components. */
static guint
check_views (NpCheck *check, const char *path, const GPtrArray *listed,
             const struct nprof_plugin *plugin, guint n)
{
  guint views = 0;
  for (guint i = 0; i < listed->len; i++) {
    const NpPluginEntry *entry = listed->pdata[i];
    gboolean made = !entry->view;
    for (guint k = 0; k < n && !made; k++)
      made = declares_tables (plugin->components[k])
             && np_component_has_table (plugin->components[k], entry->view->table);
    views += entry->view != NULL;
    if (!made)
      np_check_found (check, "%s: [view %s]: it declares no table %s", path, entry->name,
                      entry->view->table);
    else if (entry->view && entry->unknown)
      np_check_found (check, "%s: [view %s] has the key \"%s\", which nprof does not read", path,
                      entry->name, entry->unknown);
  }
  return views;
}

/* Compares the plugin with NAME.plugin beside it, when there is one. */
static void
check_index (NpCheck *check, const struct nprof_plugin *plugin, guint n)
{
  if (!g_str_has_suffix (check->path, ".so"))
    return;
  g_autofree char *base = g_strndup (check->path, strlen (check->path) - strlen (".so"));
  g_autofree char *path = g_strconcat (base, ".plugin", NULL), *problem = NULL;
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return;
  g_autoptr (GPtrArray) listed = np_plugin_index_read (path, &problem);
  if (!listed) {
    np_check_found (check, "%s", problem);
    return;
  }
  for (guint i = 0; i < n; i++)
    check_entry (check, path, listed, plugin->components[i]);
  const guint components = listed->len - check_views (check, path, listed, plugin, n);
  if (components > n)
    np_check_found (check, "%s lists %u components, the file holds %u", path, components, n);
}

static void
check_name (NpCheck *check, const struct nprof_plugin *plugin, guint i)
{
  const struct nprof_component *c = plugin->components[i];
  if (c->size < offsetof (struct nprof_component, summary))
    np_check_found (check, "component %u: its size %u is too small", i + 1, c->size);
  else if (!np_component_is_name (c->name))
    np_check_found (check,
                    "component %u: its name \"%s\" is not of a-z, 0-9 and -, nor vendor.name",
                    i + 1, c->name ? c->name : "");
  for (guint k = 0; !check->report->n_text && k < i; k++)
    if (plugin->components[k]->kind == c->kind
        && strcmp (plugin->components[k]->name, c->name) == 0)
      np_check_found (check, "it holds two of %s %s", np_kind_name (c->kind), c->name);
}

void
np_check_load (NpCheck *check)
{
  const struct nprof_plugin *plugin;
  NpCheckReport *report = check->report;
  char *problem = np_check_open (check, &plugin);
  np_check_take (check, problem);
  if (problem)
    return;
  guint n = 0;
  for (; plugin->components[n] && n < NP_CHECK_MOST_COMPONENTS; n++)
    check_name (check, plugin, n);
  if (plugin->components[n])
    np_check_found (check, "it holds more than %u components", n);
  if (n == 0)
    np_check_found (check, "it holds no component");
  if (report->n_text)
    return;
  check_index (check, plugin, n);
  for (guint i = 0; i < n; i++) {
    report->components[i].kind = plugin->components[i]->kind;
    g_strlcpy (report->components[i].name, plugin->components[i]->name,
               sizeof report->components[i].name);
  }
  report->n_components = n;
}

/* -- entry ----------------------------------------------------------------- */

static void
sum_text (GChecksum *sum, const char *text)
{
  g_checksum_update (sum, (const guchar *) (text ? text : "\1"), text ? (gssize) strlen (text) : 1);
}

/* Adds an array of pointers to structs that begin with their size. */
static void
sum_array (GChecksum *sum, gconstpointer array)
{
  const guint32 *const *structs = array;
  for (guint i = 0; structs && structs[i]; i++)
    g_checksum_update (sum, (const guchar *) structs[i], (gssize) *structs[i]);
}

static void
sum_component (GChecksum *sum, const struct nprof_component *c)
{
  sum_text (sum, c->name);
  sum_text (sum, c->summary);
  sum_array (sum, c->options);
  sum_array (sum, c->attributes);
  sum_array (sum, c->tables);
  for (guint i = 0; c->tables && c->tables[i]; i++)
    sum_array (sum, c->tables[i]->columns);
}

char *
np_check_fingerprint (const struct nprof_plugin *plugin)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (GPtrArray) memory = g_ptr_array_new_with_free_func (g_free);
  g_checksum_update (sum, (const guchar *) plugin, plugin->size);
  sum_text (sum, plugin->name);
  sum_text (sum, plugin->version);
  sum_array (sum, plugin->components);
  for (guint i = 0; plugin->components[i]; i++)
    sum_component (sum, np_component_copy (plugin->components[i], NPROF_CONTRACT, memory));
  return g_strdup (g_checksum_get_string (sum));
}

static void *
open_again (void *user)
{
  NpCheck *check = user;
  const struct nprof_plugin *again = NULL;
  g_free (np_check_open (check, &again)); /* what is wrong with it has been said */
  return (void *) again;
}

void
np_check_entry (NpCheck *check)
{
  pthread_t thread;
  void *elsewhere = NULL;
  np_check_take (check, np_check_open (check, &check->plugin));
  if (!check->plugin)
    return;
  g_autofree char *before = np_check_fingerprint (check->plugin);
  if (open_again (check) != check->plugin)
    np_check_found (check, "a second call returned something else");
  if (pthread_create (&thread, NULL, open_again, check) == 0)
    pthread_join (thread, &elsewhere);
  if (elsewhere != check->plugin)
    np_check_found (check, "a call from another thread returned something else");
  g_autofree char *after = np_check_fingerprint (check->plugin);
  if (strcmp (before, after) != 0)
    np_check_found (check, "what it declares has changed between two calls");
}

/* -- declaration ----------------------------------------------------------- */

static void
check_tables (NpCheck *check)
{
  const struct nprof_table *const *tables = check->component->tables;
  for (guint i = 0; tables && tables[i]; i++) {
    if (!tables[i]->title || !*tables[i]->title)
      np_check_found (check, "table %s has no title", tables[i]->name);
    for (guint k = 0; tables[i]->columns[k]; k++)
      if (!tables[i]->columns[k]->unit || !tables[i]->columns[k]->help)
        np_check_found (check, "table %s: column %s needs a unit (\"\": none) and a help",
                        tables[i]->name, tables[i]->columns[k]->name);
    for (guint k = 0; k < i; k++)
      if (strcmp (tables[k]->name, tables[i]->name) == 0)
        np_check_found (check, "two tables are named %s", tables[i]->name);
  }
}

void
np_check_declaration (NpCheck *check)
{
  char *problem = np_component_problem (check->component);
  np_check_take (check, problem);
  if (problem)
    return;
  check_tables (check);
}
