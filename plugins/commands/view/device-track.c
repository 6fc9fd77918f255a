/* SPDX-License-Identifier: Apache-2.0 */
/* device-track.c - finds the track of a device, which tables name by a text. */

#include "device-track.h"

#include <string.h>

static gboolean
is_input (const NpAsk *ask, guint32 input, const char *label)
{
  const struct nprof_store_input *in = nprof_store_input_at (ask->store, input);
  return !label || (in && !strcmp (np_ask_string (ask, in->label), label));
}

static gboolean
may_be_named (const struct nprof_store_track *t)
{
  return t->kind == NPROF_TRACK_DEVICE || t->kind == NPROF_TRACK_CORE
         || t->kind == NPROF_TRACK_PROCESS;
}

/* Is it "device/core"? */
static gboolean
is_both (const NpAsk *ask, const struct nprof_store_track *t, const char *name)
{
  const struct nprof_store_track *above = np_track_parent (ask, t);
  const char *device = above ? np_track_title (ask, above) : "";
  size_t len = strlen (device);
  return above && !strncmp (name, device, len) && name[len] == '/'
         && !strcmp (name + len + 1, np_track_title (ask, t));
}

const struct nprof_store_track *
np_device_track (const NpAsk *ask, const char *device, const char *input)
{
  const struct nprof_store_track *t;
  for (guint32 i = 0; (t = nprof_store_track_at (ask->store, i)); i++)
    if (may_be_named (t) && is_input (ask, t->input, input)
        && (!strcmp (np_track_title (ask, t), device) || is_both (ask, t, device)))
      return t;
  return NULL;
}

const struct nprof_store_track *
np_device_track_of (const NpAsk *ask, const NpCells *cells, guint64 row)
{
  g_autofree char *device = np_cells_text (cells, row, "device"),
                  *input = np_cells_text (cells, row, "input");
  return device ? np_device_track (ask, device, input) : NULL;
}
