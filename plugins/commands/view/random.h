/* SPDX-License-Identifier: Apache-2.0 */
/* random.h - secrets and ids. */
#pragma once

#include <glib.h>

/* Sets n digits of hex that nobody can guess, and a NUL; n is even and at most 64. */
void np_random_hex (char *text, guint n);
