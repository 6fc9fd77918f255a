/* SPDX-License-Identifier: Apache-2.0 */
/* own-frames.c - reads the lists of frames that are not the user's own, and tells frames by
 * them. */
#include "producers/own-frames.h"

#include <glib.h>
#include <nprof/draft/answers.h>
#include <nprof/sdk.h>
#include <string.h>

#define FILE_NAME "own-frames.txt"
#define MOST_BYTES (1u << 20)

typedef struct {
  FrameIs is;
  guint before; /* 1 + the last line before it that begins with the same byte; 0: none */
  char *prefix; /* transfer full */
} Line;

struct _OwnFramesList {
  GArray *lines;   /* of Line */
  guint last[256]; /* 1 + the last line that begins with a byte; 0: none */
};

/* -- Lists ------------------------------------------------------------------------------------- */

static const char *const words[]
    = { [FRAME_RUNTIME] = "runtime ", [FRAME_KERNELS] = "kernels ", [FRAME_OWN] = "own " };

static bool
add_line (OwnFramesList *list, const char *text)
{
  for (FrameIs is = FRAME_OWN; is < G_N_ELEMENTS (words); is++)
    if (g_str_has_prefix (text, words[is]) && text[strlen (words[is])]) {
      const char *prefix = text + strlen (words[is]);
      guint *last = &list->last[(guint8) *prefix];
      const Line line = { is, *last, g_strdup (prefix) };
      g_array_append_val (list->lines, line);
      *last = list->lines->len;
      return true;
    }
  return false;
}

/* host: is told of lines that are none; NULL: nobody is. */
static void
read_list (const struct nprof_host *host, OwnFramesList *list, const char *path)
{
  g_autofree char *text = NULL;
  gsize length;
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)
      || !g_file_get_contents (path, &text, &length, NULL))
    return;
  if (length > MOST_BYTES) {
    if (host)
      nprof_log (host, NPROF_WARNING, "%s: it has more than 1 MiB: it is left out", path);
    return;
  }
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    const char *line = g_strstrip (lines[i]);
    if (*line && *line != '#' && !add_line (list, line) && host)
      nprof_log (host, NPROF_WARNING,
                 "%s:%u: expected \"runtime\", \"kernels\" or \"own\" and how paths begin, found "
                 "\"%.80s\": the line is left out",
                 path, i + 1, line);
  }
}

static void
line_clear (gpointer line)
{
  g_free (((Line *) line)->prefix);
}

static OwnFramesList *
list_new (void)
{
  OwnFramesList *list = g_new0 (OwnFramesList, 1);
  list->lines = g_array_new (FALSE, FALSE, sizeof (Line));
  g_array_set_clear_func (list->lines, line_clear);
  return list;
}

static void
read_folder (const struct nprof_host *host, OwnFramesList *list, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, FILE_NAME, NULL);
  read_list (host, list, path);
}

static void
read_own (const struct nprof_host *host, OwnFramesList *list)
{
  g_autofree char *own = g_build_filename (g_get_user_config_dir (), "nprof", "answers", NULL);
  read_folder (host, list, own);
}

OwnFramesList *
own_frames_list_new (const struct nprof_host *host)
{
  const struct nprof_answers *answers = host->extension (host, NPROF_ANSWERS);
  OwnFramesList *list = list_new ();
  const char *prefix, *folder;
  for (uint32_t k = 0; answers && (folder = answers->folder (host, k, &prefix)); k++)
    read_folder (host, list, folder);
  read_own (host, list);
  return list;
}

OwnFramesList *
own_frames_list_of (const char *const *folders)
{
  OwnFramesList *list = list_new ();
  for (guint i = 0; folders[i]; i++)
    read_folder (NULL, list, folders[i]);
  read_own (NULL, list);
  return list;
}

void
own_frames_list_free (OwnFramesList *list)
{
  if (!list)
    return;
  g_array_unref (list->lines);
  g_free (list);
}

/* -- Frames ------------------------------------------------------------------------------------ */

/* What stands before these, and they themselves, is no part of a module's name; `stays` bytes at
 * their end are. */
static const struct {
  const char *mark;
  size_t stays;
} folders[] = { { "site-packages/", 0 }, { "dist-packages/", 0 },
                { "/python/sglang/", sizeof "sglang/" - 1 },
                { "/python/triton/", sizeof "triton/" - 1 } };

/* Returns what stands behind the folder of the standard library; NULL: the file lies elsewhere. */
static const char *
behind_library (const char *frame)
{
  static const char *const folder = "lib/python3.";
  const char *at = g_strrstr (frame, folder);
  if (!at || (at > frame && at[-1] != '/'))
    return NULL;
  at += strlen (folder);
  const char *end = at;
  while (g_ascii_isdigit (*end))
    end++;
  return end > at && *end == '/' ? end + 1 : NULL;
}

/* library: the file is one of Python's own. */
static const char *
import_path (const char *frame, bool *library)
{
  const char *whole = frame;
  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++) {
    const char *at = g_strrstr (frame, folders[i].mark);
    if (at)
      frame = at + strlen (folders[i].mark) - folders[i].stays;
  }
  const char *behind = frame == whole ? behind_library (frame) : NULL;
  *library = behind != NULL;
  return behind ? behind : frame;
}

const char *
own_frames_path (const char *frame)
{
  bool library;
  return import_path (frame, &library);
}

FrameIs
own_frames_is (const OwnFramesList *list, const char *frame)
{
  bool library;
  const char *path = import_path (frame, &library);
  const Line *line;
  for (guint i = list->last[(guint8) *path]; i; i = line->before) {
    line = &g_array_index (list->lines, Line, i - 1);
    if (g_str_has_prefix (path, line->prefix))
      return line->is;
  }
  return library ? FRAME_RUNTIME : FRAME_UNLISTED;
}

void
own_frames_add (OwnFrames *frames, const char *frame)
{
  const char *path = own_frames_path (frame);
  const FrameIs is = own_frames_is (frames->list, frame);
  if (!strchr (path, '(') || is == FRAME_RUNTIME)
    return;
  if (is == FRAME_KERNELS)
    frames->of_kernels = path;
  else
    frames->own = path;
}

char *
own_frames_source (const OwnFrames *frames)
{
  const char *frame = frames->own ? frames->own : frames->of_kernels;
  if (!frame)
    return NULL;
  const char *bracket = strchr (frame, '('), *end = strchr (frame, ')');
  if (!bracket || !end || end < bracket)
    return g_strdup (frame);
  return g_strdup_printf ("%.*s:%.*s", (int) (bracket - frame), frame, (int) (end - bracket - 1),
                          bracket + 1);
}
