/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c - knows all components by name and decides which of equal names is used.
 * plugin-index.c knows where plugins lie, plugin-open.c opens one, component.c has the rules. */

#include "plugin/registry.h"

#include <string.h>

#include "base/error.h"
#include "plugin/component.h"
#include "plugin/plugin-index.h"
#include "plugin/plugin-open.h"
#include "plugin/registry-unknown.h"

typedef struct {
  char *path, *index; /* index: NULL when there is no NAME.plugin */
  char *name;         /* of the file, without .so */
  gboolean opened;    /* opened, or never to be */
} File;

typedef struct {
  NpRegistryEntry module;
  File *file;               /* NULL: the entry of a folder */
  char **magic, **suffixes; /* as in NpPluginEntry */
} Entry;

struct NpRegistry {
  GPtrArray *files, *all; /* of File, of NpRegistryEntry (the first member of Entry) */
  GPtrArray *memory;      /* copies of components, which plugins' arrays may point to */
};

/* -- Entries --------------------------------------------------------------- */

static Entry *
entry_at (NpRegistry *registry, guint i)
{
  return registry->all->pdata[i];
}

/* Returns the entry that wins this name; `file` is NULL, or the only file to look at. */
static Entry *
find_entry (NpRegistry *registry, const File *file, guint kind, const char *name)
{
  for (guint i = 0; i < registry->all->len; i++) {
    Entry *e = entry_at (registry, i);
    if (e->module.kind == kind && (!file || e->file == file) && strcmp (e->module.name, name) == 0)
      return e;
  }
  return NULL;
}

/* Takes `problem`; a problem that hides the entry comes first. */
static Entry *
add_entry (NpRegistry *registry, File *file, guint kind, const char *name, char *problem)
{
  const Entry *winner = kind == NP_KIND_UNKNOWN ? NULL : find_entry (registry, NULL, kind, name);
  Entry *e = g_new0 (Entry, 1);
  e->file = file;
  e->module.kind = kind;
  e->module.name = g_strdup (name);
  e->module.file = g_strdup (file ? file->path : NULL);
  e->module.problem = problem;
  if (winner) {
    g_free (problem);
    e->module.problem = g_strdup_printf ("hidden by %s", winner->module.file);
  }
  g_ptr_array_add (registry->all, e);
  return e;
}

static void
entry_free (gpointer data)
{
  Entry *e = data;
  g_free (e->module.name);
  g_free (e->module.file);
  g_free (e->module.problem);
  g_strfreev (e->magic);
  g_strfreev (e->suffixes);
  np_report_part_free (e->module.report);
  g_free (e);
}

/* Gives its problem, which it takes, to all components that the file was said to hold. */
static void
file_failed (NpRegistry *registry, File *file, char *problem)
{
  gboolean any = FALSE;
  for (guint i = 0; i < registry->all->len; i++) {
    NpRegistryEntry *m = &entry_at (registry, i)->module;
    if (entry_at (registry, i)->file != file)
      continue;
    any = TRUE;
    if (!m->problem)
      m->problem = g_strdup (problem);
  }
  if (any)
    g_free (problem);
  else
    add_entry (registry, file, NP_KIND_UNKNOWN, file->name, problem);
}

/* -- From the opened file to entries --------------------------------------- */

/* Returns the entry for component `number` of the file.  NULL: its name or kind cannot be used, or
 * another component of the file has its name; an entry that tells this problem has been added. */
static Entry *
entry_for (NpRegistry *registry, File *file, const struct nprof_component *c, guint number)
{
  if (!np_component_is_name (c->name)) {
    add_entry (registry, file, NP_KIND_UNKNOWN, file->name,
               g_strdup_printf ("component %u: its name %s%s%s is not of a-z, 0-9, - and .", number,
                                c->name ? "\"" : "", c->name ? c->name : "(NULL)",
                                c->name ? "\"" : ""));
    return NULL;
  }
  if (c->kind > NPROF_SINK) {
    add_entry (registry, file, NP_KIND_UNKNOWN, c->name,
               g_strdup_printf ("its kind %u is not known to this nprof: passed over", c->kind));
    return NULL;
  }
  Entry *e = find_entry (registry, file, c->kind, c->name);
  if (!e)
    return add_entry (registry, file, c->kind, c->name,
                      file->index ? g_strdup_printf ("%s does not list it: build the plugin again",
                                                     file->index)
                                  : NULL);
  if (!e->module.component)
    return e;
  if (!e->module.problem)
    e->module.problem = g_strdup ("the file holds two components of this name");
  return NULL;
}

static void
take_component (NpRegistry *registry, File *file, const struct nprof_plugin *plugin, guint i)
{
  const struct nprof_component *c = plugin->components[i];
  if (c->size < offsetof (struct nprof_component, summary)) {
    add_entry (registry, file, NP_KIND_UNKNOWN, file->name,
               g_strdup_printf ("component %u: its size %u is too small", i + 1, c->size));
    return;
  }
  c = np_component_copy (c, plugin->contract, registry->memory);
  Entry *e = entry_for (registry, file, c, i + 1);
  if (!e)
    return;
  g_autofree char *problem = np_component_problem (c);
  if (problem && !e->module.problem)
    e->module.problem = g_strdup_printf ("breaks the contract: %s", problem);
  e->module.plugin = plugin;
  e->module.component = problem ? NULL : c;
}

static void
open_file (NpRegistry *registry, File *file)
{
  if (file->opened)
    return;
  file->opened = TRUE;
  const struct nprof_plugin *plugin = NULL;
  char *problem = np_plugin_open (file->path, &plugin);
  if (problem) {
    file_failed (registry, file, problem);
    return;
  }
  for (guint i = 0; plugin->components[i]; i++)
    take_component (registry, file, plugin, i);
  for (guint i = 0; i < registry->all->len; i++) {
    Entry *e = entry_at (registry, i);
    if (e->file == file && !e->module.plugin && !e->module.problem)
      e->module.problem = g_strdup_printf ("%s lists it, but the file does not hold it: build the "
                                           "plugin again",
                                           file->index);
  }
}

/* -- Finding --------------------------------------------------------------- */

static void
file_free (gpointer data)
{
  File *file = data;
  g_free (file->path);
  g_free (file->index);
  g_free (file->name);
  g_free (file);
}

static void
add_listed (NpRegistry *registry, File *file, NpPluginEntry *listed)
{
  char *problem = NULL;
  if (listed->kind == NP_KIND_UNKNOWN)
    problem = g_strdup_printf ("its kind \"%s\" is not known to this nprof: passed over",
                               listed->kind_name);
  Entry *e = add_entry (registry, file, listed->kind, listed->name, problem);
  e->magic = g_steal_pointer (&listed->magic);
  e->suffixes = g_steal_pointer (&listed->suffixes);
  e->module.report = g_steal_pointer (&listed->report);
}

/* `refused` says why nothing of its folder is used, or is NULL. */
static void
add_file (NpRegistry *registry, const NpPluginFile *found, const char *refused)
{
  File *file = g_new0 (File, 1);
  file->path = g_strdup (found->so);
  file->index = g_strdup (found->index);
  g_autofree char *base = g_path_get_basename (found->so);
  file->name = g_strndup (base, strlen (base) - strlen (".so"));
  g_ptr_array_add (registry->files, file);

  char *problem = NULL;
  if (file->index) {
    g_autoptr (GPtrArray) listed = np_plugin_index_read (file->index, &problem);
    for (guint i = 0; listed && i < listed->len; i++)
      add_listed (registry, file, listed->pdata[i]);
  }
  if (refused) {
    g_free (problem);
    problem = g_strdup_printf ("refused: %s", refused);
  } else if (!problem && !found->so_exists) {
    problem
        = g_strdup_printf ("%s lists it, but there is no such file: build the plugin", file->index);
  }
  if (problem) {
    file->opened = TRUE;
    file_failed (registry, file, problem);
  } else if (!file->index) {
    open_file (registry, file);
  }
}

static void
add_folder (NpRegistry *registry, const NpPluginFolder *folder)
{
  g_autoptr (GPtrArray) files = folder->listed ? np_plugin_files (folder->path) : NULL;
  for (guint i = 0; files && i < files->len; i++)
    add_file (registry, files->pdata[i], folder->problem);
  if (folder->problem && (!files || files->len == 0)) {
    Entry *e = add_entry (registry, NULL, NP_KIND_UNKNOWN, "", g_strdup (folder->problem));
    e->module.file = g_strdup (folder->path);
  }
}

NpRegistry *
np_registry_new (const char *installed)
{
  NpRegistry *registry = g_new0 (NpRegistry, 1);
  registry->files = g_ptr_array_new_with_free_func (file_free);
  registry->all = g_ptr_array_new_with_free_func (entry_free);
  registry->memory = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) folders = np_plugin_folders (installed);
  for (guint i = 0; i < folders->len; i++)
    add_folder (registry, folders->pdata[i]);
  return registry;
}

void
np_registry_free (NpRegistry *registry)
{
  if (!registry)
    return;
  g_ptr_array_unref (registry->all);
  g_ptr_array_unref (registry->files);
  g_ptr_array_unref (registry->memory);
  g_free (registry);
}

GPtrArray *
np_registry_all (NpRegistry *registry)
{
  return registry->all;
}

/* -- Asking ---------------------------------------------------------------- */

const NpRegistryEntry *
np_registry_get (NpRegistry *registry, guint kind, const char *name, GError **error)
{
  Entry *e = find_entry (registry, NULL, kind, name);
  if (!e)
    return np_registry_unknown (registry, kind, name, error);
  if (!e->module.problem)
    open_file (registry, e->file);
  if (!e->module.problem)
    return &e->module;
  g_set_error (error, NP_ERROR, NP_EXIT_PLUGIN, "%s %s: %s: %s", np_kind_name (kind), name,
               e->module.file, e->module.problem);
  return NULL;
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  const NpRegistryEntry *const *x = a, *const *y = b;
  return strcmp ((*x)->name, (*y)->name);
}

static int
hex_byte (const char *hex)
{
  return g_ascii_xdigit_value (hex[0]) * 16 + g_ascii_xdigit_value (hex[1]);
}

/* `hex` is pairs of digits; the last may be a range, "0a20-7e". */
static gboolean
begins_with (const guint8 *head, gsize len, const char *hex)
{
  const char *dash = strchr (hex, '-');
  gsize n = (dash ? (gsize) (dash - hex) : strlen (hex)) / 2;
  for (gsize k = 0; k < n && k < len; k++) {
    int least = hex_byte (hex + 2 * k);
    if (head[k] < least || head[k] > (dash && k + 1 == n ? hex_byte (dash + 1) : least))
      return FALSE;
  }
  return n <= len;
}

static gboolean
may_read (const Entry *e, const char *path, const void *head, gsize len)
{
  for (char **magic = e->magic; magic && *magic; magic++)
    if (begins_with (head, len, *magic))
      return TRUE;
  for (char **suffix = e->suffixes; suffix && *suffix; suffix++)
    if (path && g_str_has_suffix (path, *suffix))
      return TRUE;
  return !e->magic;
}

/* `all` asks for those too whose NAME.plugin rules the file out. */
static GPtrArray *
usable (NpRegistry *registry, guint kind, gboolean all, const char *path, const void *head,
        gsize len)
{
  GPtrArray *found = g_ptr_array_new ();
  for (guint i = 0; i < registry->all->len; i++) {
    Entry *e = entry_at (registry, i);
    if (e->module.kind == kind && !e->module.problem && (all || may_read (e, path, head, len)))
      open_file (registry, e->file);
    if (e->module.kind == kind && !e->module.problem)
      g_ptr_array_add (found, e);
  }
  g_ptr_array_sort (found, by_name);
  return found;
}

GPtrArray *
np_registry_of_kind (NpRegistry *registry, guint kind)
{
  return usable (registry, kind, TRUE, NULL, NULL, 0);
}

GPtrArray *
np_registry_decoders (NpRegistry *registry, const char *path, const void *head, gsize len)
{
  return usable (registry, NPROF_DECODER, FALSE, path, head, len);
}
