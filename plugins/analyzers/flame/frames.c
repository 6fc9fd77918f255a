/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c - keeps the tree of frames: each stack is there once. */
#include "flame.h"

#include <string.h>

guint32
fl_frame (Flame *f, guint32 parent, nprof_str name)
{
  const guint32 key[F_WORDS] = { parent, name };
  guint number = an_key_table_get (&f->frames, key);
  if (number + 2 > f->weights->len)
    g_array_set_size (f->weights, MAX (number + 2, f->weights->len * 2));
  return number + 1;
}

guint32
fl_root (Flame *f, guint32 input, nprof_str name)
{
  /* A frame that nobody sees keeps the frames of inputs apart. */
  const guint32 key[F_WORDS] = { G_MAXUINT32, input };
  return fl_frame (f, fl_frame (f, key[F_PARENT], key[F_NAME]), name);
}

void
fl_add (Flame *f, guint32 frame, gint64 weight, gint64 count)
{
  Weight *w = &g_array_index (f->weights, Weight, frame);
  w->weight += weight;
  w->count += count;
}

nprof_str
fl_clean (Flame *f, nprof_str name)
{
  const char *text = nprof_text (f->host, name);
  if (*text && !text[strcspn (text, ";\n\r")])
    return name;
  g_autofree char *clean = g_strdup (*text ? text : "(no name)");
  g_strdelimit (clean, ";", ':');
  g_strdelimit (clean, "\n\r", ' ');
  return nprof_intern (f->host, clean);
}
