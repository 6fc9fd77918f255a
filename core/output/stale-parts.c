/* SPDX-License-Identifier: Apache-2.0 */
/* stale-parts.c - a sink that cuts its one file into parts numbers them: "x.csv", "x-2.csv". An
 * older run may have had more of them, and they may be another's. */
#include "output/stale-parts.h"

#include "output/output-file.h"

#include <string.h>
#include <sys/stat.h>

/* Returns "x-3.csv" for "x-2.csv"; NULL: it is no such name. */
static char *
following (const char *path)
{
  const char *at = strrchr (path, '-');
  if (!at || !g_ascii_isdigit (at[1]))
    return NULL;
  char *end;
  guint64 number = g_ascii_strtoull (at + 1, &end, 10);
  if (*end && *end != '.')
    return NULL;
  return g_strdup_printf ("%.*s-%" G_GUINT64_FORMAT "%s", (int) (at - path), path, number + 1, end);
}

static gboolean
is_part (const NpOutputFile *file)
{
  const NpTarget *target = file->user;
  g_autofree char *name = g_path_get_basename (file->path);
  return file->temp && target->info.kind == NPROF_TARGET_FILE && strcmp (name, target->name);
}

void
np_stale_parts_tell (const NpOutputs *outputs)
{
  struct stat st;
  for (guint i = 0; i < outputs->files->len; i++) {
    const NpOutputFile *file = outputs->files->pdata[i];
    if (!is_part (file))
      continue;
    g_autofree char *destination = following (file->destination), *path = following (file->path);
    if (destination && !g_hash_table_contains (outputs->places, destination)
        && !lstat (destination, &st))
      np_log (outputs->log, NPROF_WARNING,
              "%s: looks like a further part of an older run, and this one ends with %s: it stays, "
              "as those behind it; remove them yourself",
              path, file->path);
  }
}
