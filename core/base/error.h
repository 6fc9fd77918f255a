/* SPDX-License-Identifier: Apache-2.0 */
/* error.h - errors of the core: a GError whose code is the exit status it leads to
 * and whose text is the chain of causes, "where: what was expected: what to do". */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

#define NP_ERROR (np_error_quark ())
GQuark np_error_quark (void);

/* Defines the function NAME_quark of an error domain and interns it before there are threads:
 * G_DEFINE_QUARK would write its quark at the first failure without a lock, and two stages may fail
 * at once. */
#define NP_DEFINE_DOMAIN(text, name)                                                               \
  static GQuark name##_domain;                                                                     \
  __attribute__ ((constructor)) static void name##_intern (void)                                   \
  {                                                                                                \
    name##_domain = g_quark_from_static_string (text);                                             \
  }                                                                                                \
  GQuark name##_quark (void) { return name##_domain; }

typedef enum {
  NP_EXIT_OK = 0,
  NP_EXIT_USAGE = 1,  /* wrong use: options, names                      */
  NP_EXIT_INPUT = 2,  /* input unreadable or damaged                    */
  NP_EXIT_LOSSES = 3, /* done, with losses that were counted            */
  NP_EXIT_SINK = 4,   /* a sink failed                                  */
  NP_EXIT_PLUGIN = 5, /* a plugin could not be loaded, or broke a rule  */
  NP_EXIT_GATE = 6,   /* a limit was not met or could not be decided    */
  NP_EXIT_ROOM = 7,   /* this machine had no room: disk, memory, open files */
  NP_EXIT_INTERRUPTED = 130,
  NP_EXIT_PIPE = 141, /* the reader of stdout went away                 */
  NP_EXIT_TERMINATED = 143,
  NP_EXIT_ELSEWHERE
  = 255 /* never an exit status: another stage failed, and its error has the cause */
} NpExit;

/* Returns the exit status for several at once: 130/143, 141, 7, 5, 1, 2, 4, 6, 3 in that order. */
NpExit np_exit_worse (NpExit a, NpExit b);

/* Sets an error unless there is nowhere to put it; returns FALSE. */
gboolean np_error_set (GError **error, NpExit code, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Moves the error that is kept, if there is one; returns whether there was none. */
gboolean np_error_hand_on (GError **error, GError **kept);
/* Sets an error that only says that another stage has failed, or that the run ends; returns
 * FALSE. */
gboolean np_error_elsewhere (GError **error);
/* Sets an error that only says that the user ended the run; returns FALSE. */
gboolean np_error_interrupted (GError **error);
/* Returns whether it is one of these two, which nobody needs to be told. */
gboolean np_error_is_silent (const GError *error);

/* Joins a failure to the known one: `failed` keeps the one that decides the exit status, the first
 * of equals; a silent one gives way to any other.  Returns the other (transfer full) unless it is
 * silent. */
GError *np_error_join (GError **failed, GError *error);

/* Returns the exit status for errno `err`: NP_EXIT_ROOM where this machine had no room, whoever met
 * it, else `otherwise`. */
NpExit np_exit_of (int err, NpExit otherwise);
/* Returns the words for errno `err`: "No such file or directory"; where this machine had no room,
 * "No space left on device: this machine had no room: free some space".  It is never freed. */
const char *np_error_words (int err);
/* Sets "PATH: WORDS" for errno `err`, with the status of np_exit_of(); returns FALSE. */
gboolean np_error_errno (GError **error, NpExit code, const char *path, int err);
