/* SPDX-License-Identifier: Apache-2.0 */
/* length.h - says whether two recordings without steps differ in length rather than in what
 * their programs do.  Pure. */
#pragma once

#include <glib.h>

/* pairs: of NpDiffPair.  TRUE where most operators that both sides have, and at least so many, are
 * called more often by the same one of them, all by about as much; and they are half of all. */
gboolean np_diff_is_of_other_length (const GArray *pairs);
