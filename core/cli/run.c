/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - nprof run: any input through any components. */

#include "cli/cli.h"

int
np_cli_run (int argc, char **argv)
{
  g_auto (NpCliOptions) o = { 0 };
  if (!np_cli_parse (
          &o, NP_CLI_SINKS | NP_CLI_OUTPUT | NP_CLI_CLIP, NULL,
          "Decodes profiles, analyzes them, and writes them where people work.",
          "Without -s the rows go to CSV files, without -o into the current folder.\n"
          "\n"
          "Examples:\n"
          "  nprof run -o out profile.xplane.pb               spreadsheets: out/events.csv, ...\n"
          "  nprof run -s chrome -o trace.json profile.xplane.pb   for Perfetto, chrome://tracing\n"
          "  nprof run -s csv:table=tracks -o - FILE | head   one table to a pipe\n"
          "  nprof run --from 1ms --to 2ms --track '/device:*' FILE\n"
          "\n"
          "nprof plugins lists decoders, analyzers and sinks; nprof plugins NAME their options.\n"
          "Exit status: 0 done, 1 wrong use, 2 input damaged, 3 done with losses, 4 a sink\n"
          "failed, 5 a plugin failed (nprof(1) has all).",
          argc, argv))
    return NP_EXIT_USAGE;
  if (o.config->sinks->len == 0)
    g_ptr_array_add (o.config->sinks, np_spec_new ("csv"));
  return np_cli_execute (&o);
}
