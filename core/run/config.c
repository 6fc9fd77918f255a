/* SPDX-License-Identifier: Apache-2.0 */
/* config.c - the request that a run fulfils. */

#include "run/config.h"
#include "rows/batch.h"
#include "rows/text-limit.h"

#include <nprof/plugin.h>

NpConfig *
np_config_new (void)
{
  NpConfig *config = g_new0 (NpConfig, 1);
  config->inputs = g_ptr_array_new_with_free_func (g_free);
  config->analyzers = g_ptr_array_new_with_free_func ((GDestroyNotify) np_spec_free);
  config->sinks = g_ptr_array_new_with_free_func ((GDestroyNotify) np_spec_free);
  config->read = np_read_files_new ();
  config->batch_rows = NP_BATCH_ROWS;
  config->text_most = NP_TEXT_MOST;
  config->call_limit = 10;
  return config;
}

NpConfig *
np_config_like (const NpConfig *from)
{
  NpConfig *config = np_config_new ();
  config->jobs = from->jobs;
  config->keep_going = from->keep_going;
  config->no_export = from->no_export;
  config->batch_rows = from->batch_rows;
  config->text_most = from->text_most;
  config->call_limit = from->call_limit;
  config->progress = from->progress;
  return config;
}

void
np_config_free (NpConfig *config)
{
  if (!config)
    return;
  g_ptr_array_unref (config->inputs);
  g_clear_pointer (&config->clocks, g_hash_table_unref);
  g_clear_pointer (&config->decoder, np_spec_free);
  g_clear_pointer (&config->hints, np_spec_free);
  g_ptr_array_unref (config->analyzers);
  g_ptr_array_unref (config->sinks);
  g_free (config->output);
  np_read_files_free (config->read);
  np_selection_clear (&config->selection);
  g_clear_pointer (&config->where, g_hash_table_unref);
  g_free (config);
}

void
np_saved_free (NpSaved *saved)
{
  g_free (saved->analyzer);
  g_bytes_unref (saved->state);
  g_free (saved);
}

gboolean
np_config_read_environment (NpConfig *config, GError **error)
{
  const char *text = g_getenv ("NPROF_BATCH_ROWS");
  guint64 rows;
  if (!text)
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 1, NP_BATCH_ROWS, &rows, NULL))
    return np_error_set (error, NP_EXIT_USAGE, "NPROF_BATCH_ROWS=%s: expected 1 to %d", text,
                         NP_BATCH_ROWS);
  config->batch_rows = (guint) rows;
  return TRUE;
}

gboolean
np_wants_steps (const NpConfig *config)
{
  gboolean nth;
  return np_selection_by_steps (&config->selection, &nth) || config->inspect || config->found_steps;
}

void
np_config_add_own (NpConfig *config, const struct nprof_component *sink, gpointer caller)
{
  NpSpec *spec = np_spec_new (sink->name);
  spec->own = sink;
  g_ptr_array_add (config->sinks, spec);
  config->caller = caller;
}
