/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof info: shows what is in a file. */

#include "cli/command.h"
#include "console/screen.h"

static int
run (int argc, char **argv)
{
  g_auto (NpCliOptions) o = { 0 };
  g_auto (NpScreen) screen = { 0 };
  gboolean count = FALSE;
  g_autofree char *format = NULL;
  const GOptionEntry extra[]
      = { { "count", 0, 0, G_OPTION_ARG_NONE, &count, "Decode and count only", NULL },
          { "format", 0, 0, G_OPTION_ARG_STRING, &format, "plain, markdown or json", "FORMAT" },
          NP_SCREEN_ENTRIES (&screen),
          G_OPTION_ENTRY_NULL };
  if (!np_cli_parse (&o, 0, extra,
                     "Says what is in a profile: format, origin, tracks, counts, time range.",
                     "Examples:\n"
                     "  nprof info profile.xplane.pb\n"
                     "  nprof info --count --format json FILE",
                     argc, argv))
    return NP_EXIT_USAGE;
  NpSpec *text = np_spec_new ("text");
  np_spec_set (text, "tables",
               count ? "inputs"
                     : "inputs+input_steps?+facts+tracks+tensors?+"
                       "parquet_columns?+parquet_groups?+parquet_metadata?+skipped?");
  np_spec_set (text, "rest", count ? "no" : "yes");
  np_spec_set (text, "top", "0");
  if (format)
    np_spec_set (text, "format", format);
  g_ptr_array_add (o.config->sinks, text);
  o.config->output = g_strdup ("-");
  o.config->inspect = !count;
  return np_screen_execute (&screen, &o, text);
}

NP_COMMAND_RUNS (run)
