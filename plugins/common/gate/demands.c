/* SPDX-License-Identifier: Apache-2.0 */
/* demands.c - reads demands with the short names that analyzers say, and finds their tables. */

#include "gate/demands.h"
#include "base/error.h"
#include "console/default-analyzers.h"
#include "console/report-tables.h"
#include "gate/rows.h"
#include "gate/values.h"
#include "plugin/component.h"

#include <string.h>

/* -- Reading --------------------------------------------------------------------------------- */

/* Adds the short names that an analyzer says. */
static void
add_values (GPtrArray *values, const NpRegistryEntry *e)
{
  g_autofree char *who
      = g_strdup_printf ("%.*s.plugin: [analyzer %s]", (int) (strlen (e->file) - strlen (".so")),
                         e->file, e->name);
  GHashTableIter iter;
  gpointer name, what;
  g_hash_table_iter_init (&iter, e->report->values);
  while (g_hash_table_iter_next (&iter, &name, &what))
    np_gate_values_add (values, who, name, what);
}

/* Returns the short names of demands; those of nprof's own analyzers come first. */
static GPtrArray *
values_of (NpRegistry *registry)
{
  GPtrArray *values = np_gate_values_new ();
  g_autoptr (GPtrArray) naming = np_report_naming (registry);
  for (guint i = 0; i < naming->len; i++)
    add_values (values, naming->pdata[i]);
  return values;
}

/* Says what to write for the name of a table alone; else the parser has said what is wrong. */
static void
say_form (NpRegistry *registry, const char *text, const GPtrArray *values, GError **error)
{
  g_autofree char *name = np_gate_bare_name (text, values);
  g_autofree char *table = name ? np_report_first_table (registry, name) : NULL;
  const struct nprof_table *schema = table ? np_report_table (registry, table) : NULL;
  g_autofree char *form = schema ? np_gate_form (schema, name) : NULL;
  if (!form)
    return;
  g_clear_error (error);
  np_error_set (error, NP_EXIT_USAGE, "\"%s\": %s is a table: expected %s", text, name, form);
}

GPtrArray *
np_gate_of_baseline (const GPtrArray *exprs)
{
  GPtrArray *some = g_ptr_array_new ();
  for (guint i = 0; i < exprs->len; i++)
    if (((const NpGateExpr *) exprs->pdata[i])->of_base > 0)
      g_ptr_array_add (some, exprs->pdata[i]);
  return some;
}

/* A baseline without a demand that names it, and such a demand without a baseline, are wrong
 * use. */
static gboolean
check_baseline (const char *baseline, const GPtrArray *exprs, GError **error)
{
  g_autoptr (GPtrArray) held = np_gate_of_baseline (exprs);
  if (!baseline == !held->len)
    return TRUE;
  if (baseline)
    return np_error_set (
        error, NP_EXIT_USAGE,
        "--baseline %s: no demand is held against it: write \"step <= baseline + 5%%\"", baseline);
  return np_error_set (
      error, NP_EXIT_USAGE,
      "\"%s\": which baseline is not said: give --baseline NAME; nprof baseline lists "
      "them",
      ((const NpGateExpr *) held->pdata[0])->text);
}

/* Finds the tables of short names. A misspelt table is wrong use and nothing to be undecided, which
 * --undecided=ok would let pass. */
static gboolean
find_tables (NpRegistry *registry, const GPtrArray *exprs, GError **error)
{
  for (guint i = 0; i < exprs->len; i++) {
    NpGateExpr *expr = g_ptr_array_index (exprs, i);
    g_autofree char *name = expr->of_list ? g_steal_pointer (&expr->table) : NULL;
    if (name)
      expr->table = np_report_first_table (registry, name);
    if (!np_report_check_table (registry, expr->table, error)) {
      g_prefix_error (error, "\"%s\": ", expr->text);
      return FALSE;
    }
  }
  return TRUE;
}

static GPtrArray *
parse_all (NpRegistry *registry, const char *const *texts, guint n, GError **error)
{
  g_autoptr (GPtrArray) exprs = g_ptr_array_new_with_free_func ((GDestroyNotify) np_gate_expr_free);
  g_autoptr (GPtrArray) values = values_of (registry);
  for (guint i = 0; i < n; i++) {
    NpGateExpr *expr = np_gate_parse (texts[i], values, error);
    if (!expr) {
      say_form (registry, texts[i], values, error);
      return NULL;
    }
    g_ptr_array_add (exprs, expr);
  }
  return g_steal_pointer (&exprs);
}

GPtrArray *
np_gate_demands (NpRegistry *registry, const char *const *texts, guint n, const char *baseline,
                 GError **error)
{
  g_autoptr (GPtrArray) exprs = parse_all (registry, texts, n, error);
  const gboolean good
      = exprs && check_baseline (baseline, exprs, error) && find_tables (registry, exprs, error);
  return good ? g_steal_pointer (&exprs) : NULL;
}

/* -- Analyzers ------------------------------------------------------------------------------- */

/* Adds the analyzers of a table, and those of the tables that they read, as a report runs them. */
static void
want (NpConfig *config, NpRegistry *registry, GHashTable *wanted, const char *table)
{
  if (!g_hash_table_add (wanted, g_strdup (table)))
    return;
  g_autoptr (GPtrArray) all = np_registry_of_kind (registry, NPROF_ANALYZER);
  for (guint i = 0; i < all->len; i++) {
    const struct nprof_component *c = ((const NpRegistryEntry *) all->pdata[i])->component;
    const char *const *reads = np_component_has_table (c, table) ? c->table_wants : NULL;
    for (; reads && *reads; reads++) {
      g_autofree char *read = g_strndup (*reads, strcspn (*reads, "?"));
      want (config, registry, wanted, read);
    }
  }
  np_want_table (config, registry, table);
}

GPtrArray *
np_gate_want (NpConfig *config, NpRegistry *registry, const GPtrArray *exprs)
{
  GPtrArray *names = g_ptr_array_new ();
  g_autoptr (GHashTable) wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_ptr_array_add (names, (gpointer) "abilities"); /* why rows are not there */
  g_ptr_array_add (names, (gpointer) "verdict");   /* of which machine it is */
  g_ptr_array_add (names, (gpointer) "facts");
  for (guint i = 0; i < exprs->len; i++) {
    const NpGateExpr *expr = g_ptr_array_index (exprs, i);
    g_ptr_array_add (names, expr->table);
    if (expr->of_devices)
      g_ptr_array_add (names, (gpointer) "devices");
  }
  for (guint i = 0; i < names->len; i++)
    want (config, registry, wanted, names->pdata[i]);
  np_order_analyzers (config, registry);
  g_ptr_array_add (names, NULL);
  return names;
}
