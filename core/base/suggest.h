/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.h - "did you mean ...?" */
#pragma once

/* A word that other tools, or engineers, use for one of ours. */
typedef struct {
  const char *theirs, *ours;
} NpSynonym;

/* Returns the candidate that is nearest to a mistyped word, or NULL when none is near. */
const char *np_suggest (const char *word, const char *const *candidates);
/* Returns ": did you mean NEAR?", "" where near is NULL; transfer full. */
char *np_suggestion (const char *near);
/* Returns ours for their word, of `n` synonyms, or NULL. */
const char *np_synonym (const char *word, const NpSynonym *synonyms, unsigned n);
