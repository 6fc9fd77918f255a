/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.h - "did you mean ...?" */
#pragma once

/* Returns the candidate that is nearest to a mistyped word, or NULL when none is near. */
const char *np_suggest (const char *word, const char *const *candidates);
