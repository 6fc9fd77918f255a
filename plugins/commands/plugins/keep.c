/* SPDX-License-Identifier: Apache-2.0 */
/* keep.c - puts plugins into the user's folder, with the hash that they had, and takes them
 * out; switches components on and off. */

#include "keep.h"

#include "base/install-paths.h"
#include "plugin/component.h"
#include "plugin/plugin-index.h"
#include "plugin/plugin-open.h"
#include "plugin/plugins-off.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  char *folder, *records; /* records: the key file `installed`, a group a plugin */
  GKeyFile *kept;
} Keeper;

static gboolean
fail (GError **error, NpExit code, const char *what, const char *of, const char *more)
{
  g_autofree char *text = g_strdup_printf ("%s: %s%s", of, what, more);
  return np_error_set (error, code, "%s", text);
}

static void
keeper_init (Keeper *k)
{
  k->folder = np_plugin_user_folder ();
  k->records = g_build_filename (k->folder, "installed", NULL);
  k->kept = g_key_file_new ();
  g_key_file_load_from_file (k->kept, k->records, G_KEY_FILE_NONE, NULL);
}

static void
keeper_clear (Keeper *k)
{
  g_free (k->folder);
  g_free (k->records);
  g_key_file_free (k->kept);
}

static char *
path_of (const Keeper *k, const char *name, const char *ending)
{
  g_autofree char *base = g_strconcat (name, ending, NULL);
  return g_build_filename (k->folder, base, NULL);
}

/* -- install ------------------------------------------------------------------------- */

static gboolean
put_file (const char *path, const char *data, gsize len, GError **error)
{
  g_autoptr (GError) why = NULL;
  if (g_file_set_contents_full (path, data, (gssize) len, G_FILE_SET_CONTENTS_CONSISTENT, 0644,
                                &why))
    return TRUE;
  return np_error_set (error, NP_EXIT_SINK, "%s", why->message);
}

/* Opens the copy, as what lies at `from` may change meanwhile, and lists its components. */
static gboolean
check_copy (const char *copy, const char *from, GString *names, GError **error)
{
  const struct nprof_plugin *plugin = NULL;
  g_autofree char *problem = np_plugin_open (copy, &plugin);
  if (problem)
    return fail (error, NP_EXIT_PLUGIN, problem, from, "");
  for (guint i = 0; plugin->components[i]; i++) {
    const struct nprof_component *c = plugin->components[i];
    const gboolean whole = c->size >= offsetof (struct nprof_component, summary);
    if (!whole || c->kind > NPROF_SINK || !np_component_is_name (c->name))
      return fail (error, NP_EXIT_PLUGIN,
                   "a component of it has no kind or no name that nprof knows", from,
                   "; nprof check says more");
    g_string_append_printf (names, "%s%s %s", names->len ? ", " : "", np_kind_name (c->kind),
                            c->name);
  }
  return TRUE;
}

static gboolean
copy_index (const Keeper *k, const char *from, const char *name, GError **error)
{
  g_autofree char *stem = g_strndup (from, strlen (from) - strlen (".so"));
  g_autofree char *index = g_strconcat (stem, ".plugin", NULL), *text = NULL;
  g_autofree char *to = path_of (k, name, ".plugin");
  gsize len;
  if (g_file_get_contents (index, &text, &len, NULL))
    return put_file (to, text, len, error);
  unlink (to); /* of one that was there before */
  return TRUE;
}

static gboolean
install (Keeper *k, const char *from, GString *out, GError **error)
{
  g_autofree char *base = g_path_get_basename (from), *data = NULL;
  g_autoptr (GError) why = NULL;
  g_autoptr (GString) names = g_string_new (NULL);
  gsize len;
  if (!g_str_has_suffix (base, ".so") || strlen (base) == strlen (".so"))
    return fail (error, NP_EXIT_USAGE, "expected a plugin, NAME.so", from, "");
  if (!g_file_get_contents (from, &data, &len, &why))
    return fail (error, NP_EXIT_INPUT, why->message, from, "");
  if (g_mkdir_with_parents (k->folder, 0755) != 0)
    return fail (error, NP_EXIT_SINK, g_strerror (errno), k->folder, "");
  g_autofree char *name = g_strndup (base, strlen (base) - strlen (".so"));
  g_autofree char *copy = path_of (k, name, ".new"), *to = path_of (k, name, ".so");
  g_autofree char *hash
      = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) data, len);
  gboolean ok = put_file (copy, data, len, error) && check_copy (copy, from, names, error)
                && copy_index (k, from, name, error);
  if (ok && rename (copy, to) != 0)
    ok = fail (error, NP_EXIT_SINK, g_strerror (errno), to, "");
  if (!ok) {
    unlink (copy);
    return FALSE;
  }
  g_key_file_set_string (k->kept, name, "sha256", hash);
  if (!g_key_file_save_to_file (k->kept, k->records, &why))
    return fail (error, NP_EXIT_SINK, why->message, k->records, "");
  g_string_append_printf (out, "%s: %s\nsha256 %s\n", to, names->str, hash);
  return TRUE;
}

/* -- list ---------------------------------------------------------------------------- */

static const char *
state_of (const Keeper *k, const char *name, const char *path)
{
  g_autofree char *data = NULL, *known = g_key_file_get_string (k->kept, name, "sha256", NULL);
  gsize len;
  if (!known)
    return "not installed by nprof plugins";
  if (!g_file_get_contents (path, &data, &len, NULL))
    return "gone";
  g_autofree char *hash
      = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) data, len);
  return strcmp (hash, known) == 0 ? "as installed" : "changed since it was installed";
}

static void
list (const Keeper *k, GString *out)
{
  g_autoptr (GPtrArray) files = np_plugin_files (k->folder);
  for (guint i = 0; i < files->len; i++) {
    const NpPluginFile *file = files->pdata[i];
    g_autofree char *base = g_path_get_basename (file->so);
    g_autofree char *name = g_strndup (base, strlen (base) - strlen (".so"));
    g_string_append_printf (out, "%s  %s\n", file->so, state_of (k, name, file->so));
  }
  g_autoptr (GHashTable) off = np_plugins_off ();
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (off), (GCompareFunc) strcmp);
  for (const GList *at = names; at; at = at->next)
    g_string_append_printf (out, "%s  disabled\n", (const char *) at->data);
  if (!out->len)
    g_string_append_printf (out, "no plugins in %s\n", k->folder);
}

/* -- disable, enable, remove ---------------------------------------------------------- */

/* Returns whether a component has the name, else an error that says which was meant. */
static gboolean
is_known (const char *name, GError **error)
{
  g_autofree char *installed = np_installed_plugins ();
  NpRegistry *registry = np_registry_new (installed);
  GPtrArray *all = np_registry_all (registry);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  gboolean known = FALSE;
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *m = all->pdata[i];
    g_autofree char *full = g_strdup_printf ("%s/%s", np_kind_name (m->kind), m->name);
    known |= strcmp (m->name, name) == 0 || strcmp (full, name) == 0;
    g_ptr_array_add (names, m->name);
  }
  g_ptr_array_add (names, NULL);
  g_autofree char *near = np_suggestion (np_suggest (name, (const char *const *) names->pdata));
  if (!known) {
    g_autofree char *more = g_strconcat (near, " (nprof plugins lists them)", NULL);
    fail (error, NP_EXIT_USAGE, "no plugin has a component of this name", name, more);
  }
  np_registry_free (registry);
  return known;
}

static gboolean
switch_one (const char *name, gboolean off, GString *out, GError **error)
{
  gboolean changed;
  g_autoptr (GError) why = NULL;
  if (off && !is_known (name, error))
    return FALSE;
  if (!np_plugins_switch (name, off, &changed, &why))
    return fail (error, NP_EXIT_SINK, why->message, name, "");
  if (!off && !changed && !is_known (name, error))
    return FALSE;
  g_string_append_printf (out, "%s: %s%s\n", name, changed ? "" : "already ",
                          off ? "disabled" : "enabled");
  return TRUE;
}

static gboolean
remove_one (Keeper *k, const char *name, GString *out, GError **error)
{
  g_autofree char *so = path_of (k, name, ".so"), *index = path_of (k, name, ".plugin");
  g_autoptr (GError) why = NULL;
  if (strchr (name, '/') || unlink (so) != 0)
    return fail (error, NP_EXIT_USAGE, "no such plugin in ", name, k->folder);
  unlink (index);
  if (g_key_file_remove_group (k->kept, name, NULL)
      && !g_key_file_save_to_file (k->kept, k->records, &why))
    return fail (error, NP_EXIT_SINK, why->message, k->records, "");
  g_string_append_printf (out, "%s: removed\n", so);
  return TRUE;
}

const char *const np_plugins_words[] = { "install", "list", "enable", "disable", "remove", NULL };

gboolean
np_plugins_keep (const char *word, const char *name, gboolean *known, GString *out, GError **error)
{
  Keeper keeper;
  *known = g_strv_contains (np_plugins_words, word);
  if (!*known)
    return TRUE;
  if (g_str_equal (word, "list") ? name != NULL : name == NULL)
    return np_error_set (error, NP_EXIT_USAGE, "plugins %s takes %s", word,
                         name ? "nothing else"
                         : g_str_equal (word, "install")
                             ? "a FILE.so, as nprof new makes them"
                             : "a NAME: nprof plugins list shows yours, "
                               "nprof plugins all");
  keeper_init (&keeper);
  gboolean ok = TRUE;
  if (g_str_equal (word, "install"))
    ok = install (&keeper, name, out, error);
  else if (g_str_equal (word, "remove"))
    ok = remove_one (&keeper, name, out, error);
  else if (g_str_equal (word, "list"))
    list (&keeper, out);
  else
    ok = switch_one (name, g_str_equal (word, "disable"), out, error);
  keeper_clear (&keeper);
  return ok;
}
