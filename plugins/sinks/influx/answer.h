/* SPDX-License-Identifier: Apache-2.0 */
/* answer.h - reads what servers answer: versions, errors with what mends them, counts.  Answers are
 * not trusted: whatever they hold, a function here returns. format: services.md of InfluxDB 1.6.7,
 * https://docs.influxdata.com/influxdb/v2/api/ for 2.x */
#pragma once

#include <glib.h>

#define ANSWER_TEXT_MAX 600 /* bytes of a server's words that are passed on */

/* Returns 1 or 2; 0: neither is told.  `version` is the header of /ping, or NULL; `health` the body
 * of /health. */
int answer_api (const char *version, const char *health);

/* Returns what went wrong in the server's words, one line, cut at ANSWER_TEXT_MAX (and then it says
 * so); "" when the answer says nothing.  Transfer full. */
char *answer_error (const char *text);
/* Says what mends an error that would be there again at the next try; NULL: it is none of these. */
const char *answer_mend (const char *error);
/* Returns whether some of the lines were stored, some not. */
gboolean answer_partial (int status, const char *error);
/* Returns whether it is an answer of InfluxDB, not of a server that lacks this part of its
 * interface. */
gboolean answer_is_influx (const char *text);

/* 1.x answers a query with 200 also when it failed.  Returns its error, or NULL.  Transfer full. */
char *answer1_query_error (const char *text);
gboolean answer1_any (const char *text); /* does it hold a series? */

typedef void (*AnswerCount) (const char *measurement, const char *field, guint64 count,
                             gpointer user);
/* Hands over each count; FALSE: this is no such answer. */
gboolean answer1_counts (const char *text, AnswerCount fn, gpointer user);

/* 2.x: reads "id" and "name" of the only organisation or bucket in list `what` of the answer.
 * Returns how many there are; -1: this is no such answer.  Transfer full. */
int answer2_only (const char *text, const char *what, char **id, char **name);
/* flux.c */
gboolean answer2_any (const char *csv); /* does a table have a row? */
gboolean answer2_counts (const char *csv, AnswerCount fn, gpointer user);
