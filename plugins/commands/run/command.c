/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof run: any input through any components. It is in the program, and no module. */

#include "clock-file.h"

#include "cli/cli.h"

#include <unistd.h>

static int
read_clocks (NpCliOptions *o, const char *path)
{
  g_autoptr (GError) error = NULL;
  np_read_files_add (o->config->read, path);
  o->config->clocks = np_clock_file_read (path, &error);
  if (!error)
    return NP_EXIT_OK;
  NpLog *log = np_log_new (o->verbosity, STDERR_FILENO);
  np_log (log, NPROF_ERROR, "%s", error->message);
  np_log_free (log);
  return error->code;
}

/* Says that no sink takes -o: who named a place would look for the profile there. */
static void
warn_of_unused_output (NpCliOptions *o)
{
  if (!o->config->output)
    return;
  for (guint i = 0; i < o->config->sinks->len; i++) {
    const NpSpec *spec = g_ptr_array_index (o->config->sinks, i);
    const NpRegistryEntry *sink
        = np_registry_get (np_cli_modules (o), NPROF_SINK, spec->name, NULL);
    if (!sink || sink->component->flags & (NPROF_SINK_FILE | NPROF_SINK_FOLDER))
      return; /* one that is not there is an error of the run */
  }
  np_cli_warn (o,
               "-o %s: no sink of this run writes there; nprof plugins NAME lists the options of a "
               "sink that say where it writes",
               o->config->output);
}

int
np_cli_run (int argc, char **argv)
{
  g_auto (NpCliOptions) o = { 0 };
  g_autofree char *clocks = NULL;
  gboolean meaning = FALSE, checked = FALSE;
  const GOptionEntry extra[]
      = { { "clocks", 0, 0, G_OPTION_ARG_FILENAME, &clocks,
            "Tell times by one clock: the clocks.csv of nprof reduce -s csv", "FILE" },
          { "checked", 0, 0, G_OPTION_ARG_NONE, &checked,
            "Look at each row and call of all plugins, as nprof check does", NULL },
          { "meaning", 0, 0, G_OPTION_ARG_NONE, &meaning,
            "Write the keys work, launch, operator, blocks of rows", NULL },
          G_OPTION_ENTRY_NULL };
  if (!np_cli_parse (
          &o, NP_CLI_SINKS | NP_CLI_OUTPUT | NP_CLI_CLIP, extra,
          "Decodes profiles, analyzes them, and writes them where people work.",
          "Without -s the rows go to CSV files, without -o into the current folder.\n"
          "\n"
          "Examples:\n"
          "  nprof run -o out profile.xplane.pb               spreadsheets: out/events.csv, ...\n"
          "  nprof run -s chrome -o trace.json profile.xplane.pb   for Perfetto, chrome://tracing\n"
          "  nprof run -s csv:table=tracks -o - FILE | head   one table to a pipe\n"
          "  nprof run --from 1ms --to 2ms --track '/device:*' FILE\n"
          "  nprof run --clocks tables/clocks.csv -s chrome -o few.json rank13.json rank14.json\n"
          "\n"
          "nprof plugins lists decoders, analyzers and sinks; nprof plugins NAME their options.\n"
          "Exit status: 0 done, 1 wrong use, 2 input damaged, 3 done with losses, 4 a sink\n"
          "failed, 5 a plugin failed (nprof(1) has all).",
          argc, argv))
    return NP_EXIT_USAGE;
  o.config->meaning = meaning;
  o.config->checked = checked;
  int code = clocks ? read_clocks (&o, clocks) : NP_EXIT_OK;
  if (code)
    return code;
  if (o.config->sinks->len == 0)
    g_ptr_array_add (o.config->sinks, np_spec_new ("csv"));
  warn_of_unused_output (&o);
  return np_cli_execute (&o);
}
