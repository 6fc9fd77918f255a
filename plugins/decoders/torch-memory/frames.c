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

/* Of a list of frames the newest of the best kind says who allocated. */
typedef enum {
  FRAME_USERS,    /* Python that is no library, nor the interpreter's own       */
  FRAME_LIBRARYS, /* of a package that was installed, but torch                 */
  FRAME_TORCHS,   /* of torch, but what every call passes through               */
  FRAME_OTHER,    /* any other with a file                                      */
  FRAMES
} FrameKind;

static gboolean
contains_any (const PkValue *file, const char *const *parts)
{
  for (; *parts; parts++)
    if (text_contains (file, *parts))
      return TRUE;
  return FALSE;
}

/* Returns what the path of a file tells, whatever the lists say. */
static FrameKind
kind_by_path (const PkValue *file)
{
  static const char *const packages[] = { "/site-packages/", "/dist-packages/", NULL };
  static const char *const torch[] = { "/torch/", NULL };
  static const char *const interpreters[] = { "/lib/python3", "<", NULL };
  static const char *const passed[]
      = { "/torch/autograd/",         "/torch/_", "/torch/utils/", "/torch/cuda/",
          "/torch/nn/modules/module", NULL };
  if (file->len <= 3 || memcmp (file->text + file->len - 3, ".py", 3) != 0)
    return FRAME_OTHER;
  const gboolean installed = contains_any (file, packages);
  if (contains_any (file, torch))
    return contains_any (file, passed) ? FRAME_OTHER : FRAME_TORCHS;
  if (installed)
    return FRAME_LIBRARYS;
  return contains_any (file, interpreters) ? FRAME_OTHER : FRAME_USERS;
}

/* What is listed is not the user's own, unless the list says that it is. */
static FrameKind
kind_of (const Snapshot *s, const PkValue *file)
{
  g_autofree char *name = g_strndup (file->text, MIN (file->len, 4096));
  const FrameIs is = own_frames_is (s->own_frames, name);
  const FrameKind kind = kind_by_path (file);
  if (is == FRAME_OWN)
    return FRAME_USERS;
  return kind == FRAME_USERS && is != FRAME_UNLISTED ? FRAME_LIBRARYS : kind;
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
  const PkValue *best = NULL;
  FrameKind best_kind = FRAMES;
  for (guint32 i = 0; i < frames->n && best_kind != FRAME_USERS; i++) {
    const PkValue *file = file_of (&frames->value[i]);
    const FrameKind kind = file ? kind_of (s, file) : FRAMES;
    if (kind >= best_kind)
      continue;
    best = &frames->value[i];
    best_kind = kind;
  }
  return best ? place_of (s, best) : 0;
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

/* All stacks together may have a hundred times the text of the file: frames are shared by many, and
 * a hostile file repeats one for ever. */
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
