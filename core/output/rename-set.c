/* SPDX-License-Identifier: Apache-2.0 */
/* rename-set.c - gives temporary files their names, all or none; transaction.c decides which files.
 *
 * A file that stands in a place is renamed to a temporary name, renamed back when a later step
 * fails, and removed at the very end.  Only a renaming back that fails itself cannot be undone; it
 * is logged with the name under which the old file lies. */

#include "output/rename-set.h"

#include "base/error.h"
#include "output/output-path.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  char *path, *destination, *temp;
  char *aside; /* where what stood there is now; NULL: nothing did */
  gboolean placed;
} Move;

struct NpRenameSet {
  NpLog *log;
  GPtrArray *all; /* of Move */
};

static void
move_free (gpointer data)
{
  Move *move = data;
  g_free (move->path);
  g_free (move->destination);
  g_free (move->temp);
  g_free (move->aside);
  g_free (move);
}

NpRenameSet *
np_rename_set_new (NpLog *log)
{
  NpRenameSet *renames = g_new0 (NpRenameSet, 1);
  renames->log = log;
  renames->all = g_ptr_array_new_with_free_func (move_free);
  return renames;
}

void
np_rename_set_free (NpRenameSet *renames)
{
  if (!renames)
    return;
  g_ptr_array_unref (renames->all);
  g_free (renames);
}

void
np_rename_set_add (NpRenameSet *renames, const char *path, const char *destination,
                   const char *temp)
{
  Move *move = g_new0 (Move, 1);
  move->path = g_strdup (path);
  move->destination = g_strdup (destination);
  move->temp = g_strdup (temp);
  g_ptr_array_add (renames->all, move);
}

/* A file that will be replaced gets a second name, so that its first is never without a file; where
 * there are no hard links, and when it is only removed, it is renamed. */
static int
set_aside (Move *move)
{
  struct stat st;
  if (lstat (move->destination, &st))
    return errno == ENOENT ? 0 : errno;
  if (S_ISDIR (st.st_mode))
    return EISDIR;
  g_autofree char *aside = NULL;
  do {
    g_free (aside);
    aside = np_temp_beside (move->destination);
  } while (!lstat (aside, &st));
  if ((!move->temp || link (move->destination, aside)) && rename (move->destination, aside))
    return errno;
  move->aside = g_steal_pointer (&aside);
  return 0;
}

static int
move_do (Move *move)
{
  int err = set_aside (move);
  if (err || !move->temp)
    return err;
  if (rename (move->temp, move->destination))
    return errno;
  move->placed = TRUE;
  return 0;
}

static void
move_undo (NpRenameSet *renames, const Move *move)
{
  if (!move->aside) {
    if (move->placed)
      unlink (move->destination);
    return;
  }
  if (rename (move->aside, move->destination))
    np_log (renames->log, NPROF_ERROR, "%s: could not be put back: %s: its old content lies in %s",
            move->path, g_strerror (errno), move->aside);
  else
    unlink (move->aside); /* rename leaves both when they are names of one file */
}

gboolean
np_rename_set_do (NpRenameSet *renames, GError **error)
{
  int err = 0;
  guint n = 0;
  while (n < renames->all->len && !err)
    err = move_do (renames->all->pdata[n++]);
  if (!err)
    return TRUE;
  const Move *failed = renames->all->pdata[n - 1];
  GError *cause = np_output_error (failed->path, err, " with -o");
  np_error_set (error, cause->code, "%s; no file was changed", cause->message);
  g_error_free (cause);
  while (n--)
    move_undo (renames, renames->all->pdata[n]);
  return FALSE;
}

void
np_rename_set_settle (NpRenameSet *renames)
{
  for (guint i = 0; i < renames->all->len; i++) {
    const Move *move = renames->all->pdata[i];
    if (move->aside && unlink (move->aside))
      np_log (renames->log, NPROF_WARNING, "%s: cannot be removed: %s: remove it yourself",
              move->aside, g_strerror (errno));
  }
}
