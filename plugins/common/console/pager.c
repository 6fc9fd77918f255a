/* SPDX-License-Identifier: Apache-2.0 */
/* pager.c - keeps the text in an unlinked file until it is complete: then its length is known,
 * progress on the terminal has ended, and any pager will do. */

#include "console/pager.h"
#include "base/temp-file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct NpPager {
  int file, terminal;
  guint rows, columns;
  const char *command;
};

/* Returns NULL when no pager is wanted. */
static const char *
pager_command (void)
{
  const char *command = g_getenv ("NPROF_PAGER");
  if (!command)
    command = g_getenv ("PAGER");
  if (!command)
    command = "less";
  return *command && strcmp (command, "cat") != 0 ? command : NULL;
}

NpPager *
np_pager_begin (void)
{
  const char *command = pager_command ();
  struct winsize size = { 0 };
  if (!command || !isatty (STDOUT_FILENO) || ioctl (STDOUT_FILENO, TIOCGWINSZ, &size)
      || !size.ws_row || !size.ws_col)
    return NULL;
  int file = np_temp_open ();
  if (file < 0)
    return NULL;
  NpPager *pager = g_new0 (NpPager, 1);
  *pager
      = (NpPager){ .file = file, .rows = size.ws_row, .columns = size.ws_col, .command = command };
  fflush (stdout);
  pager->terminal = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  dup2 (file, STDOUT_FILENO);
  return pager;
}

guint
np_pager_columns (const NpPager *pager)
{
  return pager->columns;
}

typedef struct {
  guint lines, column;
  gboolean escape; /* within a colour */
} Measure;

/* Measures lines and columns; bytes that go on with a character and those of colours take no
 * column. */
static void
measure (Measure *m, const char *text, gsize len, guint columns)
{
  for (gsize i = 0; i < len; i++) {
    if (text[i] == '\n') {
      m->lines++;
      m->column = 0;
    } else if (m->escape || text[i] == '\033') {
      m->escape = text[i] != 'm';
    } else if (((guchar) text[i] & 0xc0) != 0x80 && ++m->column > columns) {
      m->lines++; /* the terminal wraps it */
      m->column = 1;
    }
  }
}

static gboolean
is_longer (const NpPager *pager)
{
  char piece[16384];
  ssize_t n;
  Measure m = { 0 };
  for (off_t at = 0; (n = pread (pager->file, piece, sizeof piece, at)) > 0; at += n)
    measure (&m, piece, (gsize) n, pager->columns);
  return m.lines >= pager->rows; /* the prompt needs a line too */
}

/* Copies the text to the terminal; a terminal that is gone needs no text. */
static void
copy (const NpPager *pager)
{
  char piece[16384];
  ssize_t n;
  for (off_t at = 0; (n = pread (pager->file, piece, sizeof piece, at)) > 0; at += n)
    for (ssize_t done = 0, w; done < n; done += w)
      if ((w = write (STDOUT_FILENO, piece + done, (gsize) (n - done))) <= 0)
        return;
}

/* Returns FALSE when there is no such program. */
static gboolean
show (const NpPager *pager)
{
  const char *argv[] = { "sh", "-c", pager->command, NULL };
  g_auto (GStrv) env = g_get_environ ();
  struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
  GPid pid;
  int status = 0;
  env = g_environ_setenv (env, "LESS", "FRX",
                          FALSE); /* as git: colours, and what fits is not paged */
  env = g_environ_setenv (env, "LV", "-c", FALSE);
  lseek (pager->file, 0, SEEK_SET);
  if (!g_spawn_async_with_fds (NULL, (char **) argv, env,
                               G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid,
                               pager->file, -1, -1, NULL))
    return FALSE;
  sigaction (SIGINT, &ignore, &before); /* it is the pager's */
  while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
    ;
  sigaction (SIGINT, &before, NULL);
  return !(WIFEXITED (status) && WEXITSTATUS (status) == 127);
}

void
np_pager_end (NpPager *pager)
{
  fflush (stdout);
  dup2 (pager->terminal, STDOUT_FILENO);
  close (pager->terminal);
  if (!is_longer (pager) || !show (pager))
    copy (pager);
  close (pager->file);
  g_free (pager);
}
