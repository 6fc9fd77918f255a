/* SPDX-License-Identifier: Apache-2.0 */
/* answers-run.c - finds the analyzer behind a table's name; writes a command's own text. */

#include "answers-run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static gboolean
makes (const struct nprof_component *component, const char *table)
{
  for (const struct nprof_table *const *t = component ? component->tables : NULL; t && *t; t++)
    if (g_str_equal ((*t)->name, table))
      return TRUE;
  return FALSE;
}

static gboolean
asked_for (const NpConfig *config, const char *analyzer)
{
  for (guint i = 0; i < config->analyzers->len; i++)
    if (g_str_equal (((const NpSpec *) g_ptr_array_index (config->analyzers, i))->name, analyzer))
      return TRUE;
  return FALSE;
}

void
np_cli_want_table (NpCliOptions *o, const char *table)
{
  g_autoptr (GPtrArray) analyzers = np_modules_of_kind (np_cli_modules (o), NPROF_ANALYZER);
  for (guint i = 0; i < analyzers->len; i++) {
    const NpModule *module = g_ptr_array_index (analyzers, i);
    if (makes (module->component, table) && !asked_for (o->config, module->name))
      g_ptr_array_add (o->config->analyzers, np_spec_new (module->name));
  }
}

int
np_cli_write (const char *path, const GString *text)
{
  g_autoptr (GError) error = NULL;
  if (path && !g_str_equal (path, "-")) {
    if (g_file_set_contents (path, text->str, (gssize) text->len, &error))
      return NP_EXIT_OK;
    g_printerr ("nprof: error: %s\n", error->message);
    return NP_EXIT_SINK;
  }
  if (fwrite (text->str, 1, text->len, stdout) == text->len && fflush (stdout) == 0)
    return NP_EXIT_OK;
  if (errno == EPIPE)
    return NP_EXIT_PIPE;
  g_printerr ("nprof: error: stdout: %s\n", g_strerror (errno));
  return NP_EXIT_SINK;
}
