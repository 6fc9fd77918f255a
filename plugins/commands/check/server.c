/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - the server that a sink under nprof check is to meet: a command of the user's,
 * which prints its port, and lives as long as the check. */

#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/signals.h"

static void
run_command (const char *command, int out)
{
  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGTERM);
  np_signals_default ();
  dup2 (out, STDOUT_FILENO);
  execl ("/bin/sh", "sh", "-c", command, (char *) NULL);
  _exit (127);
}

/* Reads the first line; FALSE: none came in time. */
static gboolean
read_port (int fd, double seconds, GString *port)
{
  gint64 until = g_get_monotonic_time () + (gint64) (seconds * 1e6);
  char c;
  for (;;) {
    gint64 left = (until - g_get_monotonic_time ()) / 1000;
    struct pollfd ready = { .fd = fd, .events = POLLIN };
    if (left <= 0 || poll (&ready, 1, (int) left) <= 0 || read (fd, &c, 1) != 1)
      return FALSE;
    if (c == '\n')
      return port->len > 0;
    g_string_append_c (port, c);
  }
}

pid_t
np_check_server_start (const char *command, double seconds, char **port, char **problem)
{
  int ends[2];
  g_autoptr (GString) text = g_string_new (NULL);
  if (pipe2 (ends, O_CLOEXEC)) {
    *problem = g_strdup_printf ("--with: no pipe: %s", g_strerror (errno));
    return 0;
  }
  pid_t pid = fork ();
  if (pid == 0)
    run_command (command, ends[1]);
  close (ends[1]);
  gboolean ready = pid > 0 && read_port (ends[0], seconds, text);
  if (ready) { /* what else it prints must not end it, so nprof keeps the pipe */
    *port = g_strdup (text->str);
    return pid;
  }
  close (ends[0]);
  np_check_server_end (pid);
  *problem = g_strdup_printf ("--with \"%s\" printed no port as its first line within %.0f s",
                              command, seconds);
  return 0;
}

void
np_check_server_end (pid_t pid)
{
  if (pid <= 0)
    return;
  kill (-pid, SIGTERM);
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
}
