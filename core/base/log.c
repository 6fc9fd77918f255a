/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - lines to stderr, each in one write, and one status line below them on a
 * terminal; what is worth saying is up to the callers. */

#include "base/log.h"
#include "base/temp-file.h"

#include <nprof/plugin.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"

struct NpLog {
  pthread_mutex_t lock;
  int level, fd;
  gboolean is_terminal;
  GString *status; /* what stands in the last line; empty: nothing */
};

NpLog *
np_log_new (int level, int fd)
{
  NpLog *log = g_new0 (NpLog, 1);
  pthread_mutex_init (&log->lock, NULL);
  log->level = level;
  log->fd = fd;
  log->is_terminal = isatty (fd);
  log->status = g_string_new (NULL);
  return log;
}

void
np_log_free (NpLog *log)
{
  if (!log)
    return;
  np_log_status (log, NULL);
  g_string_free (log->status, TRUE);
  pthread_mutex_destroy (&log->lock);
  g_free (log);
}

int
np_log_level (NpLog *log)
{
  return log->level;
}

gboolean
np_log_wants (NpLog *log, int level)
{
  return (level == NPROF_NOTICE ? NPROF_WARNING : level) <= log->level;
}

static const char *
prefix (int level)
{
  switch (level) {
  case NPROF_ERROR:
    return "nprof: error: ";
  case NPROF_WARNING:
    return "nprof: warning: ";
  case NPROF_INFO:
  case NPROF_NOTICE:
    return "nprof: ";
  default:
    return "nprof: debug: ";
  }
}

void
np_log_text (NpLog *log, int level, const char *text)
{
  if (!np_log_wants (log, level))
    return;
  g_autofree char *safe = np_printable (text, -1);
  g_autoptr (GString) line = g_string_new (NULL);
  pthread_mutex_lock (&log->lock);
  if (log->status->len)
    g_string_append (line, CLEAR_LINE);
  g_string_append (line, prefix (level));
  g_string_append (line, safe);
  g_string_append_c (line, '\n');
  g_string_append_len (line, log->status->str, (gssize) log->status->len);
  np_write_all (log->fd, line->str, line->len); /* nobody is left to be told when stderr fails */
  pthread_mutex_unlock (&log->lock);
}

void
np_log (NpLog *log, int level, const char *format, ...)
{
  if (!np_log_wants (log, level))
    return;
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  np_log_text (log, level, text);
}

/* Cuts the line to the width of the terminal, because one that wraps could not be cleared again. */
static void
fit (GString *line, int fd)
{
  struct winsize size;
  glong width = ioctl (fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
  if (g_utf8_strlen (line->str, -1) >= width)
    g_string_truncate (line, (gsize) (g_utf8_offset_to_pointer (line->str, width - 1) - line->str));
}

void
np_log_status (NpLog *log, const char *text)
{
  if (!log->is_terminal)
    return;
  g_autofree char *safe = text ? np_printable (text, -1) : g_strdup ("");
  pthread_mutex_lock (&log->lock);
  gboolean shown = log->status->len > 0;
  g_string_assign (log->status, safe);
  fit (log->status, log->fd);
  if (shown || log->status->len) {
    g_autofree char *line = g_strconcat (CLEAR_LINE, log->status->str, NULL);
    np_write_all (log->fd, line, strlen (line));
  }
  pthread_mutex_unlock (&log->lock);
}

gboolean
np_is_harmless (gunichar c)
{
  if (c < 0x20 || (c >= 0x7f && c < 0xa0))
    return FALSE;
  return !(c == 0x061c || (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e)
           || (c >= 0x2066 && c <= 0x2069));
}

char *
np_printable (const char *text, gssize len)
{
  const char *end = text + (len < 0 ? (gssize) strlen (text) : len);
  GString *out = g_string_sized_new ((gsize) (end - text) + 1);
  while (text < end) {
    gunichar c = g_utf8_get_char_validated (text, end - text);
    /* GLib calls NUL valid or not by its version; it is a control either way */
    gboolean valid = *text && c != (gunichar) -1 && c != (gunichar) -2;
    gsize n = valid ? (gsize) (g_utf8_next_char (text) - text) : 1;
    if (valid && np_is_harmless (c))
      g_string_append_len (out, text, (gssize) n);
    else
      for (gsize i = 0; i < n; i++)
        g_string_append_printf (out, "\\x%02x", (guchar) text[i]);
    text += n;
  }
  return g_string_free (out, FALSE);
}
