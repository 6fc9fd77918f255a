/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c - writes stacks.  Frames stand newest first; those of C++ have mostly no file. */

#include "snapshot.h"

#include <string.h>

enum { ALL_FRAMES = 1 };

static gboolean
text_contains (const PkValue *text, const char *part)
{
  return memmem (text->text, text->len, part, strlen (part)) != NULL;
}

/* Returns the file of a frame; NULL: "??" or none. */
static const PkValue *
file_of (const PkValue *frame)
{
  const PkValue *file = pk_get (frame, "filename");
  return file && file->type == PK_TEXT && file->len && !pk_is (file, "??") ? file : NULL;
}

/* Tells whether it is the user's Python: no library that was installed, and nothing of the
 * interpreter's own. */
static gboolean
is_users (const PkValue *file)
{
  static const char *const others[]
      = { "/site-packages/", "/dist-packages/", "/lib/python3", "/torch/", "<" };
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (text_contains (file, others[i]))
      return FALSE;
  return file->len > 3 && memcmp (file->text + file->len - 3, ".py", 3) == 0;
}

static nprof_str
place_of (Snapshot *s, const PkValue *frame)
{
  const PkValue *file = file_of (frame);
  g_autofree char *text = g_strdup_printf ("%.*s:%" G_GINT64_FORMAT, (int) MIN (file->len, 4096),
                                           file->text, pk_int (frame, "line", 0));
  return nprof_intern (s->host, text);
}

static nprof_str
find_source (Snapshot *s, const PkItems *frames)
{
  const PkValue *any = NULL;
  for (guint32 i = 0; i < frames->n; i++) {
    const PkValue *file = file_of (&frames->value[i]);
    if (file && is_users (file))
      return place_of (s, &frames->value[i]);
    if (file && !any)
      any = &frames->value[i];
  }
  return any ? place_of (s, any) : 0;
}

static void
put_frame (Snapshot *s, const PkValue *frame)
{
  const PkValue *file = file_of (frame), *name = pk_get (frame, "name");
  if (!file && s->frames != ALL_FRAMES)
    return;
  if (s->text->len)
    g_string_append_c (s->text, '\n');
  if (file)
    g_string_append_printf (s->text, "%.*s:%" G_GINT64_FORMAT " ", (int) MIN (file->len, G_MAXINT),
                            file->text, pk_int (frame, "line", 0));
  if (name && name->type == PK_TEXT)
    g_string_append_len (s->text, name->text, name->len);
}

/* All stacks together may have a hundred times the text of the file: frames are shared by many, and a hostile
 * file repeats one for ever. */
static nprof_status
write_stack (Snapshot *s, const PkItems *frames, nprof_str *stack)
{
  g_string_truncate (s->text, 0);
  for (guint32 i = 0; i < frames->n; i++) {
    put_frame (s, &frames->value[i]);
    if (s->written + s->text->len > s->len * 100 + (1 << 20))
      return tm_damaged (s, "stacks of more than 100 times the text of the file");
  }
  s->written += s->text->len;
  *stack = s->text->len ? s->host->intern (s->host, s->text->str, s->text->len) : 0;
  return NPROF_OK;
}

/* A list of frames is shared by all that came the same way, so it is looked at once. */
static nprof_status
look_at (Snapshot *s, PkItems *frames)
{
  Stack stack = { .source = find_source (s, frames) };
  nprof_status status = s->want_stack ? write_stack (s, frames, &stack.stack) : NPROF_OK;
  g_array_append_val (s->stacks, stack);
  frames->number = s->stacks->len;
  return status;
}

nprof_status
tm_stack (Snapshot *s, const PkValue *holder, Stack *stack)
{
  PkItems *frames = pk_list (holder, "frames");
  *stack = (Stack){ 0, 0 };
  nprof_status status = frames && !frames->number ? look_at (s, frames) : NPROF_OK;
  if (frames && !status)
    *stack = g_array_index (s->stacks, Stack, frames->number - 1);
  return status;
}
