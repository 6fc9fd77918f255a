/* SPDX-License-Identifier: Apache-2.0 */
/* baselines.c - finds stored profiles by the names that users gave them as baselines. */

#include "stored/baselines.h"
#include "base/error.h"
#include "base/log.h"
#include "base/suggest.h"
#include "stored/kept.h"
#include "stored/opened.h"

#include <nprof/store-reader.h>
#include <string.h>

#define MOST_BYTES 100

/* -- All of them ------------------------------------------------------------------------------- */

static void
baseline_free (gpointer data)
{
  NpBaseline *b = data;
  g_free (b->name);
  np_machine_clear (&b->machine);
  g_free (b);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  const NpBaseline *x = *(NpBaseline *const *) a, *y = *(NpBaseline *const *) b;
  const int names = strcmp (x->name, y->name);
  const int kinds = names ? names : g_strcmp0 (x->machine.kinds, y->machine.kinds);
  return kinds ? kinds : strcmp (x->id, y->id);
}

static void
read_machine (NpMachine *machine, NpOpened *opened, const char *id)
{
  char why[600];
  g_autoptr (NpProfile) profile = np_opened_look (opened, id, why, sizeof why);
  struct nprof_query *query = profile ? np_profile_query (profile) : NULL;
  if (!query) {
    g_printerr ("nprof: warning: baseline %.10s cannot be read: %s\n", id, why);
    return;
  }
  g_auto (NpCells) facts = { 0 }, verdict = { 0 };
  np_cells_open (&facts, profile->store, query, "facts");
  np_cells_open (&verdict, profile->store, query, "verdict");
  np_machine_read (machine, &facts, &verdict);
  np_cells_clear (&facts);
  np_cells_clear (&verdict);
  np_profile_give_back (profile, query);
}

static void
add (GPtrArray *all, NpOpened *opened, const char *store, const char *id)
{
  g_autoptr (NpAbout) about = np_about_read (store, id);
  if (!about->baseline)
    return;
  NpBaseline *b = g_new0 (NpBaseline, 1);
  g_strlcpy (b->id, id, sizeof b->id);
  b->name = g_strdup (about->baseline);
  read_machine (&b->machine, opened, id);
  g_ptr_array_add (all, b);
}

GPtrArray *
np_baselines (const char *store)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (baseline_free);
  NpOpened *opened = np_opened_new (store);
  g_autoptr (GDir) dir = g_dir_open (store, 0, NULL);
  const char *id;
  while (dir && (id = g_dir_read_name (dir)))
    if (np_is_profile_id (id))
      add (all, opened, store, id);
  np_opened_free (opened);
  g_ptr_array_sort (all, by_name);
  return all;
}

/* -- Names ------------------------------------------------------------------------------------- */

gboolean
np_baseline_check_name (const char *name, GError **error)
{
  static const char allowed[] = G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._@/+-";
  const gsize len = strlen (name);
  if (len && len <= MOST_BYTES && strspn (name, allowed) == len && g_ascii_isalnum (*name))
    return TRUE;
  g_autofree char *shown = np_printable (name, -1);
  return np_error_set (
      error, NP_EXIT_USAGE,
      "\"%s\": expected a name of 1 to %d letters, digits and . _ @ / + -, that begins "
      "with a letter or digit, such as main@llama-7b",
      shown, MOST_BYTES);
}

const char *
np_baseline_name (const char *input)
{
  const gboolean is
      = g_str_has_prefix (input, NP_BASELINE) && !g_file_test (input, G_FILE_TEST_EXISTS);
  return is ? input + strlen (NP_BASELINE) : NULL;
}

char *
np_baseline_hint (const GPtrArray *all, const char *name)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < all->len; i++) {
    const NpBaseline *b = all->pdata[i], *before = i ? all->pdata[i - 1] : NULL;
    if (!before || strcmp (before->name, b->name))
      g_ptr_array_add (names, b->name);
  }
  const guint n = names->len;
  g_ptr_array_add (names, NULL);
  if (!n)
    return g_strdup ("; there is none: nprof baseline save NAME FILE makes one");
  const char *near = np_suggest (name, (const char *const *) names->pdata);
  if (near)
    return np_suggestion (near);
  g_autofree char *list = g_strjoinv (", ", (char **) names->pdata);
  return n <= 10 ? g_strdup_printf ("; there are: %s", list)
                 : g_strdup_printf ("; nprof baseline list shows the %u that there are", n);
}

/* -- The one that fits ------------------------------------------------------------------------- */

static void
set_unfit (const GPtrArray *some, const char *name, const NpMachine *machine, GError **error)
{
  g_autoptr (GString) machines = g_string_new (NULL);
  for (guint i = 0; i < some->len; i++) {
    g_autofree char *text = np_machine_text (&((NpBaseline *) some->pdata[i])->machine);
    g_string_append_printf (machines, "%s%s", i ? "; " : "", text);
  }
  g_autofree char *ours = np_machine_text (machine);
  np_error_set (error, NP_EXIT_INPUT,
                "baseline %s is of %s, and this profile of %s: save one of this machine by nprof "
                "baseline save %s FILE%s",
                name, machines->str, ours, name,
                some->len == 1 ? "; nprof diff --other-machine takes it all the same" : "");
}

static const NpBaseline *
fitting (const GPtrArray *named, const NpMachine *machine, gboolean other_machine)
{
  const NpBaseline *like = NULL;
  guint n = 0;
  for (guint i = 0; i < named->len; i++) {
    const NpBaseline *b = named->pdata[i];
    if (np_machine_same (&b->machine, machine))
      return b;
    if (np_machine_differs (&b->machine, machine))
      continue;
    like = b;
    n++;
  }
  return n == 1 ? like : other_machine && named->len == 1 ? named->pdata[0] : NULL;
}

static const NpBaseline *
find (const GPtrArray *all, const char *name, const NpMachine *machine, gboolean other_machine,
      GError **error)
{
  g_autoptr (GPtrArray) named = g_ptr_array_new ();
  for (guint i = 0; i < all->len; i++)
    if (!strcmp (((const NpBaseline *) all->pdata[i])->name, name))
      g_ptr_array_add (named, all->pdata[i]);
  const NpBaseline *b = fitting (named, machine, other_machine);
  if (b)
    return b;
  if (named->len) {
    set_unfit (named, name, machine, error);
    return NULL;
  }
  g_autofree char *hint = np_baseline_hint (all, name), *shown = np_printable (name, -1);
  np_error_set (error, NP_EXIT_INPUT, "no baseline is called %s%s", shown, hint);
  return NULL;
}

char *
np_baseline_find (const char *name, const NpMachine *machine, gboolean other_machine,
                  GError **error)
{
  char store[4096];
  if (!nprof_store_folder (store, sizeof store)) {
    np_error_set (error, NP_EXIT_USAGE, "there is no home folder for profiles: set XDG_DATA_HOME");
    return NULL;
  }
  g_autoptr (GPtrArray) all = np_baselines (store);
  const NpBaseline *b = find (all, name, machine, other_machine, error);
  return b ? g_build_filename (store, b->id, NULL) : NULL;
}
