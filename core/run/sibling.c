/* SPDX-License-Identifier: Apache-2.0 */
/* sibling.c - the files beside an input (and the run's other inputs) that its decoder may
 * look at; one that is opened becomes an input of the run itself, once, by real path, when the
 * input has ended. */

#include "run/sibling.h"
#include "input/digest.h"
#include "run/run-inputs.h"
#include "system/by-text.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Adds the visible names of a folder but `own`, with `before` in front of each. */
static void
add_folder (GPtrArray *names, const char *folder, const char *before, const char *own)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  if (!dir)
    return;
  for (const char *name; (name = g_dir_read_name (dir));)
    if (name[0] != '.' && strcmp (name, own))
      g_ptr_array_add (names, g_strconcat (before, name, NULL));
}

/* Adds the inputs that the user named in other folders, by their paths. */
static void
add_inputs (GPtrArray *names, NpInstance *self)
{
  g_autofree char *folder = g_path_get_dirname (self->input->real_path);
  for (guint i = 0; i < self->run->n_given; i++) {
    const NpRunInput *other = np_run_input (self->run, i);
    if (other == self->input || !other->real_path)
      continue;
    g_autofree char *there = g_path_get_dirname (other->real_path);
    if (strcmp (there, folder))
      g_ptr_array_add (names, g_strdup (other->real_path));
  }
}

static void
tell (GPtrArray *names, int (*fn) (void *user, const char *name), void *user)
{
  g_ptr_array_sort (names, np_by_text);
  for (guint i = 0; i < names->len; i++)
    if (fn (user, g_ptr_array_index (names, i)))
      break;
}

nprof_status
np_siblings_each (NpInstance *self, int (*fn) (void *user, const char *name), void *user)
{
  if (!self->input)
    return np_instance_fail (self, NPROF_E_CONTRACT, "only a decoder has siblings");
  if (!self->input->real_path)
    return NPROF_OK;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder = g_path_get_dirname (self->input->real_path);
  g_autofree char *own = g_path_get_basename (self->input->real_path);
  add_folder (names, folder, "", own);
  add_inputs (names, self);
  tell (names, fn, user);
  return NPROF_OK;
}

/* Returns NULL when the input has no folder.  Transfer full. */
static char *
path_of (const NpInstance *self, const char *name)
{
  if (g_path_is_absolute (name))
    return g_strdup (name);
  if (!self->input->real_path)
    return NULL;
  g_autofree char *folder = g_path_get_dirname (self->input->real_path);
  return g_build_filename (folder, name, NULL);
}

nprof_status
np_siblings_within (const struct nprof_host *host, const char *folder,
                    int (*fn) (void *user, const char *name), void *user)
{
  NpInstance *self = np_instance_of (host);
  if (!self->input)
    return np_instance_fail (self, NPROF_E_CONTRACT, "only a decoder has siblings");
  g_autofree char *path = path_of (self, folder);
  if (!path)
    return NPROF_OK;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *before = g_strconcat (folder, "/", NULL);
  add_folder (names, path, before, "");
  tell (names, fn, user);
  return NPROF_OK;
}

static gboolean
is_input (NpRun *run, const char *real_path)
{
  for (guint i = 0;; i++) {
    NpRunInput *other = np_run_input (run, i);
    if (!other)
      return FALSE;
    if (!g_strcmp0 (other->real_path, real_path))
      return TRUE;
  }
}

static gboolean
is_label (NpRun *run, const char *label)
{
  for (guint i = 0;; i++) {
    const NpRunInput *other = np_run_input (run, i);
    if (!other)
      return FALSE;
    if (!g_strcmp0 (other->label, label))
      return TRUE;
  }
}

/* Labels a sibling by its name, or where another input is called so by the folder of the input as
 * well, as rows and tables are told apart by labels.  Transfer full. */
static char *
label_of (NpRun *run, const NpRunInput *of, const char *path)
{
  g_autofree char *name = g_path_get_basename (path), *folder = g_path_get_dirname (of->label);
  char *label = g_strdup (name);
  if (is_label (run, label) && strcmp (folder, ".")) {
    g_free (label);
    label = g_build_filename (folder, name, NULL);
  }
  for (guint n = 2; is_label (run, label); n++) {
    g_free (label);
    label = g_strdup_printf ("%s (%u)", name, n);
  }
  return label;
}

/* The user's own inputs come first; the siblings are decoded after all of them. */
static void
join (NpRun *run, const NpRunInput *of, const char *path)
{
  g_autofree char *real_path = realpath (path, NULL);
  g_autoptr (GError) error = NULL;
  if (!real_path || is_input (run, real_path))
    return;
  g_autofree char *label = label_of (run, of, path);
  if (!np_run_add_input (run, path, label, NULL, &error))
    np_log (run->log, NPROF_INFO, "%s: used by %s, not decoded itself: %s", path, of->path,
            error->message);
}

void
np_siblings_join (NpRun *run, NpRunInput *input)
{
  for (guint i = 0; input->opened && i < input->opened->len; i++)
    join (run, input, g_ptr_array_index (input->opened, i));
  g_clear_pointer (&input->opened, g_ptr_array_unref);
}

static void
remember (NpRunInput *input, const char *path)
{
  if (!input->opened)
    input->opened = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (input->opened, g_strdup (path));
}

static size_t
read_head (const char *path, void *bytes, size_t len)
{
  size_t n = 0;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat is;
  if (fd < 0)
    return 0;
  if (fstat (fd, &is) == 0 && S_ISREG (is.st_mode))
    for (ssize_t got = 1; n < len && got > 0; n += got > 0 ? (size_t) got : 0)
      got = pread (fd, (char *) bytes + n, len - n, (off_t) n);
  close (fd);
  return n;
}

size_t
np_sibling_head (const struct nprof_host *host, const char *name, void *bytes, size_t len)
{
  const NpInstance *self = np_instance_of (host);
  g_autofree char *path = self->input && name && *name ? path_of (self, name) : NULL;
  return path ? read_head (path, bytes, len) : 0;
}

int
np_sibling_digest (const struct nprof_host *host, const char *name, char *hex)
{
  const NpInstance *self = np_instance_of (host);
  g_autofree char *path = self->input && name && *name ? path_of (self, name) : NULL;
  return path && np_digest_file (path, hex, NULL);
}

const void *
np_sibling_open (NpInstance *self, const char *name, guint64 *len)
{
  if (!self->input || !self->self || !name || !*name) {
    np_instance_fail (self, NPROF_E_CONTRACT,
                      "only a decoder opens siblings, by their names, and not from a part");
    return NULL;
  }
  g_autofree char *own = path_of (self, name);
  const char *path = own ? own : name;
  g_autoptr (GError) error = NULL;
  NpInput *input = np_input_open (path, self->run->log, &error);
  if (!input) {
    np_instance_fail (self, NPROF_E_IO, error->message);
    return NULL;
  }
  np_read_files_add (self->run->config->read, path);
  g_ptr_array_add (self->siblings, input);
  if (!(self->component->flags & NPROF_DECODER_FOLDER))
    remember (self->input, path);
  return np_input_data (input, len);
}
