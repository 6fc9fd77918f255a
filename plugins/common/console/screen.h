/* SPDX-License-Identifier: Apache-2.0 */
/* screen.h - the colours of a command on a terminal, and a pager for what is longer than it. */
#pragma once

#include "cli/cli.h"

typedef struct {
  char *color; /* auto, always, never; NULL: auto */
  gboolean no_pager;
} NpScreen;

/* These are the options --color and --no-pager of a command that prints with the sink text. */
#define NP_SCREEN_ENTRIES(screen)                                                                  \
  { "color",                                                                                       \
    0,                                                                                             \
    0,                                                                                             \
    G_OPTION_ARG_STRING,                                                                           \
    &(screen)->color,                                                                              \
    "auto, always or never (default: on a terminal, unless NO_COLOR is set)",                      \
    "WHEN" },                                                                                      \
  {                                                                                                \
    "no-pager", 0, 0, G_OPTION_ARG_NONE, &(screen)->no_pager,                                      \
        "Print what is longer than the screen without NPROF_PAGER, PAGER or less", NULL            \
  }

void np_screen_clear (NpScreen *screen);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpScreen, np_screen_clear)

/* Runs options->config, whose sink `text` writes to its output; NULL: another sink writes.  Returns
 * an NpExit. */
int np_screen_execute (const NpScreen *screen, NpCliOptions *options, NpSpec *text);
