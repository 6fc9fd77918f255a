/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c - catches what ends a run. */

#include "base/signals.h"

#include <glib.h>

/* A limit of processor time comes again every second, and ends nothing before the hard limit
 * does. */
static const struct {
  int number, flags;
} ending[] = {
  { SIGINT, (int) SA_RESETHAND },  { SIGTERM, (int) SA_RESETHAND }, { SIGHUP, (int) SA_RESETHAND },
  { SIGUSR1, (int) SA_RESETHAND }, { SIGUSR2, (int) SA_RESETHAND }, { SIGXCPU, 0 },
};
static const int ignored[] = { SIGPIPE, SIGXFSZ };

void
np_signals_catch (void (*handler) (int number))
{
  struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
  for (guint i = 0; i < G_N_ELEMENTS (ending); i++) {
    struct sigaction end = { .sa_handler = handler, .sa_flags = ending[i].flags };
    if (!sigaction (ending[i].number, NULL, &old) && old.sa_handler != SIG_IGN)
      sigaction (ending[i].number, &end, NULL);
  }
  for (guint i = 0; i < G_N_ELEMENTS (ignored); i++)
    sigaction (ignored[i], &ignore, NULL);
}

void
np_signals_default (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ending); i++)
    signal (ending[i].number, SIG_DFL);
}

void
np_signals_add_ending (sigset_t *set)
{
  for (guint i = 0; i < G_N_ELEMENTS (ending); i++)
    sigaddset (set, ending[i].number);
}
