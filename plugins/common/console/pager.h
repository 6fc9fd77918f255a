/* SPDX-License-Identifier: Apache-2.0 */
/* pager.h - holds back what is written to a terminal, and shows it in a pager when it is longer
 * than the screen, as git does. */
#pragma once

#include <glib.h>

typedef struct NpPager NpPager;

/* Sends standard output to a file from now on.  NULL: it stays, because it is no terminal, no pager
 * is wanted (NPROF_PAGER, else PAGER, is empty or cat), or there is no room for the file. */
NpPager *np_pager_begin (void);
/* Returns the columns of the terminal. */
guint np_pager_columns (const NpPager *pager);
/* Makes standard output the terminal again, and shows the text there; returns when the pager has
 * ended. */
void np_pager_end (NpPager *pager);
