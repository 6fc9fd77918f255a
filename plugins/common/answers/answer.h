/* SPDX-License-Identifier: Apache-2.0 */
/* answer.h - an answer as its file declares it: the tables that it reads, the statement, what is
 * said of its rows. docs/formats/answers.md has the grammar. */
#pragma once

#include <glib.h>

/* "needs: gaps? (device start_ps)". */
typedef struct {
  char *table;
  gboolean may_lack; /* the table may be absent, and have no rows */
  GStrv columns;     /* as statements call them; empty: it asks whether there are rows */
  guint line;
} NpAnswerNeed;

/* A sentence as it is written, and as its parts. */
typedef struct {
  char *said;       /* NULL: the answer has none */
  GPtrArray *parts; /* of NpSentencePart; NULL: none */
  guint line;
} NpAnswerSentence;

/* "word: cause host: which was not launched yet". */
typedef struct {
  char *set, *value, *text; /* value "*": any other, and none */
} NpAnswerWord;

/* What its rows become, in the order in which answers are asked. */
typedef enum {
  NP_ANSWER_ABILITY, /* of table abilities: whether the recording has what a question needs */
  NP_ANSWER_FINDING, /* of table findings */
  NP_ANSWER_LINE     /* of table summary: of the first screen */
} NpAnswerKind;

typedef struct {
  char *path, *name; /* "idle" of devices/idle.sql, "acme.idle" of a plugin */
  char *summary;
  char *code, *threshold, *source, *table, *place; /* source, place: "" where there is none */
  char *about;        /* part of the time of devices; NULL: its rows say it, or it is of none */
  NpAnswerKind kind;
  guint order;        /* among those of its kind; 0: of a finding */
  char *label, *head; /* of a line, or of what is asked: for programs, for people */
  char *whole;        /* what its share is of; "": it says itself */
  GString *note;                                   /* what else there is to know */
  GStrv each;       /* columns that name one thing; empty: each row is one */
  GPtrArray *needs; /* of NpAnswerNeed */
  GPtrArray *words; /* of NpAnswerWord */
  NpAnswerSentence say;
  NpAnswerSentence condition, advice; /* of a finding: when it is gained, and what to try */
  NpAnswerSentence detail;            /* of a finding: what proves it */
  NpAnswerSentence record;            /* of an ability: what to record for it */
  char *sql;  /* the statement, from the first line of it on */
  guint line; /* of that line */
} NpAnswer;

void np_answer_free (NpAnswer *answer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpAnswer, np_answer_free)

/* Adds the answers FOLDER/SUBJECT/NAME.sql (of NpAnswer) in the order of their paths, their names
 * with the prefix before them. Each file that is wrong, or has a name that is taken, is told and
 * left out. */
void np_answers_read (GPtrArray *answers, const char *folder, const char *prefix,
                      void (*tell) (gpointer user, const char *problem), gpointer user);
/* Returns NULL when there is none of that name. */
const NpAnswer *np_answers_find (const GPtrArray *answers, const char *name);
