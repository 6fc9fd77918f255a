/* SPDX-License-Identifier: Apache-2.0 */
/* collect-tables.c - finds the analyzer behind a table's name; writes a command's own text. */

#include "console/collect-tables.h"
#include "base/error.h"
#include "console/default-analyzers.h"
#include "output/transaction.h"
#include "pipeline/core-tables.h"

#include <string.h>
#include <unistd.h>

/* Returns the spec of the analyzer; NULL: it takes no part. */
static NpSpec *
spec_of (const NpConfig *config, const char *analyzer)
{
  for (guint i = 0; i < config->analyzers->len; i++) {
    NpSpec *spec = g_ptr_array_index (config->analyzers, i);
    if (g_str_equal (spec->name, analyzer))
      return spec;
  }
  return NULL;
}

/* Makes an analyzer take part whatever the inputs are: what its index says of them is for those who
 * did not ask for it. */
static void
take_always (NpSpec *spec)
{
  g_clear_pointer (&spec->only_for, g_strfreev);
  spec->least_inputs = 0;
}

void
np_cli_take_analyzers (NpCliOptions *o)
{
  g_ptr_array_set_size (o->config->analyzers, 0);
  for (char **one = o->analyzers; one && *one; one++) /* they were parsed once already */
    g_ptr_array_add (o->config->analyzers, np_spec_parse (*one, NULL));
}

void
np_cli_want_table (NpCliOptions *o, const char *table)
{
  g_autoptr (GPtrArray) makers = g_ptr_array_new_with_free_func (g_free);
  np_add_makers (makers, np_cli_modules (o), table);
  for (guint i = 0; i < makers->len; i++) {
    NpSpec *spec = spec_of (o->config, makers->pdata[i]);
    if (spec)
      take_always (spec);
    else
      g_ptr_array_add (o->config->analyzers, np_spec_new (makers->pdata[i]));
  }
}

static void
add_names (GPtrArray *names, const struct nprof_table *const *tables)
{
  for (; tables && *tables; tables++)
    g_ptr_array_add (names, (gpointer) (*tables)->name);
}

void
np_cli_collect (NpCliOptions *o, NpCollected *collected)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  add_names (names, np_core_tables_list ());
  for (guint i = 0; i < o->config->analyzers->len; i++) {
    const NpSpec *spec = o->config->analyzers->pdata[i];
    const NpRegistryEntry *module
        = np_registry_get (np_cli_modules (o), NPROF_ANALYZER, spec->name, NULL);
    add_names (names, module ? module->component->tables : NULL);
  }
  g_ptr_array_add (names, NULL);
  np_collect (collected, (const char *const *) names->pdata, o->config);
}

GPtrArray *
np_cli_tables (NpCliOptions *o, const NpTableStore *tables)
{
  g_autoptr (GPtrArray) analyzers = np_registry_of_kind (np_cli_modules (o), NPROF_ANALYZER);
  GPtrArray *names = g_ptr_array_new ();
  add_names (names, np_table_store_list (tables));
  for (guint i = 0; i < analyzers->len; i++) {
    const struct nprof_component *c
        = ((NpRegistryEntry *) g_ptr_array_index (analyzers, i))->component;
    for (const struct nprof_table *const *t = c ? c->tables : NULL; t && *t; t++)
      if (!g_ptr_array_find_with_equal_func (names, (*t)->name, g_str_equal, NULL))
        g_ptr_array_add (names, (gpointer) (*t)->name);
  }
  g_ptr_array_add (names, NULL);
  return names;
}

/* -- The text -------------------------------------------------------------- */

static gboolean
write_text (NpOutputs *outputs, const struct nprof_component *writer, const char *path,
            const GString *text, GError **error)
{
  NpTarget *target = np_outputs_target (outputs, writer, path ? path : "-", TRUE, error);
  struct nprof_output *file = target ? np_target_open (target, NULL, error) : NULL;
  if (!file)
    return FALSE;
  if (file->write (file, text->str, text->len) || file->close (file)) {
    g_propagate_error (error, g_error_copy (np_target_error (target)));
    return FALSE;
  }
  return np_outputs_commit (outputs, "nprof " NPROF_VERSION, error);
}

int
np_cli_write (const char *command, const NpConfig *config, const char *name, const GString *text)
{
  const struct nprof_component writer = { .size = sizeof writer,
                                          .kind = NPROF_SINK,
                                          .name = command,
                                          .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT,
                                          .default_name = name };
  g_autoptr (GError) error = NULL;
  NpLog *log = np_log_new (NPROF_WARNING, STDERR_FILENO);
  NpOutputs *outputs = np_outputs_new (log, &np_cli_interrupt, config->read);
  if (!write_text (outputs, &writer, config->output, text, &error) && !np_error_is_silent (error)
      && error->code != NP_EXIT_PIPE)
    np_log (log, NPROF_ERROR, "%s", error->message);
  np_outputs_free (outputs);
  np_log_free (log);
  int interrupt = error ? atomic_load (&np_cli_interrupt) : 0;
  return interrupt ? interrupt : error ? error->code : NP_EXIT_OK;
}
