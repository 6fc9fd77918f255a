/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof flame: stacks for viewers of flame graphs. */

#include "cli/command.h"
#include "console/collect-tables.h"
#include "console/file-ending.h"
#include "text.h"

#include <unistd.h>

typedef struct {
  char *format, *weight, *by;
} Asked;

static void
asked_clear (Asked *asked)
{
  g_free (asked->format);
  g_free (asked->weight);
  g_free (asked->by);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Asked, asked_clear)

static const NpFileEnding endings[]
    = { { ".folded", "folded" }, { ".txt", "folded" },  { ".json", "speedscope" },
        { ".pb.gz", "pprof" },   { ".pprof", "pprof" }, { NULL, NULL } };

/* Returns the name of the file in a folder. */
static const char *
file_name (const char *format)
{
  return g_str_equal (format, "speedscope") ? "flame.speedscope.json"
         : g_str_equal (format, "pprof")    ? "flame.pb.gz"
                                            : "flame.folded";
}

static const char *
weight_of (const NpSpec *spec)
{
  const char *weight = "host";
  for (guint i = 0; i < spec->keys->len; i++)
    if (g_strcmp0 (spec->keys->pdata[i], "weight") == 0)
      weight = spec->values->pdata[i];
  return weight;
}

/* Adds analyzer flame.  One that -a asked for keeps its options, but what this command says of them
 * counts.  Returns what the weights are. */
static const char *
want_stacks (NpCliOptions *o, const Asked *asked)
{
  const char *weight = "host";
  np_cli_want_table (o, "stacks");
  for (guint i = 0; i < o->config->analyzers->len; i++) {
    NpSpec *spec = g_ptr_array_index (o->config->analyzers, i);
    if (!g_str_equal (spec->name, "flame"))
      continue;
    if (asked->weight)
      np_spec_set (spec, "weight", asked->weight);
    if (asked->by)
      np_spec_set (spec, "by", asked->by);
    weight = weight_of (spec);
  }
  return weight;
}

/* Says why there is no flame graph, which no viewer does of an empty one. */
static int
refuse_empty (const char *weight)
{
  g_autofree char *text = g_strdup_printf (
      "--weight %s: there are no stacks: %s; nprof info says what is in the file, and doctor how "
      "to record it",
      weight,
      g_str_equal (weight, "bytes")    ? "the file has no rows of allocations"
      : g_str_equal (weight, "device") ? "the file has no work of a device that takes time"
                                       : "the file has no spans of a thread");
  np_cli_tell (text, "flame");
  return NP_EXIT_INPUT;
}

static int
draw (NpCliOptions *o, const Asked *asked, const char *format)
{
  g_autofree char *weight = g_strdup (want_stacks (o, asked));
  g_auto (NpCollected) collected = { 0 };
  np_cli_collect (o, &collected);
  int status = np_cli_execute (o);
  if (status != NP_EXIT_OK && status != NP_EXIT_LOSSES)
    return status;
  const NpTable *stacks = np_table_store_find (collected.tables, "stacks");
  if (!stacks || !stacks->n_rows)
    return refuse_empty (weight);
  GString *text = np_flame_text (stacks, format, g_str_equal (weight, "bytes"));
  if (!text) {
    g_autoptr (GError) error = g_error_new (NP_ERROR, NP_EXIT_ROOM,
                                            "--format %s: no memory to compress it: take folded, "
                                            "or run it where more memory is free",
                                            format);
    np_cli_tell_error (error, "flame");
    return NP_EXIT_ROOM;
  }
  int written = np_cli_write ("flame", o->config, file_name (format), text);
  g_string_free (text, TRUE);
  return (int) np_exit_worse ((NpExit) status, (NpExit) written);
}

static gboolean
check (const NpConfig *config, const char *format, GError **error)
{
  const char *path = config->output;
  if (!g_strv_contains (np_flame_formats, format))
    np_error_set (error, NP_EXIT_USAGE, "--format %s: expected folded, speedscope or pprof",
                  format);
  else if (g_str_equal (format, "pprof") && (!path || g_str_equal (path, "-"))
           && isatty (STDOUT_FILENO))
    np_error_set (error, NP_EXIT_USAGE,
                  "--format pprof: this is no text for a terminal: name a file, -o FILE.pb.gz");
  else
    return TRUE;
  return FALSE;
}

static int
run (int argc, char **argv)
{
  g_auto (NpCliOptions) o = { 0 };
  g_auto (Asked) asked = { 0 };
  g_autoptr (GError) error = NULL;
  const GOptionEntry extra[] = {
    { "format", 0, 0, G_OPTION_ARG_STRING, &asked.format,
      "folded, speedscope or pprof (default: by the name of -o)", "FORMAT" },
    { "weight", 0, 0, G_OPTION_ARG_STRING, &asked.weight,
      "host: time of threads; device: time of work below what launched it; bytes: allocated",
      "WEIGHT" },
    { "by", 0, 0, G_OPTION_ARG_STRING, &asked.by,
      "stack: all spans; module: modules alone; layer: the path of the framework; source: lines",
      "FRAMES" },
    G_OPTION_ENTRY_NULL
  };
  if (!np_cli_parse (
          &o, NP_CLI_OUTPUT | NP_CLI_CLIP, extra,
          "Writes stacks with their time, for viewers of flame graphs.",
          "Without -o, folded stacks on the standard output; .json is for speedscope, "
          ".pb.gz for pprof.\n"
          "\n"
          "Examples:\n"
          "  nprof flame FILE | flamegraph.pl > flame.svg\n"
          "  nprof flame --weight device -o flame.speedscope.json FILE\n"
          "  nprof flame --weight device --by module -o flame.pb.gz FILE; go tool pprof -http : "
          "flame.pb.gz",
          argc, argv))
    return NP_EXIT_USAGE;
  int status = NP_EXIT_USAGE;
  const char *format = asked.format;
  gboolean known = format || np_format_of_ending (o.config->output, endings, &format, &error);
  if (!format)
    format = "folded";
  if (known && check (o.config, format, &error))
    status = draw (&o, &asked, format);
  else
    np_cli_tell_error (error, "flame");
  return status;
}

NP_COMMAND_RUNS (run)
