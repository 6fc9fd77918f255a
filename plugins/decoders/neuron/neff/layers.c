/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - writes table neff_layers: for each instruction of the lowest stages whose debug info
 * is there, the HLO instructions and the layers of the framework that it came from. */
#include "neff.h"

#include "../common/debug.h"

#include <string.h>

#define MAX_INSTRUCTIONS (1u << 20) /* of all debug members: 40 MB */
#define MAX_STAGES 8
#define MAX_ORIGINS 16 /* names of one instruction in one stage; more are said to be more */
#define MAX_LOOKED 64  /* parents of one instruction */
#define REPORT 65536u  /* rows */

NPROF_TABLE (neff_layers, "Instructions and their layers",
             "likely: read from debug messages that the vendor does not document", NEFF_LAYERS)

/* One stage has this of an instruction. */
typedef struct {
  const DebugInstruction *at[MAX_ORIGINS];
  guint n;
  gboolean more;
} Origins;

typedef struct {
  Neff *n;
  nprof_str label;
  GPtrArray *files; /* of DebugFile, by name */
  GHashTable *by_path;
  guint64 rows;
} Layers;

/* -- Reading ------------------------------------------------------------------------------ */

static gint
by_name (gconstpointer a, gconstpointer b)
{
  const NeffMember *x = *(const NeffMember *const *) a, *y = *(const NeffMember *const *) b;
  return strcmp (x->name, y->name);
}

static void
read_file (Layers *l, const NeffMember *member, gsize *room)
{
  const struct nprof_host *host = l->n->host;
  DebugFile *file
      = member->text ? debug_file_new (member->name, member->text, member->len, *room) : NULL;
  if (!file) {
    host->skip (host, "debug info", neff_file_byte (l->n, member),
                member->text ? "not the messages that are known, or more than 1048576 instructions"
                             : "larger than 16 MB");
    return;
  }
  *room -= file->instructions->len;
  g_ptr_array_add (l->files, file);
  g_hash_table_insert (l->by_path, file->path, file);
}

static void
read_files (Layers *l)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer member;
  g_hash_table_iter_init (&iter, l->n->members);
  while (g_hash_table_iter_next (&iter, NULL, &member))
    if (g_str_has_suffix (((NeffMember *) member)->name, ".dbg"))
      g_ptr_array_add (members, member);
  g_ptr_array_sort (members, by_name);
  gsize room = MAX_INSTRUCTIONS;
  for (guint i = 0; i < members->len; i++)
    read_file (l, members->pdata[i], &room);
}

/* Returns the file of the stage above, which lies in the same folder. */
static const DebugFile *
parent_of (const Layers *l, const DebugFile *file)
{
  if (file->parent_name.len == 0)
    return NULL;
  g_autofree char *folder = g_path_get_dirname (file->path);
  g_autofree char *text = g_strndup (file->parent_name.p, file->parent_name.len);
  g_autofree char *base = g_path_get_basename (text);
  g_autofree char *path
      = strcmp (folder, ".") == 0 ? g_strdup (base) : g_strconcat (folder, "/", base, NULL);
  return g_hash_table_lookup (l->by_path, path);
}

/* -- Origins ------------------------------------------------------------------------------ */

static void
add_origin (Origins *to, const DebugInstruction *in)
{
  for (guint i = 0; i < to->n; i++)
    if (to->at[i] == in)
      return;
  if (to->n == MAX_ORIGINS)
    to->more = TRUE;
  else
    to->at[to->n++] = in;
}

static void
step_up (Origins *o, const DebugFile *file, const DebugFile *parent)
{
  Origins up = { .more = o->more };
  for (guint i = 0; i < o->n; i++) {
    const DebugInstruction *at = o->at[i];
    up.more |= at->n_parents > MAX_LOOKED;
    for (guint k = 0; k < MIN (at->n_parents, MAX_LOOKED); k++) {
      guint64 id = g_array_index (file->parents, guint64, at->first_parent + k);
      const DebugInstruction *in = debug_file_find (parent, id);
      if (in)
        add_origin (&up, in);
    }
  }
  *o = up;
}

/* Returns NULL when none has a name. */
static char *
names (const Origins *o)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < o->n; i++)
    if (o->at[i]->name.len) {
      g_string_append (text, text->len ? "; " : "");
      g_string_append_len (text, o->at[i]->name.p, (gssize) o->at[i]->name.len);
    }
  if (text->len && o->more)
    g_string_append (text, "; and more");
  return g_string_free (text, text->len == 0);
}

static void
find_origins (const DebugFile *const *stages, const DebugInstruction *in, char **hlo, char **layer)
{
  Origins o = { .at = { in }, .n = 1 };
  for (guint i = 0; stages[i]; i++) {
    if (i)
      step_up (&o, stages[i - 1], stages[i]);
    if (g_strcmp0 (stages[i]->level, "hlo") == 0 && !*hlo)
      *hlo = names (&o);
    if (g_strcmp0 (stages[i]->level, "pttf") == 0 && !*layer)
      *layer = names (&o);
  }
}

/* -- Rows --------------------------------------------------------------------------------- */

static struct nprof_maybe_str
str (const Layers *l, const char *text)
{
  return nprof_str_if (text, text ? nprof_intern (l->n->host, text) : 0);
}

static const char *
engine_name (const DebugFile *file)
{
  static const char *const engines[]
      = { NULL, "tensor", "scalar", "gpsimd", "dma", "vector", "sync", NULL };
  if (engines[file->engine])
    return engines[file->engine];
  return file->engine_word ? neff_engine (file->engine_word, strlen (file->engine_word)) : NULL;
}

static nprof_status
instruction_row (Layers *l, const DebugFile *const *stages, const DebugInstruction *in)
{
  static const char *const types[] = { NULL, "regular", "spill", "transpose", NULL };
  const struct nprof_host *host = l->n->host;
  g_autofree char *hlo = NULL, *layer = NULL;
  find_origins (stages, in, &hlo, &layer);
  if (++l->rows % REPORT == 0 && host->progress (host, l->n->payload_at, l->n->payload_at))
    return NPROF_CANCELLED;
  const struct neff_layers_row row = {
    .file = str (l, stages[0]->path),
    .engine = str (l, engine_name (stages[0])),
    .instruction = nprof_some_uint (in->id),
    .name = nprof_text_of_len (in->name.len ? in->name.p : NULL, in->name.len),
    .type = str (l, types[in->type]),
    .hlo = nprof_some_text (hlo),
    .layer = nprof_some_text (layer),
  };
  return host->row (host, &neff_layers_table,
                    neff_layers_cells (nprof_cell_str (l->label), &row).cells);
}

static nprof_status
file_rows (Layers *l, const DebugFile *file)
{
  const DebugFile *stages[MAX_STAGES + 1] = { file };
  for (guint i = 1; i < MAX_STAGES && (stages[i] = parent_of (l, stages[i - 1])); i++)
    ;
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < file->instructions->len && status == NPROF_OK; i++)
    status = instruction_row (l, stages, &g_array_index (file->instructions, DebugInstruction, i));
  return status;
}

/* Writes rows for the files that are no other's stage above. */
static nprof_status
all_rows (Layers *l)
{
  g_autoptr (GHashTable) above = g_hash_table_new (NULL, NULL);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < l->files->len; i++) {
    const DebugFile *file = l->files->pdata[i], *parent = parent_of (l, file);
    if (parent && parent != file)
      g_hash_table_add (above, (gpointer) parent);
  }
  for (guint i = 0; i < l->files->len && status == NPROF_OK; i++)
    if (!g_hash_table_contains (above, l->files->pdata[i]))
      status = file_rows (l, l->files->pdata[i]);
  return status;
}

nprof_status
neff_layers (Neff *n, nprof_str label)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (debug_file_free);
  g_autoptr (GHashTable) by_path = g_hash_table_new (g_str_hash, g_str_equal);
  Layers l = { n, label, files, by_path, 0 };
  read_files (&l);
  if (files->len == 0)
    return NPROF_OK;
  nprof_status status = n->host->table (n->host, &neff_layers_table);
  return status ? status : all_rows (&l);
}
