/* SPDX-License-Identifier: Apache-2.0 */
/* process-state.c - takes what a component must leave as it was. */

#include "base/process-state.h"

#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* In the order of NpProcessState.text; the first ones are short enough to be shown. */
static const char *const names[NP_PROCESS_STATES]
    = { "the current folder", "the locale",
        "the umask",          "the rounding of numbers",
        "the environment",    "the handling of signals",
        "the mask of signals", "a limit of the process" };
#define SHOWN 4

static char *
signals_text (void)
{
  GString *text = g_string_new (NULL);
  for (int number = 1; number < NSIG; number++) {
    struct sigaction action;
    if (sigaction (number, NULL, &action) == 0)
      g_string_append_printf (text, "%d: %p ", number, (void *) (gsize) action.sa_handler);
  }
  return g_string_free (text, FALSE);
}

static char *
mask_text (void)
{
  sigset_t mask;
  GString *text = g_string_new (NULL);
  pthread_sigmask (SIG_SETMASK, NULL, &mask);
  for (int number = 1; number < NSIG; number++)
    g_string_append_c (text, sigismember (&mask, number) == 1 ? '1' : '0');
  return g_string_free (text, FALSE);
}

static char *
rounding_text (void)
{
  const int mode = fegetround ();
  return g_strdup (mode == FE_TONEAREST  ? "to nearest"
                   : mode == FE_UPWARD   ? "upward"
                   : mode == FE_DOWNWARD ? "downward"
                                         : "toward zero");
}

static char *
limits_text (void)
{
  GString *text = g_string_new (NULL);
  for (int number = 0; number < RLIM_NLIMITS; number++) {
    struct rlimit limit;
    if (getrlimit ((__rlimit_resource_t) number, &limit) == 0)
      g_string_append_printf (text, "%d: %ju %ju ", number, (uintmax_t) limit.rlim_cur,
                              (uintmax_t) limit.rlim_max);
  }
  return g_string_free (text, FALSE);
}

/* Asks the kernel, as to set it and back would show others another meanwhile. */
static char *
umask_text (void)
{
  g_autofree char *status = NULL;
  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    return g_strdup ("unknown");
  const char *line = strstr (status, "\nUmask:\t");
  line = line ? line + strlen ("\nUmask:\t") : "";
  return g_strndup (*line == '0' ? line + 1 : line, strcspn (line, "\n") - (*line == '0'));
}

void
np_process_state_take (NpProcessState *state)
{
  char *const text[NP_PROCESS_STATES]
      = { g_get_current_dir (),  g_strdup (setlocale (LC_ALL, NULL)),
          umask_text (),         rounding_text (),
          g_strjoinv ("\n", environ), signals_text (),
          mask_text (),          limits_text () };
  memcpy (state->text, text, sizeof text);
}

void
np_process_state_clear (NpProcessState *state)
{
  for (guint i = 0; i < NP_PROCESS_STATES; i++)
    g_clear_pointer (&state->text[i], g_free);
}

char *
np_process_state_changes (const NpProcessState *before, const NpProcessState *after)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < NP_PROCESS_STATES; i++)
    if (strcmp (before->text[i], after->text[i]) != 0)
      g_string_append_printf (text, "%s%s was changed%s%s", text->len ? "\n" : "", names[i],
                              i < SHOWN ? ": it is now " : "", i < SHOWN ? after->text[i] : "");
  return text->len ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}
