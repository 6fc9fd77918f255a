/* SPDX-License-Identifier: Apache-2.0 */
/* sentence.h - what an answer says of a row: our words and places, "{name} takes {share:share} of
 * the self time of {device:device}[ ({stake:time})]". What stands in brackets is said when its
 * places are known. Figures become text; what a profile calls things stays a place, so that whoever
 * shows it decides how. */
#pragma once

#include <glib.h>

typedef enum {
  NP_PLACE_NAME,  /* {name}: stays */
  NP_PLACE_NOUN,  /* {track:thread}: stays; its noun is said before what is but a number */
  NP_PLACE_TIME,  /* {stake:time} of ps */
  NP_PLACE_SHARE, /* {share:share} of 0 to 1 */
  NP_PLACE_COUNT, /* {calls:count} */
  NP_PLACE_BYTES, /* {peak_bytes:bytes} */
  NP_PLACE_RATE,  /* {busbw:rate} of byte/s */
  NP_PLACE_FACTOR, /* {gain:factor}: "1.48x" */
  NP_PLACE_OURS,  /* {word:ours}: words of ours that a table has */
  NP_PLACE_WORD   /* {why:cause}: the word of that set */
} NpPlaceForm;

typedef struct {
  char *before; /* our words before it */
  char *column; /* NULL: there is none, the sentence ends */
  NpPlaceForm form;
  char *as; /* noun, or set of words; NULL: neither */
} NpPlace;

typedef struct {
  gboolean optional; /* it stands in brackets */
  GPtrArray *places; /* of NpPlace; the last one has no column */
} NpSentencePart;

/* Returns a sentence as its parts, of NpSentencePart, transfer full.  NULL with *problem, transfer
 * full: a place is wrong.  `sets`: names of the sets of words, a GHashTable used as a set. */
GPtrArray *np_sentence_parse (const char *text, GHashTable *sets, char **problem);

/* Returns how many times: "1.48x", beyond 100 "more than 100x"; transfer full. */
char *np_sentence_factor (double factor);

/* Expands the places of a finished text by what `cell` returns of a column, transfer full; NULL
 * leaves the place as it is.  Transfer full. */
char *np_sentence_expand (const char *text, char *(*cell) (gpointer user, const char *column),
                          gpointer user);
