/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - nprof baseline: names stored profiles that others are held against, as
 * baseline:NAME. */

#include "cli/command.h"
#include "base/error.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "stored/baselines.h"
#include "stored/ingest.h"
#include "stored/keeping.h"
#include "stored/kept.h"
#include "stored/listing.h"

#include <nprof/store-reader.h>
#include <nprof/units.h>
#include <string.h>

typedef struct {
  NpCliOptions options;
  char store[4096];
  gboolean replace;
} Asked;

static int
fail (GError *error)
{
  g_autoptr (GError) own = error;
  np_cli_tell_error (own, "baseline");
  return own->code;
}

/* -- list -------------------------------------------------------------------------------------- */

static void
print_baseline (const NpBaseline *b, NpListing *listing)
{
  g_autoptr (NpEntry) entry = np_listing_get (listing, b->id);
  const NpSummary *s = entry ? entry->summary : NULL;
  g_autofree char *machine
      = np_machine_text (&b->machine),
      *label = np_printable (s ? s->label : "", -1),
      *step = g_strdup (s && s->has_step ? nprof_time ((double) s->step_median).text : "unknown");
  g_print ("%-24s  %.10s  %-24s %10s  %s\n", b->name, b->id, machine, step, label);
}

static int
list (Asked *a)
{
  g_autoptr (GPtrArray) all = np_baselines (a->store);
  NpOpened *opened = np_opened_new (a->store);
  NpListing *listing = np_listing_new (a->store, opened);
  np_listing_look (listing, TRUE);
  if (all->len)
    g_print ("%-24s  %-10s  %-24s %10s  %s\n", "baseline", "profile", "machine", "step", "name");
  else
    g_print ("there is no baseline: nprof baseline save NAME FILE makes one\n");
  for (guint i = 0; i < all->len; i++)
    print_baseline (all->pdata[i], listing);
  np_listing_free (listing);
  np_opened_free (opened);
  return NP_EXIT_OK;
}

/* -- What changes them ------------------------------------------------------------------------- */

/* Names a stored profile; NULL takes the name away. */
static gboolean
name_profile (const Asked *a, const char *id, const char *name, GError **error)
{
  const int lock = np_keeping_begin (a->store, error);
  if (lock < 0)
    return FALSE;
  g_autoptr (NpAbout) about = np_about_read (a->store, id);
  g_free (about->baseline);
  about->baseline = g_strdup (name);
  const gboolean good = np_about_write (a->store, id, about, error);
  np_keeping_end (lock);
  return good;
}

/* Returns the entry of that profile; NULL: it is no baseline. */
static const NpBaseline *
of_id (const GPtrArray *all, const char *id)
{
  for (guint i = 0; i < all->len; i++)
    if (!strcmp (((const NpBaseline *) all->pdata[i])->id, id))
      return all->pdata[i];
  return NULL;
}

/* Returns the other baseline of that name and machine; NULL: there is none. */
static const NpBaseline *
taken_by (const GPtrArray *all, const NpBaseline *ours)
{
  for (guint i = 0; i < all->len; i++) {
    const NpBaseline *b = all->pdata[i];
    if (b != ours && !strcmp (b->name, ours->name) && np_machine_same (&b->machine, &ours->machine))
      return b;
  }
  return NULL;
}

/* Gives the name to the profile, and takes it from the one that has it for the same machine. */
static gboolean
give_name (const Asked *a, const char *name, const char *id, GError **error)
{
  g_autoptr (NpAbout) before = np_about_read (a->store, id);
  if (before->baseline && strcmp (before->baseline, name) && !a->replace)
    return np_error_set (error, NP_EXIT_USAGE,
                         "%.10s is baseline %s already: --replace calls it %s instead", id,
                         before->baseline, name);
  if (!name_profile (a, id, name, error))
    return FALSE;
  g_autoptr (GPtrArray) all = np_baselines (a->store);
  const NpBaseline *ours = of_id (all, id), *other = ours ? taken_by (all, ours) : NULL;
  g_autofree char *machine = ours ? np_machine_text (&ours->machine) : NULL;
  if (other && !a->replace) {
    if (!name_profile (a, id, before->baseline, error))
      return FALSE;
    return np_error_set (
        error, NP_EXIT_USAGE,
        "baseline %s of %s is %.10s already: --replace gives the name to this profile, "
        "nprof baseline rm %s frees it",
        name, machine, other->id, name);
  }
  if (other && !name_profile (a, other->id, NULL, error))
    return FALSE;
  g_print ("baseline %s of %s: %s\n", name, machine ? machine : "unknown devices", id);
  return TRUE;
}

static gboolean
is_failure (int status)
{
  return status != NP_EXIT_OK && status != NP_EXIT_LOSSES;
}

/* Stores the inputs as one profile, unless they are one. */
static int
store_inputs (Asked *a, GPtrArray *inputs, char *id)
{
  GError *error = NULL;
  char path[4096];
  const char *first = inputs->pdata[0];
  if (inputs->len == 1 && !g_file_test (first, G_FILE_TEST_EXISTS)
      && nprof_store_find (a->store, first, path, sizeof path) == 1) {
    g_strlcpy (id, strrchr (path, '/') + 1, NP_PROFILE_ID);
    return NP_EXIT_OK;
  }
  const NpIngest ingest = { .options = &a->options, .store = a->store, .store_max = G_MAXUINT64 };
  g_autoptr (NpIngestProfile) profile = np_ingest_plan (&ingest, inputs, &error);
  if (!profile)
    return fail (error);
  g_strlcpy (id, profile->id, NP_PROFILE_ID);
  return profile->here ? NP_EXIT_OK : np_ingest_run (&ingest, profile);
}

static int
save (Asked *a)
{
  GError *error = NULL;
  char id[NP_PROFILE_ID];
  GPtrArray *words = a->options.config->inputs;
  const char *name = words->pdata[1];
  if (!np_baseline_check_name (name, &error))
    return fail (error);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  for (guint i = 2; i < words->len; i++)
    g_ptr_array_add (inputs, words->pdata[i]);
  const int status = store_inputs (a, inputs, id);
  if (is_failure (status))
    return status;
  return give_name (a, name, id, &error) ? status : fail (error);
}

static gboolean
has_name (const GPtrArray *all, const char *name)
{
  for (guint i = 0; i < all->len; i++)
    if (!strcmp (((const NpBaseline *) all->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

/* Takes the name from all that have it, or from the one profile that is named beside it. */
static int
remove_name (Asked *a)
{
  GError *error = NULL;
  const GPtrArray *words = a->options.config->inputs;
  const char *name = words->pdata[1], *only = words->len > 2 ? words->pdata[2] : "";
  g_autoptr (GPtrArray) all = np_baselines (a->store);
  guint n = 0;
  for (guint i = 0; i < all->len; i++) {
    const NpBaseline *b = all->pdata[i];
    if (strcmp (b->name, name) || !g_str_has_prefix (b->id, only))
      continue;
    if (!name_profile (a, b->id, NULL, &error))
      return fail (error);
    g_print ("%.10s is baseline %s no more, and stays stored\n", b->id, name);
    n++;
  }
  if (n)
    return NP_EXIT_OK;
  g_autofree char *hint = has_name (all, name)
                              ? g_strdup (": nprof baseline list shows its profiles")
                              : np_baseline_hint (all, name),
                  *shown = np_printable (name, -1), *profile = np_printable (only, -1);
  np_error_set (&error, NP_EXIT_USAGE, "no baseline is called %s%s%s%s", shown,
                *only ? " and is profile " : "", profile, hint);
  return fail (error);
}

/* -- The command line -------------------------------------------------------------------------- */

static int
tell_expected (const char *given)
{
  static const NpSynonym synonyms[]
      = { { "remove", "rm" }, { "delete", "rm" }, { "ls", "list" }, { "set", "save" } };
  static const char *const words[] = { "list", "save", "rm", NULL };
  const char *ours = np_synonym (given, synonyms, G_N_ELEMENTS (synonyms));
  g_autofree char *hint = np_suggestion (ours ? ours : np_suggest (given, words)),
                  *shown = np_printable (given, -1);
  g_autofree char *text
      = g_strdup_printf ("%s%s expected list, save NAME FILE... or rm NAME [PROFILE]", shown,
                         *hint ? hint : ":");
  np_cli_tell (text, "baseline");
  return NP_EXIT_USAGE;
}

/* The commands, with how many words they have, and what the words behind them are. */
static const struct {
  const char *name;
  guint least, most;
  const char *words[2], *usage;
  int (*run) (Asked *a);
} commands[] = { { "list", 1, 1, { NULL }, "list alone", list },
                 { "save", 3, G_MAXUINT, { "NAME", "FILE" }, "save NAME FILE...", save },
                 { "rm", 2, 3, { "NAME" }, "rm NAME [PROFILE]", remove_name } };

/* Says which word is missing or too much. */
static int
tell_words (const GPtrArray *given, guint command)
{
  const gboolean more = given->len > commands[command].most;
  g_autofree char *extra = more ? np_printable (given->pdata[commands[command].most], -1) : NULL;
  g_autofree char *text
      = more ? g_strdup_printf ("%s is too much: expected %s", extra, commands[command].usage)
             : g_strdup_printf ("%s: %s is missing: expected %s", commands[command].name,
                                commands[command].words[given->len - 1], commands[command].usage);
  np_cli_tell (text, "baseline");
  return NP_EXIT_USAGE;
}

static int
act (Asked *a)
{
  const GPtrArray *words = a->options.config->inputs;
  if (!nprof_store_folder (a->store, sizeof a->store)) {
    np_cli_tell ("there is no home folder for profiles: set XDG_DATA_HOME", "baseline");
    return NP_EXIT_USAGE;
  }
  if (!words->len)
    return list (a);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (!strcmp (words->pdata[0], commands[i].name))
      return words->len < commands[i].least || words->len > commands[i].most ? tell_words (words, i)
                                                                             : commands[i].run (a);
  return tell_expected (words->pdata[0]);
}

static int
run (int argc, char **argv)
{
  Asked a = { 0 };
  const GOptionEntry extra[] = { { "replace", 0, 0, G_OPTION_ARG_NONE, &a.replace,
                                   "save: take the name from the profile that has it", NULL },
                                 G_OPTION_ENTRY_NULL };
  const gboolean parsed = np_cli_parse (
      &a.options, NP_CLI_WHOLE | NP_CLI_VERB, extra, "Names profiles that others are held against.",
      "Commands:\n"
      "  list                 all of them (also without a command)\n"
      "  save NAME FILE...    store the profile, which stays until the name goes\n"
      "  rm NAME [PROFILE]    take the name back; the profile stays stored\n"
      "\n"
      "NAME is of your own, such as main or main@llama-7b; it has one profile for each machine.\n"
      "nprof diff baseline:NAME NEW and nprof gate --baseline NAME take the one of NEW's machine.\n"
      "\n"
      "Examples:\n"
      "  nprof baseline save main trace.json.gz\n"
      "  nprof diff --fail-over 5% baseline:main new.json.gz",
      argc, argv);
  const int status = parsed ? act (&a) : NP_EXIT_USAGE;
  np_cli_options_clear (&a.options);
  return status;
}

NP_COMMAND_RUNS (run)
