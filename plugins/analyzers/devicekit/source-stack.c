/* SPDX-License-Identifier: Apache-2.0 */
/* source-stack.c - puts the frames of a stack in the order of calls, without those that are not the
 * user's own. */
#include "devicekit/source-stack.h"

#include <string.h>

/* Returns the length of FILE:LINE in a frame, which may have the column behind it. */
static gsize
length_of_place (const char *frame)
{
  gsize len = strlen (frame), digits = 0;
  while (digits < len && g_ascii_isdigit (frame[len - 1 - digits]))
    digits++;
  const char *colon = digits && digits < len ? frame + len - 1 - digits : NULL;
  return colon && *colon == ':' && colon > frame && g_ascii_isdigit (colon[-1])
             ? (gsize) (colon - frame)
             : len;
}

static void
reverse (GPtrArray *frames)
{
  for (guint i = 0; i < frames->len / 2; i++) {
    gpointer frame = frames->pdata[i];
    frames->pdata[i] = frames->pdata[frames->len - 1 - i];
    frames->pdata[frames->len - 1 - i] = frame;
  }
}

/* Drops frames of runtimes where there are others, and libraries of kernels that an own frame
 * calls. */
static void
keep_own (const OwnFramesList *list, GPtrArray *frames)
{
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();
  int least = FRAME_RANK_KERNELS;
  for (guint i = 0; i < frames->len; i++) {
    const int rank = own_frames_rank (own_frames_is (list, frames->pdata[i]));
    if (rank > least)
      continue;
    least = rank;
    g_ptr_array_add (kept, frames->pdata[i]);
    frames->pdata[i] = NULL;
  }
  if (!kept->len)
    return;
  for (guint i = 0; i < frames->len; i++)
    g_free (frames->pdata[i]);
  g_ptr_array_set_size (frames, 0);
  for (guint i = 0; i < kept->len; i++)
    g_ptr_array_add (frames, kept->pdata[i]);
}

GStrv
an_source_frames (const OwnFramesList *list, const char *stack, const char *source)
{
  g_auto (GStrv) lines = g_strsplit (*stack ? stack : source, "\n", -1);
  g_autoptr (GPtrArray) frames = g_ptr_array_new ();
  for (guint i = 0; lines[i]; i++)
    if (*lines[i])
      g_ptr_array_add (frames, g_strndup (lines[i], length_of_place (lines[i])));
  if (frames->len && strcmp (frames->pdata[frames->len - 1], source) != 0)
    reverse (frames);
  keep_own (list, frames);
  g_ptr_array_add (frames, NULL);
  return (GStrv) g_ptr_array_steal (frames, NULL);
}
