/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof map: each rank of a job by itself, on whatever machine it lies, to a small
 * state that nprof reduce takes together. */

#include "cli/command.h"
#include "console/collect-tables.h"
#include "input/digest.h"
#include "input/input.h"
#include "scale/shard.h"
#include "scale/state-file.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  NpCliOptions *o;
  char *shard, *rank;
  GRegex *rank_regex; /* NULL: rank is the number, or not given */
  gboolean force, clip;
  NpLog *log;
  char *options;      /* what makes states comparable */
  GHashTable *mapped; /* number of a rank to the input it came from */
  guint written;
} Map;

static int
failed (Map *map, GError *error)
{
  int code = error->code;
  np_log (map->log, NPROF_ERROR, "%s", error->message);
  g_error_free (error);
  return code;
}

/* -- Which rank an input is -------------------------------------------------------------------- */

static gboolean
is_rank (const char *text)
{
  guint64 n;
  return g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT32, &n, NULL);
}

/* Reads --rank: a number, which one input can have, or a regular expression. */
static gboolean
read_rank (Map *map, guint n_inputs, GError **error)
{
  if (map->rank && is_rank (map->rank) && n_inputs > 1)
    return np_error_set (
        error, NP_EXIT_USAGE,
        "--rank %s: there are %u inputs: give a regular expression that finds the number "
        "in each name",
        map->rank, n_inputs);
  if (!map->rank || is_rank (map->rank))
    return TRUE;
  map->rank_regex = g_regex_new (map->rank, G_REGEX_CASELESS, 0, NULL);
  if (map->rank_regex && g_regex_get_capture_count (map->rank_regex))
    return TRUE;
  return np_error_set (error, NP_EXIT_USAGE,
                       "--rank %s: expected a number, or a regular expression with a group, as "
                       "'rank-([0-9]+)'",
                       map->rank);
}

/* Sets *text: the rank, or "": the file says it itself. */
static gboolean
rank_of_path (const Map *map, const char *path, char **text, GError **error)
{
  g_autoptr (GMatchInfo) match = NULL;
  *text = NULL;
  if (map->rank_regex) {
    if (g_regex_match (map->rank_regex, path, 0, &match)
        && is_rank ((*text = g_match_info_fetch (match, 1))))
      return TRUE;
    np_error_set (error, NP_EXIT_INPUT, "%s: --rank %s finds no number in its name", path,
                  map->rank);
    g_clear_pointer (text, g_free);
    return FALSE;
  }
  *text = g_strdup (map->rank ? map->rank : "");
  return TRUE;
}

/* -- One run ----------------------------------------------------------------------------------- */

static NpSpec *
copy_spec (const NpSpec *spec)
{
  NpSpec *copy = np_spec_new (spec->name);
  for (guint i = 0; i < spec->keys->len; i++)
    np_spec_set (copy, g_ptr_array_index (spec->keys, i), g_ptr_array_index (spec->values, i));
  return copy;
}

/* Those asked for save their states; the analyzer of ranks is there once more, to say who they
 * are. */
static GPtrArray *
analyzers_of (const Map *map, const char *rank)
{
  GPtrArray *specs = g_ptr_array_new_with_free_func ((GDestroyNotify) np_spec_free);
  const GPtrArray *asked = map->o->config->analyzers;
  for (guint i = 0; i < asked->len; i++) {
    NpSpec *spec = copy_spec (g_ptr_array_index (asked, i));
    spec->saves = TRUE;
    g_ptr_array_add (specs, spec);
  }
  NpSpec *who = np_spec_new ("ranks");
  g_ptr_array_add (specs, who);
  for (guint i = 0; i < specs->len; i++) {
    NpSpec *spec = g_ptr_array_index (specs, i);
    if (!g_str_equal (spec->name, "ranks"))
      continue;
    np_spec_set (spec, "strict", "yes");
    if (!spec->saves && map->o->config->sinks->len)
      np_spec_set (spec, "calls", "yes");
    if (*rank)
      np_spec_set (spec, "rank", rank);
  }
  return specs;
}

static gint64
int_cell (const NpTable *t, guint row, const char *column, gint64 unknown)
{
  const struct nprof_cell cell = np_table_cell (t, row, np_table_column (t, column));
  return cell.type == NPROF_INT64 ? cell.v.i : unknown;
}

static char *
text_cell (const NpTable *t, guint row, const char *column)
{
  return g_strdup (np_table_text (t, row, np_table_column (t, column)));
}

static gboolean
is_missing (const NpTable *ranks, guint row)
{
  const char *state = np_table_text (ranks, row, np_table_column (ranks, "state"));
  return g_strcmp0 (state, "missing") == 0;
}

/* Ranks of other inputs have rows where the profile tells how many there are; 0: it does not. */
static gint64
world_of (const NpTable *ranks)
{
  gboolean told = FALSE;
  for (guint i = 0; i < ranks->n_rows; i++)
    told |= is_missing (ranks, i);
  return told ? int_cell (ranks, ranks->n_rows - 1, "rank", 0) + 1 : 0;
}

static void
add_rank (NpState *state, const NpTable *ranks, guint row, const NpTable *inputs,
          const char *digest, const char *source)
{
  NpStateRank *rank = g_new0 (NpStateRank, 1);
  gint64 origin = int_cell (inputs, 0, "origin_unix_ns", 0);
  rank->number = int_cell (ranks, row, "rank", 0);
  rank->world = world_of (ranks);
  rank->begin = origin ? origin + int_cell (inputs, 0, "start_ns", 0) / 1000 : 0;
  rank->end = origin ? origin + int_cell (inputs, 0, "end_ns", 0) / 1000 : 0;
  rank->host = text_cell (ranks, row, "host");
  rank->file = text_cell (ranks, row, "file");
  rank->digest = g_strdup (digest);
  rank->source = g_strdup (source);
  g_ptr_array_add (state->ranks, rank);
}

/* Ranks of the table that are missing are those of other inputs. */
static void
add_ranks (NpState *state, const NpTableStore *tables, const char *source)
{
  const NpTable *ranks = np_table_store_find (tables, "ranks"),
                *inputs = np_table_store_find (tables, "inputs");
  g_autofree char *digest = np_states_digest (state->states);
  for (guint i = 0; ranks && i < ranks->n_rows; i++)
    if (!is_missing (ranks, i))
      add_rank (state, ranks, i, inputs, digest, source);
  np_state_sort (state);
}

static int
run_one (Map *map, const NpInputPath *input, const char *rank, GPtrArray *sinks, char *output,
         NpState *state)
{
  static const char *const tables[] = { "ranks", "inputs", NULL };
  g_auto (NpCollected) collected = { 0 };
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) specs = analyzers_of (map, rank);
  NpConfig config = *map->o->config;
  char source[NP_DIGEST_HEX + 1] = "";
  g_ptr_array_add (inputs, g_strdup (input->path));
  config.inputs = inputs;
  config.label = input->label;
  config.listed = input->listed;
  config.analyzers = specs;
  config.sinks = sinks;
  config.output = output;
  config.saved = state->states;
  np_collect (&collected, tables, &config);
  int code = (int) np_run (&config, np_cli_modules (map->o), map->log, &np_cli_interrupt);
  if (code != NP_EXIT_OK && code != NP_EXIT_LOSSES)
    return code;
  if (strcmp (input->path, "-") != 0)
    np_digest_file (input->path, source, NULL);
  add_ranks (state, collected.tables, source);
  state->nprof = g_strdup ("nprof " NPROF_VERSION);
  state->options = g_strdup (map->options);
  return code;
}

/* -- Its files --------------------------------------------------------------------------------- */

static char *
state_path (const Map *map, const NpState *state)
{
  const NpStateRank *first = g_ptr_array_index (state->ranks, 0),
                    *last = g_ptr_array_index (state->ranks, state->ranks->len - 1);
  g_autofree char *name = state->ranks->len == 1
                              ? g_strdup_printf ("rank-%05d" NP_STATE_SUFFIX, (int) first->number)
                              : g_strdup_printf ("rank-%05d-%05d" NP_STATE_SUFFIX,
                                                 (int) first->number, (int) last->number);
  return g_build_filename (map->o->config->output, "states", name, NULL);
}

/* A state of another profile there is one of another job, or the user replaced the profile.  Of
 * standard input it is unknown whether it is the same. */
static gboolean
may_replace (const Map *map, const NpState *state, const char *path, GError **error)
{
  if (map->force || !g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  g_autoptr (NpState) old = np_state_read (path, FALSE, NULL);
  const NpStateRank *was = old ? g_ptr_array_index (old->ranks, 0) : NULL,
                    *is = g_ptr_array_index (state->ranks, 0);
  if (!was || (*is->source && g_str_equal (was->source, is->source)))
    return TRUE;
  return np_error_set (
      error, NP_EXIT_INPUT,
      "%s: it is there already, of another profile (%s): another job? choose another "
      "folder, or say --force",
      path, was->file);
}

static gboolean
note_ranks (Map *map, const NpState *state, const char *path, GError **error)
{
  for (guint i = 0; i < state->ranks->len; i++) {
    NpStateRank *rank = g_ptr_array_index (state->ranks, i);
    const char *other = g_hash_table_lookup (map->mapped, &rank->number);
    if (other)
      return np_error_set (error, NP_EXIT_INPUT,
                           "rank %" G_GINT64_FORMAT
                           " is in %s and in %s: map the profiles of one job, each "
                           "rank once",
                           rank->number, other, path);
    g_hash_table_insert (map->mapped, g_memdup2 (&rank->number, sizeof rank->number),
                         g_strdup (path));
  }
  return TRUE;
}

/* Moves what the sink wrote to where engines of tables look for it: TABLE/rank=N/part-0.parquet. */
static gboolean
move_parts (const Map *map, const char *from, gint64 rank, GError **error)
{
  g_autoptr (GDir) folder = g_dir_open (from, 0, error);
  for (const char *name; folder && (name = g_dir_read_name (folder));) {
    g_autofree char *source = g_build_filename (from, name, NULL);
    if (!g_str_has_suffix (name, ".parquet")) {
      g_unlink (source);
      continue;
    }
    g_autofree char *table = g_strndup (name, strlen (name) - strlen (".parquet"));
    g_autofree char *part = g_strdup_printf ("rank=%" G_GINT64_FORMAT, rank);
    g_autofree char *place = g_build_filename (map->o->config->output, table, part, NULL);
    g_autofree char *to = g_build_filename (place, "part-0.parquet", NULL);
    if (g_mkdir_with_parents (place, 0777) || g_rename (source, to))
      return np_error_set (error, NP_EXIT_SINK, "%s: cannot be written: %s", to,
                           g_strerror (errno));
  }
  return folder != NULL && g_rmdir (from) == 0;
}

static void
remove_folder (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  for (const char *name; folder && (name = g_dir_read_name (folder));) {
    g_autofree char *file = g_build_filename (path, name, NULL);
    g_unlink (file);
  }
  g_rmdir (path);
}

static gboolean
publish (Map *map, const NpState *state, const char *input, const char *parts, GError **error)
{
  const NpStateRank *rank = g_ptr_array_index (state->ranks, 0);
  g_autofree char *path = state_path (map, state);
  if (parts && state->ranks->len > 1)
    return np_error_set (error, NP_EXIT_USAGE,
                         "%s: it holds %u ranks, and a partition is one: leave -s out", input,
                         state->ranks->len);
  if (!note_ranks (map, state, input, error) || !may_replace (map, state, path, error)
      || (parts && !move_parts (map, parts, rank->number, error)))
    return FALSE;
  return np_read_files_spare (map->o->config->read, path, error)
         && np_state_write (state, path, error);
}

/* A file beside the profiles of a folder is skipped; one that was named is wrong. */
static int
no_work (const Map *map, const NpInputPath *input)
{
  np_log (map->log, input->listed ? NPROF_INFO : NPROF_ERROR, "%s: it holds no work of a device%s",
          input->path, input->listed ? " (skipped)" : "");
  return input->listed ? NP_EXIT_OK : NP_EXIT_INPUT;
}

static int
map_one (Map *map, const NpInputPath *input)
{
  g_autoptr (NpState) state = np_state_new ();
  g_autoptr (GPtrArray) sinks = g_ptr_array_new_with_free_func ((GDestroyNotify) np_spec_free);
  g_autofree char *rank = NULL, *parts = NULL;
  const GPtrArray *asked = map->o->config->sinks;
  GError *error = NULL;
  if (!rank_of_path (map, input->path, &rank, &error))
    return failed (map, error);
  for (guint i = 0; i < asked->len; i++)
    g_ptr_array_add (sinks, copy_spec (g_ptr_array_index (asked, i)));
  if (asked->len)
    parts = g_strdup_printf ("%s/.map.%d", map->o->config->output, (int) getpid ());
  int code = run_one (map, input, rank, sinks, parts, state);
  gboolean ran = code == NP_EXIT_OK || code == NP_EXIT_LOSSES;
  if (ran && !state->ranks->len)
    code = no_work (map, input);
  else if (ran && !publish (map, state, input->path, parts, &error))
    code = failed (map, error);
  else if (ran)
    map->written++;
  if (parts)
    remove_folder (parts);
  return code;
}

/* -- All of a task ----------------------------------------------------------------------------- */

static int
by_path (gconstpointer pa, gconstpointer pb)
{
  const NpInputPath *a = *(NpInputPath *const *) pa, *b = *(NpInputPath *const *) pb;
  return strcmp (a->path, b->path);
}

/* One input that cannot be mapped does not stop the others. */
static int
map_all (Map *map, const GPtrArray *paths, NpShard shard)
{
  int code = NP_EXIT_OK;
  guint taken = 0;
  for (guint i = shard.number; i < paths->len; i += shard.count) {
    const NpInputPath *input = g_ptr_array_index (paths, i);
    int one = map_one (map, input);
    if (np_cli_interrupt)
      return np_cli_interrupt;
    code = (int) np_exit_worse ((NpExit) code, (NpExit) one);
    taken++;
  }
  if (!taken)
    np_log (map->log, NPROF_WARNING, "shard %u of %u: no input is left for it", shard.number,
            shard.count);
  else if (!map->written && code == NP_EXIT_OK) {
    np_log (map->log, NPROF_ERROR,
            "no profile of a rank found (%u file%s looked at): -v says what each is", taken,
            taken == 1 ? "" : "s");
    return NP_EXIT_INPUT;
  }
  return code;
}

static void
add_spec (GString *text, const NpSpec *spec)
{
  g_string_append_printf (text, "%s%s", text->len ? " " : "", spec->name);
  for (guint i = 0; i < spec->keys->len; i++)
    g_string_append_printf (text, "%c%s=%s", i ? ',' : ':',
                            (const char *) g_ptr_array_index (spec->keys, i),
                            (const char *) g_ptr_array_index (spec->values, i));
}

static void
add_list (GString *text, const char *option, const GPtrArray *list)
{
  for (guint i = 0; list && i < list->len; i++)
    g_string_append_printf (text, " %s %s", option, (const char *) list->pdata[i]);
}

static void
add_text (GString *text, const char *option, const char *value)
{
  if (value)
    g_string_append_printf (text, " %s %s", option, value);
}

static char *
options_text (const NpCliOptions *o)
{
  const NpSelection *one;
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < o->config->analyzers->len; i++)
    add_spec (text, g_ptr_array_index (o->config->analyzers, i));
  add_text (text, "--from", o->from);
  add_text (text, "--to", o->to);
  for (guint i = 0; (one = np_selection_alternative (&o->config->selection, i)); i++) {
    g_string_append (text, i ? " --or" : "");
    add_text (text, "--step", np_cli_step (o, i));
    add_list (text, "--track", one->tracks);
    add_list (text, "--name", one->names);
    add_list (text, "--where", one->where);
  }
  return g_string_free (text, FALSE);
}

/* Components whose results cannot be taken together, or have no place in the folder, are refused
 * before anything is read. */
static gboolean
check_components (Map *map, GError **error)
{
  NpConfig *config = map->o->config;
  gboolean ranks = FALSE;
  for (guint i = 0; i < config->analyzers->len; i++) {
    const NpSpec *spec = g_ptr_array_index (config->analyzers, i);
    const NpRegistryEntry *module
        = np_registry_get (np_cli_modules (map->o), NPROF_ANALYZER, spec->name, error);
    if (!module)
      return FALSE;
    ranks |= g_str_equal (spec->name, "ranks");
    if (module->component->save)
      continue;
    return np_error_set (error, NP_EXIT_USAGE,
                         "-a %s: what it finds in several ranks cannot be taken together",
                         spec->name);
  }
  for (guint i = 0; i < config->sinks->len; i++)
    if (strcmp (((NpSpec *) g_ptr_array_index (config->sinks, i))->name, "parquet") != 0)
      return np_error_set (error, NP_EXIT_USAGE,
                           "-s: map writes states, and with -s parquet partitions: for other sinks "
                           "use nprof run");
  if (!ranks)
    g_ptr_array_insert (config->analyzers, 0, np_spec_new ("ranks"));
  return TRUE;
}

static gboolean
check_asked (const Map *map, GError **error)
{
  const char *wrong = NULL;
  if (!map->o->config->inputs->len)
    wrong = "no input: name files, folders, or -";
  else if (!map->o->config->output)
    wrong = "-o is missing: name the folder of the job, -o job, or -o . for states/ in this one";
  else if (g_str_equal (map->o->config->output, "-"))
    wrong = "-o -: states are files of a folder: name that of the job, -o job";
  else if (map->clip)
    wrong = "--clip: a state is of a whole profile, for collectives are matched over all of it: "
            "clip what nprof report, or nprof run -a ranks, tells of the profiles themselves";
  if (wrong)
    np_error_set (error, NP_EXIT_USAGE, "%s", wrong);
  return !wrong;
}

static int
map_inputs (Map *map, GError **error)
{
  NpConfig *config = map->o->config;
  NpShard shard = { 0, 1 };
  if (!check_asked (map, error) || (map->shard && !np_shard_parse (&shard, map->shard, error))
      || !check_components (map, error))
    return (*error)->code;
  map->options = options_text (map->o);
  g_ptr_array_add (config->inputs, NULL);
  g_autoptr (GPtrArray) paths
      = np_inputs_expand ((const char *const *) config->inputs->pdata, map->log, error);
  g_ptr_array_set_size (config->inputs, (gint) config->inputs->len - 1);
  if (!paths || !read_rank (map, paths->len, error))
    return (*error)->code;
  g_ptr_array_sort (paths, by_path);
  return map_all (map, paths, shard);
}

static int
run (int argc, char **argv)
{
  g_auto (NpCliOptions) o = { 0 };
  Map map = { .o = &o };
  g_autoptr (GError) error = NULL;
  const GOptionEntry extra[] = {
    { "shard", 0, 0, G_OPTION_ARG_STRING, &map.shard,
      "Take every N-th input from the K-th on (0 to N - 1); auto: as the launcher says", "K/N" },
    { "rank", 0, 0, G_OPTION_ARG_STRING, &map.rank,
      "The rank of the input, or a regular expression whose group finds it in each path",
      "N|REGEX" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &map.force, "Replace states of other profiles", NULL },
    { "clip", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &map.clip, NULL, NULL }, /* to say why */
    G_OPTION_ENTRY_NULL
  };
  if (!np_cli_parse (&o, NP_CLI_SINKS | NP_CLI_OUTPUT, extra,
                     "Makes a small state of each rank of a job, for nprof reduce.",
                     "The states go into the folder of -o: job/states/rank-00013.nps, ...\n"
                     "-s parquet adds TABLE/rank=13/part-0.parquet for DuckDB, Spark and Trino.\n"
                     "\n"
                     "Examples:\n"
                     "  nprof map -o job traces/ && nprof reduce job\n"
                     "  srun -N 64 -n 256 nprof map --shard auto -o /scratch/job traces/\n"
                     "  aws s3 cp s3://bucket/13.json - | nprof map --rank 13 -o job -",
                     argc, argv))
    return NP_EXIT_USAGE;
  map.log = np_log_new (o.verbosity, STDERR_FILENO);
  map.mapped = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  int code = map_inputs (&map, &error);
  if (error)
    np_log (map.log, NPROF_ERROR, "%s", error->message);
  np_log_free (map.log);
  g_hash_table_unref (map.mapped);
  g_free (map.options);
  g_free (map.shard);
  g_free (map.rank);
  g_clear_pointer (&map.rank_regex, g_regex_unref);
  return code;
}

NP_COMMAND_RUNS (run)
