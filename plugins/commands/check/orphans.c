/* SPDX-License-Identifier: Apache-2.0 */
/* orphans.c - ends what the process of a rule has left behind: every process that it made, in
 * whatever group or session, becomes a child of nprof when the one that made it has ended. */

#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define MOST_ROUNDS 5000u /* of a millisecond */

void
np_check_adopt (void)
{
  prctl (PR_SET_CHILD_SUBREAPER, 1);
}

/* Ends the children that one thread of nprof has; returns how many there were. */
static guint
end_children_of (const char *thread, pid_t spared)
{
  g_autofree char *path = g_build_filename ("/proc/self/task", thread, "children", NULL);
  g_autofree char *text = NULL;
  guint n = 0;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0; /* such a kernel has the group alone */
  g_auto (GStrv) pids = g_strsplit (text, " ", -1);
  for (guint i = 0; pids[i] && *pids[i]; i++) {
    pid_t pid = (pid_t) g_ascii_strtoll (pids[i], NULL, 10);
    if (pid == spared || kill (pid, SIGKILL))
      continue;
    waitpid (pid, NULL, 0);
    n++;
  }
  return n;
}

static guint
end_children (pid_t spared)
{
  guint n = 0;
  DIR *threads = opendir ("/proc/self/task");
  for (struct dirent *thread; threads && (thread = readdir (threads));)
    if (*thread->d_name != '.')
      n += end_children_of (thread->d_name, spared);
  if (threads)
    closedir (threads);
  return n;
}

gboolean
np_check_end_all (pid_t group, pid_t spared)
{
  gboolean any = FALSE;
  for (guint i = 0; i < MOST_ROUNDS; i++) {
    gboolean some = kill (-group, SIGKILL) == 0;
    some |= end_children (spared) > 0;
    while (waitpid (-group, NULL, WNOHANG) > 0)
      continue;
    if (!some)
      break;
    any = TRUE;
    g_usleep (1000);
  }
  return any;
}
