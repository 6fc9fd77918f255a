/* SPDX-License-Identifier: Apache-2.0 */
/* rename-set.c - gives temporary files their names, all or none; which files is transaction.c's.
 *
 * What stands in a place is set aside under a temporary name, put back when a later step
 * fails, and removed at the very end.  What cannot be undone is a put-back that fails
 * itself; it is logged with the name under which the old file lies. */

#include "output/rename-set.h"

#include "base/error.h"
#include "output/output-path.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  char *path, *place, *temp;
  char *aside; /* where what stood there is now; NULL: nothing did */
  gboolean placed;
} Move;

struct NpMoves {
  NpLog *log;
  GPtrArray *all; /* of Move */
};

static void
move_free (gpointer data)
{
  Move *move = data;
  g_free (move->path);
  g_free (move->place);
  g_free (move->temp);
  g_free (move->aside);
  g_free (move);
}

NpMoves *
np_moves_new (NpLog *log)
{
  NpMoves *moves = g_new0 (NpMoves, 1);
  moves->log = log;
  moves->all = g_ptr_array_new_with_free_func (move_free);
  return moves;
}

void
np_moves_free (NpMoves *moves)
{
  if (!moves)
    return;
  g_ptr_array_unref (moves->all);
  g_free (moves);
}

void
np_moves_add (NpMoves *moves, const char *path, const char *place, const char *temp)
{
  Move *move = g_new0 (Move, 1);
  move->path = g_strdup (path);
  move->place = g_strdup (place);
  move->temp = g_strdup (temp);
  g_ptr_array_add (moves->all, move);
}

/* What will be replaced gets a second name, so that its first is never without a file;
 * where there are no hard links, and for what only goes, it is renamed. */
static int
set_aside (Move *move)
{
  struct stat st;
  if (lstat (move->place, &st))
    return errno == ENOENT ? 0 : errno;
  if (S_ISDIR (st.st_mode))
    return EISDIR;
  g_autofree char *aside = NULL;
  do {
    g_free (aside);
    aside = np_temp_beside (move->place);
  } while (!lstat (aside, &st));
  if ((!move->temp || link (move->place, aside)) && rename (move->place, aside))
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
  if (rename (move->temp, move->place))
    return errno;
  move->placed = TRUE;
  return 0;
}

static void
move_undo (NpMoves *moves, const Move *move)
{
  if (!move->aside) {
    if (move->placed)
      unlink (move->place);
    return;
  }
  if (rename (move->aside, move->place))
    np_log (moves->log, NPROF_ERROR, "%s: could not be put back: %s: its old content lies in %s",
            move->path, g_strerror (errno), move->aside);
  else
    unlink (move->aside); /* rename leaves both when they are names of one file */
}

gboolean
np_moves_do (NpMoves *moves, GError **error)
{
  int err = 0;
  guint n = 0;
  while (n < moves->all->len && !err)
    err = move_do (moves->all->pdata[n++]);
  if (!err)
    return TRUE;
  const Move *failed = moves->all->pdata[n - 1];
  g_set_error (error, NP_ERROR, NP_EXIT_SINK, "%s: %s: %s with -o; no file was changed",
               failed->path, g_strerror (err), np_place_advice (err));
  while (n--)
    move_undo (moves, moves->all->pdata[n]);
  return FALSE;
}

void
np_moves_settle (NpMoves *moves)
{
  for (guint i = 0; i < moves->all->len; i++) {
    const Move *move = moves->all->pdata[i];
    if (move->aside && unlink (move->aside))
      np_log (moves->log, NPROF_WARNING, "%s: cannot be removed: %s: remove it yourself",
              move->aside, g_strerror (errno));
  }
}
