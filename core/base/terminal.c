/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.c - shows what a terminal would take for a command, character by character, and lets
 * all that the program prints with stdio go through it. */

#include "base/terminal.h"
#include "base/log.h"
#include "base/temp-file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PICTURE_OF_NUL 0x2400
#define PICTURE_OF_DEL 0x2421

static void
show_character (gunichar c, GString *out)
{
  if (c == '\n' || c == '\t' || np_is_harmless (c))
    g_string_append_unichar (out, c);
  else if (c < 0x20)
    g_string_append_unichar (out, PICTURE_OF_NUL + c);
  else if (c == 0x7f)
    g_string_append_unichar (out, PICTURE_OF_DEL);
  else
    g_string_append_printf (out, "<U+%04X>", c);
}

/* Returns how many bytes were shown; 0: the character goes on behind `end`. */
static gsize
show_next (const char *at, const char *end, gboolean last, GString *out)
{
  if (!(*at & 0x80)) {
    show_character ((guchar) *at, out);
    return 1;
  }
  gunichar c = g_utf8_get_char_validated (at, end - at);
  if (c == (gunichar) -2 && !last)
    return 0;
  if (c == (gunichar) -1 || c == (gunichar) -2) {
    g_string_append_printf (out, "<%02X>", (guchar) *at);
    return 1;
  }
  show_character (c, out);
  return (gsize) (g_utf8_next_char (at) - at);
}

void
np_terminal_show (NpTerminalText *text, const char *data, gsize len, gboolean last, GString *out)
{
  g_autoptr (GString) both = g_string_new_len (text->bytes, text->n);
  g_string_append_len (both, data, (gssize) len);
  const char *at = both->str, *end = at + both->len;
  for (gsize n; at < end && (n = show_next (at, end, last, out)); at += n)
    ;
  text->n = (guint) (end - at);
  memcpy (text->bytes, at, text->n);
}

/* -- stdio ------------------------------------------------------------------- */

typedef struct {
  NpTerminalText text;
  int fd;
} Stream;

static ssize_t
stream_write (void *cookie, const char *data, size_t len)
{
  Stream *stream = cookie;
  g_autoptr (GString) shown = g_string_sized_new (len);
  np_terminal_show (&stream->text, data, len, FALSE, shown);
  const int err = np_write_all (stream->fd, shown->str, shown->len);
  errno = err ? err : errno;
  return err ? 0 : (ssize_t) len;
}

static void
show_on (FILE **standard, Stream *stream, int mode)
{
  const cookie_io_functions_t functions = { .write = stream_write };
  FILE *file = isatty (stream->fd) ? fopencookie (stream, "w", functions) : NULL;
  if (!file)
    return;
  setvbuf (file, NULL, mode, BUFSIZ);
  *standard = file;
}

void
np_terminal_begin (void)
{
  static Stream out = { .fd = STDOUT_FILENO }, err = { .fd = STDERR_FILENO }; /* as stdio's own */
  show_on (&stdout, &out, _IOLBF);
  show_on (&stderr, &err, _IONBF);
}
