/* SPDX-License-Identifier: Apache-2.0 */
/* meaning.h - what a profile's rows say of themselves. */
#pragma once

/* Prints, a line an answer, whether the profile can have it, and the keys that it lacks. installed:
 * the folder of nprof's own plugins. Returns an NpExit; a failure has been printed. */
int np_cli_check_meaning (const char *path, const char *installed);
