/* SPDX-License-Identifier: Apache-2.0 */
/* collect-tables.c - finds the analyzer behind a table's name; writes a command's own text. */

#include "console/collect-tables.h"
#include "base/error.h"
#include "console/default-analyzers.h"
#include "output/transaction.h"
#include "pipeline/core-tables.h"

#include <string.h>
#include <unistd.h>

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
  np_want_table (o->config, np_cli_modules (o), table);
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
