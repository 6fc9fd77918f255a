/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - takes the files of a folder together as one profile: the first of its kind stands for
 * it, and reads those beside it, unless the user named these too. */
#include "system.h"

#include <nprof/draft/input-file.h>
#include <string.h>

void
system_file_clear (gpointer data)
{
  g_free (((SystemFile *) data)->name);
}

/* Only what has one of the usual names is opened: a folder may hold files of any size. */
static int
collect (void *user, const char *name)
{
  static const char *const names[] = { "cpu_util", "host_mem", "ntrace", "trace_info" };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_has_prefix (name, names[i]) && strstr (name, ".pb"))
      g_ptr_array_add (user, g_strdup (name));
  return 0;
}

static const char *
own_path (const System *s)
{
  return nprof_text (s->host, s->host->input (s->host, s->host->own_input)->label);
}

static char *
own_name (const System *s)
{
  const struct nprof_input_info *input = s->host->input (s->host, s->host->own_input);
  return g_strdup (NPROF_KNOWS (input, file) && input->file ? input->file : "");
}

/* Returns whether the user named that file of the folder, so that it is decoded by itself. */
static bool
is_input (const System *s, const char *name)
{
  const struct nprof_input_file *files = s->host->extension (s->host, NPROF_INPUT_FILE);
  const char *own = files ? files->path (s->host, s->host->own_input) : NULL;
  if (!own)
    return false;
  g_autofree char *folder = g_path_get_dirname (own);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  for (uint32_t i = 0; i < s->host->run (s->host)->n_inputs; i++) {
    const char *other = i == s->host->own_input ? NULL : files->path (s->host, i);
    if (other && strcmp (other, path) == 0)
      return true;
  }
  return false;
}

static nprof_status
open_beside (System *s, const char *name, SystemFile *file)
{
  *file = (SystemFile){ .name = g_strdup (name) };
  file->data = s->host->sibling (s->host, name, &file->len);
  if (!file->data) {
    system_file_clear (file);
    return NPROF_E_IO;
  }
  file->kind = system_kind (file->data, (size_t) file->len, name);
  return NPROF_OK;
}

nprof_status
system_files (System *s, const uint8_t *data, uint64_t len)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  SystemFile own
      = { .kind = system_kind (data, (size_t) len, own_path (s)), .data = data, .len = len };
  g_array_append_val (s->files, own);
  if (own.kind == SYSTEM_METANEFF)
    return NPROF_OK;
  nprof_status status = s->host->siblings (s->host, collect, names);
  for (guint i = 0; i < names->len && !status; i++) {
    const char *name = g_ptr_array_index (names, i);
    SystemFile file;
    status = open_beside (s, name, &file);
    if (status)
      return status;
    bool names_it = file.kind == SYSTEM_INFO; /* its names are wanted in any case */
    if (file.kind == SYSTEM_NONE || file.kind == SYSTEM_METANEFF
        || (!names_it && is_input (s, name)))
      system_file_clear (&file);
    else
      g_array_append_val (s->files, file);
  }
  return status;
}

/* The lower, the sooner it stands for the profile of its folder. */
static int
rank_of (SystemKind kind)
{
  return kind == SYSTEM_NONE || kind == SYSTEM_METANEFF ? G_MAXINT : (int) kind;
}

bool
system_is_part (System *s, const uint8_t *data, uint64_t len, nprof_status *status)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *own = own_name (s);
  int rank = rank_of (system_kind (data, (size_t) len, own));
  if (rank == G_MAXINT)
    return false;
  *status = s->host->siblings (s->host, collect, names);
  for (guint i = 0; i < names->len && !*status; i++) {
    const char *name = g_ptr_array_index (names, i);
    SystemFile file;
    *status = open_beside (s, name, &file);
    if (*status)
      return false;
    int other = rank_of (file.kind);
    system_file_clear (&file);
    if (other < rank || (other == rank && strcmp (name, own) < 0))
      return true;
  }
  return false;
}
