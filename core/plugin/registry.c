/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c - knows all components by name and decides which of equal names is used.
 * plugin-index.c knows where plugins lie, plugin-open.c opens one, component.c has the rules.
 *
 * Of equal names that of the first folder wins, in a folder that of the file of this name, else
 * that of the first file. So a run that names its components reads the files of these names alone;
 * to read what all plugins say of themselves takes longer than to decode a small file. */

#include "plugin/registry.h"

#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "plugin/component.h"
#include "plugin/plugin-index.h"
#include "plugin/plugin-open.h"
#include "plugin/plugins-off.h"
#include "plugin/registry-unknown.h"

#define LATE G_MAXUINT /* the place of what a plugin holds, but does not list: behind all folders */

typedef struct {
  char *path, *index; /* index: NULL when there is no NAME.plugin */
  char *name;         /* of the file, without .so */
  guint folder;       /* of the entries that are added: its place among the folders, or LATE */
  gboolean bundled;
  gboolean opened;  /* opened, or never to be */
  GPtrArray *views; /* of NpTableView, that its NAME.plugin says */
} File;

typedef struct {
  NpRegistryEntry module;
  File *file;               /* NULL: the entry of a folder */
  guint folder;             /* as in File */
  char **magic, **suffixes; /* as in NpPluginEntry */
} Entry;

struct NpRegistry {
  GPtrArray *folders;     /* of NpPluginFolder, in the order in which names win */
  guint n_read;           /* so many of them were read whole */
  GPtrArray *files, *all; /* of File, of NpRegistryEntry (the first member of Entry) */
  GPtrArray *views;       /* of NpTableView; NULL: nobody asked for them yet */
  GHashTable *off;        /* char *: why the user or a run wants to be without it, by its names */
  GPtrArray *memory;      /* copies of components, which plugins' arrays may point to */
  gboolean in_order; /* all folders were read, `all` is in their order, and says what is hidden */
};

static Entry *look_up (NpRegistry *registry, guint kind, const char *name);

/* -- Entries --------------------------------------------------------------- */

static Entry *
entry_at (NpRegistry *registry, guint i)
{
  return registry->all->pdata[i];
}

static gboolean
is_called (const Entry *e, guint kind, const char *name)
{
  return e->module.kind == kind && strcmp (e->module.name, name) == 0;
}

static Entry *
find_entry (NpRegistry *registry, const File *file, guint kind, const char *name)
{
  for (guint i = 0; i < registry->all->len; i++) {
    Entry *e = entry_at (registry, i);
    if (e->file == file && is_called (e, kind, name))
      return e;
  }
  return NULL;
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Entry *x = *(const Entry *const *) a, *y = *(const Entry *const *) b;
  if (x->folder != y->folder)
    return x->folder < y->folder ? -1 : 1;
  if (x->folder == LATE || !x->file || !y->file)
    return 0;
  return strcmp (x->file->index ? x->file->index : x->file->path,
                 y->file->index ? y->file->index : y->file->path);
}

static gboolean
is_namesake (const Entry *e)
{
  return e->folder != LATE && strcmp (e->file->name, e->module.name) == 0;
}

/* Tells which of two entries of one name wins it. */
static gboolean
wins_over (const Entry *e, const Entry *other)
{
  if (e->folder == other->folder && is_namesake (e) != is_namesake (other))
    return is_namesake (e);
  return by_place (&e, &other) < 0;
}

/* Returns the entry that wins a name among those that were read, or NULL. */
static Entry *
find_winner (NpRegistry *registry, guint kind, const char *name)
{
  Entry *winner = NULL;
  for (guint i = 0; i < registry->all->len; i++) {
    Entry *e = entry_at (registry, i);
    if (is_called (e, kind, name) && (!winner || wins_over (e, winner)))
      winner = e;
  }
  return winner;
}

/* A problem that hides the entry takes the place of others. */
static void
hide (Entry *e, const Entry *winner)
{
  g_free (e->module.problem);
  e->module.problem = g_strdup_printf ("hidden by %s", winner->module.file);
  e->module.off = TRUE;
}

/* Returns why nobody may use the component; NULL: nothing is known. */
static const char *
off_because (NpRegistry *registry, guint kind, const char *name)
{
  const char *why = g_hash_table_lookup (registry->off, name);
  if (why || kind > NPROF_SINK)
    return why;
  g_autofree char *full = g_strdup_printf ("%s/%s", np_kind_name (kind), name);
  return g_hash_table_lookup (registry->off, full);
}

/* Takes `problem`. */
static Entry *
add_entry (NpRegistry *registry, File *file, guint kind, const char *name, char *problem)
{
  Entry *e = g_new0 (Entry, 1);
  e->file = file;
  e->folder = file ? file->folder : registry->n_read;
  e->module.kind = kind;
  e->module.name = g_strdup (name);
  e->module.file = g_strdup (file ? file->path : NULL);
  e->module.problem = problem;
  e->module.bundled = file && file->bundled;
  const char *off = off_because (registry, kind, name);
  if (off) {
    g_free (e->module.problem);
    e->module.problem = g_strdup (off);
    e->module.off = TRUE;
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

static Entry *
add_unlisted (NpRegistry *registry, File *file, const struct nprof_component *c)
{
  const Entry *winner = look_up (registry, c->kind, c->name);
  Entry *e
      = add_entry (registry, file, c->kind, c->name,
                   g_strdup_printf ("%s does not list it: build the plugin again", file->index));
  if (winner)
    hide (e, winner);
  return e;
}

/* Returns the entry for component `number` of the file.  NULL: its name or kind cannot be used, or
 * another component of the file has its name; an entry that tells this problem has been added. */
static Entry *
entry_for (NpRegistry *registry, File *file, const struct nprof_component *c, guint number)
{
  if (!np_component_is_name (c->name)) {
    add_entry (registry, file, NP_KIND_UNKNOWN, file->name,
               g_strdup_printf (
                   "component %u: its name %s%s%s is not of a-z, 0-9 and -, nor vendor.name",
                   number, c->name ? "\"" : "", c->name ? c->name : "(NULL)", c->name ? "\"" : ""));
    return NULL;
  }
  if (c->kind > NPROF_SINK) {
    add_entry (registry, file, NP_KIND_UNKNOWN, c->name,
               g_strdup_printf ("its kind %u is not known to this nprof: skipped", c->kind));
    return NULL;
  }
  Entry *e = find_entry (registry, file, c->kind, c->name);
  if (!e)
    return file->index ? add_unlisted (registry, file, c)
                       : add_entry (registry, file, c->kind, c->name, NULL);
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
  if (file->index)
    file->folder = LATE;
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
  g_ptr_array_unref (file->views);
  g_free (file);
}

static void
add_listed (NpRegistry *registry, File *file, NpPluginEntry *listed)
{
  char *problem = NULL;
  if (listed->kind == NP_KIND_UNKNOWN)
    problem = g_strdup_printf ("its kind \"%s\" is not known to this nprof: skipped",
                               listed->kind_name);
  Entry *e = add_entry (registry, file, listed->kind, listed->name, problem);
  e->magic = g_steal_pointer (&listed->magic);
  e->suffixes = g_steal_pointer (&listed->suffixes);
  e->module.report = g_steal_pointer (&listed->report);
}

/* Adds a file of the folder that is read, and what it lists. */
static void
add_file (NpRegistry *registry, const NpPluginFile *found, const char *refused)
{
  File *file = g_new0 (File, 1);
  file->path = g_strdup (found->so);
  file->index = g_strdup (found->index);
  file->folder = registry->n_read;
  file->bundled = ((NpPluginFolder *) registry->folders->pdata[file->folder])->bundled;
  g_autofree char *base = g_path_get_basename (found->so);
  file->name = g_strndup (base, strlen (base) - strlen (".so"));
  file->views = g_ptr_array_new_with_free_func (np_table_view_free);
  g_ptr_array_add (registry->files, file);

  char *problem = NULL;
  if (file->index) {
    g_autoptr (GPtrArray) listed = np_plugin_index_read (file->index, &problem);
    for (guint i = 0; listed && i < listed->len; i++) {
      NpPluginEntry *entry = listed->pdata[i];
      if (!entry->view) {
        add_listed (registry, file, entry);
        continue;
      }
      entry->view->bundled = file->bundled;
      g_ptr_array_add (file->views, g_steal_pointer (&entry->view));
    }
  }
  if (refused) {
    g_free (problem);
    problem = g_strdup_printf ("refused: %s", refused);
  } else if (!problem && g_hash_table_contains (registry->off, file->path)) {
    problem = g_strdup (g_hash_table_lookup (registry->off, file->path));
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

static gboolean
has_file (NpRegistry *registry, const char *path)
{
  for (guint i = 0; i < registry->files->len; i++)
    if (strcmp (((File *) registry->files->pdata[i])->path, path) == 0)
      return TRUE;
  return FALSE;
}

/* Reads the rest of the first folder that was not read whole. */
static void
read_folder (NpRegistry *registry)
{
  const NpPluginFolder *folder = registry->folders->pdata[registry->n_read];
  g_autoptr (GPtrArray) files = folder->listed ? np_plugin_files (folder->path) : NULL;
  for (guint i = 0; files && i < files->len; i++) {
    const NpPluginFile *found = files->pdata[i];
    if (!has_file (registry, found->so))
      add_file (registry, found, folder->problem);
  }
  if (folder->problem && (!files || files->len == 0)) {
    Entry *e = add_entry (registry, NULL, NP_KIND_UNKNOWN, "", g_strdup (folder->problem));
    e->module.file = g_strdup (folder->path);
  }
  registry->n_read++;
}

/* Reads NAME.plugin of that folder.  Returns FALSE when there is none, or it was read before. */
static gboolean
read_namesake (NpRegistry *registry, const char *name)
{
  const NpPluginFolder *folder = registry->folders->pdata[registry->n_read];
  if (!folder->listed || !np_component_is_name (name) || *name == '.')
    return FALSE;
  g_autofree char *so = g_strconcat (folder->path, "/", name, ".so", NULL);
  g_autofree char *index = g_strconcat (folder->path, "/", name, ".plugin", NULL);
  struct stat st;
  if (has_file (registry, so) || lstat (index, &st) || S_ISDIR (st.st_mode))
    return FALSE;
  gboolean so_exists = !lstat (so, &st) && !S_ISDIR (st.st_mode);
  add_file (registry, &(NpPluginFile){ so, index, so_exists }, folder->problem);
  return TRUE;
}

/* Returns whether nothing that was not yet read can win over this entry, which may be NULL. */
static gboolean
is_settled (NpRegistry *registry, const Entry *e)
{
  if (registry->n_read == registry->folders->len)
    return TRUE;
  return e && (e->folder < registry->n_read || (e->folder == registry->n_read && is_namesake (e)));
}

/* Reads no more than tells which entry wins a name; returns it, or NULL. */
static Entry *
look_up (NpRegistry *registry, guint kind, const char *name)
{
  Entry *e;
  while (!is_settled (registry, e = find_winner (registry, kind, name)))
    if (!read_namesake (registry, name))
      read_folder (registry);
  return e;
}

/* Reads all folders, and finds out what is hidden. */
static void
read_all (NpRegistry *registry)
{
  if (registry->in_order)
    return;
  registry->in_order = TRUE;
  while (registry->n_read < registry->folders->len)
    read_folder (registry);
  g_ptr_array_sort (registry->all, by_place);
  for (guint i = 0; i < registry->all->len; i++) {
    Entry *e = entry_at (registry, i);
    const Entry *winner = find_winner (registry, e->module.kind, e->module.name);
    if (winner != e && e->module.kind != NP_KIND_UNKNOWN)
      hide (e, winner);
  }
}

NpRegistry *
np_registry_new (const char *installed)
{
  NpRegistry *registry = g_new0 (NpRegistry, 1);
  registry->files = g_ptr_array_new_with_free_func (file_free);
  registry->all = g_ptr_array_new_with_free_func (entry_free);
  registry->memory = g_ptr_array_new_with_free_func (g_free);
  registry->folders = np_plugin_folders (installed);
  registry->off = np_plugins_off ();
  return registry;
}

void
np_registry_free (NpRegistry *registry)
{
  if (!registry)
    return;
  g_ptr_array_unref (registry->all);
  g_clear_pointer (&registry->views, g_ptr_array_unref);
  g_ptr_array_unref (registry->files);
  g_ptr_array_unref (registry->memory);
  g_ptr_array_unref (registry->folders);
  g_hash_table_unref (registry->off);
  g_free (registry);
}

GPtrArray *
np_registry_all (NpRegistry *registry)
{
  read_all (registry);
  return registry->all;
}

/* Returns whether a component of the file is in use that makes the table; what is nprof's own and
 * was not opened is taken at its word. */
static gboolean
makes_table (NpRegistry *registry, const File *file, const char *table)
{
  for (guint i = 0; i < registry->all->len; i++) {
    const Entry *e = entry_at (registry, i);
    if (e->file == file && !e->module.problem
        && (!e->module.component || np_component_has_table (e->module.component, table)))
      return TRUE;
  }
  return FALSE;
}

const GPtrArray *
np_registry_views (NpRegistry *registry)
{
  read_all (registry);
  if (registry->views)
    return registry->views;
  registry->views = g_ptr_array_new_with_free_func (np_table_view_free);
  for (guint i = 0; i < registry->files->len; i++) {
    File *file = registry->files->pdata[i];
    if (file->views->len && !file->bundled)
      open_file (registry, file);
    for (guint k = 0; k < file->views->len;) {
      const NpTableView *view = file->views->pdata[k];
      if (makes_table (registry, file, view->table))
        g_ptr_array_add (registry->views, g_ptr_array_steal_index (file->views, k));
      else
        k++;
    }
  }
  np_table_views_settle (registry->views);
  return registry->views;
}

/* -- Asking ---------------------------------------------------------------- */

const NpRegistryEntry *
np_registry_get (NpRegistry *registry, guint kind, const char *name, GError **error)
{
  Entry *e = look_up (registry, kind, name);
  if (!e)
    return np_registry_unknown (registry, kind, name, error);
  if (!e->module.problem)
    open_file (registry, e->file);
  if (!e->module.problem)
    return &e->module;
  np_error_set (error, NP_EXIT_PLUGIN, "%s %s: %s: %s", np_kind_name (kind), name, e->module.file,
                e->module.problem);
  return NULL;
}

const NpRegistryEntry *
np_registry_find (NpRegistry *registry, guint kind, const char *name)
{
  Entry *e = look_up (registry, kind, name);
  return e ? &e->module : NULL;
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
  read_all (registry);
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
