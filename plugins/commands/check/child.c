/* SPDX-License-Identifier: Apache-2.0 */
/* child.c - runs one rule in a process of its own, so that a plugin which crashes, hangs or
 * exits takes only that with it, and says what became of the process. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/signals.h"
#include "check.h"
#include "plugin/component.h"
#include "plugin/plugin-open.h"

#define RULE_CALLS 30 /* a rule may take as long as that many calls may */
#define SLOW 20000    /* us of a call that takes rows, of which there are some hundred at most */
#define MORE_PROCESSES 1000u /* and threads, than the system has already */

/* -- In the child ---------------------------------------------------------- */

/* A signal handler has nothing but globals; this one belongs to the process of a rule. */
static NpCheckReport *fault_report;

static void
on_fault (int number, siginfo_t *info, void *context)
{
  (void) number, (void) context;
#ifdef __x86_64__
  fault_report->read = !(((ucontext_t *) context)->uc_mcontext.gregs[REG_ERR] & 2);
#endif
  fault_report->fault = (guint64) (gsize) info->si_addr;
  fault_report->no_address = info->si_code == SI_KERNEL;
  fault_report->faulted = TRUE;
  /* the handler is gone by SA_RESETHAND: touching it again ends the process */
}

static void
watch_faults (NpCheckReport *report)
{
  fault_report = report;
  /* a stack of its own, because the other may be what ran out */
  stack_t stack = { .ss_sp = g_malloc (1 << 16), .ss_size = 1 << 16 };
  struct sigaction action = { .sa_sigaction = on_fault };
  action.sa_flags = (int) (SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  sigaltstack (&stack, NULL);
  sigaction (SIGSEGV, &action, NULL);
  sigaction (SIGBUS, &action, NULL);
}

static void
note_fork (void)
{
  g_strlcpy (fault_report->fork_call, fault_report->call, sizeof fault_report->fork_call);
  fault_report->forked = TRUE;
}

static void
end_copy (void)
{
  _exit (0);
}

/* A copy of the process that a plugin made would go on with the rule, and make copies of its
 * own.  Here those end that were made without fork, which end_copy ends at once. */
static void
end_copies (const NpCheckReport *report)
{
  if (getpid () == report->pid)
    return;
  note_fork ();
  _exit (0);
}

/* Notes which call was the first to leave a process behind, which may end it later. */
static void
note_child (NpCheckReport *report)
{
  siginfo_t none;
  if (!*report->fork_call && waitid (P_ALL, 0, &none, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0)
    g_strlcpy (report->fork_call, report->call, sizeof report->fork_call);
}

static gboolean
takes_rows (const char *call)
{
  return g_str_has_prefix (call, "consume") || g_str_has_prefix (call, "table");
}

/* No two of these calls are made at once. */
static void
note_time (NpCheckReport *report)
{
  if (!takes_rows (report->call))
    return;
  report->taken += g_get_monotonic_time () - report->since;
  report->n_taken++;
}

/* Parts are decoded on several threads, which note their calls at the same time. */
static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER;

static void
watch_call (void *user, const char *call)
{
  NpCheckReport *report = user;
  end_copies (report);
  if (!call) {
    pthread_mutex_lock (&noting);
    note_child (report);
    note_time (report);
    pthread_mutex_unlock (&noting);
    __atomic_sub_fetch (&report->depth, 1, __ATOMIC_RELAXED);
    return;
  }
  pthread_mutex_lock (&noting);
  g_strlcpy (report->call, call, sizeof report->call);
  pthread_mutex_unlock (&noting);
  __atomic_store_n (&report->since, g_get_monotonic_time (), __ATOMIC_RELAXED);
  __atomic_add_fetch (&report->depth, 1, __ATOMIC_RELEASE);
}

static void
watch_lent (void *user, const char *what, const void *from, gsize len)
{
  NpCheckReport *report = user;
  pthread_mutex_lock (&noting);
  NpCheckLent *lent = &report->lent[report->n_lent++ % G_N_ELEMENTS (report->lent)];
  g_strlcpy (lent->what, what, sizeof lent->what);
  lent->from = (guint64) (gsize) from;
  lent->len = len;
  pthread_mutex_unlock (&noting);
}

static void
watch_step (void *user, const char *step)
{
  NpCheckReport *report = user;
  g_strlcpy (report->step, step, sizeof report->step);
}

/* The output of the plugin is kept, and its standard input is empty. */
static void
redirect (NpCheck *check)
{
  int null = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2 (null, STDIN_FILENO);
  dup2 (check->printed, STDOUT_FILENO);
  dup2 (check->printed, STDERR_FILENO);
  close (null);
}

/* Counts for whoever is not root; what a plugin makes beyond it fails, and does not fill the
 * machine. */
static void
limit_processes (void)
{
  struct sysinfo info;
  struct rlimit limit;
  if (sysinfo (&info) || getrlimit (RLIMIT_NPROC, &limit))
    return;
  limit.rlim_cur = MIN (limit.rlim_max, (rlim_t) info.procs + MORE_PROCESSES);
  setrlimit (RLIMIT_NPROC, &limit);
}

static void
limit_child (void)
{
  const struct rlimit none = { 0, 0 };
  setrlimit (RLIMIT_CORE, &none);
  limit_processes ();
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  setpgid (0, 0); /* so that its own children can be ended with it */
  np_signals_default ();
}

char *
np_check_open (NpCheck *check, const struct nprof_plugin **plugin)
{
  watch_call (check->report, "nprof_plugin_v1");
  char *problem = np_plugin_open (check->path, plugin);
  watch_call (check->report, NULL);
  return problem;
}

/* Finds the component; FALSE: the plugin cannot be opened or does not have it. */
static gboolean
find_component (NpCheck *check, guint kinds)
{
  GPtrArray *memory = g_ptr_array_new_with_free_func (g_free);
  if (kinds & 1 << NP_CHECK_PLUGIN)
    return TRUE;
  char *problem = np_check_open (check, &check->plugin);
  np_check_take (check, problem);
  if (problem)
    return FALSE;
  check->component = np_component_copy (check->plugin->components[check->number],
                                        check->plugin->contract, memory);
  return TRUE;
}

static gboolean
usable (NpCheck *check, const NpCheckRule *rule)
{
  if (!check->component || rule->run == np_check_declaration)
    return TRUE;
  g_autofree char *problem = np_component_problem (check->component);
  if (problem)
    np_check_untried (check, "its declaration breaks a rule: nothing of it is called");
  else
    check->options = np_check_options_but (check, NULL);
  return !problem;
}

static void
child (NpCheck *check, const NpCheckRule *rule)
{
  check->watch = (NprofTestWatch){ watch_call, watch_lent, watch_step, check->report };
  check->report->pid = getpid ();
  limit_child ();
  redirect (check);
  watch_faults (check->report);
  pthread_atfork (note_fork, NULL, end_copy);
  if (find_component (check, rule->kinds) && usable (check, rule))
    rule->run (check);
  check->report->done = TRUE;
  _exit (0);
}

/* -- In nprof -------------------------------------------------------------- */

/* Returns the first line that is not blank; "" when nothing was printed. */
static char *
printed_line (int fd)
{
  char text[4096];
  ssize_t n = pread (fd, text, sizeof text - 1, 0);
  text[MAX (n, 0)] = '\0';
  const char *line = strstr (text, "ERROR: "); /* of a sanitizer */
  line = line ? line : text;
  while (*line == '\n' || *line == '=')
    line++;
  return g_strndup (line, MIN (strcspn (line, "\n"), 200));
}

static gboolean
hangs (const NpCheck *check, gint64 begun)
{
  gint64 now = g_get_monotonic_time ();
  gboolean inside = __atomic_load_n (&check->report->depth, __ATOMIC_ACQUIRE) > 0;
  gint64 since = __atomic_load_n (&check->report->since, __ATOMIC_RELAXED);
  return (inside && now - since > check->call_limit)
         || now - begun > RULE_CALLS * check->call_limit;
}

/* Returns whether it took as long as one call may, and each call too long. */
static gboolean
is_slow (const NpCheck *check)
{
  const NpCheckReport *report = check->report;
  return report->taken > check->call_limit && report->taken > (gint64) report->n_taken * SLOW;
}

/* Waits for the end of the process, which the end of the pipe announces; a plugin may have
 * closed that too early. */
static gboolean
wait_for (const NpCheck *check, pid_t pid, int pipe, int *status)
{
  gint64 begun = g_get_monotonic_time ();
  struct pollfd end = { .fd = pipe };
  for (;;) {
    poll (&end, 1, end.fd < 0 ? 1 : 20);
    if (end.revents)
      end.fd = -1; /* what lives longer is asked for each ms */
    if (waitpid (pid, status, WNOHANG) == pid)
      return TRUE;
    if (hangs (check, begun) || is_slow (check) || atomic_load (check->interrupt)) {
      kill (-pid, SIGKILL);
      kill (pid, SIGKILL);
      waitpid (pid, status, 0);
      return FALSE;
    }
  }
}

static char *
died (const NpCheck *check, int status)
{
  const NpCheckReport *report = check->report;
  g_autofree char *place = np_check_place (report), *line = printed_line (check->printed);
  g_autofree char *fault = WIFSIGNALED (status) && report->faulted ? np_check_fault (report) : NULL;
  g_autofree char *how
      = WIFSIGNALED (status)
            ? g_strdup_printf ("crashed with signal %d (%s)", WTERMSIG (status),
                               g_strsignal (WTERMSIG (status)))
            : g_strdup_printf ("ended the process with exit status %d", WEXITSTATUS (status));
  return g_strdup_printf ("%s in %s%s%s%s%s", how, place, fault ? ": " : "", fault ? fault : "",
                          *line ? "; it printed: " : "", line);
}

static NpCheckResult
slow (const NpCheckReport *report)
{
  return (NpCheckResult){
    .verdict = NP_CHECK_FAIL,
    .text = g_strdup_printf ("it is slow: %u calls of consume and table took %.1f s",
                             report->n_taken, report->taken / 1e6),
    .stops = "is slow",
    .mend = "take rows at once: what waits for a disk or a server does so on a thread of its own",
  };
}

static NpCheckResult
result_of (const NpCheck *check, const NpCheckRule *rule, gboolean ended, int status)
{
  const NpCheckReport *report = check->report;
  NpCheckResult result = { NP_CHECK_FAIL, NULL, FALSE, ended ? NULL : "hangs",
                           "build it with -fsanitize=address,undefined and run it in a debugger" };
  if (!ended && is_slow (check))
    return slow (report);
  if (!ended) {
    result.mend = "bound each loop by the bytes that are there, and return what flush and progress "
                  "return";
    g_autofree char *place = np_check_place (report);
    result.text
        = g_strdup_printf ("hangs in %s: no end after %.1f s", place, check->call_limit / 1e6);
    return result;
  }
  if (!report->done) {
    result.text = died (check, status);
    result.mend = np_check_advice (result.text, result.mend);
    return result;
  }
  if (report->untried || !report->n_text)
    result.verdict = report->untried ? NP_CHECK_UNTRIED : NP_CHECK_PASS;
  if (report->n_text)
    result.text = g_strdup (report->text);
  else if (report->repeats) {
    result.verdict = NP_CHECK_UNTRIED;
    result.text = g_strdup ("it meets what the rule rows has found");
  }
  result.mend = np_check_advice (result.text, rule->mend);
  if (np_check_is_too_much (result.text))
    result.stops = "makes too much";
  return result;
}

const NpCheckRule np_check_fork
    = { "fork", 0, NULL, "start no process within nprof: a thread, or a program beside it" };

static NpCheckResult
forked (const NpCheckReport *report)
{
  const char *call = *report->fork_call ? report->fork_call : report->call;
  return (NpCheckResult){ .verdict = NP_CHECK_FAIL,
                          .text
                          = g_strdup_printf (report->forked ? "it made a copy of the process in %s"
                                                            : "it left a process behind in %s",
                                             call),
                          .forks = TRUE,
                          .stops = "forks",
                          .mend = np_check_fork.mend };
}

/* Says what errno is of, and closes what was opened. */
static NpCheckResult
cannot_run (const NpCheck *check, const int ends[2])
{
  const NpCheckResult result
      = { NP_CHECK_FAIL, g_strdup_printf ("no process for the rule: %s", g_strerror (errno)), FALSE,
          NULL, "free memory or raise the limits of processes and files" };
  const int open[] = { check->printed, ends[0], ends[1] };
  for (guint i = 0; i < G_N_ELEMENTS (open); i++)
    if (open[i] >= 0)
      close (open[i]);
  return result;
}

NpCheckResult
np_check_run (NpCheck *check, const NpCheckRule *rule)
{
  int ends[2] = { -1, -1 }, status = 0;
  memset (check->report, 0, sizeof *check->report);
  check->printed = memfd_create ("nprof-check", MFD_CLOEXEC);
  if (check->printed < 0 || pipe2 (ends, O_CLOEXEC))
    return cannot_run (check, ends);
  np_check_adopt ();
  fflush (NULL); /* so that the process has nothing to print but its own */
  pid_t pid = fork ();
  if (pid == 0)
    child (check, rule);
  if (pid < 0)
    return cannot_run (check, ends);
  close (ends[1]);
  gboolean ended = wait_for (check, pid, ends[0], &status);
  gboolean left = np_check_end_all (pid, check->server);
  /* What a process that crashed leaves behind may be a sanitizer's, which names places for it. */
  gboolean forks = check->report->forked || (left && (check->report->done || !ended));
  NpCheckResult result = forks ? forked (check->report) : result_of (check, rule, ended, status);
  close (ends[0]);
  close (check->printed);
  return result;
}
